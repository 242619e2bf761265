"""Verdicts follow from the tables: made-up studies whose answers are computed by hand."""

import numpy as np
import pandas as pd
import pytest
from helpers import with_all_columns
from scipy.stats import spearmanr

from minority_topics.cli import main
from minority_topics.scores.claims import CLAIMS, rank_correlation
from minority_topics.scores.evidence import WORDS, Study
from minority_topics.scores.statistics import COMPARED
from minority_topics.scores.tables import write_frame
from minority_topics.scores.verdicts import NUMBER_COLUMNS, claims, judge, numbers
from minority_topics.study.registry import Method

# Mean 0, variance 2e-4: half of an interval over all six is 2.5706 sqrt(2e-4 / 6) = 0.0148.
NOISE = np.array([0, 0.01, -0.01, 0.02, -0.02, 0])
METRICS = dict.fromkeys([*WORDS, *COMPARED])
VERDICTS = {"holds", "holds in part", "does not hold", "too few repetitions", "not tested"}
VERDICTS |= {"clearly ahead", "ahead but not clear", "behind"}


def method(name, label, module="nmf", kind="unguided", variant_of="", **options):
    return Method(name, label, module, "env", "package", kind, options, 1, 1, 1, "", variant_of)


def ours(name, label, variant_of="constrained_nmf", **options):
    return method(name, label, "constrained_nmf", "guided", variant_of, **options)


METHODS = {
    row.name: row
    for row in (
        ours("constrained_nmf", "Constrained NMF", ""),
        ours("paper", "as published", solver="paper"),
        ours("paper_h2", "H update 2", solver="paper", h_update=2),
        method("nmf", "NMF"),
        method("nmf_tuned", "tuned", variant_of="nmf"),
        method("lda", "LDA"),
        method("corex", "Corex", kind="guided"),
        method("guidedlda", "GuidedLDA", kind="guided"),
        method("seededlda", "SeededLDA", kind="guided"),
        method("keyatm", "KeyATM", kind="guided"),
        method("guidednmf", "GuidedNMF", kind="guided"),
        method("peer", "Peer", kind="guided"),
        method("random", "Random labels", "controls", "control", labels="random"),
        method("truth", "True labels", "controls", "control", labels="truth"),
        method("keyword_random", "Keyword random", "keywords", "control", clusters="random"),
        method("keyword_kmeans", "Keyword k-means", "keywords", "control", clusters="kmeans"),
    )
}


def fits(name, values, setting=(20, 7), repetitions=6, one_corpus=False, **more):
    """Fits of a method; `values` are means by metric, one number serves all. Ours have noise."""
    values = values if isinstance(values, dict) else dict.fromkeys(METRICS, values)
    noise = NOISE if METHODS[name].ours else np.zeros(6)
    return pd.DataFrame(
        {
            "dataset": "d", "method": name, "n_topics": setting[0], "n_minority": setting[1],
            "repetition": repetition, "corpus": 0 if one_corpus else repetition, "status": "ok",
            "reason": "", "feasible": METHODS[name].ours, "least_denominator": np.nan,
            **{metric: mean + noise[repetition % 6] for metric, mean in values.items()}, **more,
        }
        for repetition in range(repetitions)
    )  # fmt: skip


def table(values, **more):
    """Fits of several methods, by name."""
    return pd.concat([fits(name, value, **more) for name, value in values.items()])


def judged(scores, **tables):
    """Verdict and evidence of each claim, by claim and method."""
    found = claims(Study(scores, METHODS, **tables))
    assert all(row.split(",")[0] in VERDICTS for row in found["verdict"])
    return found.set_index(["claim", "method"])[["verdict", "evidence"]]


def verdict(name, scores, solver="constrained_nmf", **tables):
    """Verdict and evidence of one claim for one solver."""
    claim = next(claim for claim in CLAIMS if claim.name == name)
    return judge(Study(scores, METHODS, **tables), claim)[solver]


# Best of all.


def test_the_closest_rival_decides_with_difference_interval_and_p():
    found, evidence = verdict(
        "best_purity", table({"constrained_nmf": 0.5, "lda": 0.1, "nmf": 0.2})
    )
    assert found == "clearly ahead"
    assert evidence == (
        "Purity is 0.500 on average. The hardest rival among the models (2) is NMF, with 0.200: a "
        "difference of +0.300 (95% interval over corpora and random states +0.285 to +0.315, "
        "corrected p < 0.001, 6 repetitions)."
    )


