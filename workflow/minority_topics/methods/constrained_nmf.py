"""Constrained NMF, in three solvers: our exact one, the published one, and its projected form."""

import warnings

from ..contract import Fit, normalise_rows
from ..model import ConstrainedNMF


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
    mass = model.components_.sum(axis=1)  # W_ik sum_j H_kj is topic k's mass in document i
    return Fit(
        doc_topic=normalise_rows(W * mass),
        topic_word=normalise_rows(model.components_),
        minority=range(problem.n_minority),
        notes={
            "objective": model.objective_,
            "iterations": model.n_iter_,
            "feasible": model.feasible_,
            "kkt": model.kkt_,
            "warnings": sorted({str(warning.message) for warning in caught}),
        },
    )
