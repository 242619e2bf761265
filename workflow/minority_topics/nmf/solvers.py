"""Three ways to minimise D_KL(V || WH) under the constraints of the paper.

Notation: V (M documents x N words), W (M x K), H (K x N, held as its transpose Ht), minority topics
k < n_minority, seed columns SI, seed-free documents I0:

    g1_ik = W_ik - w_max <= 0                                   for i in I0, k < n_minority
    g2_k  = theta_min - sum_{j in SI} H_kj / sum_j H_kj <= 0     for k < n_minority

A solver turns the products A and B of a pass (see `kernels`) into the next W and H. `Exact` meets
both constraints after every step and never raises the objective; `Paper` is the published algorithm
and `Projected` the published algorithm with the cap on W enforced.
"""

from dataclasses import dataclass

import numpy as np

from .kernels import Passes


@dataclass(frozen=True)
class Constraints:
    """The bounds and where they hold: `seed_columns` (N,) and `seed_free` (M,) are masks."""

    n_minority: int
    w_max: float
    theta_min: float
    seed_columns: np.ndarray
    seed_free: np.ndarray

    def cap(self, W):
        """Cut W_ik to w_max for seed-free documents and minority topics, in place."""
        m = self.n_minority
        W[self.seed_free, :m] = np.minimum(W[self.seed_free, :m], W.dtype.type(self.w_max))
        return W

    def caps(self, word_mass):
        """Upper bounds (K,) on W_ik sum_j H_kj in seed-free documents, given the sums (K,)."""
        caps = np.full_like(word_mass, np.inf)
        caps[: self.n_minority] = self.w_max * word_mass[: self.n_minority]
        return caps

    def seed_share(self, Ht):
        """Share of seed words in each minority topic (n_minority,); 0 for an empty topic."""
        minority = Ht[:, : self.n_minority].astype(np.float64, copy=False)
        return _divide(minority[self.seed_columns].sum(axis=0), minority.sum(axis=0))

    def violation(self, W, Ht):
        """The largest excess over each bound, (max g1, max g2), 0 where the bound is met."""
        capped = W[self.seed_free, : self.n_minority]
        excess = float(capped.max(initial=0)) - self.w_max
        shortfall = self.theta_min - float(self.seed_share(Ht).min(initial=1))
        return max(excess, 0.0), max(shortfall, 0.0)


class Exact:
    """Minimise the KL majoriser under the constraints, in closed form, one factor at a time.

    Rows of H stay on the simplex. With A and B of a pass, the majoriser of D_KL is
    sum_ik (w_ik - A_ik log w_ik) in W and -sum_kj B_kj log h_kj in H, hence

        W_ik = A_ik, and min(A_ik, w_max) where g1 applies;
        H_k  = B_k / sum_j B_kj, where the seed words get theta_min of the mass or more; else
        H_kj = B_kj theta_min / B_S on seed columns, B_kj (1 - theta_min) / (B - B_S) elsewhere.

    Each step minimises an upper bound that touches the objective, so the objective never rises.
    """

    name = "exact"

    def __init__(self, constraints):
        self.constraints = constraints

    def begin(self, W, Ht):
        """Scale (W, H) so that H lies on the simplex, and make both feasible; W in place."""
        scale = Ht.sum(axis=0)
        W *= scale
        Ht = Ht + (scale == 0)  # a topic without words gets all of them
        return self.step_W(W, Ht, W), self.step_H(W, Ht, Ht)

    def step_W(self, W, Ht, A):
        return self.constraints.cap(A)

    def step_H(self, W, Ht, B):
        c = self.constraints
        seed_mass = B[c.seed_columns].sum(axis=0, dtype=np.float64)
        factor, bare = self.factors(B.sum(axis=0, dtype=np.float64), seed_mass)
        new = B * factor[c.seed_columns.astype(np.intp)].astype(B.dtype)
        new = np.where(np.isnan(new), Ht, new)
        new[np.ix_(c.seed_columns, bare)] = self.even_share()
        return new

    def factors(self, mass, seed_mass):
        """What B (K x N) is multiplied by: off and on the seed columns (2 x K); topics without any.

        `mass` and `seed_mass` (K,) are the sums of B over all columns and over the seed columns. A
        topic that explains nothing keeps its words: NaN. One without seed words gets them evenly,
        which costs nothing: the majoriser is flat there.
        """
        c = self.constraints
        factor = np.broadcast_to(_divide(1.0, mass), (2, len(mass))).copy()
        short = (np.arange(len(mass)) < c.n_minority) & (seed_mass < c.theta_min * mass)
        short &= c.seed_columns.any()
        factor[0, short] = _divide(1 - c.theta_min, mass - seed_mass)[short]
        factor[1, short] = _divide(c.theta_min, seed_mass)[short]
        factor[:, mass <= 0] = np.nan
        return factor, np.flatnonzero(short & (seed_mass <= 0))

    def even_share(self):
        return self.constraints.theta_min / max(self.constraints.seed_columns.sum(), 1)

    def multipliers_W(self, W, A, rows):
        """lambda (len(rows) x n_minority) that the active bounds imply: A_ik / W_ik - 1.

        W and A are those of the documents `rows`, a slice.
        """
        c = self.constraints
        W, A = W[:, : c.n_minority], A[:, : c.n_minority]
        lambda_ = np.zeros_like(W)
        if c.w_max > 0:
            active = c.seed_free[rows, None] & np.greater_equal(W, W.dtype.type(c.w_max))
            lambda_[active] = np.maximum(_divide(A[active], W[active]) - 1, 0)
        return lambda_

    def multipliers_H(self, Ht, B):
        """mu (n_minority,): (B - B_S) / (1 - theta_min) - B_S / theta_min where the bound binds."""
        c = self.constraints
        m = c.n_minority
        seed_mass = B[c.seed_columns, :m].sum(axis=0, dtype=np.float64)
        other_mass = B[:, :m].sum(axis=0, dtype=np.float64) - seed_mass
        mu = other_mass / (1 - c.theta_min) - _divide(seed_mass, c.theta_min)
        tight = (c.theta_min > 0) & (c.seed_share(Ht) <= c.theta_min * (1 + 1e-6))
        return np.where(tight, np.maximum(mu, 0), 0)


