"""What each section of the page shows, made of the tables; None or nothing leaves a section out."""

import json
from collections import Counter
from statistics import mean

from ..scores.cards import CARDS
from ..scores.evidence import setting_text
from ..scores.resampling import RESAMPLED
from ..scores.statistics import (
    BEHIND,
    COMPARED,
    OVER_DOCUMENTS,
    feasible,
    in_setting,
    with_variants,
)
from ..scores.tables import read_rows

# What a verdict looks like; the words are those of the table.
GOOD, PARTLY, BAD, OPEN = "good", "partly", "bad", "open"
TONES = {
    "clearly ahead": GOOD,
    "holds": GOOD,
    "ahead but not clear": PARTLY,
    "holds in part": PARTLY,
    "behind": BAD,
    "does not hold": BAD,
}
# The paper's Table 1: statistic, real data, synthetic data, and our fact of the same.
PAPER_DATASETS = (
    ("Documents (raw)", 5_578_289, 500, None),
    ("Documents (filtered)", 2_979_969, 500, "documents"),
    ("Average words per document", 7.04, 10, "tokens_mean"),
    ("Vocabulary size", 885_945, 2_800, "words"),
)
# Facts beyond it.
DATASET_FACTS = (
    ("Documents with a known minority topic", "injected_documents"),
    ("Of these, with a seed word", "injected_documents_with_seed_word"),
    ("Other documents with a seed word", "background_documents_with_seed_word"),
    ("Seed words that occur", "seed_words_found"),
    ("Standard deviation of words per document", "tokens_sd"),
    ("Share of words seen once", "seen_once"),
    ("Share of words repeated within a document", "repeated"),
    ("Recurring word pairs, times chance", "cooccurrence_excess"),
)


def parted(verdict):
    """A verdict's own word, and how a control limits it: "behind", "not clear of" or ""."""
    if verdict.startswith("behind models and the control "):
        return BEHIND, BEHIND
    word, _, beside = verdict.partition(", ")
    return word, beside.partition(" the control ")[0]


def tone(verdict):
    """How a verdict is shown. One that a control limits holds in part at most."""
    word, limit = parted(verdict)
    found = TONES.get(word, OPEN)
    return PARTLY if limit and found == GOOD else found


def claim_cards(material):
    """Claims in order, each with a verdict per solver."""
    cards = {}
    for row in material.claims:
        card = cards.setdefault(
            row["claim"],
            {
                "name": row["claim"],
                "statement": row["statement"],
                "paper": row["paper"],
                "rows": [],
            },
        )
        card["rows"].append(
            {
                "label": _label(material, row["method"]),
                "verdict": row["verdict"],
                "tone": tone(row["verdict"]),
                "evidence": row["evidence"] or "",
            }
        )
    return list(cards.values())


def _label(material, name):
    return material.labels.get(name, name) if name else ""


def comparisons(material):
    """Of each setting and metric: our model against every rival, and how often each grade."""
    if material.comparisons is None:
        return []
    found = []
    for pair in material.settings:
        rows = in_setting(material.comparisons, pair)
        metrics = []
        for metric, group in rows.groupby("metric", sort=False):
            records = group.to_dict("records")
            for row in records:
                row["label"] = _label(material, row["other"])
                row["tone"] = tone(row["grade"])
                row["control"] = material.is_control(row["other"])
            counts = Counter(row["grade"] for row in records)
            grades = [
                {"grade": grade, "count": count, "tone": tone(grade)}
                for grade, count in counts.most_common()
            ]
            metrics.append({"card": CARDS[metric], "rows": records, "grades": grades})
        if metrics:
            found.append({"name": setting_text(pair), "metrics": metrics})
    return found


def parts(material):
    """What start, solver, restarts and constraints bring: a table for each base, a row a change."""
    if material.parts is None:
        return []
    found = []
    for base, rows in material.parts.groupby("base", sort=False):
        metrics = list(dict.fromkeys(rows["metric"]))
        records = rows.to_dict("records")
        means = {row["metric"]: row["base_mean"] for row in records}
        changes = {}
        for row in records:
            changes.setdefault(row["change"], {})[row["metric"]] = row
        found.append(
            {
                "base": base,
                "cards": [CARDS[metric] for metric in metrics],
                "means": means,
                "changes": changes,
                "repetitions": sorted({row["repetitions"] for row in records}),
            }
        )
    return found


def published(material):
    """The paper's numbers beside ours, and where each lies."""
    rows = [] if material.numbers is None else material.numbers.to_dict("records")
    for row in rows:
        row["label"] = _label(material, row["method"])
        row["card"] = CARDS[row["metric"]]
        row["place"] = _place(row, over_documents=bool(resampled(material)))
    return rows


def _place(row, over_documents):
    """Where a published number lies. An interval over documents can reach beyond all fits."""
    if row["ours"] != row["ours"]:
        return "no result"
    if str(row["in_range"]) == "True":
        return "in the range of our fits"
    if str(row["in_interval"]) == "True":
        interval = "interval over documents" if over_documents else "interval"
        return f"outside the range of our fits, inside the {interval}"
    return "below ours" if row["published"] < row["ours"] else "above ours"


