"""Factors that keep only what is not zero, and the one compiled pass that updates them.

Multiplicative updates drive most of W and H to zero. A `Packed` factor lists the topics that a row
still holds, so that a pass over the nonzeros of V costs what these topics cost. Both halves of an
iteration are the same pass, over V with X = W and Y = H^T, and over its transpose with the two
exchanged; rows are gathered, never scattered to, so that threads cannot meet:

    x_k <- y_k sum_c Y_ck V_rc / (y Y_c),    y = x + momentum (x - x_previous)_+

which is the minimum of the KL majoriser at the extrapolated point y.
"""

import math
from dataclasses import dataclass

import numpy as np
from llvmlite import ir
from numba import njit, prange, types
from numba.core import cgutils
from numba.extending import intrinsic

from .kernels import FAST, N_BLOCKS, floor_of, threads_for

# A seed-free document cannot tell its minority topics from zero where their cap is below this share
# of its majority topics: they are left out.
NEGLIGIBLE_CAP = 1e-7
MOST_TOPICS = np.iinfo(np.uint16).max
# Rows with more than this share of all topics are stored whole: their loops vectorise.
CROWDED = 0.25
# Nonzeros ahead of the pass at which a row of Y, and before that its place, is asked for. Memory
# answers in the time of some ten rows: without this, passes wait four times as long.
AHEAD = 8
LINE = 64


@dataclass
class Packed:
    """A factor (R x K), row by row: topics that are not zero, values, and values one pass ago.

    Row r has `span[r] = (first, count)` in `topics`, `values` and `previous`; a row of K entries
    has all topics in order and needs no list. Entries may be zero until the next `tidy`. Rows that
    `whole` marks (R,) keep all their topics. `n_entries` were not zero when it was last tidy.
    """

    n_topics: int
    span: np.ndarray
    topics: np.ndarray
    values: np.ndarray
    previous: np.ndarray
    whole: np.ndarray
    n_entries: int

    @classmethod
    def of(cls, X, whole=None):
        """X (R x K) itself, which is not copied, in rows of K entries."""
        n_rows, n_topics = X.shape
        first = np.arange(n_rows) * n_topics
        return cls(
            n_topics,
            span=_spans(first, np.full(n_rows, n_topics), X.size),
            topics=np.empty(X.size, dtype=np.uint16),
            values=X.ravel(),
            previous=X.flatten(),
            whole=np.zeros(n_rows, dtype=bool) if whole is None else whole,
            n_entries=X.size,
        )

    @property
    def rows(self):
        return self.span, self.topics, self.values

    def tidy(self, n_positive):
        """Close the gaps that rows have left, once there are only a third as many entries."""
        if 3 * n_positive > self.n_entries:
            return
        count = self.span[:, 1].astype(np.int64)
        span = _spans(np.cumsum(count) - count, count, count.sum())
        topics = np.empty(count.sum(), dtype=np.uint16)
        values, previous = (np.empty(len(topics), dtype=self.values.dtype) for _ in range(2))
        move_rows(*self.rows, self.previous, span, topics, values, previous)
        self.span, self.topics, self.values, self.previous = span, topics, values, previous
        self.n_entries = n_positive

    def swap(self):
        """Take back the last update."""
        self.values, self.previous = self.previous, self.values

    def dense(self):
        X = np.zeros((len(self.span), self.n_topics), dtype=self.values.dtype)
        fill_rows(*self.rows, X)
        return X

    def sums(self, rows=None):
        """Sum of each topic (K,) over all rows, or over those given, in double precision."""
        rows = np.arange(len(self.span)) if rows is None else rows
        # In parts of a fixed number, so that no sum depends on the number of threads.
        parts = np.zeros((N_BLOCKS, self.n_topics))
        sum_topics(*self.rows, rows, np.linspace(0, len(rows), N_BLOCKS + 1).astype(int), parts)
        return parts.sum(axis=0)

    def scale(self, factor, row_kind):
        """Multiply by `factor[row_kind[r], k]`; a topic with a NaN takes its previous values."""
        scale_entries(*self.rows, self.previous, row_kind, factor.astype(self.values.dtype))

    def relax(self, exponent):
        """values <- values (values / previous)^exponent: further along the last step."""
        relax_entries(self.values, self.previous, self.values.dtype.type(exponent))


