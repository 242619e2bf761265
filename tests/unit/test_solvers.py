"""The three solvers: guarantees of `Exact`, the paper's algorithms in plain loops, certificates."""

import copy
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import xlogy

from minority_topics.nmf.certificate import kkt_residuals
from minority_topics.nmf.descent import ACCELERATIONS, Accelerated, Alternation, minimise
from minority_topics.nmf.kernels import Passes
from minority_topics.nmf.solvers import Constraints, Exact, Paper, Projected

KINDS = [Alternation, *(partial(Accelerated, acceleration=name) for name in ACCELERATIONS)]
kinds = pytest.mark.parametrize("kind", KINDS, ids=["reference", *ACCELERATIONS])
THETA_MIN = [0, 0.4, 0.9]
W_MAX = [0, 1e-9, 0.1, 1e3, np.inf]


def make(seed=2, shape=(40, 25), n_topics=4, n_minority=2, theta_min=0.4, w_max=0.1, n_seeds=5):
    """Sparse counts whose first half of documents holds no seed word, and a random start."""
    rng = np.random.default_rng(seed)
    n_documents, n_words = shape
    masses = rng.dirichlet(np.full(n_topics, 0.3), n_documents) * rng.uniform(5, 20, (shape[0], 1))
    V = rng.poisson(masses @ rng.dirichlet(np.full(n_words, 0.3), n_topics)).astype(float)
    seed_columns = np.arange(n_words) < n_seeds
    V[: n_documents // 2, seed_columns] = 0
    seed_free = V[:, seed_columns].sum(axis=1) == 0
    return SimpleNamespace(
        V=V,
        constraints=Constraints(n_minority, w_max, theta_min, seed_columns, seed_free),
        W=rng.random((n_documents, n_topics)),
        Ht=rng.random((n_words, n_topics)),
    )


def fill(problem):
    """Give every cell of V some mass, but for seed words in seed-free documents."""
    c = problem.constraints
    problem.V += 0.5 * ~np.outer(c.seed_free, c.seed_columns)


def begin(problem, solver=None, dtype=np.float64, kind=Alternation):
    """A descent of `Exact`, or of another solver, at its start."""
    passes = Passes(csr_matrix(problem.V.astype(dtype)))
    descent = kind(passes, solver or Exact(problem.constraints))
    return descent.begin(problem.W.astype(dtype), problem.Ht.astype(dtype))


def measured(descent):
    """W, Ht and the objective that a callback is told of."""
    descent = copy.deepcopy(descent)
    descent.undo_W()
    return *descent.factors(), descent.history[-1]


def trace(problem, max_iter=60, dtype=np.float64, kind=Alternation):
    """Every (W, Ht, objective) of `Exact`, the start included."""
    states = []
    descent = begin(problem, dtype=dtype, kind=kind)
    minimise(descent, max_iter, 0, [lambda descent: states.append(measured(descent))])
    return states


def assert_never_rises(states, rounding=1e-10):
    objective = np.array([state[2] for state in states])
    assert np.isfinite(objective).all()
    assert (np.diff(objective) <= rounding * np.abs(objective[:-1])).all()


def assert_feasible_throughout(states, constraints, slack=1e-12):
    c = constraints
    for W, Ht, _ in states:
        assert (W >= 0).all()
        assert (Ht >= 0).all()
        assert (W[c.seed_free, : c.n_minority] <= c.w_max * (1 + slack)).all()
        np.testing.assert_allclose(Ht.sum(axis=0), 1, rtol=slack)
        seed_mass = Ht[c.seed_columns, : c.n_minority].sum(axis=0)
        assert (seed_mass >= c.theta_min - slack).all()


def divergence(V, W, Ht):
    """D_KL(V || WH), dense."""
    WH = W @ Ht.T
    return np.sum(xlogy(V, V) - xlogy(V, WH) - V + WH)


def slopes(f, X, step=1e-6):
    """Central differences of f() in every element of X, which f reads."""
    result = np.empty_like(X)
    for at in np.ndindex(X.shape):
        value = X[at]
        X[at] = value + step
        above = f()
        X[at] = value - step
        result[at] = (above - f()) / (2 * step)
        X[at] = value
    return result


# --- constraints --------------------------------------------------------------------------------


@pytest.fixture
def by_hand():
    """Two minority topics of three, seed word 0, document 1 seed-free."""
    seeds, free = np.array([True, False, False]), np.array([False, True])
    return Constraints(2, 0.5, 0.4, seeds, free)


def test_cap_cuts_minority_topics_of_seed_free_documents_only(by_hand):
    W = np.array([[1.0, 2.0, 3.0], [0.2, 2.0, 3.0]])
    assert by_hand.cap(W).tolist() == [[1.0, 2.0, 3.0], [0.2, 0.5, 3.0]]


def test_seed_share_and_violation_by_hand(by_hand):
    Ht = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [2.0, 0.0, 1.0]])
    assert by_hand.seed_share(Ht).tolist() == [0.25, 0.0]
    assert by_hand.violation(np.array([[9.0, 9.0, 9.0], [0.25, 0.75, 9.0]]), Ht) == (0.25, 0.4)
    assert by_hand.violation(np.full((2, 3), 0.5), np.eye(3)[:, [0, 0, 1]]) == (0, 0)


