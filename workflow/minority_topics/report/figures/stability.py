"""How much a model's clusters and scores depend on its random state alone."""

import matplotlib.pyplot as plt
import numpy as np

from ...scores.statistics import summarise
from . import bars, controls, name_models, repetitions_of, rows_in, settings_of

METRICS = ["stability", "purity", "nmi"]
SPREAD = {"purity": ("Purity", "o"), "nmi": ("NMI", "s")}


def table(scores):
    return summarise(rows_in(scores, settings_of(scores)[0]), METRICS)


def plot(table, looks):
    table = table[~controls(table, looks)].reset_index(drop=True)
    figure, (agreement, spread) = plt.subplots(
        1, 2, figsize=(9, 0.3 * len(table) + 1.2), layout="constrained", sharey=True
    )
    name_models(agreement, table, looks)
    bars(agreement, table, "stability", looks)
    agreement.set_xlim(0, 1)
    agreement.set_title("Agreement of clusters (AMI)", loc="left")
    for metric, (label, marker) in SPREAD.items():
        offset = -0.15 if metric == "purity" else 0.15
        spread.plot(
            table[f"{metric}_sd"],
            np.arange(len(table)) + offset,
            marker,
            label=label,
            color="#0072B2" if metric == "purity" else "#E69F00",
            markeredgecolor="black",
            markeredgewidth=0.5,
        )
    spread.set_xlim(0, None)
    spread.set_title("Standard deviation of scores", loc="left")
    spread.locator_params(axis="x", nbins=5)
    figure.legend(*spread.get_legend_handles_labels(), loc="outside right upper", frameon=False)
    spread.tick_params(axis="y", length=0)
    first = table.iloc[0]
    figure.supxlabel(
        f"{first['dataset']} data, {first['n_topics']} topics; {repetitions_of(table)} random "
        "states on one corpus",
        fontsize=8,
    )
    return figure
