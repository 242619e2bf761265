"""Figure 2 of the paper: JSD of each ground-truth topic to its closest learned topic."""

import matplotlib.pyplot as plt
import numpy as np

from . import subtitle, summarise

CURVES = {
    "jsd_max": ("max", "#CC79A7", "v"),
    "jsd_mean": ("mean", "#D55E00", "o"),
    "jsd_min": ("min", "#0072B2", "^"),
    "jsd_sd": ("sd", "#009E73", "s"),
}


def table(scores):
    return summarise(scores, CURVES)


def plot(table, looks):
    columns = np.arange(len(table))
    figure, axes = plt.subplots(
        figsize=(max(6.0, 0.55 * len(table) + 2), 4.0), layout="constrained"
    )
    for curve, (label, colour, marker) in CURVES.items():
        axes.errorbar(columns, table[f"{curve}_mean"], yerr=table[f"{curve}_sd"], label=label,
                      color=colour, marker=marker, markersize=5, linewidth=1.2, capsize=2)
    axes.set_xticks(columns, [looks[method].label for method in table["method"]], rotation=35,
                    ha="right", rotation_mode="anchor")
    for tick, method in zip(axes.get_xticklabels(), table["method"], strict=True):
        if looks[method].ours:
            tick.set(fontweight="bold", color=looks[method].colour)
    axes.set_ylim(0, 1.02)
    axes.set_ylabel("JSD to the closest learned topic (base 2)")
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_title("Topic quality: JSD over ground-truth topics, lower is better", loc="left")
    axes.legend(ncols=4, frameon=False, loc="lower left", bbox_to_anchor=(0, 0.0))
    figure.supxlabel(subtitle(table), fontsize=8)
    return figure
