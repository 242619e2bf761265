"""BERTopic, FASTopic and Top2Vec in their own environments: corpora at the edge, no network."""

import functools
import shlex
import subprocess

import numpy as np
import pytest
import scipy.sparse as sp

from minority_topics.contract import read_fit, write_corpus, write_documents
from minority_topics.fitting import Job, Limits, run_jobs
from minority_topics.registry import read_methods

METHODS = read_methods()
# Fewer epochs than the default: none of these tests is about convergence.
TOOLS = {"bertopic": {}, "bertopic_hdbscan": {}, "fastopic": {"epochs": 5}, "top2vec": {}}
WORDS = [stem + letter for stem in ("kissa", "vero", "auto", "pilvi") for letter in "abcdefgh"]
SEED_WORDS = ["kissaa", "veroa", "kissab", "verob"]  # dealt to two topics: of cats, and of taxes
HUB_MODEL = "paraphrase-multilingual-MiniLM-L12-v2"


def corpus_of(folder, documents, seed_words=SEED_WORDS, vocabulary=None):
    vocabulary = vocabulary or sorted({word for document in documents for word in document})
    column = {word: number for number, word in enumerate(vocabulary)}
    counts = np.zeros((len(documents), len(vocabulary)), dtype=np.int64)
    for row, document in zip(counts, documents, strict=True):
        np.add.at(row, [column[word] for word in document if word in column], 1)
    labels = ["-1"] * len(documents)
    write_documents(folder / "documents.csv", range(len(documents)), documents, labels)
    write_corpus(
        folder,
        counts=sp.csr_matrix(counts),
        tfidf=sp.csr_matrix(counts / np.linalg.norm(counts, axis=1, keepdims=True).clip(1)),
        vocabulary=vocabulary,
        seed_words=seed_words,
        topic_names=[],
        truth=np.zeros((0, len(vocabulary))),
        facts={},
    )
    return folder


def planted(n_documents, n_words=5):
    """Documents of words with one of four stems, in turn."""
    letters = np.random.default_rng(0).integers(8, size=(n_documents, n_words))
    return [[WORDS[8 * (d % 4) + letter] for letter in row] for d, row in enumerate(letters)]


def job(tool, corpus, out, n_topics=4, n_minority=2, random_state=1, **options):
    return Job(
        method=tool,
        module=METHODS[tool].module,
        corpus=str(corpus),
        out=str(out),
        n_topics=n_topics,
        n_minority=n_minority,
        random_state=random_state,
        options=METHODS[tool].options | TOOLS[tool] | options,
    )


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
    "a document of unknown words": ([*planted(30), ["tuntematon"]], {"vocabulary": WORDS}),
    "identical documents": ([["kissaa", "verob", "autoc"]] * 30, {}),
    "two words": ([["kissaa"], ["veroa"]] * 15, {}),
    "one word": ([["kissaa"]] * 30, {}),
    "one document": (planted(1), {}),
}
REFUSED = {
    "bertopic": {"one document": "UMAP needs 7"},
    "bertopic_hdbscan": {"one document": "UMAP needs 7", "seven documents": "no cluster"},
    "fastopic": {},
    # With one word doc2vec would never return.
    "top2vec": {"one document": "UMAP needs 7", "one word": "1 words occur"},
}

TINY_MODEL = """
import sys
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from tokenizers import Tokenizer, models, pre_tokenizers
words = sys.argv[2:]
tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, words[0]))
tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=8)]).save(sys.argv[1])
"""


@pytest.fixture(scope="module")
def fits(python_of, tmp_path_factory):
    """Statuses of all fits of an environment, made by one worker, and the folder they are in.

    The worker cannot reach a network; what it tried to is in the file `attempts` of the folder.
    """
    model = tmp_path_factory.mktemp("model")
    command = [python_of("bertopic"), "-c", TINY_MODEL, str(model), *WORDS]
    subprocess.run(command, check=True)

    @functools.cache
    def of_environment(environment):
        folder = tmp_path_factory.mktemp(environment)
        jobs = {}
        for tool in TOOLS:
            if METHODS[tool].environment == environment:
                jobs |= jobs_of(tool, folder / tool, str(model))
        python = without_network(python_of(environment), folder)
        statuses = run_jobs(jobs.values(), Limits(minutes=5), python)
        return dict(zip(jobs, statuses, strict=True)), folder

    return of_environment


