"""Figures show their table, and the same table gives the same bytes."""

import numpy as np
import pandas as pd
import pytest

from minority_topics.figures import draw, summarise
from minority_topics.registry import read_methods

FIGURES = ["purity_nmi", "jsd"]


@pytest.fixture
def scores():
    """Three methods, two settings; one method failed throughout, one in one repetition."""
    rows = []
    for setting in ((20, 7), (30, 10)):
        for method, statuses in {"nmf": ["ok", "ok"], "lda": ["ok", "failed"]}.items():
            for repetition, status in enumerate(statuses):
                score = 0.1 * (repetition + 1) if status == "ok" else np.nan
                rows.append((method, *setting, repetition, status, "", score))
        rows.append(("constrained_nmf", *setting, 0, "failed", "no compiler", np.nan))
    columns = ["method", "n_topics", "n_minority", "repetition", "status", "reason", "purity"]
    table = pd.DataFrame(rows, columns=columns)
    table.insert(0, "dataset", "simulated")
    for name in ("nmi", "jsd_mean", "jsd_sd", "jsd_min", "jsd_max"):
        table[name] = table["purity"]
    return table


def test_summary_is_of_the_first_setting_and_counts_what_came_out(scores):
    summary = summarise(scores, ["purity"]).set_index("method")
    assert list(summary.index) == ["nmf", "lda", "constrained_nmf"]
    assert set(summary["n_topics"]) == {20}
    assert summary.loc["nmf", "purity_mean"] == pytest.approx(0.15)
    assert summary.loc["nmf", "purity_sd"] == pytest.approx(0.1 / np.sqrt(2))
    assert list(summary["repetitions"]) == [2, 1, 0]
    assert summary.loc["constrained_nmf", "reason"] == "no compiler"


@pytest.mark.parametrize("name", FIGURES)
def test_figure_is_drawn_twice_alike_even_with_gaps(name, scores, tmp_path):
    scores.to_csv(tmp_path / "scores.csv", index=False)
    for copy in ("a", "b"):
        draw(name, tmp_path / "scores.csv", read_methods(), tmp_path / copy / f"{name}.png")
    for ending in ("png", "pdf", "csv"):
        first, second = (tmp_path / copy / f"{name}.{ending}" for copy in ("a", "b"))
        assert first.read_bytes() == second.read_bytes()
    assert len(pd.read_csv(tmp_path / "a" / f"{name}.csv")) == 3


@pytest.mark.parametrize("name", FIGURES)
def test_figure_of_nothing_but_failures_is_still_drawn(name, scores, tmp_path):
    failed = scores[scores["method"] == "constrained_nmf"]
    failed.to_csv(tmp_path / "scores.csv", index=False)
    draw(name, tmp_path / "scores.csv", read_methods(), tmp_path / f"{name}.png")
    assert (tmp_path / f"{name}.png").exists()
