"""Factors in rows of whole lines: their passes against the plain ones, what they leave out."""

import numpy as np
import pytest
from numba import config, set_num_threads
from scipy.sparse import csr_matrix
from scipy.special import xlogy

from minority_topics.nmf.descent import Accelerated, Alternation, minimise
from minority_topics.nmf.factors import Factor, infer
from minority_topics.nmf.kernels import Passes
from minority_topics.nmf.registers import LINE
from minority_topics.nmf.solvers import Constraints, Exact


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def sparse_factor(rng, n_rows, n_topics, dtype=np.float64):
    """Rows of one topic to all of them."""
    X = rng.random((n_rows, n_topics)).astype(dtype)
    X[rng.random(X.shape) < np.linspace(0, 0.95, n_rows)[:, None]] = 0
    X[:, 0] += X.sum(axis=1) == 0
    return X


def problem(n_documents=60, n_words=40, n_topics=9, n_minority=3, w_max=0.1, dtype=np.float64):
    rng = np.random.default_rng(1)
    V = csr_matrix(rng.poisson(0.2, (n_documents, n_words)).astype(dtype))
    seeds = np.arange(n_words) < 6
    free = np.asarray(V[:, seeds].sum(axis=1)).ravel() == 0
    constraints = Constraints(n_minority, w_max, 0.4, seeds, free)
    start = rng.random((n_documents, n_topics)), rng.random((n_words, n_topics))
    return Passes(V), Exact(constraints), *(factor.astype(dtype) for factor in start)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_topics", [1, 8, 9, 50, 100])
