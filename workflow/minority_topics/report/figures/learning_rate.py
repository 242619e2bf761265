"""What the learning rate of its multipliers does for the published algorithm."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter

from ...scores.statistics import summarise
from . import repetitions_of

PANELS = {
    "least_seed_share": "Least seed share of a minority topic",
    "largest_free_weight": "Largest minority weight without seed words",
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


def table(scores):
    attempts = scores.groupby("eta").size()
    shown = summarise(scores, [name for name in PANELS if name != "came_out"], by=["eta"])
    shown["came_out"] = shown["repetitions"] / shown["eta"].map(attempts)
    for bound, _ in ASKED.values():
        shown[bound] = scores[bound].iloc[0]
    return shown.sort_values("eta").reset_index(drop=True)


def plot(table, looks):
    figure, panels = plt.subplots(2, 3, figsize=(10, 5.2), layout="constrained")
    look = looks[table["method"].iloc[0]]
    for panel, (metric, label) in zip(panels.flat, PANELS.items(), strict=True):
        panel.plot(table["eta"], table[metric], color="#8B3A00", marker=look.marker, markersize=5)
        if f"{metric}_low" in table:
            panel.fill_between(
                table["eta"], table[f"{metric}_low"], table[f"{metric}_high"],
                color=look.colour, alpha=0.5, linewidth=0,
            )  # fmt: skip
        panel.set_xscale("log")
        panel.set_title(label, loc="left", fontsize=9)
        panel.set_xlabel(r"$\eta$")
        panel.grid(True, axis="both")
        bound = 0.0
        if metric in ASKED:
            column, side = ASKED[metric]
            bound = table[column].iloc[0]
            panel.axhline(bound, color="black", linestyle="--", linewidth=1)
            panel.annotate(
                f"{side} {bound:g}", (0.02, bound), xycoords=("axes fraction", "data"),
                xytext=(0, 3), textcoords="offset points", fontsize=8,
            )  # fmt: skip
        if metric == "largest_free_weight":
            panel.set_yscale("log")
        elif metric == "came_out":
            panel.set_ylim(0, 1.05)
            panel.yaxis.set_major_formatter(PercentFormatter(1))
        else:
            top = np.nanmax([table[f"{metric}_high"].max(), bound])
            panel.set_ylim(0, 1.1 * top)
    first = table.iloc[0]
    figure.supxlabel(
        f"{first['dataset']} data, published algorithm; mean and 95% interval over "
        f"{repetitions_of(table)} repetitions",
        fontsize=8,
    )
    return figure
