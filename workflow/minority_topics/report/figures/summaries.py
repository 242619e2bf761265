"""What figures take of the table `summary`: methods of the main table, or of the first setting."""

from .words import rows_in, settings_of

KEYS = ["dataset", "n_topics", "n_minority", "method", "table", "repetitions", "interval_over"]
ENDS = ("", "_low", "_high", "_min", "_max")


def main_rows(summary):
    """Rows of the methods that run in every setting: no tunings of baselines and no newer peers."""
    return summary[summary["table"] == "scores"]


def first_setting(summary):
    return rows_in(summary, settings_of(summary)[0])


def columns_of(summary, metrics, *others):
    """The columns that a figure of these metrics shows."""
    numbers = (f"{metric}{end}" for metric in metrics for end in ENDS)
    return summary[[*KEYS, *numbers, *others]].reset_index(drop=True)