def _spans(first, count, size):
    """(R x 2), in small numbers where they do: a span is looked up for every nonzero."""
    return np.stack([first, count], axis=1).astype(np.uint32 if size < 2**32 else np.int64)


def update(arrays, X, Y, n_steps=1, momentum=0.0, n_capped=0, cap=np.inf, capped=None):
    """One pass over V: X is updated in place, `n_steps` times a row.

    `cap` bounds the first `n_capped` topics of rows that `capped` (R,) marks. An entry that is lost
    in the rounding of its row's sum is set to zero. Returns the objective of each row before the
    update, sum_c (V_rc log(V_rc / (x Y_c)) - V_rc) + sum_k x_k for Y whose topics sum to one, and
    the number of entries that are left.
    """
    bounds, indptr, *_ = arrays
    dtype = X.values.dtype.type
    objective = np.zeros(len(indptr) - 1)
    n_positive = np.zeros(len(bounds) - 1, dtype=np.int64)
    capped = np.empty(0, dtype=bool) if capped is None else capped
    with threads_for(arrays):
        update_rows(
            *arrays, *X.rows, X.previous, X.whole, *Y.rows, X.n_topics, n_steps, dtype(momentum),
            n_capped, dtype(cap), capped, floor_of(X.values.dtype), np.finfo(dtype).eps, objective,
            n_positive,
        )  # fmt: skip
    return objective, int(n_positive.sum())


def infer(arrays, X, Y, caps, capped, max_iter, tol):
    """Rows X (R x K) that minimise the objective for Y, from X, in place: x_k <- sum as above.

    Each row is iterated by itself until no entry changes by more than tol of its mass. Returns the
    objective of each row at the end.
    """
    objective = np.zeros(len(X))
    with threads_for(arrays):
        infer_rows(*arrays, X, *Y.rows, caps, capped, floor_of(X.dtype), max_iter, tol, objective)
    return objective


@intrinsic
def prefetch(typing_context, array, index):
    """Ask the memory for array.flat[index], without waiting for it."""

    def generate(context, builder, signature, arguments):
        pointer, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), pointer)
        kind = ir.FunctionType(ir.VoidType(), [pointer, i32, i32, i32])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [address, i32(0), i32(3), i32(1)])  # to read, to keep, data
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