def test_a_lead_within_the_noise_is_not_clear():
    found, evidence = verdict("best_nmi", table({"constrained_nmf": 0.5, "nmf": 0.498}))
    assert found == "ahead but not clear"
    # t = 0.002 / 0.0057735 = 0.3464 with 5 degrees of freedom.
    assert "+0.002 (95% interval over corpora and random states -0.013 to +0.017" in evidence
    assert "corrected p = 0.743" in evidence


@pytest.mark.parametrize("added", ["nmf_tuned", "peer"])
def test_tunings_and_peers_count_for_best_of_all(added):
    scores = table({"constrained_nmf": 0.5, "nmf": 0.2})
    variants = pd.concat([scores, table({added: 0.6})])
    found, evidence = verdict("best_purity", scores, variants=variants)
    assert found == "behind"
    label = {"nmf_tuned": "NMF (tuned)", "peer": "Peer"}[added]
    assert f"The hardest rival among the models (2) is {label}, with 0.600" in evidence
    assert "-0.100 (95% interval over corpora and random states -0.115 to -0.085" in evidence


def test_other_solvers_are_no_rivals_and_each_is_judged_by_itself():
    found = judged(table({"constrained_nmf": 0.5, "paper": 0.1, "nmf": 0.2}))
    assert found.loc[("best_purity", "constrained_nmf"), "verdict"] == "clearly ahead"
    assert found.loc[("best_purity", "paper"), "verdict"] == "behind"


def test_less_is_better_in_jsd():
    found = judged(table({"constrained_nmf": 0.5, "paper": 0.9, "nmf": 0.7}))
    assert found.loc[("best_jsd", "constrained_nmf"), "verdict"] == "clearly ahead"
    assert found.loc[("best_jsd", "paper"), "verdict"] == "behind"
    evidence = found.loc[("best_jsd", "constrained_nmf"), "evidence"]
    assert evidence.startswith("Mean JSD, where lower is better, is 0.500 on average.")


@pytest.mark.parametrize(
    ("controls", "suffix"),
    [
        ({"keyword_kmeans": 0.1, "keyword_random": 0.1}, ""),
        (
            {"keyword_kmeans": 0.6, "keyword_random": 0.498},
            ", behind the control Keyword k-means",
        ),
        (
            {"keyword_kmeans": 0.1, "keyword_random": 0.498},
            ", not clear of the control Keyword random",
        ),
    ],
)
def test_a_verdict_names_the_control_that_is_not_clearly_beaten(controls, suffix):
    scores = table({"constrained_nmf": 0.5, "nmf": 0.2, "truth": 1.0, **controls})
    found, evidence = verdict("best_purity", scores)
    assert found == "clearly ahead" + suffix
    assert f"The control Keyword k-means has {controls['keyword_kmeans']:.3f}" in evidence


def test_behind_models_and_a_control_is_said_once():
    scores = table({"constrained_nmf": 0.5, "nmf": 0.8, "keyword_kmeans": 0.7})
    assert verdict("best_purity", scores)[0] == "behind models and the control Keyword k-means"


def test_a_rival_with_few_repetitions_is_named_and_does_not_decide():
    scores = pd.concat(
        [table({"constrained_nmf": 0.5, "nmf": 0.2}), fits("lda", 0.9, repetitions=5)]
    )
    found, evidence = verdict("best_purity", scores)
    assert found == "clearly ahead"
    assert evidence.endswith("Too few repetitions to compare with LDA.")


def test_on_one_corpus_the_interval_is_over_documents_too():
    scores = table({"constrained_nmf": 0.5, "nmf": 0.2}, one_corpus=True)
    resamples = pd.DataFrame(
        {
            "dataset": "d", "method": name, "n_topics": 20, "n_minority": 7, "resample": draw,
            "purity": value, "nmi": value, "ami": value, "ami_injected": value,
        }
        for name, values in {"constrained_nmf": (0.3, 0.7), "nmf": (0.2, 0.2)}.items()
        for draw, value in enumerate(values)
    )  # fmt: skip
    found, evidence = verdict("best_purity", scores, resamples=resamples)
    # Variance 2e-4 / 6 + 0.08, nearly all of 200 resamples: half is 1.9719 * 0.28290 = 0.5579.
    assert "95% interval over random states and documents -0.258 to +0.858" in evidence
    assert found == "ahead but not clear"


