"""Prevalence over time and by group: means and intervals by hand, and small counts kept back."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from minority_topics.comments.answers import material, prevalence
from minority_topics.comments.answers.intervals import mean_share, wilson
from minority_topics.comments.answers.material import Shares


def shares_of(rows):
    return Shares(sp.csr_matrix(np.asarray(rows, np.float32)), len(rows[0]))


def dates_of(*texts):
    return np.array(texts, "datetime64[s]")


def test_wilson_by_hand():
    # 10 of 100: (0.1 + 0.019207 -+ 1.96 sqrt(0.0009 + 0.0000960)) / 1.0384
    low, high = wilson(0.1, 100)
    assert low == pytest.approx(0.05523, abs=1e-5)
    assert high == pytest.approx(0.17437, abs=1e-5)
    assert wilson(0.0, 10)[0] == 0
    assert wilson(0.0, 10)[1] == pytest.approx(1.96**2 / (10 + 1.96**2), abs=1e-4)


def test_shares_of_zero_and_one_have_wilson_own_interval():
    values = np.repeat([0.0, 1.0], [90, 10])
    mean, low, high = mean_share(100, values.sum(), (values**2).sum())
    # s^2 has n - 1 below it, so that the number is not less than n.
    assert mean == pytest.approx(0.1)
    assert (low, high) == pytest.approx(wilson(0.1, 100), abs=1e-3)


def test_no_trace_is_not_certain_absence_and_few_comments_have_no_interval():
    mean, low, high = mean_share(np.array([50, 19, 0]), np.zeros(3), np.zeros(3))
    assert (mean[0], low[0]) == (0, 0)
    assert 0.05 < high[0] < 0.08
    assert np.isnan(low[1:]).all()
    assert np.isnan(mean[2])


def test_equal_shares_leave_no_doubt():
    mean, low, high = mean_share(40, 40 * 0.25, 40 * 0.25**2)
    assert (mean, low, high) == pytest.approx((0.25, 0.25, 0.25))


def test_the_interval_holds_the_mean_in_nineteen_of_twenty_samples():
    rng = np.random.default_rng(0)
    draws = np.where(rng.random((2000, 200)) < 0.2, rng.random((2000, 200)), 0)
    _, low, high = mean_share(np.full(2000, 200), draws.sum(1), (draws**2).sum(1))
    covered = np.mean((low <= 0.1) & (high >= 0.1))
    assert 0.93 < covered < 0.97


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(0, 1, width=32), min_size=20, max_size=60))
def test_an_interval_is_around_its_mean(values):
    values = np.array(values)
    mean, low, high = mean_share(len(values), values.sum(), (values**2).sum())
    assert 0 <= low <= mean <= high <= 1


# Small counts.


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=12), st.integers(0, 12), st.integers(1, 10)
)
def test_what_is_hidden_cannot_be_had_by_subtraction(counts, rest, least):
    counts = np.array(counts)
    hidden = prevalence.hide_small(counts, least, rest)
    assert hidden[(counts > 0) & (counts < least)].all()
    units = [*counts[hidden], *([rest] if rest else [])]
    is_all = not (counts[~hidden] > 0).any()
    if any(n < least for n in units):
        assert is_all or (len(units) >= 2 and sum(units) >= least)
    else:
        assert not hidden.any()


def test_a_second_group_goes_with_a_small_one():
    names = ["big", "middle", "less", "tiny"]
    numbers = np.repeat([0, 1, 2, 3], [30, 25, 20, 2])
    shares = shares_of([[0.5, 0.5]] * len(numbers))
    rows, shown = prevalence.groups(shares, numbers, names, np.ones(77, bool), 5)
    assert [(row[1], row[2]) for row in rows if row[0] == 0] == [
        ("big", 30),
        ("middle", 25),
        ("other, small", 22),
    ]
    assert shown == {"big", "middle", "other, small"}


def test_groups_that_are_small_together_are_enough():
    numbers = np.repeat([0, 1, 2], [30, 3, 4])
    shares = shares_of([[1.0]] * 30 + [[0.0]] * 3 + [[0.5]] * 4)
    rows, _ = prevalence.groups(shares, numbers, ["a", "b", "c"], np.ones(37, bool), 5)
    assert [(row[1], row[2], round(float(row[3]), 6)) for row in rows] == [
        ("a", 30, 1.0),
        ("other, small", 7, round(2 / 7, 6)),
    ]


def test_all_comments_of_all_groups_are_in_the_table():
    rng = np.random.default_rng(1)
    numbers = rng.geometric(0.02, 5000) - 1
    names = [f"g{n}" for n in range(numbers.max() + 1)]
    shares = shares_of(rng.random((5000, 2)) / 2)
    has_words = rng.random(5000) < 0.9
    rows, shown = prevalence.groups(shares, numbers, names, has_words, 5)
    mine = [row for row in rows if row[0] == 0]
    assert sum(row[2] for row in mine) == has_words.sum()
    total = sum(row[2] * row[3] for row in mine)
    assert total == pytest.approx(shares.matrix[has_words, 0].sum(), rel=1e-5)
    assert len(shown) <= prevalence.MOST_GROUPS + 1
    assert all(row[2] >= 5 for row in rows)


# Time.


def test_weeks_and_months_have_the_names_of_iso_8601():
    dates = dates_of("2024-12-30T23:59:59", "2025-01-05", "2025-01-06", "1969-12-29")
    weeks = prevalence.number_periods(dates, "week")
    assert [prevalence.describe_period(number, "week") for number in weeks] == [
        ("2025-W01", "2024-12-30"),
        ("2025-W01", "2024-12-30"),
        ("2025-W02", "2025-01-06"),
        ("1970-W01", "1969-12-29"),
    ]
    months = prevalence.number_periods(dates, "month")
    assert [prevalence.describe_period(number, "month") for number in months] == [
        ("2024-12", "2024-12-01"),
        ("2025-01", "2025-01-01"),
        ("2025-01", "2025-01-01"),
        ("1969-12", "1969-12-01"),
    ]


def test_weeks_are_for_a_year_of_many_comments():
    start, day = np.datetime64("2024-01-01", "s"), 86_400
    year = start + (np.arange(36_500) * day // 100).astype("timedelta64[s]")
    assert prevalence.choose_period(year) == "week"
    assert prevalence.choose_period(year[::20]) == "month"
    assert (
        prevalence.choose_period(np.concatenate([year, year + np.timedelta64(400, "D")])) == "month"
    )
    assert prevalence.choose_period(year, "month") == "month"
    assert prevalence.choose_period(dates_of("NaT")) == "month"
    with pytest.raises(ValueError, match="auto, month or week"):
        prevalence.choose_period(year, "day")


def test_trends_by_hand(monkeypatch):
    monkeypatch.setattr(material, "BLOCK", 7)
    dates = dates_of(*["2024-01-15"] * 10, *["2024-03-01"] * 10, *["2024-04-02"] * 3, "NaT", "NaT")
    shares = shares_of([[1, 0]] * 5 + [[0, 1]] * 5 + [[0.25, 0.75]] * 10 + [[1, 0]] * 5)
    has_words = np.ones(25, bool)
    has_words[0] = False
    rows = prevalence.trends(shares, dates, has_words, "month", 3)
    first = [(row[1], row[3], row[4]) for row in rows if row[0] == 0]
    assert [row[0] for row in first] == ["2024-01", "2024-02", "2024-03", "2024-04"]
    assert [row[1] for row in first[:3]] == [9, 0, 10]
    assert first[0][2] == pytest.approx(4 / 9)
    assert np.isnan(first[1][2])
    assert first[2][2] == pytest.approx(0.25)
    # The two undated comments would follow from the total: the smallest month is kept with them.
    assert np.isnan(first[3][1:]).all()
    assert np.isnan([row[4] for row in rows if row[1] == "2024-04"]).all()


def test_comments_without_a_date_do_not_hide_the_number_of_a_period():
    """Their number is told, so that of a lone small period would follow from the total."""
    dates = dates_of(*["2024-01-15"] * 20, *["2024-02-01"] * 15, *["2024-03-02"] * 3, *["NaT"] * 30)
    rows = prevalence.trends(shares_of([[1.0]] * 68), dates, np.ones(68, bool), "month", 5)
    told = {row[1]: row[3] for row in rows}
    assert told["2024-01"] == 20
    assert np.isnan([told["2024-02"], told["2024-03"]]).all()


def test_far_dates_do_not_fill_the_table():
    dates = dates_of(*["1970-01-01"] * 6, *["2969-01-01"] * 6)
    rows = prevalence.trends(shares_of([[1.0]] * 12), dates, np.ones(12, bool), "week", 5)
    assert len(rows) == 2
