"""The paper's figure of the effect of W_max and theta_min on NMI and purity."""

from .heatmap import plot_grids, table_of


def table(scores):
    return table_of(scores, ["nmi", "purity"])


def plot(table, looks):
    return plot_grids(table, [("nmi", "NMI", ".3f"), ("purity", "Purity", ".3f")])
