"""Latent Dirichlet allocation by collapsed Gibbs sampling, tomotopy's, on counts; guided if asked.

Guidance is a prior: in a minority topic the Dirichlet weight of a seed word is `seed_prior`, in all
other topics `other_prior`, and that of any other word `eta` everywhere. 1 and 0.1 are the weights,
and 1,000 sweeps with the first 100 as burn-in the lengths, of the examples that tomotopy ships. The
prior over topics is asymmetric and fitted while sampling, as is tomotopy's default. The result is
read off the last sweep. One worker: with more, sweeps are not repeatable.

`seeds`: "same" (the whole list has the prior in every minority topic) or "dealt".
"""

import numpy as np
import scipy.sparse as sp

from .contract import Fit, normalise_rows
from .shared.seed_lists import seed_lists


def fit(problem):
    return tomotopy(problem, **problem.options)


def tomotopy(
    problem, *, guided=False, seeds="same", seed_prior=1.0, other_prior=0.1,
    iterations=1000, burn_in=100, alpha=0.1, eta=0.01,
):  # fmt: skip
    """Options: `guided` and those of the guidance, as above; the others are the tool's."""
    from tomotopy import LDAModel

    if iterations < 1:
        raise ValueError(f"iterations={iterations} must be at least 1")
    model = LDAModel(k=problem.n_topics, alpha=alpha, eta=eta, seed=problem.random_state)
    counts = sp.csr_matrix(problem.counts)
    filled = np.flatnonzero(counts.sum(axis=1))
    for row in counts[filled]:
        # Numbers stand in for words, whose spelling could have a meaning to the tool.
        model.add_doc([str(word) for word in np.repeat(row.indices, row.data.astype(int))])
    if guided:
        _set_priors(model, problem, seed_lists(problem, seeds), seed_prior, other_prior)
    model.burn_in = burn_in
    model.train(iterations, workers=1)

    doc_topic = np.zeros((counts.shape[0], problem.n_topics))
    doc_topic[filled] = [document.get_topic_dist() for document in model.docs]
    topic_word = np.zeros((problem.n_topics, counts.shape[1]))
    columns = [int(word) for word in model.used_vocabs]
    topic_word[:, columns] = [model.get_topic_word_dist(k) for k in range(problem.n_topics)]
    return Fit(
        doc_topic=normalise_rows(doc_topic),
        topic_word=normalise_rows(topic_word),
        minority=range(problem.n_minority) if guided else None,
        notes={"log_likelihood": float(model.ll_per_word), "iterations": iterations},
    )


def _set_priors(model, problem, lists, seed_prior, other_prior):
    column = {word: number for number, word in enumerate(problem.vocabulary)}
    for word in set().union(*lists):
        prior = np.full(problem.n_topics, other_prior)
        prior[[topic for topic, words in enumerate(lists) if word in words]] = seed_prior
        model.set_word_prior(str(column[word]), prior.tolist())
