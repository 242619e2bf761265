"""The paper's figure of purity at larger numbers of topics."""

from .by_setting import plot_metric, table_of

METRIC = "purity"


def table(scores):
    return table_of(scores, METRIC)


def plot(table, looks):
    return plot_metric(table, looks, METRIC, "Purity")
