"""Figure 1 of the paper: purity and NMI of every model, as a table and as bars."""

import matplotlib.pyplot as plt

from ...scores.statistics import summarise
from . import bars, controls, name_models, rows_in, settings_of, subtitle

METRICS = {"purity": "Purity", "nmi": "NMI"}


def table(scores):
    return summarise(rows_in(scores, settings_of(scores)[0]), METRICS)


def plot(table, looks):
    figure, panels = plt.subplots(
        1, len(METRICS), figsize=(9.5, 0.3 * len(table) + 1.2), layout="constrained", sharey=True
    )
    name_models(panels[0], table, looks)
    for panel, (metric, label) in zip(panels, METRICS.items(), strict=True):
        bars(panel, table, metric, looks)
        panel.set_title(label, loc="left")
        _write_numbers(panel, table, metric, controls(table, looks))
    figure.supxlabel(subtitle(table), fontsize=8)
    return figure


def _write_numbers(panel, table, metric, is_control):
    """The table: mean and interval of every model in a column to the right, the best in bold."""
    models = table[metric].mask(is_control)
    best = models.idxmax() if models.notna().any() else None
    for row, found in table.iterrows():
        numbers = (
            f"{found[metric]:.3f} ({found[f'{metric}_low']:.3f}–{found[f'{metric}_high']:.3f})"
        )
        panel.annotate(
            numbers if found["repetitions"] else "failed",
            (1.02, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=8,
            fontweight="bold" if row == best else "normal",
            annotation_clip=False,
        )
