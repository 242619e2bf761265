"""Purity and NMI of models as one property of the data is varied."""

import matplotlib.pyplot as plt

from ...scores.statistics import summarise
from .labels import label_ends
from .rows import spread
from .style import COLUMN, INK
from .words import data_words, leaders, note, spread_words

METRICS = {"purity": "Purity", "nmi": "NMI"}
KEYS = {
    "rate": "Share of documents with an injected topic",
    "n_words": "Injected words per document",
    "seed_share": "Share of the seed words kept",
    "wrong_seed_share": "Wrong seed words per seed word",
    "n_documents": "Documents",
}
LOGARITHMIC = ("rate", "n_words", "n_documents")
PANEL = 1.9  # inches


def key_of(table):
    return next(column for column in table.columns if column in KEYS)


def table(scores):
    return summarise(scores, METRICS, by=[key_of(scores)])


def plot(table, looks):
    key = key_of(table)
    figure, panels = plt.subplots(
        len(METRICS), 1, figsize=(COLUMN, PANEL * len(METRICS) + 0.5), layout="constrained"
    )
    for panel, (metric, label) in zip(panels, METRICS.items(), strict=True):
        ends = []
        for method, curve in table.groupby("method", sort=False):
            look, curve = looks[method], curve.sort_values(key).dropna(subset=[metric])
            panel.plot(
                curve[key], curve[metric], color=look.colour, marker=look.marker,
                linewidth=1.8 if look.ours else 1, zorder=3 if look.ours else 2,
                markeredgecolor=INK, markeredgewidth=0.4, gid=f"line-{metric}-{method}",
            )  # fmt: skip
            for _, row in curve.iterrows():
                spread(panel, row, metric, row[key], look.colour, vertical=True)
            if len(curve):
                first = look.ours and look.model == method
                ends.append((*curve[[key, metric]].iloc[-1], look.name, first))
        if key in LOGARITHMIC:
            panel.set_xscale("log")
        values = sorted(table[key].unique())
        panel.set_xticks(values, [f"{value:,g}" for value in values])
        panel.minorticks_off()
        panel.set_ylim(0, None)
        panel.set_title(label)
        panel.grid(True, axis="both")
        label_ends(panel, ends, PANEL - 0.5)
    panels[-1].set_xlabel(KEYS[key])
    note(figure, f"{data_words(table)}; {spread_words(table, 'purity')}.")
    return figure


def describe(table, looks):
    key = key_of(table)
    ends = sorted(table[key].unique())
    best = (
        f"{value:,g}: purity {leaders(table[table[key] == value], 'purity', looks, count=1)}, NMI "
        f"{leaders(table[table[key] == value], 'nmi', looks, count=1)}"
        for value in (ends[0], ends[-1])
    )
    return (
        f"Purity and NMI of {table['method'].nunique()} methods on {data_words(table)}, by "
        f"{KEYS[key][0].lower()}{KEYS[key][1:]}. Highest at {'; at '.join(best)}."
    )
