"""How figures look: sizes, colours, and the look of every method.

Few colours, so that a colour-blind reader can tell all that stand together in a figure; labels and
shapes say the rest. Text has at least 4.5 times the luminance of its background, or it of the text.
"""

from dataclasses import dataclass

from ...study.registry import full_label

# Widths of one column and of a page of a journal, in inches; the smallest text, in points.
COLUMN, PAGE = 3.5, 7.0
SMALLEST = 7

OURS = "#B84A00"
# The rows of one model: one hue. Solvers go from strong to faint, a variant is as its solver, and
# learnt guidance is darkest.
OUR_SHADES = (OURS, "#E69F00", "#F2C879", "#F2C879", "#5A1F00")
GUIDED = "#0072B2"
UNGUIDED = "#00875F"
CONTROL = "#C8C8C8"
KINDS = {"guided": GUIDED, "unguided": UNGUIDED, "control": CONTROL}
INK = "#1A1A1A"
GREY = "#595959"  # text of less weight
FAINT = "#DDDDDD"
MARKERS = "os^vD<>pPX*"
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": SMALLEST,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.titlesize": 8,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.grid.axis": "x",
    "axes.axisbelow": True,
    "axes.formatter.use_mathtext": False,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.frameon": False,
    "legend.fontsize": SMALLEST,
    "figure.dpi": 100,
    "savefig.dpi": 300,
    "figure.constrained_layout.h_pad": 0.04,
    "figure.constrained_layout.w_pad": 0.03,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "minority topics",
}


@dataclass(frozen=True)
class Look:
    """How a method is shown in every figure. A rival is what our model is compared with."""

    label: str
    name: str  # the label where the model it is a variant of does not stand above it
    colour: str
    marker: str
    model: str  # the row it is a variant of, or its own
    ours: bool
    control: bool
    rival: bool

    @property
    def group(self):
        """Rows of different groups stand apart."""
        return "ours" if self.ours else "control" if self.control else "model"


def looks_of(methods):
    """The look of every row of the table of methods: the colour says its kind, the marker which."""
    looks = {}
    modules = list(dict.fromkeys(row.module for row in methods.values() if not row.ours))
    n_ours = 0
    for name, row in methods.items():
        colour, marker = KINDS[row.kind], MARKERS[0]
        if row.ours:
            colour = OUR_SHADES[min(n_ours, len(OUR_SHADES) - 1)]
            n_ours += 1
        else:
            marker = MARKERS[modules.index(row.module) % len(MARKERS)]
        looks[name] = Look(
            row.short_label, full_label(methods, name), colour, marker, row.variant_of or name,
            row.ours, row.kind == "control", row.is_rival,
        )  # fmt: skip
    return looks
