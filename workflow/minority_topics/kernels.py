"""The one compiled pass that every update is made of.

Both halves of a multiplicative KL iteration are the same computation on V and on its transpose:

    G_rk = X_rk * sum_c Y_ck V_rc / (X Y^T)_rc

with X = W, Y = H^T over the rows of V (CSR) for W, and X = H^T, Y = W over its columns (CSC) for H.
Only the nonzeros of V are visited: O(nnz K) time, and nothing larger than the factors is made.
"""

import math

import numpy as np
from numba import njit, prange

# Rows are dealt out in blocks of equal nonzeros, since Zipf-sized columns would idle a core.
# One thread computes a row, in a fixed order: results do not depend on the number of threads.
N_BLOCKS = 256


class Passes:
    """V (M x N, CSR) prepared for passes over its rows and its columns.

    `rows(W, Ht)` gives A_ik = W_ik sum_j H_kj V_ij / (WH)_ij and the divergence of each document,
    `columns(W, Ht)` gives B_jk = H_kj sum_i W_ik V_ij / (WH)_ij, transposed as H is (N x K).
    """

    def __init__(self, V):
        self.shape = V.shape
        self.dtype = V.dtype
        self.total = float(V.sum(dtype=np.float64))
        self._by_row = _arrays(V)
        self._by_column = _arrays(V.tocsc())

    def rows(self, W, Ht):
        return _run(self._by_row, W, Ht)

    def columns(self, W, Ht):
        return _run(self._by_column, Ht, W)[0]

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
    tiny = np.finfo(X.dtype).tiny
    # Entries far below their row's mass are set to zero before they turn subnormal, where
    # arithmetic is many times slower. A row keeps its mass: sum_k G_rk = sum_c V_rc.
    negligible = X.dtype.type(np.sqrt(tiny))
    multiplicative_pass(*arrays, X, Y, tiny, negligible, G, divergence)
    return G, divergence


@njit(parallel=True, cache=True, fastmath={"reassoc", "contract", "nsz"})
def multiplicative_pass(bounds, indptr, indices, data, X, Y, tiny, negligible, G, divergence):
    """Fill G (R x K) and divergence (R,), which is sum_c V_rc log(V_rc / (X Y^T)_rc).

    `tiny` bounds (X Y^T)_rc from below, so that a word no topic explains has a finite cost.
    """
    n_topics = X.shape[1]
    for block in prange(len(bounds) - 1):
        for r in range(bounds[block], bounds[block + 1]):
            G[r] = 0
            cost = 0.0
            mass = data.dtype.type(0)
            for position in range(indptr[r], indptr[r + 1]):
                c = indices[position]
                v = data[position]
                model = X[r, 0] * Y[c, 0]
                for k in range(1, n_topics):
                    model += X[r, k] * Y[c, k]
                ratio = v / max(model, tiny)
                if v > 0:
                    cost += v * math.log(ratio)
                mass += v
                for k in range(n_topics):
                    G[r, k] += ratio * Y[c, k]
            for k in range(n_topics):
                value = G[r, k] * X[r, k]
                G[r, k] = value if value > negligible * mass else 0
            divergence[r] = cost
