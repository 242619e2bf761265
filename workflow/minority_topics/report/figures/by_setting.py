"""Bars of one metric, a panel per setting: what the figures of NMI and of purity share."""

import matplotlib.pyplot as plt

from ...scores.statistics import summarise
from . import bars, name_models, repetitions_of, rows_in, settings_of


def table_of(scores, metric):
    """The settings after the first, which has a figure of its own; the first if it is alone."""
    settings = settings_of(scores)
    chosen = settings[1:] or settings
    pairs = list(zip(scores["n_topics"], scores["n_minority"], strict=True))
    return summarise(scores[[pair in chosen for pair in pairs]], [metric])


def plot_metric(table, looks, metric, label):
    settings = settings_of(table)
    first = rows_in(table, settings[0])
    figure, panels = plt.subplots(
        1,
        len(settings),
        figsize=(2.2 + 2.6 * len(settings), 0.27 * len(first) + 1.2),
        layout="constrained",
        sharey=True,
        squeeze=False,
    )
    name_models(panels[0, 0], first, looks)
    longest = 0
    for panel, setting in zip(panels[0], settings, strict=True):
        bars(panel, rows_in(table, setting), metric, looks)
        panel.set_title(f"{label}, {setting[0]}/{setting[1]} topics", loc="left")
        longest = max(longest, panel.get_xlim()[1])
    for panel in panels[0]:
        panel.set_xlim(0, longest)
    figure.supxlabel(
        f"{table['dataset'].iloc[0]} data; mean and 95% interval over {repetitions_of(table)} "
        "repetitions",
        fontsize=8,
    )
    return figure
