"""Where a fit begins: the block start of guided topics, and the random start of the paper."""

import warnings

import numpy as np
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

# Share of random mass mixed into a block start. The blocks then show the way without fixing it:
# of the shares .01 to .95, chosen by the objective alone, about this much led to the lowest.
NOISE = 0.8
# The spectrum of short texts is flat: with the few iterations that are usual, the singular vectors
# would be those of the random state.
ACCURATE = {"n_iter": 30, "n_oversamples": 30}
# Share of a whole corpus in topics that come from a sample: of .05 to .99, chosen by the objective
# alone, about this much led lowest in few iterations.
SPREAD = 0.95
TINY = np.finfo(np.float64).tiny


def random_start(shape, n_topics, rng, dtype):
    """|N(0, 0.01)| entries for W (M x K) and H^T (N x K), as in the paper."""
    W, Ht = (np.abs(rng.normal(0, 0.01, (size, n_topics))) for size in shape)
    return W.astype(dtype), Ht.astype(dtype)


def block_solution(V, seed_free, n_topics, n_minority):
    """Factorise the seed-bearing and the seed-free documents apart, into two blocks of topics.

    Minority topics come from the documents that hold a seed word, majority topics from the others:
    W (M x K) is block diagonal, rows of H sum to one. A block without words stays zero.
    """
    W = np.zeros((V.shape[0], n_topics), dtype=V.dtype)
    Ht = np.zeros((V.shape[1], n_topics), dtype=V.dtype)
    blocks = (~seed_free, slice(0, n_minority)), (seed_free, slice(n_minority, n_topics))
    for documents, topics in blocks:
        block = V[documents]
        if topics.stop > topics.start and block.nnz:
            W[documents, topics], Ht[:, topics] = factorise(block, topics.stop - topics.start)
    scale = Ht.sum(axis=0)
    scale[scale == 0] = 1
    return W * scale, Ht / scale


@threadpool_limits.wrap(limits=1, user_api="blas")  # many small products: threads cost time here
def factorise(V, n_topics):
    """A rough least-squares NMF of V (M x N): W (M x k) and H^T (N x k), without randomness."""
    W, H = nndsvd(V, n_topics)
    model = NMF(len(H), init="custom", max_iter=50, random_state=0)
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        warnings.simplefilter("ignore", ConvergenceWarning)
        W = model.fit_transform(V, W=W, H=H)
    missing = n_topics - len(H)
    return np.pad(W, ((0, 0), (0, missing))), np.pad(model.components_.T, ((0, 0), (0, missing)))


def nndsvd(V, n_topics):
    """Non-negative double SVD (Boutsidis and Gallopoulos 2008): W (M x k) and H (k x N).

    Each singular pair is replaced by the heavier of its positive and its negative part; zeros are
    filled with the mean of V. k is n_topics, or what the shape of V admits.
    """
    U, S, Vt = randomized_svd(V, min(n_topics, *V.shape), random_state=0, **ACCURATE)
    positive, negative = (_part(U, Vt, sign) for sign in (1, -1))
    flip = negative[2] > positive[2]
    W = np.where(flip, negative[0], positive[0])
    H = np.where(flip[:, None], negative[1], positive[1])
    weight = np.sqrt(S * np.maximum(positive[2], negative[2]))
    W *= weight / np.maximum(np.linalg.norm(W, axis=0), TINY)
    H *= (weight / np.maximum(np.linalg.norm(H, axis=1), TINY))[:, None]
    W[W < 1e-6], H[H < 1e-6] = V.mean(), V.mean()
    return W.astype(V.dtype), H.astype(V.dtype)


def _part(U, Vt, sign):
    """One sign's part of the singular vectors, and its weight (k,)."""
    left, right = np.maximum(sign * U, 0), np.maximum(sign * Vt, 0)
    return left, right, np.linalg.norm(left, axis=0) * np.linalg.norm(right, axis=1)


def even_weights(V, n_topics):
    """W (M x K) that knows nothing: every topic has the same share of a document's mass."""
    mass = np.asarray(V.sum(axis=1), dtype=V.dtype).reshape(-1, 1)
    return np.repeat(mass / n_topics, n_topics, axis=1)


def sample_documents(seed_free, size, rng):
    """Row numbers of a sample, in order; up to half of it are documents with seed words.

    Minority topics are rare: a plain sample might not show them.
    """
    bearing, free = np.flatnonzero(~seed_free), np.flatnonzero(seed_free)
    n_bearing = min(len(bearing), max(size // 2, size - len(free)))
    parts = (bearing, n_bearing), (free, min(len(free), size - n_bearing))
    return np.sort(np.concatenate([rng.choice(rows, n, replace=False) for rows, n in parts]))


def spread_topics(Ht, seen, use, share=SPREAD):
    """Topics Ht (n x K) of the words that a sample has `seen` (N,), for all words (N x K).

    A `share` of each topic is that of the whole corpus, words by their `use` (N,): a word that the
    sample showed in few topics, or in none, is free to go to any.
    """
    everything = np.repeat((share * use / use.sum()).astype(Ht.dtype)[:, None], Ht.shape[1], axis=1)
    everything[seen] += (1 - share) * Ht
    return everything


def mix_noise(V, W, Ht, rng, share=NOISE):
    """(1 - share) of a solution, and `share` of random topics, with document masses kept."""
    mass = np.asarray(V.sum(axis=1)).reshape(-1, 1)
    noise_W, noise_H = rng.random(W.shape), rng.random(Ht.shape)
    noise_W *= mass / noise_W.sum(axis=1, keepdims=True)
    noise_H /= noise_H.sum(axis=0)
    mixed = (1 - share) * W + share * noise_W, (1 - share) * Ht + share * noise_H
    return tuple(np.ascontiguousarray(factor, dtype=V.dtype) for factor in mixed)
