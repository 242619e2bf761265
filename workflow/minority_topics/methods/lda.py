"""Latent Dirichlet allocation (Blei et al. 2003), scikit-learn's variational Bayes, on counts."""

from .contract import Fit, normalise_rows


def fit(problem):
    from sklearn.decomposition import LatentDirichletAllocation

    options = {"learning_method": "batch", "max_iter": 100, **problem.options}
    model = LatentDirichletAllocation(
        problem.n_topics, random_state=problem.random_state, **options
    )
    doc_topic = model.fit_transform(problem.counts)
    return Fit(
        doc_topic=normalise_rows(doc_topic),
        topic_word=normalise_rows(model.components_),
        notes={"iterations": int(model.n_iter_), "perplexity": float(model.bound_)},
    )