class Paper:
    """Algorithms 1-3 of the paper: multiplicative updates with gradient ascent on the multipliers.

    W_ik <- A_ik / (sum_j H_kj + lambda_ik); H by version 1 (or 2) of its update, and by version 2
    for every topic of which a version 1 denominator is not positive; then
    lambda_ik <- max(0, lambda_ik + eta g1_ik) and mu_k likewise, or 0 where the bound is inactive.
    One sweep over W is made per iteration, with (WH) of the sweep's start.
    """

    name = "paper"

    def __init__(self, constraints, eta, h_update):
        self.constraints = constraints
        self.eta = eta
        self.h_update = h_update

    def begin(self, W, Ht):
        c = self.constraints
        self.lambda_ = np.zeros((len(W), c.n_minority), dtype=W.dtype)
        self.mu = np.zeros(c.n_minority, dtype=W.dtype)
        return W, Ht

    def step_W(self, W, Ht, A):
        denominator = np.broadcast_to(Ht.sum(axis=0), A.shape).copy()
        denominator[:, : self.constraints.n_minority] += self.lambda_
        return _divide(A, denominator)

    def step_H(self, W, Ht, B):
        c = self.constraints
        m = c.n_minority
        den = Ht[:, :m].sum(axis=0)
        num = Ht[c.seed_columns, :m].sum(axis=0)
        push = self.mu * _divide(num, den**2)
        pull = self.mu * _divide(1.0, den) * c.seed_columns[:, None]
        weight = W.sum(axis=0)
        new = _divide(B, weight)
        denominator = weight[:m] + push - pull
        version1 = _divide(B[:, :m], denominator)
        version2 = _divide(B[:, :m] + Ht[:, :m] * pull, weight[:m] + push)
        keep = (self.h_update == 1) & (denominator > 0).all(axis=0)
        new[:, :m] = np.where(keep, version1, version2)
        self._ascend(W, new)
        return new

    def _ascend(self, W, Ht):
        c = self.constraints
        g1 = W[:, : c.n_minority] - c.w_max
        active = c.seed_free[:, None] & (g1 >= 0)
        self.lambda_ = np.where(active, np.maximum(0, self.lambda_ + self.eta * g1), 0)
        g2 = c.theta_min - c.seed_share(Ht)
        self.mu = np.where(g2 >= 0, np.maximum(0, self.mu + self.eta * g2), 0)
        self.lambda_ = self.lambda_.astype(W.dtype, copy=False)
        self.mu = self.mu.astype(W.dtype, copy=False)

    def multipliers_W(self, W, A, rows):
        return self.lambda_[rows]

    def multipliers_H(self, Ht, B):
        return self.mu.astype(np.float64)


class Projected(Paper):
    """The published updates, with W cut to w_max after each of them."""

    name = "projected"

    def step_W(self, W, Ht, A):
        return self.constraints.cap(super().step_W(W, Ht, A))


