"""A row for each method, down the y axis: names, bars, intervals and numbers.

A row is found by its method, never by its number: a method that is missing moves no other.
"""

import numpy as np

from ..numbers import number
from .style import GREY, INK, OURS, SMALLEST

ROW = 0.165  # inches
GAP = 0.5  # rows between ours, other models and controls
# How much of an axis the longest bar with its interval takes.
FILLED = 0.94


def places_of(table, looks):
    """The y of every method of a table, in order of appearance, groups apart."""
    places: dict[str, float] = {}
    group = None
    row = 0.0
    for method in dict.fromkeys(table["method"]):
        row += GAP if group not in (None, looks[method].group) else 0
        places[method] = row
        group = looks[method].group
        row += 1
    return places


def height_of(places, extra, row=ROW):
    """Height in inches of a figure with these rows, and `extra` for all else."""
    return row * (max(places.values(), default=0) + 1) + extra


def name_rows(axes, places, looks, name=lambda look: look.label):
    """Methods down the y axis, the first on top, ours marked."""
    axes.set_yticks(list(places.values()), [name(looks[method]) for method in places])
    axes.set_ylim(max(places.values(), default=0) + 0.6, -0.6)
    axes.tick_params(axis="y", length=0)
    for tick, method in zip(axes.get_yticklabels(), places, strict=True):
        if looks[method].ours:
            tick.set(fontweight="bold", color=OURS)


def end_of(table, metric, looks):
    """Where an axis from 0 ends that holds all but controls that are no rivals."""
    rows = table[[looks[method].rival for method in table["method"]]]
    columns = [metric, f"{metric}_high", f"{metric}_max", f"{metric}_published"]
    columns = [column for column in columns if column in rows]
    longest = rows[columns].max().max() if len(rows) else np.nan
    return longest / FILLED if longest > 0 else 1.0


def bars(axes, table, metric, looks, places, end):
    """A bar per method with its interval. One that leaves the axis has a break in it."""
    axes.set_xlim(0, end)
    for _, row in table[table[metric].notna()].iterrows():
        look, y = looks[row["method"]], places[row["method"]]
        bar = axes.barh(y, row[metric], height=0.76, color=look.colour)
        bar[0].set_gid(f"bar-{metric}-{row['method']}")
        if row[metric] > end:
            break_bar(axes, y, end, f"break-{metric}-{row['method']}")
        else:
            spread(axes, row, metric, y)


def break_bar(axes, y, end, gid):
    """Two white strokes across a bar that goes on beyond the axis."""
    for stroke, x in enumerate((0.86, 0.91)):
        axes.plot(
            [(x - 0.015) * end, (x + 0.015) * end], [y + 0.5, y - 0.5], color="white",
            linewidth=1.5, solid_capstyle="butt", gid=f"{gid}-{stroke}",
        )  # fmt: skip


def spread(axes, row, metric, at, colour=INK, vertical=False):
    """The interval of a mean, with caps; without one the range of its fits, without caps."""
    ends = spread_ends(row, metric)
    if not ends[1] > ends[0]:
        return
    known = row[f"{metric}_low"] == row[f"{metric}_low"]
    cap = "_" if vertical else "|"
    axes.plot(
        *(([at, at], ends) if vertical else (ends, [at, at])), color=colour, linewidth=0.8,
        marker=cap if known else "", markersize=3.5, markeredgewidth=0.8, zorder=3,
    )  # fmt: skip


def spread_ends(row, metric):
    """The ends of an interval; of the range where there is none."""
    known = row[f"{metric}_low"] == row[f"{metric}_low"]
    return [row[f"{metric}{end}"] for end in (("_low", "_high") if known else ("_min", "_max"))]


def best_of(table, metric, looks, lowest=False):
    """The best mean of all rivals, NaN where there is none."""
    means = table.loc[[looks[method].rival for method in table["method"]], metric]
    return means.min() if lowest else means.max()


def write_numbers(axes, table, metric, places, best=np.nan):
    """The mean of every method in a column right of the axes, the best in bold."""
    for _, row in table.iterrows():
        text = number(row[metric]) if row["repetitions"] else "failed"
        beside(axes, places[row["method"]], text, bold=row[metric] == best)


def beside(axes, y, text, bold=False):
    """Text right of the axes, in the row at y."""
    axes.annotate(
        text, (1, y), xycoords=("axes fraction", "data"), xytext=(3, 0),
        textcoords="offset points", va="center", fontsize=SMALLEST, color=INK,
        fontweight="bold" if bold else "normal", annotation_clip=False,
    )  # fmt: skip


def used_fewer(row):
    """Whether a method used fewer topics than it was asked for, on average; unknown is no."""
    return row["clusters"] < row["n_topics"] - 0.5


def write_used(axes, table, places):
    """At the end of a bar's row, the topics used where a method found fewer than asked for.

    Says what they are, for the note below the figure.
    """
    for _, row in table.iterrows():
        if used_fewer(row):
            axes.text(
                0.99, places[row["method"]], f"{row['clusters']:.0f} of {row['n_topics']}",
                transform=axes.get_yaxis_transform(), ha="right", va="center", color=GREY,
                fontsize=SMALLEST, zorder=2, gid=f"used-{row['method']}",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
            )  # fmt: skip
    any_fewer = any(used_fewer(row) for _, row in table.iterrows())
    return " In grey: topics used, where fewer than asked for." if any_fewer else ""
