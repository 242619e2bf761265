"""The paper's figure of the effect of W_max and theta_min on NMI and purity."""

from .heatmap import describe_grids, plot_grids, table_of

LABELS = {"nmi": "NMI", "purity": "Purity"}


def table(scores):
    return table_of(scores, LABELS)


def _grids(table):
    """One scale for both, so that a colour is one number."""
    end = table[list(LABELS)].max().max()
    return [(metric, label, ".3f", end) for metric, label in LABELS.items()]


def plot(table, looks):
    return plot_grids(table, _grids(table))


def describe(table, looks):
    return describe_grids(table, _grids(table))
