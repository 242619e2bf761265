"""Latent Dirichlet allocation (Blei et al. 2003), scikit-learn's variational Bayes, on counts."""

from .contract import Fit, normalise_rows


def fit(problem):
    return lda(problem, **problem.options)


def lda(problem, learning_method="batch", max_iter=100, **options):
    """Options are parameters of scikit-learn's LatentDirichletAllocation."""
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(
        problem.n_topics,
        random_state=problem.random_state,
        learning_method=learning_method,
        max_iter=max_iter,
        **options,
    )
    doc_topic = model.fit_transform(problem.counts)
    return Fit(
        doc_topic=normalise_rows(doc_topic),
        topic_word=normalise_rows(model.components_),
        notes={"iterations": int(model.n_iter_), "perplexity": float(model.bound_)},
    )
