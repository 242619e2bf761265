"""Keyword controls: how far does "this document holds a seed word" go without a topic model?

Documents that hold a seed word are divided among the n_minority minority topics, the others among
the rest. The division is random, or by k-means on TF-IDF within each of the two parts. What a
guided model brings is what it adds to these. They are controls, but they never see the labels.
"""

import numpy as np

from .contract import Fit, normalise_rows


def fit(problem):
    return keywords(problem, **problem.options)


def keywords(problem, clusters="kmeans"):
    """Options: `clusters`, "random" or "kmeans", the division of each part."""
    if clusters not in DIVISIONS:
        raise ValueError(f"option clusters={clusters!r} must be 'random' or 'kmeans'")
    seeded = np.asarray(problem.counts[:, problem.seed_columns].sum(axis=1)).ravel() > 0
    filled = np.asarray(problem.counts.sum(axis=1)).ravel() > 0
    # A part that has no topics of its own goes to those of the other.
    if problem.n_minority in (0, problem.n_topics):
        seeded[:] = problem.n_minority > 0
    rng = np.random.default_rng(problem.random_state)
    topics = np.full(len(filled), -1)
    parts = (seeded, 0, problem.n_minority), (~seeded, problem.n_minority, problem.n_topics)
    for part, first, end in parts:
        documents = np.flatnonzero(part & filled)
        n_clusters = min(end - first, len(documents))
        if n_clusters:
            topics[documents] = first + DIVISIONS[clusters](problem, documents, n_clusters, rng)
    # Topics are renumbered so that none is empty.
    found = np.unique(topics[filled])
    doc_topic = np.equal.outer(topics, found).astype(float)
    return Fit(
        doc_topic=doc_topic,
        topic_word=normalise_rows(doc_topic.T @ problem.counts),
        minority=np.flatnonzero(found < problem.n_minority),
    )


def _random(problem, documents, n_clusters, rng):
    return rng.integers(n_clusters, size=len(documents))


def _kmeans(problem, documents, n_clusters, rng):
    from sklearn.cluster import KMeans

    model = KMeans(n_clusters, n_init=10, random_state=problem.random_state)
    return model.fit_predict(problem.tfidf[documents])


DIVISIONS = {"random": _random, "kmeans": _kmeans}
