"""Small corpora, and the environments of the methods."""

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from minority_topics.contract import write_corpus, write_documents
from minority_topics.environments import build, failure
from minority_topics.registry import ROOT

SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def authors_data():
    """Folder of the authors' dataset, which is not ours to ship."""
    folder = SHARED / "paper"
    if not (folder / "synthetic-data.csv").exists():
        pytest.skip("the authors' dataset is not here: put it at ../shared/paper")
    return folder


def planted_corpus(folder, n_documents=60, n_topics=4, random_state=0):
    """A corpus of planted topics: ten words each, documents of six words of one topic.

    The first two topics are labelled; the first two words of each are the seed words.
    """
    rng = np.random.default_rng(random_state)
    vocabulary = [f"word{topic}{letter}" for topic in range(n_topics) for letter in "abcdefghij"]
    topics = rng.integers(n_topics, size=n_documents)
    columns = topics[:, None] * 10 + rng.integers(10, size=(n_documents, 6))
    counts = np.zeros((n_documents, len(vocabulary)))
    np.add.at(counts, (np.arange(n_documents)[:, None], columns), 1)
    documents = [[vocabulary[column] for column in row] for row in columns]
    names = ["first", "second"]
    labels = [names[topic] if topic < 2 else "-1" for topic in topics]
    folder = Path(folder)
    write_documents(folder / "documents.csv", range(n_documents), documents, labels)
    truth = np.zeros((2, len(vocabulary)))
    truth[0, :10] = truth[1, 10:20] = 0.1
    write_corpus(
        folder,
        counts=sp.csr_matrix(counts),
        tfidf=sp.csr_matrix(counts / np.linalg.norm(counts, axis=1, keepdims=True)),
        vocabulary=vocabulary,
        seed_words=["word0a", "word0b", "word1a", "word1b", "absent"],
        topic_names=names,
        truth=truth,
        facts={},
    )
    return folder


@pytest.fixture(scope="session")
def corpus_folder(tmp_path_factory):
    return planted_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="session")
def python_of():
    """Python of a method's environment, built first if need be, as the workflow would."""

    def python(name):
        record = ROOT / ".venvs" / f"{name}.json"
        if not record.exists() or json.loads(record.read_text())["status"] != "ok":
            build(ROOT / "envs" / f"{name}.yaml", record)
        assert not failure(record), failure(record)
        return ROOT / ".venvs" / name / "bin" / "python"

    return python
