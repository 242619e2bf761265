"""BERTopic, FASTopic, KeyNMF and Top2Vec in their own environments: embeddings, no network."""

import functools
import shlex
import subprocess

import numpy as np
import pytest
from helpers import METHODS, WORDS, corpus_of, job_of, planted

from minority_topics.methods.contract import read_fit
from minority_topics.study.fitting import Limits, run_jobs

TOOLS = ("bertopic", "bertopic_hdbscan", "fastopic", "keynmf", "top2vec")
HUB_MODEL = "paraphrase-multilingual-MiniLM-L12-v2"

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

    def add(name, documents, vocabulary=None, **setting):
        corpus = corpus_of(folder / f"{name}, corpus", documents, vocabulary=vocabulary)
        jobs[tool, name] = job_of(tool, corpus, folder / name, **setting)

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
runpy.run_module("minority_topics.methods.worker", run_name="__main__")
"""
    script = folder / "python"
    script.write_text(f"#!/bin/sh\nexec {shlex.quote(str(python))} -c {shlex.quote(code)}\n")
    script.chmod(0o755)
    return script


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


@pytest.mark.parametrize("tool", ["bertopic", "bertopic_hdbscan", "fastopic", "keynmf"])
def test_every_embedding_serves(tool, fits):
    statuses, folder = fits(METHODS[tool].environment)
    assert [statuses[tool, name]["reason"] for name in ("tfidf", "model")] == ["", ""]
    assert not read_fit(folder / tool / "model").doc_topic[-1].any()
    assert "cannot be loaded" in statuses[tool, "no model"]["reason"]


@pytest.mark.parametrize("environment", ["bertopic", "fastopic", "keynmf", "top2vec"])
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
    jobs = [job_of(tool, corpus, tmp_path / "fit", embedding=HUB_MODEL)]
    (status,) = run_jobs(jobs, Limits(), without_network(python_of(tool), tmp_path))
    assert status["status"] == "failed"
    assert f"embedding '{HUB_MODEL}' cannot be loaded" in status["reason"]
    assert "use embedding: floret" in status["reason"]
    assert status["seconds"] < 30
    assert (tmp_path / "attempts").exists()  # so the test above would notice one
