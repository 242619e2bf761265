"""From comments, their words and a fitted model to tables that a reader understands."""

import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp

from ...base.files import copy_file, replacing, write_csv, write_json, write_text
from ...base.manifest import check_manifest, write_manifest
from ...corpus.glosses import Glosses, read_glosses
from .. import folders
from ..documents import FIELDS, LEAST_WEIGHT, documents
from ..progress import Progress
from . import coding, guidance, keyness, naming, prevalence, tables, topics
from .examples import LEAST_WORDS, choose_examples
from .material import load

N_WORDS = 10
N_LISTED = 20
N_SEED_FREE = 100
# Parts of the work whose time grows with the number of comments.
N_STAGES = 6
CODING = "coding"


def answer(
    comments_folder,
    matrix_folder,
    model_folder,
    out,
    *,
    topics_file=None,
    period="auto",
    n_examples=20,
    keep_texts=True,
    least_count=5,
    random_state=1,
    name=None,
    glosses=(),
    sheets=None,
):
    """Write the tables of a study of own comments to the folder `out`; gives its summary.

    Topics have the numbers of the model, from 1; `topics_file` names, merges and drops them (see
    `naming`), and is written as a template where nobody edited it. With `keep_texts` false no text
    of a comment is written. The numbers of periods with fewer than `least_count` comments are left
    out, and groups with fewer are one row together. `glosses` are files of English glosses, for the
    topic tables. Sheets for coders go to the folder `sheets`, by default a subfolder of `out`;
    those that hold answers stay as they are.
    """
    out = Path(out)
    settings = Settings(period, n_examples, keep_texts, least_count, random_state)
    material = load(comments_folder, matrix_folder, model_folder)
    named, names_applied = _read_names(material, topics_file)
    shown, shares = topics.arrange(material, named, material.fit["n_minority"])
    name = name or out.parent.name
    with Progress("answering", total=N_STAGES) as progress:
        found = _find(material, shown, shares, settings, progress)
        written = _tables(material, shown, shares, found)
        check_manifest(matrix_folder, folders.SEED_WORDS)
        written[folders.SEED_WORDS] = guidance.seed_words(
            Path(matrix_folder) / folders.SEED_WORDS, material, found.judged
        )
        for file, (header, rows) in written.items():
            write_csv(out / file, header, (map(_cell, row) for row in rows))
        progress.step()
        _write_documents(out / folders.DOCUMENTS, material, shown, shares)
        progress.step()
    _write_topic_tables(out, shown, written, name, glosses)
    texts = {row: comment["text"] for row, comment in found.comments.items()}
    sheets = Path(sheets) if sheets else out / CODING
    coding.write_sheets(sheets, found.word_items, found.topic_items, texts)
    _copy(comments_folder, out, folders.INPUT_REPORT)
    _copy(matrix_folder, out, folders.SEED_FORMS)
    write_text(out / folders.NAMES, names_applied)
    summary = _summary(name, material, shown, named, found, settings)
    write_json(out / folders.SUMMARY, summary)
    write_manifest(out, asdict(settings), [comments_folder, matrix_folder, model_folder])
    return summary


@dataclass(frozen=True)
class Settings:
    """Parameters of `answer` that choose what is found."""

    period: str
    n_examples: int
    keep_texts: bool
    least_count: int
    random_state: int


@dataclass(frozen=True)
class Found:
    """What the tables and sheets show, with topics from 0 and comments by row."""

    overall: prevalence.Sums
    groups: list
    trends: list
    period: str
    examples: list
    suggested: keyness.Suggested
    seed_free: keyness.SeedFree
    judged: guidance.Judged
    word_items: list
    topic_items: list
    comments: dict
    has_texts: bool


def _find(material, shown, shares, settings, progress):
    least_count, random_state = settings.least_count, settings.random_state
    has_words, dates = material.has_words, material.dates
    overall = prevalence.sum_shares(shares, np.where(has_words, 0, -1), 1)
    numbers, names = material.groups
    group_rows, shown_groups = prevalence.groups(shares, numbers, names, has_words, least_count)
    progress.step()
    period = prevalence.choose_period(dates[has_words], settings.period)
    trend_rows = prevalence.trends(shares, dates, has_words, period, least_count)
    progress.step()
    examples = choose_examples(
        shares, material.words, numbers if names else None, settings.n_examples
    )
    progress.step()
    is_minority = np.append(shown.is_minority, False)[shares.main]
    suggested = keyness.suggest(material, is_minority, least_count)
    seed_free = keyness.sample_seed_free(material, suggested, N_SEED_FREE, random_state)
    judged = guidance.look(material, least_count, random_state)
    progress.step()
    has_texts = settings.keep_texts and material.has_texts
    rng = np.random.default_rng(random_state)
    word_items = coding.word_items(shown, rng)
    coded = coding.topic_rows(shares, material.words, LEAST_WORDS, rng) if has_texts else []
    wanted = [*(rows for rows, _ in examples), seed_free.random, seed_free.enriched, coded]
    wanted.append(judged.rows)
    return Found(
        overall,
        group_rows,
        trend_rows,
        period,
        examples,
        suggested,
        seed_free,
        judged,
        word_items,
        coding.topic_items(shown, shares, coded, rng),
        _readable(material, np.concatenate(wanted), shown_groups, has_texts),
        has_texts,
    )


