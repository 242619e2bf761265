"""Top2Vec (Angelov 2020) with doc2vec. Unguided.

Doc2vec embeds documents and words in one space; UMAP and HDBSCAN find dense areas of documents, a
topic is the mean of such an area, and the smallest topic is merged into its nearest one until
`n_topics` are left. Documents belong to the nearest topic. A topic has no word distribution: its
words are the 50 nearest that the tool lists, weighed by their cosine.

What differs from the tool's defaults, which are meant for many long documents:

- `min_count` grows with the corpus, one per thousand documents up to the default of 50, so that a
  small corpus keeps the vocabulary that all methods share.
- HDBSCAN takes the smallest clusters: its defaults find two topics in 500 comments, and the tool
  can only go downwards from what it found.
- one worker and a seed for doc2vec, for which the tool has no parameter.
"""

import functools
import importlib
from unittest import mock

import numpy as np

from .contract import Fit, UnusableProblem, normalise_rows
from .shared.embeddings import texts

N_COMPONENTS = 5


def fit(problem):
    return top2vec(problem, **problem.options)


def top2vec(
    problem, *, min_count=None, speed="learn", n_neighbors=15,
    min_cluster_size=2, min_samples=1, cluster_selection_method="leaf",
):  # fmt: skip
    """Options: the tool's, and those of its UMAP and HDBSCAN, under their names."""
    documents = texts(problem)
    if len(documents) < N_COMPONENTS + 2:
        raise UnusableProblem(
            f"{len(documents)} documents: UMAP needs {N_COMPONENTS + 2} to start from"
        )
    if min_count is None:
        min_count = min(max(1, len(documents) // 1000), 50)
    n_words = np.count_nonzero(problem.counts.sum(axis=0) >= min_count)
    if n_words < 2:
        # Doc2vec's thread would die of it, and Top2Vec wait for it for ever.
        raise UnusableProblem(
            f"{n_words} words occur min_count={min_count} times or more; Top2Vec needs 2"
        )

    # The package's attribute of this name is the class, not the module.
    module = importlib.import_module("top2vec.Top2Vec")
    seeded = functools.partial(module.Doc2Vec, seed=problem.random_state)
    with mock.patch.object(module, "Doc2Vec", seeded):
        model = module.Top2Vec(
            documents,
            min_count=min_count,
            speed=speed,
            workers=1,
            tokenizer=str.split,
            umap_args={
                "n_neighbors": n_neighbors,
                "n_components": N_COMPONENTS,
                "metric": "cosine",
                "random_state": problem.random_state,
                "n_jobs": 1,
            },
            hdbscan_args={
                "min_cluster_size": min_cluster_size,
                "min_samples": min_samples,
                "cluster_selection_method": cluster_selection_method,
            },
            verbose=False,
        )
    n_found = model.get_num_topics()
    reduced = n_found > problem.n_topics
    if reduced:
        model.hierarchical_topic_reduction(problem.n_topics)
    words, cosines, _ = model.get_topics(reduced=reduced)
    column = {word: number for number, word in enumerate(problem.vocabulary)}
    topic_word = np.zeros((len(words), len(column)))
    for row, listed, weights in zip(topic_word, words, cosines, strict=True):
        row[[column[word] for word in listed]] = weights.clip(min=0)
    kept = topic_word.any(axis=1)
    doc_topic = np.eye(len(words))[model.doc_top_reduced if reduced else model.doc_top]
    return Fit(
        doc_topic=doc_topic[:, kept],
        topic_word=normalise_rows(topic_word[kept]),
        notes={"topics_found": n_found},
    )
