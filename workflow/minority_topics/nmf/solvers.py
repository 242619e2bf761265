"""Three ways to minimise D_KL(V || WH) under the constraints of the paper.

Notation: V (M documents x N words), W (M x K), H (K x N, held as its transpose Ht), minority topics
k < n_minority, seed columns SI, seed-free documents I0:

    g1_ik = W_ik - w_max <= 0                                   for i in I0, k < n_minority
    g2_k  = theta_min - sum_{j in SI} H_kj / sum_j H_kj <= 0     for k < n_minority

A solver turns the products A and B of a pass (see `kernels`) into the next W and H. `Exact` meets
both constraints after every step and never raises the objective; `Paper` is the published algorithm
and `Projected` the published algorithm with the cap on W enforced.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from .factors import infer
from .kernels import Passes, batches
from .progress import tell

# A topic with less mass than this explains nothing; more can be divided by in single precision.
NOTHING = 1e-37


@dataclass(frozen=True)
class Constraints:
    """The bounds and where they hold: `seed_columns` (N,) and `seed_free` (M,) are masks."""

    n_minority: int
    w_max: float
    theta_min: float
    seed_columns: np.ndarray
    seed_free: np.ndarray

    @classmethod
    def of(
        cls,
        V: csr_matrix,
        seed_columns: np.ndarray | Sequence[int],
        n_minority: int,
        w_max: float = 1e-9,
        theta_min: float = 0.4,
        free: np.ndarray | None = None,
    ) -> "Constraints":
        """The constraints on V (M x N), given the numbers of its seed columns.

        `free` (M,) marks the documents that are not bounded; if it is not given, those are the
        ones that hold a seed word.
        """
        seeds = np.zeros(V.shape[1], dtype=bool)
        seeds[seed_columns] = True
        seed_free = V @ seeds.astype(V.dtype) == 0 if free is None else ~free
        # What the type of V cannot hold as a normal number is no bound, or a bound of zero.
        if w_max < float(np.finfo(V.dtype).tiny):
            w_max = 0.0
        elif w_max > float(np.finfo(V.dtype).max):
            w_max = np.inf
        return cls(n_minority, float(w_max), float(theta_min), seeds, seed_free)

    def cap(self, W):
        """Cut W_ik to w_max for seed-free documents and minority topics, in place."""
        m = self.n_minority
        W[self.seed_free, :m] = np.minimum(W[self.seed_free, :m], W.dtype.type(self.w_max))
        return W

    def caps(self, word_mass):
        """Upper bounds (K,) on W_ik sum_j H_kj in seed-free documents, given the sums (K,)."""
        caps = np.full_like(word_mass, np.inf)
        with np.errstate(over="ignore"):
            caps[: self.n_minority] = self.w_max * word_mass[: self.n_minority]
        return caps

    def are_met(self, W, Ht):
        """Whether both bounds hold, but for a rounding relative to the bound itself."""
        return all(self.which_are_met(W, Ht))

    def which_are_met(self, W, Ht):
        """Whether the bound on W holds, and whether the one on H does."""
        excess, shortfall = self.violation(W, Ht)
        rounding = 1e-9 if Ht.dtype == np.float64 else 1e-6
        return excess <= rounding * self.w_max, shortfall <= rounding * self.theta_min

    def seed_share(self, Ht):
        """Share of seed words in each minority topic (n_minority,); 0 for an empty topic."""
        minority = Ht[:, : self.n_minority].astype(np.float64, copy=False)
        return divide(minority[self.seed_columns].sum(axis=0), minority.sum(axis=0))

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
        W *= Ht.sum(axis=0)
        return self.step_W(W, Ht, W), self.feasible_topics(Ht)

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
        factor = np.broadcast_to(divide(1.0, mass), (2, len(mass))).copy()
        short = (np.arange(len(mass)) < c.n_minority) & (seed_mass < c.theta_min * mass)
        short &= c.seed_columns.any()
        factor[0, short] = divide(1 - c.theta_min, mass - seed_mass)[short]
        factor[1, short] = divide(c.theta_min, seed_mass)[short]
        factor[:, mass <= NOTHING] = np.nan
        return factor, np.flatnonzero(short & (seed_mass <= NOTHING) & (mass > NOTHING))

    def feasible_topics(self, Ht):
        """Ht (N x K) with topics on the simplex that meet their bound."""
        Ht = Ht + (Ht.sum(axis=0) <= NOTHING)  # a topic without words gets all of them
        return self.step_H(None, Ht, Ht)

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
            lambda_[active] = np.maximum(divide(A[active], W[active]) - 1, 0)
        return lambda_

    def multipliers_H(self, Ht, B):
        """mu (n_minority,): (B - B_S) / (1 - theta_min) - B_S / theta_min where the bound binds."""
        c = self.constraints
        m = c.n_minority
        seed_mass = B[c.seed_columns, :m].sum(axis=0, dtype=np.float64)
        other_mass = B[:, :m].sum(axis=0, dtype=np.float64) - seed_mass
        mu = other_mass / (1 - c.theta_min) - divide(seed_mass, c.theta_min)
        tight = (c.theta_min > 0) & (c.seed_share(Ht) <= c.theta_min * (1 + 1e-6))
        return np.where(tight, np.maximum(mu, 0), 0)


class Paper:
    """Algorithms 1-3 of the paper: multiplicative updates with gradient ascent on the multipliers.

    W_ik <- A_ik / (sum_j H_kj + lambda_ik); H by version 1 (or 2) of its update, and by version 2
    for every topic of which a version 1 denominator is not positive; then
    lambda_ik <- max(0, lambda_ik + eta g1_ik) and mu_k likewise, or 0 where the bound is inactive.
    One sweep over W is made per iteration, with (WH) of the sweep's start. `least_denominator` is
    the least of version 1 so far, over topics and words, whichever version is used.
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
        self.least_denominator = np.inf
        return W, Ht

    def step_W(self, W, Ht, A):
        denominator = np.broadcast_to(Ht.sum(axis=0), A.shape).copy()
        denominator[:, : self.constraints.n_minority] += self.lambda_
        return divide(A, denominator)

    def step_H(self, W, Ht, B):
        c = self.constraints
        m = c.n_minority
        den = Ht[:, :m].sum(axis=0)
        num = Ht[c.seed_columns, :m].sum(axis=0)
        push = self.mu * divide(num, den**2)
        pull = self.mu * divide(1.0, den) * c.seed_columns[:, None]
        weight = W.sum(axis=0)
        new = divide(B, weight)
        denominator = weight[:m] + push - pull
        self.least_denominator = min(self.least_denominator, float(denominator.min(initial=np.inf)))
        version1 = divide(B[:, :m], denominator)
        version2 = divide(B[:, :m] + Ht[:, :m] * pull, weight[:m] + push)
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


