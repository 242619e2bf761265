"""Sheets for people who read: do a topic's words belong together, and does it fit its comments?

Word intrusion shows five top words of a topic and one word of another topic; topic intrusion shows
a comment, its topics and one that it does not have (Chang et al. 2009). Whoever finds the intruder
more often than chance sees a meaning. The key is a file apart.
"""

import csv
import io
import logging
import re
from itertools import combinations
from pathlib import Path

import numpy as np

from ...base.files import bare_cell, long_fields, write_csv
from ...base.text import folded, shown, stands_twice
from ...corpus.readers import DataError
from ..dialects import read_whole_text
from .intervals import wilson

N_TOP = 5
# An intruding word is one of so many top words of another topic.
N_OTHERS = 10
# Topics of a comment that are shown beside the intruder, and the least share of each. With only one
# of them, every second blind guess would be right.
LEAST_OF_COMMENT, MOST_OF_COMMENT = 2, 3
LEAST_SHARE = 0.1
# A topic below this share is one that the comment does not have.
ABSENT = 0.01
ITEMS_PER_TOPIC = 3
WORD_OPTIONS = [f"option_{n}" for n in range(1, N_TOP + 2)]
TOPIC_OPTIONS = [f"option_{n}" for n in range(1, MOST_OF_COMMENT + 2)]
SHEETS = ("word_intrusion.csv", "topic_intrusion.csv")
KEY = ["item", "topic", "answer", "intruder", "options", "row"]
ALL = "all"
AS_WRITTEN = "use the file as it was written"


def word_items(topics, rng):
    """Items of word intrusion: {topic, options (six words), answer (from 1)}, one for each topic.

    The intruder is one of the ten top words of the other topics, from the half of these words that
    weighs least in this topic.
    """
    items = []
    for k in range(len(topics)):
        top = topics.heavy(k, N_TOP)
        others = {int(c) for j in range(len(topics)) if j != k for c in topics.heavy(j, N_OTHERS)}
        others -= {int(c) for c in topics.heavy(k, N_OTHERS)}
        if len(top) < N_TOP or not others:
            continue
        columns = np.array(sorted(others))
        light = columns[np.argsort(topics.phi[k, columns], kind="stable")]
        intruder = rng.choice(light[: (len(light) + 1) // 2])
        items.append(_item(topics.numbers[k], topics.words(top), topics.vocabulary[intruder], rng))
    rng.shuffle(items)
    return items


def topic_rows(shares, words, least_words, rng, per_topic=ITEMS_PER_TOPIC):
    """Rows of comments for topic intrusion, some of each topic.

    They are drawn from comments that are long enough, have several topics and lack another one.
    """
    rows = []
    usable = words.lengths >= least_words
    for block, dense in shares.blocks():
        usable[block] &= (dense >= LEAST_SHARE).sum(axis=1) >= LEAST_OF_COMMENT
        usable[block] &= (dense < ABSENT).any(axis=1)
    for k in range(shares.n_shown):
        mine = np.flatnonzero((shares.main == k) & usable)
        rows += rng.choice(mine, min(per_topic, len(mine)), replace=False).tolist()
    return sorted(rows)


def topic_items(topics, shares, rows, rng):
    """Items of topic intrusion: a comment's topics of at least a tenth, and one that it lacks."""
    labels = [", ".join(topics.words(topics.heavy(k, N_TOP))) for k in range(len(topics))]
    items = []
    for row in rows:
        share = shares.dense(slice(row, row + 1))[0]
        own = [int(k) for k in np.argsort(-share, kind="stable")[:MOST_OF_COMMENT]]
        own = [k for k in own if share[k] >= LEAST_SHARE]
        # Equal labels could not be told apart.
        others = [
            k
            for k in np.flatnonzero(share < ABSENT)
            if labels[k] and labels[k] not in {labels[j] for j in own}
        ]
        if others and all(labels[k] for k in own) and len(own) >= LEAST_OF_COMMENT:
            intruder = labels[int(rng.choice(others))]
            item = _item(topics.numbers[own[0]], [labels[k] for k in own], intruder, rng)
            items.append({**item, "row": row})
    rng.shuffle(items)
    return items


def _item(topic, own, intruder, rng):
    options = [*own, intruder]
    order = rng.permutation(len(options))
    return {
        "topic": topic,
        "options": [options[place] for place in order],
        "answer": int(np.flatnonzero(order == len(own))[0]) + 1,
        "intruder": intruder,
        "row": "",
    }


def write_sheets(folder, words, comments, texts):
    """word_intrusion.csv, topic_intrusion.csv and key.csv; `texts` of comments by row.

    A coder's work is never written over: where a sheet holds an answer, or cannot be read as it
    was written, all three stay.
    """
    folder = Path(folder)
    begun = [path for path in map(folder.joinpath, SHEETS) if _is_begun(path)]
    if begun:
        logging.getLogger("minority_topics").warning(
            f"{begun[0]} holds answers or was changed, and the sheets for coders stay as they are; "
            "move them to get new ones."
        )
        return
    numbered = [(f"W{n}", item) for n, item in enumerate(words, start=1)]
    write_csv(
        folder / SHEETS[0],
        ["item", *WORD_OPTIONS, "answer"],
        [[name, *item["options"], ""] for name, item in numbered],
    )
    read = [(f"T{n}", item) for n, item in enumerate(comments, start=1)]
    write_csv(
        folder / SHEETS[1],
        ["item", "text", *TOPIC_OPTIONS, "answer"],
        [
            [name, texts[item["row"]], *_padded(item["options"], len(TOPIC_OPTIONS)), ""]
            for name, item in read
        ],
    )
    write_csv(
        folder / "key.csv",
        KEY,
        [
            [
                name,
                item["topic"],
                item["answer"],
                item["intruder"],
                len(item["options"]),
                item["row"],
            ]
            for name, item in [*numbered, *read]
        ],
    )


def _padded(cells, n):
    return [*cells, *[""] * (n - len(cells))]


# What coders found.


def _is_begun(path):
    try:
        return path.exists() and any(row["answer"] for _, row in _rows(path, ["answer"]))
    except DataError:
        return True


def score_intrusion(sheets, key):
    """Rows {topic, answers, found, accuracy, low, high, chance, agreement, unanswered}.

    `sheets` is one filled-in sheet or a list of them, one for each coder, and `key` the key that
    was written with them. An answer is the number of the option, or the option itself; an empty one
    counts as unanswered. The interval is Wilson's; `chance` is the accuracy of blind guesses;
    `agreement` is the share of pairs of coders with the same answer to an item. The last row is
    of all topics.
    """
    sheets = [sheets] if isinstance(sheets, str | Path) else list(sheets)
    known = _read_key(key)
    answers = [
        (row["item"], *_answer(path, line, row, known))
        for path in sheets
        for line, row in read_sheet(path, ["item", "option_1", "answer"])
    ]
    topics = sorted({known[item]["topic"] for item, *_ in answers})
    scored = [_score(topic, [a for a in answers if known[a[0]]["topic"] == topic], known)
              for topic in topics]  # fmt: skip
    return [*scored, _score(ALL, answers, known)]


def read_sheet(path, columns):
    """(line, row as a dict) of a sheet, as it was written or as a spreadsheet saved it.

    That may be with semicolons or tabs, or in another encoding.
    """
    if not Path(path).exists():
        raise DataError(f"{path}: there is no such file; give the path of the sheet, or --key")
    rows = _rows(path, columns)
    if not rows:
        raise DataError(f"{path}: there are no rows in it; {AS_WRITTEN}")
    twice = stands_twice(row["item"] for _, row in rows if row["item"])
    if twice:
        raise DataError(f"{path}: there are two rows of item {shown(twice)}; {AS_WRITTEN}")
    return rows


def _rows(path, columns):
    text, _ = read_whole_text(path)
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count))
    rows = []
    with long_fields():
        header = [bare_cell(cell.strip()) for cell in next(reader, [])]
        for cells in reader:
            if any(cells):
                cells = [*map(bare_cell, cells), *[""] * len(header)]
                rows.append((reader.line_num, dict(zip(header, cells, strict=False))))
    for column in ["item", *columns]:
        if column not in header:
            raise DataError(f"{path}: there is no column {column}; {AS_WRITTEN}")
    return rows


