"""Words around figures: what the numbers are over, and alternative texts."""

import textwrap

from ...base.text import listed
from ...scores.statistics import in_setting
from ..numbers import number
from .style import GREY, SMALLEST

# Characters of the smallest text in an inch.
PER_INCH = 19


def settings_of(table):
    """The settings (topics, minority topics) of a table, in its order."""
    return [tuple(pair) for pair in table[["n_topics", "n_minority"]].drop_duplicates().to_numpy()]


def rows_in(table, setting):
    """The rows of a setting, numbered from 0."""
    return in_setting(table, setting).reset_index(drop=True)


def note(figure, text, size=SMALLEST):
    """Small text below a figure, in lines that fit its width."""
    width = int(PER_INCH * figure.get_figwidth() * SMALLEST / size)
    lines = textwrap.fill(text[0].upper() + text[1:], width)
    figure.supxlabel(lines, x=0.01, ha="left", fontsize=size, color=GREY)


def repetitions_of(table):
    """How many fits a mean is over: a number, or the least and the most."""
    counts = sorted(set(table["repetitions"].astype(int)) - {0}) or [0]
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def dataset_words(table):
    return f"the dataset {table['dataset'].iloc[0]}"


def data_words(table):
    """Dataset and setting of the first row."""
    first = table.iloc[0]
    topics = f"{first['n_topics']} topics, {first['n_minority']} of them minority"
    return f"{dataset_words(table)}, {topics}"


def spread_words(table, metric):
    """What the lines around the means of a metric are: intervals, or ranges of too few fits."""
    ran = table[table["repetitions"] > 0]
    counts = repetitions_of(ran)
    if counts == "0":
        return "no fit came out"
    means = "one repetition" if counts == "1" else f"mean of {counts} repetitions"
    known = ran[f"{metric}_low"].notna()
    if not known.any():
        lines = "" if counts == "1" else "; lines are the range of the fits"
        return f"{means}{lines}, too few for an interval"
    words = f"{means}; lines with caps are 95% intervals{_over(ran[known])}"
    scattered = ran.loc[~known, f"{metric}_min"] < ran.loc[~known, f"{metric}_max"]
    return words + (", lines without caps ranges of too few fits" if scattered.any() else "")


def _over(table):
    """What the intervals are over, as far as the table tells."""
    over = table["interval_over"].dropna() if "interval_over" in table else []
    names = [name for name in dict.fromkeys(over) if name]
    return f" over {' or '.join(names)}" if names else ""


def with_interval(row, metric, digits=3):
    """A mean with its interval, as far as there is one."""
    low, high = row[f"{metric}_low"], row[f"{metric}_high"]
    if low != low:
        return number(row[metric], digits)
    return f"{number(row[metric], digits)} ({number(low, digits)} to {number(high, digits)})"


def rivals(table, looks):
    """Rows of models, and of controls that a model should be ahead of, if any fit came out."""
    kept = [looks[method].rival for method in table["method"]]
    return table[kept & (table["repetitions"] > 0).to_numpy()]


def leaders(table, metric, looks, lowest=False, count=3):
    """The best rows of a metric with their numbers, in words."""
    ranked = rivals(table, looks).dropna(subset=[metric])
    ranked = ranked.sort_values(metric, ascending=lowest, kind="stable").head(count)
    named = [f"{looks[row['method']].name} {with_interval(row, metric)}" for _, row in
             ranked.iterrows()]  # fmt: skip
    return listed(named) if named else "no fit came out"
