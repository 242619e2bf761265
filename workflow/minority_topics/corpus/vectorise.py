"""From tokens to matrices over one shared vocabulary, and to corpora on disk."""

import math
from pathlib import Path

import numpy as np

from ..base.manifest import describe_step
from ..base.text import is_line, lowered, shown
from .background import corpus_statistics
from .injection import read_topics, spoil_seed_words, topic_word_truth
from .readers import DataError, naming, read_plain_lines
from .storage import BACKGROUND, number_labels, read_documents, write_corpus, write_documents


def make_corpora(
    documents, seed_words, out, *, topics=None, min_df=1, max_df=1.0, seed_share=1.0,
    wrong_seed_share=0.0, random_states=None,
):  # fmt: skip
    """A corpus for each CSV of the folder `documents`, in a subfolder of `out` with its number.

    `seed_words` and `topics` are files. Without topics the truth is estimated from the labels. With
    random states, one a corpus, the list of seed words is spoilt as the two shares say.
    """
    inputs = [documents, seed_words, *filter(None, [topics])]
    seed_words = read_seed_list(seed_words)
    topics = read_topics(topics) if topics else None
    paths = _numbered(documents)
    _check_shares(seed_share, wrong_seed_share, random_states)
    if random_states and len(random_states) != len(paths):
        raise DataError(
            f"{documents}: there are {len(paths)} corpora and {len(random_states)} random states; "
            "give one for each corpus"
        )
    for path, random_state in zip(paths, random_states or [None] * len(paths), strict=True):
        rows = read_documents(path)
        given = seed_words
        if random_state is not None:
            background = [row["text"].split() for row in rows if row["label"] == BACKGROUND]
            given = spoil_seed_words(
                seed_words, background, seed_share, wrong_seed_share, random_state
            )
        with naming(path):
            settings = [path.name, min_df, max_df, seed_share, wrong_seed_share, random_state]
            made_by = describe_step(settings, inputs)
            make_corpus(rows, given, Path(out) / path.stem, topics, min_df, max_df, made_by)


def _check_shares(seed_share, wrong_seed_share, random_states):
    if not 0 < seed_share <= 1:
        raise DataError(f"seed_share={seed_share!r} must be above 0 and at most 1; correct it")
    if not 0 <= wrong_seed_share < math.inf:
        raise DataError(
            f"wrong_seed_share={wrong_seed_share!r} must be a number from 0; correct it"
        )
    if not random_states and (seed_share, wrong_seed_share) != (1, 0):
        raise DataError(
            f"seed_share={seed_share!r} and wrong_seed_share={wrong_seed_share!r} need random "
            "states to draw words by; give a random state for each corpus"
        )


def read_seed_list(path):
    """The seed words of a file, one a line, in lower case."""
    words = [lowered(line.strip()) for line in read_plain_lines(path) if line.strip()]
    if not words:
        raise DataError(f"{path}: there is no seed word in it; write one a line")
    for number, word in enumerate(words, start=1):
        if not is_line(word):
            raise DataError(f"{path}: seed word {number} is {shown(word)}; save it as plain text")
    return words


def _numbered(folder):
    """0.csv, 1.csv, ... of a folder, in order."""
    paths = [path for path in Path(folder).glob("*.csv") if not path.name.startswith(".")]
    if not paths:
        raise DataError(f"{folder}: there is no CSV in it; give a folder that `inject` wrote")
    for path in paths:
        if not (path.stem.isascii() and path.stem.isdecimal()):
            raise DataError(f"{path}: its name must be a number, as in 0.csv; rename it")
    return sorted(paths, key=lambda path: int(path.stem))


def make_corpus(rows, seed_words, folder, topics=None, min_df=1, max_df=1.0, made_by=None):
    """Write the matrices, the truth and the facts of documents (`rows` of id, label and text)."""
    documents = [row["text"].split() for row in rows]
    counts, tfidf, vocabulary = vectorise(documents, min_df, max_df)
    if topics:
        names, truth = [topic.name for topic in topics], topic_word_truth(topics, vocabulary)
    else:
        names = sorted({row["label"] for row in rows} - {BACKGROUND})
    try:
        labels = number_labels(rows, names)
    except KeyError as error:
        problem = f"label {shown(error.args[0])} is none of the topics; give their file"
        raise DataError(problem) from error
    if not topics:
        truth = estimate_truth(counts, labels, len(names))
    known = set(seed_words) & set(vocabulary)
    seeded = np.array([bool(known.intersection(document)) for document in documents])
    facts = {
        "documents": len(rows),
        "words": len(vocabulary),
        "injected_documents": int((labels >= 0).sum()),
        "seed_words_found": len(known),
        "injected_documents_with_seed_word": int(seeded[labels >= 0].sum()),
        "background_documents_with_seed_word": int(seeded[labels < 0].sum()),
        "ground_truth": "injected word lists" if topics else "estimated from labels",
        "statistics": {
            name: None if np.isnan(value) else value
            for name, value in corpus_statistics(filter(None, documents)).items()
        },
    }
    ids = [row["id"] for row in rows]
    write_documents(folder / "documents.csv", ids, documents, [row["label"] for row in rows])
    write_corpus(
        folder,
        counts=counts,
        tfidf=tfidf,
        vocabulary=vocabulary,
        seed_words=seed_words,
        topic_names=names,
        truth=truth,
        facts=facts,
        made_by=made_by,
    )


def vectorise(documents, min_df=1, max_df=1.0):
    """Counts and TF-IDF (both M x N, CSR) over one sorted vocabulary.

    `min_df` and `max_df` bound the documents a word occurs in: a whole number is a count, a
    fraction a share of all documents.
    """
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

    # scikit-learn takes a share of 0 documents for min_df, but no count of 0.
    counter = CountVectorizer(analyzer=list, min_df=min_df or 0.0, max_df=max_df)
    try:
        counts = counter.fit_transform(documents).tocsr()
    except ValueError as error:
        raise DataError(
            f"min_df={min_df!r} and max_df={max_df!r} leave no word of {len(documents)} documents; "
            "lower min_df (a fraction is a share of documents, a whole number a count)"
        ) from error
    counts.sort_indices()
    return counts, TfidfTransformer().fit_transform(counts), list(counter.get_feature_names_out())


def estimate_truth(counts, labels, n_topics):
    """Word distribution of each labelled topic (T x N), estimated from its documents' words."""
    truth = np.zeros((n_topics, counts.shape[1]))
    for topic in range(n_topics):
        words = np.asarray(counts[labels == topic].sum(axis=0)).ravel().astype(float)
        truth[topic] = words / max(words.sum(), 1)
    return truth
