"""Prevalence of topics: the mean share over comments with words, in all, by period and by group.

Small counts are not published: where a period or group has fewer comments than `least_count`,
neither their number nor its prevalence is told. A second one is left out with it, so that nobody
gets it by subtracting the others from the total.
"""

import datetime as dt
from dataclasses import dataclass

import numpy as np

from .intervals import mean_share

PERIODS = ("month", "week")
# Weeks are chosen for comments of about a year, where an average week has this many of them.
LONGEST_IN_WEEKS = 400
LEAST_IN_WEEK = 100
# Between the first and the last period, beyond which those without comments are left out.
MOST_PERIODS = 600
# Groups that a table names; the others, which have fewer comments, are one row.
MOST_GROUPS = 200
SMALL_GROUPS = "other, small"


@dataclass(frozen=True)
class Sums:
    """Number of comments of each unit (n), and by unit and topic sums of shares and squares."""

    n: np.ndarray
    total: np.ndarray
    squares: np.ndarray

    def joined(self, number, n_units):
        """The sums of larger units, to which unit i belongs by number[i]."""
        joined = Sums(*(np.zeros((n_units, *part.shape[1:])) for part in self.parts))
        for mine, whole in zip(self.parts, joined.parts, strict=True):
            np.add.at(whole, number, mine)
        return joined

    @property
    def parts(self):
        return self.n, self.total, self.squares

    def interval(self):
        """(mean, low, high), each (units x topics)."""
        return mean_share(self.n[:, None], self.total, self.squares)


def sum_shares(shares, units, n_units):
    """Sums by unit, from 0; comments with a negative unit belong to none."""
    n = np.zeros(n_units)
    total, squares = np.zeros((2, n_units, shares.n_shown))
    for rows, dense in shares.blocks():
        inside = units[rows] >= 0
        mine, dense = units[rows][inside], dense[inside]
        n += np.bincount(mine, minlength=n_units)
        for topic in range(shares.n_shown):
            column = dense[:, topic].astype(float)
            total[:, topic] += np.bincount(mine, column, n_units)
            squares[:, topic] += np.bincount(mine, column * column, n_units)
    return Sums(n, total, squares)


def hide_small(counts, least_count, hidden_rest=0):
    """Which units are not told: a mask. `hidden_rest` comments of no unit are never told.

    Those with fewer than `least_count` comments are hidden, and where these are one unit alone, or
    together fewer than `least_count`, the next larger ones too: the sum of what is hidden, which
    follows from the total, is never small, nor that of one small unit.
    """
    counts = np.asarray(counts)
    hidden = (counts > 0) & (counts < least_count)
    for unit in np.argsort(counts, kind="stable"):
        total = counts[hidden].sum() + hidden_rest
        n_hidden = np.count_nonzero(hidden) + (hidden_rest > 0)
        nothing_small = not hidden.any() and (not hidden_rest or hidden_rest >= least_count)
        if nothing_small or (n_hidden >= 2 and total >= least_count):
            break
        if counts[unit] > 0:
            hidden[unit] = True
    return hidden


# Periods.


def choose_period(dates, period="auto"):
    """ "week" or "month": as asked, or by how long a time the comments span and how many they are.

    Weeks are for comments of at most about a year, with enough of them in an average week.
    """
    if period in PERIODS:
        return period
    if period != "auto":
        raise ValueError(f"period is {period!r}; it is auto, month or week")
    known = dates[~np.isnat(dates)]
    if not len(known):
        return "month"
    days = (known.max() - known.min()).astype("timedelta64[D]").astype(int) + 1
    enough = len(known) / max(days / 7, 1) >= LEAST_IN_WEEK
    return "week" if days <= LONGEST_IN_WEEKS and enough else "month"


def number_periods(dates, period):
    """Number of the period of each date, int64, with the days or months since 1970 behind it."""
    if period == "month":
        return dates.astype("datetime64[M]").astype(np.int64)
    # The first day of 1970 was a Thursday; weeks begin on Monday.
    return np.floor_divide(dates.astype("datetime64[D]").astype(np.int64) + 3, 7)


def describe_period(number, period):
    """(name, first day) of a period: 2024-05 or 2024-W07, as ISO 8601 counts weeks."""
    if period == "month":
        start = np.datetime64(int(number), "M").astype("datetime64[D]").astype(dt.date)
        return start.isoformat()[:7], start.isoformat()
    start = np.datetime64(int(number) * 7 - 3, "D").astype(dt.date)
    year, week, _ = start.isocalendar()
    return f"{year}-W{week:02d}", start.isoformat()


def trends(shares, dates, has_words, period, least_count):
    """Rows (topic from 0, period, start, documents, mean, low, high), by topic and then by time.

    Of a period that is hidden all numbers are NaN.
    """
    inside = has_words & ~np.isnat(dates)
    if not inside.any():
        return []
    numbers = number_periods(dates, period)
    first, last = numbers[inside].min(), numbers[inside].max()
    if last - first < MOST_PERIODS:
        known = np.arange(first, last + 1)
    else:
        known = np.unique(numbers[inside])
    units = np.where(inside, np.searchsorted(known, np.where(inside, numbers, first)), -1)
    sums = sum_shares(shares, units, len(known))
    hidden = hide_small(sums.n, least_count, np.count_nonzero(has_words & ~inside))
    # The summary tells how many comments have no date: they do not hide the number of a period.
    hidden |= hide_small(sums.n, least_count)
    means, lows, highs = (np.where(hidden[:, None], np.nan, part) for part in sums.interval())
    named = [describe_period(number, period) for number in known]
    return [
        (
            topic,
            *named[unit],
            np.nan if hidden[unit] else int(sums.n[unit]),
            *(part[unit, topic] for part in (means, lows, highs)),
        )
        for topic in range(shares.n_shown)
        for unit in range(len(known))
    ]


# Groups.


def groups(shares, numbers, names, has_words, least_count):
    """(rows, shown names): rows (topic from 0, group, documents, mean, low, high), largest first.

    Groups that are small, or beyond the MOST_GROUPS largest, are one row together, SMALL_GROUPS.
    """
    if not names:
        return [], set()
    sums = sum_shares(shares, np.where(has_words, numbers, -1), len(names))
    order = np.argsort(-sums.n, kind="stable")
    beyond = np.zeros(len(names), bool)
    beyond[order[MOST_GROUPS:]] = True
    if SMALL_GROUPS in names:
        beyond[names.index(SMALL_GROUPS)] = True
    small = _merge_small(sums.n, beyond, least_count)
    shown = [group for group in order if not small[group] and sums.n[group] > 0]
    labels = [names[group] for group in shown]
    place = np.full(len(names), len(shown))
    place[shown] = np.arange(len(shown))
    joined = sums.joined(place, len(shown) + 1)
    if joined.n[-1] >= max(least_count, 1):
        labels.append(SMALL_GROUPS)
    means, lows, highs = joined.interval()
    rows = [
        (
            topic,
            label,
            int(joined.n[unit]),
            means[unit, topic],
            lows[unit, topic],
            highs[unit, topic],
        )
        for topic in range(shares.n_shown)
        for unit, label in enumerate(labels)
    ]
    return rows, set(labels)


def _merge_small(counts, beyond, least_count):
    """Which groups become one row; all those beyond, and what `hide_small` hides."""
    rest = int(counts[beyond].sum())
    small = hide_small(np.where(beyond, 0, counts), least_count, rest)
    return small | beyond
