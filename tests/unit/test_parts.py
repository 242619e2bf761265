"""What each part of the model brings, by values computed by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest
from helpers import with_all_columns
from scipy.stats import ttest_rel

from minority_topics.cli import main
from minority_topics.scores.parts import BASES, COLUMNS, OFF, OPTIONS, OURS, PUBLISHED, parts
from minority_topics.scores.statistics import COMPARED, holm
from minority_topics.scores.tables import read_frame, write_frame

GRID = {
    "solver": ["exact", "projected", "paper"],
    "start": ["block", "random"],
    "n_init": [1, 8],
    "w_max": [1e-9, 1e9],
    "theta_min": [0.4, 0],
}
REPETITIONS = 8


def table_of(purity, **changed):
    """Scores of every point; `purity` is of the point and the repetition, other metrics are 0.5."""
    rows = []
    for values, repetition in itertools.product(
        itertools.product(*{**GRID, **changed}.values()), range(REPETITIONS)
    ):
        point = dict(zip(OPTIONS, values, strict=True))
        row = {"dataset": "toy", "method": "constrained_nmf", **point, "n_topics": 20}
        row |= {"n_minority": 7, "repetition": repetition, "corpus": 0, "status": "ok"}
        row |= {"reason": "", **dict.fromkeys(COMPARED, 0.5), "purity": purity(point, repetition)}
        rows.append(row)
    return pd.DataFrame(rows)


def worth(point, repetition):
    """A purity to which every option adds a part of its own, with its own luck."""
    luck = np.random.default_rng([repetition, *map(hash_of, point.values())]).normal(0, 0.001)
    return (
        0.1 * (point["start"] == "block")
        + 0.01 * (point["n_init"] == 8)
        + 0.02 * (point["solver"] != "paper")
        + 0.005 * (point["solver"] == "exact")
        + 0.04 * (point["w_max"] < 1)
        + 0.08 * (point["theta_min"] > 0)
        + 0.03 * repetition  # the same for all, so that only pairs show the parts
        + luck
    )


def hash_of(value):
    return sum(map(ord, str(value)))


def changes_of(table, base, metric="purity"):
    chosen = table[(table["base"] == base) & (table["metric"] == metric)]
    return chosen.set_index("change")


def test_every_change_has_the_difference_it_makes():
    found = parts(table_of(worth))
    assert list(found) == COLUMNS
    ours, published = (changes_of(found, base)["difference"] for base in BASES)
    expected = {
        "random start instead of block": -0.1,
        "one start instead of eight": -0.01,
        "one random start instead of eight block starts": -0.11,
        "projected instead of exact": -0.005,
        "published instead of exact": -0.025,
        "W_max off": -0.04,
        "theta_min off": -0.08,
        "both constraints off": -0.12,
    }
    assert ours.to_dict() == pytest.approx(expected, abs=0.002)
    expected = {
        "W cut to its bound": 0.02,
        "exact solver": 0.025,
        "block start": 0.1,
        "eight starts": 0.01,
        "eight block starts": 0.11,
        "W_max off": -0.04,
        "theta_min off": -0.08,
        "both constraints off": -0.12,
    }
    assert published.to_dict() == pytest.approx(expected, abs=0.002)


def test_differences_are_paired_with_t_intervals_and_corrected_p_values():
    scores = table_of(worth)
    rows = changes_of(parts(scores), "ours")
    p_values = []
    for change, options in BASES["ours"][1].items():
        pair = []
        for point in ({**OURS, **options}, OURS):
            mask = (scores[OPTIONS] == [point[name] for name in OPTIONS]).all(axis=1)
            pair.append(scores.loc[mask, "purity"].to_numpy())
        test = ttest_rel(*pair)
        low, high = test.confidence_interval(0.95)
        assert rows.loc[change, "low"] == pytest.approx(low)
        assert rows.loc[change, "high"] == pytest.approx(high)
        assert rows.loc[change, "base_mean"] == pytest.approx(pair[1].mean())
        assert rows.loc[change, "changed_mean"] == pytest.approx(pair[0].mean())
        assert rows.loc[change, "repetitions"] == REPETITIONS
        p_values.append(test.pvalue)
    assert rows["p_holm"].tolist() == pytest.approx(holm(p_values).tolist())
    assert set(rows["interval_over"]) == {"random states"}


def test_a_change_that_changes_nothing_is_not_clear():
    rows = changes_of(parts(table_of(worth)), "ours", "nmi")
    assert len(rows) == len(BASES["ours"][1])
    assert (rows["difference"] == 0).all()
    assert not np.signbit(rows["difference"]).any(), "written as 0, not as -0"
    assert (rows["p_holm"] == 1).all()


def test_only_repetitions_in_which_both_came_out_count():
    scores = table_of(worth)
    failed = (scores["solver"] == "paper") & (scores["repetition"] < 2)
    scores.loc[failed, "status"] = "failed"
    counts = changes_of(parts(scores), "ours")["repetitions"]
    assert counts["published instead of exact"] == REPETITIONS - 2
    assert counts["projected instead of exact"] == REPETITIONS


def test_points_that_were_not_fitted_are_left_out():
    found = parts(table_of(worth, n_init=[8]))
    assert set(found["base"]) == {"ours"}, "the published model has one start"
    assert "one start instead of eight" not in set(found["change"])
    assert "random start instead of block" in set(found["change"])
    assert list(parts(table_of(worth, n_init=[3]))) == COLUMNS
    assert len(parts(table_of(worth, n_init=[3]))) == 0


def test_models_and_changes_are_points_of_the_configured_ablation():
    for point, changes in BASES.values():
        for options in ({}, *changes.values()):
            assert all({**point, **options}[name] in GRID[name] for name in OPTIONS)
    assert OFF["w_max"] > OURS["w_max"]
    assert PUBLISHED["n_init"] == 1


def test_the_verb_writes_the_table(tmp_path):
    write_frame(tmp_path / "decomposition.csv", with_all_columns(table_of(worth)))
    main(["parts", str(tmp_path / "decomposition.csv"), "--out", str(tmp_path / "parts.csv")])
    written = read_frame(tmp_path / "parts.csv")
    assert list(written) == COLUMNS
    assert len(written) == len(COMPARED) * sum(len(changes) for _, changes in BASES.values())
