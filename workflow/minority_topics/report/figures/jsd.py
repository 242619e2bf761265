"""Figure 2 of the paper: JSD of each ground-truth topic to its closest learned topic."""

import matplotlib.pyplot as plt

from ...scores.statistics import summarise
from . import controls, error_bars, name_models, rows_in, settings_of, subtitle

CURVES = {
    "jsd_mean": ("mean", "#D55E00", "o"),
    "jsd_sd": ("sd", "#009E73", "s"),
    "jsd_min": ("min", "#0072B2", "<"),
    "jsd_max": ("max", "#CC79A7", ">"),
}


def table(scores):
    return summarise(rows_in(scores, settings_of(scores)[0]), CURVES)


def plot(table, looks):
    figure, axes = plt.subplots(figsize=(7.5, 0.3 * len(table) + 1.6), layout="constrained")
    is_control = controls(table, looks)
    for curve, (label, colour, marker) in CURVES.items():
        # Controls are no models: the curve does not run on into them.
        for part, line in ((table[~is_control], "-"), (table[is_control], "")):
            axes.errorbar(
                part[curve],
                part.index,
                xerr=error_bars(part, curve),
                label=label if line else None,
                color=colour,
                marker=marker,
                markersize=5,
                linestyle=line,
                linewidth=1.2,
                elinewidth=1,
                capsize=2,
            )
    name_models(axes, table, looks)
    axes.set_xlim(0, 1)
    axes.set_xlabel("JSD over ground-truth topics, each to its closest learned topic")
    figure.legend(loc="outside upper right", ncols=len(CURVES), frameon=False)
    figure.supxlabel(subtitle(table), fontsize=8)
    return figure
