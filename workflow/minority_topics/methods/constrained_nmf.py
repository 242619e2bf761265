"""Constrained NMF, in three solvers: our exact one, the published one, and its projected form."""

import warnings

import numpy as np

from ..nmf.model import ConstrainedNMF
from .contract import Fit, normalise_rows


def fit(problem):
    """Options are parameters of ConstrainedNMF; warnings become notes."""
    model = ConstrainedNMF(
        problem.n_topics,
        problem.n_minority,
        seed_words=problem.seed_columns,
        random_state=problem.random_state,
        **problem.options,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        W = model.fit_transform(problem.tfidf)
    H = model.components_
    mass = H.sum(axis=1)  # W_ik sum_j H_kj is topic k's mass in document i
    return Fit(
        doc_topic=normalise_rows(W * mass),
        topic_word=normalise_rows(H),
        minority=range(problem.n_minority),
        notes={
            "objective": model.objective_,
            "iterations": model.n_iter_,
            "feasible": model.feasible_,
            "kkt": model.kkt_,
            "least_denominator": model.least_denominator_,
            "least_seed_share": least_seed_share(problem, H),
            "largest_free_weight": largest_free_weight(problem, W),
            "objective_history": model.objective_history_.tolist(),
            "warnings": sorted({str(warning.message) for warning in caught}),
        },
    )


def least_seed_share(problem, H):
    """The least share of seed words in a minority topic; at least theta_min if feasible."""
    minority = H[: problem.n_minority]
    return float(
        (minority[:, problem.seed_columns].sum(axis=1) / minority.sum(axis=1)).min(initial=1)
    )


def largest_free_weight(problem, W):
    """The largest weight of a minority topic in a document without seed words; w_max bounds it."""
    free = np.asarray(problem.tfidf[:, problem.seed_columns].sum(axis=1)).ravel() == 0
    return float(W[free, : problem.n_minority].max(initial=0))
