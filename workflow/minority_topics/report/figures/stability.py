"""How much a model's clusters and scores depend on its random state alone."""

import matplotlib.pyplot as plt
import numpy as np

from ...scores.statistics import summarise
from ..numbers import number
from .rows import bars, beside, height_of, name_rows, places_of
from .style import COLUMN, GUIDED, INK, OUR_SHADES
from .words import data_words, leaders, note, repetitions_of, rows_in, settings_of

METRICS = ["stability", "purity", "nmi"]
SPREAD = {"purity": ("purity", "o", GUIDED, -0.18), "nmi": ("NMI", "s", OUR_SHADES[1], 0.18)}


def table(scores):
    """No interval of the agreement: two fits share their pair, so fits are not independent."""
    rows = summarise(rows_in(scores, settings_of(scores)[0]), METRICS)
    return rows.assign(stability_low=np.nan, stability_high=np.nan)


def plot(table, looks):
    table = table[[looks[method].rival for method in table["method"]]]
    places = places_of(table, looks)
    figure, (agreement, scatter) = plt.subplots(
        1, 2, figsize=(COLUMN, height_of(places, 1.25)), layout="constrained", sharey=True
    )
    name_rows(agreement, places, looks)
    bars(agreement, table, "stability", looks, places, 1.0)
    agreement.set_title("Agreement")
    agreement.set_xlabel("AMI of two fits")
    for _, row in table.iterrows():
        beside(agreement, places[row["method"]], number(row["stability"], 2))
    for metric, (label, marker, colour, offset) in SPREAD.items():
        scatter.plot(
            table[f"{metric}_sd"], table["method"].map(places) + offset, marker, label=label,
            color=colour, markeredgecolor=INK, markeredgewidth=0.4, markersize=3.5,
        )  # fmt: skip
    scatter.set_xlim(0, None)
    scatter.set_title("Spread")
    scatter.set_xlabel("sd of purity and NMI")
    for panel in (agreement, scatter):
        panel.tick_params(axis="y", length=0)
        panel.locator_params(axis="x", nbins=2)
    figure.legend(
        *scatter.get_legend_handles_labels(), loc="outside upper right", ncols=2,
        handletextpad=0.1, columnspacing=1,
    )  # fmt: skip
    note(
        figure,
        f"{data_words(table)}; {repetitions_of(table)} random states on one corpus. Lines are the "
        "range over fits of how well each agrees with the others.",
    )
    return figure


def describe(table, looks):
    return (
        f"Agreement of the clusterings of two random states (AMI) on {data_words(table)}, and "
        f"standard deviations of purity and NMI. Highest agreement: "
        f"{leaders(table, 'stability', looks)}."
    )
