"""CorEx, GuidedLDA and GuidedNMF in their own environments: corpora at the edge, and guidance."""

import numpy as np
import pytest
import scipy.sparse as sp

from minority_topics.contract import read_fit, write_corpus, write_documents
from minority_topics.fitting import Job, Limits, run_jobs

# Fewer iterations than the defaults: none of these tests is about convergence.
TOOLS = {"corex": {}, "guidedlda": {"n_iter": 50}, "guidednmf": {"max_iter": 50}}
WORDS = [f"{topic}{letter}" for topic in "pqrs" for letter in "abcdefgh"]
SEED_WORDS = ["pa", "qa", "pb", "qb"]  # dealt to two topics: those of p, and those of q


def corpus_of(folder, documents, seed_words=SEED_WORDS):
    column = {word: number for number, word in enumerate(WORDS)}
    counts = np.zeros((len(documents), len(WORDS)), dtype=np.int64)
    for row, document in zip(counts, documents, strict=True):
        np.add.at(row, [column[word] for word in document], 1)
    used = counts.any(axis=0)
    lengths = np.linalg.norm(counts, axis=1, keepdims=True).clip(1)
    write_documents(
        folder / "documents.csv", range(len(documents)), documents, ["-1"] * len(documents)
    )
    write_corpus(
        folder,
        counts=sp.csr_matrix(counts[:, used]),
        tfidf=sp.csr_matrix((counts / lengths)[:, used]),
        vocabulary=[word for word, kept in zip(WORDS, used, strict=True) if kept],
        seed_words=seed_words,
        topic_names=[],
        truth=np.zeros((0, used.sum())),
        facts={},
    )
    return folder


def planted(n_documents, n_words=5):
    """Documents of words of p, q, r or s, in turn."""
    rng = np.random.default_rng(0)
    return [
        [WORDS[8 * (number % 4) + letter] for letter in rng.integers(8, size=n_words)]
        for number in range(n_documents)
    ]


EDGES = {
    "few documents": (planted(30), {}),
    "more topics than documents": (planted(10), {"n_topics": 15, "n_minority": 7}),
    "one topic": (planted(30), {"n_topics": 1, "n_minority": 1}),
    "no seed word in the vocabulary": (planted(30), {"seed_words": ["x", "y z"]}),
    "fewer seed words than guided topics": (planted(30), {"seed_words": ["pa"], "n_minority": 3}),
    "nothing to guide": (planted(30), {"n_minority": 0}),
    "only guided topics": (planted(30), {"n_minority": 4}),
    "one-word documents": (planted(30, n_words=1), {}),
    "an empty document": ([*planted(30), []], {}),
    "identical documents": ([["pa", "qb", "rc"]] * 30, {}),
    "one document": (planted(1), {}),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_a_corpus_at_the_edge_gives_a_fit_or_a_clear_error(tool, python_of, tmp_path):
    jobs = []
    for number, (documents, setting) in enumerate(EDGES.values()):
        setting = {"n_topics": 4, "n_minority": 2, "seed_words": SEED_WORDS, **setting}
        corpus = corpus_of(tmp_path / f"{number}", documents, setting.pop("seed_words"))
        jobs.append(job(tool, corpus, tmp_path / f"out{number}", **setting))
    statuses = run_jobs(jobs, Limits(minutes=1), python_of(tool))
    failures = {
        edge: status["reason"]
        for edge, status in zip(EDGES, statuses, strict=True)
        if status["status"] != "ok"
    }
    # CorEx explains how documents differ: these do not.
    unusable = {"identical documents", "one document"} if tool == "corex" else set()
    assert set(failures) == unusable
    assert all("documents that differ" in reason for reason in failures.values())


def job(tool, corpus, out, n_topics=4, n_minority=2, **options):
    return Job(
        method=tool,
        module=tool,
        corpus=str(corpus),
        out=str(out),
        n_topics=n_topics,
        n_minority=n_minority,
        random_state=1,
        options=TOOLS[tool] | options,
    )


@pytest.mark.parametrize(
    ("tool", "options"),
    [
        ("corex", {"seeds": "dealt"}),
        ("guidedlda", {"seed_confidence": 1}),
        ("guidednmf", {}),
    ],
)
def test_guided_topics_grow_from_their_seed_words(tool, options, python_of, tmp_path):
    corpus = corpus_of(tmp_path / "corpus", planted(80))
    out = tmp_path / "out"
    (status,) = run_jobs([job(tool, corpus, out, **options)], Limits(), python_of(tool))
    assert status["reason"] == ""
    fit = read_fit(out)
    initials = np.array([word[0] for word in WORDS])
    shares = {letter: fit.topic_word[:, initials == letter].sum(axis=1) for letter in "pqrs"}
    assert {max(shares, key=lambda letter: shares[letter][k]) for k in fit.minority} == {"p", "q"}
    # The documents follow: those of p and q are in guided topics, the others are not.
    guided = np.isin(fit.doc_topic.argmax(axis=1), fit.minority)
    meant = np.arange(80) % 4 < 2
    assert (guided == meant).mean() > 0.9


def test_an_unknown_option_is_named_in_the_reason(python_of, corpus_folder, tmp_path):
    # Corex itself would take any keyword in silence.
    (status,) = run_jobs(
        [job("corex", corpus_folder, tmp_path, strenght=3)], Limits(), python_of("corex")
    )
    assert status["status"] == "failed"
    assert "unexpected keyword argument 'strenght'" in status["reason"]
