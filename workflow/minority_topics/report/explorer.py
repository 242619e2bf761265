"""One page to explore the topics of own comments: made from the tables that `answer` leaves.

Topics come with their words, comments, trend and groups; beside them stand the map, the seed words
and what was skipped. The page stays small whatever the corpus: it shows the first of everything and
names the table that has all. Comments are hostile text, and are never anything but text in it.
"""

import csv
import functools
import json
import math
import re
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from ..base.files import bare_cell, long_fields, read_csv, read_lines
from ..base.manifest import check_manifest
from ..comments import folders
from ..corpus.lemmas import make_lemmatiser
from ..corpus.readers import DataError
from .marking import LONGEST_TEXT, SEED, WORD, Phrases, clipped, segments
from .numbers import counted, number, percent, precise
from .standalone import json_inside, link, write_page
from .topic_map import HEIGHT, WIDTH, places, radii

NEEDED = (folders.TOPICS, folders.TOPIC_WORDS, folders.EXAMPLES, folders.SUMMARY)
USED = (
    *NEEDED, folders.TRENDS, folders.GROUPS, folders.TOPIC_MAP, folders.SUGGESTED_WORDS,
    folders.SEED_FREE, folders.SEED_WORDS, folders.SEED_FORMS, folders.INPUT_REPORT,
)  # fmt: skip
# What the page shows at most.
LONGEST_NAME = 120
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
        self.summary = json.loads((folder / folders.SUMMARY).read_text(encoding="utf-8"))
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
    data = {
        "period": summary.get("period"),
        "texts": _has_texts(summary),
        "language": _language(summary),
        "periods": trends["periods"],
        "groups": groups["names"],
        "topics": [
            {
                **{key: topic[key] for key in (
                    "topic", "kind", "title", "named", "prevalence", "documents", "seed_share",
                    "stability")},
                "words": [[w["word"], w["weight"], w["exclusivity"], w["seed"]]
                          for w in words[topic["topic"]]],
                "trend": trends["values"].get(topic["topic"], []),
                "groups": groups["values"].get(topic["topic"], []),
                "nearest": drawn["nearest"].get(topic["topic"]),
                "examples": examples,
            }
            for topic, examples in zip(topics, _examples(tables, marks), strict=True)
        ],
    }  # fmt: skip
    names = {topic["topic"]: topic["title"] for topic in topics}
    return {
        "title": clipped(title, LONGEST_NAME)[0],
        "data": json_inside(data),
        "language": _language(summary),
        "texts": data["texts"],
        "facts": _facts(summary, topics),
        "notices": _notices(summary),
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
        "skipped": _skipped(tables),
        "made": _made(summary),
        "files": _files(summary),
        "links": {name: link(tables.folder / name, page) for name in sorted(tables.there)},
        "periods": {"shown": len(trends["periods"]), "cut": trends["cut"]},
        "groups": {"shown": len(groups["names"]), "cut": groups["cut"]},
    }


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
    values = {}
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
    values = {}
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
                rows[row["reason"]].append(
                    {key: clipped(row[key] or "", LONGEST_NAME)[0] for key in row}
                )
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


def _facts(summary, topics):
    """The numbers on top: (number, what it counts, more about it)."""
    cleaning = summary.get("cleaning") or {}
    read, kept = summary.get("rows_read"), summary.get("rows_kept")
    with_words = summary.get("documents_with_words")
    with_seed = summary.get("documents_with_seed")
    n_minority = sum(topic["kind"] == "minority" for topic in topics)
    found, entries = cleaning.get("seed_entries_found"), summary.get("seed_entries")
    return [
        (_count(read), "comments read", None),
        (_count(kept), "kept", _of(kept, read)),
        (_count(with_words), "with words", _of(with_words, kept)),
        (_count(with_seed), "with a seed word", _of(with_seed, kept)),
        (_count(found), "seed entries found", None if entries is None else f"of {entries:,}"),
        (_count(len(topics)), "topics", f"{n_minority} minority"),
    ]


def _notices(summary):
    """What a reader must know before the topics: sentences."""
    fit, cleaning = summary.get("fit") or {}, summary.get("cleaning") or {}
    missing = cleaning.get("seed_entries_missing") or []
    notices = []
    if not _has_texts(summary):
        notices.append("The texts of comments were left out of all outputs, so this page has none.")
    if missing:
        first = ", ".join(clipped(entry, 40)[0] for entry in missing[:8])
        more = f" and {len(missing) - 8:,} more" if len(missing) > 8 else ""
        verb = "matches" if len(missing) == 1 else "match"
        notices.append(
            f"{counted(len(missing), 'seed entry').replace('entrys', 'entries')} {verb} no "
            f"comment: {first}{more}. The seed table shows the closest words."
        )
    if fit.get("converged") is False:
        notices.append("The fit stopped before it converged: topics may still change.")
    if fit.get("feasible") is False:
        notices.append("The fit does not meet its constraints: do not rely on minority topics.")
    return notices