def test_without_the_papers_setting_the_first_one_decides():
    scores = pd.concat(
        [
            table({"constrained_nmf": 0.5, "nmf": 0.2}, setting=(30, 10)),
            table({"constrained_nmf": 0.5, "nmf": 0.9}, setting=(10, 3)),
        ]
    )
    assert verdict("best_purity", scores)[0] == "clearly ahead"


def test_the_best_three_in_jsd():
    scores = {"constrained_nmf": 0.5, "paper": 0.9, "nmf": 0.4, "keyatm": 0.6, "lda": 0.7}
    found = judged(table(scores)).loc["best_three_jsd"]
    assert tuple(found.loc["constrained_nmf"]) == (
        "holds",
        "The least mean JSDs of 4 models are NMF 0.400, Constrained NMF 0.500 and KeyATM 0.600.",
    )
    assert tuple(found.loc["paper"]) == (
        "does not hold",
        "The least mean JSDs of 4 models are NMF 0.400, KeyATM 0.600 and LDA 0.700; "
        "Constrained NMF (as published) 0.900 in place 4.",
    )
    found = verdict("best_three_jsd", table({**scores, "keyatm": 0.8}))
    assert found[0] == "holds in part"
    assert found[1].endswith("LDA 0.700; KeyATM 0.800 in place 4.")


# More topics.


def in_two_settings(few, many):
    return pd.concat([table(few), table(many, setting=(80, 20))])


def test_the_weakest_grade_over_all_settings():
    few = {"constrained_nmf": 0.5, "nmf": 0.2, "keyword_kmeans": 0.1}
    found, evidence = verdict("all_settings", in_two_settings(few, {**few, "keyword_kmeans": 0.7}))
    assert found == "clearly ahead, behind the control Keyword k-means"
    assert evidence == (
        "At 20/7: purity clearly ahead (+0.300 against NMF) and NMI clearly ahead (+0.300 "
        "against NMF). "
        "At 80/20: purity clearly ahead (+0.300 against NMF) and NMI clearly ahead (+0.300 "
        "against NMF). "
        "The differences are over corpora and random states. "
        "Not clearly ahead of a keyword control in purity at 80/20 (-0.200 against Keyword "
        "k-means) and NMI at 80/20 (-0.200 against Keyword k-means)."
    )
    found, evidence = verdict("all_settings", in_two_settings(few, {**few, "nmf": 0.499}))
    assert found == "ahead but not clear"
    assert "At 80/20: purity ahead but not clear (+0.001 against NMF)" in evidence
    many = {**few, "nmf": {**dict.fromkeys(METRICS, 0.2), "nmi": 0.6}}
    assert verdict("all_settings", in_two_settings(few, many))[0] == "behind"


def test_rising_beside_random_labels():
    few = {"constrained_nmf": 0.3, "paper": 0.3, "random": 0.1}
    many = {
        "constrained_nmf": {**dict.fromkeys(METRICS, 0.5), "ami": 0.3, "purity_adjusted": 0.2},
        "paper": {**dict.fromkeys(METRICS, 0.5), "nmi": 0.2},
        "random": {**dict.fromkeys(METRICS, 0.25), "ami": 0.1},
    }
    found = judged(in_two_settings(few, many))
    holds, evidence = found.loc["rising", "constrained_nmf"]
    assert holds == "holds"
    # Noise is the same in both settings, so the difference has none.
    assert evidence.startswith(
        "Purity is 0.300 and 0.500 at 20/7 and 80/20: a change of +0.200 (95% interval over "
        "corpora and random states +0.200 to +0.200, p < 0.001, 6 repetitions). NMI is"
    )
    assert evidence.endswith("Random labels change by +0.150 in purity and +0.150 in NMI.")
    assert found.loc[("rising", "paper"), "verdict"] == "holds in part"
    holds, evidence = found.loc["rising_adjusted", "constrained_nmf"]
    assert holds == "does not hold"
    assert evidence.endswith("Random labels change by +0.150 in adjusted purity and +0.000 in AMI.")


