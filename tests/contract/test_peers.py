"""Peers beyond the paper in their own environments: Gibbs LDA with word priors, and KeyNMF."""

import os
import subprocess

import numpy as np
import pytest
from helpers import WORDS, corpus_of, job_of, planted

from minority_topics.methods.contract import read_fit
from minority_topics.study.fitting import Limits, run_jobs
from minority_topics.study.paths import ROOT

# KeyNMF as its manual calls it, on the documents of a corpus, with the floret vectors of its words.
KEYNMF = """
import sys
import numpy as np
import spacy
from sklearn.feature_extraction.text import CountVectorizer
from turftopic import KeyNMF
from minority_topics.corpus.storage import read_corpus

folder, out, phrase = sys.argv[1:]
vocab = spacy.load("spacy_fi_experimental_web_md", exclude=["lemmatizer"]).vocab
unit = lambda vector: vector / np.linalg.norm(vector)

class Encoder:
    def encode(self, texts):
        return np.array([
            unit(np.mean([unit(vocab.get_vector(word)) for word in text.split()], axis=0))
            for text in texts
        ])

model = KeyNMF(
    4, encoder=Encoder(), vectorizer=CountVectorizer(analyzer=str.split), random_state=1,
    seed_phrase=phrase or None,
)
W = model.fit_transform([" ".join(tokens) for tokens in read_corpus(folder).tokens])
np.savez(out, W=W, H=model.components_, words=model.get_vocab())
"""


@pytest.fixture
def corpus(tmp_path):
    return corpus_of(tmp_path / "corpus", planted(60), vocabulary=WORDS)


@pytest.mark.parametrize("guided", [True, False])
def test_keynmf_is_what_the_tool_computes(python_of, corpus, tmp_path, guided):
    python = python_of("keynmf")
    job = job_of("keynmf", corpus, tmp_path / "fit", n_minority=2 if guided else 0)
    (status,) = run_jobs([job], Limits(), python)
    assert (status["status"], status["reason"]) == ("ok", "")
    phrase = "kissaa veroa kissab verob" if guided else ""
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "workflow"), "HF_HUB_OFFLINE": "1"}
    out = tmp_path / "out.npz"
    subprocess.run([python, "-c", KEYNMF, corpus, out, phrase], env=environ, check=True)
    tool, fit = np.load(out), read_fit(tmp_path / "fit")
    columns = [WORDS.index(word) for word in tool["words"]]
    H = np.zeros((4, len(WORDS)))
    H[:, columns] = tool["H"]
    mass = H.sum(axis=1)
    assert mass.all()
    np.testing.assert_allclose(fit.topic_word, H / mass[:, None], atol=1e-5)
    weights = tool["W"] * mass
    total = weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(fit.doc_topic, weights / np.where(total, total, 1), atol=1e-5)


def test_word_priors_draw_the_seed_words_into_the_minority_topics(python_of, corpus, tmp_path):
    shares = {}
    for name in ("tomotopy_lda", "tomotopy_seeded"):
        jobs = [job_of(name, corpus, tmp_path / f"{name}{s}", random_state=s) for s in range(1, 9)]
        statuses = run_jobs(jobs, Limits(), python_of("tomotopy"))
        assert all(status["status"] == "ok" for status in statuses)
        fits = [read_fit(tmp_path / f"{name}{s}") for s in range(1, 9)]
        columns = [WORDS.index(word) for word in ("kissaa", "veroa", "kissab", "verob")]
        shares[name] = np.mean([fit.topic_word[:2, columns].sum() for fit in fits])
        guided = name == "tomotopy_seeded"
        assert all((fit.minority is not None) == guided for fit in fits)
    assert shares["tomotopy_seeded"] > 1.3 * shares["tomotopy_lda"]