def _made(summary):
    """How the topics were made: title of a part, and its (name, value) pairs."""
    fit, cleaning = summary.get("fit") or {}, summary.get("cleaning") or {}
    reading = summary.get("reading") or {}
    columns = {key: name for key, name in (reading.get("columns") or {}).items() if name}
    agreement = fit.get("agreement") or {}
    dates = summary.get("dates") or [None, None]
    theta = fit.get("theta_min")
    parts = {
        "Reading": [
            ("Columns", ", ".join(f"{key}: {name}" for key, name in columns.items())),
            ("First and last date", " to ".join(str(day)[:10] for day in dates if day)),
            ("Comments without a date", _count(reading.get("undated"))),
            ("Groups", _count(reading.get("groups"))),
            ("Texts that repeat another", _count(reading.get("repeated_texts"))),
            *((key.replace("_", " ").capitalize(), _setting(value))
              for key, value in (reading.get("settings") or {}).items()),
        ],
        "Cleaning": [
            ("Language", cleaning.get("language")),
            ("Lemmas", cleaning.get("lemmas")),
            ("Stop words", _count(cleaning.get("stop_words"))),
            ("A word is in at least (min_df)", _setting(cleaning.get("min_df"))),
            ("A word is in at most (max_df)", _setting(cleaning.get("max_df"))),
            ("Tokens", _count(cleaning.get("tokens"))),
            ("Distinct forms", _count(cleaning.get("forms"))),
            ("Words of the vocabulary", _count(cleaning.get("words"))),
            ("Seed words among them", _count(cleaning.get("seed_words"))),
        ],
        "Fit": [
            ("Topics", _count(fit.get("n_topics"))),
            ("Minority topics", _count(fit.get("n_minority"))),
            ("Seed words in a minority topic (theta_min)",
             None if theta is None else f"at least {percent(theta)}"),
            ("Minority topic in a comment without a seed word (w_max)",
             None if fit.get("w_max") is None else f"at most {_setting(fit['w_max'])}"),
            ("Constraints met", _setting(fit.get("feasible"))),
            ("Converged", _setting(fit.get("converged"))),
            ("Iterations", _count(fit.get("iterations"))),
            ("Objective", None if fit.get("objective") is None else number(fit["objective"], 1)),
            ("Distance from a stationary point (KKT)",
             None if fit.get("kkt") is None else precise(fit["kkt"])),
            ("Random state", _setting(fit.get("random_state"))),
            ("Time", None if fit.get("seconds") is None else f"{fit['seconds']:,.0f} s"),
            ("Memory", None if fit.get("peak_mb") is None else f"{fit['peak_mb']:,.0f} MB"),
        ],
        "Agreement of fits": [
            ("Fits", _count(agreement.get("fits"))),
            ("Mean adjusted mutual information of two fits",
             None if agreement.get("mean_ami") is None else number(agreement["mean_ami"], 2)),
        ] if agreement else [("Fits", "one, so that nothing can be said about agreement")],
    }  # fmt: skip
    return {
        title: [(name, clipped(str(value))[0]) for name, value in pairs if value not in (None, "")]
        for title, pairs in parts.items()
    }


def _files(summary):
    """What was read, file by file."""
    rows = (summary.get("reading") or {}).get("files") or []
    keys = ("file", "format", "encoding", "delimiter", "rows", "kept")
    shown = [{key: row.get(key) for key in keys} for row in rows[:50]]
    for row in shown:
        row["file"] = clipped(str(row["file"]), LONGEST_NAME)[0]
        row["delimiter"] = {"\t": "tab", None: ""}.get(row["delimiter"], row["delimiter"])
    return {"all": len(rows), "rows": shown}


def _has_texts(summary):
    return summary.get("texts") is not False


def _language(summary):
    """The language of the comments for the page's elements, "" where it is not known."""
    language = (summary.get("cleaning") or {}).get("language")
    is_code = isinstance(language, str) and re.fullmatch("[a-z]{2,3}", language)
    return language if is_code else ""


def _setting(value):
    """A value of a setting as a reader would say it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _count(value):
    return None if value is None else f"{value:,}"


def _of(part, whole):
    return percent(part / whole) if whole and part is not None else None


def _listed(cell):
    return [clipped(word, LONGEST_NAME)[0] for word in (cell or "").split(", ") if word]


def _value(cell):
    """A number of a table with four digits that count, None for a cell that has none."""
    value = float(cell) if cell not in ("", None) else math.nan
    return float(f"{value:.4g}") if math.isfinite(value) else None


def _whole(cell):
    value = float(cell) if cell not in ("", None) else math.nan
    return int(value) if math.isfinite(value) else None
