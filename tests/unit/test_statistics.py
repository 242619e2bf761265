"""Intervals, tests and effect sizes, by hand-computed values and by what they promise."""

import numpy as np
import pandas as pd
import pytest

from minority_topics.scores.statistics import (
    bootstrap_interval,
    compare,
    compare_with_first,
    holm,
    rank_biserial,
    sign_flip_p,
    summarise,
)
from minority_topics.study.registry import ConfigError, first_model, read_methods


def test_interval_holds_the_mean_and_covers_it_as_often_as_it_says():
    assert bootstrap_interval([0.3, 0.3, 0.3]) == pytest.approx((0.3, 0.3))
    assert np.isnan(bootstrap_interval([])).all()
    rng = np.random.default_rng(0)
    covered = [
        low <= 5 <= high
        for low, high in (bootstrap_interval(rng.normal(5, 1, 30)) for _ in range(200))
    ]
    assert 0.88 < np.mean(covered) <= 1


def test_sign_flips():
    # Of the 8 signs of three equal differences, two are as extreme as all plus.
    assert sign_flip_p([1, 1, 1]) == 2 / 8
    assert sign_flip_p([1, -1]) == 1
    assert sign_flip_p([0.0, 0.0]) == 1
    assert sign_flip_p(np.full(20, 0.1)) < 0.001  # too many to try all


def test_holm_by_hand():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
    np.testing.assert_allclose(holm([0.9, 0.8]), [1, 1])
    assert len(holm([])) == 0


def test_rank_biserial_by_hand():
    assert rank_biserial([1, 2, 3]) == 1
    assert rank_biserial([-1, 2, 3]) == pytest.approx((2 + 3 - 1) / 6)
    assert rank_biserial([0, 0]) == 0


def scores(**values):
    rows = [
        {"dataset": "d", "method": method, "n_topics": 20, "n_minority": 7, "repetition": number}
        | {"status": "ok", "reason": ""}
        | dict.fromkeys(["purity", "nmi", "ami", "jsd_mean"], value)
        for method, numbers in values.items()
        for number, value in enumerate(numbers)
    ]
    return pd.DataFrame(rows)


def test_summary_counts_what_came_out_and_says_why_not():
    table = scores(a=[0.1, 0.3], b=[0.2, 0.2])
    table.loc[table["method"] == "b", ["status", "reason", "purity"]] = ["failed", "why", np.nan]
    summary = summarise(table, ["purity"]).set_index("method")
    assert summary.loc["a", "purity"] == pytest.approx(0.2)
    assert summary.loc["a", "purity_sd"] == pytest.approx(0.2 / np.sqrt(2))
    assert list(summary["repetitions"]) == [2, 0]
    assert summary.loc["b", "reason"] == "why"


def test_comparison_is_paired_by_repetition():
    """A constant difference beneath large variation between corpora is a clear one."""
    base = np.arange(8) / 10
    found = compare(scores(ours=base + 0.01, other=base), "ours", ["other"])
    row = found[found["metric"] == "purity"].iloc[0]
    assert row["difference"] == pytest.approx(0.01)
    assert (row["low"], row["high"]) == pytest.approx((0.01, 0.01))
    assert row["p"] == row["p_holm"] == 2 / 2**8
    assert row["effect"] == 1
    assert found.set_index("metric").loc["jsd_mean", "better"] == "lower"


def test_comparison_leaves_out_repetitions_that_failed():
    table = scores(ours=[0.5, 0.6, 0.7], other=[0.4, 0.4, 0.4], third=[0.1, 0.1, 0.1])
    table.loc[(table["method"] == "other") & (table["repetition"] == 2), "status"] = "failed"
    found = compare(table, "ours", ["other", "third"]).query("metric == 'nmi'").set_index("other")
    assert found.loc["other", "repetitions"] == 2
    assert found.loc["third", "repetitions"] == 3


def test_the_first_method_that_is_no_control_is_compared_with_the_others():
    methods = read_methods()
    table = scores(truth=[1.0, 1.0], nmf=[0.5, 0.6], random=[0.1, 0.1], lda=[0.4, 0.4])
    found = compare_with_first(table, methods)
    assert set(zip(found["ours"], found["other"], strict=True)) == {("nmf", "lda")}
    assert first_model(methods, ["truth", "constrained_nmf", "nmf"]) == "constrained_nmf"
    with pytest.raises(ConfigError, match="name at least one that is not a control"):
        first_model(methods, ["truth", "random"])
