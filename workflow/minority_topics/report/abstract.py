"""The abstract: a few sentences made of the tables, each with the table it rests on.

No result is written in: without a table there is no sentence.
"""

from collections import Counter
from dataclasses import dataclass

from ..base.text import listed
from ..scores.cards import CARDS
from ..scores.evidence import NOT_TESTED, UNDECIDED, setting_text
from ..scores.statistics import ALPHA, CLEAR, TOO_FEW, in_setting
from .numbers import counted, number, signed
from .sections import parted

# What the sentence on the best other model, and that on the keyword controls, tell.
MAIN = ("purity", "nmi", "jsd_mean")
CONTROLLED = ("purity", "nmi", "ami_injected", "f1")


@dataclass(frozen=True)
class Sentence:
    text: str
    table: str


def abstract(material):
    """Sentences on the data, the main comparison, the keyword controls, the parts, the claims."""
    sentences = (_data, _main, _controls, _parts, _claims)
    return [sentence for make in sentences if (sentence := make(material))]


def _data(material):
    facts = material.facts[0]
    known = facts["injected_documents"]
    corpora = len(material.facts)
    text = f"{_fitted(material)} fitted "
    if corpora > 1:
        text += f"to {corpora} corpora of the dataset {material.dataset}, the first of which has "
    else:
        text += f"to the dataset {material.dataset}, which has "
    text += counted(facts["documents"], "document")
    text += f", {known} of them with a known minority topic" if known else ""
    settings = len(material.settings)
    where = f"each of {settings} settings" if settings > 1 else "one setting"
    text += f": {counted(material.repetitions, 'time')} in {where} of topics/minority topics "
    return Sentence(text + f"({listed(map(setting_text, material.settings))}).", "scores")


def _fitted(material):
    """Who was fitted, with the verb: Constrained NMF by 3 solvers, 2 other models, 4 controls."""
    solvers = sum(material.methods[name].ours for name in material.names)
    controls = sum(map(material.is_control, material.names))
    others = len(material.names) - solvers - controls
    told = []
    if solvers:
        model = material.labels[next(n for n in material.names if material.methods[n].ours)]
        told.append(model if solvers == 1 else f"{model} by {solvers} solvers")
    if others:
        told.append(counted(others, "other model" if solvers else "topic model"))
    if controls:
        told.append(counted(controls, "control"))
    alone = len(told) == 1 and max(solvers, others, controls) == 1
    return f"{listed(told)} {'was' if alone else 'were'}"


def _in_first(material, is_wanted):
    """Comparisons in the first setting with the rivals that are wanted."""
    if material.comparisons is None:
        return None
    rows = in_setting(material.comparisons, material.first)
    rows = rows[[is_wanted(name) for name in rows["other"]]]
    return None if rows.empty else rows


def _main(material):
    """Our model against the best other one, by metric; variants and peers count."""
    rows = _in_first(material, material.is_other_model)
    if rows is None:
        return None
    told = []
    for metric in MAIN:
        rivals = rows[rows["metric"] == metric].dropna(subset=["other_mean"])
        if len(rivals):
            higher = CARDS[metric].direction == "higher"
            best = rivals["other_mean"].idxmax() if higher else rivals["other_mean"].idxmin()
            row = rivals.loc[best]
            means = number(row["ours_mean"]), number(row["other_mean"])
            told.append(
                f"{_standing(row['grade'])} {CARDS[metric].label} ({means[0]}; "
                f"{material.labels[row['other']]} {means[1]})"
            )
    if not told:
        return None
    return Sentence(
        f"Against the best other model in each metric, {material.labels[material.ours]} at "
        f"{setting_text(material.first)} is {listed(told)}.",
        "comparisons",
    )


def _standing(grade):
    return "without a verdict in" if grade == TOO_FEW else f"{grade} in"


def _controls(material):
    """What is left once a plain look for seed words is taken for a rival."""
    rows = _in_first(material, material.is_keyword_control)
    if rows is None:
        return None
    told = []
    for name, group in rows[rows["metric"].isin(CONTROLLED)].groupby("other", sort=False):
        grades = group.groupby("grade", sort=False)
        parts = [
            f"{_standing(grade)} {listed(map(_pair, _records(found)))}" for grade, found in grades
        ]
        ours = material.labels[material.ours]
        told.append(f"Against {material.labels[name]}, {ours} is {listed(parts, '; ')}.")
    if not told:
        return None
    if (rows.loc[rows["metric"].isin(CONTROLLED), "grade"] != CLEAR).any():
        told.insert(0, _who_controls(len(told)))
    return Sentence(" ".join(told), "comparisons")


def _who_controls(count):
    subject = {1: "One control uses", 2: "Two controls use"}.get(count, f"{count} controls use")
    return f"{subject} no topic model, only the seed words and plain or random clusters."


def _pair(row):
    means = f"{number(row['ours_mean'])} against {number(row['other_mean'])}"
    return f"{CARDS[row['metric']].label} ({means})"


def _records(frame):
    return frame.to_dict("records")


def _parts(material):
    """What start, solver and restarts bring: the change in purity when one is taken away."""
    if material.parts is None:
        return None
    rows = material.parts
    rows = rows[(rows["base"] == "ours") & (rows["metric"] == "purity")].dropna(subset="difference")
    if rows.empty:
        return None
    rows = rows.loc[rows["difference"].abs().sort_values(ascending=False).index]
    told = [
        f"{signed(row['difference'])} ({row['change']}"
        + (")" if row["p_holm"] < ALPHA else ", not clear)")
        for row in _records(rows)
    ]
    return Sentence(
        f"Changes to the model move its purity of {number(rows['base_mean'].iloc[0])} by "
        f"{listed(told)}.",
        "parts",
    )


def _claims(material):
    """How the paper's claims came out for our model, counted by verdict."""
    mine = [row for row in material.claims if row["method"] in (material.ours, "") and row["paper"]]
    if not mine:
        return None
    verdicts = [parted(row["verdict"]) for row in mine]
    words = Counter(word for word, _ in verdicts)
    if TOO_FEW in words and set(words) <= {TOO_FEW, NOT_TESTED}:
        return Sentence(UNDECIDED[1], "claims")
    told = []
    for word, count in words.most_common():
        limits = Counter(limit for other, limit in verdicts if other == word and limit)
        told.append(f"{word} ({', '.join([str(count), *_limits(limits, count)])})")
    return Sentence(
        f"The paper's claims that concern {material.labels[material.ours]} or all models get these "
        f"verdicts: {listed(told)}.",
        "claims",
    )


def _limits(limits, count):
    """How many of `count` verdicts are behind a control, and how many not clear of one."""
    return [
        f"{'' if number == count else f'{number} of them '}{limit} a control"
        for limit, number in limits.items()
    ]
