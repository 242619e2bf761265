"""The paper's scatter plot of purity against NMI, a panel per setting."""

import math

import matplotlib.pyplot as plt

from ...scores.statistics import summarise
from . import controls, repetitions_of, rows_in, settings_of

METRICS = ["purity", "nmi"]


def table(scores):
    return summarise(scores, METRICS)


def plot(table, looks):
    table = table[~controls(table, looks)]
    settings = settings_of(table)
    n_columns = min(2, len(settings))
    n_rows = math.ceil(len(settings) / n_columns)
    figure, panels = plt.subplots(
        n_rows,
        n_columns,
        figsize=(3.6 * n_columns + 1.8, 3.2 * n_rows),
        layout="constrained",
        squeeze=False,
    )
    for panel in panels.flat[len(settings) :]:
        panel.remove()
    handles = {}
    for panel, setting in zip(panels.flat, settings, strict=False):
        for _, row in rows_in(table, setting).iterrows():
            look = looks[row["method"]]
            (handles[row["method"]],) = panel.plot(
                row["nmi"],
                row["purity"],
                look.marker,
                color=look.colour,
                markersize=10 if look.ours else 8,
                markeredgecolor="black" if look.ours else look.colour,
                label=look.name,
                zorder=3 if look.ours else 2,
            )
        panel.set(xlabel="NMI", ylabel="Purity", ylim=(0, None))
        panel.set_title(f"{setting[0]} topics, {setting[1]} minority", loc="left")
        panel.grid(True, axis="both")
        panel.margins(0.08)
    figure.legend(
        handles=list(handles.values()), loc="outside right center", frameon=False, fontsize=8
    )
    figure.supxlabel(
        f"{table['dataset'].iloc[0]} data; means over {repetitions_of(table)} repetitions",
        fontsize=8,
    )
    return figure
