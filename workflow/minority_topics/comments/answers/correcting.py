"""Prevalence of a topic as people see it: a sample to code by hand, and what follows from it.

Comments are in three strata: those whose main topic it is, those that have it beside another one,
and the others with words. The same number is drawn from each, so that a rare topic is not missed.
With N_h comments and n_h coded ones of stratum h, x_h of them about the topic,

    prevalence = sum_h (N_h / N) p_h,    p_h = x_h / n_h

Comments are drawn without replacement, so that n_h of N_h tell as much as n'_h of infinitely many,
and all of them leave no doubt (Cochran 1977, section 2.6):

    n'_h = n_h (N_h - 1) / (N_h - n_h)

The interval combines Wilson's intervals of the strata (of p_h and n'_h) by adding squares (MOVER,
Zou and Donner 2008):

    low = prevalence - sqrt(sum_h (N_h / N)^2 (p_h - low_h)^2), and high alike.
"""

import hashlib
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ...base.files import read_csv, write_csv
from ...base.manifest import check_manifest
from ...base.text import counted, folded, shown
from ...corpus.readers import DataError
from .. import folders
from .coding import AS_WRITTEN, read_key, read_sheet
from .intervals import wilson, without_replacement
from .material import fetch

MINORITY = "minority"
STRATA = ("main topic", "beside another topic", "other")
SHEET = ["item", "id", "text", "question", "coded"]
KEY = ["item", "row", "stratum", "documents", "topic"]
YES, NO = {"1", "yes", "y", "true"}, {"0", "no", "n", "false"}


def draw_sample(tables_folder, comments_folder, sheet, *, topic=MINORITY, n=300, random_state=1):
    """Write a sheet of n comments to code, and its key beside it as NAME_key.csv; gives its path.

    `topic` is a number of topics.csv, or "minority" for all minority topics together. A file that
    exists is not written over, since somebody may have coded the sheet.
    """
    tables, comments, sheet = Path(tables_folder), Path(comments_folder), Path(sheet)
    for path in (sheet, _key_of(sheet)):
        if path.exists():
            raise DataError(f"{path}: this file exists already; name another sheet")
    check_manifest(tables, folders.TOPICS, folders.DOCUMENTS)
    check_manifest(comments, folders.COMMENTS)
    numbers, question = _asked(tables / folders.TOPICS, topic)
    stratum = _strata(tables / folders.DOCUMENTS, numbers)
    if not (stratum >= 0).any():
        raise DataError(f"{tables / folders.DOCUMENTS}: no comment holds a word; give others")
    rng = np.random.default_rng(random_state)
    rows = rng.permutation(_draw(stratum, n, rng)).tolist()
    found = _fetch(comments / folders.COMMENTS, tables / folders.DOCUMENTS, rows)
    sizes = np.bincount(stratum[stratum >= 0], minlength=len(STRATA)).tolist()
    drawn = [[row, STRATA[stratum[row]], sizes[stratum[row]], topic] for row in rows]
    items = _names(drawn, [found[row]["id"] for row in rows])
    write_csv(
        _key_of(sheet),
        KEY,
        [[item, *entry] for item, entry in zip(items, drawn, strict=True)]
        + [["", "", name, size, topic] for name, size in zip(STRATA, sizes, strict=True)],
    )
    write_csv(
        sheet,
        SHEET,
        [
            [item, found[row]["id"], found[row]["text"], question, ""]
            for item, row in zip(items, rows, strict=True)
        ],
    )
    return sheet


def _names(drawn, ids):
    """Names of items: their number and a mark of the sample, so that no other key fits the sheet.

    Ids could not show this: a spreadsheet may save 1234567890123456789 as 1.23E+18.
    """
    mark = hashlib.sha256(json.dumps([drawn, ids]).encode()).hexdigest()[:6]
    return [f"S{number}-{mark}" for number in range(1, len(drawn) + 1)]


def _fetch(path, documents, rows):
    """The comments of some rows: those of documents.parquet, with texts to read."""
    found = fetch(path, rows)
    with pq.ParquetFile(path) as comments, pq.ParquetFile(documents) as answered:
        if "text" not in comments.schema.names:
            raise DataError(
                f"{path}: it holds no texts to code; read the comments again with keep_texts: true"
            )
        ids = answered.read(columns=["id"]).column("id")
        if comments.metadata.num_rows != len(ids) or any(
            found[row]["id"] != ids[row].as_py() for row in found
        ):
            raise DataError(
                f"{path}: its comments are not those of {documents}; give the folder that the "
                "tables were made from"
            )
    return found


def _key_of(sheet):
    return sheet.with_name(f"{sheet.stem}_key.csv")


def _asked(path, topic):
    """(numbers of the topics, the question to a coder)."""
    rows = read_csv(path)
    if topic == MINORITY:
        chosen = [row for row in rows if row["kind"] == MINORITY]
    else:
        chosen = [row for row in rows if row["topic"] == str(topic)]
    if not chosen:
        known = ", ".join(row["topic"] for row in rows)
        raise DataError(f"{path}: there is no topic {shown(topic)}; there are {known}, {MINORITY}")
    names = "; ".join(row["name"] for row in chosen)
    return [int(row["topic"]) for row in chosen], f"Is the comment about: {names}?"


