"""Scores under resampled documents agree with the plain ones, and tell what documents add."""

import numpy as np
import pytest
from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

from minority_topics.base.files import write_json
from minority_topics.base.manifest import write_manifest
from minority_topics.cli import main
from minority_topics.corpus.storage import read_corpus
from minority_topics.methods.contract import Fit, minority_by_seed_share, read_fit, write_fit
from minority_topics.scores import metrics
from minority_topics.scores.resampling import (
    N_RESAMPLES,
    draw_weights,
    expected_information,
    resample_fits,
    weighted_scores,
)
from minority_topics.scores.statistics import RESAMPLE_COLUMNS, RESAMPLED, summarise
from minority_topics.scores.tables import read_frame

MINORITY = [0, 2]


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def clustering(rng, n_documents=300, n_clusters=12):
    labels = np.where(rng.random(n_documents) < 0.3, rng.integers(5, size=n_documents), -1)
    noise = rng.integers(-1, n_clusters, size=n_documents)
    return labels, np.where(rng.random(n_documents) < 0.5, labels + 1, noise)


def plain_scores(labels, assignments):
    return {
        "purity": metrics.focused_purity(labels, assignments),
        "nmi": metrics.nmi(labels, assignments),
        "ami": metrics.ami(labels, assignments),
        "ami_injected": metrics.ami_injected(labels, assignments),
        "f1": metrics.detection(labels, assignments, MINORITY)[2],
    }


def test_weights_of_one_give_the_scores_themselves(rng):
    labels, assignments = clustering(rng)
    found = weighted_scores(labels, assignments, MINORITY, np.ones((1, 300), dtype=int))
    plain = plain_scores(labels, assignments)
    assert {name: values[0] for name, values in found.items()} == pytest.approx(plain)
    assert tuple(found) == RESAMPLED


def test_a_weight_is_a_number_of_copies(rng):
    labels, assignments = clustering(rng)
    weights = rng.multinomial(300, np.full(300, 1 / 300), size=10)
    found = weighted_scores(labels, assignments, MINORITY, weights)
    for number, row in enumerate(weights):
        plain = plain_scores(np.repeat(labels, row), np.repeat(assignments, row))
        assert {name: values[number] for name, values in found.items()} == pytest.approx(plain)


@pytest.mark.parametrize("n_documents", [30, 20_000])
def test_information_by_chance_is_that_of_scikit_learn(rng, n_documents):
    """Also where most of a sum is left out, as of 18,000 documents in a cluster of 7,000."""
    labels = np.where(rng.random(n_documents) < 0.9, 0, rng.integers(4, size=n_documents))
    table = contingency_matrix(labels, rng.integers(3, size=n_documents))
    found = expected_information(
        table.sum(axis=1)[None], table.sum(axis=0)[None], np.array([n_documents])
    )
    assert found == pytest.approx([expected_mutual_information(table, n_documents)], rel=1e-9)


def test_information_by_chance_by_hand():
    # Two pairs in two clusters: one way in three tells all, log 2; the others tell nothing.
    pair = np.array([[2, 2]])
    assert expected_information(pair, pair, np.array([4])) == pytest.approx([np.log(2) / 3])


@pytest.mark.parametrize(
    ("labels", "assignments"),
    [
        ([0, 0, 0], [1, 1, 1]),
        ([0, 0, 1], [1, 1, 1]),
        ([0, 0, 0], [0, 1, 1]),
        ([0, 1, 2], [0, 1, 2]),
    ],
)
def test_degenerate_clusters_score_as_in_scikit_learn(labels, assignments):
    labels, assignments = np.array(labels), np.array(assignments)
    found = weighted_scores(labels, assignments, [0], np.ones((1, 3), dtype=int))
    assert found["nmi"] == pytest.approx([metrics.nmi(labels, assignments)])
    assert found["ami"] == pytest.approx([metrics.ami(labels, assignments)])


def test_a_resample_without_what_a_score_needs_is_nan():
    labels, assignments = np.array([0, 1, -1, -1]), np.array([0, 1, 2, 2])
    weights = np.array([[0, 0, 2, 2], [2, 0, 1, 1], [1, 1, 1, 1]])
    found = weighted_scores(labels, assignments, [0], weights)
    assert np.isnan([values[0] for values in found.values()]).all()
    assert np.isnan(found["ami_injected"]).tolist() == [True, True, False]
    assert found["purity"][1:].tolist() == [1, 1]
    assert found["f1"][1:] == pytest.approx([1, 2 / 3])


