"""The keyword controls: parts by seed words, clusters within them, and no look at the labels."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp

from minority_topics.methods import keywords
from minority_topics.methods.contract import Problem, check_fit
from minority_topics.methods.worker import fit_method

VOCABULARY = list("abcdef")
# Documents of a and b hold the seed word a; each pair of words is a group of its own.
ROWS = [[2, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0], [1, 0, 0, 0, 0, 4], [0, 0, 0, 0, 3, 1]] * 3


def problem_of(
    rows=ROWS, n_topics=4, n_minority=2, seed_words=("a", "absent"), labels=None, **options
):
    counts = sp.csr_matrix(np.array(rows))
    tfidf = sp.csr_matrix(np.array(rows) / np.linalg.norm(rows, axis=1, keepdims=True).clip(1))
    return Problem(
        counts, tfidf, [], VOCABULARY, list(seed_words), n_topics, n_minority, 7, options, labels
    )


@pytest.fixture(params=["random", "kmeans"])
def clusters(request):
    return request.param


def fit_of(problem):
    fit = fit_method("keywords", problem)
    check_fit(problem, fit, problem.n_topics)
    return fit


def test_documents_with_a_seed_word_are_in_minority_topics_and_no_others(clusters):
    fit = fit_of(problem_of(clusters=clusters))
    minority = np.isin(fit.doc_topic.argmax(axis=1), fit.minority)
    assert minority.tolist() == [True, False] * 6
    assert set(np.unique(fit.doc_topic)) == {0, 1}


def test_topics_are_the_mean_words_of_their_documents(clusters):
    problem = problem_of(clusters=clusters)
    fit = fit_of(problem)
    for topic, words in enumerate(fit.topic_word):
        total = problem.counts.toarray()[fit.doc_topic[:, topic] == 1].sum(axis=0)
        np.testing.assert_allclose(words, total / total.sum())


def test_kmeans_finds_the_groups_within_each_part():
    fit = fit_of(problem_of(clusters="kmeans"))
    found = fit.doc_topic.argmax(axis=1)
    assert len(fit.topic_word) == 4
    assert len(fit.minority) == 2
    assert all(len(set(found[group::4])) == 1 for group in range(4))


def test_labels_change_nothing(clusters):
    rng = np.random.default_rng(0)
    fits = [
        fit_of(problem_of(clusters=clusters, labels=rng.permutation([-1] * 8 + [0, 0, 1, 1])))
        for _ in range(3)
    ]
    for fit in fits[1:]:
        for field in dataclasses.fields(fit):
            np.testing.assert_equal(getattr(fit, field.name), getattr(fits[0], field.name))


def test_random_topics_come_from_the_random_state():
    problem = problem_of(ROWS * 10, clusters="random")
    first, second = fit_of(problem), fit_of(dataclasses.replace(problem, random_state=8))
    assert not np.array_equal(first.doc_topic, second.doc_topic)
    np.testing.assert_array_equal(first.doc_topic, fit_of(problem).doc_topic)
    # Each topic of a part is as likely as another: 60 documents on 2 topics are within 5 sd of 30.
    assert all(abs(size - 30) < 5 * np.sqrt(60) / 2 for size in first.doc_topic.sum(axis=0))


@pytest.mark.parametrize(
    ("changes", "minority", "n_topics"),
    [
        ({"seed_words": ["absent"]}, [], 2),  # nobody holds a seed word
        ({"seed_words": ["a", "c", "e"]}, [0, 1], 2),  # everybody does
        ({"n_minority": 0}, [], 4),
        ({"n_minority": 4}, [0, 1, 2, 3], 4),
        ({"rows": [ROWS[0], ROWS[1]]}, [0], 2),  # as many clusters as documents
        ({"rows": [ROWS[0], [0] * 6, ROWS[1], ROWS[3]]}, [0], 3),
    ],
)
def test_a_part_may_be_empty_or_small(changes, minority, n_topics):
    fit = fit_of(problem_of(clusters="kmeans", **changes))
    assert list(fit.minority) == minority
    assert len(fit.topic_word) == n_topics


def test_a_document_without_words_is_an_outlier(clusters):
    fit = fit_of(problem_of([*ROWS, [0] * 6], clusters=clusters))
    assert not fit.doc_topic[-1].any()
    assert fit.doc_topic[:-1].any(axis=1).all()


def test_another_division_is_refused_by_name():
    with pytest.raises(ValueError, match="clusters='ward' must be 'random' or 'kmeans'"):
        keywords.fit(problem_of(clusters="ward"))
