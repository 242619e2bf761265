"""One page to explore the topics of own comments: made from the tables that `answer` leaves.

Topics come with their words, comments, trend and groups; beside them stand the map, the seed words
and what was skipped. The page stays small whatever the corpus: it shows the first of everything and
names the table that has all. Comments are hostile text, and are never anything but text in it.
"""

import csv
import functools
import math
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from ..base.files import bare_cell, long_fields, read_csv, read_json, read_lines
from ..base.manifest import check_manifest
from ..comments import folders
from ..corpus.lemmas import make_lemmatiser
from ..corpus.readers import DataError
from . import guidance_section, run_facts
from .marking import LONGEST_TEXT, SEED, WORD, Phrases, clipped, segments
from .run_facts import LONGEST_NAME
from .standalone import json_inside, link, write_page
from .topic_map import HEIGHT, WIDTH, places, radii

NEEDED = (folders.TOPICS, folders.TOPIC_WORDS, folders.EXAMPLES, folders.SUMMARY)
USED = (
    *NEEDED, folders.TRENDS, folders.GROUPS, folders.TOPIC_MAP, folders.SUGGESTED_WORDS,
    folders.SEED_FREE, folders.SEED_WORDS, folders.SEED_FORMS, folders.INPUT_REPORT,
    *guidance_section.TABLES,
)  # fmt: skip
# What the page shows at most.
MOST_WORDS = 20
MOST_EXAMPLES = 20
MOST_TEXT = 1_500_000  # characters of all examples
MOST_POINTS = 60_000  # points of all trends
MOST_GROUPS = 30
MOST_SEEDS = 1000
MOST_SUGGESTED = 200
MOST_SEED_FREE = 50  # of a sample
MOST_SKIPPED = 20  # of a reason
MOST_REPORT_ROWS = 200_000  # that are looked through for these
SPARK_WIDTH, SPARK_HEIGHT, SPARK_POINTS = 96, 22, 60


def write_explorer(tables_folder, path, title):
    """Write the page `path` from a folder of tables; `title` stands on top of it."""
    tables = Tables(Path(tables_folder))
    write_page(path, "explorer.html.jinja", "explorer", _content(tables, Path(path), title))


class Tables:
    """The tables of a folder, checked against its manifest; one that is not there is empty."""

    def __init__(self, folder):
        self.folder = folder
        there = [name for name in USED if name in NEEDED or (folder / name).exists()]
        check_manifest(folder, *there)
        self.there = set(there)
        self.summary = read_json(folder / folders.SUMMARY)
        self.topics = [_topic(row) for row in self.rows(folders.TOPICS)]
        self.topics.sort(key=lambda topic: (topic["kind"] != "minority", topic["topic"]))

    def rows(self, name):
        return read_csv(self.folder / name) if name in self.there else []

    def by_topic(self, name):
        """Rows of a table by the number of their topic."""
        found = defaultdict(list)
        for row in self.rows(name):
            found[int(row["topic"])].append(row)
        return found

    def lines(self, name):
        return read_lines(self.folder / name) if name in self.there else []


def _content(tables, page, title):
    summary, topics = tables.summary, tables.topics
    trends, groups = _trends(tables), _groups(tables)
    words = _words(tables)
    lemma_of = _lemma_of(summary)
    seeds = Phrases(tables.lines(folders.SEED_FORMS))
    marks = {
        topic["topic"]: {
            SEED: seeds,
            WORD: Phrases((word["word"] for word in words[topic["topic"]]), lemma_of),
        }
        for topic in topics
    }
    for topic in topics:
        topic["spark"] = _spark(trends["values"].get(topic["topic"], []))
    drawn = _map(tables)
    data = _data(tables, words, marks, trends, groups, drawn["nearest"])
    names = {topic["topic"]: topic["title"] for topic in topics}
    return {
        "title": clipped(title, LONGEST_NAME)[0],
        "data": json_inside(data),
        "language": run_facts.language(summary),
        "texts": data["texts"],
        "facts": run_facts.key_figures(summary, topics),
        "notices": run_facts.notices(summary),
        "topics": topics,
        "largest": {
            kind: max((t["prevalence"] or 0 for t in topics if t["kind"] == kind), default=0)
            for kind in ("minority", "majority")
        },
        "n_kinds": Counter(topic["kind"] for topic in topics),
        "map": drawn,
        "seeds": _seeds(tables),
        "suggested": _suggested(tables, names),
        "seed_free": _seed_free(tables, names, marks),
        "guidance": guidance_section.section(tables, names, seeds, lemma_of, _about),
        "skipped": _skipped(tables),
        "made": run_facts.how_made(summary),
        "files": run_facts.files_read(summary),
        "links": {name: link(tables.folder / name, page) for name in sorted(tables.there)},
        "periods": {"shown": len(trends["periods"]), "cut": trends["cut"]},
        "groups": {"shown": len(groups["names"]), "cut": groups["cut"]},
    }


