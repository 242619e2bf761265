"""Draw a figure from one table of the study, and write what it shows of it beside it."""

import importlib
import io
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from ...base.files import replacing, write_text
from ...scores.tables import read_frame, write_frame
from ..catalogue import FIGURES, sweep_title
from . import sweep
from .style import STYLE, looks_of
from .svg import tidy

# Drawn by a verb of its own, so not in the catalogue of the study.
BENCHMARK = "benchmark"


def draw(name, table, methods, out, published=None):
    """Draw figure `name` from a table into `out`, a PNG; a PDF, an SVG and a CSV beside it.

    Its alternative text goes into a TXT and into the SVG. `published` is the file of the paper's
    scores, for the figure that shows them. A name that is not in the catalogue is that of a sweep.
    """
    known = name in FIGURES or name == BENCHMARK
    figure = importlib.import_module(f"{__package__}.{name if known else 'sweep'}")
    data = [read_frame(table)]
    if published is not None:
        data.append(read_frame(published, ["method"], separator="\t"))
    shown = figure.table(*data)
    looks = looks_of(methods)
    out = Path(out)
    write_frame(out.with_suffix(".csv"), shown)
    description = figure.describe(shown, looks)
    write_text(out.with_suffix(".txt"), f"{description}\n")
    with plt.rc_context(STYLE):
        drawing = figure.plot(shown, looks)
        # No date and no version inside: the same table gives the same bytes.
        nameless = {"png": {"Software": None}, "pdf": {"CreationDate": None, "Producer": None}}
        for ending, metadata in nameless.items():
            with replacing(out.with_suffix(f".{ending}"), "wb") as file:
                drawing.savefig(file, format=ending, metadata=metadata)
        text = io.StringIO()
        drawing.savefig(text, format="svg", metadata={"Date": None})
        plt.close(drawing)
    title = title_of(name, shown)
    write_text(out.with_suffix(".svg"), tidy(text.getvalue(), name, title, description))


def title_of(name, shown):
    """The title of a figure; that of a sweep is by the keys it varies."""
    if name == BENCHMARK:
        return "Time and memory of the solvers"
    if name in FIGURES:
        return FIGURES[name].title
    return sweep_title(sweep.keys_of(shown))
