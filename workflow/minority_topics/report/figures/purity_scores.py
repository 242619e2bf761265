"""The paper's figure of purity at larger numbers of topics."""

from .by_setting import describe_metric, plot_metric, table_of

METRIC, LABEL = "purity", "Purity"


def table(summary):
    return table_of(summary, METRIC)


def plot(table, looks):
    return plot_metric(table, looks, METRIC, LABEL)


def describe(table, looks):
    return describe_metric(table, looks, METRIC, LABEL)
