"""The contract between the study and a method: what a method is given, and what it gives back.

A method is a module of `methods` with one function, `fit(problem) -> Fit`. This module needs numpy
and scipy alone, so that it works in the environment of any tool.
"""

import csv
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy.sparse as sp

N_TOP_WORDS = 10
# The label of a document without an injected topic.
BACKGROUND = "-1"


class UnusableProblem(ValueError):
    """The problem cannot be fitted by this method; the message says why and what would help."""


class NotApplicable(ValueError):
    """The method does not apply to this kind of problem at all."""


class ContractError(ValueError):
    """A method returned something that is not a Fit of its problem."""


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
    for the seed words, None if it has no such notion. `notes` are figures worth keeping.
    """

    doc_topic: np.ndarray
    topic_word: np.ndarray
    minority: np.ndarray | None = None
    notes: dict = field(default_factory=dict)


def seed_columns(seed_words, vocabulary):
    columns = {word: column for column, word in enumerate(vocabulary)}
    return sorted({columns[word] for word in seed_words if word in columns})


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


def write_fit(folder, fit, corpus):
    """Write fit.npz (the numbers), top_words.csv and documents.csv (for reading) into `folder`."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {"doc_topic": fit.doc_topic, "topic_word": fit.topic_word}
    if fit.minority is not None:
        arrays["minority"] = np.asarray(fit.minority, dtype=np.int64)
    np.savez_compressed(folder / "fit.npz", **arrays)

    minority = set() if fit.minority is None else set(np.asarray(fit.minority).tolist())
    columns = corpus.seed_columns
    with open(folder / "top_words.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        words = [f"word_{rank + 1}" for rank in range(N_TOP_WORDS)]
        writer.writerow(["topic", "kind", "documents", "seed_share", *words])
        sizes = np.bincount(
            fit.doc_topic.argmax(axis=1)[fit.doc_topic.any(axis=1)], minlength=len(fit.topic_word)
        )
        for topic, row in enumerate(fit.topic_word):
            order = np.argsort(-row, kind="stable")[:N_TOP_WORDS]
            kind = "minority" if topic in minority else "majority"
            top = [corpus.vocabulary[column] for column in order if row[column] > 0]
            writer.writerow([topic, kind, sizes[topic], f"{row[columns].sum():.4f}", *top])
    with open(folder / "documents.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "topic", "share"])
        for identifier, row in zip(corpus.ids, fit.doc_topic, strict=True):
            topic = int(row.argmax()) if row.any() else -1
            writer.writerow([identifier, topic, f"{row.max(initial=0):.4f}"])


def read_fit(folder):
    with np.load(Path(folder) / "fit.npz") as arrays:
        return Fit(arrays["doc_topic"], arrays["topic_word"], arrays.get("minority"))


def write_corpus(folder, *, counts, tfidf, vocabulary, seed_words, topic_names, truth, facts):
    """Write what `vectorise` made beside documents.csv."""
    folder = Path(folder)
    sp.save_npz(folder / "counts.npz", counts)
    sp.save_npz(folder / "tfidf.npz", tfidf)
    write_lines(folder / "vocabulary.txt", vocabulary)
    write_lines(folder / "seed_words.txt", seed_words)
    write_lines(folder / "topics.txt", topic_names)
    np.savez_compressed(folder / "truth.npz", truth=truth)
    write_json(folder / "corpus.json", facts)


def read_corpus(folder):
    folder = Path(folder)
    try:
        documents = read_documents(folder / "documents.csv")
        counts = sp.csr_matrix(sp.load_npz(folder / "counts.npz"))
        tfidf = sp.csr_matrix(sp.load_npz(folder / "tfidf.npz"))
    except FileNotFoundError as error:
        raise UnusableProblem(
            f"{folder} is not a corpus: {error.filename} is missing; make it with "
            "`python -m minority_topics vectorise`"
        ) from error
    topic_names = read_lines(folder / "topics.txt")
    index = {name: number for number, name in enumerate(topic_names)}
    with np.load(folder / "truth.npz") as arrays:
        truth = arrays["truth"]
    return Corpus(
        counts=counts,
        tfidf=tfidf,
        tokens=[row["text"].split() for row in documents],
        ids=[row["id"] for row in documents],
        vocabulary=read_lines(folder / "vocabulary.txt"),
        seed_words=read_lines(folder / "seed_words.txt"),
        labels=np.array([index.get(row["label"], -1) for row in documents], dtype=np.int64),
        topic_names=topic_names,
        truth=truth,
        digest=digest(*(folder / name for name in ("counts.npz", "seed_words.txt"))),
    )


def write_documents(path, ids, documents, labels):
    """documents.csv: id, label (a topic's name, or BACKGROUND) and text, a row each."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "label", "text"])
        for row in zip(ids, labels, documents, strict=True):
            writer.writerow([*row[:2], " ".join(row[2])])


def read_documents(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_lines(path, lines):
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def read_lines(path):
    lines = Path(path).read_text(encoding="utf-8").split("\n")
    return [line.strip() for line in lines if line.strip()]


def write_json(path, content):
    text = json.dumps(content, indent=2, ensure_ascii=False, sort_keys=True)
    Path(path).write_text(text + "\n", encoding="utf-8")


def digest(*paths):
    """A short fingerprint of the contents of files."""
    sha = hashlib.sha256()
    for path in paths:
        sha.update(Path(path).read_bytes())
    return sha.hexdigest()[:16]
