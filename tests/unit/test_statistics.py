"""Intervals, tests and effect sizes, by hand-computed values and by what they promise."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from minority_topics.scores.statistics import (
    COMPARED,
    COMPARISON_COLUMNS,
    compare,
    compare_with_first,
    grade,
    holm,
    paired_p,
    rank_biserial,
    summarise,
    t_interval,
    with_variants,
)
from minority_topics.study.registry import ConfigError, first_model, read_methods

# Mean 3, sd sqrt(2.5), standard error sqrt(0.5); 2.776445 is the 97.5% point of t with 4 degrees.
FIVE = [1.0, 2.0, 3.0, 4.0, 5.0]
T4 = 2.776445


# --- intervals ----------------------------------------------------------------------------------


def test_interval_by_hand():
    half = T4 * np.sqrt(0.5)
    assert t_interval(FIVE) == pytest.approx((3 - half, 3 + half), abs=1e-5)
    assert t_interval([*FIVE, np.nan]) == pytest.approx((3 - half, 3 + half), abs=1e-5)
    # Welch and Satterthwaite: 0.75^2 / (0.5^2 / 4 + 0.25^2 / 199) = 8.955, of which t is 2.26389.
    half = 2.26389 * np.sqrt(0.5 + 0.25)
    assert t_interval(FIVE, 0.25) == pytest.approx((3 - half, 3 + half), abs=1e-5)
    assert t_interval([0.3] * 5) == pytest.approx((0.3, 0.3))


def test_no_interval_below_five_values():
    for values in ([], [0.3], FIVE[:4], [*FIVE[:4], np.nan]):
        assert np.isnan(t_interval(values)).all()


@pytest.mark.parametrize("n_values", [5, 10])
@pytest.mark.parametrize("skewed", [False, True], ids=["normal", "skewed"])
def test_interval_covers_the_mean_as_often_as_it_says(n_values, skewed):
    """As fits of a model vary, or with a tail to one side: skewness 0.5."""
    rng = np.random.default_rng(0)
    shape = (4000, n_values)
    samples = rng.gamma(16, 1 / 16, shape) if skewed else rng.normal(1, 0.25, shape)
    covered = [low <= 1 <= high for low, high in map(t_interval, samples)]
    assert 0.93 <= np.mean(covered) <= 0.965


# --- p-values, effect and grade -----------------------------------------------------------------


def test_p_is_that_of_the_t_test():
    differences = [0.1, 0.3, -0.1, 0.2, 0.25]
    expected = ttest_1samp(differences, 0).pvalue
    assert paired_p(differences) == pytest.approx(expected)
    assert paired_p([-d for d in differences]) == pytest.approx(expected)
    assert paired_p(differences, extra_variance=0.01) > expected


def test_p_where_the_interval_ends_at_zero_is_five_percent():
    differences = np.array(FIVE) - t_interval(FIVE, 0.2)[0]
    assert t_interval(differences, 0.2)[0] == pytest.approx(0)
    assert paired_p(differences, 0.2) == pytest.approx(0.05)


def test_p_of_equal_differences():
    assert paired_p([0.0, 0.0, 0.0]) == 1
    assert paired_p([0.25, 0.25, 0.25]) == 0
    # All variance is of the 200 resamples: t of 2.5 with 199 degrees of freedom.
    assert paired_p([0.25, 0.25, 0.25], extra_variance=0.01) == pytest.approx(0.013227, abs=1e-6)
    assert np.isnan(paired_p([0.25]))


def test_holm_by_hand():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
    np.testing.assert_allclose(holm([0.9, 0.8]), [1, 1])
    np.testing.assert_allclose(holm([0.02, np.nan, 0.01]), [0.02, np.nan, 0.02])
    assert len(holm([])) == 0


def test_rank_biserial_by_hand():
    assert rank_biserial([1, 2, 3]) == 1
    assert rank_biserial([-1, 2, 3]) == pytest.approx((2 + 3 - 1) / 6)
    assert rank_biserial([0, 0]) == 0


@pytest.mark.parametrize(
    ("difference", "better", "p", "repetitions", "words"),
    [
        (0.1, "higher", 0.049, 6, "clearly ahead"),
        (0.1, "higher", 0.05, 6, "ahead but not clear"),
        (0.1, "lower", 0.001, 10, "behind"),
        (-0.1, "lower", 0.001, 10, "clearly ahead"),
        (-0.1, "higher", 0.9, 10, "behind"),
        (0.0, "higher", 1.0, 10, "behind"),
        (0.1, "higher", np.nan, 10, "ahead but not clear"),
        (0.1, "higher", 0.001, 5, "too few repetitions"),
    ],
)
def test_grades(difference, better, p, repetitions, words):
    assert grade(difference, better, p, repetitions) == words


# --- tables -------------------------------------------------------------------------------------


def scores(corpus=None, n_topics=20, **values):
    """Scores by method, a row per repetition, whose corpus is `corpus`, or one of its own."""
    rows = [
        {"dataset": "d", "method": method, "n_topics": n_topics, "n_minority": 7}
        | {"repetition": number, "corpus": number if corpus is None else corpus}
        | {"status": "ok", "reason": ""}
        | dict.fromkeys(COMPARED, value)
        for method, numbers in values.items()
        for number, value in enumerate(numbers)
    ]
    return pd.DataFrame(rows)


def resamples(**values):
    """Scores of every method under resampled documents, and none of JSD."""
    rows = [
        {"dataset": "d", "method": method, "n_topics": 20, "n_minority": 7, "resample": number}
        | {"purity": value, "nmi": value}
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
    assert np.isnan(summary.loc["a", "purity_low"])
    assert list(summary["interval_over"]) == ["", ""]


def test_an_interval_says_what_it_is_over():
    summary = summarise(scores(a=FIVE), ["purity"])
    assert summary.loc[0, "interval_over"] == "corpora and random states"
    assert summary.loc[0, "purity_low"] == pytest.approx(t_interval(FIVE)[0])
    one_corpus = summarise(scores(corpus=0, a=FIVE), ["purity"])
    assert one_corpus.loc[0, "interval_over"] == "random states"
    assert one_corpus.loc[0, "purity_low"] == summary.loc[0, "purity_low"]


def test_on_one_corpus_the_variance_of_documents_is_added():
    documents = resamples(a=[2.0, 3.0, 4.0])  # variance 1
    summary = summarise(scores(corpus=0, a=FIVE), ["purity", "jsd_mean"], resamples=documents)
    assert summary.loc[0, "interval_over"] == "random states and documents"
    ends = summary.loc[0, ["purity_low", "purity_high"]]
    assert tuple(ends) == pytest.approx(t_interval(FIVE, 1.0))
    # JSD counts no documents.
    assert summary.loc[0, "jsd_mean_low"] == pytest.approx(t_interval(FIVE)[0])


def test_fits_of_one_corpus_among_several_count_as_one():
    table = scores(a=np.repeat(FIVE, 2) + np.tile([-0.5, 0.5], 5))
    table["corpus"] = np.repeat(range(5), 2)
    summary = summarise(table, ["purity"])
    assert summary.loc[0, "repetitions"] == 10
    assert summary.loc[0, "purity_low"] == pytest.approx(t_interval(FIVE)[0])
    table["corpus"] = np.repeat([0, 1], 5)
    assert np.isnan(summarise(table, ["purity"]).loc[0, "purity_low"])


def test_comparison_is_paired_by_repetition():
    """A constant difference beneath large variation between corpora is a clear one."""
    base = np.arange(8) / 8
    found = compare(scores(ours=base + 0.25, other=base), "ours", ["other"]).set_index("metric")
    row = found.loc["purity"]
    assert row["difference"] == row["low"] == row["high"] == 0.25
    assert row["p"] == row["p_holm"] == 0
    assert row["effect"] == 1
    assert row["grade"] == "clearly ahead"
    assert row["interval_over"] == "corpora and random states"
    assert found.loc["jsd_mean", "better"] == "lower"
    assert found.loc["jsd_mean", "grade"] == "behind"
    assert list(found.index) == list(COMPARED)


def test_columns_of_a_comparison():
    found = compare(scores(ours=FIVE, other=FIVE), "ours", ["other"])
    assert list(found) == [
        "dataset", "n_topics", "n_minority", "metric", "better", "ours", "other", "repetitions",
        "units", "ours_mean", "other_mean", "difference", "low", "high", "effect", "p", "p_holm",
        "grade", "interval_over",
    ]  # fmt: skip
    assert set(found["p"]) == {1}
    assert set(found["grade"]) == {"too few repetitions"}


def test_a_comparison_of_nothing_has_its_columns():
    failed = scores(ours=FIVE, other=FIVE).assign(status="failed")
    assert list(compare(failed, "ours", ["other"])) == COMPARISON_COLUMNS


def test_resamples_without_a_method_are_told():
    resamples = pd.DataFrame(
        {"n_topics": 20, "n_minority": 7, "method": "ours", "resample": [0, 1], "purity": 0.5}
    )
    with pytest.raises(ValueError, match="resamples: there is no row of other"):
        compare(scores(ours=FIVE, other=FIVE), "ours", ["other"], resamples)


def test_comparison_leaves_out_repetitions_that_failed():
    table = scores(ours=[0.5, 0.6, 0.7], other=[0.4, 0.4, 0.4], third=[0.1, 0.1, 0.1])
    table.loc[(table["method"] == "other") & (table["repetition"] == 2), "status"] = "failed"
    found = compare(table, "ours", ["other", "third"]).query("metric == 'nmi'").set_index("other")
    assert found.loc["other", "repetitions"] == 2
    assert found.loc["other", "ours_mean"] == pytest.approx(0.55)
    assert found.loc["third", "repetitions"] == 3


def test_comparison_on_one_corpus_adds_the_documents_that_both_share():
    rng = np.random.default_rng(0)
    values = {"ours": 0.5 + rng.normal(0, 0.01, 8), "other": 0.45 + rng.normal(0, 0.01, 8)}
    table = scores(corpus=0, **values)
    luck = rng.normal(0, 0.1, 50)
    # Both move with the documents alike: the difference does not move at all.
    alike = resamples(ours=luck, other=luck)
    apart = resamples(ours=luck, other=-luck)
    plain, same, wide = (
        compare(table, "ours", ["other"], documents).set_index("metric")
        for documents in (None, alike, apart)
    )
    assert plain.loc["purity", "interval_over"] == "random states"
    assert same.loc["purity", "interval_over"] == "random states and documents"
    assert same.loc["purity", "p"] == pytest.approx(plain.loc["purity", "p"])
    differences = values["ours"] - values["other"]
    added = (2 * luck).var(ddof=1)
    assert wide.loc["purity", "low"] == pytest.approx(t_interval(differences, added)[0])
    assert wide.loc["purity", "p"] == pytest.approx(paired_p(differences, added))
    assert plain.loc["purity", "grade"] == "clearly ahead"
    assert wide.loc["purity", "grade"] == "ahead but not clear"
    assert wide.loc["jsd_mean", "p"] == plain.loc["jsd_mean", "p"]
    assert wide.loc["jsd_mean", "interval_over"] == "random states"


def test_the_first_method_that_is_no_control_is_compared_with_its_rivals():
    methods = read_methods()
    table = scores(truth=[1.0, 1.0], nmf=[0.5, 0.6], random=[0.1, 0.1], lda=[0.4, 0.4])
    found = compare_with_first(table, methods)
    assert set(zip(found["ours"], found["other"], strict=True)) == {("nmf", "lda")}
    assert first_model(methods, ["truth", "constrained_nmf", "nmf"]) == "constrained_nmf"
    with pytest.raises(ConfigError, match="name at least one that is not a control"):
        first_model(methods, ["truth", "random"])


def test_variants_are_added_and_no_fit_counts_twice():
    first, second = scores(nmf=FIVE, lda=FIVE), scores(n_topics=30, nmf=FIVE, lda=FIVE)
    variants = scores(nmf=FIVE, lda=FIVE, corex_strength2=FIVE)
    table = with_variants(pd.concat([first, second]), variants)
    summary = summarise(table, ["purity"]).set_index(["n_topics", "method"])
    assert summary["repetitions"].to_dict() == {
        (20, "nmf"): 5, (20, "lda"): 5, (30, "nmf"): 5, (30, "lda"): 5, (20, "corex_strength2"): 5,
    }  # fmt: skip
    found = compare_with_first(table, read_methods())
    assert set(zip(found["n_topics"], found["other"], strict=True)) == {
        (20, "lda"), (20, "corex_strength2"), (30, "lda"),
    }  # fmt: skip
    assert with_variants(first) is first