def jobs_of(tool, folder, model):
    """Jobs by tool and name; the fit is in the folder of the name."""
    jobs = {}

    def add(name, documents, seed_words=SEED_WORDS, vocabulary=None, **setting):
        corpus = corpus_of(folder / f"{name}, corpus", documents, seed_words, vocabulary)
        jobs[tool, name] = job(tool, corpus, folder / name, **setting)

    for edge, (documents, setting) in EDGES.items():
        add(edge, documents, **setting)
    random_words = np.random.default_rng(0).choice(WORDS, size=(60, 4)).tolist()
    add("planted", planted(80), vocabulary=WORDS)
    add("random words", random_words)
    add("other state", random_words, random_state=2)
    if tool == "top2vec":
        add("min_count", planted(30), min_count=50)
    else:
        add("tfidf", [*planted(30), []], embedding="tfidf")
        add("model", [*planted(30), []], embedding=model)
        add("no model", planted(30), embedding=str(folder))
    return jobs


def without_network(python, folder):
    """A python that starts a worker whose attempts to reach a network fail, and are noted."""
    code = f"""
import runpy, socket
def refuse(*arguments, **options):
    with open({str(folder / "attempts")!r}, "a") as file:
        print(arguments, file=file)
    raise OSError("no network")
socket.getaddrinfo = socket.create_connection = socket.socket.connect = refuse
runpy.run_module("minority_topics.worker", run_name="__main__")
"""
    script = folder / "python"
    script.write_text(f"#!/bin/sh\nexec {shlex.quote(str(python))} -c {shlex.quote(code)}\n")
    script.chmod(0o755)
    return script


@pytest.mark.parametrize("tool", TOOLS)
def test_a_corpus_at_the_edge_gives_a_fit_or_a_clear_error(tool, fits):
    statuses, folder = fits(METHODS[tool].environment)
    reasons = {edge: statuses[tool, edge]["reason"] for edge in EDGES}
    assert {edge for edge in EDGES if reasons[edge]} == set(REFUSED[tool])
    for edge, reason in REFUSED[tool].items():
        assert reason in reasons[edge]
    # The worker holds shapes and sums to the contract. A document without words is an outlier.
    for edge in ("an empty document", "a document of unknown words"):
        doc_topic = read_fit(folder / tool / edge).doc_topic
        assert not doc_topic[-1].any()
        assert doc_topic[:-1].any()


def test_top2vec_refuses_a_min_count_that_would_hang_it(fits):
    statuses, _ = fits("top2vec")
    reason = statuses["top2vec", "min_count"]["reason"]
    assert reason == "0 words occur min_count=50 times or more; Top2Vec needs 2"


@pytest.mark.parametrize("tool", ["bertopic", "bertopic_hdbscan"])
def test_other_random_state_other_clusters_where_there_are_none(tool, fits):
    _, folder = fits("bertopic")
    first, second = (read_fit(folder / tool / name) for name in ("random words", "other state"))
    assert not np.array_equal(first.doc_topic, second.doc_topic)


def test_bertopic_clusters_stems_and_tells_the_seeded_ones(fits):
    _, folder = fits("bertopic")
    fit = read_fit(folder / "bertopic" / "planted")
    stem_of_topic = fit.topic_word.reshape(4, 4, 8).sum(axis=2).argmax(axis=1)
    np.testing.assert_array_equal(stem_of_topic[fit.doc_topic.argmax(axis=1)], np.arange(80) % 4)
    assert set(stem_of_topic[fit.minority]) == {0, 1}


@pytest.mark.parametrize("tool", ["bertopic", "bertopic_hdbscan", "fastopic"])
def test_every_embedding_serves(tool, fits):
    statuses, folder = fits(METHODS[tool].environment)
    assert [statuses[tool, name]["reason"] for name in ("tfidf", "model")] == ["", ""]
    assert not read_fit(folder / tool / "model").doc_topic[-1].any()
    assert "cannot be loaded" in statuses[tool, "no model"]["reason"]


@pytest.mark.parametrize("environment", ["bertopic", "fastopic", "top2vec"])
def test_no_tool_reaches_for_a_network_by_itself(environment, fits):
    _, folder = fits(environment)
    assert not (folder / "attempts").exists()


@pytest.mark.parametrize("tool", ["bertopic", "fastopic"])
def test_a_hub_model_without_a_network_fails_soon_and_says_what_to_do(
    tool, python_of, tmp_path, monkeypatch
):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    corpus = corpus_of(tmp_path / "corpus", planted(30))
    jobs = [job(tool, corpus, tmp_path / "fit", embedding=HUB_MODEL)]
    (status,) = run_jobs(jobs, Limits(), without_network(python_of(tool), tmp_path))
    assert status["status"] == "failed"
    assert f"embedding '{HUB_MODEL}' cannot be loaded" in status["reason"]
    assert "use embedding: floret" in status["reason"]
    assert status["seconds"] < 30
    assert (tmp_path / "attempts").exists()  # so the test above would notice one
