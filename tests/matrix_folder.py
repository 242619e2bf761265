"""The folder that `vectorise_comments` leaves, made from counts in a test."""

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from minority_topics.base.files import write_json, write_lines
from minority_topics.base.manifest import write_manifest
from minority_topics.comments import folders
from minority_topics.comments.encoding import weigh


def planted_counts(n_comments=400, n_topics=4, per_topic=8, n_words=9, empty=(), seed=0):
    """Comments of words of one of some topics of `per_topic` words each, and the topic of each."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(n_topics, size=n_comments)
    words = per_topic * topic[:, None] + rng.integers(per_topic, size=(n_comments, n_words))
    counts = np.zeros((n_comments, n_topics * per_topic), dtype=np.int32)
    np.add.at(counts, (np.arange(n_comments)[:, None], words), 1)
    counts[list(empty)] = 0
    return sp.csr_matrix(counts), topic


def write_matrix_folder(folder, counts, seed_columns):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    n_comments, n_words = counts.shape
    frequency = np.bincount(counts.indices, minlength=n_words)
    idf = (np.log((1 + n_comments) / (1 + frequency)) + 1).astype(np.float32)
    sp.save_npz(folder / folders.COUNTS, counts)
    sp.save_npz(folder / folders.TFIDF, weigh(counts, idf))
    np.save(folder / folders.IDF, idf)
    np.save(folder / folders.SEED_COLUMNS, np.array(seed_columns, dtype=np.int32))
    write_lines(folder / folders.VOCABULARY, (f"word{column}" for column in range(n_words)))
    write_json(folder / folders.ENCODER, {})
    write_manifest(folder)
    return folder