@pytest.mark.parametrize(
    ("w_max", "W_ik", "met"),
    [(1e-9, 1e-9 * (1 + 1e-12), True), (1e-9, 2e-9, False), (0, 0, True), (0, 1e-300, False)],
)
def test_a_cap_is_met_relative_to_itself(w_max, W_ik, met):
    c = Constraints(1, w_max, 0.4, np.array([True, False]), np.array([True]))
    assert c.are_met(np.array([[W_ik, 5.0]]), np.full((2, 2), 0.5)) == met


@pytest.mark.parametrize(("share", "met"), [(1e-12, True), (1e-12 * (1 - 1e-6), False), (0, False)])
def test_a_share_is_met_relative_to_itself(share, met):
    c = Constraints(1, 1.0, 1e-12, np.array([True, False]), np.array([True]))
    assert c.are_met(np.zeros((1, 1)), np.array([[share], [1 - share]])) == met


def test_constraints_of_a_matrix_by_hand():
    V = csr_matrix(np.array([[1.0, 0, 2], [0, 3, 0], [0, 0, 0]]))
    c = Constraints.of(V, [0, 2], n_minority=1, w_max=1e-310)
    assert c.seed_columns.tolist() == [True, False, True]
    assert c.seed_free.tolist() == [False, True, True]
    assert c.w_max == 0, "what is not a normal number would not be kept"
    single = V.astype(np.float32)
    assert Constraints.of(single, [0, 2], n_minority=1, w_max=1e300).w_max == np.inf
    assert Constraints.of(single, [0, 2], n_minority=1, w_max=1e-300).w_max == 0
    assert Constraints.of(V, [0, 2], n_minority=1, w_max=1e300).w_max == 1e300


# --- the exact solver ---------------------------------------------------------------------------


@pytest.mark.parametrize("theta_min", THETA_MIN)
@pytest.mark.parametrize("w_max", W_MAX)
@pytest.mark.parametrize("seed", [0, 1, 2])
@kinds
def test_exact_is_feasible_and_never_rises(kind, seed, w_max, theta_min):
    problem = make(seed, theta_min=theta_min, w_max=w_max)
    states = trace(problem, kind=kind)
    assert len(states) > 50
    assert_feasible_throughout(states, problem.constraints)
    assert_never_rises(states)
    assert states[-1][2] < 0.9 * states[0][2]


@kinds
def test_exact_in_single_precision(kind):
    problem = make()
    states = trace(problem, dtype=np.float32, kind=kind)
    assert states[-1][0].dtype == states[-1][1].dtype == np.float32
    assert_feasible_throughout(states, problem.constraints, slack=1e-6)
    assert_never_rises(states, rounding=1e-5)


def no_majority(problem):
    problem.constraints = make(n_minority=4).constraints


def no_minority(problem):
    problem.constraints = make(n_minority=0).constraints


def every_document_seed_free(problem):
    problem.V[:, problem.constraints.seed_columns] = 0
    problem.constraints.seed_free[:] = True


def every_document_seed_bearing(problem):
    problem.V[:, 0] += 1
    problem.constraints.seed_free[:] = False


def only_seed_words(problem):
    problem.constraints.seed_columns[:] = True
    problem.constraints.seed_free[:] = problem.V.sum(axis=1) == 0


def topic_without_documents(problem):
    problem.W[:, [0, 3]] = 0


