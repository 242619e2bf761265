"""One module per figure: `table(data)` is what it shows, `plot(table, looks)` shows it.

A figure is made from one table of the study, and what it shows of it is written beside it.
"""

import importlib
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from ...base.files import replacing
from ...scores.statistics import in_setting
from ...scores.tables import read_frame, write_frame
from ...study.registry import full_label

OURS = "#D55E00"
CONTROL = "#999999"
# Of the colour-blind safe palettes of Tol and of Okabe and Ito, as unlike as eleven can be; markers
# tell the nearest apart.
COLOURS = (
    "#332288", "#88CCEE", "#44AA99", "#117733", "#999933", "#DDCC77",
    "#CC6677", "#882255", "#AA4499", "#0072B2", "#666666",
)  # fmt: skip
MARKERS = "os^vD<>pPX*"
# The solvers of one model: one hue, from strong to faint.
OUR_SHADES = (OURS, "#E69F00", "#F2C879")
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
    name: str  # the label where the model it is a variant of does not stand above it
    colour: str
    marker: str
    ours: bool
    control: bool


def looks_of(methods):
    """The look of every row of the table of methods; variants share their model's."""
    looks = {}
    baselines = [row.module for row in methods.values() if not row.ours and row.kind != "control"]
    order = list(dict.fromkeys(baselines))
    n_ours = 0
    for name, row in methods.items():
        if row.ours:
            colour, marker = OUR_SHADES[min(n_ours, len(OUR_SHADES) - 1)], "o"
            n_ours += 1
        elif row.kind == "control":
            colour, marker = CONTROL, "."
        else:
            number = order.index(row.module)
            colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        full = full_label(methods, name)
        looks[name] = Look(row.short_label, full, colour, marker, row.ours, row.kind == "control")
    return looks


def draw(name, table, methods, out):
    """Draw figure `name` from a table into `out`, a PNG; a PDF and a CSV beside it.

    A name that has no module of its own is that of a sweep.
    """
    known = Path(__file__).with_name(f"{name}.py").is_file()
    figure = importlib.import_module(f"{__name__}.{name if known else 'sweep'}")
    shown = figure.table(read_frame(table))
    out = Path(out)
    write_frame(out.with_suffix(".csv"), shown)
    with plt.rc_context(STYLE):
        drawing = figure.plot(shown, looks_of(methods))
        # No date and no version inside: the same table gives the same bytes.
        nameless = {"png": {"Software": None}, "pdf": {"CreationDate": None, "Producer": None}}
        for ending, metadata in nameless.items():
            with replacing(out.with_suffix(f".{ending}"), "wb") as file:
                drawing.savefig(file, format=ending, metadata=metadata)
        plt.close(drawing)


def settings_of(table):
    """The settings (topics, minority topics) of a table, in its order."""
    return [tuple(pair) for pair in table[["n_topics", "n_minority"]].drop_duplicates().to_numpy()]


def rows_in(table, setting):
    """The rows of a setting, numbered from 0: their places in a figure."""
    return in_setting(table, setting).reset_index(drop=True)


def name_models(axes, table, looks):
    """Models down the y axis, the first on top, ours marked."""
    axes.set_yticks(range(len(table)), [looks[method].label for method in table["method"]])
    axes.set_ylim(len(table) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    for tick, method in zip(axes.get_yticklabels(), table["method"], strict=True):
        if looks[method].ours:
            tick.set(fontweight="bold", color=OURS)


def controls(table, looks):
    """A mask of the table's rows that are controls."""
    return np.array([looks[method].control for method in table["method"]], dtype=bool)


def error_bars(table, metric):
    """Distances from the mean down and up to the ends of its interval."""
    mean, low, high = (table[f"{metric}{end}"].fillna(0) for end in ("", "_low", "_high"))
    return np.array([mean - low, high - mean]).clip(min=0)


def bars(axes, table, metric, looks):
    """A bar per model with its interval; the models set the scale, controls may run out of it."""
    axes.barh(
        table.index,
        table[metric].fillna(0),
        xerr=error_bars(table, metric),
        height=0.7,
        color=[looks[method].colour for method in table["method"]],
        error_kw={"elinewidth": 1, "capsize": 2},
    )
    longest = table[f"{metric}_high"].mask(controls(table, looks)).max()
    axes.set_xlim(0, 1.1 * longest if longest > 0 else 1)
    axes.tick_params(axis="y", length=0)


def repetitions_of(table):
    counts = sorted(set(table["repetitions"]) - {0}) or [0]
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def subtitle(table):
    """What the numbers of a summary are: dataset, setting, repetitions."""
    first = table.iloc[0]
    return (
        f"{first['dataset']} data, {first['n_topics']} topics, {first['n_minority']} of them "
        f"minority; mean and 95% interval over {repetitions_of(table)} repetitions"
    )
