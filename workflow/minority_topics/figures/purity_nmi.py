"""Figure 1 of the paper: purity and NMI of every model, as a table and as bars."""

import matplotlib.pyplot as plt
import numpy as np

from . import subtitle, summarise

METRICS = {"purity": "Purity", "nmi": "NMI"}


def table(scores):
    return summarise(scores, METRICS)


def plot(table, looks):
    rows = np.arange(len(table))
    figure, (text, *panels) = plt.subplots(
        1,
        3,
        figsize=(9.5, 0.32 * len(table) + 1.3),
        width_ratios=[1.75, 1, 1],
        layout="constrained",
        sharey=True,
    )
    figure.suptitle("Purity and NMI", fontweight="bold", fontsize=11, x=0.01, ha="left")
    _write_table(text, table, looks)
    for panel, (metric, label) in zip(panels, METRICS.items(), strict=True):
        mean, sd = table[f"{metric}_mean"], table[f"{metric}_sd"]
        colours = [looks[method].colour for method in table["method"]]
        panel.barh(rows, mean.fillna(0), xerr=sd.fillna(0), height=0.7, color=colours,
                   error_kw={"elinewidth": 1, "capsize": 2})
        panel.set_title(label)
        panel.set_xlim(0, 1.05 * max((mean + sd).max(), 0.1))
        panel.tick_params(axis="y", length=0)
        panel.grid(axis="x", color="#dddddd", linewidth=0.6)
        panel.set_axisbelow(True)
    text.set_ylim(len(table) - 0.4, -1.0)
    figure.supxlabel(subtitle(table), fontsize=8)
    return figure


def _write_table(axes, table, looks):
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    best = {metric: _best(table, metric, looks) for metric in METRICS}
    columns = {"purity": 0.72, "nmi": 1.0}
    axes.text(0, -0.75, "Model", fontweight="bold", va="center")
    for metric, x in columns.items():
        axes.text(x, -0.75, METRICS[metric], fontweight="bold", ha="right", va="center")
    for row, line in table.iterrows():
        shown = looks[line["method"]]
        axes.text(0, row, shown.label, va="center", fontweight="bold" if shown.ours else "normal",
                  color=shown.colour if shown.ours else "black")
        for metric, x in columns.items():
            value = f"{line[f'{metric}_mean']:.3f} ± {line[f'{metric}_sd']:.3f}"
            weight = "bold" if row == best[metric] else "normal"
            axes.text(x, row, value if line["repetitions"] else "failed", va="center", ha="right",
                      fontweight=weight)


def _best(table, metric, looks):
    """Row of the best model, controls aside."""
    controls = [looks[method].colour == "#999999" for method in table["method"]]
    return table[f"{metric}_mean"].mask(controls).idxmax()
