"""What the answers are made from: comments, their words, and the share of each topic in them."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp

from ...base.files import read_json, read_lines
from ...base.manifest import check_manifest
from ...corpus.readers import DataError
from .. import folders
from ..guidance import Opinion, follows

# Rows that are dense at a time: with 50 topics 20 MB.
BLOCK = 100_000
# Characters of a comment that a table shows.
LONGEST_TEXT = 2_000
NO_GROUP = "(no group)"


@dataclass(frozen=True)
class Words:
    """Which words (columns) each comment (row) holds: a CSR matrix without its values."""

    offsets: np.ndarray
    columns: np.ndarray
    n_words: int

    @cached_property
    def lengths(self):
        """Distinct words of each comment."""
        return np.diff(self.offsets)

    def of(self, row):
        return self.columns[self.offsets[row] : self.offsets[row + 1]]

    def documents(self, chosen):
        """Of each word, the number of the chosen comments (mask of rows) that hold it."""
        counts = np.zeros(self.n_words, np.int64)
        for rows, columns in self._blocks():
            inside = np.repeat(chosen[rows], self.lengths[rows])
            counts += np.bincount(columns[inside], minlength=self.n_words)
        return counts

    def held(self, words):
        """Of each comment, how many of these words (columns) it holds."""
        wanted = np.zeros(self.n_words, bool)
        wanted[words] = True
        counts = np.zeros(len(self.lengths), np.int32)
        for rows, columns in self._blocks():
            sums = np.concatenate([[0], np.cumsum(wanted[columns], dtype=np.int64)])
            first = self.offsets[rows.start]
            counts[rows] = np.diff(sums[self.offsets[rows.start : rows.stop + 1] - first])
        return counts

    def together(self, words, others):
        """Numbers of comments (words x others) that hold two words (columns)."""
        counts = np.zeros((len(words), len(others)), np.int64)
        for rows, columns in self._blocks():
            bounds = self.offsets[rows.start : rows.stop + 1]
            parts = np.ones(len(columns), np.int32), columns, bounds - bounds[0]
            block = sp.csr_matrix(parts, (len(bounds) - 1, self.n_words))
            counts += (block[:, words].T @ block[:, others]).toarray()
        return counts

    def _blocks(self):
        for rows in blocks(len(self.lengths)):
            yield rows, self.columns[self.offsets[rows.start] : self.offsets[rows.stop]]


@dataclass(frozen=True)
class Shares:
    """Share of each topic in each comment, (comments x topics); those not shown come last."""

    matrix: sp.csr_matrix
    n_shown: int

    def __len__(self):
        return self.matrix.shape[0]

    def blocks(self):
        """(rows as a slice, dense shares of the topics that are shown)."""
        for rows in blocks(len(self)):
            yield rows, self.dense(rows)

    def dense(self, rows):
        """Shares of the topics that are shown in some rows."""
        return self._all(rows)[:, : self.n_shown]

    @cached_property
    def main(self):
        """The topic with the largest share of each comment (from 0), -1 where none is shown."""
        main = np.full(len(self), -1, np.int16)
        for rows in blocks(len(self)):
            dense = self._all(rows)
            best = dense.argmax(axis=1)
            has_one = dense[np.arange(len(dense)), best] > 0
            main[rows] = np.where(has_one & (best < self.n_shown), best, -1)
        return main

    def _all(self, rows):
        return self.matrix[rows].toarray()


@dataclass(frozen=True)
class Material:
    """The folders of the three steps before, as arrays; columns of `shares` are topics from 0."""

    comments: Path
    words: Words
    vocabulary: list
    seed_columns: np.ndarray
    components: np.ndarray
    doc_topic: sp.csr_matrix
    fit: dict
    reading: dict
    cleaning: dict
    has_texts: bool
    opinion: Opinion | None  # of learnt guidance, where it has one

    @property
    def counting_columns(self):
        """Columns of the words that count as seed words in the fit."""
        return self.opinion.guidance.trusted if follows(self.fit) else self.seed_columns

    @cached_property
    def has_words(self):
        return self.words.lengths > 0

    @cached_property
    def dates(self):
        """Date of each comment as datetime64[s], NaT where there is none."""
        with pq.ParquetFile(self.comments) as file:
            column = file.read(columns=["date"])["date"]
        return column.cast(pa.timestamp("s")).to_numpy().astype("datetime64[s]")

    @cached_property
    def groups(self):
        """(number of each comment's group, names of groups); no names where nothing is grouped."""
        with pq.ParquetFile(self.comments, read_dictionary=["group"]) as file:
            column = file.read(columns=["group"])["group"].unify_dictionaries().combine_chunks()
        if isinstance(column, pa.ChunkedArray):  # of no rows
            return np.zeros(0, np.int64), []
        names = column.dictionary.to_pylist()
        numbers = column.indices.fill_null(len(names)).to_numpy().astype(np.int64)
        if not names:
            return numbers, []
        if NO_GROUP in names:
            numbers[numbers == len(names)] = names.index(NO_GROUP)
        elif column.null_count:
            names = [*names, NO_GROUP]
        return numbers, names

    def fetch(self, rows):
        """{row: {id, date, group, text}} of some comments, one row group of the file at a time."""
        return fetch(self.comments, rows)


def blocks(n_rows):
    """Slices of at most BLOCK rows."""
    for start in range(0, n_rows, BLOCK):
        yield slice(start, min(start + BLOCK, n_rows))


def fetch(path, rows):
    """{row: {id, date, group, text}} of some rows of a comments.parquet; text "" if it has none."""
    wanted = np.unique(np.asarray(list(rows), np.int64))
    found = {}
    with pq.ParquetFile(path) as file:
        columns = [name for name in ("id", "date", "group", "text") if name in file.schema.names]
        start = 0
        for number in range(file.num_row_groups):
            end = start + file.metadata.row_group(number).num_rows
            inside = wanted[np.searchsorted(wanted, start) : np.searchsorted(wanted, end)]
            if len(inside):
                table = file.read_row_group(number, columns=columns).take(pa.array(inside - start))
                for row, comment in zip(inside.tolist(), table.to_pylist(), strict=True):
                    found[row] = _shown_comment(comment)
            start = end
    return found


def _shown_comment(comment):
    date, text = comment.get("date"), comment.get("text") or ""
    return {
        "id": comment["id"],
        "date": date.date().isoformat() if date else "",
        "group": comment.get("group") or "",
        "text": text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…",
    }


def load(comments_folder, matrix_folder, model_folder):
    """The three folders, checked against their manifests and against one another."""
    comments, matrix, model = map(Path, (comments_folder, matrix_folder, model_folder))
    check_manifest(comments, folders.COMMENTS, folders.READING)
    check_manifest(
        matrix, folders.COUNTS, folders.VOCABULARY, folders.SEED_COLUMNS, folders.CLEANING
    )
    check_manifest(model, folders.ARRAYS, folders.DOC_TOPIC, folders.FIT)
    fit = read_json(model / folders.FIT)
    with np.load(matrix / folders.COUNTS, allow_pickle=False) as counts:
        words = Words(counts["indptr"].astype(np.int64), counts["indices"], int(counts["shape"][1]))
    with np.load(model / folders.ARRAYS, allow_pickle=False) as arrays:
        components = arrays["components"].astype(np.float32, copy=False)
    with pq.ParquetFile(comments / folders.COMMENTS) as file:
        n_comments, has_texts = file.metadata.num_rows, "text" in file.schema.names
    material = Material(
        comments=comments / folders.COMMENTS,
        words=words,
        vocabulary=read_lines(matrix / folders.VOCABULARY),
        seed_columns=np.load(matrix / folders.SEED_COLUMNS, allow_pickle=False),
        components=components,
        doc_topic=sp.csr_matrix(sp.load_npz(model / folders.DOC_TOPIC)),
        fit=fit,
        reading=read_json(comments / folders.READING),
        cleaning=read_json(matrix / folders.CLEANING),
        has_texts=has_texts,
        opinion=_opinion(model, fit),
    )
    _check_sizes(material, n_comments, comments, matrix, model)
    return material


def _opinion(model, fit):
    """What learnt guidance thinks; a folder may hold the file of an earlier fit."""
    found = fit.get("learnt_guidance")
    if not found or found["reason"]:
        return None
    check_manifest(model, folders.GUIDANCE)
    return Opinion.load(model / folders.GUIDANCE)


def _check_sizes(material, n_comments, comments, matrix, model):
    n_topics, n_words = material.components.shape
    sizes = [
        (model, "words", n_words, matrix, len(material.vocabulary)),
        (matrix, "comments", len(material.words.lengths), comments, n_comments),
        (model, "comments", material.doc_topic.shape[0], comments, n_comments),
        (model, "topics", material.doc_topic.shape[1], model / folders.ARRAYS, n_topics),
    ]
    for place, what, found, other, expected in sizes:
        if found != expected:
            raise DataError(
                f"{place}: {found} {what}, but {other} has {expected}; remove {place} and run again"
            )