def topic_without_words(problem):
    problem.Ht[:, [0, 3]] = 0


def topic_without_seed_words(problem):
    problem.Ht[problem.constraints.seed_columns, 0] = 0


def topic_of_seed_words_only(problem):
    problem.Ht[~problem.constraints.seed_columns, 0] = 0


def empty_documents_and_words(problem):
    problem.V[[3, 30]] = 0
    problem.V[:, [1, 20]] = 0
    problem.constraints.seed_free[30] = True


@pytest.mark.parametrize(
    "make_hard",
    [
        no_majority,
        no_minority,
        every_document_seed_free,
        every_document_seed_bearing,
        only_seed_words,
        topic_without_documents,
        topic_without_words,
        topic_without_seed_words,
        topic_of_seed_words_only,
        empty_documents_and_words,
    ],
)
@kinds
def test_exact_keeps_its_promises_on_a_hard_problem(kind, make_hard):
    problem = make()
    make_hard(problem)
    states = trace(problem, kind=kind)
    assert_feasible_throughout(states, problem.constraints)
    assert_never_rises(states)


@kinds
def test_exact_without_any_seed_column_is_unguided_and_still_never_rises(kind):
    problem = make(n_seeds=0, w_max=1e3)
    states = trace(problem, kind=kind)
    for _, Ht, _ in states:
        np.testing.assert_allclose(Ht.sum(axis=0), 1, rtol=1e-12)
    assert_never_rises(states)


@kinds
def test_exact_leaves_a_topic_that_no_document_holds_as_it_is(kind):
    problem = make()
    topic_without_documents(problem)
    (_, first, _), (W, last, _) = [trace(problem, kind=kind)[at] for at in (0, -1)]
    np.testing.assert_allclose(last[:, [0, 3]], first[:, [0, 3]], rtol=1e-14)
    assert (W[:, [0, 3]] == 0).all()
    assert not np.allclose(last[:, 1], first[:, 1])


def test_exact_spreads_seed_words_evenly_over_a_topic_that_has_none():
    problem = make(theta_min=0.4)
    topic_without_seed_words(problem)
    seeds = problem.constraints.seed_columns
    _, Ht = Exact(problem.constraints).begin(problem.W, problem.Ht)
    np.testing.assert_allclose(Ht[seeds, 0], 0.4 / seeds.sum(), rtol=1e-12)
    others = problem.Ht[~seeds, 0]
    np.testing.assert_allclose(Ht[~seeds, 0], 0.6 * others / others.sum(), rtol=1e-12)


def test_exact_begins_at_the_same_product_where_it_is_feasible():
    problem = make(theta_min=0, w_max=1e3)
    W, Ht = Exact(problem.constraints).begin(problem.W.copy(), problem.Ht)
    np.testing.assert_allclose(W @ Ht.T, problem.W @ problem.Ht.T, rtol=1e-12)


def half_step(theta_min=0.4, w_max=0.5):
    """A tiny problem, H on the simplex, and A and B of its passes."""
    problem = make(shape=(6, 7), n_topics=3, n_seeds=2, theta_min=theta_min, w_max=w_max)
    fill(problem)
    problem.Ht /= problem.Ht.sum(axis=0)
    passes = Passes(csr_matrix(problem.V))
    A, B = passes.rows(problem.W, problem.Ht)[0], passes.columns(problem.W, problem.Ht)
    return problem, Exact(problem.constraints), A, B


@pytest.mark.parametrize("w_max", [0.05, 0.5, 1e3])
def test_exact_W_step_minimises_the_majoriser_as_a_generic_optimiser_does(w_max):
    problem, solver, A, _ = half_step(w_max=w_max)
    capped = np.outer(problem.constraints.seed_free, np.arange(3) < 2)
    bounds = [(1e-9, w_max if at else None) for at in capped.ravel()]
    generic = minimize(
        lambda w: np.sum(w - xlogy(A.ravel(), w)),
        np.full(A.size, min(w_max, 1) / 2),
        jac=lambda w: 1 - A.ravel() / w,
        bounds=bounds,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 1000},
    )
    closed = solver.step_W(problem.W, problem.Ht, A.copy())
    np.testing.assert_allclose(closed.ravel(), generic.x, atol=1e-5)
    assert (closed != A).any() == (w_max < A[capped].max())


