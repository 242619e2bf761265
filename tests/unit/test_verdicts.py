"""Verdicts follow from the tables: made-up studies whose answers are known."""

import pandas as pd
import pytest

from minority_topics.scores.verdicts import claims, numbers

SOLVERS = {"exact": "exact", "paper": "as published"}
BASELINES = {"nmf": "NMF", "lda": "LDA"}


def study(settings, feasible=("exact",)):
    """Scores by setting and method: one value serves purity and NMI, one JSD; three repetitions."""
    rows = []
    for (n_topics, n_minority), methods in settings.items():
        for method, (score, jsd) in methods.items():
            for repetition in range(3):
                rows.append(
                    {
                        "dataset": "d", "method": method, "n_topics": n_topics,
                        "n_minority": n_minority, "repetition": repetition, "status": "ok",
                        "reason": "", "purity": score + 0.001 * repetition,
                        "nmi": score, "jsd_mean": jsd, "feasible": method in feasible,
                    }
                )  # fmt: skip
    return pd.DataFrame(rows)


MAIN = {"exact": (0.5, 0.6), "paper": (0.1, 0.9), "nmf": (0.2, 0.7), "lda": (0.15, 0.8)}
MORE = {"exact": (0.6, 0.6), "paper": (0.09, 0.9), "nmf": (0.3, 0.7), "lda": (0.15, 0.8)}


@pytest.fixture
def scores():
    return study({(20, 7): MAIN, (30, 10): MORE})


def verdicts(scores, constraints=None, trajectory=None):
    table = claims(scores, constraints, trajectory, SOLVERS, BASELINES)
    return table.set_index("claim")


def test_each_solver_is_judged_by_itself(scores):
    found = verdicts(scores)
    for claim in ("best_purity", "best_nmi", "best_jsd", "all_settings", "rising", "constraints"):
        assert found.loc[claim, "verdict"] == "holds for exact"
    evidence = found.loc["best_purity", "evidence"]
    assert (
        "exact: 0.501 [0.500, 0.502] against 0.201 [0.200, 0.202] of NMF, intervals apart"
        in evidence
    )
    assert found.loc["constraints", "evidence"] == (
        "exact: met in 6 of 6 fits; as published: met in 0 of 6 fits"
    )


def test_a_claim_may_hold_for_none_or_all():
    beaten = {**MAIN, "nmf": (0.9, 0.1)}
    found = verdicts(study({(20, 7): beaten, (30, 10): beaten}, feasible=SOLVERS))
    assert found.loc["best_nmi", "verdict"] == "does not hold"
    assert found.loc["constraints", "verdict"] == "holds"
    assert found.loc["rising", "verdict"] == "does not hold"


def test_without_evidence_nothing_is_claimed():
    found = verdicts(study({(20, 7): MAIN}))
    for claim in ("robust", "monotone", "all_settings", "rising"):
        assert found.loc[claim, "verdict"] == "not tested"


def test_one_rise_of_the_objective_is_one_too_many(scores):
    curves = {"exact": [9, 5, 5, 4], "paper": [9, 5, 5.1, 4]}
    trajectory = pd.DataFrame(
        [
            {"method": method, "repetition": 0, "iteration": i, "objective": float(value)}
            for method, curve in curves.items()
            for i, value in enumerate(curve)
        ]
    )
    found = verdicts(scores, trajectory=trajectory)
    assert found.loc["monotone", "verdict"] == "holds for exact"


def test_robust_is_ahead_of_the_best_baseline_at_every_point(scores):
    points = pd.DataFrame(
        [
            {"method": "exact", "w_max": w, "theta_min": 0.4, "status": "ok"}
            | {"purity": purity, "nmi": 0.5}
            for w, purity in ((0, 0.4), (1, 0.1))
        ]
    )
    found = verdicts(scores, constraints=points)
    assert found.loc["robust", "verdict"] == "does not hold"
    assert "above the best baseline at 1" in found.loc["robust", "evidence"]


def test_published_numbers_are_set_beside_every_solver(scores):
    published = pd.DataFrame(
        {"purity": [0.5005, 0.2], "nmi": [0.4, 0.2]}, index=["constrained_nmf", "nmf"]
    )
    table = numbers(scores, published, SOLVERS).set_index(["method", "metric"])
    assert len(table) == 6  # two solvers and NMF; LDA has no published number here
    assert table.loc[("exact", "purity"), "in_interval"]
    assert table.loc[("exact", "purity"), "ours"] == pytest.approx(0.501)
    assert not table.loc[("paper", "nmi"), "in_range"]
    assert table.loc[("nmf", "purity"), "in_range"]


def test_scores_that_are_missing_are_no_verdict(scores):
    """As with comments that have no labels."""
    nothing = scores.assign(purity=float("nan"), nmi=float("nan"), jsd_mean=float("nan"))
    points = pd.DataFrame(
        [{"method": "exact", "w_max": 0, "theta_min": 0, "status": "ok", "purity": 1.0, "nmi": 1.0}]
    )
    found = verdicts(nothing, constraints=points)
    for claim in ("best_purity", "best_nmi", "best_jsd", "all_settings", "rising", "robust"):
        assert found.loc[claim, "verdict"] == "not tested"
    assert found.loc["constraints", "verdict"] == "holds for exact"


def test_an_ablation_of_another_method_is_passed_over(scores):
    points = pd.DataFrame(
        [{"method": "other", "w_max": 0, "theta_min": 0, "status": "ok", "purity": 1.0, "nmi": 1.0}]
    )
    assert verdicts(scores, constraints=points).loc["robust", "verdict"] == "not tested"