def test_rows_begin_on_a_line_and_end_in_zeros(rng, n_topics, dtype):
    X = rng.random((7, n_topics)).astype(dtype)
    factor = Factor.of(X)
    assert factor.now.ctypes.data % LINE == factor.now.strides[0] % LINE == 0
    np.testing.assert_array_equal(factor.rows, X)
    assert (factor.now[:, n_topics:] == 0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_topics", [1, 8, 17, 50, 130, pytest.param(800, marks=pytest.mark.slow)])
def test_a_pass_equals_the_plain_one(rng, n_topics, dtype):
    V = csr_matrix(rng.poisson(0.3, (40, 30)).astype(dtype))
    X, Y = sparse_factor(rng, 40, n_topics, dtype), sparse_factor(rng, 30, n_topics, dtype)
    Y /= Y.sum(axis=0)
    G, divergence = Passes(V).rows(X, Y)
    kind = np.arange(40) % 3 == 0
    factor = Factor.of(X, kind)
    objective = factor.update(Passes(V).by_row, Factor.of(Y), measured=True)
    np.testing.assert_allclose(factor.rows, G, rtol=1e-5, atol=1e-6 * G.max())
    expected = divergence - np.asarray(V.sum(axis=1)).ravel() + X.sum(axis=1)
    assert objective == pytest.approx(expected.sum(), rel=1e-5)
    by_row = [
        Factor.of(X[[r]]).update(Passes(V[[r]]).by_row, Factor.of(Y), measured=True)
        for r in range(40)
    ]
    np.testing.assert_allclose(by_row, expected, rtol=1e-4, atol=1e-5)
    assert (factor.now[:, n_topics:] == 0).all()
    sums = [factor.rows[kind == k].sum(axis=0, dtype=np.float64) for k in (False, True)]
    np.testing.assert_allclose(factor.sums, sums, rtol=1e-6)
    factor.swap()
    np.testing.assert_array_equal(factor.rows, X)


def test_several_steps_are_several_passes(rng):
    V = csr_matrix(rng.poisson(0.3, (40, 30)).astype(float))
    X, Y = sparse_factor(rng, 40, 12), Factor.of(sparse_factor(rng, 30, 12))
    once, thrice = Factor.of(X), Factor.of(X)
    for _ in range(3):
        once.update(Passes(V).by_row, Y)
    thrice.update(Passes(V).by_row, Y, n_steps=3)
    np.testing.assert_allclose(once.rows, thrice.rows, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("n_roots", "w"), [(1, 1.5), (2, 1.75), (3, 1.875)])
def test_a_longer_step_is_a_power_of_the_plain_one(rng, n_roots, w):
    V = csr_matrix(rng.poisson(0.3, (40, 30)).astype(float))
    X, Y = rng.random((40, 6)), rng.random((30, 6))
    factor = Factor.of(X)
    factor.update(Passes(V).by_row, Factor.of(Y), n_roots=n_roots)
    explained = Passes(V).rows(X, Y)[0] / X
    expected = X * explained * (explained / Y.sum(axis=0)) ** (w - 1)
    np.testing.assert_allclose(factor.rows, expected, rtol=1e-10, atol=1e-14)


def test_rows_of_a_kind_are_scaled_and_topics_without_a_factor_stay(rng):
    X = rng.random((5, 3))
    factor = Factor.of(X, kind=np.array([0, 1, 0, 1, 1]))
    factor.before[:] = factor.now
    factor.now[:] *= 7
    factor.scale(np.array([[2.0, 3.0, np.nan], [1.0, 0.5, np.nan]]))
    expected = 7 * X
    expected[[0, 2]] *= [2, 3, 1]
    expected[[1, 3, 4]] *= [1, 0.5, 1]
    expected[:, 2] = X[:, 2]
    np.testing.assert_allclose(factor.rows, expected)


def test_momentum_is_a_step_from_the_point_ahead(rng):
    V = csr_matrix(rng.poisson(0.3, (40, 30)).astype(float))
    X, Y = rng.random((40, 6)), rng.random((30, 6))
    before = X * rng.uniform(0.5, 1.5, X.shape)
    factor = Factor.of(X)
    factor.before[:] = Factor.of(before).now
    ahead = X + 0.7 * np.maximum(X - before, 0)
    factor.update(Passes(V).by_row, Factor.of(Y), momentum=0.7)
    np.testing.assert_allclose(factor.rows, Passes(V).rows(ahead, Y)[0], rtol=1e-10, atol=1e-14)
    factor.swap()
    np.testing.assert_array_equal(factor.rows, X)


def test_what_would_be_subnormal_goes_and_a_row_keeps_its_mass(rng):
    V = csr_matrix(rng.poisson(1, (20, 30)).astype(np.float32))
    X = rng.random((20, 8)).astype(np.float32)
    X[:, 2], X[:, 3] = 1e-25, 1e-12
    factor = Factor.of(X)
    factor.update(Passes(V).by_row, Factor.of(np.full((30, 8), 1 / 30, np.float32)))
    assert (factor.rows[:, 2] == 0).all()
    assert (factor.rows[:, 3] > 0).all()
    mass = np.asarray(V.sum(axis=1)).ravel()
    np.testing.assert_allclose(factor.rows.sum(axis=1), mass, rtol=1e-5)


def test_plain_steps_are_those_of_the_reference():
    passes, solver, W, Ht = problem()
    reference = minimise(Alternation(passes, solver).begin(W.copy(), Ht), 30, 0)
    fast = minimise(Accelerated(passes, solver, "plain").begin(W.copy(), Ht), 30, 0)
    np.testing.assert_allclose(fast.history, reference.history, rtol=1e-11)
    for ours, theirs in zip(fast.factors(), reference.factors(), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9 * theirs.max())


@pytest.mark.parametrize("w_max", [1e-9, 1e-8])
def test_leaving_out_negligible_minority_topics_changes_nothing(w_max):
    passes, solver, W, Ht = problem(w_max=w_max)
    reference = minimise(Alternation(passes, solver).begin(W.copy(), Ht), 60, 0)
    skipping = minimise(Accelerated(passes, solver, "plain").begin(W.copy(), Ht), 60, 0)
    free = solver.constraints.seed_free
    assert (reference.W[free, :3] > 0).any()
    assert (skipping.W.rows[free, :3] == 0).all()
    np.testing.assert_allclose(skipping.history[1:], reference.history[1:], rtol=1e-6)
    np.testing.assert_allclose(skipping.H.rows, reference.Ht, atol=1e-6)


@pytest.mark.parametrize("acceleration", ["extrapolated", "overrelaxed"])
def test_accelerated_steps_need_fewer_iterations(acceleration):
    def history(acceleration):
        passes, solver, W, Ht = problem(n_documents=300, n_words=80)
        descent = Accelerated(passes, solver, acceleration).begin(W, Ht)
        return np.array(minimise(descent, 200, 0).history)

    plain = history("plain")
    as_low = np.flatnonzero(history(acceleration) <= plain[-1])
    assert as_low[0] < 0.8 * len(plain)


@pytest.mark.parametrize("acceleration", ["extrapolated", "overrelaxed"])
def test_a_step_that_rises_is_taken_back(rng, acceleration):
    passes, solver, W, Ht = problem()
    descent = minimise(Accelerated(passes, solver, acceleration).begin(W, Ht), 6, 0)
    good, step_H = descent.factors(), descent.step_H
    reaches = []

    def bad_step():
        reaches.append(descent.reach)
        step_H()
        if descent.reached:
            descent.H.rows[:] = rng.permutation(descent.H.rows)

    descent.step_H = bad_step
    minimise(descent, 7, 0)
    assert reaches[-1] == 0
    assert descent.history[-1] < descent.history[-2]
    plain = Accelerated(passes, solver, "plain").begin(*good)
    plain.step_H()
    for ours, theirs in zip(descent.factors(), plain.factors(), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.skipif(config.NUMBA_NUM_THREADS < 2, reason="one thread is allowed")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_number_of_threads_does_not_change_a_byte(monkeypatch, dtype):
    monkeypatch.setattr("minority_topics.nmf.compiled.SMALL", 0)
    ends = []
    for n_threads in (1, 2):
        set_num_threads(n_threads)
        passes, solver, W, Ht = problem(n_documents=2000, n_words=300, dtype=dtype)
        descent = minimise(Accelerated(passes, solver).begin(W, Ht), 20, 0)
        ends.append(b"".join(factor.tobytes() for factor in descent.factors()))
    assert ends[0] == ends[1]


def test_inferred_rows_minimise_the_divergence_whatever_the_batch():
    rng = np.random.default_rng(3)
    V = csr_matrix(rng.poisson(0.4, (12, 30)).astype(float))
    Ht = rng.dirichlet(np.full(30, 0.3), 4).T.copy()
    Ht[rng.random(Ht.shape) < 0.3] = 0
    Ht /= Ht.sum(axis=0)
    capped, caps = np.arange(12) < 6, np.array([0.01, np.inf, np.inf, np.inf])

    def weights(rows):
        W = np.full((12, 4), V.sum() / 48)[rows]
        objective = infer(Passes(V[rows]).by_row, W, Ht, caps, capped[rows], 5000, 1e-12)
        return W, objective

    W, objective = weights(slice(None))
    assert W[:6, 0].max() <= 0.01
    np.testing.assert_array_equal(weights(slice(3, 8))[0], W[3:8])
    # Stationarity: dD/dw_k = 1 - sum_j H_kj V_j / (wH)_j is 0 inside, and >= 0 where w_k = 0.
    WH = np.maximum(W @ Ht.T, 1e-300)
    gradient = 1 - V.toarray() / WH @ Ht
    free = np.ones_like(W, dtype=bool)
    free[:6, 0] = W[:6, 0] < 0.01
    assert np.abs(gradient * W)[free].max() < 1e-6
    assert gradient[free].min() > -1e-3
    explained = (V.toarray() * (W @ Ht.T == 0)).sum(axis=1) == 0
    V = V.toarray()
    expected = (xlogy(V, V) - xlogy(V, WH) - V).sum(axis=1) + W.sum(axis=1)
    np.testing.assert_allclose(objective[explained], expected[explained], rtol=1e-9, atol=1e-12)


# --- shapes ---------------------------------------------------------------------------------------


def fitting(rng):
    """A matrix of 6 documents and 5 words, W and H^T of 3 topics."""
    V = csr_matrix(rng.poisson(1, (6, 5)).astype(float))
    return Passes(V), rng.random((6, 3)), rng.random((5, 3))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda W, Ht: (W[:, :2], Ht),
        lambda W, Ht: (W, Ht[:, :2]),
        lambda W, Ht: (W[:-1], Ht),
        lambda W, Ht: (W, Ht[:-1]),
        lambda W, Ht: (W.astype(np.float32), Ht),
        lambda W, Ht: (W, Ht.astype(np.float32)),
    ],
    ids=["topics of W", "topics of H", "documents", "words", "type of W", "type of H"],
)
def test_no_kernel_sees_factors_that_do_not_fit(rng, spoil):
    passes, W, Ht = fitting(rng)
    W, Ht = (np.ascontiguousarray(factor) for factor in spoil(W, Ht))
    calls = [
        lambda: passes.rows(W, Ht),
        lambda: passes.columns(W, Ht),
        lambda: Factor.of(W).update(passes.by_row, Factor.of(Ht)),
        lambda: infer(passes.by_row, W, Ht, np.ones(3), np.ones(6, dtype=bool), 10, 0.0),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="do not fit a matrix"):
            call()


def test_no_kernel_sees_bounds_that_do_not_fit(rng):
    passes, W, Ht = fitting(rng)
    with pytest.raises(ValueError, match="caps"):
        infer(passes.by_row, W, Ht, np.ones(2), np.ones(6, dtype=bool), 10, 0.0)
    with pytest.raises(ValueError, match="caps"):
        infer(passes.by_row, W, Ht, np.ones(3), np.ones(5, dtype=bool), 10, 0.0)
    with pytest.raises(ValueError, match="capped"):
        Factor.of(W).update(passes.by_row, Factor.of(Ht), n_capped=1, capped=np.ones(5, dtype=bool))
    with pytest.raises(ValueError, match="kind"):
        Factor.of(W, kind=np.arange(6))


@pytest.mark.parametrize(("name", "value"), [("indices", 5), ("indices", -1), ("indptr", 10**6)])
def test_a_matrix_that_points_outside_itself_is_refused(rng, name, value):
    V = fitting(rng)[0].V
    getattr(V, name)[-1] = value
    with pytest.raises(ValueError, match="not a sparse matrix"):
        Passes(V)
