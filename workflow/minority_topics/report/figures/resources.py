"""Time and memory of a fit of every model."""

import matplotlib.pyplot as plt
import pandas as pd

from .labels import plain_decades
from .rows import height_of, name_rows, places_of
from .style import COLUMN, FAINT, INK
from .words import listed, rows_in, settings_of

PANELS = {"seconds": "Seconds per fit", "memory_mb": "Memory, MB"}
# From small to large settings: shapes and, from light to dark, one hue.
MARKS = (("o", "#FFFFFF"), ("s", "#9ECAE1"), ("^", "#3182BD"), ("D", "#08306B"))


def table(fits):
    """Median seconds and largest memory of the fits that came out, per method and setting."""
    rows = []
    good = fits[fits["status"] == "ok"]
    for key, group in good.groupby(["n_topics", "n_minority", "method"], sort=False):
        later = group[group["repetition"] > group["repetition"].min()]
        chosen = later if len(later) else group
        row = dict(zip(["n_topics", "n_minority", "method"], key, strict=True))
        row["fits"] = len(group)
        row["seconds"] = chosen["seconds"].median()
        row["memory_mb"] = group["peak_memory_mb"].max()
        rows.append(row)
    return pd.DataFrame(rows, columns=["n_topics", "n_minority", "method", "fits", *PANELS])


def _models(table, looks):
    return table[[not looks[method].control for method in table["method"]]]


def plot(table, looks):
    table = _models(table, looks)
    settings = settings_of(table)
    places = places_of(table, looks)
    figure, panels = plt.subplots(
        1, 2, figsize=(COLUMN, height_of(places, 0.8)), layout="constrained", sharey=True
    )
    name_rows(panels[0], places, looks)
    for panel, (column, title) in zip(panels, PANELS.items(), strict=True):
        for y in places.values():
            panel.axhline(y, color=FAINT, linewidth=0.6, zorder=0)
        for number, setting in enumerate(settings):
            part = rows_in(table, setting)
            marker, colour = MARKS[number % len(MARKS)]
            panel.plot(
                part[column], part["method"].map(places), marker, color=colour, markersize=4,
                markeredgecolor=INK, markeredgewidth=0.5, label=f"{setting[0]}/{setting[1]}",
            )  # fmt: skip
        panel.set_title(title)
        panel.set_xscale("log")
        plain_decades(panel.xaxis)
        panel.tick_params(axis="y", length=0)
    handles, labels = panels[0].get_legend_handles_labels()
    if handles:
        figure.legend(
            handles, labels, loc="outside lower left", ncols=4, title="Topics/minority topics",
            title_fontsize=7, alignment="left", handletextpad=0.1, columnspacing=1,
        )  # fmt: skip
    return figure


def describe(table, looks):
    models = _models(table, looks)
    if models.empty:
        return "Time and memory of fits: no fit came out."
    first = rows_in(models, settings_of(models)[0]).sort_values("seconds", kind="stable")
    named = [
        f"{looks[row['method']].name} ({row['seconds']:.3g} s, {row['memory_mb']:.0f} MB)"
        for _, row in first.iloc[[0, -1]].iterrows()
    ]
    return (
        f"Median seconds and largest memory of a fit of {models['method'].nunique()} models. In "
        f"the first setting the fastest and the slowest are {listed(named)}."
    )
