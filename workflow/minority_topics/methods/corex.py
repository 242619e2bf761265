"""Anchored CorEx (Gallagher et al. 2017), corextopic's, on the presence of words in documents.

Topics are binary latent variables that explain as much as possible of the total correlation of the
words; the weight of an anchored word in its topic is held at `anchor_strength`. A word may be
anchored to several topics, so by default every guided topic gets the whole list of seed words, and
its random start sets it apart.

A topic's words weigh alpha x MI, their connection to it times their mutual information with it, by
which the tool ranks them. Its documents weigh p(y = 1 | x), scaled to sum to one over the topics.
"""

import numpy as np
import scipy.sparse as sp

from .contract import Fit, UnusableProblem, normalise_rows
from .shared.seed_lists import seed_lists


def fit(problem):
    return corex(problem, **problem.options)


def corex(problem, seeds="same", anchor_strength=4, max_iter=200):
    """Options: `seeds`, see `seed_lists`; the others are the tool's. The paper chose strength 4."""
    from corextopic.corextopic import Corex

    model = Corex(problem.n_topics, max_iter=max_iter, seed=problem.random_state)
    model.fit(
        sp.csr_matrix(problem.counts > 0, dtype=np.float64),
        words=problem.vocabulary,
        anchors=seed_lists(problem, seeds),
        anchor_strength=anchor_strength,
    )
    # A word whose absence marks the topic is informative about it, and no word of it.
    weights = model.alpha * model.mis * (model.sign > 0)
    kept = np.flatnonzero(weights.any(axis=1))
    if not len(kept):
        raise UnusableProblem(
            "CorEx found no word that tells documents apart; it needs documents that differ"
        )
    return Fit(
        # p_y_given_x is the same cut at 1 - 1e-6, which ties a document's surest topics.
        doc_topic=normalise_rows(np.exp(model.log_p_y_given_x[:, kept])),
        topic_word=normalise_rows(weights[kept]),
        minority=np.flatnonzero(kept < problem.n_minority),
        notes={"objective": float(model.tc), "iterations": len(model.tc_history)},
    )