@pytest.mark.parametrize("theta_min", [0, 0.1, 0.4, 0.9])
def test_exact_H_step_minimises_the_majoriser_as_a_generic_optimiser_does(theta_min):
    problem, solver, _, B = half_step(theta_min=theta_min)
    closed = solver.step_H(problem.W, problem.Ht, B.copy())
    seeds = problem.constraints.seed_columns
    for k in range(3):
        b = B[:, k]
        rules = [{"type": "eq", "fun": lambda h: h.sum() - 1}]
        if k < 2:
            rules.append({"type": "ineq", "fun": lambda h: h[seeds].sum() - theta_min})
        generic = minimize(
            lambda h, b=b: -np.sum(xlogy(b, h)) / b.sum(),
            np.where(seeds, 0.95 / seeds.sum(), 0.05 / (~seeds).sum()),
            jac=lambda h, b=b: -b / h / b.sum(),
            bounds=[(1e-9, 1)] * len(b),
            constraints=rules,
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        np.testing.assert_allclose(closed[:, k], generic.x, atol=1e-5)


def test_majorisers_lie_above_the_objective():
    problem, _, A, B = half_step()
    V, W, Ht = problem.V, problem.W, problem.Ht
    here = divergence(V, W, Ht)
    rng = np.random.default_rng(0)
    for spread in (0.1, 1, 5):
        other_W = W * np.exp(spread * rng.normal(size=W.shape))
        bound = np.sum(other_W - W - A * np.log(other_W / W))
        assert divergence(V, other_W, Ht) - here <= bound
        other_Ht = Ht * np.exp(spread * rng.normal(size=Ht.shape))
        other_Ht /= other_Ht.sum(axis=0)
        bound = -np.sum(B * np.log(other_Ht / Ht))
        assert divergence(V, W, other_Ht) - here <= bound


# --- Karush-Kuhn-Tucker certificates --------------------------------------------------------------


def certify(problem, n_iterations):
    """Residuals after each number of iterations, and the last W, Ht, lambda, mu."""
    descent = begin(problem)
    certificates = []
    for n in n_iterations:
        W, Ht = minimise(descent, n, tol=0).factors()
        residuals, lambda_, mu = kkt_residuals(descent.passes, descent.solver, W, Ht)
        certificates.append(residuals)
    return certificates, W, Ht, lambda_, mu


@pytest.mark.parametrize("theta_min", THETA_MIN)
@pytest.mark.parametrize("w_max", W_MAX)
def test_exact_reaches_a_kkt_point(w_max, theta_min):
    (early, late), *_, lambda_, mu = certify(make(theta_min=theta_min, w_max=w_max), (10, 4000))
    for name in ("stationarity_W", "stationarity_H"):
        assert early[name] > 1e-3
        assert late[name] < 1e-8
    for name in ("primal_W", "primal_H", "dual", "slackness"):
        assert 0 <= late[name] < 1e-12
    assert (lambda_ >= 0).all()
    assert (mu >= 0).all()


def test_multipliers_balance_the_gradients_at_the_solution():
    problem = make(theta_min=0.4, w_max=0.1)
    _, W, Ht, lambda_, mu = certify(problem, (4000,))
    c = problem.constraints
    m = c.n_minority
    active = c.seed_free[:, None] & (W[:, :m] >= c.w_max * (1 - 1e-9))
    tight = c.seed_share(Ht) <= c.theta_min + 1e-9
    assert active.any()
    assert tight.any()
    assert (lambda_[~active] == 0).all()
    assert (lambda_[active] > 0).all()
    assert (mu[~tight] == 0).all()
    assert (mu[tight] > 0).all()

    gradient_W = slopes(lambda: divergence(problem.V, W, Ht), W)
    gradient_W[:, :m] += lambda_
    np.testing.assert_allclose(gradient_W[W > 1e-4], 0, atol=1e-4)
    assert (gradient_W > -1e-4).all(), "an entry at zero would rather grow"

    # On the simplex the gradient of a topic's used words is level, not zero.
    gradient_H = slopes(lambda: divergence(problem.V, W, Ht) + mu @ (0.4 - c.seed_share(Ht)), Ht)
    for k in range(Ht.shape[1]):
        used = Ht[:, k] > 1e-4
        level = gradient_H[used, k].mean()
        np.testing.assert_allclose(gradient_H[used, k], level, atol=1e-3)
        assert (gradient_H[:, k] > level - 1e-3).all()


@pytest.mark.parametrize("kind", ["exact", "paper"])
def test_residuals_are_those_of_the_numeric_gradient_of_the_lagrangian(kind):
    problem = make(shape=(8, 7), n_topics=3, n_seeds=2, w_max=0.1, theta_min=0.3)
    fill(problem)  # W and H then leave room for a difference
    c = problem.constraints
    m = c.n_minority
    solver = Exact(c) if kind == "exact" else Paper(c, eta=0.5, h_update=1)
    descent = begin(problem, solver)
    W, Ht = minimise(descent, 2, tol=0).factors()
    residuals, lambda_, mu = kkt_residuals(descent.passes, solver, W, Ht)
    assert lambda_.any()
    assert mu.any()

    def lagrangian():
        g1 = (W[:, :m] - c.w_max)[c.seed_free]
        g2 = c.theta_min - Ht[c.seed_columns, :m].sum(axis=0) / Ht[:, :m].sum(axis=0)
        return divergence(problem.V, W, Ht) + np.sum(lambda_[c.seed_free] * g1) + mu @ g2

    assert min(W.min(), Ht.min()) > 1e-5
    pull_W, pull_H = W * slopes(lagrangian, W), Ht * slopes(lagrangian, Ht)
    if kind == "exact":
        pull_H -= Ht * pull_H.sum(axis=0) / Ht.sum(axis=0)
    total = problem.V.sum()
    assert residuals["stationarity_W"] == pytest.approx(np.abs(pull_W).sum() / total, rel=1e-6)
    assert residuals["stationarity_H"] == pytest.approx(np.abs(pull_H).sum() / total, rel=1e-6)
    excess = (W[:, :m] - c.w_max)[c.seed_free]
    share = Ht[c.seed_columns, :m].sum(axis=0) / Ht[:, :m].sum(axis=0)
    shortfall = c.theta_min - share
    assert residuals["primal_W"] == pytest.approx(max(0, excess.max()))
    assert residuals["primal_H"] == pytest.approx(max(0, shortfall.max()))
    slackness = np.abs(lambda_[c.seed_free] * excess).sum() + np.abs(mu * shortfall).sum()
    assert residuals["slackness"] == pytest.approx(slackness / total)
    assert residuals["dual"] == 0


def test_the_certificate_sees_weights_stuck_at_zero():
    # Document 0 would rather be all of topic 1: E_01 = 1 * 4 / 2, and dL/dW_01 = 1 - 2.
    V, Ht = np.array([[4.0, 0.0], [0.0, 4.0]]), np.array([[0.5, 1.0], [0.5, 0.0]])
    W = np.array([[4.0, 0.0], [4.0, 0.0]])
    free = Constraints(0, 1.0, 0.4, np.zeros(2, dtype=bool), np.ones(2, dtype=bool))
    passes = Passes(csr_matrix(V))
    residuals, *_ = kkt_residuals(passes, Exact(free), W, Ht)
    assert residuals["stationarity_W"] == residuals["stationarity_H"] == 0
    assert residuals["dual"] == pytest.approx(1)


@pytest.mark.parametrize(("w_max", "dual"), [(0, 0), (1e-9, 0), (0.1, 1)])
def test_a_weight_that_must_be_zero_is_not_held_against_a_fit(w_max, dual):
    # The same with topics exchanged, and no seed word: topic 0 may not hold more than w_max.
    V, Ht = np.array([[4.0, 0.0], [0.0, 4.0]]), np.array([[1.0, 0.5], [0.0, 0.5]])
    W = np.array([[0.0, 4.0], [0.0, 4.0]])
    c = Constraints(1, w_max, 0, np.zeros(2, dtype=bool), np.ones(2, dtype=bool))
    residuals, *_ = kkt_residuals(Passes(csr_matrix(V)), Exact(c), W, Ht)
    assert residuals["dual"] == pytest.approx(dual)


def test_the_certificate_sees_words_stuck_at_zero():
    # One topic that lacks word 1, of which document 0 has 4: the pass sees a floor for (WH)_01.
    V, W = np.array([[4.0, 4.0, 0.0]]), np.array([[4.0, 4.0]])
    Ht = np.array([[1.0, 0.0], [0.0, 0.5], [0.0, 0.5]])
    c = Constraints(0, 1.0, 0.4, np.zeros(3, dtype=bool), np.ones(1, dtype=bool))
    residuals, *_ = kkt_residuals(Passes(csr_matrix(V)), Exact(c), W, Ht)
    # dL/dH_01 = 4 - 4 * 4 / 2, less the level of its topic, 4 - 4; relative to the mass 4: -1.
    assert residuals["dual"] == pytest.approx(1)


@pytest.mark.parametrize("w_max", [0, 1e-9, 0.1])
def test_a_start_with_zeros_that_hide_the_solution_shows_in_the_certificate(w_max):
    problem = make(w_max=w_max)
    problem.Ht[10:, 2] = 0
    problem.Ht[:10, 3] = 0
    hidden, *_ = certify(problem, (4000,))
    open_, *_ = certify(make(w_max=w_max), (4000,))
    assert hidden[0]["stationarity_H"] < 1e-6
    assert hidden[0]["dual"] > 0.1
    assert open_[0]["dual"] < 1e-6


@pytest.mark.parametrize("kind", ["exact", "paper"])
def test_residuals_of_an_empty_matrix_are_finite(kind):
    problem = make(n_seeds=0)
    problem.V[:] = 0
    c = problem.constraints
    descent = begin(problem, Exact(c) if kind == "exact" else Paper(c, eta=1.0, h_update=1))
    W, Ht = minimise(descent, 3, tol=0).factors()
    residuals, *_ = kkt_residuals(descent.passes, descent.solver, W, Ht)
    assert np.isfinite(list(residuals.values())).all()


# --- the paper's algorithms -----------------------------------------------------------------------


def transcription(V, W, H, constraints, eta, version, project, n_iterations):
    """Algorithms 1-3, element by element; also the least denominator of H, and what happened."""
    c = constraints
    M, N, K = len(V), len(V[0]), len(H)
    MH = range(c.n_minority)
    lambda_ = [[0.0] * c.n_minority for _ in range(M)]
    mu = [0.0] * c.n_minority
    events, least = set(), np.inf

    def product():
        return [[sum(W[i][k] * H[k][j] for k in range(K)) for j in range(N)] for i in range(M)]

    for _ in range(n_iterations):
        WH = product()  # Algorithm 1
        new = [[0.0] * K for _ in range(M)]
        for i in range(M):
            for k in range(K):
                numerator = sum(H[k][j] * V[i][j] / WH[i][j] for j in range(N))
                denominator = sum(H[k])
                if c.seed_free[i] and k in MH:
                    denominator += lambda_[i][k]
                new[i][k] = W[i][k] * numerator / denominator
                if project and c.seed_free[i] and k in MH:
                    new[i][k] = min(new[i][k], c.w_max)
        W = new

        WH = product()  # Algorithm 2, and version 2 of the appendix
        new = [[0.0] * N for _ in range(K)]
        for k in range(K):
            den = sum(H[k])
            num = sum(H[k][j] for j in range(N) if c.seed_columns[j])
            weight = sum(W[i][k] for i in range(M))
            numerators = [sum(W[i][k] * V[i][j] / WH[i][j] for i in range(M)) for j in range(N)]
            denominators = [weight] * N
            if k in MH:
                pulls = [mu[k] / den if c.seed_columns[j] else 0.0 for j in range(N)]
                push = mu[k] * num / den**2
                denominators = [weight + push - pull for pull in pulls]
                least = min(least, *denominators)
                positive = all(denominator > 0 for denominator in denominators)
                if version == 1 and not positive:
                    events.add("version 2 instead of 1")
                if version == 2 or not positive:
                    numerators = [numerators[j] + pulls[j] for j in range(N)]
                    denominators = [weight + push] * N
            for j in range(N):
                new[k][j] = H[k][j] * numerators[j] / denominators[j]
        H = new

        for k in MH:  # Algorithm 3
            for i in range(M):
                g1 = W[i][k] - c.w_max
                if c.seed_free[i]:
                    lambda_[i][k] = 0.0 if g1 < 0 else max(0.0, lambda_[i][k] + eta * g1)
            g2 = c.theta_min - sum(H[k][j] for j in range(N) if c.seed_columns[j]) / sum(H[k])
            mu[k] = 0.0 if g2 < 0 else max(0.0, mu[k] + eta * g2)
        events |= {"lambda"} if np.any(lambda_) else set()
        events |= {"mu"} if np.any(mu) else set()
    return W, H, lambda_, mu, least, events


@pytest.mark.parametrize("solver", [Paper, Projected])
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(("eta", "falls_back"), [(1e-3, False), (0.5, False), (60, True)])
@pytest.mark.parametrize("n_iterations", [1, 2, 12])
def test_paper_equals_its_transcription(solver, version, eta, falls_back, n_iterations):
    problem = make(shape=(9, 7), n_topics=3, n_seeds=2, w_max=0.01, theta_min=0.6)
    V, c = problem.V + 0.1, problem.constraints
    V[:4, :2] = 0
    *expected, events = transcription(
        V.tolist(),
        problem.W.tolist(),
        problem.Ht.T.tolist(),
        c,
        eta,
        version,
        solver is Projected,
        n_iterations,
    )
    fitted = solver(c, eta, version)
    problem.V = V
    W, Ht = minimise(begin(problem, fitted), n_iterations, tol=0).factors()
    found = W, Ht.T, fitted.lambda_, fitted.mu, fitted.least_denominator
    for computed, plain in zip(found, expected, strict=True):
        np.testing.assert_allclose(computed, plain, rtol=1e-10, atol=1e-14)
    if n_iterations == 12:
        assert "mu" in events
        assert ("lambda" in events) == (solver is Paper)
        assert ("version 2 instead of 1" in events) == (falls_back and version == 1)


def test_the_least_denominator_by_hand(by_hand):
    W = np.array([[0.5, 3.0, 1.0], [0.0, 0.0, 1.0]])
    Ht = np.array([[1.0, 2.0, 1.0], [1.0, 2.0, 1.0], [2.0, 4.0, 1.0]])
    solver = Paper(by_hand, eta=0.0, h_update=1)
    solver.begin(W, Ht)
    assert solver.least_denominator == np.inf, "nothing was divided yet"
    # Topics have the masses 4 and 8 and the seed masses 1 and 2. At the seed word, topic 0 has
    # 0.5 + mu 1 / 4^2 - mu / 4 and topic 1 has 3 + mu 2 / 8^2 - mu / 8.
    for mu, least in (([0.0, 0.0], 0.5), ([4.0, 0.0], -0.25), ([0.0, 8.0], -0.25)):
        solver.mu = np.array(mu)
        solver.step_H(W, Ht, Ht)
        assert solver.least_denominator == least, "the least of all steps"
    solver.mu = np.array([0.0, 64.0])
    solver.step_H(W, Ht, Ht)
    assert solver.least_denominator == -3


@pytest.mark.parametrize("solver", [Paper, Projected])
def test_paper_keeps_single_precision(solver):
    problem = make()
    fitted = solver(problem.constraints, 0.5, 1)
    W, Ht = minimise(begin(problem, fitted, np.float32), 5, tol=0).factors()
    assert W.dtype == Ht.dtype == fitted.lambda_.dtype == fitted.mu.dtype == np.float32


# --- iterating ----------------------------------------------------------------------------------


@kinds
def test_minimise_shows_every_state_and_ends_with_the_last(kind):
    seen = []
    problem = make()
    descent = begin(problem, kind=kind)
    minimise(descent, 7, 0, [lambda descent: seen.append(measured(descent))])
    assert [objective for *_, objective in seen] == descent.history
    assert len(seen) == 8
    for W, Ht, objective in seen:
        assert objective == pytest.approx(divergence(problem.V, W, Ht), rel=1e-9)
    for last, end in zip(seen[-1][:2], descent.factors(), strict=True):
        np.testing.assert_array_equal(last, end)


def history(problem, tol, max_iter=200):
    return np.array(minimise(begin(problem), max_iter, tol).history)


def test_minimise_stops_once_the_objective_changes_by_less_than_tol():
    tol = 1e-4
    full = history(make(), tol=0)
    change = np.abs(np.diff(full)) / full[:-1]
    n_iterations = np.flatnonzero(change <= tol)[0] + 1
    assert 1 < n_iterations < 200
    np.testing.assert_array_equal(history(make(), tol), full[: n_iterations + 1])


def test_minimise_stops_where_the_objective_is_not_a_number():
    problem = make()
    problem.W[0, 0] = np.nan
    assert len(history(problem, tol=0)) == 1
