"""Heat maps over W_max and theta_min: what the figures of the constraints share."""

import matplotlib.pyplot as plt
import numpy as np

from ...scores.statistics import summarise
from . import repetitions_of

PAPER = {"w_max": 1e-9, "theta_min": 0.4}


def table_of(scores, metrics):
    return summarise(scores, metrics, by=list(PAPER))


def plot_grids(table, grids):
    """A panel per metric of `grids`: name, label, and format of the numbers in its cells."""
    figure, panels = plt.subplots(
        1, len(grids), figsize=(4.4 * len(grids), 3.4), layout="constrained"
    )
    for panel, (metric, label, style) in zip(panels, grids, strict=True):
        grid = table.pivot(index="w_max", columns="theta_min", values=metric)
        grid = grid.sort_index().sort_index(axis=1)
        scale = {"vmin": 0, "vmax": 1} if metric == "feasible" else {}
        image = panel.imshow(grid, cmap="cividis", aspect="auto", origin="lower", **scale)
        panel.set_xticks(range(grid.shape[1]), [f"{value:g}" for value in grid.columns])
        panel.set_yticks(range(grid.shape[0]), [f"{value:g}" for value in grid.index])
        panel.set(xlabel=r"$\theta_{\min}$", ylabel=r"$W_{\max}$")
        panel.set_title(label, loc="left")
        panel.grid(False)
        panel.tick_params(length=0)
        middle = sum(image.get_clim()) / 2
        for (row, column), value in np.ndenumerate(grid.to_numpy()):
            colour = "white" if value <= middle else "black"
            text = format(value, style) if np.isfinite(value) else "failed"
            panel.text(column, row, text, ha="center", va="center", color=colour, fontsize=8)
        _outline(panel, grid)
        figure.colorbar(image, ax=panel, shrink=0.85)
    first = table.iloc[0]
    figure.supxlabel(
        f"{first['dataset']} data, {first['n_topics']} topics, {first['n_minority']} of them "
        f"minority; means over {repetitions_of(table)} repetitions; the paper's choice is "
        "outlined",
        fontsize=8,
    )
    return figure


def _outline(panel, grid):
    if PAPER["w_max"] in grid.index and PAPER["theta_min"] in grid.columns:
        row, column = grid.index.get_loc(PAPER["w_max"]), grid.columns.get_loc(PAPER["theta_min"])
        panel.add_patch(
            plt.Rectangle(
                (column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor="#D55E00", linewidth=2.5
            )
        )