def infer_weights(
    V: csr_matrix,
    constraints: Constraints,
    Ht: np.ndarray,
    max_iter: int = 200,
    tol: float = 1e-5,
    word_mass: np.ndarray | None = None,
) -> tuple[np.ndarray, float]:
    """W (M x K) for topics Ht (N x K) on the simplex, and the objective there.

    `word_mass` (K,) is what the topics summed to before.
    """
    n_topics = Ht.shape[1]
    word_mass = np.ones(n_topics, dtype=V.dtype) if word_mass is None else word_mass
    W = np.empty((V.shape[0], n_topics), dtype=V.dtype)
    objective = 0.0
    for rows in batches(len(W)):
        batch = V[rows]
        mass = np.asarray(batch.sum(axis=1), dtype=V.dtype).reshape(-1, 1)
        W[rows] = mass / n_topics
        # A document is small and stops by itself, so its W is worth a finer tolerance.
        objective += infer(
            Passes(batch).by_row, W[rows], Ht, constraints.caps(word_mass),
            constraints.seed_free[rows], max_iter=min(10 * max_iter, 2**62), tol=0.01 * tol,
        ).sum()  # fmt: skip
        tell("topics of each document", min(rows.stop, len(W)), len(W))
    return W, float(objective)


def divide(numerator, denominator):
    """Elementwise quotient with 0 / 0 = 0."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    dtype = np.result_type(numerator, denominator)
    quotient = np.zeros(numerator.shape, dtype=dtype)
    return np.divide(numerator, denominator, out=quotient, where=denominator != 0)