def test_a_fall_between_is_no_rise():
    scores = pd.concat(
        fits("constrained_nmf", value, setting=setting)
        for value, setting in ((0.3, (20, 7)), (0.2, (30, 10)), (0.5, (80, 20)))
    )
    assert verdict("rising", scores)[0] == "does not hold"


def test_most_baselines_fall():
    few = {"constrained_nmf": 0.5, "nmf": 0.3, "lda": 0.3, "corex": 0.3}
    both = {metric: (0.2 if metric == "nmi" else 0.4) for metric in METRICS}
    many = {"constrained_nmf": 0.5, "nmf": both, "lda": both, "corex": 0.4}
    assert verdict("baselines_fall", in_two_settings(few, many), "") == (
        "holds in part",
        "From 20/7 to 80/20, 0 of 3 baselines fall clearly in purity and "
        "2 of 3 baselines fall clearly in NMI (NMF, LDA).",
    )
    found = verdict("baselines_fall", in_two_settings(few, {**many, "nmf": 0.1, "lda": 0.1}), "")
    assert found[0] == "holds"
    found = verdict("baselines_fall", in_two_settings(few, {**many, "nmf": 0.4, "lda": 0.4}), "")
    assert found[0] == "does not hold"


# The grid.


def test_robust_counts_the_points_that_are_clearly_ahead():
    scores = table({"constrained_nmf": 0.5, "nmf": 0.3, "keyword_kmeans": 0.45, "keyatm": 0.1})
    points = pd.concat(
        fits("constrained_nmf", value, w_max=w_max, theta_min=0.4)
        for w_max, value in ((0, 0.5), (1e-9, 0.4), (1e9, 0.301))
    )
    found, evidence = verdict("robust", scores, constraints=points)
    assert found == "holds in part"
    assert evidence == (
        "Over 3 points (w_max 0 to no bound and theta_min 0.4 to 0.4): purity 0.301 to 0.500, NMI "
        "0.301 to 0.500 and mean JSD 0.301 to 0.500. Clearly ahead of every model at 2 of 3 points "
        "in purity, 2 of 3 points in NMI and 0 of 3 points in mean JSD. Clearly ahead of every "
        "keyword control at 1 of 3 points in purity, 1 of 3 points in NMI and 2 of 3 points in "
        "mean JSD. The differences are over corpora and random states."
    )
    assert verdict("robust", scores, constraints=points[points["w_max"] < 1])[0] == "holds"
    assert verdict("robust", scores, constraints=points[points["w_max"] > 1])[0] == "does not hold"


def test_an_ablation_of_another_method_is_passed_over():
    points = fits("corex", 0.9, w_max=0, theta_min=0)
    found = verdict("robust", table({"constrained_nmf": 0.5, "nmf": 0.3}), "", constraints=points)
    assert found == ("not tested", "The study has no ablation of W_max and theta_min.")


# The algorithm.

SCORES = table({"constrained_nmf": 0.5, "paper": 0.1, "nmf": 0.2})


def trajectory(*curves, name="paper"):
    return pd.DataFrame(
        {"method": name, "repetition": fit, "iteration": i, "objective": value, "feasible": True}
        for fit, curve in enumerate(curves)
        for i, value in enumerate(curve)
    )


def test_one_rise_of_the_objective_is_one_too_many():
    falling, rising = [9.0, 5.0, 5.0, 4.0], [9.0, 5.0, 5.1, 4.0]
    found = verdict("monotone", SCORES, "paper", trajectory=trajectory(*[falling] * 6))
    assert found == ("holds", "The objective rises in some iteration in 0 of 6 fits.")
    curves = [rising, *[falling] * 5]
    found = verdict("monotone", SCORES, "paper", trajectory=trajectory(*curves))
    assert found == (
        "holds in part",
        "The objective rises in some iteration in 1 of 6 fits, by 0.02 of itself at most.",
    )
    found = verdict("monotone", SCORES, "paper", trajectory=trajectory(*[rising] * 6))
    assert found[0] == "does not hold"


