"""`ConstrainedNMF`: topics of a corpus, the first of them guided by one list of seed words."""

import numbers
import warnings
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from .accelerated import ACCELERATIONS, Accelerated
from .checkpoint import Checkpoint
from .factors import infer
from .kernels import Passes
from .progress import FitProgress
from .registers import LINE, MOST_LINES
from .solvers import (
    Alternation,
    Constraints,
    Exact,
    Paper,
    Projected,
    batches,
    kkt_residuals,
    minimise,
    settled,
)
from .start import (
    block_solution,
    even_weights,
    mix_noise,
    random_start,
    sample_documents,
    spread_topics,
)

# Restarts are worth their time where a fit takes seconds; beyond this much work, one start is made.
AUTO_RESTARTS = 8
AUTO_WORK = 1e8
# Larger corpora begin with the topics of a tenth of their documents, found the same way.
LARGE = 5000
GROWTH = 10
# Steps of W in an iteration, where topics begin far from their place: H would settle before W has
# followed it. From a block start one was better, from a random one two, by the objective alone.
STEPS_FROM_AFAR = 2
# How fast `partial_fit` forgets: batch t counts (t + 1)^-FORGETTING (Cappe and Moulines 2009).
FORGETTING = 0.7
# Topics meet the first batch mixed with so much of the whole corpus; of the corpus, words not seen
# yet divide a tenth among themselves.
FREEDOM = 0.05
UNSEEN = 0.1


class ConstraintWarning(UserWarning):
    """A constraint is not met, or cannot mean anything on this corpus."""


class ObjectiveWarning(UserWarning):
    """The objective rose during a fit."""


class ConstrainedNMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Non-negative matrix factorisation with guided minority topics.

    Minimises the generalised Kullback-Leibler divergence D(V || WH) of a document-word matrix V
    (M x N) over W (M x K) and H (K x N). The first `n_minority` topics are tied to seed words:

    * a document without any seed word holds at most `w_max` of each minority topic:
      W_ik <= w_max;
    * seed words make up at least `theta_min` of each minority topic:
      sum_{j in seeds} H_kj >= theta_min * sum_j H_kj.

    The seed words are one list; how they divide over the minority topics is learnt.

    Parameters
    ----------
    n_topics : int, default=20
        Number of topics K, up to 800.
    n_minority : int, default=7
        Number of minority topics, the first ones of W and H. 0 is plain KL-NMF.
    seed_words : sequence of int or str
        Column indices, or words if `vocabulary` is given. Words outside it are passed over.
    vocabulary : sequence of str or dict of str to int, default=None
        The word of each column, or the column of each word.
    w_max : float, default=1e-9
        Upper bound on minority topics in seed-free documents. In the exact solver W_ik is the mass
        of topic k in document i, in units of V.
    theta_min : float, default=0.4
        Least share of seed words in a minority topic, in [0, 1).
    solver : {"exact", "paper", "projected"}, default="exact"
        "exact" meets both constraints after every iteration and never raises the objective.
        "paper" is the published algorithm, which approaches the constraints by gradient ascent on
        multipliers; "projected" is the same with W cut to `w_max`.
    start : {"block", "random"} or (W, H), default="block"
        "block" factorises seed-bearing and seed-free documents apart and begins near the result,
        on a large corpus with samples of growing size; "random" draws |N(0, 0.01)| as in the paper.
    n_init : int or "auto", default="auto"
        Number of starts, of which the one with the lowest objective is kept. "auto" makes 8 block
        starts on a small corpus, and one otherwise.
    h_update : {1, 2}, default=1
        Version of the paper's H update ("paper" and "projected").
    eta : float, default=1e-3
        Learning rate of the multipliers ("paper" and "projected").
    acceleration : {"overrelaxed", "extrapolated", "plain"}, default="overrelaxed"
        How far a step of the exact solver reaches (see `accelerated`); none raises the objective.
    max_iter : int, default=200
    tol : float, default=1e-5
        Stop when the objective changes by less than this share of itself in an iteration.
    random_state : int, RandomState or None, default=None
    checkpoint : path, default=None
        File to which a fit of the exact solver is saved every `checkpoint_every` iterations. A fit
        that finds it goes on from there, to the same result; it is removed at the end.
    checkpoint_every : int, default=10
    verbose : int, default=0
        Print the objective every `verbose` iterations. A long fit on a terminal shows its progress
        in any case.

    Attributes
    ----------
    components_ : ndarray (K x N)
        H. In the exact solver each row sums to one.
    seed_columns_ : ndarray of int
        Columns of the seed words found.
    objective_ : float
        D(V || WH) at the end.
    objective_history_ : ndarray (n_iter_ + 1,)
        The objective at the start and after each iteration.
    n_iter_ : int
    lambda_ : ndarray (M x n_minority)
        Multipliers of the bounds on W.
    mu_ : ndarray (n_minority,)
        Multipliers of the bounds on H.
    kkt_ : dict of str to float
        Residuals of the Karush-Kuhn-Tucker conditions: see `solvers.kkt_residuals`.
    feasible_ : bool
        Whether both constraints hold.

    References
    ----------
    Ebrahimi and Peltonen, "Constrained Non-negative Matrix Factorization for Guided Topic Modeling
    of Minority Topics".

    Examples
    --------
    >>> from minority_topics import ConstrainedNMF
    >>> V = [[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 3, 1], [0, 0, 1, 2], [1, 0, 2, 0]]
    >>> words = ["fear", "panic", "game", "video"]
    >>> model = ConstrainedNMF(2, 1, seed_words=["fear"], vocabulary=words, random_state=0).fit(V)
    >>> model.feasible_
    True
    """

    def __init__(
        self,
        n_topics=20,
        n_minority=7,
        seed_words=None,
        vocabulary=None,
        w_max=1e-9,
        theta_min=0.4,
        solver="exact",
        start="block",
        h_update=1,
        eta=1e-3,
        acceleration="overrelaxed",
        max_iter=200,
        tol=1e-5,
        random_state=None,
        n_init="auto",
        checkpoint=None,
        checkpoint_every=10,
        verbose=0,
    ):
        self.n_topics = n_topics
        self.n_minority = n_minority
        self.seed_words = seed_words
        self.vocabulary = vocabulary
        self.w_max = w_max
        self.theta_min = theta_min
        self.solver = solver
        self.start = start
        self.h_update = h_update
        self.eta = eta
        self.acceleration = acceleration
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_init = n_init
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.verbose = verbose

    def fit(self, X, y=None):
        """Learn the topics of X (M x N), sparse or dense. Returns self."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Learn the topics of X (M x N) and return W (M x K)."""
        self._check_parameters()
        V = self._check_matrix(X, reset=True)
        self.seed_columns_ = self._find_seed_columns(V.shape[1])
        constraints = self._constrain(V)
        passes = Passes(V)
        vars(self).pop("_word_use", None)

        descent = self._descend(V, passes, constraints, self._rng())
        solver, history = descent.solver, descent.history
        converged = settled(history, self.tol)
        if self.solver == "exact":
            # W as `transform` finds it: the best for these topics, from a start without zeros.
            Ht = np.ascontiguousarray(descent.H.rows)
            W, objective = self._infer(V, constraints, Ht)
            if objective <= history[-1]:
                history[-1] = objective
            else:
                W = np.ascontiguousarray(descent.W.rows)
            del descent
        else:
            W, Ht = descent.factors()

        self.objective_ = history[-1]
        self.components_ = np.ascontiguousarray(Ht.T)
        self.objective_history_ = np.array(history)
        self.n_iter_ = len(history) - 1
        self.kkt_, self.lambda_, self.mu_ = kkt_residuals(passes, solver, W, Ht)
        slack = 1e-9 if V.dtype == np.float64 else 1e-6
        met = max(self.kkt_["primal_W"], self.kkt_["primal_H"]) <= slack
        self.feasible_ = bool(met and np.isfinite(self.objective_))
        self._warn_of_trouble(passes, constraints, converged)
        return W

    def partial_fit(self, X, y=None):
        """Learn from one batch of documents X (M x N) of a corpus that does not fit in memory.

        The first batch is fitted like a corpus, unless `fit` has found topics before. Then what the
        words of each batch say of each topic, B, is averaged with that of the batches before, and H
        is the constrained minimum for the average (online EM). Topics are feasible after every
        batch; W is for `transform` to find.
        """
        self._check_parameters()
        new = not hasattr(self, "components_")
        V = self._check_matrix(X, reset=new)
        if new:
            self.seed_columns_ = self._find_seed_columns(V.shape[1])
        constraints = self._constrain(V)
        passes = Passes(V)
        if new:
            Ht = self._descend(V, passes, constraints, self._rng()).factors()[1]
        else:
            Ht = np.ascontiguousarray(self.components_.T, dtype=V.dtype)
        if not hasattr(self, "_word_use"):
            self._word_use, self._n_batches = np.zeros_like(Ht), 0
        weight = (self._n_batches + 1) ** -FORGETTING

        # A word that has met few topics is free to go to others, the more so the earlier it is.
        use = np.asarray(V.sum(axis=0), dtype=np.float64).ravel() + self._word_use.sum(axis=1)
        unseen = use == 0
        use[unseen] = UNSEEN * use.sum() / max(unseen.sum(), 1)
        Ht = spread_topics(Ht, slice(None), use, FREEDOM * weight)
        W, _ = self._infer(V, constraints, Ht)
        self._word_use *= 1 - weight
        self._word_use += weight / max(passes.total, 1e-300) * passes.columns(W, Ht)
        self.components_ = np.ascontiguousarray(Exact(constraints).step_H(W, Ht, self._word_use).T)
        self._n_batches += 1
        return self

    def transform(self, X):
        """W (M x K) of documents X under the learnt topics and the bound on seed-free documents.

        The topics stay as they are, so the problem is convex, and each document is its own: they
        are taken in batches, and beside X and W little memory is used.
        """
        check_is_fitted(self)
        V = self._check_matrix(X, reset=False)
        Ht = np.ascontiguousarray(self.components_.T, dtype=V.dtype)
        word_mass = Ht.sum(axis=0)
        word_mass[word_mass == 0] = 1
        Ht /= word_mass
        W, _ = self._infer(V, self._constrain(V), Ht, word_mass)
        W /= word_mass
        return W

    def _infer(self, V, constraints, Ht, word_mass=None):
        """W for topics Ht on the simplex, and the objective there.

        `word_mass` (K,) is what the topics summed to before.
        """
        word_mass = np.ones(self.n_topics, dtype=V.dtype) if word_mass is None else word_mass
        W = np.empty((V.shape[0], self.n_topics), dtype=V.dtype)
        objective = 0.0
        for rows in batches(len(W)):
            batch = V[rows]
            mass = np.asarray(batch.sum(axis=1), dtype=V.dtype).reshape(-1, 1)
            W[rows] = mass / self.n_topics
            # A document is small and stops by itself, so its W is worth a finer tolerance.
            objective += infer(
                Passes(batch).by_row, W[rows], Ht, constraints.caps(word_mass),
                constraints.seed_free[rows], max_iter=10 * self.max_iter, tol=0.01 * self.tol,
            ).sum()  # fmt: skip
        return W, float(objective)

    def _descend(self, V, passes, constraints, rng):
        """The descent with the lowest end of all starts."""
        checkpoint = Checkpoint(self.checkpoint, self.checkpoint_every, self._identity(V))
        if checkpoint.exists():
            descents = [checkpoint.restore(self._alternation(passes, constraints))]
        else:
            descents = (
                self._alternation(passes, constraints).begin(W, Ht)
                for W, Ht in self._starts(V, constraints, rng)
            )
        best = None
        for descent in descents:
            progress = FitProgress(self.max_iter, self.tol, self.verbose)
            minimise(descent, self.max_iter, self.tol, [progress, checkpoint])
            objective = np.nan_to_num(descent.history[-1], nan=np.inf)
            if best is None or objective < best[0]:
                best = objective, descent
        checkpoint.remove()
        return best[1]

    def _rng(self):
        return np.random.default_rng(check_random_state(self.random_state).randint(2**31))

    def _alternation(self, passes, constraints):
        if self.solver == "exact":
            n_steps = 1 if self.start == "block" else STEPS_FROM_AFAR
            return Accelerated(passes, Exact(constraints), self.acceleration, n_steps)
        kind = {"paper": Paper, "projected": Projected}[self.solver]
        return Alternation(passes, kind(constraints, self.eta, self.h_update))

    def _identity(self, V):
        """What a checkpoint must agree with: the problem, not how long to work on it."""
        names = "n_topics", "n_minority", "w_max", "theta_min", "acceleration"
        parameters = [f"{name}={getattr(self, name)!r}" for name in names]
        parameters.append(f"start={self.start if isinstance(self.start, str) else 'given'!r}")
        data = V.shape, V.nnz, float(V.sum(dtype=np.float64)), self.seed_columns_.tolist()
        return f"{', '.join(parameters)}; {V.dtype}; {data}"

    def _check_parameters(self):
        def require(holds, name, rule):
            if not holds:
                raise ValueError(f"{name}={getattr(self, name)!r} must be {rule}.")

        def is_count(value, least):
            return isinstance(value, numbers.Integral) and value >= least

        def is_number(value):
            return isinstance(value, numbers.Real) and value >= 0

        most = MOST_LINES * LINE // np.dtype(np.float64).itemsize
        countable = is_count(self.n_topics, 1) and self.n_topics <= most
        require(countable, "n_topics", f"a whole number from 1 to {most}")
        require(
            is_count(self.n_minority, 0) and self.n_minority <= self.n_topics,
            "n_minority",
            f"a whole number from 0 to n_topics={self.n_topics}",
        )
        require(is_number(self.w_max), "w_max", "a number of at least 0")
        require(is_number(self.theta_min) and self.theta_min < 1, "theta_min", "in [0, 1)")
        require(self.solver in ("exact", "paper", "projected"), "solver", "one of its three names")
        if isinstance(self.start, str):
            known = self.start in ("block", "random")
        else:
            known = isinstance(self.start, tuple | list) and len(self.start) == 2
        require(known, "start", "'block', 'random' or (W, H)")
        auto = isinstance(self.n_init, str) and self.n_init == "auto"
        require(auto or is_count(self.n_init, 1), "n_init", "'auto' or a whole number from 1")
        require(self.h_update in (1, 2), "h_update", "1 or 2")
        require(is_number(self.eta), "eta", "a number of at least 0")
        require(self.acceleration in ACCELERATIONS, "acceleration", "one of its three names")
        require(is_count(self.checkpoint_every, 1), "checkpoint_every", "a whole number from 1")
        if self.checkpoint is not None and (
            self.solver != "exact" or self.n_init not in ("auto", 1)
        ):
            raise ValueError("checkpoint: only a fit with solver='exact' and one start is saved.")
        require(is_count(self.max_iter, 1), "max_iter", "a whole number of at least 1")
        require(is_number(self.tol), "tol", "a number of at least 0")
        if self.n_minority and self.seed_words is None:
            raise ValueError(
                f"n_minority={self.n_minority} topics need seed_words to guide them; give "
                "seed_words, or n_minority=0 for plain KL-NMF."
            )

    def _check_matrix(self, X, reset):
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
        check_non_negative(X, "ConstrainedNMF (input X)")
        V = sp.csr_matrix(X)
        if not V.has_canonical_format or (V.data == 0).any():
            V = V.copy()  # X is not ours to tidy
            V.sum_duplicates()
            V.eliminate_zeros()
        return V

    def _find_seed_columns(self, n_words):
        if isinstance(self.seed_words, str):
            raise ValueError(f"seed_words={self.seed_words!r} must be a list of words or columns.")
        if self.vocabulary is not None and len(self.vocabulary) != n_words:
            raise ValueError(
                f"vocabulary: {len(self.vocabulary)} words for a matrix of {n_words} columns."
            )
        given = [] if self.seed_words is None else list(self.seed_words)
        if given and all(isinstance(word, str) for word in given):
            if self.vocabulary is None:
                raise ValueError("seed_words are words: give vocabulary, the word of each column.")
            columns = self.vocabulary
            if not isinstance(columns, dict):
                columns = {word: column for column, word in enumerate(columns)}
            given = [columns[word] for word in given if word in columns]
        elif not all(_is_column(word) for word in given):
            raise ValueError("seed_words must be all words, or all whole numbers of columns.")
        found = np.unique(np.asarray(given, dtype=np.int64))
        outside = found[(found < 0) | (found >= n_words)]
        if len(outside):
            raise ValueError(
                f"seed_words: no column {outside[0]} in a matrix of {n_words} columns."
            )
        return found

    def _constrain(self, V):
        seeds = np.zeros(V.shape[1], dtype=bool)
        seeds[self.seed_columns_] = True
        seed_free = V @ seeds.astype(V.dtype) == 0
        return Constraints(self.n_minority, self.w_max, self.theta_min, seeds, seed_free)

    def _starts(self, V, constraints, rng):
        if not isinstance(self.start, str):
            yield self._given_start(V)
            return
        n_init = self.n_init
        if n_init == "auto":
            small = V.nnz * self.n_topics * self.max_iter <= AUTO_WORK
            many = small and self.start == "block" and self.checkpoint is None
            n_init = AUTO_RESTARTS if many else 1
        large = V.shape[0] > LARGE
        if self.start == "block" and not large:
            solution = block_solution(V, constraints.seed_free, self.n_topics, self.n_minority)
        for _ in range(n_init):
            if self.start == "random":
                yield random_start(V.shape, self.n_topics, rng, V.dtype)
            elif large:
                yield even_weights(V, self.n_topics), self._topics_of_a_sample(V, constraints, rng)
            else:
                yield mix_noise(V, *solution, rng)

    def _topics_of_a_sample(self, V, constraints, rng):
        """H^T (N x K) for all words, from an exact fit of a tenth of the documents."""
        c = constraints
        rows = sample_documents(c.seed_free, max(LARGE, V.shape[0] // GROWTH), rng)
        sample = V[rows]
        seen = np.bincount(sample.indices, minlength=V.shape[1]) > 0
        sample = sample[:, seen]
        inside = replace(c, seed_columns=c.seed_columns[seen], seed_free=c.seed_free[rows])
        start = next(self._starts(sample, inside, rng))
        descent = Accelerated(Passes(sample), Exact(inside), self.acceleration).begin(*start)
        minimise(descent, self.max_iter, self.tol)
        use = np.asarray(V.sum(axis=0), dtype=np.float64).ravel()
        return spread_topics(descent.H.rows, seen, use)

    def _given_start(self, V):
        W, H = (np.array(factor, dtype=V.dtype, order="C") for factor in self.start)
        expected = (V.shape[0], self.n_topics), (self.n_topics, V.shape[1])
        if (W.shape, H.shape) != expected:
            raise ValueError(f"start: shapes {W.shape}, {H.shape} must be {expected}.")
        if not all(np.isfinite(factor).all() and (factor >= 0).all() for factor in (W, H)):
            raise ValueError("start: W and H must be finite and not negative.")
        return W, np.ascontiguousarray(H.T)

    def _warn_of_trouble(self, passes, constraints, converged):
        history = self.objective_history_
        rounding = passes.total * (1e-10 if passes.dtype == np.float64 else 1e-5)
        rises = np.diff(history) > rounding
        if rises.any() or not np.isfinite(history[-1]):
            first = int(np.argmax(rises)) + 1 if rises.any() else self.n_iter_
            warnings.warn(
                f"The objective rose in {int(rises.sum())} of {self.n_iter_} iterations, first in "
                f"iteration {first}; it ends at {history[-1]:.6g}.",
                ObjectiveWarning,
                stacklevel=3,
            )
        if self.tol > 0 and not converged:
            warnings.warn(
                f"Not converged in max_iter={self.max_iter} iterations; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
        if not self.n_minority:
            return
        if not len(self.seed_columns_):
            self._warn("No seed word is in the vocabulary: the minority topics are unguided.")
        elif constraints.seed_free.all():
            self._warn("No document holds a seed word: the minority topics have nothing to learn.")
        if not self.feasible_:
            self._warn(
                f"The constraints are not met by solver={self.solver!r}: a seed-free document "
                f"exceeds w_max={self.w_max:g} by {self.kkt_['primal_W']:.3g}, and a minority "
                f"topic falls short of theta_min={self.theta_min:g} by {self.kkt_['primal_H']:.3g}."
            )

    @staticmethod
    def _warn(message):
        warnings.warn(message, ConstraintWarning, stacklevel=4)

    @property
    def _n_features_out(self):
        return self.n_topics

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _is_column(value):
    return isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)
