"""Corpora on disk: documents, matrices over one vocabulary, seed words and ground truth.

This module needs numpy and scipy alone, so that it works in the environment of any tool.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ..base.files import (
    digest,
    read_csv,
    read_json,
    read_lines,
    replacing,
    write_csv,
    write_json,
    write_lines,
)
from ..base.manifest import DamagedFolder, check_manifest, write_manifest
from ..base.text import shown, stands_twice

# The label of a document without an injected topic.
BACKGROUND = "-1"
# What `read_corpus` reads.
FILES = (
    "documents.csv", "counts.npz", "tfidf.npz", "vocabulary.txt", "seed_words.txt", "topics.txt",
    "truth.npz",
)  # fmt: skip


class CorpusError(DamagedFolder):
    """A corpus on disk that is not whole; the message names the file and what to do."""


@dataclass(frozen=True)
class Corpus:
    """Documents with their matrices, as `vectorise` wrote them.

    `counts` and `tfidf` (M x N, CSR) share `vocabulary` (N). `labels` (M,) hold the index of the
    injected topic in `topic_names`, -1 for background; `truth` (T x N) its word distribution.
    """

    counts: sp.csr_matrix
    tfidf: sp.csr_matrix
    tokens: list[list[str]]
    ids: list[str]
    vocabulary: list[str]
    seed_words: list[str]
    labels: np.ndarray
    topic_names: list[str]
    truth: np.ndarray
    digest: str

    @property
    def seed_columns(self):
        """Columns of the seed words that occur in the vocabulary, in order."""
        return seed_columns(self.seed_words, self.vocabulary)


def seed_columns(seed_words, vocabulary):
    columns = {word: column for column, word in enumerate(vocabulary)}
    return sorted({columns[word] for word in seed_words if word in columns})


def number_labels(rows, topic_names):
    """The place of each row's label among the topics (M,), -1 for background.

    Raises KeyError with a label that is neither.
    """
    index = {name: number for number, name in enumerate(topic_names)} | {BACKGROUND: -1}
    return np.array([index[row["label"]] for row in rows], dtype=np.int64)


def write_corpus(
    folder, *, counts, tfidf, vocabulary, seed_words, topic_names, truth, facts, made_by=None,
):  # fmt: skip
    """Write what `vectorise` made beside documents.csv, and the manifest of all of it."""
    folder = Path(folder)
    for name, matrix in (("counts", counts), ("tfidf", tfidf)):
        with replacing(folder / f"{name}.npz", "wb") as file:
            sp.save_npz(file, matrix)
    write_lines(folder / "vocabulary.txt", vocabulary)
    write_lines(folder / "seed_words.txt", seed_words)
    write_lines(folder / "topics.txt", topic_names)
    with replacing(folder / "truth.npz", "wb") as file:
        np.savez_compressed(file, truth=truth)
    write_json(folder / "corpus.json", facts)
    write_manifest(folder, made_by=made_by)


def read_corpus(folder):
    """The corpus of a folder; raises CorpusError unless its files are whole and agree."""
    folder = Path(folder)
    if not (folder / "counts.npz").exists() and not (folder / "manifest.json").exists():
        raise CorpusError(
            f"{folder} is not a corpus: {folder / 'counts.npz'} is missing; make it with "
            "`python -m minority_topics vectorise`"
        )
    try:
        check_manifest(folder, *FILES)
    except DamagedFolder as error:
        raise CorpusError(str(error)) from error
    documents = _load(folder / "documents.csv", _rows)
    topic_names = _load(folder / "topics.txt", read_lines)
    try:
        labels = number_labels(documents, topic_names)
    except KeyError as error:
        problem = f"label {shown(error.args[0])} is no topic"
        raise _odd(folder / "documents.csv", problem) from error
    corpus = Corpus(
        counts=_load(folder / "counts.npz", _matrix),
        tfidf=_load(folder / "tfidf.npz", _matrix),
        tokens=[row["text"].split() for row in documents],
        ids=[row["id"] for row in documents],
        vocabulary=_load(folder / "vocabulary.txt", read_lines),
        seed_words=_load(folder / "seed_words.txt", read_lines),
        labels=labels,
        topic_names=topic_names,
        truth=_load(folder / "truth.npz", _truth),
        digest=digest(*(folder / name for name in ("counts.npz", "seed_words.txt"))),
    )
    _check(folder, corpus)
    return corpus


def _check(folder, corpus):
    """Names, vocabulary, documents and matrices must agree, or labels would mean other topics."""
    for name, values in (("vocabulary", corpus.vocabulary), ("topics", corpus.topic_names)):
        if stands_twice(values):
            raise _odd(folder / f"{name}.txt", "a line appears twice")
    if BACKGROUND in corpus.topic_names:
        raise _odd(folder / "topics.txt", f"{BACKGROUND} is the label of background")
    n_documents, n_words = len(corpus.tokens), len(corpus.vocabulary)
    for name, shape in (
        ("counts", (n_documents, n_words)),
        ("tfidf", (n_documents, n_words)),
        ("truth", (len(corpus.topic_names), n_words)),
    ):
        matrix = getattr(corpus, name)
        if matrix.shape != shape:
            raise _odd(folder / f"{name}.npz", f"it is {matrix.shape}, and must be {shape}")
        numbers = matrix if name == "truth" else matrix.data
        if not np.isfinite(numbers).all() or (numbers < 0).any():
            raise _odd(folder / f"{name}.npz", "it holds negative or non-finite numbers")


def _load(path, read):
    try:
        return read(path)
    # OSError and MemoryError are faults of the machine, which a second run may not meet again.
    except (CorpusError, OSError, MemoryError):
        raise
    # A damaged archive raises anything, from zipfile, zlib, struct, pickle or numpy.
    except Exception as error:
        raise _odd(path, f"it cannot be read ({type(error).__name__})") from error


def _odd(path, problem):
    return CorpusError(
        f"{path}: {problem}; remove the folder and make it again with "
        "`python -m minority_topics vectorise`"
    )


def _matrix(path):
    matrix = sp.csr_matrix(sp.load_npz(path))
    # Compiled code trusts the indices.
    matrix.check_format(full_check=True)
    return matrix


def _truth(path):
    with np.load(path) as arrays:
        return np.asarray(arrays["truth"], dtype=float)


def read_facts(folder):
    """What `vectorise` noted of a corpus: sizes, seed words found, text statistics."""
    check_manifest(folder, "corpus.json")
    return read_json(Path(folder) / "corpus.json")


def write_documents(path, ids, documents, labels):
    """documents.csv: id, label (a topic's name, or BACKGROUND) and text, a row each."""
    texts = (" ".join(document) for document in documents)
    write_csv(path, ["id", "label", "text"], zip(ids, labels, texts, strict=True))


def read_documents(path):
    """Rows of a file that `write_documents` wrote, as its folder's manifest has it."""
    path = Path(path)
    check_manifest(path.parent, path.name)
    return _rows(path)


def _rows(path):
    rows = read_csv(path)
    for number, row in enumerate(rows, start=1):
        for name in ("id", "label", "text"):
            if row.get(name) is None:
                raise CorpusError(f"{path}: row {number} has no {name}; make the file again")
    return rows
