"""Rows in registers: each operation against numpy, for rows of one line to many."""

import math

import numpy as np
import pytest
from numba import njit

from minority_topics.nmf import registers as r
from minority_topics.nmf.factors import logarithm


@njit
def apply(a, b, c, lines, rows, numbers, sums):
    x, y, z = r.load(a, 0, lines), r.load(b, 0, lines), r.load(c, 0, lines)
    width = len(a)
    r.prefetch(a, 0, lines)
    r.store(rows, 0, r.multiply(x, y))
    r.store(rows, width, r.subtract(x, y))
    r.store(rows, 2 * width, r.multiply_add(x, y, z))
    r.store(rows, 3 * width, r.square_root(x))
    r.store(rows, 4 * width, r.minimum(x, y))
    r.store(rows, 5 * width, r.keep_above(x, y))
    r.store(rows, 6 * width, r.fill(a[0], lines))
    r.stream(rows, 7 * width, r.add(x, y))
    r.fence()
    numbers[0], numbers[1] = r.total(x), r.dot(x, y)
    r.accumulate(sums, 0, x)
    r.accumulate(sums, 0, y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_topics", [1, 16, 40, 77, 200])
def test_operations_are_those_of_numpy(n_topics, dtype):
    lines = r.lines_of(n_topics, dtype)
    a, b, c = r.empty_rows(3, n_topics, dtype)
    assert a.nbytes == len(lines) * r.LINE
    a[:], b[:], c[:] = np.random.default_rng(0).random((3, len(a)))
    rows, numbers, sums = r.empty_rows(8, n_topics, dtype), np.zeros(2), np.zeros(len(a))
    apply(a, b, c, lines, rows, numbers, sums)
    expected = [
        a * b, a - b, a * b + c, np.sqrt(a), np.minimum(a, b), np.where(a > b, a, 0),
        np.full_like(a, a[0]), a + b,
    ]  # fmt: skip
    tolerance = 1e-6 if dtype == np.float32 else 1e-14
    np.testing.assert_allclose(rows, expected, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(numbers, [a.sum(), a @ b], rtol=tolerance)
    np.testing.assert_allclose(sums, a.astype(float) + b, rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_logarithms_are_those_of_the_library(dtype):
    numbers = np.exp(np.random.default_rng(0).uniform(-40, 40, 1000)).astype(dtype)
    numbers[:4] = 1, 2, 0.5, math.sqrt(2)
    compiled = njit(lambda x: logarithm(x))
    ours = [compiled(x) for x in numbers]
    np.testing.assert_allclose(ours, np.log(numbers.astype(float)), rtol=1e-14, atol=1e-15)
