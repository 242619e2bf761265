"""Scores of models as properties of the data are varied, a column of panels for each."""

import matplotlib.pyplot as plt
import numpy as np

from ...scores.cards import CARDS
from ...scores.statistics import summarise
from .labels import label_ends
from .rows import spread
from .style import COLUMN, INK
from .words import data_words, leaders, note, spread_words

METRICS = {"purity": "Purity", "nmi": "NMI", "ami": "AMI", "f1": "F1", "jsd_mean": "Mean JSD"}
KEYS = {
    "rate": "Share of documents with an injected topic",
    "n_words": "Injected words per document",
    "overlap": "Share of others with a word of a topic",
    "seed_share": "Share of the seed words kept",
    "wrong_seed_share": "Wrong seed words per seed word",
    "n_documents": "Documents",
}
LOGARITHMIC = ("rate", "n_words", "n_documents")
# Small values, of which one is 0, lie close together: their axis is that of the square root.
SQUARE_ROOT = ("overlap", "wrong_seed_share")
# Less of it is worse: its axis goes down, so that every line begins with the best list.
DOWNWARDS = ("seed_share",)
PANEL = 1.6  # inches


def keys_of(table):
    """The keys of the dataset that a table varies."""
    return [column for column in table.columns if column in KEYS]


def along(table, key):
    """Rows in which one key is varied and all others are as they are in most rows."""
    for other in keys_of(table):
        if other != key:
            table = table[table[other] == table[other].mode().iloc[0]]
    return table.sort_values(key, ascending=key not in DOWNWARDS, kind="stable")


def is_low_better(metric):
    return CARDS[metric].direction == "lower"


def table(scores):
    return summarise(scores, METRICS, by=keys_of(scores))


def plot(table, looks):
    keys = keys_of(table)
    size = COLUMN * len(keys), PANEL * len(METRICS) + 0.5
    figure, panels = plt.subplots(
        len(METRICS), len(keys), figsize=size, layout="constrained", squeeze=False, sharey="row"
    )
    for row, metric in zip(panels, METRICS, strict=True):
        curves = [(panel, key, along(table, key)) for panel, key in zip(row, keys, strict=True)]
        for panel, key, rows in curves:
            draw_lines(panel, rows, key, metric, looks)
            set_axes(panel, rows, key, metric)
        row[0].set_ylim(min(0, table[metric].min()), None)
        # The limits are those of all panels of a row, which labels are placed by.
        for panel, key, rows in curves:
            label_ends(panel, ends_of(rows, key, metric, looks), PANEL - 0.5)
    for panel, key in zip(panels[-1], keys, strict=True):
        panel.set_xlabel(KEYS[key])
    note(figure, f"{data_words(table)}; {spread_words(table, 'purity')}.")
    return figure


def draw_lines(panel, rows, key, metric, looks):
    for method, curve in rows.dropna(subset=[metric]).groupby("method", sort=False):
        look = looks[method]
        panel.plot(
            curve[key], curve[metric], color=look.colour, marker=look.marker,
            linewidth=1.8 if look.ours else 1, zorder=3 if look.ours else 2,
            markeredgecolor=INK, markeredgewidth=0.4, gid=f"line-{metric}-{key}-{method}",
        )  # fmt: skip
        for _, row in curve.iterrows():
            spread(panel, row, metric, row[key], look.colour, vertical=True)


def set_axes(panel, rows, key, metric):
    if key in LOGARITHMIC:
        panel.set_xscale("log")
    if key in SQUARE_ROOT:
        panel.set_xscale("function", functions=(signed_root, signed_square))
    if key in DOWNWARDS:
        panel.invert_xaxis()
    values = sorted(rows[key].unique())
    panel.set_xticks(values, [f"{value:,g}" for value in values])
    panel.minorticks_off()
    panel.tick_params(labelleft=True)
    panel.set_title(METRICS[metric] + (", lower is better" if is_low_better(metric) else ""))
    panel.grid(True, axis="both")


def signed_root(x):
    return np.sign(x) * np.sqrt(np.abs(x))


def signed_square(x):
    return np.sign(x) * np.square(x)


def ends_of(rows, key, metric, looks):
    """Where every line ends, with its name; ours is bold."""
    ends = []
    for method, curve in rows.dropna(subset=[metric]).groupby("method", sort=False):
        first = looks[method].ours and looks[method].model == method
        ends.append((*curve[[key, metric]].iloc[-1], looks[method].name, first))
    return ends


def describe(table, looks):
    parts = []
    for key in keys_of(table):
        rows = along(table, key)
        ends = dict.fromkeys(rows[key].iloc[[0, -1]])
        best = (f"at {value:,g}: {best_words(rows[rows[key] == value], looks)}" for value in ends)
        parts.append(f"By {KEYS[key][0].lower()}{KEYS[key][1:]}, the best are {'; '.join(best)}.")
    count = table["method"].nunique()
    return f"Scores of {count} methods on {data_words(table)}. {' '.join(parts)}"


def best_words(rows, looks):
    """The best of every metric that any method has."""
    return ", ".join(
        f"{METRICS[metric]} {leaders(rows, metric, looks, is_low_better(metric), count=1)}"
        for metric in METRICS
        if rows[metric].notna().any()
    )
