"""Non-negative matrix factorisation (Lee and Seung 2000), scikit-learn's, on TF-IDF."""

from .contract import Fit, normalise_rows


def fit(problem):
    return nmf(problem, **problem.options)


def nmf(problem, max_iter=1000, **options):
    """Options are parameters of scikit-learn's NMF."""
    from sklearn.decomposition import NMF

    model = NMF(problem.n_topics, random_state=problem.random_state, max_iter=max_iter, **options)
    W = model.fit_transform(problem.tfidf)
    mass = model.components_.sum(axis=1)
    kept = mass > 0
    return Fit(
        doc_topic=normalise_rows((W * mass)[:, kept]),
        topic_word=normalise_rows(model.components_[kept]),
        notes={"iterations": int(model.n_iter_), "objective": float(model.reconstruction_err_)},
    )