def test_share_of_the_fall_after_twenty_iterations():
    slow = [100.0 - i for i in range(42)]  # 19 of 40 after the first iteration
    fast = [9000.0, 100.0, *[10.0] * 18, 5.0, 0.0]  # 95 of 100 at iteration 20
    short = [10.0, 5.0]
    found = verdict("fast_fall", SCORES, "paper", trajectory=trajectory(*[fast, short] * 3))
    assert found == (
        "holds",
        "After 20 iterations 97.5% of the fall is reached on average, 95.0% at least; "
        "90% or more in 6 of 6 fits.",
    )
    found = verdict("fast_fall", SCORES, "paper", trajectory=trajectory(*[slow] * 6))
    assert found[0] == "does not hold"
    assert "47.5% of the fall is reached on average" in found[1]


def test_constraints_and_denominators_of_every_fit():
    scores = table({"constrained_nmf": 0.5, "paper": 0.1})
    paper = (scores["method"] == "paper").to_numpy()
    scores.loc[paper, "feasible"] = False
    scores.loc[paper, "least_denominator"] = [0.25, 0.5, 1, 2, 3, -0.125]
    found = judged(scores)
    assert tuple(found.loc["constraints", "constrained_nmf"]) == (
        "holds",
        "Both constraints are met in 6 of 6 fits.",
    )
    assert found.loc[("constraints", "paper"), "verdict"] == "does not hold"
    assert list(found.loc["denominators"].index) == ["paper"]  # the exact solver has none
    assert tuple(found.loc["denominators", "paper"]) == (
        "holds in part",
        "It stays above 0 in 5 of 6 fits; the least is -0.125.",
    )


def test_version_2_of_the_h_update_against_version_1():
    same = pd.concat([SCORES, fits("paper_h2", 0.1)])
    found = judged(SCORES, variants=same).loc["h_update_2"]
    assert list(found.index) == ["paper"]
    assert found.loc["paper", "verdict"] == "holds"
    better = {**dict.fromkeys(METRICS, 0.1), "purity": 0.3}
    found, evidence = verdict(
        "h_update_2", SCORES, "paper", variants=pd.concat([SCORES, fits("paper_h2", better)])
    )
    assert found == "holds in part"
    assert evidence.startswith(
        "Purity is 0.300 by version 2 and 0.100 by version 1, so version 2 is clearly ahead: "
        "a difference of +0.200"
    )
    worse = pd.concat([SCORES, fits("paper_h2", 0.05)])
    assert verdict("h_update_2", SCORES, "paper", variants=worse)[0] == "does not hold"


# What topics hold, and the published table.


def test_seed_words_on_top_beside_the_guided_models():
    shares = {"constrained_nmf": 0.9, "corex": 1.0, "guidedlda": 0.9, "seededlda": 0.3}
    found, evidence = verdict("seeds_on_top", table({**shares, "peer": 0.5, "nmf": 0.0}))
    assert found == "holds in part"
    assert evidence.startswith(
        "Of the ten top words of minority topics 90% are seed words; of guided models: "
        "Corex 100% (difference -10 points, corrected p < 0.001), GuidedLDA 90% (difference "
    )
    assert "SeededLDA 30% (difference +60 points" in evidence
    assert "Peer 50%" in evidence
    assert "NMF" not in evidence
    assert verdict("seeds_on_top", table({**shares, "constrained_nmf": 0.1}))[0] == "holds"


PUBLISHED = pd.DataFrame(
    {"purity": [0.6, 0.5, 0.4, 0.3, 0.2, 0.1], "nmi": [0.6, 0.5, 0.4, 0.3, 0.2, 0.1]},
    index=["constrained_nmf", "nmf", "lda", "corex", "guidedlda", "keyatm"],
)


def test_order_of_the_published_table():
    scores = {"constrained_nmf": 0.6, "paper": 0.05, "nmf": 0.5, "lda": 0.4, "corex": 0.3}
    scores |= {"guidedlda": 0.2, "keyatm": 0.1, "peer": 0.9}
    found, evidence = verdict("order", table(scores), published=PUBLISHED)
    # Of the 720 orders only two are as far: p is near 1 / 360.
    assert found == "holds"
    assert evidence.startswith(
        "Rank correlation with the published scores of 6 models: 1.00 in purity (p = 0.00"
    )
    # The first of six comes last and the others move up: 1 - 6 (25 + 5) / 210 = 1 / 7.
    found, evidence = verdict("order", table(scores), "paper", published=PUBLISHED)
    assert found == "does not hold"
    assert "0.14 in purity" in evidence
    elsewhere = table(scores, setting=(30, 10))
    found = verdict("order", elsewhere, "", published=PUBLISHED)
    assert found == ("not tested", "The study has no scores of 6 published models at 20/7.")