# Names.


def _read_names(material, path):
    """(names of topics, the text of a topics.yaml that says what was applied)."""
    named, digest, words = naming.names_of(
        path, material.components, material.vocabulary, renew=True
    )
    for sentence in naming.sentences(named.record):
        print(sentence, file=sys.stderr)
    entries = {number: naming.Entry(tuple(top)) for number, top in enumerate(words, start=1)}
    return named, naming.template(digest, entries | named.entries)


# Tables: (header, rows).


def _tables(material, shown, shares, found):
    def about(row, columns):
        between = float(material.opinion.probability[row]), _main_topic(shown, shares, row)
        words = ", ".join(shown.words(columns))
        return [row, *_comment(found.comments[row], *between, words)]

    return {
        folders.TOPICS: _topics(shown, shares, found.overall, material.fit),
        folders.TOPIC_WORDS: _topic_words(shown),
        folders.EXAMPLES: _examples(shown, found.examples, found.comments),
        folders.TRENDS: _trends(shown, found.trends),
        folders.GROUPS: _groups(shown, found.groups),
        folders.TOPIC_MAP: _topic_map(shown),
        folders.SUGGESTED_WORDS: _suggested(shown, found.suggested),
        folders.SEED_FREE: _seed_free(material, shown, shares, found),
        folders.DISCOVERED_WORDS: guidance.discovered_words(material, found.judged),
        folders.RELEASED: guidance.released_comments(material, found.judged, about),
        folders.CAPPED: guidance.capped_comments(material, found.judged, about),
    }


def _cell(value):
    """A number with six digits, a whole one with all; NaN is empty."""
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else f"{value:.6g}"
    return value


def _topics(shown, shares, overall, fit):
    header = ["topic", "kind", "name", "prevalence", "low", "high", "documents", "seed_share",
              "stability", "top_words", "exclusive_words", "seed_words"]  # fmt: skip
    documents = np.bincount(shares.main[shares.main >= 0], minlength=len(shown))
    means, lows, highs = overall.interval()
    seed_share = shown.seed_share()
    rows = []
    for k, number in enumerate(shown.numbers):
        rows.append(
            [
                number,
                "minority" if shown.is_minority[k] else "majority",
                shown.names[k],
                means[0, k],
                lows[0, k],
                highs[0, k],
                int(documents[k]),
                float(seed_share[k]),
                _stability(fit, number) if not shown.is_merged[k] else "",
                *(
                    ", ".join(shown.words(columns))
                    for columns in (
                        shown.heavy(k, N_WORDS),
                        shown.exclusive(k, N_WORDS),
                        shown.seed_words(k, N_WORDS),
                    )
                ),
            ]
        )
    return header, rows


def _stability(fit, number):
    """The stability of a topic of the model; "" if there was only one fit."""
    values = fit.get("stability")
    return "" if not values or values[number - 1] is None else float(values[number - 1])


def _topic_words(shown):
    rows = [
        [
            number,
            rank,
            shown.vocabulary[column],
            float(shown.phi[k, column]),
            float(shown.exclusivity[int(column)][k]),
            int(int(column) in shown.seeds),
        ]
        for k, number in enumerate(shown.numbers)
        for rank, column in enumerate(shown.heavy(k, N_LISTED), start=1)
    ]
    return ["topic", "rank", "word", "weight", "exclusivity", "seed"], rows


def _examples(shown, found, comments):
    rows = [
        [number, rank, int(row), *_comment(comments[int(row)], float(share))]
        for number, (chosen, values) in zip(shown.numbers, found, strict=True)
        for rank, (row, share) in enumerate(zip(chosen, values, strict=True), start=1)
    ]
    return ["topic", "rank", "row", "id", "date", "group", "weight", "text"], rows


def _comment(comment, *between):
    return [comment["id"], comment["date"], comment["group"], *between, comment["text"]]


def _trends(shown, rows):
    header = ["topic", "period", "start", "documents", "prevalence", "low", "high"]
    return header, [[shown.numbers[topic], *row] for topic, *row in rows]


def _groups(shown, rows):
    header = ["topic", "group", "documents", "prevalence", "low", "high"]
    return header, [[shown.numbers[topic], *row] for topic, *row in rows]


def _topic_map(shown):
    rows = [
        [number, *map(float, place), shown.numbers[near] if near >= 0 else "", similarity]
        for number, place, (near, similarity) in zip(
            shown.numbers, shown.places(), shown.nearest(), strict=True
        )
    ]
    return ["topic", "x", "y", "nearest", "similarity"], rows


