"""The one compiled pass that every update is made of.

Both halves of a multiplicative KL iteration are the same computation on V and on its transpose:

    G_rk = X_rk E_rk,    E_rk = sum_c Y_ck V_rc / (X Y^T)_rc

with X = W, Y = H^T over the rows of V (CSR) for W, and X = H^T, Y = W over its columns (CSC) for H.
Only the nonzeros of V are visited: O(nnz K) time, and nothing larger than the factors is made.
"""

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numba import njit, prange

from .compiled import kernel

# Rows are dealt out in blocks of equal nonzeros, since Zipf-sized columns would idle a core.
# One thread computes a row, in a fixed order: results do not depend on the number of threads.
N_BLOCKS = 256
# Sums may be reordered, so that they vectorise; infinities and NaN keep their meaning.
FAST = {"reassoc", "contract", "nsz"}


class Matrix(NamedTuple):
    """Rows of V, or its columns, as kernels take them: block b is rows bounds[b] to bounds[b + 1].

    `matrix_of` makes one, and sees to it that no index is out of bounds.
    """

    bounds: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    n_columns: int

    @property
    def n_rows(self):
        return len(self.indptr) - 1


def matrix_of(V):
    """A `Matrix` of the rows of V (CSR), or of its columns (CSC)."""
    indptr, indices = V.indptr.astype(np.int64), V.indices
    n_columns = V.shape[1] if V.format == "csr" else V.shape[0]
    increasing = indptr[0] == 0 and (np.diff(indptr) >= 0).all() and indptr[-1] <= len(indices)
    if not increasing or len(V.data) != len(indices):
        raise ValueError("V is not a sparse matrix: its arrays do not fit together.")
    if len(indices) and not (indices.min() >= 0 and indices.max() < n_columns):
        raise ValueError(f"V is not a sparse matrix: an index is outside its {n_columns} columns.")
    bounds = np.searchsorted(indptr, np.linspace(0, indptr[-1], N_BLOCKS + 1))
    bounds[0], bounds[-1] = 0, len(indptr) - 1
    indices = indices.astype(np.int32, copy=False)  # a wider index would wrap before the check
    return Matrix(np.unique(bounds), indptr, indices, V.data, n_columns)


def check_factors(matrix, X, Y):
    """Refuse X (R x K) and Y (C x K) that a kernel would read out of bounds with this matrix."""
    expected = (matrix.n_rows, X.shape[1]), (matrix.n_columns, X.shape[1])
    if X.ndim != 2 or (X.shape, Y.shape) != expected:
        raise ValueError(
            f"factors of shapes {X.shape} and {Y.shape} do not fit a matrix of {matrix.n_rows} "
            f"rows and {matrix.n_columns} columns."
        )
    if not X.dtype == Y.dtype == matrix.data.dtype:
        raise ValueError(
            f"factors of {X.dtype} and {Y.dtype} do not fit a matrix of {matrix.data.dtype}: give "
            "all of them one type."
        )


class Passes:
    """V (M x N, CSR) prepared for passes over its rows and its columns.

    `rows(W, Ht)` gives A_ik = W_ik sum_j H_kj V_ij / (WH)_ij and the divergence of each document,
    `columns(W, Ht)` gives B_jk = H_kj sum_i W_ik V_ij / (WH)_ij, transposed as H is (N x K).
    """

    def __init__(self, V):
        self.shape = V.shape
        self.dtype = V.dtype
        self.total = float(V.sum(dtype=np.float64))
        self.by_row = matrix_of(V)
        self.V = V

    @cached_property
    def by_column(self):
        return matrix_of(self.V.tocsc())

    def rows(self, W, Ht):
        return _run(self.by_row, W, Ht, True)

    def columns(self, W, Ht):
        return _run(self.by_column, Ht, W, True)[0]

    def explained_rows(self, W, Ht):
        """A_ik / W_ik, also where W_ik is zero: dD / dW_ik = sum_j H_kj - this."""
        return _run(self.by_row, W, Ht, False)[0]

    def explained_columns(self, W, Ht):
        """B_jk / H_kj, also where H_kj is zero: dD / dH_kj = sum_i W_ik - this."""
        return _run(self.by_column, Ht, W, False)[0]

    def objective(self, W, Ht, divergence):
        """D_KL(V || WH) from the divergences that `rows` returned for this W and H."""
        mass = W.sum(axis=0, dtype=np.float64) @ Ht.sum(axis=0, dtype=np.float64)
        return float(divergence.sum()) - self.total + float(mass)


def _run(matrix, X, Y, times_X):
    check_factors(matrix, X, Y)
    G = np.empty_like(X)
    divergence = np.empty(len(X))
    size = len(matrix.data)
    multiplicative_pass(size, matrix, X, Y, floor_of(X.dtype), times_X, G, divergence)
    return G, divergence


def batches(n_rows, size=2**16):
    """Slices of so many rows, for what would not fit at once."""
    return [slice(first, first + size) for first in range(0, n_rows, size)]


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


@kernel(fastmath=FAST)
def multiplicative_pass(matrix, X, Y, floor, times_X, G, divergence):
    """Fill G (R x K), or E, and divergence (R,), which is sum_c V_rc log(V_rc / (X Y^T)_rc)."""
    bounds, indptr, indices, data, _ = matrix
    for block in prange(len(bounds) - 1):
        for r in range(bounds[block], bounds[block + 1]):
            divergence[r], mass = gather(
                indices, data, indptr[r], indptr[r + 1], X[r], Y, floor, G[r]
            )
            if times_X:
                for k in range(X.shape[1]):
                    value = G[r, k] * X[r, k]
                    G[r, k] = value if value > floor * mass else 0