def test_rank_correlation_is_spearmans():
    rng = np.random.default_rng(3)
    first = rng.normal(size=12).round(1)
    second = first + rng.normal(size=12)
    expected = spearmanr(first, second)
    rho, p = rank_correlation(first, second)
    assert rho == pytest.approx(expected.statistic)
    assert p == pytest.approx(expected.pvalue, abs=0.01)


# Of our own.


def test_what_each_part_brings():
    changes = {
        "random start instead of block": -0.13,
        "one start instead of eight": 0.0,
        "one random start instead of eight block starts": -0.2,
        "projected instead of exact": -0.01,
        "both constraints off": -0.3,
    }

    def parts(**changed):
        return pd.DataFrame(
            {
                "dataset": "d", "base": "ours", "change": change, "metric": metric,
                "base_mean": 0.26, "changed_mean": 0.26 + difference, "difference": difference,
                "low": difference, "high": difference, "p_holm": 0.001 if difference else 1.0,
                "repetitions": 6, "units": 6, "interval_over": "random states",
            }
            for metric in ("purity", "nmi")
            for change, difference in {**changes, **changed.get(metric, {})}.items()
        )  # fmt: skip

    found, evidence = verdict("parts", SCORES, "", parts=parts())
    assert found == "does not hold"
    assert evidence.startswith(
        "Our model has purity 0.260. It changes by one part at a time: -0.130 by random start "
        "instead of block, +0.000 by one start instead of eight (not clear), -0.200 by one random "
        "start instead of eight block starts, -0.010 by projected instead of exact and -0.300 by "
        "both constraints off. Our model has NMI 0.260"
    )
    assert evidence.endswith("The differences are over random states.")
    solver = {"projected instead of exact": -0.19}
    assert verdict("parts", SCORES, "", parts=parts(nmi=solver))[0] == "holds in part"
    # What the published solver loses does not count where the projected one loses little.
    published = {"published instead of exact": -0.19}
    assert verdict("parts", SCORES, "", parts=parts(nmi=published))[0] == "does not hold"
    found = verdict("parts", SCORES, "", parts=parts(nmi=solver, purity=solver))
    assert found[0] == "holds"
    few = parts().assign(units=5)
    assert verdict("parts", SCORES, "", parts=few)[0] == "too few repetitions"


def test_our_own_claims_are_not_the_papers():
    own = {"rising_adjusted", "best_ami_injected", "best_f1", "parts"}
    assert {claim.name for claim in CLAIMS if not claim.paper} == own


# What is not there.


def test_nothing_is_decided_below_six_repetitions():
    names = ["constrained_nmf", "paper", "nmf", "lda", "corex", "guidedlda", "keyatm"]
    scores = pd.concat(
        table(dict.fromkeys(names, value), setting=setting, repetitions=5)
        for value, setting in ((0.5, (20, 7)), (0.6, (80, 20)))
    )
    first = scores[scores["n_topics"] == 20]
    found = judged(
        scores.assign(least_denominator=1.0),
        variants=pd.concat([first, fits("paper_h2", 0.5, repetitions=5)]),
        constraints=fits("constrained_nmf", 0.9, repetitions=5, w_max=0, theta_min=0),
        trajectory=trajectory(*[[2.0, 1.0]] * 5),
        published=PUBLISHED,
    )
    counted = {"constraints", "denominators"}  # of all settings, so there are ten fits
    undecided = found[~found.index.get_level_values("claim").isin([*counted, "parts"])]
    assert set(undecided["verdict"]) == {"too few repetitions"}
    assert set(undecided.index.get_level_values("claim")) == (
        {claim.name for claim in CLAIMS} - counted - {"parts"}
    )


def test_without_evidence_nothing_is_claimed():
    scores = table({"constrained_nmf": 0.5, "nmf": 0.2})
    found = claims(Study(scores, METHODS)).set_index("claim")
    for claim in CLAIMS:
        leads = [f"best_{metric}" for metric in ("purity", "nmi", "jsd", "ami_injected", "f1")]
        if claim.name not in (*leads, "constraints"):
            assert tuple(found.loc[claim.name, ["method", "verdict", "evidence"]]) == (
                "",
                "not tested",
                claim.missing,
            )