@njit(inline="always")
def look_ahead(indices, position, span, topics, values, n_topics):
    last = len(indices) - 1
    prefetch(span, 2 * np.int64(indices[min(position + 2 * AHEAD, last)]))
    row = indices[min(position + AHEAD, last)]
    first, count = np.int64(span[row, 0]), np.int64(span[row, 1])
    if count < n_topics:
        prefetch(topics, first)
    for line in range(0, count * values.itemsize, LINE):
        prefetch(values, first + line // values.itemsize)


# Lists are short: their loops are kept from being vectorised, which would cost more than it saves.
@njit(inline="always", fastmath={"contract"})
def dot(x, topics, values, first, last, zero):
    total = zero
    for entry in range(first, last):
        total += x[topics[entry]] * values[entry]
    return total


@njit(inline="always", fastmath={"contract"})
def add(factor, topics, values, first, last, total):
    for entry in range(first, last):
        total[topics[entry]] += factor * values[entry]


@njit(inline="always", fastmath=FAST)
def gather(indices, data, begin, end, x, active, n, span, topics, values, floor, measured, total):
    """total_k = sum_c Y_ck v_c / (x Y_c) over a row's nonzeros; sum_c v_c log(v_c / (x Y_c)).

    x has n topics that are not zero, `active`; total is right for these. A row that is measured is
    new to the cache: the rows after it are asked for in good time.
    """
    n_topics = len(x)
    total[:] = 0
    divergence = 0.0
    for position in range(begin, end):
        if measured:
            look_ahead(indices, position, span, topics, values, n_topics)
        c = np.uint32(indices[position])
        first, count = np.int64(span[c, 0]), np.int64(span[c, 1])
        last = first + count
        if count < n_topics:
            model = dot(x, topics, values, np.uint64(first), np.uint64(last), floor - floor)
        else:
            y = values[first:last]
            model = floor - floor
            if n < n_topics:
                for a in range(n):
                    model += x[active[a]] * y[active[a]]
            else:
                for k in range(n_topics):
                    model += x[k] * y[k]
        ratio = data[position] / max(model, floor)
        if measured:
            divergence += data[position] * math.log(ratio)
        if count < n_topics:
            add(ratio, topics, values, np.uint64(first), np.uint64(last), total)
        else:
            y = values[first:last]
            if n < n_topics:
                for a in range(n):
                    total[active[a]] += ratio * y[active[a]]
            else:
                for k in range(n_topics):
                    total[k] += ratio * y[k]
    return divergence


@njit(parallel=True, cache=True, fastmath=FAST)
def update_rows(
    bounds, indptr, indices, data, span, topics, values, previous, stays_whole,
    y_span, y_topics, y_values, n_topics, n_steps, momentum, n_capped, cap, capped, floor,
    rounding, objective, n_positive,
):  # fmt: skip
    zero = floor - floor
    crowded = CROWDED * n_topics
    for block in prange(len(bounds) - 1):
        x, old, total = np.zeros((3, n_topics), values.dtype)
        active = np.zeros(n_topics, np.uint16)
        kept = 0
        for r in range(bounds[block], bounds[block + 1]):
            first, n = np.int64(span[r, 0]), np.int64(span[r, 1])
            begin, end = indptr[r], indptr[r + 1]
            value, before = values[first : first + n], previous[first : first + n]
            whole = n == n_topics
            if whole:
                for k in range(n):
                    old[k] = value[k]
                    x[k] = value[k] + momentum * max(value[k] - before[k], zero)
            else:
                topic = topics[first : first + n]
                for a in range(n):
                    active[a] = topic[a]
                    old[a] = value[a]
                    x[topic[a]] = value[a] + momentum * max(value[a] - before[a], zero)
            mass = 0.0
            for a in range(n):
                mass += old[a]
            for position in range(begin, end):
                mass -= data[position]
            for step in range(n_steps):
                divergence = gather(
                    indices, data, begin, end, x, active, n,
                    y_span, y_topics, y_values, floor, step == 0, total,
                )  # fmt: skip
                if step == 0:
                    objective[r] = divergence + mass
                size = zero
                if whole:
                    for k in range(n):
                        x[k] *= total[k]
                    if n_capped > 0 and capped[r]:
                        cut(x, n_capped, cap, zero)
                    for k in range(n):
                        size += x[k]
                else:
                    for a in range(n):
                        x[active[a]] *= total[active[a]]
                    if n_capped > 0 and capped[r]:
                        cut(x, n_capped, cap, zero)
                    for a in range(n):
                        size += x[active[a]]
            least = max(rounding * size, floor)
            count = 0
            for a in range(n):
                count += old[a] > 0
            if whole and (count > crowded or stays_whole[r]):
                for k in range(n):
                    before[k] = old[k]
                    value[k] = x[k] if x[k] > least else zero
                    kept += x[k] > least
                    x[k] = 0
            else:
                # A topic that falls to zero stays for one pass, in case the update is taken back.
                topic = topics[first : first + n]
                count = 0
                for a in range(n):
                    k = np.uint16(a) if whole else active[a]
                    if old[a] > 0:
                        topic[count] = k
                        before[count] = old[a]
                        value[count] = x[k] if x[k] > least else zero
                        kept += x[k] > least
                        count += 1
                    x[k] = 0
                span[r, 1] = count
        n_positive[block] = kept


@njit(inline="always", fastmath=FAST)
def cut(x, n_capped, cap, zero):
    """Bound the first topics of a row by `cap`, or leave them out where that is next to nothing."""
    others = zero
    for k in range(n_capped, len(x)):
        others += x[k]
    if cap <= NEGLIGIBLE_CAP * others:
        cap = zero
    for k in range(n_capped):
        x[k] = min(x[k], cap)


@njit(parallel=True, cache=True, fastmath=FAST)
def infer_rows(
    bounds, indptr, indices, data, X, y_span, y_topics, y_values, caps, capped, floor, max_iter,
    tol, objective,
):  # fmt: skip
    n_topics = X.shape[1]
    for block in prange(len(bounds) - 1):
        total = np.empty(n_topics, X.dtype)
        active = np.empty(n_topics, np.uint16)
        for r in range(bounds[block], bounds[block + 1]):
            x = X[r]
            mass = 0.0
            for position in range(indptr[r], indptr[r + 1]):
                mass += data[position]
            n = 0
            for k in range(n_topics):
                if x[k] > 0:
                    active[n] = k
                    n += 1
            for step in range(max_iter):
                gather(
                    indices, data, indptr[r], indptr[r + 1], x, active, n,
                    y_span, y_topics, y_values, floor, step == 0, total,
                )  # fmt: skip
                change = 0.0
                left = 0
                for a in range(n):
                    k = active[a]
                    value = total[k] * x[k]
                    if value <= floor * mass:
                        value = floor - floor
                    if capped[r]:
                        value = min(value, caps[k])
                    change = max(change, abs(value - x[k]))
                    x[k] = value
                    if value > 0:
                        active[left] = k
                        left += 1
                n = left
                if change <= tol * mass:
                    break
            objective[r] = x.sum() - mass + gather(
                indices, data, indptr[r], indptr[r + 1], x, active, n,
                y_span, y_topics, y_values, floor, True, total,
            )  # fmt: skip


@njit(parallel=True, cache=True)
def move_rows(span, topics, values, previous, new_span, new_topics, new_values, new_previous):
    for r in prange(len(span)):
        to, first = new_span[r, 0], span[r, 0]
        for a in range(span[r, 1]):
            new_topics[to + a] = topics[first + a]
            new_values[to + a] = values[first + a]
            new_previous[to + a] = previous[first + a]


@njit(parallel=True, cache=True)
def fill_rows(span, topics, values, X):
    for r in prange(len(span)):
        first, n = span[r, 0], span[r, 1]
        for a in range(n):
            X[r, topics[first + a] if n < X.shape[1] else a] = values[first + a]


@njit(parallel=True, cache=True)
def sum_topics(span, topics, values, rows, bounds, parts):
    n_topics = parts.shape[1]
    for part in prange(len(parts)):
        for r in rows[bounds[part] : bounds[part + 1]]:
            first, n = span[r, 0], span[r, 1]
            for a in range(n):
                parts[part, topics[first + a] if n < n_topics else a] += values[first + a]


@njit(parallel=True, cache=True)
def scale_entries(span, topics, values, previous, row_kind, factor):
    n_topics = factor.shape[1]
    for r in prange(len(span)):
        first, n = span[r, 0], span[r, 1]
        for a in range(n):
            by = factor[row_kind[r], topics[first + a] if n < n_topics else a]
            values[first + a] = previous[first + a] if np.isnan(by) else values[first + a] * by


@njit(parallel=True, cache=True)
def relax_entries(values, previous, exponent):
    for a in prange(len(values)):
        if values[a] > 0:
            values[a] *= (values[a] / previous[a]) ** exponent
