"""The compiled pass against plain loops, its mass and flush guarantees, and finite differences."""

from math import log

import numba
import numpy as np
import pytest
from scipy.sparse import csr_matrix

from minority_topics.nmf import compiled
from minority_topics.nmf.kernels import N_BLOCKS, Passes

DTYPES = [np.float32, np.float64]
ROUNDING = {np.float32: 1e-5, np.float64: 1e-12}


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def sparse(rng, n_rows, n_columns, density=0.3):
    return rng.gamma(1, 2, (n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < density)


def uneven(rng, n_rows, n_columns):
    """One row and one column hold nearly everything, most others one entry or none."""
    V = sparse(rng, n_rows, n_columns, density=0.01)
    V[n_rows // 2] = rng.random(n_columns)
    V[:, 1] = rng.random(n_rows)
    V[[0, -1]] = 0
    V[:, [0, -1]] = 0
    return V


def factors(rng, shape, n_topics, dtype=np.float64):
    """W (M x K) and H^T (N x K) with some zeros, and one topic that every cell can use."""
    W, Ht = (rng.random((size, n_topics)) * (rng.random((size, n_topics)) < 0.8) for size in shape)
    W[:, -1] += 0.1
    Ht[:, -1] += 0.1
    return W.astype(dtype), Ht.astype(dtype)


def plain_pass(V, W, Ht):
    """A (M x K), B (N x K) and the divergence of each document, one element after the other."""
    n_documents, n_words = V.shape
    n_topics = W.shape[1]
    A, B, divergence = np.zeros(W.shape), np.zeros(Ht.shape), np.zeros(n_documents)
    for i in range(n_documents):
        for j in range(n_words):
            if V[i, j] == 0:
                continue
            model = sum(float(W[i, k]) * float(Ht[j, k]) for k in range(n_topics))
            divergence[i] += V[i, j] * log(V[i, j] / model)
            for k in range(n_topics):
                share = V[i, j] * float(W[i, k]) * float(Ht[j, k]) / model
                A[i, k] += share
                B[j, k] += share
    return A, B, divergence


def dense_divergence(V, WH):
    positive = V > 0
    return np.sum(V[positive] * np.log(V[positive] / WH[positive])) - V.sum() + WH.sum()


def objective(V, W, Ht):
    passes = Passes(csr_matrix(V))
    return passes.objective(W, Ht, passes.rows(W, Ht)[1])


SHAPES = {
    "random": lambda rng: sparse(rng, 12, 9),
    "dense": lambda rng: sparse(rng, 5, 7, density=1),
    "uneven": lambda rng: uneven(rng, 40, 30),
    "more rows than blocks": lambda rng: uneven(rng, 2 * N_BLOCKS + 3, 8),
    "more columns than blocks": lambda rng: uneven(rng, 8, 2 * N_BLOCKS + 3),
    "one document": lambda rng: sparse(rng, 1, 6, density=0.5),
    "one word": lambda rng: sparse(rng, 6, 1, density=0.5),
    "no entry": lambda rng: np.zeros((3, 4)),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_topics", [1, 5])
def test_pass_equals_plain_loops(rng, shape, dtype, n_topics):
    V = SHAPES[shape](rng).astype(dtype)
    W, Ht = factors(rng, V.shape, n_topics, dtype)
    passes = Passes(csr_matrix(V))
    A, divergence = passes.rows(W, Ht)
    B = passes.columns(W, Ht)

    rtol = 10 * ROUNDING[dtype]
    for computed, plain in zip((A, B, divergence), plain_pass(V, W, Ht), strict=True):
        np.testing.assert_allclose(computed, plain, rtol=rtol, atol=rtol)
    assert A.dtype == B.dtype == dtype
    assert divergence.dtype == np.float64


@pytest.mark.parametrize("dtype", DTYPES)
def test_objective_equals_the_dense_formula(rng, dtype):
    V = uneven(rng, 20, 15).astype(dtype)
    W, Ht = factors(rng, V.shape, 4, dtype)
    expected = dense_divergence(V.astype(float), W.astype(float) @ Ht.T.astype(float))
    assert objective(V, W, Ht) == pytest.approx(expected, rel=ROUNDING[dtype])


def test_objective_of_a_perfect_fit_is_zero(rng):
    W, Ht = factors(rng, (6, 8), 3)
    assert objective(W @ Ht.T, W, Ht) == pytest.approx(0, abs=1e-12)


def test_a_stored_zero_is_no_entry(rng):
    V = csr_matrix(sparse(rng, 8, 6))
    stored = V.copy()
    stored.data[::3] = 0
    absent = stored.copy()
    absent.eliminate_zeros()
    W, Ht = factors(rng, V.shape, 3)
    for with_zeros, without in zip(
        Passes(stored).rows(W, Ht), Passes(absent).rows(W, Ht), strict=True
    ):
        np.testing.assert_array_equal(with_zeros, without)


@pytest.mark.parametrize("index", [6, 2**31, 2**32 + 3, -1, -(2**32) + 3])
def test_an_index_is_checked_before_it_is_narrowed(rng, index):
    V = csr_matrix(sparse(rng, 8, 6))
    V.indices = V.indices.astype(np.int64)
    assert Passes(V).by_row.indices.dtype == np.int32
    V.indices[2] = index
    with pytest.raises(ValueError, match="an index is outside its 6 columns"):
        Passes(V)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="one thread is allowed")
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_number_of_threads_does_not_change_a_byte(rng, dtype, monkeypatch):
    monkeypatch.setattr(compiled, "SMALL", 0)  # else so small a matrix is left to one thread
    before = numba.get_num_threads()
    V = csr_matrix(uneven(rng, 3000, 400).astype(dtype))
    W, Ht = factors(rng, V.shape, 6, dtype)
    passes = Passes(V)
    results = []
    for n_threads in (1, 2):
        numba.set_num_threads(n_threads)
        A, divergence = passes.rows(W, Ht)
        results.append([A.tobytes(), divergence.tobytes(), passes.columns(W, Ht).tobytes()])
    numba.set_num_threads(before)
    assert results[0] == results[1]


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_and_columns_keep_their_mass(rng, dtype):
    V = uneven(rng, 30, 20).astype(dtype)
    W, Ht = factors(rng, V.shape, 5, dtype)
    passes = Passes(csr_matrix(V))
    rtol = ROUNDING[dtype]
    np.testing.assert_allclose(passes.rows(W, Ht)[0].sum(axis=1), V.sum(axis=1), rtol=rtol)
    np.testing.assert_allclose(passes.columns(W, Ht).sum(axis=1), V.sum(axis=0), rtol=rtol)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scale", [1e-30, 1, 1e6])
def test_tiny_entries_are_flushed_and_no_row_loses_its_mass(rng, dtype, scale):
    V = (sparse(rng, 30, 20, density=0.5) * scale).astype(dtype)
    W, Ht = factors(rng, V.shape, 6, dtype)
    smallest = float(np.finfo(dtype).tiny)
    W[:, :3] *= dtype(smallest**0.6)
    A = Passes(csr_matrix(V)).rows(W, Ht)[0]

    assert (A[:, :3] == 0).all()
    assert (A[A > 0] >= smallest).all(), "subnormal numbers are left"
    np.testing.assert_allclose(A.sum(axis=1), V.sum(axis=1), rtol=ROUNDING[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
def test_small_entries_above_the_flush_survive(rng, dtype):
    V = sparse(rng, 10, 8, density=0.9).astype(dtype)
    W, Ht = (np.full((size, 2), 0.5, dtype=dtype) for size in V.shape)
    W[:, 0] = np.finfo(dtype).tiny ** 0.4
    assert (Passes(csr_matrix(V)).rows(W, Ht)[0] > 0).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [0.1, 1, 5, 1e4])
def test_a_word_that_no_topic_explains_has_a_finite_cost(dtype, count):
    V = np.array([[1, count], [1, 0]], dtype=dtype)
    W = np.ones((2, 2), dtype=dtype)
    Ht = np.array([[0.5, 0.5], [0, 0]], dtype=dtype)
    passes = Passes(csr_matrix(V))
    A, divergence = passes.rows(W, Ht)
    assert np.isfinite(divergence).all()
    assert divergence[0] > 10 * count > 0
    assert np.isfinite(A).all()
    assert np.isfinite(passes.columns(W, Ht)).all()


def test_gradients_equal_finite_differences(rng):
    V = sparse(rng, 6, 5, density=0.6)
    W, Ht = (rng.random((size, 3)) + 0.1 for size in V.shape)
    passes = Passes(csr_matrix(V))
    A, B = passes.rows(W, Ht)[0], passes.columns(W, Ht)

    def slope(factor, at, step=1e-6):
        value = factor[at]
        ends = []
        for sign in (1, -1):
            factor[at] = value + sign * step
            ends.append(dense_divergence(V, W @ Ht.T))
        factor[at] = value
        return (ends[0] - ends[1]) / (2 * step)

    for factor, G, mass in ((W, A, Ht.sum(axis=0)), (Ht, B, W.sum(axis=0))):
        numeric = [[slope(factor, (r, k)) for k in range(3)] for r in range(len(factor))]
        np.testing.assert_allclose(mass - G / factor, numeric, rtol=1e-6, atol=1e-6)
