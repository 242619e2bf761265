"""The one compiled pass that every update is made of.

Both halves of a multiplicative KL iteration are the same computation on V and on its transpose:

    G_rk = X_rk * sum_c Y_ck V_rc / (X Y^T)_rc

with X = W, Y = H^T over the rows of V (CSR) for W, and X = H^T, Y = W over its columns (CSC) for H.
Only the nonzeros of V are visited: O(nnz K) time, and nothing larger than the factors is made.
"""

import math
from contextlib import contextmanager
from functools import cached_property

import numpy as np
from numba import get_num_threads, njit, prange, set_num_threads

# Rows are dealt out in blocks of equal nonzeros, since Zipf-sized columns would idle a core.
# One thread computes a row, in a fixed order: results do not depend on the number of threads.
N_BLOCKS = 256
SMALL = 50_000
# Sums may be reordered, so that they vectorise; infinities and NaN keep their meaning.
FAST = {"reassoc", "contract", "nsz"}


class Passes:
    """V (M x N, CSR) prepared for passes over its rows and its columns.

    `rows(W, Ht)` gives A_ik = W_ik sum_j H_kj V_ij / (WH)_ij and the divergence of each document,
    `columns(W, Ht)` gives B_jk = H_kj sum_i W_ik V_ij / (WH)_ij, transposed as H is (N x K).
    """

    def __init__(self, V):
        self.shape = V.shape
        self.dtype = V.dtype
        self.total = float(V.sum(dtype=np.float64))
        self.by_row = _arrays(V)
        self.V = V

    @cached_property
    def by_column(self):
        return _arrays(self.V.tocsc())

    def rows(self, W, Ht):
        return _run(self.by_row, W, Ht)

    def columns(self, W, Ht):
        return _run(self.by_column, Ht, W)[0]

    def objective(self, W, Ht, divergence):
        """D_KL(V || WH) from the divergences that `rows` returned for this W and H."""
        mass = W.sum(axis=0, dtype=np.float64) @ Ht.sum(axis=0, dtype=np.float64)
        return float(divergence.sum()) - self.total + float(mass)


def _arrays(V):
    indptr = V.indptr.astype(np.int64)
    bounds = np.searchsorted(indptr, np.linspace(0, indptr[-1], N_BLOCKS + 1))
    bounds[0], bounds[-1] = 0, len(indptr) - 1
    return np.unique(bounds), indptr, V.indices.astype(np.int32, copy=False), V.data


def _run(arrays, X, Y):
    G = np.empty_like(X)
    divergence = np.empty(len(X))
    with threads_for(arrays):
        multiplicative_pass(*arrays, X, Y, floor_of(X.dtype), G, divergence)
    return G, divergence


@contextmanager
def threads_for(arrays):
    """One thread for a small matrix: to wake the others would take longer than the work."""
    threads = get_num_threads()
    if len(arrays[-1]) < SMALL:
        set_num_threads(1)
    try:
        yield
    finally:
        set_num_threads(threads)


def floor_of(dtype):
    """The least number worth keeping: products of two such are still normal numbers.

    Entries that fall below this share of their row's mass are set to zero, before they turn
    subnormal, where arithmetic is many times slower. A row keeps its mass: sum_k G_rk = sum_c V_rc.
    (X Y^T)_rc is bounded by it too, so that a word no topic explains has a finite cost.
    """
    return dtype.type(np.sqrt(np.finfo(dtype).tiny))


@njit(inline="always", fastmath=FAST)
def gather(indices, data, begin, end, x, Y, floor, total):
    """total_k = sum_c Y_ck v_c / (x Y^T)_c over a row's nonzeros; its divergence and its mass."""
    n_topics = len(x)
    total[:] = 0
    divergence = 0.0
    mass = 0.0
    for position in range(begin, end):
        c = indices[position]
        v = data[position]
        model = x[0] * Y[c, 0]
        for k in range(1, n_topics):
            model += x[k] * Y[c, k]
        ratio = v / max(model, floor)
        if v > 0:
            divergence += v * math.log(ratio)
        mass += v
        for k in range(n_topics):
            total[k] += ratio * Y[c, k]
    return divergence, mass


@njit(parallel=True, cache=True, fastmath=FAST)
def multiplicative_pass(bounds, indptr, indices, data, X, Y, floor, G, divergence):
    """Fill G (R x K) and divergence (R,), which is sum_c V_rc log(V_rc / (X Y^T)_rc)."""
    for block in prange(len(bounds) - 1):
        for r in range(bounds[block], bounds[block + 1]):
            divergence[r], mass = gather(
                indices, data, indptr[r], indptr[r + 1], X[r], Y, floor, G[r]
            )
            for k in range(X.shape[1]):
                value = G[r, k] * X[r, k]
                G[r, k] = value if value > floor * mass else 0
