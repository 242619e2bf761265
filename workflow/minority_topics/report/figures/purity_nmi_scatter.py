"""The paper's scatter plot of purity against NMI, a panel per setting."""

import matplotlib.pyplot as plt

from .labels import label_points
from .rows import spread, spread_ends
from .style import GREY, INK, PAGE
from .summaries import columns_of, main_rows
from .words import dataset_words, leaders, note, rivals, rows_in, settings_of, spread_words

METRICS = ["purity", "nmi"]
PANEL = 3.3  # inches; its labels need the width of a page


def table(summary):
    return columns_of(main_rows(summary), METRICS)


def plot(table, looks):
    settings = settings_of(table)
    figure, panels = plt.subplots(
        len(settings), 1, figsize=(PAGE, PANEL * len(settings) + 0.4), layout="constrained",
        squeeze=False,
    )  # fmt: skip
    for panel, setting in zip(panels.flat, settings, strict=True):
        rows = _drawn(rows_in(table, setting), looks)
        for _, row in rows.iterrows():
            _draw_point(panel, row, looks[row["method"]])
        panel.set(xlabel="NMI", ylabel="Purity")
        panel.set_title(f"{setting[0]} topics, {setting[1]} minority")
        panel.grid(True, axis="both")
        panel.margins(0.12)
        panel.set_ylim(0, None)
    note(
        figure,
        f"{dataset_words(table)}; {spread_words(rivals(table, looks), 'purity')}. Up and "
        "to the right is better; grey: controls by seed words.",
    )
    figure.draw_without_rendering()
    for panel, setting in zip(panels.flat, settings, strict=True):
        rows = _drawn(rows_in(table, setting), looks)
        names = [looks[method].name for method in rows["method"]]
        first = next((i for i, method in enumerate(rows["method"]) if looks[method].ours), None)
        label_points(panel, rows[["nmi", "purity"]].to_numpy(), names, [first], _spreads(rows))
    return figure


def _drawn(rows, looks):
    return rivals(rows, looks).dropna(subset=METRICS)


def _spreads(rows):
    """The ends of all intervals, or ranges, across and up."""
    lines = []
    for _, row in rows.iterrows():
        (left, right), (low, high) = (spread_ends(row, metric) for metric in ("nmi", "purity"))
        lines.append(((left, row["purity"]), (right, row["purity"])))
        lines.append(((row["nmi"], low), (row["nmi"], high)))
    return lines


def _draw_point(panel, row, look):
    spread(panel, row, "nmi", row["purity"], GREY)
    spread(panel, row, "purity", row["nmi"], GREY, vertical=True)
    panel.plot(
        row["nmi"], row["purity"], "o", color=look.colour, markersize=5.5 if look.ours else 4.5,
        markeredgecolor=INK, markeredgewidth=0.5, zorder=4, gid=f"point-{row['method']}",
    )  # fmt: skip


def describe(table, looks):
    best = []
    for setting in settings_of(table):
        rows = rows_in(table, setting)
        purity, nmi = (leaders(rows, metric, looks, count=1) for metric in METRICS)
        best.append(f"at {setting[0]}/{setting[1]} topics highest purity {purity}, NMI {nmi}")
    return (
        f"Purity against NMI of {rivals(table, looks)['method'].nunique()} methods on "
        f"{dataset_words(table)}: {'; '.join(best)}."
    )
