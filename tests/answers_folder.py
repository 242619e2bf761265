"""Folders as the first three steps leave them, made of given comments and shares of topics."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp

from minority_topics.base.files import write_csv, write_json, write_lines
from minority_topics.base.manifest import write_manifest
from minority_topics.comments import folders


def write_comments(folder, texts, *, ids=None, dates=None, groups=None, keep_texts=True, rows=90):
    """comments.parquet in row groups of `rows`, with what belongs to it."""
    folder.mkdir(parents=True, exist_ok=True)
    n = len(texts)
    columns = {
        "id": pa.array(ids or [str(i + 1) for i in range(n)], pa.string()),
        "date": pa.array(dates or [None] * n, pa.timestamp("s")),
        "group": pa.array(groups or [None] * n, pa.string()),
    }
    if keep_texts:
        columns["text"] = pa.array(texts, pa.string())
    pq.write_table(pa.table(columns), folder / folders.COMMENTS, row_group_size=rows)
    write_csv(folder / folders.INPUT_REPORT, ["file", "line", "reason", "detail"], [])
    write_json(
        folder / folders.READING,
        {"rows_read": n, "rows_kept": n, "skipped": {}, "dates": None, "settings": {}},
    )
    write_manifest(folder)
    return folder


def write_matrix(folder, documents, vocabulary, seed_words):
    """Counts of documents, each a list of words of the vocabulary."""
    folder.mkdir(parents=True, exist_ok=True)
    column = {word: place for place, word in enumerate(vocabulary)}
    counts = sp.lil_matrix((len(documents), len(vocabulary)), dtype=np.int32)
    for row, words in enumerate(documents):
        for word in words:
            counts[row, column[word]] += 1
    sp.save_npz(folder / folders.COUNTS, counts.tocsr())
    write_lines(folder / folders.VOCABULARY, vocabulary)
    seeds = sorted(column[word] for word in seed_words)
    np.save(folder / folders.SEED_COLUMNS, np.array(seeds, np.int32))
    write_csv(
        folder / folders.SEED_WORDS,
        ["entry", "kind", "words", "warning"],
        [[word, "word", word, ""] for word in seed_words],
    )
    write_lines(folder / folders.SEED_FORMS, seed_words)
    write_json(
        folder / folders.CLEANING,
        {
            "documents": len(documents),
            "documents_with_words": sum(map(bool, documents)),
            "words": len(vocabulary),
            "seed_entries": len(seed_words),
        },
    )
    write_manifest(folder)
    return folder


def write_model(folder, components, shares, n_minority, stability=None):
    """A model of (topics x words) components, and the share of each topic in each comment."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / folders.ARRAYS, components=np.asarray(components, np.float32))
    sp.save_npz(folder / folders.DOC_TOPIC, sp.csr_matrix(np.asarray(shares, np.float32)))
    write_json(
        folder / folders.FIT,
        {"n_topics": len(components), "n_minority": n_minority, "stability": stability},
    )
    write_manifest(folder)
    return folder


class Study:
    """A small study: two minority and two majority topics of twelve own words each, 400 comments.

    Topic 1 is rare in the first half of 2024 and frequent later, and the group "a" has more of it.
    """

    n_topics, n_minority, n_own = 4, 2, 12

    def __init__(self, folder, n=400, random_state=0, **options):
        rng = np.random.default_rng(random_state)
        self.vocabulary = [f"w{k + 1}x{i:02d}" for k in range(4) for i in range(self.n_own)]
        self.seed_words = ["w1x00", "w1x01", "w2x00", "w2x01"]
        self.components = np.full((4, len(self.vocabulary)), 0.001)
        for k in range(4):
            own = slice(k * self.n_own, (k + 1) * self.n_own)
            self.components[k, own] = np.linspace(5, 1, self.n_own) * (k + 1)
        self.shares = np.zeros((n, 4))
        self.documents, self.groups, self.dates = [], [], []
        for row in range(n):
            late, group = row >= n // 2, ["a", "b"][rng.integers(2)]
            chance = (0.3 if late else 0.05) * (1.5 if group == "a" else 0.5)
            rest = np.array([0.1, 0.5, 0.4]) * (1 - chance)
            main = rng.choice(4, p=[chance, *rest])
            share = np.full(4, 0.0)
            share[main], share[(main + 1) % 4] = 0.8, 0.2
            words = rng.choice(self.n_own, 8, replace=False)
            self.documents.append([f"w{main + 1}x{i:02d}" for i in sorted(words)])
            self.shares[row] = share
            self.groups.append(group)
            self.dates.append(dt.datetime(2024, 1, 1) + dt.timedelta(days=int(row * 365 / n)))
        self.texts = [" ".join(words) for words in self.documents]
        self.folder = folder
        self.write(**options)

    def write(self, **options):
        given = {"dates": self.dates, "groups": self.groups, **options}
        self.comments = write_comments(self.folder / "comments", self.texts, **given)
        self.matrix = write_matrix(
            self.folder / "matrix", self.documents, self.vocabulary, self.seed_words
        )
        self.model = write_model(
            self.folder / "model", self.components, self.shares, self.n_minority
        )

    @property
    def folders(self):
        return self.comments, self.matrix, self.model
