"""What solver, start, restarts and constraints bring: every combination, a mark each."""

import matplotlib.pyplot as plt
import numpy as np

from ...scores.parts import BASES, OFF, OPTIONS, at_point
from ...scores.statistics import summarise
from ..numbers import number
from .rows import spread
from .style import PAGE
from .words import data_words, note, spread_words

METRICS = {"purity": "Purity", "nmi": "NMI", "jsd_mean": "JSD (lower is better)"}
SOLVERS = {"exact": "Exact solver", "projected": "Projected solver", "paper": "Published solver"}
ROW = ["solver", "start", "n_init"]
# By whether W and H are bounded: label, colour, marker, place within a row. The colours are apart
# for colour-blind readers too: in CIELAB by more than 20 in deuteranopia, 3:1 or more on white.
SETS = {
    (True, True): ("both constraints", "#C04D00", "o", -0.24),
    (True, False): (r"$W_{\max}$ alone", "#0072B2", "s", -0.08),
    (False, True): (r"$\theta_{\min}$ alone", "#2E9E7A", "^", 0.08),
    (False, False): ("no constraint", "#222222", "D", 0.24),
}
# What a model is called in the figure, and on which side of its row: above or below.
NAMES = {"ours": ("ours", -1), "published": ("as published", 1)}
HEAD = 0.9  # room for the name of a solver above its rows, in rows
TEXT = 8


def table(scores):
    """Means with intervals, a row per combination."""
    return summarise(scores, METRICS, by=OPTIONS)


def plot(table, looks):
    places = places_of(table)
    figure, panels = plt.subplots(
        1,
        len(METRICS),
        figsize=(PAGE, 1.75 + 0.36 * len(places)),
        sharey=True,
        layout="constrained",
    )
    for panel, (metric, label) in zip(panels, METRICS.items(), strict=True):
        for place in places.values():
            panel.axhspan(place - 0.42, place + 0.42, color="#f3f3f3", zorder=0, linewidth=0)
        for bounded, look in SETS.items():
            _mark(panel, table[_are_bounded(table, *bounded)], metric, places, *look)
        for base, (point, _) in BASES.items():
            _name_model(panel, table[at_point(table, point)], metric, places, *NAMES[base])
        panel.margins(x=0.14)
        if metric != "jsd_mean":  # which is far from 0 for every model
            panel.set_xlim(left=0)
        panel.set_title(label, loc="left", fontsize=TEXT + 1)
        panel.locator_params(axis="x", nbins=5)
        panel.tick_params(labelsize=TEXT)
        panel.tick_params(axis="y", length=0)
    _name_rows(panels[0], places)
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(SETS),
        frameon=False, fontsize=TEXT,
    )  # fmt: skip
    figure.set_layout_engine("constrained", wspace=0.04)
    note(figure, f"{data_words(table)}; {spread_words(table, 'purity')}.", TEXT)
    return figure


def places_of(table):
    """Where each row stands, by solver, start and number of starts: the most starts on top."""
    order = list(SOLVERS)
    rows = table[ROW].drop_duplicates().itertuples(index=False, name=None)
    rows = sorted(rows, key=lambda row: (order.index(row[0]), row[1], -float(row[2])))
    return {row: place + HEAD * order.index(row[0]) for place, row in enumerate(rows)}


def _heights(points, places):
    rows = points[ROW].itertuples(index=False, name=None)
    return np.array([places[row] for row in rows], dtype=float)


def _are_bounded(table, W, H):
    """A mask of the rows that bound W, or do not, and likewise H."""
    return ((table["w_max"] < OFF["w_max"]) == W) & ((table["theta_min"] > OFF["theta_min"]) == H)


def _mark(panel, points, metric, places, label, colour, marker, shift):
    heights = _heights(points, places) + shift
    panel.plot(
        points[metric], heights, marker, color=colour, markersize=4.5, label=label, zorder=4,
        markerfacecolor="white" if marker == "D" else colour,
    )  # fmt: skip
    for (_, row), height in zip(points.iterrows(), heights, strict=True):
        spread(panel, row, metric, height, colour)


def _name_model(panel, points, metric, places, name, side):
    """Ring the mark of a model, and say above (-1) or below (1) its row which it is."""
    *_, shift = SETS[True, True]
    for value, height in zip(points[metric], _heights(points, places), strict=True):
        panel.plot(
            value, height + shift, "o", color="black", markersize=8.5, markerfacecolor="none",
            zorder=5,
        )  # fmt: skip
        panel.text(
            value, height + 0.48 * side, name, ha="center", va="bottom" if side < 0 else "top",
            fontsize=TEXT, fontweight="bold",
        )  # fmt: skip


def _name_rows(panel, places):
    labels = [f"{start}, {n} start{'s' if n != 1 else ''}" for _, start, n in places]
    panel.set_yticks(list(places.values()), labels)
    panel.set_ylim(max(places.values()) + 1, min(places.values()) - 1.1)
    for solver, name in SOLVERS.items():
        heights = [height for (of, *_), height in places.items() if of == solver]
        if heights:
            panel.text(
                -0.03, min(heights) - 0.75, name, transform=panel.get_yaxis_transform(),
                ha="right", va="center", fontsize=TEXT, fontweight="bold",
            )  # fmt: skip


def describe(table, looks):
    """The numbers of the two models, and of ours with one part changed."""
    (ours, changes), (published, _) = BASES["ours"], BASES["published"]
    models = {"ours": ours, "as published": published}
    changed = {name: {**ours, **change} for name, change in changes.items()}
    texts = [
        f"Means of {len(table)} combinations of solver, start, number of starts and constraints "
        f"on {data_words(table)}."
    ]
    for lead, points in (("Purity and NMI", models), ("Ours with one change", changed)):
        found = [
            f"{name} {number(row.purity)} and {number(row.nmi)}"
            for name, point in points.items()
            for row in table[at_point(table, point) & table["purity"].notna()].itertuples()
        ]
        texts += [f"{lead}: {'; '.join(found)}."] if found else []
    return " ".join(texts)
