"""ProdLDA in its own environment: that it learns, and what could break a batch."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from minority_topics.contract import (
    Problem,
    check_fit,
    read_corpus,
    read_fit,
    write_corpus,
    write_documents,
)
from minority_topics.fitting import Job, Limits, run_jobs


def planted(n_documents, n_topics=4, length=10):
    """Rows of counts, `length` words of one topic each, and the topic of each."""
    rng = np.random.default_rng(1)
    topics = np.arange(n_documents) % n_topics
    columns = topics[:, None] * 10 + rng.integers(10, size=(n_documents, length))
    rows = np.zeros((n_documents, 10 * n_topics))
    np.add.at(rows, (np.arange(n_documents)[:, None], columns), 1)
    return rows, topics


LEARNT, TOPICS = planted(160)
THIRTY, _ = planted(30)
EMPTY = THIRTY.copy()
EMPTY[3] = 0
# Name: counts, number of topics, options.
CASES = {
    "learns": (LEARNT, 4, {"epochs": 80, "learning_rate": 0.01}),
    "first epoch": (LEARNT, 4, {"epochs": 1, "learning_rate": 0.01}),
    "one left over": (planted(33)[0], 4, {}),
    "three documents": (THIRTY[:3], 2, {"batch_size": 2}),
    "many topics": (THIRTY, 50, {}),
    "one topic": (THIRTY, 1, {}),
    "empty document": (EMPTY, 4, {}),
    "identical documents": (np.ones((30, 5)), 4, {}),
    "one-word documents": (np.eye(30), 4, {}),
    "one word": (np.ones((30, 1)), 4, {}),
    "one document": (THIRTY[:1], 4, {}),
    "unknown option": (THIRTY, 4, {"layers": 3}),
    "no epochs": (THIRTY, 4, {"epochs": 0}),
}
REFUSED = {
    "one document": "1 documents have words",
    "unknown option": "layers",
    "no epochs": "epochs=0",
}


@pytest.fixture(scope="module")
def fitted(python_of, tmp_path_factory):
    """Every case, fitted by one worker: status and folder by name."""
    folder = tmp_path_factory.mktemp("prodlda")
    jobs = []
    for name, (rows, n_topics, options) in CASES.items():
        corpus = folder / name / "corpus"
        texts = [[] for _ in rows]
        write_documents(corpus / "documents.csv", range(len(rows)), texts, ["-1"] * len(rows))
        write_corpus(
            corpus,
            counts=csr_matrix(rows),
            tfidf=csr_matrix(rows),
            vocabulary=[f"word{column}" for column in range(rows.shape[1])],
            seed_words=[],
            topic_names=[],
            truth=np.zeros((0, rows.shape[1])),
            facts={},
        )
        jobs.append(
            Job(
                method=name,
                module="prodlda",
                corpus=str(corpus),
                out=str(folder / name / "fit"),
                n_topics=n_topics,
                n_minority=0,
                random_state=3,
                options={"epochs": 2, **options},
            )
        )
    statuses = run_jobs(jobs, Limits(), python_of("prodlda"))
    return dict(zip(CASES, statuses, strict=True)), folder


@pytest.mark.parametrize("name", [name for name in CASES if name not in REFUSED])
def test_gives_a_valid_fit(fitted, name):
    statuses, folder = fitted
    assert (statuses[name]["status"], statuses[name]["reason"]) == ("ok", "")
    rows, n_topics, _ = CASES[name]
    corpus, fit = read_corpus(folder / name / "corpus"), read_fit(folder / name / "fit")
    problem = Problem(corpus.counts, corpus.tfidf, [], [], [], n_topics, 0, 3)
    check_fit(problem, fit, n_topics)
    assert len(fit.topic_word) == n_topics
    assert fit.minority is None
    np.testing.assert_array_equal(fit.doc_topic.any(axis=1), rows.any(axis=1))


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_in_a_sentence(fitted, name):
    statuses, _ = fitted
    assert statuses[name]["status"] == "failed"
    assert REFUSED[name] in statuses[name]["reason"]


def test_tells_planted_topics_apart(fitted):
    statuses, folder = fitted
    fit = read_fit(folder / "learns" / "fit")
    table = np.zeros((4, 4))
    np.add.at(table, (fit.doc_topic.argmax(axis=1), TOPICS), 1)
    assert table.max(axis=1).sum() > 0.9 * len(TOPICS)
    # The heaviest words of a topic are of the planted topic whose documents it has.
    for topic in np.flatnonzero(table.sum(axis=1)):
        heaviest = np.argsort(-fit.topic_word[topic])[:5]
        assert (heaviest // 10 == table[topic].argmax()).mean() > 0.5
    losses = [statuses[name]["notes"]["objective"] for name in ("learns", "first epoch")]
    assert losses[0] < 0.9 * losses[1]
