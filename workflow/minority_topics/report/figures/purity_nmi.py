"""Figure 1 of the paper: purity and NMI of every model, as bars with their numbers."""

import matplotlib.pyplot as plt

from ...scores.evidence import PAPER_SETTING
from .rows import (
    bars,
    best_of,
    end_of,
    height_of,
    name_rows,
    places_of,
    write_numbers,
    write_used,
)
from .style import COLUMN, INK
from .summaries import columns_of, first_setting, main_rows
from .words import data_words, leaders, note, rivals, spread_words

METRICS = {"purity": "Purity", "nmi": "NMI"}


def table(summary, published=None):
    """The first setting; what the paper reports stands beside it if the setting is the paper's."""
    shown = columns_of(first_setting(main_rows(summary)), METRICS, "clusters")
    if published is not None and shown[["n_topics", "n_minority"]].iloc[0].tolist() == list(
        PAPER_SETTING
    ):
        reported = published.set_index("method")
        for metric in METRICS:
            shown[f"{metric}_published"] = shown["method"].map(reported[metric])
    return shown


def plot(table, looks):
    places = places_of(table, looks)
    figure, panels = plt.subplots(
        1, len(METRICS), figsize=(COLUMN, height_of(places, 1.05)), layout="constrained",
        sharey=True,
    )  # fmt: skip
    name_rows(panels[0], places, looks)
    for panel, (metric, label) in zip(panels, METRICS.items(), strict=True):
        bars(panel, table, metric, looks, places, end_of(table, metric, looks))
        panel.set_title(label)
        panel.tick_params(axis="y", length=0)
        panel.locator_params(axis="x", nbins=3)
        write_numbers(panel, table, metric, places, best_of(table, metric, looks))
        _mark_published(panel, table, metric, places)
    used = write_used(panels[0], rivals(table, looks), places)
    note(figure, f"{data_words(table)}; {spread_words(table, 'purity')}.{used}")
    if "purity_published" in table:
        figure.legend(
            *panels[0].get_legend_handles_labels(), loc="outside upper left", handletextpad=0.2
        )
    return figure


def _mark_published(panel, table, metric, places):
    """What the paper reports, an open diamond in the row of its model."""
    if f"{metric}_published" not in table:
        return
    reported = table.dropna(subset=f"{metric}_published")
    panel.plot(
        reported[f"{metric}_published"], reported["method"].map(places), "D", color=INK,
        markerfacecolor="white", markersize=3.5, markeredgewidth=0.8, zorder=4,
        label="as the paper reports", gid=f"published-{metric}",
    )  # fmt: skip


def describe(table, looks):
    best = (f"{label}: {leaders(table, metric, looks)}" for metric, label in METRICS.items())
    return (
        f"Bars of purity and NMI of {len(table)} methods on {data_words(table)}. Highest "
        f"{'. Highest '.join(best)}."
    )