def _data(tables, words, marks, trends, groups, nearest):
    """What the script shows of a topic that is opened."""
    return {
        "period": tables.summary.get("period"),
        "texts": run_facts.has_texts(tables.summary),
        "language": run_facts.language(tables.summary),
        "periods": trends["periods"],
        "groups": groups["names"],
        "topics": [
            {
                **{key: topic[key] for key in (
                    "topic", "kind", "title", "named", "prevalence", "low", "high",
                    "documents", "seed_share", "stability")},
                "words": [[w["word"], w["weight"], w["exclusivity"], w["seed"]]
                          for w in words[topic["topic"]]],
                "trend": trends["values"].get(topic["topic"], []),
                "groups": groups["values"].get(topic["topic"], []),
                "nearest": nearest.get(topic["topic"]),
                "examples": examples,
            }
            for topic, examples in zip(tables.topics, _examples(tables, marks), strict=True)
        ],
    }  # fmt: skip


def _topic(row):
    topic = int(row["topic"])
    words = {key: _listed(row[key]) for key in ("top_words", "exclusive_words", "seed_words")}
    name = clipped(row["name"] or "", LONGEST_NAME)[0]
    return {
        "topic": topic,
        "kind": "minority" if row["kind"] == "minority" else "majority",
        # A topic that nobody has named may be called by its first words.
        "named": not ", ".join(words["top_words"]).startswith(name),
        "title": name or ", ".join(words["top_words"][:3]) or f"Topic {topic}",
        **words,
        **{key: _value(row[key]) for key in ("prevalence", "seed_share", "stability")},
        **{key: _value(row.get(key)) for key in ("low", "high")},
        "documents": _whole(row["documents"]),
    }


def _words(tables):
    """The words of every topic, by weight."""
    words = defaultdict(list)
    for topic, rows in tables.by_topic(folders.TOPIC_WORDS).items():
        for row in sorted(rows, key=lambda row: int(row["rank"]))[:MOST_WORDS]:
            words[topic].append({
                "word": clipped(row["word"], LONGEST_NAME)[0],
                "weight": _value(row["weight"]),
                "exclusivity": _value(row["exclusivity"]),
                "seed": int(row["seed"] == "1"),
            })  # fmt: skip
    return words


def _lemma_of(summary):
    """The word that a form counts as, by the lemmatiser that ran; itself where it is not here."""
    cleaning = summary.get("cleaning") or {}
    try:
        lemmatiser = make_lemmatiser(cleaning.get("language"), cleaning.get("lemmas"))
    except (DataError, ImportError):
        return str
    return functools.cache(lambda form: lemmatiser.lemmas(form)[0])


