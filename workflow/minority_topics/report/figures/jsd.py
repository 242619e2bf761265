"""Figure 2 of the paper: JSD of each ground-truth topic to its closest learned topic."""

import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

from .rows import best_of, height_of, name_rows, places_of, spread, write_numbers
from .style import COLUMN, FAINT, GREY, INK
from .summaries import columns_of, first_setting, main_rows
from .words import data_words, leaders, note, spread_words

# Label, marker, and whether it is filled.
MARKS = {
    "jsd_mean": ("mean", "o", True),
    "jsd_min": ("least", "<", False),
    "jsd_max": ("greatest", ">", False),
    "jsd_sd": ("sd", "s", False),
}


def table(summary):
    return columns_of(first_setting(main_rows(summary)), MARKS)


def plot(table, looks):
    places = places_of(table, looks)
    figure, axes = plt.subplots(figsize=(COLUMN, height_of(places, 1.25)), layout="constrained")
    name_rows(axes, places, looks)
    for _, row in table[table["jsd_mean"].notna()].iterrows():
        look, y = looks[row["method"]], places[row["method"]]
        axes.plot([row["jsd_min"], row["jsd_max"]], [y, y], color=FAINT, linewidth=3, zorder=1)
        for metric, (_, marker, filled) in MARKS.items():
            spread(axes, row, metric, y, GREY)
            axes.plot(
                row[metric], y, marker, color=look.colour, markeredgecolor=INK,
                markeredgewidth=0.5, markerfacecolor=look.colour if filled else "white",
                markersize=4.5 if filled else 3.5, zorder=4, clip_on=False,
                gid=f"{metric}-{row['method']}",
            )  # fmt: skip
    write_numbers(axes, table, "jsd_mean", places, best_of(table, "jsd_mean", looks, lowest=True))
    axes.set_xlim(0, 1)
    axes.set_xlabel("JSD to the closest learned topic, over the true topics")
    handles = [
        Line2D([], [], linestyle="", marker=marker, color=INK, label=label,
               markerfacecolor=INK if filled else "white")
        for label, marker, filled in MARKS.values()
    ]  # fmt: skip
    figure.legend(handles=handles, loc="outside upper left", ncols=len(MARKS), handletextpad=0.1,
                  columnspacing=1.2)  # fmt: skip
    note(
        figure,
        f"{data_words(table)}; {spread_words(table, 'jsd_mean')}. Lower is better; numbers are "
        "the mean.",
    )
    return figure


def describe(table, looks):
    return (
        f"Jensen-Shannon divergence from each true topic to its closest learned topic, of "
        f"{len(table)} methods on {data_words(table)}. Lowest mean: "
        f"{leaders(table, 'jsd_mean', looks, lowest=True)}."
    )
