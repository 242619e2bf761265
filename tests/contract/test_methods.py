"""The contract, for every row of the table of methods, each in its own environment."""

import csv
import dataclasses
import functools

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import METHODS, corpus_of, job_of

from minority_topics.corpus.storage import read_corpus
from minority_topics.methods.contract import ContractError, Fit, Problem, check_fit, read_fit
from minority_topics.study.fitting import Limits, run_jobs
from minority_topics.study.paths import ROOT

SETTING = {"n_topics": 4, "n_minority": 2}


@pytest.fixture(scope="module")
def fits_of(corpus_folder, python_of, tmp_path_factory):
    """Fits of all rows of a tool, in two processes, since a tool may take long to import.

    Each row is fitted twice with one random state, a process each, once with another, and once on
    documents without words.
    """
    unusable = corpus_of(tmp_path_factory.mktemp("unusable"), [[], [], []], seed_words=[])

    @functools.cache
    def fit(module, environment):
        rows = [
            row
            for row in METHODS.values()
            if (row.module, row.environment) == (module, environment)
        ]
        out = {row.name: tmp_path_factory.mktemp(row.name) for row in rows}
        jobs = {
            "1": lambda name: job_of(name, corpus_folder, out[name] / "1"),
            "2": lambda name: job_of(name, corpus_folder, out[name] / "2", random_state=3),
            "again": lambda name: job_of(name, corpus_folder, out[name] / "again"),
            "unusable": lambda name: job_of(name, unusable, out[name] / "unusable"),
        }
        limits = Limits(
            *(max(getattr(row, key) for row in rows) for key in ("minutes", "memory_mb", "threads"))
        )
        statuses = {}
        for process in (["1", "2"], ["again", "unusable"]):
            asked = [(name, fit) for name in out for fit in process]
            done = run_jobs(
                [jobs[fit](name) for name, fit in asked], limits, python_of(environment)
            )
            statuses.update(zip(asked, done, strict=True))
        return out, statuses

    return fit


@pytest.fixture(params=METHODS.values(), ids=METHODS)
def fitted(request, fits_of):
    """A method, the folder of its fits, and their statuses by name of the fit."""
    method = request.param
    out, statuses = fits_of(method.module, method.environment)
    own = {fit: status for (name, fit), status in statuses.items() if name == method.name}
    return method, out[method.name], own


def test_fits_and_records_how(fitted):
    method, _, statuses = fitted
    for fit in ("1", "2", "again"):
        status = statuses[fit]
        assert (status["status"], status["reason"]) == ("ok", "")
        assert status["seconds"] > 0
        assert status["peak_memory_mb"] > 1
        assert method.package in status["versions"]


def test_shapes_and_sums(fitted, corpus_folder):
    method, out, _ = fitted
    corpus, fit = read_corpus(corpus_folder), read_fit(out / "1")
    problem = Problem(
        corpus.counts, corpus.tfidf, corpus.tokens, corpus.vocabulary, corpus.seed_words,
        random_state=1, **SETTING,
    )  # fmt: skip
    check_fit(problem, fit, SETTING["n_topics"])
    if method.kind == "guided":
        assert fit.minority is not None


def test_top_words_are_the_heaviest_words(fitted, corpus_folder):
    _, out, _ = fitted
    corpus, fit = read_corpus(corpus_folder), read_fit(out / "1")
    with open(out / "1" / "top_words.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    assert len(rows) == len(fit.topic_word)
    for row, weights in zip(rows, fit.topic_word, strict=True):
        listed = [weights[corpus.vocabulary.index(word)] for word in row[4:]]
        assert listed == sorted(weights, reverse=True)[: len(listed)]
        assert len(listed) == min(10, np.count_nonzero(weights))


def test_same_random_state_same_bytes(fitted):
    _, out, _ = fitted
    for name in ("fit.npz", "top_words.csv", "documents.csv"):
        assert (out / "1" / name).read_bytes() == (out / "again" / name).read_bytes()


def test_other_random_state_other_bytes(fitted):
    method, out, _ = fitted
    same = (out / "1" / "fit.npz").read_bytes() == (out / "2" / "fit.npz").read_bytes()
    # Hard clusters of planted documents are the same from any start.
    may_agree = method.name in ("truth", "single", "keyword_kmeans") or method.module == "bertopic"
    assert not same or may_agree


def test_unusable_problem_gives_a_clear_error(fitted):
    _, _, statuses = fitted
    assert statuses["unusable"]["status"] == "failed"
    assert "3 documents and 0 words" in statuses["unusable"]["reason"]
    assert "Traceback" not in statuses["unusable"]["reason"]


def test_environment_files_name_exact_versions_and_every_method_has_one():
    from minority_topics.study.environments import read_pins

    for method in METHODS.values():
        pins = read_pins(ROOT / "envs" / f"{method.environment}.yaml")
        assert all("==" in pin for pin in pins)
        assert {"numpy", "scipy"} <= {pin.split("==")[0] for pin in pins}


def test_no_two_tools_share_an_environment():
    modules = {}
    for method in (row for row in METHODS.values() if row.kind != "control"):
        modules.setdefault(method.environment, set()).add(method.module)
    assert all(len(tools) == 1 for tools in modules.values())


class TestCheckFit:
    problem = Problem(
        sp.csr_matrix(np.ones((3, 5))), sp.csr_matrix(np.ones((3, 5))), [], [], [], 2, 1, 1
    )
    good = Fit(np.full((3, 2), 0.5), np.full((2, 5), 0.2))

    def test_accepts_an_outlier_and_fewer_topics(self):
        check_fit(self.problem, self.good, 2)
        outlier = np.array([[1.0], [0.0], [1.0]])
        check_fit(self.problem, Fit(outlier, np.full((1, 5), 0.2)), 2)

    @pytest.mark.parametrize(
        ("change", "complaint"),
        [
            ({"doc_topic": np.full((2, 2), 0.5)}, "doc_topic is"),
            ({"doc_topic": np.full((3, 2), 0.4)}, "rows of doc_topic"),
            ({"doc_topic": np.array([[2, -1.0]] * 3)}, "negative"),
            ({"doc_topic": np.full((3, 2), np.nan)}, "non-finite"),
            ({"topic_word": np.full((2, 5), 0.1)}, "rows of topic_word"),
            ({"topic_word": np.full((2, 4), 0.25)}, "topic_word is"),
            ({"minority": [2]}, "minority"),
        ],
    )
    def test_refuses(self, change, complaint):
        with pytest.raises(ContractError, match=complaint):
            check_fit(self.problem, dataclasses.replace(self.good, **change), 2)

    def test_refuses_more_topics_than_asked_for(self):
        with pytest.raises(ContractError, match="2 topics"):
            check_fit(self.problem, self.good, 1)