def _examples(tables, marks):
    """Comments of every topic, as many of each as the page has room for, cut into segments."""
    rows = tables.by_topic(folders.EXAMPLES)
    most = max(1, min(MOST_EXAMPLES, MOST_TEXT // (LONGEST_TEXT * max(1, len(tables.topics)))))
    for topic in tables.topics:
        found = sorted(rows[topic["topic"]], key=lambda row: int(row["rank"]))[:most]
        yield [
            {
                **_about(row),
                "weight": _value(row["weight"]),
                "text": segments(row["text"] or "", marks[topic["topic"]]),
            }
            for row in found
        ]


def _about(row):
    """Where a comment comes from: its id, day and group."""
    return {
        "id": clipped(row["id"] or "", LONGEST_NAME)[0],
        "date": (row["date"] or "")[:10],
        "group": clipped(row["group"] or "", LONGEST_NAME)[0],
    }


def _trends(tables):
    """Periods with their comments, and [prevalence, low, high] of every topic in each."""
    rows = tables.by_topic(folders.TRENDS)
    periods = {
        (row["start"], row["period"]): _whole(row["documents"])
        for of_topic in rows.values()
        for row in of_topic
    }
    order = sorted(periods)
    shown = order[-max(2, MOST_POINTS // max(1, len(tables.topics))) :]
    places = {period: place for place, (_, period) in enumerate(shown)}
    values: dict[int, list] = {}
    for topic, of_topic in rows.items():
        values[topic] = [None] * len(shown)
        for row in of_topic:
            if row["period"] in places:
                values[topic][places[row["period"]]] = _interval(row)
    return {
        "periods": [[period, periods[start, period]] for start, period in shown],
        "values": values,
        "cut": len(order) - len(shown),
    }


def _groups(tables):
    """Names of the largest groups, and [documents, prevalence, low, high] of a topic in each."""
    rows = tables.by_topic(folders.GROUPS)
    sizes = {}
    for of_topic in rows.values():
        for row in of_topic:
            sizes.setdefault(row["group"], _whole(row["documents"]) or 0)
    order = sorted(sizes, key=lambda group: -sizes[group])
    places = {group: place for place, group in enumerate(order[:MOST_GROUPS])}
    values: dict[int, list] = {}
    for topic, of_topic in rows.items():
        values[topic] = [None] * len(places)
        for row in of_topic:
            if row["group"] in places:
                shares = _interval(row) or [None] * 3
                values[topic][places[row["group"]]] = [_whole(row["documents"]), *shares]
    return {
        "names": [clipped(group, LONGEST_NAME)[0] for group in places],
        "values": values,
        "cut": len(order) - len(places),
    }


def _interval(row):
    """[prevalence, low, high] of a row, None where it has none: too few comments."""
    shares = [_value(row[key]) for key in ("prevalence", "low", "high")]
    return None if shares[0] is None else shares


def _spark(values):
    """A line of the trend as the path of an SVG, from none to the topic's highest share."""
    shares = [value and value[0] for value in values]
    known = [share for share in shares if share is not None]
    if len(known) < 2:
        return ""
    step = math.ceil(len(shares) / SPARK_POINTS)
    bins = [[s for s in shares[i : i + step] if s is not None] for i in range(0, len(shares), step)]
    means = [np.mean(part) if part else None for part in bins]
    top = max(mean for mean in means if mean is not None) or 1
    across = SPARK_WIDTH / max(1, len(means) - 1)
    path, pen = [], "M"
    for place, mean in enumerate(means):
        if mean is None:
            pen = "M"
            continue
        path.append(f"{pen}{place * across:.1f} {1 + (SPARK_HEIGHT - 2) * (1 - mean / top):.1f}")
        pen = "L"
    return "".join(path)


def _map(tables):
    """Circles of topics, the large ones first, and which topic is nearest to which."""
    rows = {int(row["topic"]): row for row in tables.rows(folders.TOPIC_MAP)}
    topics = [topic for topic in tables.topics if topic["topic"] in rows]
    if len(topics) < 2:
        return {"nodes": [], "lines": [], "nearest": {}, "width": WIDTH, "height": HEIGHT}
    sizes = radii([topic["prevalence"] or 0 for topic in topics])
    points = [[_value(rows[t["topic"]][axis]) or 0 for axis in "xy"] for t in topics]
    names = {topic["topic"]: topic["title"] for topic in topics}
    nodes, nearest = {}, {}
    for topic, (x, y), size in zip(topics, places(points, sizes), sizes, strict=True):
        nodes[topic["topic"]] = {
            **topic, "x": round(x, 1), "y": round(y, 1), "r": round(size, 1), "near": ""
        }  # fmt: skip
    for topic in nodes:
        near = _whole(rows[topic].get("nearest"))
        if near in nodes and near != topic:
            nearest[topic] = [near, _value(rows[topic].get("similarity"))]
            nodes[topic]["near"] = f"nearest: topic {near}, {names[near]}"
    pairs = {tuple(sorted((topic, near))) for topic, (near, _) in nearest.items()}
    return {
        "nodes": sorted(nodes.values(), key=lambda node: -node["r"]),
        "lines": [(nodes[a], nodes[b]) for a, b in sorted(pairs)],
        "nearest": nearest,
        "width": WIDTH,
        "height": HEIGHT,
    }


def _seeds(tables):
    """Rows of the seed table, and how many there are."""
    rows = tables.rows(folders.SEED_WORDS)
    return {
        "all": len(rows),
        "warnings": sum(bool(row["warning"]) for row in rows),
        "rows": [
            {
                **{key: clipped(row[key] or "", LONGEST_NAME)
                   for key in ("entry", "words", "occurs_with", "closest")},
                "kind": row["kind"],
                "warning": clipped(row["warning"] or "")[0],
                "documents": _whole(row["documents"]),
                "share": _value(row["share"]),
                **guidance_section.opinion(row),
            }
            for row in rows[:MOST_SEEDS]
        ],
    }  # fmt: skip


def _suggested(tables, names):
    rows = tables.rows(folders.SUGGESTED_WORDS)
    return {
        "all": len(rows),
        "rows": [
            {
                "word": clipped(row["word"], LONGEST_NAME)[0],
                "score": _value(row["score"]),
                "documents": _whole(row["documents"]),
                "minority": _whole(row["documents_minority"]),
                "topic": _known(row["topic"], names),
            }
            for row in rows[:MOST_SUGGESTED]
        ],
    }


def _seed_free(tables, names, marks):
    """Samples of comments without a seed word, by kind; the words of their topic are marked."""
    samples = defaultdict(list)
    for row in tables.rows(folders.SEED_FREE):
        samples[row.get("sample") or "random"].append(row)
    shown = {}
    for kind, rows in samples.items():
        shown[kind] = []
        for row in rows[:MOST_SEED_FREE]:
            topic = _known(row["main_topic"], names)
            text = segments(row["text"] or "", marks.get(topic, {}))
            about = {"topic": topic, "title": names.get(topic), "text": text}
            shown[kind].append(_about(row) | about)
    return {"all": sum(map(len, samples.values())), "samples": shown}


def _known(cell, names):
    topic = _whole(cell)
    return topic if topic in names else None


def _skipped(tables):
    """Reasons with their counts, the most frequent first, and the first rows of each."""
    counts = tables.summary.get("skipped") or {}
    rows = defaultdict(list)
    if folders.INPUT_REPORT in tables.there:
        for row in _first_rows(tables.folder / folders.INPUT_REPORT, MOST_REPORT_ROWS):
            if len(rows[row["reason"]]) < MOST_SKIPPED:
                short = {key: clipped(row[key], LONGEST_NAME)[0] for key in row}
                rows[row["reason"]].append(short | {"file": run_facts.file_name(row["file"])})
    shown = [row for reason in sorted(rows, key=lambda r: counts.get(r, 0)) for row in rows[reason]]
    return {
        "counts": [
            (clipped(reason, LONGEST_NAME)[0], count)
            for reason, count in sorted(counts.items(), key=lambda item: -item[1])
        ],
        "all": sum(counts.values()),
        "rows": shown,
        "most": MOST_SKIPPED,
    }


def _first_rows(path, most):
    """The first rows of a table that may be as long as the corpus."""
    with long_fields(), open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        for _, row in zip(range(most), reader, strict=False):
            yield {name: bare_cell(cell or "") for name, cell in row.items() if name}


def _listed(cell):
    return [clipped(word, LONGEST_NAME)[0] for word in (cell or "").split(", ") if word]


def _value(cell):
    """A number of a table with four digits that count, None for a cell that has none."""
    value = float(cell) if cell not in ("", None) else math.nan
    return float(f"{value:.4g}") if math.isfinite(value) else None


def _whole(cell):
    value = float(cell) if cell not in ("", None) else math.nan
    return int(value) if math.isfinite(value) else None