def test_scores_that_are_missing_are_no_verdict():
    """As with comments that have no labels."""
    scores = in_two_settings(
        {"constrained_nmf": 0.5, "nmf": 0.2}, {"constrained_nmf": 0.5, "nmf": 0.2}
    )
    scores[list(METRICS)] = np.nan
    points = fits("constrained_nmf", np.nan, w_max=0, theta_min=0)
    found = claims(Study(scores, METHODS, constraints=points, published=PUBLISHED))
    assert set(found.loc[found["claim"] != "constraints", "verdict"]) == {"not tested"}
    assert found.set_index("claim").loc["constraints", "verdict"] == "holds"


# Numbers.


def test_published_numbers_are_set_beside_every_solver():
    scores = pd.concat(
        [SCORES, table({"nmf": 0.9}, setting=(30, 10)), fits("keyatm", 0.1, repetitions=4)]
    )
    found = numbers(Study(scores, METHODS, published=PUBLISHED.assign(purity=0.51)))
    assert list(found.columns) == NUMBER_COLUMNS
    found = found.set_index(["method", "metric"])
    assert len(found) == 8  # two solvers, NMF and KeyATM
    exact = found.loc["constrained_nmf", "purity"]
    assert (exact["published"], exact["ours"]) == (0.51, pytest.approx(0.5))
    assert (exact["low"], exact["high"]) == (
        pytest.approx(0.4852, abs=1e-4),
        pytest.approx(0.5148, abs=1e-4),
    )
    assert (exact["least"], exact["most"]) == (pytest.approx(0.48), pytest.approx(0.52))
    assert exact["in_interval"]
    assert exact["in_range"]
    assert not found.loc[("paper", "purity"), "in_range"]
    assert found.loc[("nmf", "nmi"), "ours"] == pytest.approx(0.2)
    # Below five repetitions there is no interval to be in.
    assert found.loc[("keyatm", "nmi"), "in_interval"] is None
    assert found.loc[("keyatm", "nmi"), "in_range"]


def test_a_published_number_is_never_set_beside_another_setting():
    scores = table({"constrained_nmf": 0.5, "nmf": 0.2}, setting=(30, 10))
    found = numbers(Study(scores, METHODS, published=PUBLISHED))
    assert found.empty
    assert list(found.columns) == NUMBER_COLUMNS


def test_the_verb_reads_the_tables_and_writes_both(tmp_path):
    scores = with_all_columns(table({"constrained_nmf": 0.5, "nmf": 0.2, "keyatm": 0.3}))
    curves = trajectory(*[[3.0, 2.0]] * 6, name="constrained_nmf")
    points = with_all_columns(fits("constrained_nmf", 0.5, w_max=0, theta_min=0))
    words = []
    for name, frame in {"trajectory": curves, "constraints": points, "variants": scores}.items():
        write_frame(tmp_path / f"{name}.csv", frame)
        words += [f"--{name}", str(tmp_path / f"{name}.csv")]
    write_frame(tmp_path / "scores.csv", scores)
    out = {name: tmp_path / f"{name}.csv" for name in ("numbers", "claims")}
    words += [word for name, path in out.items() for word in (f"--{name}", str(path))]
    main(["verdicts", str(tmp_path / "scores.csv"), *words, "--resamples", "--parts"])
    found = pd.read_csv(out["claims"]).set_index("claim")
    assert list(found.columns) == ["statement", "paper", "method", "verdict", "evidence"]
    for claim in ("best_purity", "robust"):
        assert found.loc[claim, "verdict"] in ("clearly ahead", "holds")
    assert found.loc["monotone", "verdict"] == "holds"
    assert found.loc["parts", "verdict"] == "not tested"
    # The paper has purity 0.1765 of its model, and 0.0969 of NMF.
    found = pd.read_csv(out["numbers"]).set_index(["method", "metric"])
    assert found.loc[("constrained_nmf", "purity"), "published"] == 0.1765
    assert found.loc[("nmf", "purity"), "published"] == 0.0969
