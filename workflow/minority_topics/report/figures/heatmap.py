"""Heat maps over W_max and theta_min: what the figures of the constraints share."""

import matplotlib.pyplot as plt
import numpy as np

from ...scores.statistics import summarise
from .style import COLUMN, OURS, SMALLEST
from .words import data_words, note, repetitions_of

PAPER = {"w_max": 1e-9, "theta_min": 0.4}
COLOURS = "cividis"
UNBOUNDED = 1e6  # a document has less weight than this: such a bound bounds nothing
CELL = 0.31  # inches


def table_of(scores, metrics):
    return summarise(scores, metrics, by=list(PAPER))


def plot_grids(table, grids, words=""):
    """A panel per metric of `grids`: name, label, format of its numbers, end of its colours."""
    n_rows = table["w_max"].nunique()
    figure, panels = plt.subplots(
        len(grids), 1, figsize=(COLUMN, len(grids) * (CELL * n_rows + 0.5) + 0.45),
        layout="constrained", squeeze=False,
    )  # fmt: skip
    for panel, (metric, label, style, end) in zip(panels.flat, grids, strict=True):
        means, sds = (_grid(table, column) for column in (metric, f"{metric}_sd"))
        # NaN where no fit came out: white, with its word.
        image = panel.imshow(means, cmap=COLOURS, aspect="auto", origin="lower", vmin=0, vmax=end)
        panel.set_xticks(range(means.shape[1]), [f"{value:g}" for value in means.columns])
        panel.set_yticks(range(means.shape[0]), [bound_words(value) for value in means.index])
        panel.set(xlabel="theta_min", ylabel="W_max")
        panel.set_title(label)
        panel.grid(False)
        panel.tick_params(length=0)
        for (row, column), value in np.ndenumerate(means.to_numpy()):
            text = _cell(value, sds.iloc[row, column], style)
            colour = text_colour(image.cmap(image.norm(value))) if value == value else "black"
            panel.text(
                column, row, text, ha="center", va="center", color=colour, fontsize=SMALLEST,
                linespacing=1.0,
            )  # fmt: skip
        _outline(panel, means)
        bar = figure.colorbar(image, ax=panel, aspect=25, pad=0.01)
        bar.outline.set_visible(False)
    note(
        figure,
        f"{data_words(table)}; mean ± sd of {repetitions_of(table)} repetitions; outlined: the "
        f"paper's choice.{words}",
    )
    return figure


def _grid(table, column):
    grid = table.pivot(index="w_max", columns="theta_min", values=column)
    return grid.sort_index().sort_index(axis=1)


def _cell(mean, sd, style):
    """A mean with its sd below, without the 0 before the point of an sd below 1."""
    if mean != mean:
        return "failed"
    text = format(mean, style)
    return text if sd != sd else f"{text}\n±{format(sd, style).removeprefix('0')}"


def bound_words(value):
    """A bound for reading; "none" for one that bounds nothing."""
    return "none" if value >= UNBOUNDED else f"{value:g}"


def text_colour(background):
    """Black or white, whichever stands out more from a colour (red, green, blue from 0 to 1)."""
    channels = np.array(background[:3])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    # Contrast is (lighter + 0.05) / (darker + 0.05): equal for both at this luminance.
    return "black" if luminance > np.sqrt(1.05 * 0.05) - 0.05 else "white"


def _outline(panel, grid):
    if PAPER["w_max"] in grid.index and PAPER["theta_min"] in grid.columns:
        row, column = grid.index.get_loc(PAPER["w_max"]), grid.columns.get_loc(PAPER["theta_min"])
        panel.add_patch(
            plt.Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor=OURS, linewidth=2)
        )


def describe_grids(table, grids):
    """The range of each metric over the grid, and its value at the paper's choice."""
    parts = []
    for metric, label, style, _ in grids:
        values = table[metric].dropna()
        if len(values):
            parts.append(f"{label} from {values.min():{style}} to {values.max():{style}}")
            at = table[(table[list(PAPER)] == list(PAPER.values())).all(axis=1)][metric].dropna()
            parts[-1] += f" ({at.iloc[0]:{style}} at the paper's choice)" if len(at) else ""
    return (
        f"Heat maps over {table['w_max'].nunique()} values of W_max and "
        f"{table['theta_min'].nunique()} of theta_min on {data_words(table)}: "
        f"{'; '.join(parts) or 'no fit came out'}."
    )
