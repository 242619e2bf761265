"""The figure of `choose`: held-out KL and stability of every setting, and the recommended one."""

import io
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from ..base.files import read_csv, read_json, replacing, write_text
from ..base.manifest import MANIFEST, check_manifest, write_manifest
from ..comments.choosing import CHOICES
from .figures.style import GREY, GUIDED, MARKERS, OURS, PAGE, STYLE, UNGUIDED
from .figures.svg import tidy

MEASURES = {"heldout_kl": "Held-out KL (low is good)", "stability": "Stability (high is good)"}
COLOURS = GUIDED, UNGUIDED, "#8C4FA0", GREY
PANEL = 1.9  # inches
NUMBERS = "n_topics", "n_minority"


def draw_choices(folder):
    """Draw choices.csv of a folder as choices.png and choices.svg beside it."""
    folder = Path(folder)
    check_manifest(folder, CHOICES)
    made_by = read_json(folder / MANIFEST)["made_by"]
    rows = [_numbers(row) for row in read_csv(folder / CHOICES)]
    out = folder / CHOICES
    with plt.rc_context(STYLE):  # type: ignore[arg-type]
        figure = plot(rows)
        with replacing(out.with_suffix(".png"), "wb") as file:
            figure.savefig(file, format="png", metadata={"Software": None})
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
        plt.close(figure)
    title = "Held-out KL and stability of the settings"
    write_text(out.with_suffix(".svg"), tidy(text.getvalue(), "choices", title, describe(rows)))
    write_manifest(folder, made_by=made_by)


def plot(rows):
    """A column of panels for each theta_min, a row for each measure, a line for each n_minority."""
    measures = [name for name in MEASURES if any(row[name] is not None for row in rows)]
    thetas = sorted({row["theta_min"] for row in rows})
    kinds = sorted({row["n_minority"] for row in rows})
    figure, panels = plt.subplots(
        len(measures), len(thetas), figsize=(PAGE, PANEL * len(measures) + 0.5), sharex=True,
        sharey="row", squeeze=False, layout="constrained",
    )  # fmt: skip
    for line, measure in zip(panels, measures, strict=True):
        for panel, theta in zip(line, thetas, strict=True):
            panel.grid(True, axis="both")
            for number, kind in enumerate(kinds):
                part = [
                    row for row in rows if (row["theta_min"], row["n_minority"]) == (theta, kind)
                ]
                _draw_line(panel, sorted(part, key=lambda row: row["n_topics"]), measure, number)
        line[0].set_ylabel(MEASURES[measure])
    for panel, theta in zip(panels[0], thetas, strict=True):
        panel.set_title(f"theta_min = {theta:g}")
    for panel in panels[-1]:
        panel.set_xlabel("Topics")
        panel.set_xticks(sorted({row["n_topics"] for row in rows}))
    keys = {}
    for panel in panels[0]:
        handles, labels = panel.get_legend_handles_labels()
        keys |= dict(zip(labels, handles, strict=True))
    keys["recommended"] = keys.pop("recommended")  # last
    figure.legend(keys.values(), keys, loc="outside lower center", ncols=len(keys))
    return figure


def _draw_line(panel, part, measure, number):
    xs = [row["n_topics"] for row in part]
    ys = [row[measure] for row in part]
    look = {
        "color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)],
        "label": f"{part[0]['n_minority']} minority topics" if part else None,
    }  # fmt: skip
    errors = [row["heldout_kl_se"] for row in part] if measure == "heldout_kl" else None
    panel.errorbar(xs, ys, yerr=errors, elinewidth=0.6, capsize=2, **look)
    for row in part:
        if row["recommended"]:
            panel.plot(
                row["n_topics"], row[measure], marker="o", markersize=11, fillstyle="none",
                linestyle="none", color=OURS, markeredgewidth=1.6, zorder=4, label="recommended",
            )  # fmt: skip


def describe(rows):
    """What the figure shows, in words."""
    best = next(row for row in rows if row["recommended"])
    lowest = min(row["heldout_kl"] for row in rows)
    stable = "" if best["stability"] is None else f" and its stability {best['stability']:.2f}"
    return (
        f"Held-out KL and stability of {len(rows)} settings by number of topics, a line for each "
        f"number of minority topics and a panel for each theta_min. Recommended: "
        f"{best['n_topics']} topics, {best['n_minority']} of them minority, theta_min "
        f"{best['theta_min']:g}; its held-out KL is {best['heldout_kl']:.4g}, the lowest is "
        f"{lowest:.4g}{stable}."
    )


def _numbers(row):
    return {
        name: None if cell == "" else int(cell) if name in NUMBERS else float(cell)
        for name, cell in row.items()
    }