def _strata(path, numbers):
    """Stratum of each comment, -1 of those without words."""
    parts = []
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(columns=["main_topic", "topics", "has_words"]):
            main = batch.column("main_topic").fill_null(0).to_numpy()
            topics = batch.column("topics")
            inside = np.isin(topics.flatten().to_numpy(), numbers)
            parents = pa.compute.list_parent_indices(topics).to_numpy()
            beside = np.bincount(parents[inside], minlength=len(main)) > 0
            stratum = np.where(np.isin(main, numbers), 0, np.where(beside, 1, 2))
            has_words = batch.column("has_words").to_numpy(zero_copy_only=False)
            parts.append(np.where(has_words, stratum, -1))
    return np.concatenate(parts) if parts else np.zeros(0, int)


def _draw(stratum, n, rng):
    """n rows, the same number of each stratum; if one is too small, the others give more."""
    left, drawn = n, []
    by_size = sorted(range(len(STRATA)), key=lambda h: np.count_nonzero(stratum == h))
    for done, h in enumerate(by_size):
        rows = np.flatnonzero(stratum == h)
        take = min(len(rows), left // (len(STRATA) - done))
        drawn.append(rng.choice(rows, take, replace=False))
        left -= take
    return np.concatenate(drawn)


def correct_prevalence(sheet, key=None):
    """What a coded sheet says: {prevalence, low, high, measured, precision, ..., recall, coded}.

    `measured` is the share of comments whose main topic it is; `precision` the share of these that
    the coder agrees with, `recall` the share of the comments about the topic that they are.
    Comments that nobody coded are left out, as if they had not been drawn.
    """
    sheet = Path(sheet)
    key_path = Path(key) if key else _key_of(sheet)
    stratum, sizes = _read_key(key_path)
    coded = {name: [] for name in STRATA}
    for line, row in read_sheet(sheet, ["item", "coded"]):
        place = f"{sheet}, line {line}"
        if row["item"] not in stratum:
            raise DataError(
                f"{place}: item {shown(row['item'])} is not in {key_path}; take the key that was "
                "written with the sheet"
            )
        answer = _coded(place, row["coded"])
        if answer is not None:
            coded[stratum[row["item"]]].append(answer)
    for name in STRATA:
        if sizes[name] and len(coded[name]) == 0:
            raise DataError(
                f"{sheet}: no comment of the stratum {name!r} is coded; code more of it"
            )
    return _estimate(sizes, coded)


def _read_key(path):
    """(stratum of each item, number of comments of each stratum)."""
    stratum, sizes = {}, {}
    for place, row in read_key(path, KEY, ["documents"]):
        if row["stratum"] not in STRATA:
            raise DataError(f"{place}: there is no stratum {shown(row['stratum'])}; {AS_WRITTEN}")
        if row["item"]:
            stratum[row["item"]] = row["stratum"]
        else:
            sizes[row["stratum"]] = row["documents"]
    drawn = Counter(stratum.values())
    for name in STRATA:
        if name not in sizes:
            raise DataError(f"{path}: the size of the stratum {name!r} is missing; {AS_WRITTEN}")
        if sizes[name] < drawn[name]:
            raise DataError(
                f"{path}: the stratum {name!r} has {counted(sizes[name], 'comment')}, but "
                f"{counted(drawn[name], 'item')}; {AS_WRITTEN}"
            )
    return stratum, sizes


def _coded(place, value):
    text = folded(value or "").lower()
    if text and text not in YES | NO:
        raise DataError(f"{place}: coded is {shown(value)}; write 1 for yes or 0 for no")
    return None if not text else text in YES


def _estimate(sizes, coded):
    n = np.array([len(coded[name]) for name in STRATA])
    size = np.array([sizes[name] for name in STRATA], float)
    weight = size / size.sum()
    share = np.array([np.mean(coded[name]) if coded[name] else 0.0 for name in STRATA])
    low, high = wilson(share, without_replacement(np.maximum(n, 1), size))
    prevalence = float(weight @ share)
    below = np.sqrt(np.sum((weight * (share - low)) ** 2))
    above = np.sqrt(np.sum((weight * (high - share)) ** 2))
    has_main = n[0] > 0
    return {
        "prevalence": prevalence,
        "low": max(prevalence - float(below), 0.0),
        "high": min(prevalence + float(above), 1.0),
        "measured": float(weight[0]),
        "precision": float(share[0]) if has_main else np.nan,
        "precision_low": float(low[0]) if has_main else np.nan,
        "precision_high": float(high[0]) if has_main else np.nan,
        "recall": float(weight[0] * share[0]) / prevalence if prevalence else np.nan,
        "coded": int(n.sum()),
    }
