"""Packed factors: their passes against the plain ones, and what they leave out."""

import numpy as np
import pytest
from numba import config, set_num_threads
from scipy.sparse import csr_matrix
from scipy.special import xlogy

from minority_topics import packed
from minority_topics.accelerated import PackedAlternation
from minority_topics.kernels import Passes
from minority_topics.packed import Packed
from minority_topics.solvers import Alternation, Constraints, Exact, minimise


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def sparse_factor(rng, n_rows, n_topics, dtype=np.float64):
    """Rows of one topic to all of them."""
    X = rng.random((n_rows, n_topics)).astype(dtype)
    X[rng.random(X.shape) < np.linspace(0, 0.95, n_rows)[:, None]] = 0
    X[:, 0] += X.sum(axis=1) == 0
    return X


def pack(X, whole=None):
    """X as it is stored once rows with few topics are listed: an update that changes nothing."""
    factor = Packed.of(X.copy(), whole)
    nothing = csr_matrix((len(X), 1), dtype=X.dtype)
    packed.update(Passes(nothing).by_row, factor, Packed.of(np.ones((1, X.shape[1]), X.dtype)), 0)
    factor.tidy(0)
    return factor


def problem(n_documents=60, n_words=40, n_topics=9, n_minority=3, w_max=0.1, dtype=np.float64):
    rng = np.random.default_rng(1)
    V = csr_matrix(rng.poisson(0.2, (n_documents, n_words)).astype(dtype))
    seeds = np.arange(n_words) < 6
    free = np.asarray(V[:, seeds].sum(axis=1)).ravel() == 0
    constraints = Constraints(n_minority, w_max, 0.4, seeds, free)
    start = rng.random((n_documents, n_topics)), rng.random((n_words, n_topics))
    return Passes(V), Exact(constraints), *(factor.astype(dtype) for factor in start)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_packing_loses_nothing(rng, dtype):
    X = sparse_factor(rng, 50, 16, dtype)
    factor = pack(X)
    np.testing.assert_array_equal(factor.dense(), X)
    assert len(factor.values) < X.size
    counts = factor.span[:, 1]
    assert (counts == 16).any()
    assert (counts < 16).any()
    np.testing.assert_allclose(factor.sums(), X.sum(axis=0, dtype=np.float64), rtol=1e-6)
    some = np.array([3, 40, 49])
    np.testing.assert_allclose(factor.sums(some), X[some].sum(axis=0, dtype=np.float64), rtol=1e-6)


def test_rows_that_are_to_stay_whole_do(rng):
    X = sparse_factor(rng, 50, 16)
    whole = np.arange(50) >= 45
    assert (pack(X, whole).span[45:, 1] == 16).all()
    assert (pack(X).span[45:, 1] < 16).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("packs_X", [True, False])
@pytest.mark.parametrize("packs_Y", [True, False])
def test_a_pass_equals_the_plain_one(rng, packs_X, packs_Y, dtype):
    V = csr_matrix(rng.poisson(0.3, (40, 30)).astype(dtype))
    X, Y = sparse_factor(rng, 40, 12, dtype), sparse_factor(rng, 30, 12, dtype)
    Y /= Y.sum(axis=0)
    G, divergence = Passes(V).rows(X, Y)
    factor = pack(X) if packs_X else Packed.of(X.copy())
    topics = pack(Y) if packs_Y else Packed.of(Y.copy())
    objective, n_positive = packed.update(Passes(V).by_row, factor, topics)
    np.testing.assert_allclose(factor.dense(), G, rtol=1e-5, atol=1e-6 * G.max())
    expected = divergence - np.asarray(V.sum(axis=1)).ravel() + X.sum(axis=1)
    np.testing.assert_allclose(objective, expected, rtol=1e-4, atol=1e-5)
    assert n_positive == np.count_nonzero(factor.dense())
    factor.swap()
    np.testing.assert_array_equal(factor.dense(), X)


def test_several_steps_are_several_passes(rng):
    V = csr_matrix(rng.poisson(0.3, (40, 30)).astype(float))
    X, Y = sparse_factor(rng, 40, 12), sparse_factor(rng, 30, 12)
    once, thrice = pack(X), pack(X)
    for _ in range(3):
        packed.update(Passes(V).by_row, once, pack(Y))
    packed.update(Passes(V).by_row, thrice, pack(Y), n_steps=3)
    np.testing.assert_allclose(once.dense(), thrice.dense(), rtol=1e-10, atol=1e-12)


def test_momentum_is_a_step_from_the_point_ahead(rng):
    V = csr_matrix(rng.poisson(0.3, (40, 30)).astype(float))
    X, Y = rng.random((40, 6)), rng.random((30, 6))
    factor = Packed.of(X.copy())
    factor.previous = (X * rng.uniform(0.5, 1.5, X.shape)).ravel()
    ahead = X + 0.7 * np.maximum(X - factor.previous.reshape(X.shape), 0)
    packed.update(Passes(V).by_row, factor, Packed.of(Y.copy()), momentum=0.7)
    np.testing.assert_allclose(factor.dense(), Passes(V).rows(ahead, Y)[0], rtol=1e-10, atol=1e-14)
    np.testing.assert_array_equal(factor.previous.reshape(X.shape), X)


