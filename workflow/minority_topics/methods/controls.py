"""Controls: the true labels, random labels, and one topic for all.

A metric that does not rank them as they are is broken.
"""

import numpy as np

from .contract import Fit, NotApplicable, normalise_rows


def fit(problem):
    """`options["labels"]` chooses: "truth", "random" or "single"."""
    n_documents = problem.counts.shape[0]
    kind = problem.options["labels"]
    if kind == "truth":
        if problem.labels is None or (problem.labels < 0).all():
            raise NotApplicable("the corpus has no labels")
        clusters = problem.labels + 1
    elif kind == "random":
        rng = np.random.default_rng(problem.random_state)
        clusters = rng.integers(problem.n_topics, size=n_documents)
    elif kind == "single":
        clusters = np.zeros(n_documents, dtype=int)
    else:
        raise ValueError(f"labels={kind!r} must be 'truth', 'random' or 'single'")
    # Topics are renumbered so that none is empty; background, the truth's cluster 0, comes first.
    found, clusters = np.unique(clusters, return_inverse=True)
    doc_topic = np.eye(len(found))[clusters]
    topic_word = normalise_rows(doc_topic.T @ problem.counts)
    filled = topic_word.any(axis=1)
    injected = np.flatnonzero(found[filled] > 0) if kind == "truth" else None
    return Fit(doc_topic[:, filled], topic_word[filled], minority=injected)
