"""Figure 1 of the paper: purity and NMI of every model, as a table and as bars."""

import matplotlib.pyplot as plt

from . import controls, name_models, subtitle, summarise

METRICS = {"purity": "Purity", "nmi": "NMI"}


def table(scores):
    return summarise(scores, METRICS)


def plot(table, looks):
    figure, panels = plt.subplots(
        1,
        len(METRICS),
        figsize=(9.5, 0.3 * len(table) + 1.2),
        layout="constrained",
        sharey=True,
    )
    is_control = controls(table, looks)
    colours = [looks[method].colour for method in table["method"]]
    name_models(panels[0], table, looks)
    for panel, (metric, label) in zip(panels, METRICS.items(), strict=True):
        mean, sd = table[f"{metric}_mean"], table[f"{metric}_sd"]
        panel.barh(
            table.index,
            mean.fillna(0),
            xerr=sd.fillna(0),
            height=0.7,
            color=colours,
            error_kw={"elinewidth": 1, "capsize": 2},
        )
        # The models set the scale; the true labels, at 1, run out of it.
        longest = (mean + sd).mask(is_control).max()
        panel.set_xlim(0, 1.1 * longest if longest > 0 else 1)
        panel.set_title(label, loc="left")
        panel.tick_params(axis="y", length=0)
        _write_numbers(panel, table, metric, is_control)
    figure.supxlabel(subtitle(table), fontsize=8)
    return figure


def _write_numbers(panel, table, metric, is_control):
    """The table: mean and sd of every model in a column to the right of its bar, best in bold."""
    mean, sd = table[f"{metric}_mean"], table[f"{metric}_sd"]
    models = mean.mask(is_control)
    best = models.idxmax() if models.notna().any() else None
    for row in table.index:
        failed = table.loc[row, "repetitions"] == 0
        panel.annotate(
            "failed" if failed else f"{mean[row]:.3f} ± {sd[row]:.3f}",
            (1.02, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontweight="bold" if row == best else "normal",
            annotation_clip=False,
        )
