"""Time and memory of a fit of every model."""

import matplotlib.pyplot as plt
import pandas as pd

from . import controls, name_models, rows_in, settings_of


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
    return pd.DataFrame(rows)


def plot(table, looks):
    table = table[~controls(table, looks)]
    settings = settings_of(table)
    first = rows_in(table, settings[0])
    figure, panels = plt.subplots(
        1, 2, figsize=(9, 0.3 * len(first) + 1.4), layout="constrained", sharey=True
    )
    name_models(panels[0], first, looks)
    order = {method: row for row, method in enumerate(first["method"])}
    shades = plt.get_cmap("cividis_r")
    for number, setting in enumerate(settings):
        part = rows_in(table, setting)
        rows = part["method"].map(order)
        colour = shades((number + 1) / (len(settings) + 1))
        for panel, column in zip(panels, ("seconds", "memory_mb"), strict=True):
            panel.plot(
                part[column], rows, "o", color=colour, markeredgecolor="black", markeredgewidth=0.4,
                label=f"{setting[0]}/{setting[1]}",
            )  # fmt: skip
    panels[0].set_title("Seconds per fit (median)", loc="left")
    panels[1].set_title("Memory, MB (largest)", loc="left")
    for panel in panels:
        panel.set_xscale("log")
        panel.tick_params(axis="y", length=0)
    panels[1].legend(title="topics/minority", frameon=True, fontsize=8, title_fontsize=8)
    return figure
