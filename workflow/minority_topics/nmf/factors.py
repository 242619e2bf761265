"""Factors in rows of whole cache lines, and the compiled passes that update them.

Both halves of an iteration are the same pass, over V with X = W and Y = H^T, and over its transpose
with the two exchanged; rows are gathered, never scattered to, so that threads cannot meet:

    x_k <- x_k e_k,    e_k = sum_c Y_ck V_rc / (x Y_c)

which is the minimum of the KL majoriser. A step may begin ahead of x, with momentum, or go further
along its own way: x_k e_k (e_k / sum_r Y_rk)^(w - 1).
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit, prange

from .compiled import kernel
from .kernels import FAST, check_factors, floor_of
from .registers import (
    accumulate,
    add,
    dot,
    empty_rows,
    fence,
    fill,
    keep_above,
    lines_of,
    load,
    minimum,
    multiply,
    multiply_add,
    prefetch,
    split,
    square_root,
    store,
    stream,
    subtract,
    total,
)

# Where the cap of a seed-free document is below this share of its majority topics, its minority
# topics cannot be told from zero and are left out.
NEGLIGIBLE_CAP = 1e-7
# How many nonzeros ahead a row of Y is prefetched. Memory takes as long to answer as the pass takes
# for about twenty rows.
AHEAD = 32
# So many rows are summed in their own precision, before their sum is added to one in double.
FEW = 8


class Step(NamedTuple):
    """How far rows move: see `Factor.update`."""

    n_steps: int
    momentum: np.floating
    n_roots: int
    inverse_mass: np.ndarray


class Bound(NamedTuple):
    """The cap on the first topics of the rows that `capped` (R,) marks; none if it is empty.

    `caps` and `majority` are rows: the cap of each topic, and one for each topic without a cap.
    """

    capped: np.ndarray
    cap: np.floating
    caps: np.ndarray
    majority: np.ndarray


class Factor:
    """A factor (R x K): what it is `now`, and what it was `before` the last update.

    Both are arrays of rows of whole lines, with zeros behind the topics; `before` is undefined, and
    takes no memory, until the first update. `sums` (2 x K) are those of the rows of each `kind`
    (R,), 0 or 1, after the last update.
    """

    def __init__(self, n_rows, n_topics, dtype, kind=None):
        self.n_topics = n_topics
        self.kind = np.zeros(n_rows, dtype=np.uint8) if kind is None else kind.astype(np.uint8)
        if self.kind.shape != (n_rows,) or self.kind.max(initial=0) > 1:
            raise ValueError(f"kind must be 0 or 1 for each of {n_rows} rows.")
        self.now, self.before = (empty_rows(n_rows, n_topics, dtype) for _ in range(2))
        self.sums = np.zeros((2, n_topics))

    @classmethod
    def of(cls, X, kind=None):
        """X (R x K), copied."""
        factor = cls(*X.shape, X.dtype, kind)
        factor.rows[:] = X
        factor.now[:, factor.n_topics :] = 0
        factor.sums[0] = X.sum(axis=0, dtype=np.float64)
        return factor

    @property
    def rows(self):
        """What it is now (R x K), in place."""
        return self.now[:, : self.n_topics]

    @property
    def dtype(self):
        return self.now.dtype

    def swap(self):
        """Take back the last update."""
        self.now, self.before = self.before, self.now

    def forget_before(self):
        """Give the memory of the last update back, which cannot be undone any more."""
        self.before = np.empty((0, self.now.shape[1]), dtype=self.dtype)

    def scale(self, factor):
        """Multiply rows of each kind by `factor` (2 x K); a topic with NaN stays as it was."""
        stays = np.isnan(factor).any(axis=0)
        by = self._row_of(np.where(stays, 1, factor))
        scale_rows(self.now.size, self.now, self.kind, by, self._lines)
        self.rows[:, stays] = self.before[:, : self.n_topics][:, stays]

    def update(
        self, matrix, Y, n_steps=1, momentum=0.0, n_roots=0, n_capped=0, cap=np.inf, capped=None,
        measured=False,
    ):  # fmt: skip
        """One pass over V: every row moves, by `n_steps` steps.

        A step begins at x + momentum (x - x_before)_+, and goes further by w = 2 - 2^-n_roots.
        `cap` bounds the first `n_capped` topics of the rows that `capped` (R,) marks. An entry that
        would soon be subnormal is set to zero, as in `kernels`. Returns the objective before the
        update, if it is to be measured: sum_rc (V_rc log(V_rc / (x_r Y_c)) - V_rc) + sum_rk x_rk,
        for Y whose topics sum to one.
        """
        check_factors(matrix, self.rows, Y.rows)
        if not n_capped:
            capped = np.empty(0, dtype=bool)
        elif capped.shape != (matrix.n_rows,):
            raise ValueError(f"capped must say of each of {matrix.n_rows} rows whether it is.")
        dtype = self.dtype.type
        n_blocks = len(matrix.bounds) - 1
        objective = np.zeros(n_blocks if measured else 0)
        parts = np.zeros((n_blocks, 2, self.now.shape[1]))
        mass = Y.sums.sum(axis=0)
        inverse_mass = self._row_of(1 / np.where(mass > 0, mass, 1))
        minority = np.arange(self.n_topics) < n_capped
        caps = self._row_of(np.where(minority, cap, np.inf))
        update_rows(
            len(matrix.data), matrix, self.now, self.before, Y.now, self._lines,
            Step(n_steps, dtype(momentum), n_roots, inverse_mass),
            Bound(capped, dtype(cap), caps, self._row_of(~minority)),
            floor_of(self.dtype), self.kind, objective, parts,
        )  # fmt: skip
        self.swap()
        self.sums = parts.sum(axis=0)[:, : self.n_topics]
        return float(objective.sum())

    @property
    def _lines(self):
        return lines_of(self.n_topics, self.dtype)

    def _row_of(self, values):
        """Values (... x K) in whole lines."""
        row = np.zeros((*values.shape[:-1], self.now.shape[1]), dtype=self.dtype)
        row[..., : self.n_topics] = values
        return row


def infer(matrix, X, Y, caps, capped, max_iter, tol):
    """Rows X (R x K) that minimise the objective for Y (C x K), from X, in place.

    Each row is iterated by itself until no entry changes by more than tol of its mass. `caps` (K,)
    bound the rows that `capped` (R,) marks. Returns the objective of each row at the end.
    """
    check_factors(matrix, X, Y)
    if (caps.shape, capped.shape) != (X.shape[1:], X.shape[:1]):
        raise ValueError(f"caps and capped do not fit {X.shape[0]} rows of {X.shape[1]} topics.")
    objective = np.zeros(len(X))
    longest = int(np.diff(matrix.indptr).max(initial=0))
    infer_rows(
        len(matrix.data), matrix, X, Y, caps, capped, floor_of(X.dtype), max_iter, tol, longest,
        objective,
    )  # fmt: skip
    return objective


@kernel(fastmath=FAST, error_model="numpy")
def update_rows(matrix, X, new_X, Y, lines, how, bound, floor, kind, objective, sums):
    bounds, indptr, indices, data, _ = matrix
    n_steps, momentum, n_roots, inverse_mass = how
    capped, cap, caps, majority = bound
    width = X.shape[1]
    last = len(indices) - 1
    measured = len(objective) > 0
    for block in prange(len(bounds) - 1):
        zero = fill(X.dtype.type(0), lines)
        first = indptr[bounds[block]]
        ratios = np.empty(indptr[bounds[block + 1]] - first if measured else 0, X.dtype)
        mass = 0.0
        few, kind_of_few = zero, kind[bounds[block]]
        for r in range(bounds[block], bounds[block + 1]):
            begin, end = indptr[r], indptr[r + 1]
            x = load(X, r * width, lines)
            if measured:
                mass += total(x)
            if momentum > 0:
                ahead = keep_above(subtract(x, load(new_X, r * width, lines)), zero)
                x = multiply_add(fill(momentum, lines), ahead, x)
            for step in range(n_steps):
                explained = zero
                for position in range(begin, end):
                    if step == 0:
                        later = indices[min(position + AHEAD, last)]
                        prefetch(Y, np.int64(later) * width, lines)
                    y = load(Y, np.int64(indices[position]) * width, lines)
                    ratio = data[position] / max(dot(x, y), floor)
                    explained = multiply_add(fill(ratio, lines), y, explained)
                    if measured and step == 0:
                        ratios[position - first] = ratio
                x = multiply(x, explained)
                if n_roots > 0:
                    root = multiply(explained, load(inverse_mass, 0, lines))
                    for _ in range(n_roots):
                        root = square_root(root)
                        x = multiply(x, root)
                if len(capped) > 0 and capped[r]:
                    others = load(majority, 0, lines)
                    if cap <= NEGLIGIBLE_CAP * dot(x, others):
                        x = multiply(x, others)
                    else:
                        x = minimum(x, load(caps, 0, lines))
            x = keep_above(x, fill(floor * total(x), lines))
            stream(new_X, r * width, x)
            if r % FEW == 0 or kind[r] != kind_of_few:
                accumulate(sums, (2 * block + kind_of_few) * width, few)
                few, kind_of_few = zero, kind[r]
            few = add(few, x)
        accumulate(sums, (2 * block + kind_of_few) * width, few)
        if measured:
            for i in range(len(ratios)):
                mass += data[first + i] * (logarithm(ratios[i]) - 1)
            objective[block] = mass
        fence()


@njit(inline="always", fastmath=FAST)
def logarithm(number):
    """log(number) to 1e-15, by what a compiler can do for several numbers at once.

    log m = 2 artanh s with s = (m - 1) / (m + 1), |s| < 0.172.
    """
    exponent, m = split(number)
    m = np.float64(m)
    if m > math.sqrt(2):
        m, exponent = m / 2, exponent + 1
    s = (m - 1) / (m + 1)
    z = s * s
    series = 1 / 13 + z * (1 / 15 + z * (1 / 17 + z * (1 / 19)))
    series = 1 / 5 + z * (1 / 7 + z * (1 / 9 + z * (1 / 11 + z * series)))
    return exponent * math.log(2) + 2 * s * (1 + z * (1 / 3 + z * series))


@kernel()
def scale_rows(X, kind, factor, lines):
    width = X.shape[1]
    for r in prange(len(X)):
        by = load(factor, np.int64(kind[r]) * width, lines)
        store(X, r * width, multiply(load(X, r * width, lines), by))


@kernel(fastmath=FAST, error_model="numpy")
def infer_rows(matrix, X, Y, caps, capped, floor, max_iter, tol, longest, objective):
    """The words of a document are copied, so that topics can be left out as they go to zero."""
    bounds, indptr, indices, data, _ = matrix
    n_topics = X.shape[1]
    zero = X.dtype.type(0)
    for block in prange(len(bounds) - 1):
        words = np.empty((longest, n_topics), X.dtype)
        x, explained = np.empty(n_topics, X.dtype), np.empty(n_topics, X.dtype)
        topics = np.empty(n_topics, np.int64)
        for r in range(bounds[block], bounds[block + 1]):
            begin, n_words = indptr[r], indptr[r + 1] - indptr[r]
            n = n_topics
            for k in range(n):
                topics[k] = k
                x[k] = X[r, k]
                X[r, k] = zero
            mass = 0.0
            for j in range(n_words):
                mass += data[begin + j]
                for k in range(n):
                    words[j, k] = Y[indices[begin + j], k]
            for _ in range(max_iter):
                for a in range(n):
                    explained[a] = zero
                for j in range(n_words):
                    ratio = data[begin + j] / max(model_of(x, words, j, n, zero), floor)
                    for a in range(n):
                        explained[a] += ratio * words[j, a]
                change = 0.0
                left = 0
                for a in range(n):
                    value = x[a] * explained[a]
                    if value <= floor * mass:
                        value = zero
                    if capped[r]:
                        value = min(value, caps[topics[a]])
                    change = max(change, abs(value - x[a]))
                    x[a] = value
                    left += value > 0
                if 2 * left <= n:
                    n = leave_out_zeros(x, topics, words, n, n_words)
                if change <= tol * mass:
                    break
            objective[r] = -mass
            for j in range(n_words):
                v = data[begin + j]
                objective[r] += v * math.log(v / max(model_of(x, words, j, n, zero), floor))
            for a in range(n):
                objective[r] += x[a]
                X[r, topics[a]] = x[a]


@njit(inline="always", fastmath=FAST)
def model_of(x, words, j, n, zero):
    model = zero
    for a in range(n):
        model += x[a] * words[j, a]
    return model


@njit(inline="always")
def leave_out_zeros(x, topics, words, n, n_words):
    """Close up the entries that are not zero; how many there are."""
    left = 0
    for a in range(n):
        if x[a] > 0:
            x[left], topics[left] = x[a], topics[a]
            for j in range(n_words):
                words[j, left] = words[j, a]
            left += 1
    return left
