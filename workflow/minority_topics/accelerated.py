"""The exact solver at speed: packed factors, extrapolated steps, and never a rise.

An iteration moves W by plain steps, several for a document while its words are in the cache, and H
by one step that may reach further:

* "plain": the majorise-minimise step of `Exact`;
* "extrapolated": the same step from H + momentum (H - H_previous)_+, with Nesterov's momentum
  (block majorisation-minimisation with extrapolation; Hien, Leplat and Gillis 2024);
* "overrelaxed": H (H / H_previous)^(w - 1) after the step, with w growing while that pays
  (adaptive overrelaxed bound optimisation; Salakhutdinov and Roweis 2003).

Whatever the reach, H is the constrained minimum of a majoriser, hence feasible. The next pass over
the documents measures the objective; if it rose, the iteration is taken back and made again by
plain steps, for which it cannot rise.
"""

import math

import numpy as np

from . import packed

ACCELERATIONS = ("plain", "extrapolated", "overrelaxed")
N_STEPS = 1
RELAX_MORE = 1.1


class PackedAlternation:
    """An exact fit between two iterations: W (M x K) and H^T (N x K), packed."""

    def __init__(self, passes, solver, acceleration="extrapolated", n_steps=N_STEPS):
        c = solver.constraints
        self.passes = passes
        self.solver = solver
        self.acceleration = acceleration
        self.n_steps = n_steps
        self.history = []
        self.reach, self.reached = 1.0, False
        self._row_kind = c.seed_columns.astype(np.uint8)
        self._seed_rows = np.flatnonzero(c.seed_columns)

    def begin(self, W, Ht):
        W, Ht = self.solver.begin(W, Ht)
        self.W = packed.Packed.of(W)
        self.H = packed.Packed.of(Ht, whole=self.solver.constraints.seed_columns)
        return self

    def step_W(self):
        """Move W; the objective where it was before."""
        c = self.solver.constraints
        objective, n_positive = packed.update(
            self.passes.by_row, self.W, self.H, self.n_steps,
            n_capped=c.n_minority, cap=c.w_max, capped=c.seed_free,
        )  # fmt: skip
        self.W.tidy(n_positive)
        return float(objective.sum())

    def step_H(self):
        """Move H as far as `reach` says, and let it reach further the next time."""
        momentum = exponent = 0.0
        if self.acceleration == "extrapolated":
            further = (1 + math.sqrt(1 + 4 * self.reach**2)) / 2
            momentum, self.reach = (self.reach - 1) / further, further
        elif self.acceleration == "overrelaxed":
            exponent, self.reach = self.reach - 1, RELAX_MORE * self.reach
        _, n_positive = packed.update(self.passes.by_column, self.H, self.W, momentum=momentum)
        self.reached = momentum > 0 or exponent > 0
        self._normalise()
        if exponent > 0:
            self.H.relax(exponent)
            self._normalise()
        self.H.tidy(n_positive)

    def undo_W(self):
        self.W.swap()

    def factors(self):
        """W (M x K) and H^T (N x K)."""
        return self.W.dense(), self.H.dense()

    def take_back(self):
        """Undo the last H, and the W that was made from it; make H anew by a plain step."""
        self.undo_W()
        self.H.swap()
        self.reach = 1.0
        self.step_H()

    def _normalise(self):
        """Scale topics to the simplex, and to the least share of seed words."""
        factor, bare = self.solver.factors(self.H.sums(), self.H.sums(self._seed_rows))
        self.H.scale(factor, self._row_kind)
        if len(bare):
            places = self.H.span[self._seed_rows, 0][:, None] + bare
            self.H.values[places] = self.solver.even_share()
