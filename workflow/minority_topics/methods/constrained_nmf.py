"""Constrained NMF: our exact solver, the published one, its projected form, and learnt guidance."""

import warnings

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
            "least_seed_share": least_seed_share(model),
            "largest_free_weight": largest_free_weight(model, W),
            "trusted_seeds": len(model.trusted_seeds_),
            "distrusted_seeds": len(model.distrusted_seeds_),
            "discovered_words": len(model.discovered_words_),
            "free_documents": int(model.free_documents_.sum()),
            "objective_history": model.objective_history_.tolist(),
            "warnings": sorted({str(warning.message) for warning in caught}),
        },
    )


def least_seed_share(model):
    """The least share of the words that count as seeds in a minority topic.

    At least theta_min if feasible. These words are the list, or what learnt guidance made of it.
    """
    minority = model.components_[: model.n_minority]
    seeds = minority[:, model.seed_columns_].sum(axis=1)
    return float((seeds / minority.sum(axis=1)).min(initial=1))


def largest_free_weight(model, W):
    """The largest weight of a minority topic in a document that may hold none; w_max bounds it."""
    return float(W[~model.free_documents_, : model.n_minority].max(initial=0))