def _suggested(shown, found):
    """Each suggested word with the minority topic in which it weighs most."""
    minority = np.flatnonzero(shown.is_minority)
    rows = [
        [
            shown.vocabulary[column],
            float(score),
            int(documents),
            int(inside),
            shown.numbers[minority[shown.phi[minority, column].argmax()]],
            float(odds),
        ]
        for column, score, documents, inside, odds in zip(
            found.columns,
            found.score,
            found.documents,
            found.documents_minority,
            found.log_odds,
            strict=True,
        )
    ]
    return ["word", "score", "documents", "documents_minority", "topic", "log_odds"], rows


def _seed_free(material, shown, shares, found):
    header = ["row", "id", "date", "group", "main_topic", "sample", "suggested_words", "text"]
    rows, suggested = [], found.suggested
    for kind in ("random", "enriched"):
        for row in getattr(found.seed_free, kind).tolist():
            held = suggested.columns[np.isin(suggested.columns, material.words.of(row))]
            topic = _main_topic(shown, shares, row)
            words = ", ".join(shown.words(held))
            rows.append([row, *_comment(found.comments[row], topic, kind, words)])
    return header, rows


def _main_topic(shown, shares, row):
    main = shares.main[row]
    return shown.numbers[main] if main >= 0 else ""


def _readable(material, rows, shown_groups, with_texts):
    """Comments by row, without names of small groups, and without texts if these are left out."""
    comments = material.fetch(rows)
    for comment in comments.values():
        if not with_texts:
            comment["text"] = ""
        if comment["group"] not in shown_groups:
            comment["group"] = ""
    return comments


# Files.


def _write_documents(path, material, shown, shares):
    """documents.parquet, with the topics that are shown."""
    with (
        pq.ParquetFile(material.comments) as file,
        replacing(path, "wb") as target,
        pq.ParquetWriter(target, FIELDS, compression="zstd") as writer,
    ):
        start = 0
        for part in range(file.num_row_groups):
            ids = file.read_row_group(part, columns=["id"])["id"].combine_chunks()
            rows = slice(start, start + len(ids))
            weights = sp.csr_matrix(shares.dense(rows))
            writer.write_table(
                documents(
                    start, ids.cast(pa.string()), material.has_words[rows], shares.main[rows],
                    weights, shown.numbers,
                )
            )  # fmt: skip
            start = rows.stop


def _write_topic_tables(out, shown, written, name, glosses):
    """topics.md, topics.tex and topics.xlsx."""
    known = read_glosses(glosses) if glosses else Glosses()
    rows = []
    for k, number in enumerate(shown.numbers):
        columns = shown.heavy(k, tables.N_WORDS)
        words = [(shown.vocabulary[column], int(column) in shown.seeds) for column in columns]
        gloss = [known.words.get(word, word) for word, _ in words]
        kind = "minority" if shown.is_minority[k] else "majority"
        has_gloss = any(word in known.words for word, _ in words)
        name_given = shown.names[k] if shown.is_named[k] else ""
        rows.append((number, name_given, kind, words, gloss if has_gloss else []))
    title = f"Topics of {name}"
    tables.write_markdown(out / "topics.md", rows, title)
    tables.write_latex(out / "topics.tex", rows, title)
    sheets = [folders.TOPICS, folders.TOPIC_WORDS, folders.TRENDS, folders.GROUPS]
    tables.write_excel(
        out / "topics.xlsx",
        [(Path(sheet).stem.replace("_", " ").capitalize(), *written[sheet]) for sheet in sheets],
    )


def _copy(folder, out, *names):
    check_manifest(folder, *names)
    for name in names:
        copy_file(Path(folder) / name, out / name)


def _summary(name, material, shown, named, found, settings):
    reading, cleaning, fit = material.reading, material.cleaning, material.fit
    with_item = {item["topic"] for item in found.topic_items}
    of_reading = ("rows_read", "rows_kept", "skipped", "dates")
    of_cleaning = ("documents_with_words", "words", "seed_entries", "seed_entries_found",
                   "seed_entries_missing", "seed_words", "documents_with_seed")  # fmt: skip
    return {
        "name": name,
        **{key: reading.get(key) for key in of_reading},
        **{key: cleaning.get(key) for key in of_cleaning},
        "n_topics": fit["n_topics"],
        "n_minority": fit["n_minority"],
        "topics_shown": len(shown),
        "period": found.period,
        "texts": found.has_texts,
        "topics_without_comment_to_code": [
            number for number in shown.numbers if found.has_texts and number not in with_item
        ],
        "settings": {**asdict(settings), "least_weight": LEAST_WEIGHT},
        "topics_file": named.record,
        "fit": fit,
        "reading": reading,
        "cleaning": cleaning,
    }
