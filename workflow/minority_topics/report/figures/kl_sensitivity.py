"""The paper's figure of the effect of W_max and theta_min on KL divergence, with feasibility."""

from ...scores.statistics import feasible
from .heatmap import plot_grids, table_of


def table(scores):
    scores = scores.assign(feasible=feasible(scores).astype(float))
    return table_of(scores, ["objective", "feasible"])


def plot(table, looks):
    grids = [("objective", "KL divergence", ".0f"), ("feasible", "Constraints met, share", ".2f")]
    return plot_grids(table, grids)
