"""Settings chosen without labels: the held-out measure, the rule, the table and its figure."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from matrix_folder import planted_counts, write_matrix_folder

from minority_topics.base.files import read_csv
from minority_topics.base.manifest import check_manifest
from minority_topics.cli import main
from minority_topics.comments import choosing
from minority_topics.comments.choosing import (
    CHOICE,
    CHOICES,
    COLUMNS,
    Sample,
    best_mixture,
    choose,
    draw_sample,
    halves,
    held_out_kl,
    recommend,
)
from minority_topics.comments.fitting import fit_quietly
from minority_topics.comments.limits import LimitError
from minority_topics.corpus.readers import DataError
from minority_topics.report.choices import describe, draw_choices

GRID = {"n_topics": (2, 4, 6), "n_minority": (1, 2), "theta_min": (0.3,)}


@pytest.fixture(scope="module")
def chosen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("choosing")
    counts, _ = planted_counts(600)
    write_matrix_folder(folder / "matrix", counts, [0, 1, 8, 9, 16, 17])
    choose(folder / "matrix", folder / "out", **GRID, max_iter=60)
    return folder / "out"


# The sample.


def test_halves_add_up_and_the_first_is_the_larger():
    rng = np.random.default_rng(0)
    counts = sp.csr_matrix(rng.poisson(0.3, (200, 20)).astype(np.int32))
    counts = counts[np.asarray(counts.sum(axis=1)).ravel() > 0]
    long_enough = counts[np.asarray(counts.sum(axis=1)).ravel() >= 2]
    is_seed = np.arange(20) < 3
    first, second = halves(counts, is_seed, rng)
    assert 0 < first.shape[0] < counts.shape[0]
    assert (first + second != long_enough).nnz == 0
    difference = np.asarray(first.sum(axis=1) - second.sum(axis=1)).ravel()
    assert set(difference) <= {0, 1}
    with_seed = np.asarray(long_enough[:, is_seed].sum(axis=1)).ravel() > 0
    in_first = np.asarray(first[:, is_seed].sum(axis=1)).ravel() > 0
    np.testing.assert_array_equal(with_seed, in_first)


def test_a_comment_is_halved_in_every_way():
    """The second half of three different words is each of them in a third of all comments."""
    counts = sp.csr_matrix(np.ones((3000, 3), dtype=np.int32))
    _, second = halves(counts, np.zeros(3, dtype=bool), np.random.default_rng(0))
    np.testing.assert_allclose(np.asarray(second.mean(axis=0)).ravel(), 1 / 3, atol=0.03)


def test_a_sample_knows_only_words_of_the_comments_to_fit():
    counts, _ = planted_counts(100, empty=range(10))
    sample = draw_sample(
        counts, np.ones(32, np.float32), np.array([0, 5]), 50, np.random.default_rng(3)
    )
    assert sample.n_with_words == 90
    assert (sample.V.shape[0], sample.first.shape[0]) == (40, 10)
    assert (np.bincount(sample.V.indices, minlength=sample.V.shape[1]) > 0).all()
    assert sample.V.shape[1] == sample.first.shape[1] == sample.second.shape[1] <= 32
    norms = np.sqrt(sample.V.multiply(sample.V).sum(axis=1))
    np.testing.assert_allclose(norms, 1, rtol=1e-6)
    assert len(sample.seed_columns) == 2


# The measure.


class Known:
    """A model that gives each document the topic of its first word."""

    components_ = np.array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]])

    def transform(self, V):
        return V.toarray() @ self.components_.T


def sample_of(first, second):
    V = sp.csr_matrix(np.ones((2, 4), dtype=np.float32))
    matrices = (sp.csr_matrix(np.array(half, dtype=np.float32)) for half in (first, second))
    return Sample(V, *matrices, np.array([0]), 2)


def test_held_out_kl_by_hand():
    """Of four comments one has its second word in the other topic; the best share solves
    3 / (2 - e) = 1 / e, so e = 1/2: words of the topic are expected with 3/8, others with 1/8."""
    first = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]]
    second = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 1]]
    kl = held_out_kl(Known(), sample_of(first, second))
    np.testing.assert_allclose(kl, np.log([8 / 3, 8 / 3, 8 / 3, 8]), rtol=1e-6)


def test_a_comment_that_is_foreseen_costs_nothing():
    first, second = [[1, 0, 0, 0]] * 3, [[0.7, 0.7, 0, 0]] * 3
    np.testing.assert_allclose(held_out_kl(Known(), sample_of(first, second)), 0, atol=1e-4)


def test_the_best_mixture_is_where_the_likelihood_is_largest():
    rng = np.random.default_rng(0)
    q, p, b = rng.random((3, 50))

    def likelihood(share):
        return (q * np.log((1 - share) * p + share * b)).sum()

    best = best_mixture(q, p, b)
    assert all(
        likelihood(best) >= likelihood(share) - 1e-9 for share in np.linspace(0.01, 0.99, 99)
    )
    assert best_mixture(q, p, p / 2) < 0.01
    assert best_mixture(q, 0 * p, b) > 0.99


# The rule.


def row(n_topics, kl, stability=0.5, empty=0, se=0.1, n_minority=2, theta_min=0.4):
    return {
        "n_topics": n_topics, "n_minority": n_minority, "theta_min": theta_min, "heldout_kl": kl,
        "heldout_kl_se": se, "stability": stability, "empty_minority": empty,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "expected", "said"),
    [
        ([row(10, 2.0), row(20, 1.5)], 1, "and it is this one"),
        ([row(10, 1.55, 0.9), row(20, 1.5, 0.6), row(30, 1.8, 1.0)], 0, "most stable (0.90)"),
        ([row(20, 1.5, 0.6), row(10, 1.5, 0.6)], 1, "most stable (0.60)"),
        ([row(20, 1.5, None), row(10, 1.5, None)], 1, "fewest topics"),
        ([row(10, 1.0, empty=1), row(20, 1.5)], 1, "of 1 setting whose"),
        ([row(10, 1.0, empty=1), row(20, 1.5, empty=2)], 0, "in all 2 settings some minority"),
    ],
)
def test_the_rule(rows, expected, said):
    number, reason = recommend(rows)
    assert number == expected
    assert said in reason
    assert reason.startswith(f"{rows[expected]['n_topics']} topics, 2 of them minority")
    assert reason.endswith(".")


def test_a_recommendation_at_the_edge_of_the_grid_says_so():
    rows = [row(k, 2 - k / 100, theta_min=t) for k in (10, 20, 30) for t in (0.2, 0.4, 0.6)]
    for each in rows:
        each["heldout_kl_se"] = 0.0
    assert "edge" not in recommend([row(10, 2.0)])[1]  # one value is no choice
    rows[4]["heldout_kl"] = 1.0  # 20 topics, 0.4
    assert "edge" not in recommend(rows)[1]
    rows[3]["heldout_kl"] = 0.9  # 20 topics, 0.2
    assert recommend(rows)[1].endswith(
        "It is at the edge of the grid, where theta_min=0.2 is the lowest value tried: try values "
        "beyond before you decide."
    )
    rows[6]["heldout_kl"] = 0.8
    assert "n_topics=30 is the highest and theta_min=0.2 is the lowest value" in recommend(rows)[1]


# The table and the figure.


def test_every_setting_has_a_row_and_one_is_recommended(chosen):
    check_manifest(chosen)
    rows = read_csv(chosen / CHOICES)
    assert list(rows[0]) == list(COLUMNS)
    settings = [(int(row["n_topics"]), int(row["n_minority"])) for row in rows]
    assert settings == [(2, 1), (4, 1), (4, 2), (6, 1), (6, 2)]  # 2 of 2: no majority topic
    assert [row["recommended"] for row in rows].count("1") == 1
    facts = json.loads((chosen / CHOICE).read_text(encoding="utf-8"))
    best = next(row for row in rows if row["recommended"] == "1")
    assert facts["recommended"]["n_topics"] == int(best["n_topics"])
    assert (facts["comments_fitted"], facts["comments_held_out"]) == (480, 120)
    for each in rows:
        assert 0 < float(each["heldout_kl_se"]) < float(each["heldout_kl"])
        assert 0 <= float(each["stability"]) <= 1
        assert float(each["least_seed_share"]) >= 0.3 - 1e-6
        assert int(each["smallest"]) <= 480 / int(each["n_topics"]) <= int(each["largest"])


def test_the_planted_number_of_topics_foresees_better_than_fewer(chosen):
    kl = {int(row["n_topics"]): float(row["heldout_kl"]) for row in read_csv(chosen / CHOICES)}
    assert kl[4] < kl[2] - 0.1


def test_the_figure_is_drawn_from_the_table(chosen):
    draw_choices(chosen)
    check_manifest(chosen, "choices.png", "choices.svg")
    svg = (chosen / "choices.svg").read_text(encoding="utf-8")
    assert "recommended" in svg
    assert "Recommended: " in svg  # the description
    first = (chosen / "choices.png").read_bytes()
    draw_choices(chosen)
    assert (chosen / "choices.png").read_bytes() == first


def test_the_description_needs_no_stability():
    rows = [row(10, 1.0, None) | {"recommended": 1.0}]
    assert "Recommended: 10 topics, 2 of them minority" in describe(rows)


def test_one_random_state_leaves_stability_empty(tmp_path):
    counts, _ = planted_counts(150)
    write_matrix_folder(tmp_path / "matrix", counts, [0, 1])
    choose(
        tmp_path / "matrix", tmp_path / "out", n_topics=[3], n_minority=[0, 1], theta_min=[0.4],
        n_states=1, max_iter=10,
    )  # fmt: skip
    rows = read_csv(tmp_path / "out" / CHOICES)
    assert [(row["stability"], row["agreement"]) for row in rows] == [("", "")] * 2
    assert rows[0]["seed_share"] == ""
    draw_choices(tmp_path / "out")


# Bad input.


def test_a_grid_without_a_setting_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no setting has n_minority below n_topics"):
        choose(tmp_path, tmp_path / "out", n_topics=[3], n_minority=[3, 5])


def test_more_topics_than_words_are_refused(tmp_path):
    counts, _ = planted_counts(50)
    write_matrix_folder(tmp_path / "matrix", counts, [0])
    with pytest.raises(DataError, match="n_topics=33 is too many for 40 comments with words and"):
        choose(tmp_path / "matrix", tmp_path / "out", n_topics=[4, 33], n_minority=[1])


def test_comments_of_one_word_are_refused(tmp_path):
    counts = sp.csr_matrix(np.eye(30, dtype=np.int32))
    write_matrix_folder(tmp_path / "matrix", counts, [0])
    with pytest.raises(DataError, match=r"counts\.npz: too few comments have two words"):
        choose(tmp_path / "matrix", tmp_path / "out", **GRID)


def test_a_sample_without_a_seed_word_is_refused(tmp_path):
    counts, _ = planted_counts(50)
    write_matrix_folder(tmp_path / "matrix", counts, [])
    with pytest.raises(DataError, match="no seed word is in the 40 comments to fit"):
        choose(tmp_path / "matrix", tmp_path / "out", **GRID)


def test_too_little_memory_is_refused(tmp_path):
    counts, _ = planted_counts(50)
    write_matrix_folder(tmp_path / "matrix", counts, [0])
    with pytest.raises(LimitError, match="choosing settings needs about"):
        choose(tmp_path / "matrix", tmp_path / "out", **GRID, memory_mb=100)


def test_settings_are_tried_with_the_guidance_of_the_fit(tmp_path, monkeypatch):
    """One of eight themes; two of its eight words are listed, and the others are discovered."""
    seen = []

    def fit(model, V):
        result = fit_quietly(model, V)
        seen.append((model.guidance, model.discovered_words_.tolist()))
        return result

    monkeypatch.setattr(choosing, "fit_quietly", fit)
    matrix = write_matrix_folder(tmp_path / "matrix", planted_counts(600, n_topics=8)[0], [0, 1])
    grid = {"n_topics": (4,), "n_minority": (2,), "theta_min": (0.3,), "n_states": 1}
    for guidance in ({"guidance": "list"}, {}):
        found = choose(matrix, tmp_path / "out", **grid, max_iter=60, **guidance)
        assert found["guidance"] == seen[-1][0]
        assert found["warnings"] == []
    assert seen == [("list", []), ("learnt", list(range(2, 8)))]
    (row,) = read_csv(tmp_path / "out" / CHOICES)
    assert float(row["least_seed_share"]) >= 0.3 - 1e-6  # of the seed words that are trusted


@pytest.mark.parametrize(("guidance", "n_said"), [("learnt", 1), ("list", 0)])
def test_where_nothing_can_be_learnt_the_fits_fall_back_to_the_list_and_this_is_told(
    tmp_path, capsys, guidance, n_said
):
    counts = planted_counts(150)[0].tolil()
    counts[:, 0] = 1
    write_matrix_folder(tmp_path / "matrix", counts.tocsr(), [0])
    main([
        "choose", "--matrix", str(tmp_path / "matrix"), "--out", str(tmp_path / "out"),
        "--n-topics", "3", "--n-minority", "1", "--theta-min", "0.2", "--n-states", "1",
        "--guidance", guidance,
    ])  # fmt: skip
    said = capsys.readouterr().out
    assert said.count("falls back to the list of seed words: every document holds") == n_said