def read_key(path, columns, numbers):
    """(place, row as a dict) of a key; the columns `numbers` hold whole numbers."""
    rows = [(f"{path}, line {line}", row) for line, row in read_sheet(path, columns)]
    for place, row in rows:
        for column in numbers:
            if not re.fullmatch(r"\d{1,9}", row[column], re.ASCII):
                raise DataError(
                    f"{place}: {column} is {shown(row[column])}, not a whole number; {AS_WRITTEN}"
                )
            row[column] = int(row[column])
    return rows


def _read_key(path):
    """Rows of the key by item."""
    known = {}
    for place, row in read_key(path, KEY, ["topic", "answer", "options"]):
        answer, options = row["answer"], row["options"]
        if not 1 <= answer <= options <= len(WORD_OPTIONS):
            raise DataError(
                f"{place}: answer is {answer}, options is {options}, but options are at most "
                f"{len(WORD_OPTIONS)}, and the answer is one of them; {AS_WRITTEN}"
            )
        known[row["item"]] = row
    return known


def _answer(path, line, row, known):
    """(number of the answered option or None, whether it is the intruder)."""
    item = row["item"]
    place = f"{path}, line {line}, item {shown(item)}"
    if item not in known:
        raise DataError(f"{place} is not in the key; take the key that was written with the sheet")
    n_options, right = known[item]["options"], known[item]["answer"]
    options = [folded(row.get(f"option_{n}") or "") for n in range(1, n_options + 1)]
    if options[right - 1] != folded(known[item]["intruder"]):
        raise DataError(f"{place} is not that of the key; take the key written with the sheet")
    given = folded(row["answer"] or "")
    if not given:
        return None, False
    if given in options and given not in map(str, range(1, n_options + 1)):
        number = options.index(given) + 1
    elif given.isascii() and given.isdigit() and 1 <= int(given) <= n_options:
        number = int(given)
    else:
        raise DataError(
            f"{place}: the answer is {shown(given)}; write a number from 1 to {n_options}"
        )
    return number, number == right


def _score(topic, answers, known):
    given = [(item, number, found) for item, number, found in answers if number is not None]
    found, n = sum(found for *_, found in given), len(given)
    low, high = wilson(found / n, n) if n else (np.nan, np.nan)
    by_item = {}
    for item, number, _ in given:
        by_item.setdefault(item, []).append(number)
    pairs = [a == b for numbers in by_item.values() for a, b in combinations(numbers, 2)]
    return {
        "topic": topic,
        "answers": n,
        "found": found,
        "accuracy": found / n if n else np.nan,
        "low": float(low),
        "high": float(high),
        "chance": float(np.mean([1 / known[item]["options"] for item, *_ in given]))
        if n
        else np.nan,
        "agreement": float(np.mean(pairs)) if pairs else np.nan,
        "unanswered": len(answers) - n,
    }
