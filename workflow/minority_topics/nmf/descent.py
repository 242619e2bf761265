"""The descent: the state of a fit between two iterations, and the loop that makes them.

`Alternation` moves W and H in turn by any solver. `Accelerated` is the exact solver at speed: rows
in vector registers, steps that reach further, never a rise.

An iteration moves W by plain steps, several for a document while its words are in the cache where
that pays, and H by one step that may reach further:

* "plain": the majorise-minimise step of `Exact`, H e, with e as in `factors`;
* "extrapolated": the same step from H + momentum (H - H_before)_+, with Nesterov's momentum
  (block majorisation-minimisation with extrapolation; Hien, Leplat and Gillis 2024);
* "overrelaxed": H e^w, with w growing towards 2, below which EM with longer steps converges
  (Salakhutdinov and Roweis 2003).

Whatever the reach, H is scaled to meet its constraints. The next pass over the documents
measures the objective; if it rose, the iteration is taken back and made again by plain steps, for
which it cannot rise.
"""

import numpy as np

from .factors import Factor
from .progress import is_over

ACCELERATIONS = ("plain", "extrapolated", "overrelaxed")
# w = 2 - 2^-n: 1, 1.5, 1.75. With w = 2, what has converged would swing for ever.
MOST_ROOTS = 2


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


class Accelerated:
    """An exact fit between two iterations: W (M x K) and H^T (N x K)."""

    def __init__(self, passes, solver, acceleration="overrelaxed", n_steps=1):
        self.passes = passes
        self.solver = solver
        self.acceleration = acceleration
        self.n_steps = n_steps
        self.history = []
        self.reach, self.reached = 0, False

    def begin(self, W, Ht):
        W, Ht = self.solver.begin(W, Ht)
        self.W = Factor.of(W)
        self.H = Factor.of(Ht, kind=self.solver.constraints.seed_columns)
        return self

    def step_W(self):
        """Move W; the objective where it was before."""
        c = self.solver.constraints
        return self.W.update(
            self.passes.by_row, self.H, self.n_steps,
            n_capped=c.n_minority, cap=c.w_max, capped=c.seed_free, measured=True,
        )  # fmt: skip

    def step_H(self):
        """Move H as far as `reach` says, and let it reach further the next time."""
        momentum, n_roots = 0.0, 0
        if self.acceleration == "extrapolated":
            momentum = self.reach / (self.reach + 3)
        elif self.acceleration == "overrelaxed":
            n_roots = min(self.reach, MOST_ROOTS)
        self.reached = momentum > 0 or n_roots > 0
        self.reach += 1
        self.H.update(self.passes.by_column, self.W, momentum=momentum, n_roots=n_roots)
        factor, bare = self.solver.factors(self.H.sums.sum(axis=0), self.H.sums[1])
        self.H.scale(factor)
        if len(bare):
            seeds = self.solver.constraints.seed_columns
            self.H.rows[np.ix_(seeds, bare)] = self.solver.even_share()

    def undo_W(self):
        self.W.swap()

    def factors(self):
        """W (M x K) and H^T (N x K)."""
        return np.ascontiguousarray(self.W.rows), np.ascontiguousarray(self.H.rows)

    def forget_before(self):
        """Keep only what the factors are now: this is the end."""
        self.W.forget_before()
        self.H.forget_before()

    def take_back(self):
        """Undo the last H, and the W that was made from it; make H anew by a plain step."""
        self.undo_W()
        self.H.swap()
        self.reach = 0
        self.step_H()


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