def test_weights_are_those_of_draws_with_replacement():
    weights = draw_weights(400)
    assert weights.shape == (N_RESAMPLES, 400)
    assert set(weights.sum(axis=1)) == {400}
    # Each count is binomial(400, 1/400): variance 1 - 1/400.
    assert weights.var() == pytest.approx(1, abs=0.02)
    np.testing.assert_array_equal(weights, draw_weights.__wrapped__(400))


@pytest.fixture
def fits(corpus_folder, tmp_path, rng):
    """Fits of one corpus by two methods: the labels, more or less mixed up; one failed."""
    corpus = read_corpus(corpus_folder)
    for method, repetition in [("a", n) for n in range(6)] + [("b", 0)]:
        folder = tmp_path / method / "0-5" / str(repetition)
        folder.mkdir(parents=True)
        is_mixed, other = rng.random((2, len(corpus.labels)))
        mixed = np.where(is_mixed < 0.2, (3 * other).astype(int), corpus.labels + 1)
        clusters = np.eye(3)[mixed]
        words = clusters.T @ corpus.counts.toarray()
        status = "failed" if (method, repetition) == ("a", 3) else "ok"
        write_json(
            folder / "status.json",
            {
                "dataset": "sim", "corpus": str(corpus_folder), "method": method, "n_topics": 3,
                "n_minority": 2, "repetition": repetition, "random_state": 7, "status": status,
                "reason": "", "notes": {},
            },
        )  # fmt: skip
        if status == "ok":
            write_fit(folder, Fit(clusters, words / words.sum(axis=1, keepdims=True)), corpus)
        write_manifest(folder)
    (tmp_path / "b" / "0-5").rename(tmp_path / "b" / "0-0")
    return [tmp_path / "a" / "0-5", tmp_path / "b" / "0-0"]


def test_rows_are_means_over_the_fits_that_came_out(fits, corpus_folder):
    rows = resample_fits(fits)
    assert [row["method"] for row in rows] == ["a"] * N_RESAMPLES + ["b"] * N_RESAMPLES
    assert [row["resample"] for row in rows] == [*range(N_RESAMPLES)] * 2
    assert tuple(rows[0]) == RESAMPLE_COLUMNS
    assert resample_fits(fits, processes=2) == rows
    corpus = read_corpus(corpus_folder)
    weights = draw_weights(len(corpus.labels))
    expected = []
    for fit in (read_fit(fits[0] / str(number)) for number in (0, 1, 2, 4, 5)):
        minority = minority_by_seed_share(fit.topic_word, corpus.seed_columns, 2)
        clusters = fit.doc_topic.argmax(axis=1)
        expected.append(weighted_scores(corpus.labels, clusters, minority, weights))
    for name in RESAMPLED:
        found = [float(row[name]) for row in rows if row["method"] == "a"]
        assert found == pytest.approx(np.mean([scores[name] for scores in expected], axis=0))


def test_fits_of_several_corpora_are_refused(fits):
    path = fits[1] / "0" / "status.json"
    path.write_text(path.read_text().replace('"corpus": "', '"corpus": "/elsewhere'))
    (fits[1] / "0" / "manifest.json").unlink()
    write_manifest(fits[1] / "0")
    with pytest.raises(ValueError, match="resample only fits of a dataset with one corpus"):
        resample_fits(fits)


def test_intervals_with_documents_are_wider(fits, tmp_path):
    folders = list(map(str, fits))
    main(["score", *folders, "--out", str(tmp_path / "scores.csv")])
    main(["resample", *folders, "--out", str(tmp_path / "resamples.csv")])
    scores, resamples = (read_frame(tmp_path / f"{name}.csv") for name in ("scores", "resamples"))
    plain = summarise(scores, RESAMPLED).set_index("method").loc["a"]
    documents = summarise(scores, RESAMPLED, resamples=resamples).set_index("method").loc["a"]
    for metric in RESAMPLED:
        assert documents[metric] == plain[metric]
        assert documents[f"{metric}_low"] < plain[f"{metric}_low"]
        assert documents[f"{metric}_high"] > plain[f"{metric}_high"]
    assert (plain["interval_over"], documents["interval_over"]) == (
        "random states", "random states and documents",
    )  # fmt: skip
