"""What figures take of the table `summary`: methods of the main table, or of the first setting."""

from ...scores.resampling import RESAMPLED
from ...scores.statistics import OVER_DOCUMENTS, OVER_RANDOM_STATES
from .words import rows_in, settings_of

KEYS = ["dataset", "n_topics", "n_minority", "method", "table", "repetitions", "interval_over"]
ENDS = ("", "_low", "_high", "_min", "_max")


def main_rows(summary):
    """Rows of the methods that run in every setting: no tunings of baselines and no newer peers."""
    return summary[summary["table"] == "scores"]


def first_setting(summary):
    return rows_in(summary, settings_of(summary)[0])


def columns_of(summary, metrics, *others):
    """The columns that a figure of these metrics shows.

    Scores that do not count documents, such as JSD, have intervals over random states alone.
    """
    numbers = (f"{metric}{end}" for metric in metrics for end in ENDS)
    shown = summary[[*KEYS, *numbers, *others]].reset_index(drop=True)
    if not set(metrics) & set(RESAMPLED):
        shown["interval_over"] = shown["interval_over"].replace(OVER_DOCUMENTS, OVER_RANDOM_STATES)
    return shown
