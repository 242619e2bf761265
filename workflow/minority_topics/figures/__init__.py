"""One module per figure: `table(scores)` is what it shows, `plot(table, methods)` shows it.

A figure is made from its table alone, and the table is written beside it.
"""

import importlib
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

# Okabe and Ito's colour-blind safe palette. Ours stand out; kinds of baselines share a hue.
COLOURS = {
    "ours": "#D55E00",
    "guided": "#0072B2",
    "unguided": "#56B4E9",
    "control": "#999999",
}
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.grid": True,
    "axes.grid.axis": "x",
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "savefig.bbox": "tight",
    "pdf.fonttype": 42,
}


@dataclass(frozen=True)
class Look:
    """How a method is shown in every figure."""

    label: str
    colour: str
    ours: bool
    control: bool


def look(method):
    ours = method.module == "constrained_nmf"
    colour = COLOURS["ours" if ours else method.kind]
    return Look(method.label, colour, ours, method.kind == "control")


def draw(name, scores, methods, out):
    """Draw figure `name` from the table of scores into `out`, a PNG; a PDF and a CSV beside it."""
    figure = importlib.import_module(f"{__name__}.{name}")
    table = figure.table(pd.read_csv(scores))
    out = Path(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(out.with_suffix(".csv"), index=False, float_format="%.6g", lineterminator="\n")
    with plt.rc_context(STYLE):
        drawing = figure.plot(table, {method: look(row) for method, row in methods.items()})
        # No date and no version inside: the same table gives the same bytes.
        drawing.savefig(out.with_suffix(".png"), metadata={"Software": None})
        drawing.savefig(out.with_suffix(".pdf"), metadata={"CreationDate": None, "Producer": None})
        plt.close(drawing)


def summarise(scores, columns):
    """Mean and sd over repetitions of the first setting, a row per method, in the table's order.

    `repetitions` counts the fits that came out; a method without any keeps its row and says why.
    """
    first = scores.iloc[0]
    chosen = scores[
        (scores["n_topics"] == first["n_topics"]) & (scores["n_minority"] == first["n_minority"])
    ]
    rows = []
    for method, group in chosen.groupby("method", sort=False):
        good = group[group["status"] == "ok"]
        row = {
            "dataset": first["dataset"],
            "method": method,
            "n_topics": first["n_topics"],
            "n_minority": first["n_minority"],
            "repetitions": len(good),
        }
        for column in columns:
            row[f"{column}_mean"] = good[column].mean()
            row[f"{column}_sd"] = good[column].std(ddof=1) if len(good) > 1 else 0.0
        row["reason"] = "" if len(good) else group["reason"].iloc[0]
        rows.append(row)
    return pd.DataFrame(rows)


def name_models(axes, table, looks):
    """Models down the y axis, the first on top, ours marked."""
    axes.set_yticks(range(len(table)), [looks[method].label for method in table["method"]])
    axes.set_ylim(len(table) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    for tick, method in zip(axes.get_yticklabels(), table["method"], strict=True):
        if looks[method].ours:
            tick.set(fontweight="bold", color=looks[method].colour)


def controls(table, looks):
    """A mask of the table's rows that are controls."""
    return np.array([looks[method].control for method in table["method"]])


def subtitle(table):
    """What the numbers of a summary are: dataset, setting, repetitions."""
    first = table.iloc[0]
    counts = sorted(set(table["repetitions"]) - {0}) or [0]
    many = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return (
        f"{first['dataset']} data, {first['n_topics']} topics, {first['n_minority']} of them "
        f"minority; mean and sd over {many} repetitions"
    )