class Alternation:
    """A fit between two iterations: W (M x K) and H^T (N x K), moved in turn by a solver."""

    reached = False

    def __init__(self, passes, solver):
        self.passes = passes
        self.solver = solver
        self.history = []

    def begin(self, W, Ht):
        self.W, self.Ht = self.solver.begin(W, Ht)
        return self

    def step_W(self):
        """Move W; the objective where it was before."""
        A, divergence = self.passes.rows(self.W, self.Ht)
        objective = self.passes.objective(self.W, self.Ht, divergence)
        self._last_W, self.W = self.W, self.solver.step_W(self.W, self.Ht, A)
        return objective

    def undo_W(self):
        self.W = self._last_W

    def step_H(self):
        self.Ht = self.solver.step_H(self.W, self.Ht, self.passes.columns(self.W, self.Ht))

    def factors(self):
        """W (M x K) and H^T (N x K)."""
        return self.W, self.Ht


def minimise(descent, max_iter, tol, callbacks=()):
    """Iterate until the objective changes by less than tol of itself; `history` has its course.

    A step that reached further than a plain one and raised the objective is taken back. Callbacks
    are told of the start and of every iteration: `callback(descent)`, with W one step ahead.
    """
    history = descent.history
    while not is_over(history, max_iter, tol):
        if history:
            descent.step_H()
        objective = descent.step_W()
        if history and objective > history[-1] and descent.reached:
            descent.take_back()
            objective = descent.step_W()
        history.append(objective)
        for callback in callbacks:
            callback(descent)
    descent.undo_W()
    return descent


def is_over(history, max_iter, tol):
    if not history:
        return False
    return len(history) > max_iter or settled(history, tol) or not np.isfinite(history[-1])


def settled(history, tol):
    """Whether the last iteration changed the objective by no more than tol of itself."""
    return len(history) > 1 and abs(history[-2] - history[-1]) <= tol * abs(history[-2])


def kkt_residuals(passes, solver, W, Ht):
    """How far (W, H) is from the Karush-Kuhn-Tucker conditions, and the multipliers.

    With the gradients of the Lagrangian L (on the simplex for `Exact`, as in the paper otherwise),
    each entry is scaled by what it competes with, so that the numbers are shares:
      stationarity_W  sum |W dL/dW| / sum V
      stationarity_H  sum |H dL/dH| / sum V
      primal_W, primal_H   largest g1 and g2, 0 if met
      dual            largest negative part of lambda and mu
      slackness       (sum |lambda g1| + sum |mu g2|) / sum V
    """
    c = solver.constraints
    m = c.n_minority
    word_mass = Ht.sum(axis=0, dtype=np.float64)
    lambda_ = np.empty((len(W), m), dtype=W.dtype)
    stationarity_W = slackness_W = 0.0
    for rows in batches(len(W)):
        A, _ = Passes(passes.V[rows]).rows(W[rows], Ht)
        lambda_[rows] = solver.multipliers_W(W[rows], A, rows)
        part, multiplier = W[rows].astype(np.float64), lambda_[rows].astype(np.float64)
        pull = part * word_mass - A
        pull[:, :m] += part[:, :m] * multiplier
        stationarity_W += float(np.abs(pull).sum())
        slack = np.where(multiplier > 0, c.w_max - part[:, :m], 0)
        slackness_W += float((multiplier * np.abs(slack)).sum())

    B = passes.columns(W, Ht)
    mu = solver.multipliers_H(Ht, B)
    share = c.seed_share(Ht)
    topic_mass = W.sum(axis=0, dtype=np.float64)
    level = np.zeros(Ht.shape[1])
    if solver.name == "exact":  # the multiplier of sum_j H_kj = 1; the pulls of mu cancel
        level = topic_mass * word_mass - B.sum(axis=0, dtype=np.float64)
    stationarity_H = 0.0
    for words in batches(len(Ht)):
        part = Ht[words].astype(np.float64)
        pull = part * (topic_mass - level) - B[words]
        off = _divide(share - c.seed_columns[words, None], word_mass[:m])
        pull[:, :m] += part[:, :m] * mu * off
        stationarity_H += float(np.abs(pull).sum())

    primal_W, primal_H = c.violation(W, Ht)
    total = max(passes.total, np.finfo(np.float64).tiny)
    residuals = {
        "stationarity_W": stationarity_W / total,
        "stationarity_H": stationarity_H / total,
        "primal_W": primal_W,
        "primal_H": primal_H,
        "dual": float(max(0.0, -lambda_.min(initial=0), -mu.min(initial=0))),
        "slackness": (slackness_W + float(mu @ np.abs(share - c.theta_min))) / total,
    }
    return residuals, lambda_, mu


def batches(n_rows, size=2**16):
    """Slices of so many rows, for what would not fit at once."""
    return [slice(first, first + size) for first in range(0, n_rows, size)]


def _divide(numerator, denominator):
    """Elementwise quotient with 0 / 0 = 0."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    dtype = np.result_type(numerator, denominator)
    quotient = np.zeros(numerator.shape, dtype=dtype)
    return np.divide(numerator, denominator, out=quotient, where=denominator != 0)
