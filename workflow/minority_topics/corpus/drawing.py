"""Background documents: simulated, or drawn at random from a file."""

from pathlib import Path

import numpy as np

from ..base.manifest import write_manifest
from .background import simulate_background
from .cleaning import clean
from .readers import DataError, naming, read_table
from .storage import BACKGROUND, write_documents


def draw_background(
    source, n_documents, random_states, out, *, text_column="text", stop_words="none", lemmas="none"
):
    """Write one CSV of documents for each random state: 0.csv, 1.csv, ... of the folder `out`.

    `source` is "simulated", or a file whose text is cleaned.
    """
    draw = simulate if source == "simulated" else _drawer(source, text_column, stop_words, lemmas)
    for number, random_state in enumerate(random_states):
        ids, documents = draw(n_documents, random_state)
        labels = [BACKGROUND] * len(documents)
        write_documents(Path(out) / f"{number}.csv", ids, documents, labels)
    settings = [n_documents, random_states, text_column, stop_words, lemmas]
    write_manifest(out, settings, [] if source == "simulated" else [source])


def simulate(n_documents, random_state):
    documents = list(simulate_background(n_documents, random_state).documents())
    return range(len(documents)), documents


def _drawer(path, text_column, stop_words, lemmas):
    texts = [row[text_column] for row in read_table(path, [text_column])]
    with naming(path):
        documents = clean(texts, stop_words, lemmas)
    filled = [number for number, document in enumerate(documents) if document]

    def draw(n_documents, random_state):
        if len(filled) < n_documents:
            raise DataError(
                f"{path}: {len(filled)} documents hold a word, and n_documents={n_documents} are "
                "asked for; lower n_documents"
            )
        rng = np.random.default_rng(random_state)
        ids = np.sort(rng.choice(filled, n_documents, replace=False)).tolist()
        return ids, [documents[number] for number in ids]

    return draw
