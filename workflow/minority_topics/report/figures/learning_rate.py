"""What the learning rate of its multipliers does for the published algorithm."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter

from ...scores.statistics import summarise
from .rows import spread
from .style import COLUMN, GREY, INK, OURS, SMALLEST
from .words import data_words, note, spread_words

PANELS = {
    "least_seed_share": "Least seed share",
    "largest_free_weight": "Largest free weight",
    "objective": "KL divergence",
    "purity": "Purity",
    "nmi": "NMI",
    "came_out": "Fits that came out",
}
# What the constraints ask for: the column of the bound, and on which side of it.
ASKED = {
    "least_seed_share": ("theta_min", "at least"),
    "largest_free_weight": ("w_max", "at most"),
}
# On a logarithmic axis, where bounds and weights differ by many powers of ten.
LOGARITHMIC = "largest_free_weight"


def table(scores):
    attempts = scores.groupby("eta").size()
    shown = summarise(scores, [name for name in PANELS if name != "came_out"], by=["eta"])
    shown["came_out"] = shown["repetitions"] / shown["eta"].map(attempts)
    for bound, _ in ASKED.values():
        shown[bound] = scores[bound].iloc[0]
    return shown.sort_values("eta").reset_index(drop=True)


def plot(table, looks):
    figure, panels = plt.subplots(3, 2, figsize=(COLUMN, 4.6), layout="constrained", sharex=True)
    for panel, (metric, label) in zip(panels.flat, PANELS.items(), strict=True):
        panel.plot(table["eta"], table[metric], color=OURS, marker="o", markersize=3.5)
        panel.set_xscale("log")
        panel.set_title(label)
        panel.grid(True, axis="both")
        if metric == "came_out":
            panel.set_ylim(0, 1.05)
            panel.yaxis.set_major_formatter(PercentFormatter(1))
            continue
        for _, row in table.iterrows():
            if metric != LOGARITHMIC or row[f"{metric}_low"] > 0:
                spread(panel, row, metric, row["eta"], vertical=True)
        _ask(panel, table, metric)
    for panel in panels[-1]:
        panel.set_xlabel("eta")
    note(
        figure,
        f"{data_words(table)}, published algorithm; {spread_words(table, 'objective')}. Least "
        "seed share: of a minority topic. Largest free weight: of a minority topic in a document "
        "without seed words.",
    )
    return figure


def _ask(panel, table, metric):
    """An axis from 0 that holds all, and the bound that a constraint asks for as a dashed line."""
    column, side = ASKED.get(metric, (None, ""))
    bound = table[column].iloc[0] if column else 0.0
    if metric == LOGARITHMIC:
        panel.set_yscale("log")
    else:
        tops = table[[metric, f"{metric}_high", f"{metric}_max"]].max().max()
        top = np.nanmax([tops, bound, 0])
        panel.set_ylim(0, 1.15 * top if top > 0 else 1)
    if column:
        panel.axhline(bound, color=INK, linestyle="--", linewidth=0.8)
        panel.annotate(
            f"{side} {bound:g}", (0.03, bound), xycoords=("axes fraction", "data"),
            xytext=(0, 2), textcoords="offset points", fontsize=SMALLEST, color=GREY,
        )  # fmt: skip


def describe(table, looks):
    first, last = table.iloc[0], table.iloc[-1]
    shown = [name for name in PANELS if name not in ("came_out", LOGARITHMIC)]
    parts = (
        f"{PANELS[name].removeprefix('Least ')} {first[name]:.3g} and {last[name]:.3g}"
        for name in shown
    )
    return (
        f"The published algorithm at {len(table)} learning rates on {data_words(table)}. At eta "
        f"{first['eta']:g} and {last['eta']:g}: {'; '.join(parts)}. Fits that came out: "
        f"{table['came_out'].min():.0%} to {table['came_out'].max():.0%}."
    )
