"""Guided NMF (Vendrow et al. 2021) on TF-IDF, by ssnmf, the package its authors use.

Semi-supervised NMF, ||X - A S||^2 + lam ||Y - B S||^2, whose supervision Y (guided topics x words)
is not labels but indicators of seed words; multiplicative updates. Nothing ties row i of Y to topic
i: the topic it has guided is the one of the largest weight in row i of B, and two rows may find the
same one.

Equal rows of Y have equal best rows of B, so the whole list for every topic would guide one topic
only: the seed words are dealt round the rows instead.
"""

import numpy as np

from .contract import Fit, UnusableProblem, normalise_rows
from .shared.seed_lists import seed_lists

# The tool multiplies out A S, a dense documents x words matrix, in every iteration.
MOST_ENTRIES = 2 * 10**9


def fit(problem):
    return guidednmf(problem, **problem.options)


def guidednmf(problem, seeds="dealt", lam=1, max_iter=200):
    """Options: `seeds`, see `seed_lists`; `lam`, the weight of the guidance; iterations.

    A `lam` of 1 is ssnmf's own default. "proportional" is 320 / (seed words a row of Y x
    n_topics^2), by which the authors' notebooks keep the guidance in proportion; their 20 is the
    same for one word and four topics. 200 iterations are theirs on short texts.
    """
    from ssnmf import SSNMF

    n_documents, n_words = problem.tfidf.shape
    if n_documents * n_words > MOST_ENTRIES:
        raise UnusableProblem(
            f"GuidedNMF works on a dense matrix, and {n_documents} documents x {n_words} words are "
            f"more than {MOST_ENTRIES:g} entries: use fewer documents, or a higher min_df"
        )
    column = {word: number for number, word in enumerate(problem.vocabulary)}
    lists = [words for words in seed_lists(problem, seeds) if words]
    Y = np.zeros((len(lists), n_words))
    for row, words in zip(Y, lists, strict=True):
        row[[column[word] for word in words]] = 1

    if not (lam == "proportional" or isinstance(lam, int | float)):
        raise UnusableProblem(f"option lam={lam!r} must be a number or 'proportional'")

    np.random.seed(problem.random_state)  # the tool draws its start from the global state
    if lists:
        if lam == "proportional":
            lam = 320 / (Y.sum(axis=1).mean() * problem.n_topics**2)
        model = SSNMF(problem.tfidf, problem.n_topics, Y=Y, lam=lam)
        model.snmfmult(numiters=max_iter)
        guided = [row.argmax() for row in model.B if row.any()]
    else:
        model = SSNMF(problem.tfidf, problem.n_topics)
        model.mult(numiters=max_iter)
        guided = []

    mass = model.S.sum(axis=1)
    kept = np.flatnonzero(mass > 0)
    return Fit(
        doc_topic=normalise_rows((model.A * mass)[:, kept]),
        topic_word=normalise_rows(model.S[kept]),
        minority=np.flatnonzero(np.isin(kept, guided)),
        notes={"iterations": max_iter, "lam": lam},
    )
