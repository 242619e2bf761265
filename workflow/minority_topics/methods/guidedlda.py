"""GuidedLDA (after Jagarlamudi et al. 2012), the guidedlda package's collapsed Gibbs sampler.

Latent Dirichlet allocation on counts whose chain starts guided: an occurrence of a seed word begins
in the topic of the word with probability `seed_confidence`, all else in turn over all topics. After
the start the sampler is plain LDA.

The tool knows one topic a word, so the whole list for every topic would end in the last of them:
the seed words are dealt round the guided topics instead.
"""

import logging

import numpy as np

from .contract import Fit, normalise_rows
from .shared.seed_lists import seed_lists


def fit(problem):
    return guidedlda(problem, **problem.options)


def guidedlda(problem, seeds="dealt", seed_confidence=0.15, n_iter=2000, alpha=0.01, eta=0.01):
    """Options: `seeds`, see `seed_lists`; the others are the tool's, with its defaults.

    But for `seed_confidence`, whose default is no guidance: 0.15 is the value of its manual.
    """
    from guidedlda import GuidedLDA

    column = {word: number for number, word in enumerate(problem.vocabulary)}
    seed_topics = {
        column[word]: topic
        for topic, words in enumerate(seed_lists(problem, seeds))
        for word in words
    }
    logging.getLogger("guidedlda").setLevel(logging.ERROR)
    model = GuidedLDA(
        problem.n_topics, n_iter=n_iter, alpha=alpha, eta=eta, random_state=problem.random_state
    )
    model.fit(
        problem.counts.astype(np.int64), seed_topics=seed_topics, seed_confidence=seed_confidence
    )
    return Fit(
        doc_topic=normalise_rows(model.doc_topic_),
        topic_word=normalise_rows(model.topic_word_),
        minority=range(problem.n_minority),
        notes={"objective": float(model.loglikelihood()), "iterations": n_iter},
    )