def test_what_is_lost_in_rounding_goes_and_a_row_keeps_its_mass(rng):
    V = csr_matrix(rng.poisson(1, (20, 30)).astype(np.float32))
    X = rng.random((20, 8)).astype(np.float32)
    X[:, 2] = 1e-12
    factor = Packed.of(X)
    packed.update(Passes(V).by_row, factor, Packed.of(np.full((30, 8), 1 / 30, np.float32)))
    assert (factor.dense()[:, 2] == 0).all()
    np.testing.assert_allclose(
        factor.dense().sum(axis=1), np.asarray(V.sum(axis=1)).ravel(), rtol=1e-5
    )


def test_plain_steps_are_those_of_the_reference():
    passes, solver, W, Ht = problem()
    reference = minimise(Alternation(passes, solver).begin(W.copy(), Ht), 30, 0)
    fast = minimise(PackedAlternation(passes, solver, "plain", 1).begin(W.copy(), Ht), 30, 0)
    np.testing.assert_allclose(fast.history, reference.history, rtol=1e-11)
    for ours, theirs in zip(fast.factors(), reference.factors(), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9 * theirs.max())


@pytest.mark.parametrize("w_max", [1e-9, 1e-8])
def test_leaving_out_negligible_minority_topics_changes_nothing(w_max):
    passes, solver, W, Ht = problem(w_max=w_max)
    reference = minimise(Alternation(passes, solver).begin(W.copy(), Ht), 60, 0)
    skipping = minimise(PackedAlternation(passes, solver, "plain", 1).begin(W.copy(), Ht), 60, 0)
    free = solver.constraints.seed_free
    assert (reference.W[free, :3] > 0).any()
    assert (skipping.W.dense()[free, :3] == 0).all()
    np.testing.assert_allclose(skipping.history[1:], reference.history[1:], rtol=1e-6)
    np.testing.assert_allclose(skipping.H.dense(), reference.Ht, atol=1e-6)


def test_accelerated_steps_need_fewer_iterations():
    def iterations(acceleration):
        passes, solver, W, Ht = problem(n_documents=300, n_words=80)
        descent = PackedAlternation(passes, solver, acceleration).begin(W, Ht)
        return len(minimise(descent, 2000, 1e-6).history)

    plain = iterations("plain")
    assert iterations("extrapolated") < 0.9 * plain
    assert iterations("overrelaxed") < 0.9 * plain


def test_a_step_that_rises_is_taken_back():
    passes, solver, W, Ht = problem()
    descent = PackedAlternation(passes, solver, "overrelaxed").begin(W, Ht)
    minimise(descent, 5, 0)
    taken_back = []
    take_back = descent.take_back
    descent.take_back = lambda: (taken_back.append(True), take_back())
    descent.reach = 50.0  # far too far
    minimise(descent, 12, 0)
    assert taken_back
    assert (np.diff(descent.history) <= 1e-10 * descent.history[0]).all()


@pytest.mark.skipif(config.NUMBA_NUM_THREADS < 2, reason="one thread is allowed")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_number_of_threads_does_not_change_a_byte(monkeypatch, dtype):
    monkeypatch.setattr("minority_topics.kernels.SMALL", 0)
    ends = []
    for n_threads in (1, 2):
        set_num_threads(n_threads)
        passes, solver, W, Ht = problem(n_documents=2000, n_words=300, dtype=dtype)
        descent = minimise(PackedAlternation(passes, solver).begin(W, Ht), 20, 0)
        ends.append(b"".join(factor.tobytes() for factor in descent.factors()))
    assert ends[0] == ends[1]


def test_inferred_rows_minimise_the_divergence_whatever_the_batch():
    rng = np.random.default_rng(3)
    V = csr_matrix(rng.poisson(0.4, (12, 30)).astype(float))
    Ht = rng.dirichlet(np.full(30, 0.3), 4).T.copy()
    Ht[rng.random(Ht.shape) < 0.3] = 0
    Ht /= Ht.sum(axis=0)
    capped, caps = np.arange(12) < 6, np.array([0.01, np.inf, np.inf, np.inf])

    def infer(rows):
        W = np.full((12, 4), V.sum() / 48)[rows]
        objective = packed.infer(
            Passes(V[rows]).by_row, W, pack(Ht), caps, capped[rows], 5000, 1e-12
        )
        return W, objective

    W, objective = infer(slice(None))
    assert W[:6, 0].max() <= 0.01
    np.testing.assert_array_equal(infer(slice(3, 8))[0], W[3:8])
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
