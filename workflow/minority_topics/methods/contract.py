"""The contract between the study and a method: what a method is given, and what it gives back.

A method is a module of `methods` with one function, `fit(problem) -> Fit`. This module needs only
numpy and scipy, so that it works in the environment of any tool.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ..base.files import replacing, write_csv
from ..base.manifest import check_manifest
from ..corpus.storage import seed_columns

N_TOP_WORDS = 10
FIT_FILES = ("fit.npz", "top_words.csv", "documents.csv")


class UnusableProblem(ValueError):
    """The problem cannot be fitted by this method; the message says why and what would help."""


class NotApplicable(ValueError):
    """The method does not apply to this kind of problem at all."""


class ContractError(ValueError):
    """A method returned something that is not a Fit of its problem."""


@dataclass(frozen=True)
class Problem:
    """What a method may see: the documents, the seed words, and how many topics to find.

    `labels` is None for every method but the controls.
    """

    counts: sp.csr_matrix
    tfidf: sp.csr_matrix
    tokens: list[list[str]]
    vocabulary: list[str]
    seed_words: list[str]
    n_topics: int
    n_minority: int
    random_state: int
    options: dict = field(default_factory=dict)
    labels: np.ndarray | None = None

    @property
    def seed_columns(self):
        """Columns of the seed words that occur in the vocabulary, in order."""
        return seed_columns(self.seed_words, self.vocabulary)


@dataclass(frozen=True)
class Fit:
    """What a method found: `doc_topic` (M x K) and `topic_word` (K x N), rows summing to one.

    A row of `doc_topic` may be zero: an outlier. `minority` are the topics that the method meant
    for the seed words, None if it has no such notion. `notes` are figures worth keeping; among them
    `versions`, by name, if something else than the method's package did the work.
    """

    doc_topic: np.ndarray
    topic_word: np.ndarray
    minority: Sequence[int] | np.ndarray | None = None
    notes: dict = field(default_factory=dict)


def normalise_rows(matrix):
    """Rows scaled to sum to one; rows of zeros stay."""
    matrix = np.asarray(matrix, dtype=np.float64)
    total = matrix.sum(axis=1, keepdims=True)
    return np.divide(matrix, total, out=np.zeros_like(matrix), where=total > 0)


def check_problem(problem):
    """Raise UnusableProblem for a corpus that no topic model could be fitted to."""
    n_documents, n_words = problem.counts.shape
    if n_documents == 0 or n_words == 0:
        raise UnusableProblem(
            f"the corpus has {n_documents} documents and {n_words} words; a topic model needs some "
            "of both: check the input file and the preprocessing settings"
        )
    if not problem.counts.sum():
        raise UnusableProblem(
            f"no document holds a word, all {n_documents} are empty: check the input file and the "
            "preprocessing settings"
        )
    if not 0 <= problem.n_minority <= problem.n_topics or problem.n_topics < 1:
        raise UnusableProblem(
            f"n_topics={problem.n_topics} and n_minority={problem.n_minority}: the first must be "
            "at least 1 and the second between 0 and the first"
        )


def check_fit(problem, fit, most_topics=None):
    """Raise ContractError unless `fit` has the shapes and sums that the contract asks for.

    A tool may find fewer topics than it was asked for, never more than `most_topics`.
    """
    n_documents, n_words = problem.counts.shape
    n_topics = len(fit.topic_word)
    for name, matrix, shape in (
        ("doc_topic", fit.doc_topic, (n_documents, n_topics)),
        ("topic_word", fit.topic_word, (n_topics, n_words)),
    ):
        if matrix.shape != shape:
            raise ContractError(f"{name} is {matrix.shape}, and must be {shape}")
        if not np.isfinite(matrix).all() or (matrix < 0).any():
            raise ContractError(f"{name} holds negative or non-finite numbers")
    if not 1 <= n_topics <= (most_topics or n_topics):
        raise ContractError(f"{n_topics} topics, where 1 to {most_topics} were asked for")
    if not np.allclose(fit.topic_word.sum(axis=1), 1, atol=1e-6):
        raise ContractError("rows of topic_word must sum to 1")
    mass = fit.doc_topic.sum(axis=1)
    if not (np.isclose(mass, 1, atol=1e-6) | (mass == 0)).all():
        raise ContractError("rows of doc_topic must sum to 1, or be zero for an outlier")
    if fit.minority is not None and not set(np.asarray(fit.minority)) <= set(range(n_topics)):
        raise ContractError(f"minority topics {fit.minority} are not among 0..{n_topics - 1}")


def plain_notes(notes):
    """Notes as JSON can hold them: numbers that are not finite become None."""
    if isinstance(notes, np.generic | np.ndarray):
        notes = notes.tolist()
    if isinstance(notes, dict):
        return {str(key): plain_notes(value) for key, value in notes.items()}
    if isinstance(notes, list | tuple):
        return [plain_notes(value) for value in notes]
    if isinstance(notes, float) and not math.isfinite(notes):
        return None
    if notes is None or isinstance(notes, str | int | float):
        return notes
    raise ContractError(
        f"notes hold {notes!r:.100}, and must be numbers, text, and lists and dicts of these"
    )


def write_fit(folder, fit, corpus):
    """Write fit.npz (the numbers), top_words.csv and documents.csv (for reading) into `folder`."""
    folder = Path(folder)
    arrays = {"doc_topic": fit.doc_topic, "topic_word": fit.topic_word}
    if fit.minority is not None:
        arrays["minority"] = np.asarray(fit.minority, dtype=np.int64)
    numbers, top_words, documents = (folder / name for name in FIT_FILES)
    with replacing(numbers, "wb") as file:
        np.savez_compressed(file, **arrays)

    minority = set() if fit.minority is None else set(np.asarray(fit.minority).tolist())
    columns = corpus.seed_columns
    sizes = np.bincount(
        fit.doc_topic.argmax(axis=1)[fit.doc_topic.any(axis=1)], minlength=len(fit.topic_word)
    )
    rows = []
    for topic, row in enumerate(fit.topic_word):
        order = np.argsort(-row, kind="stable")[:N_TOP_WORDS]
        kind = "minority" if topic in minority else "majority"
        top = [corpus.vocabulary[column] for column in order if row[column] > 0]
        rows.append([topic, kind, sizes[topic], f"{row[columns].sum():.4f}", *top])
    words = [f"word_{rank + 1}" for rank in range(N_TOP_WORDS)]
    write_csv(top_words, ["topic", "kind", "documents", "seed_share", *words], rows)
    rows = []
    for identifier, row in zip(corpus.ids, fit.doc_topic, strict=True):
        topic = int(row.argmax()) if row.any() else -1
        rows.append([identifier, topic, f"{row.max(initial=0):.4f}"])
    write_csv(documents, ["id", "topic", "share"], rows)


def read_fit(folder):
    check_manifest(folder, "fit.npz")
    with np.load(Path(folder) / "fit.npz") as arrays:
        return Fit(arrays["doc_topic"], arrays["topic_word"], arrays.get("minority"))


def seed_share(topic_word: np.ndarray, seed_columns: np.ndarray) -> np.ndarray:
    """Share of each topic's mass on the seed words' columns, (K,); 0 for an all-zero topic."""
    is_seed = np.zeros(topic_word.shape[1], dtype=bool)
    is_seed[seed_columns] = True
    on_seed, off_seed = topic_word[:, is_seed].sum(axis=1), topic_word[:, ~is_seed].sum(axis=1)
    # Summed this way, a topic of only seed words has share 1 exactly, and ties are ties.
    mass = on_seed + off_seed
    return np.divide(on_seed, mass, out=np.zeros(len(mass)), where=mass > 0)


def minority_by_seed_share(
    topic_word: np.ndarray, seed_columns: np.ndarray, n_minority: int
) -> np.ndarray:
    """Indices of the ``n_minority`` topics with the largest seed share, largest first.

    This tells the minority topics of an unguided method without looking at the labels. Ties
    keep the order of the topics.
    """
    return np.argsort(-seed_share(topic_word, seed_columns), kind="stable")[:n_minority]
