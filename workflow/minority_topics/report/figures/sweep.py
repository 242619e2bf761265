"""Purity and NMI of models as one property of the data is varied."""

import matplotlib.pyplot as plt

from ...scores.statistics import SETTING, summarise
from . import repetitions_of

METRICS = {"purity": "Purity", "nmi": "NMI"}
KEYS = {
    "rate": "Share of documents with an injected topic",
    "n_words": "Injected words per document",
    "seed_share": "Share of the seed words kept",
    "wrong_seed_share": "Wrong seed words per seed word",
    "n_documents": "Documents",
}
LOGARITHMIC = ("rate", "n_words", "n_documents")


def key_of(table):
    return next(column for column in table.columns if column in KEYS)


def table(scores):
    return summarise(scores, METRICS, by=[key_of(scores)])


def plot(table, looks):
    key = key_of(table)
    figure, panels = plt.subplots(1, len(METRICS), figsize=(9.5, 3.8), layout="constrained")
    for panel, (metric, label) in zip(panels, METRICS.items(), strict=True):
        for method, curve in table.groupby("method", sort=False):
            look, curve = looks[method], curve.sort_values(key)
            panel.plot(
                curve[key], curve[metric], color=look.colour, marker=look.marker, label=look.name,
                linewidth=2 if look.ours else 1.2, zorder=3 if look.ours else 2,
            )  # fmt: skip
            panel.fill_between(
                curve[key], curve[f"{metric}_low"], curve[f"{metric}_high"], color=look.colour,
                alpha=0.2, linewidth=0,
            )  # fmt: skip
        if key in LOGARITHMIC:
            panel.set_xscale("log")
        values = sorted(table[key].unique())
        panel.set_xticks(values, [f"{value:,g}" for value in values])
        panel.minorticks_off()
        panel.set(xlabel=KEYS[key], ylim=(0, None))
        panel.set_title(label, loc="left")
        panel.grid(True, axis="both")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right center", frameon=False, fontsize=8)
    first = table.iloc[0]
    topics, minority = first[SETTING]
    figure.supxlabel(
        f"{first['dataset']} data, {topics} topics, {minority} of them minority; mean and 95% "
        f"interval over {repetitions_of(table)} repetitions",
        fontsize=8,
    )
    return figure