def solvers(material):
    """Means of what the solvers of constrained NMF have left, in the first setting."""
    rows = []
    first = in_setting(material.scores, material.first)
    for name, fits in first[first["status"] == "ok"].groupby("method", sort=False):
        if material.methods[name].ours:
            options = material.options(name)
            row = {"label": material.labels[name], "fits": len(fits), "options": options}
            row["met"] = int(feasible(fits).sum())
            row["least_denominator"] = _least(fits, "least_denominator")
            columns = ("least_seed_share", "largest_free_weight", "objective", "purity", "nmi")
            rows.append(row | {column: fits[column].mean() for column in columns})
    return rows


def _least(fits, column):
    return fits[column].min() if column in fits else None


def extras(material, kind):
    """Variants or peers beside our model in the first setting: means, and how ours compares."""
    if material.summary is None:
        return None
    first = in_setting(material.summary, material.first).set_index("method")
    names = [name for name in material.extras if material.apart(name) == kind]
    names = [name for name in names if name in first.index]
    if not names:
        return None
    cards = [card for card in material.metrics if card.name in COMPARED]
    grades = _grades(material)
    rows = [
        {
            "label": material.labels[name],
            "ours": name == material.ours,
            "means": [first.loc[name, card.name] for card in cards],
            "grades": [grades.get((name, card.name), "") for card in cards],
            "behind": [
                card.label for card in cards if grades.get((name, card.name), "") == "behind"
            ],
            "reason": first.loc[name, "reason"],
        }
        for name in [material.ours, *names]
    ]
    return {"cards": cards, "rows": rows}


def _grades(material):
    """How our model compares in the first setting, by rival and metric."""
    if material.comparisons is None:
        return {}
    rows = in_setting(material.comparisons, material.first).to_dict("records")
    return {(row["other"], row["metric"]): row["grade"] for row in rows}


def true_topics(material):
    """Every true topic with its nearest learned one, and examples of its documents."""
    examples = {}
    for row in material.sources.rows("examples"):
        examples.setdefault(row["topic"], {}).setdefault(row["kind"], []).append(row)
    sizes = {row["topic"]: row["documents"] for row in material.sources.rows("topics")}
    rows = material.sources.rows("true_topics")
    found = []
    for row in rows:
        words, nearest = row["words"].split(", "), row["nearest_words"].split(", ")
        shared = set(words) & set(nearest)
        found.append(
            {
                **row,
                "jsd": _float(row["jsd"]),
                "share": _float(row["share"]),
                "words": [(word, word in shared) for word in words if word],
                "nearest_words": [(word, word in shared) for word in nearest if word],
                "n_shared": len(shared),
                "nearest_documents": sizes.get(row["nearest"]),
                "nearest_of": [
                    other["topic"]
                    for other in rows
                    if other is not row and other["nearest"] and other["nearest"] == row["nearest"]
                ],
                "examples": examples.get(row["topic"], {}),
            }
        )
    return found


def _float(text):
    return float(text) if text else None


def datasets(material):
    """Rows of the paper's Table 1 with ours beside, then facts that only ours have."""
    rows = [
        {"name": name, "real": real, "synthetic": synthetic, **_fact(material, key)}
        for name, real, synthetic, key in PAPER_DATASETS
    ]
    rows += [
        {"name": name, "real": None, "synthetic": None, **_fact(material, key)}
        for name, key in DATASET_FACTS
    ]
    return [row for row in rows if row["real"] is not None or row["ours"] is not None]


def _fact(material, key):
    """Mean and range of a fact over the corpora."""
    known = ({**facts, **facts.get("statistics", {})} for facts in material.facts)
    values = [facts[key] for facts in known if facts.get(key) is not None]
    if not values:
        return {"ours": None, "least": None, "most": None}
    return {"ours": mean(values), "least": min(values), "most": max(values)}


def failures(material):
    """Fits that did not come out, those of variants and peers too, by method and reason."""
    fits = with_variants(material.scores, material.sources.frame("variants"))
    bad = fits[fits["status"] != "ok"].fillna({"reason": ""})
    groups = bad.groupby(["method", "status", "reason"], sort=False).size()
    return [
        {"label": material.labels[method], "status": status, "reason": reason, "count": count}
        for (method, status, reason), count in groups.items()
    ]


def methods(material):
    """Methods with the versions they ran in and the options they ran with."""
    known = {row["method"]: row for row in read_rows(material.sources.versions)}
    rows = []
    for name, label in material.labels.items():
        ran = known.get(name, {})
        versions = json.loads(ran.get("versions") or "{}")
        options = material.options(name)
        rows.append(
            {
                "label": label,
                "row": material.methods[name],
                "apart": material.apart(name),
                "versions": ", ".join(f"{tool} {version}" for tool, version in versions.items()),
                "engine": ran.get("engine") or "",
                "options": json.dumps(options, ensure_ascii=False) if options else "",
            }
        )
    return rows


def interval_kinds(material):
    """What the intervals of the summary are over, as it says itself."""
    if material.summary is None or "interval_over" not in material.summary:
        return []
    return [kind for kind in dict.fromkeys(material.summary["interval_over"].dropna()) if kind]


def resampled(material):
    """Labels of the metrics whose intervals are over resampled documents too, if any are."""
    if OVER_DOCUMENTS not in interval_kinds(material):
        return []
    return [CARDS[metric].label for metric in RESAMPLED]
