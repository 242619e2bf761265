"""Embeddings that need no tool: what a text is, and TF-IDF with a truncated SVD."""

import numpy as np
import pytest
import scipy.sparse as sp

from minority_topics.methods.contract import Problem
from minority_topics.methods.shared.embeddings import embed, load_embedder, texts

TOKENS = [["kissa", "koira"], ["kissa", "outo", "koira"], ["vero"], ["vero", "laki"], []]


@pytest.fixture
def problem(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")  # restored afterwards; an embedder sets it
    vocabulary = ["kissa", "koira", "laki", "vero"]
    counts = sp.csr_matrix([[tokens.count(word) for word in vocabulary] for tokens in TOKENS])
    return Problem(counts, counts, TOKENS, vocabulary, [], 2, 1, 1)


def test_texts_hold_words_of_the_vocabulary_alone(problem):
    assert texts(problem) == ["kissa koira", "kissa koira", "vero", "vero laki", ""]


def test_rows_have_unit_length_or_are_zero(problem):
    embeddings = embed(problem, "tfidf")
    assert embeddings.shape == (5, 4)
    np.testing.assert_allclose(np.linalg.norm(embeddings, axis=1), [1, 1, 1, 1, 0], rtol=1e-6)


def test_equal_words_are_near_and_others_far(problem):
    near = embed(problem, "tfidf") @ embed(problem, "tfidf").T
    assert near[0, 1] == pytest.approx(1)
    assert near[2, 3] > 0.5
    np.testing.assert_allclose(near[:2, 2:4], 0, atol=1e-6)


def test_other_texts_land_in_the_same_space(problem):
    embedder = load_embedder(problem, "tfidf")
    np.testing.assert_allclose(embedder(["koira kissa", ""]), embed(problem, "tfidf")[[0, 4]])


def test_an_embedding_without_a_hub_keeps_tools_off_it(problem, monkeypatch):
    import os

    load_embedder(problem, "tfidf")
    assert os.environ["HF_HUB_OFFLINE"] == "1"
