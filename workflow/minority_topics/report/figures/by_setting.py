"""One metric at larger settings, a mark for each: what the figures of NMI and of purity share."""

import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

from .rows import beside, end_of, height_of, name_rows, places_of, spread, used_fewer
from .style import COLUMN, FAINT, INK, MARKERS
from .summaries import columns_of, main_rows
from .words import dataset_words, leaders, note, rows_in, settings_of, spread_words

ROW = 0.21  # inches
BETWEEN = 0.5  # of a row, from the first mark to the last


def table_of(summary, metric):
    """The settings after the first, which has a figure of its own; the first if it is alone."""
    rows = main_rows(summary)
    settings = settings_of(rows)
    chosen = settings[1:] or settings
    pairs = list(zip(rows["n_topics"], rows["n_minority"], strict=True))
    return columns_of(rows[[pair in chosen for pair in pairs]], [metric], "clusters")


def plot_metric(table, looks, metric, label):
    settings = settings_of(table)
    places = places_of(table, looks)
    figure, axes = plt.subplots(figsize=(COLUMN, height_of(places, 1.2, ROW)), layout="constrained")
    name_rows(axes, places, looks)
    axes.set_xlim(0, end_of(table, metric, looks))
    for y in places.values():
        axes.axhline(y, color=FAINT, linewidth=0.6, zorder=0)
    for number, setting in enumerate(settings):
        offset = BETWEEN * (number / max(1, len(settings) - 1) - 0.5) if len(settings) > 1 else 0
        for _, row in rows_in(table, setting).iterrows():
            _mark(axes, row, metric, looks[row["method"]], places[row["method"]] + offset, number)
    for method, y in places.items():
        beside(axes, y, _words_beside(table[table["method"] == method], metric, axes.get_xlim()[1]))
    axes.set_xlabel(label)
    handles = [
        Line2D([], [], linestyle="", marker=MARKERS[number % len(MARKERS)], color=INK,
               markerfacecolor="white", label=f"{topics}/{minority} topics")
        for number, (topics, minority) in enumerate(settings)
    ]  # fmt: skip
    figure.legend(handles=handles, loc="outside upper left", ncols=4, handletextpad=0.1,
                  columnspacing=1)  # fmt: skip
    note(figure, _note(table, metric))
    return figure


def _mark(axes, row, metric, look, y, number):
    """The mean of a method in a setting; at the edge, as an arrow, where it lies beyond it."""
    end = axes.get_xlim()[1]
    beyond = row[metric] > end
    if not beyond:
        spread(axes, row, metric, y)
    axes.plot(
        min(row[metric], end), y, ">" if beyond else MARKERS[number % len(MARKERS)],
        color=look.colour, markeredgecolor=INK, markeredgewidth=0.5, markersize=4, zorder=4,
        clip_on=False, gid=f"{'beyond' if beyond else 'mark'}-{row['method']}-{row['n_topics']}",
    )  # fmt: skip


def _words_beside(rows, metric, end):
    """What the marks of a row cannot tell: no fit, a mean beyond the axis, topics not used."""
    words = []
    if not rows["repetitions"].any():
        words.append("failed")
    beyond = rows.loc[rows[metric] > end, metric]
    if len(beyond):
        words.append(_range(beyond, ".2f"))
    fewer = rows[[used_fewer(row) for _, row in rows.iterrows()]]
    if len(fewer):
        words.append(f"{_range(fewer['clusters'], '.0f')} used")
    return ", ".join(words)


def _range(values, style):
    ends = dict.fromkeys([format(values.min(), style), format(values.max(), style)])
    return "–".join(ends)


def _note(table, metric):
    words = f"{dataset_words(table)}; settings are topics/minority topics; "
    words += f"{spread_words(table, metric)}."
    if any(used_fewer(row) for _, row in table.iterrows()):
        words += " Used: topics that hold documents, where fewer than asked for."
    return words


def describe_metric(table, looks, metric, label):
    best = (
        f"{setting[0]}/{setting[1]}: {leaders(rows_in(table, setting), metric, looks, count=2)}"
        for setting in settings_of(table)
    )
    return (
        f"{label} of {table['method'].nunique()} methods on {dataset_words(table)}, by "
        f"topics/minority topics. Highest at {'; at '.join(best)}."
    )
