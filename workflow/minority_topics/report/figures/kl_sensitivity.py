"""The paper's figure of the effect of W_max and theta_min on KL divergence, and that on JSD."""

from ...scores.statistics import feasible
from .heatmap import PAPER, describe_grids, plot_grids, table_of


def table(scores):
    """Means of every cell, and how many of its fits met both constraints."""
    shown = table_of(scores, ["objective", "jsd_mean"])
    met = scores[feasible(scores) & (scores["status"] == "ok")].groupby(list(PAPER)).size()
    shown["met"] = [int(met.get(tuple(cell), 0)) for cell in shown[list(PAPER)].to_numpy()]
    return shown


def _grids(table):
    return [
        ("objective", "KL divergence", ".0f", table["objective"].max()),
        ("jsd_mean", "JSD (mean)", ".3f", 1),
    ]


def _met(table):
    return f" {table['met'].sum()} of {table['repetitions'].sum()} fits met both constraints."


def plot(table, looks):
    return plot_grids(table, _grids(table), _met(table))


def describe(table, looks):
    return describe_grids(table, _grids(table)) + _met(table)
