"""Where a fit begins: the block start of guided topics, and the random start of the paper."""

import os
import threading
import warnings
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from .descent import Accelerated, minimise
from .kernels import Passes
from .progress import telling
from .solvers import Constraints, Exact

# Restarts are worth their time where a fit takes seconds; beyond this much work, one start is made.
AUTO_RESTARTS = 8
AUTO_WORK = 1e8
# Larger corpora begin with the topics of a tenth of their documents, found the same way.
LARGE = 5000
GROWTH = 10

# Share of random mass mixed into a block start, so that the blocks show the way without fixing it.
# Of the shares .01 to .95, about this one led to the lowest objective, the only thing compared.
NOISE = 0.8
# The spectrum of short texts is flat: with the few iterations that are usual, the singular vectors
# would be those of the random state.
ACCURATE = {"n_iter": 30, "n_oversamples": 30}
# Share of a whole corpus in topics that come from a sample. Of .05 to .99, about this one led to
# the lowest objective in few iterations, the only thing compared.
SPREAD = 0.95
TINY = np.finfo(np.float64).tiny

# The number of BLAS threads and the filters of warnings belong to the whole process. Fits in
# several threads that set and restore them at the same time would leave them changed.
_whole_process = threading.RLock()


def generator(random_state) -> np.random.Generator:
    """The generator that a fit draws from."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31))


def starts(
    V: csr_matrix,
    constraints: Constraints,
    n_topics: int,
    rng: np.random.Generator,
    start: str = "block",
    n_init: int | str = "auto",
    acceleration: str = "overrelaxed",
    max_iter: int = 200,
    tol: float = 1e-5,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The starts of a fit, one after the other: W (M x K) and H^T (N x K)."""
    small = V.nnz * n_topics * max_iter <= AUTO_WORK
    auto = AUTO_RESTARTS if small and start == "block" else 1
    large = V.shape[0] > LARGE
    if start == "block" and not large:
        W, Ht = block_solution(V, constraints.seed_free, n_topics, constraints.n_minority)
    for _ in range(auto if isinstance(n_init, str) else n_init):
        if start == "random":
            yield random_start(V.shape, n_topics, rng, V.dtype)
        elif large:
            yield start_of_a_sample(V, constraints, n_topics, rng, acceleration, max_iter, tol)
        else:
            yield mix_noise(V, W, Ht, rng)


def start_of_a_sample(V, constraints, n_topics, *how):
    """Topics of a sample, and weights that know nothing; the large W is made last."""
    topics = topics_of_a_sample(V, constraints, n_topics, *how)
    return even_weights(V, n_topics), topics


def topics_of_a_sample(V, constraints, n_topics, rng, acceleration, max_iter, tol):
    """H^T (N x K) for all words, from an exact fit of a tenth of the documents."""
    c = constraints
    rows = sample_documents(c.seed_free, max(LARGE, V.shape[0] // GROWTH), rng)
    sample = V[rows]
    seen = np.bincount(sample.indices, minlength=V.shape[1]) > 0
    sample = sample[:, seen]
    inside = replace(c, seed_columns=c.seed_columns[seen], seed_free=c.seed_free[rows])
    start = next(starts(sample, inside, n_topics, rng, "block", 1, acceleration, max_iter, tol))
    descent = Accelerated(Passes(sample), Exact(inside), acceleration).begin(*start)
    what = f"start from a sample of {len(rows):,} documents"
    minimise(descent, max_iter, tol, [telling(what, max_iter, tol)])
    use = np.asarray(V.sum(axis=0), dtype=np.float64).ravel()
    return spread_topics(descent.H.rows, seen, use)


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


def whole_process():
    """The lock to hold while BLAS or the filters of warnings are set, or a warning is given."""
    return _whole_process


def factorise(V, n_topics):
    """A rough least-squares NMF of V (M x N): W (M x k) and H^T (N x k), without randomness."""
    # Many small products: threads cost time here.
    with whole_process(), threadpool_limits(limits=1, user_api="blas"):
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


def _after_fork():
    # A thread of the parent, which does not exist here, may have held the lock.
    global _whole_process
    _whole_process = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
