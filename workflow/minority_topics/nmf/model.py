"""`ConstrainedNMF`: topics of a corpus, the first of them guided by one list of seed words."""

import inspect
import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from os import PathLike
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from .certificate import kkt_residuals
from .checkpoint import Checkpoint, fingerprint
from .checks import check_parameters, check_sparse, find_seed_columns, find_word_vectors
from .descent import Accelerated, Alternation, minimise
from .guidance import FALLS_BACK, Guidance, Listed, Unlearnable, learn_guidance
from .kernels import Passes
from .progress import FitProgress, FitStopped, settled
from .solvers import Constraints, Exact, Paper, Projected, infer_weights
from .start import generator, spread_topics, starts, whole_process

# Steps of W in an iteration where topics begin far from their place; with fewer, H would settle
# before W has followed it. Judged only by the objective, one step was better from a block start,
# and two from a random one.
STEPS_FROM_AFAR = 2
# How fast `partial_fit` forgets: of batches of one size, batch t counts t^-FORGETTING (Cappe and
# Moulines 2009).
FORGETTING = 0.7
# This share of the whole corpus is mixed into topics before they meet the first batch. Words that
# have not been seen yet divide a tenth of it among themselves.
FREEDOM = 0.05
UNSEEN = 0.1
# A matrix whose largest entry lies outside is fitted in other units, so that products do not
# overflow or vanish. The unit is a power of two, which does not round.
COMFORTABLE = 2.0**-20, 2.0**40
# An objective is at most so many times the sum of V: words cost up to the logarithm of a `floor`.
MOST_COST = 1e3
# Attributes that describe a fit of one matrix; `partial_fit` removes them, since they are no longer
# true after another batch.
OF_A_FIT = (
    "objective_", "objective_history_", "n_iter_", "lambda_", "mu_", "kkt_", "least_denominator_",
)  # fmt: skip

Documents: TypeAlias = ArrayLike | sp.spmatrix | sp.sparray


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

    The seed words are one list; how they divide over the minority topics is learnt. With
    `guidance="learnt"` the list is evidence in place of law: which documents are free to hold
    minority topics, and which seed words are trusted, is found from how words occur together,
    before the factorisation (see `guidance`). Both constraints then hold for these sets.

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
        of topic k in document i, in units of V. A bound below the least normal number is zero.
    theta_min : float, default=0.4
        Least share of seed words in a minority topic, in [0, 1).
    guidance : {"list", "learnt"}, default="list"
        "list" takes seed words at their word: every document that holds one is free to hold
        minority topics, and no other. "learnt" distrusts seed words that occur as if they had
        nothing to do with the others, finds words that are missing from the list, and frees the
        documents that are probably of the domain.
    word_vectors : array (N x d), default=None
        A vector for each word, such as fastText's; zeros for a word without one. With
        guidance="learnt", words that are like the trusted seed words are discovered sooner.
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
        How far a step of the exact solver reaches (see `descent`); none raises the objective.
    max_iter : int, default=200
    tol : float, default=1e-5
        Stop when the objective changes by less than this share of itself in an iteration.
    random_state : int, RandomState or None, default=None
    checkpoint : path, default=None
        File to which a fit of the exact solver is saved every `checkpoint_every` iterations. A fit
        that finds it goes on from there, to the same result; it is removed at the end. A file of
        other data, parameters or random state, or of another version of this library, is refused.
    checkpoint_every : int, default=10
    verbose : int, default=0
        Print the objective every `verbose` iterations. A long fit on a terminal shows its progress
        in any case.

    Attributes
    ----------
    components_ : ndarray (K x N)
        H. In the exact solver each row sums to one.
    seed_columns_ : ndarray of int
        Columns of the words that count towards `theta_min`: the seed words found, or, if guidance
        is learnt, the trusted ones alone.
    free_documents_ : ndarray of bool (M,)
        Documents that may hold minority topics; `w_max` bounds the others.
    document_probability_ : ndarray (M,)
        Probability that a document is of the domain; 0 or 1 if the list is the law.
    word_probability_ : ndarray (N,)
        Probability that an occurrence of a word is of the domain; 0 or 1 likewise.
    trusted_seeds_, distrusted_seeds_ : ndarray of int
        Columns of the seed words of whose occurrences more than .35, or less, is of the domain.
    discovered_words_ : ndarray of int
        Columns of other words of whose occurrences more than half is.
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
        Residuals of the Karush-Kuhn-Tucker conditions: see `certificate.kkt_residuals`. `dual`
        also counts entries at zero for which the objective would fall if they grew.
    least_denominator_ : float or None
        The least denominator of version 1 of the paper's H update in all iterations ("paper" and
        "projected", of the start that is kept); where one is not positive, version 2 steps in.
        Infinite without minority topics, None for "exact".
    feasible_ : bool
        Whether both constraints hold, for `free_documents_` and `seed_columns_`, but for a
        rounding relative to their bounds. After `partial_fit`, which has no W, whether the
        constraint on topics holds.

    Notes
    -----
    A matrix whose largest entry is not between 1e-6 and 1e12 or so is fitted in other units, by a
    power of two, in which products neither overflow nor vanish; `w_max` and W are in units of V
    all the same, and `eta` is in those of the fit. What the type of V cannot hold is refused.

    Fits may run in several threads, and in processes that were forked after one, where they use
    one thread. The same random state gives the same bytes on one kind of processor.

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

    components_: np.ndarray
    seed_columns_: np.ndarray
    free_documents_: np.ndarray
    document_probability_: np.ndarray
    word_probability_: np.ndarray
    trusted_seeds_: np.ndarray
    distrusted_seeds_: np.ndarray
    discovered_words_: np.ndarray
    objective_: float
    objective_history_: np.ndarray
    n_iter_: int
    lambda_: np.ndarray
    mu_: np.ndarray
    kkt_: dict[str, float]
    least_denominator_: float | None
    feasible_: bool
    _n_minority: int
    _batches: "Batches"
    _guidance: Guidance
    # Told of every iteration of a fit, which each may end by `FitStopped`; no parameters.
    callbacks: Sequence[Callable[[Any], None]] = ()

    def __init__(
        self,
        n_topics: int = 20,
        n_minority: int = 7,
        seed_words: Sequence[int] | Sequence[str] | None = None,
        vocabulary: Sequence[str] | Mapping[str, int] | None = None,
        w_max: float = 1e-9,
        theta_min: float = 0.4,
        solver: Literal["exact", "paper", "projected"] = "exact",
        start: Literal["block", "random"] | tuple[ArrayLike, ArrayLike] = "block",
        h_update: Literal[1, 2] = 1,
        eta: float = 1e-3,
        acceleration: Literal["overrelaxed", "extrapolated", "plain"] = "overrelaxed",
        max_iter: int = 200,
        tol: float = 1e-5,
        random_state: int | np.random.RandomState | None = None,
        n_init: int | Literal["auto"] = "auto",
        checkpoint: str | PathLike | None = None,
        checkpoint_every: int = 10,
        verbose: int = 0,
        guidance: Literal["list", "learnt"] = "list",
        word_vectors: ArrayLike | None = None,
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
        self.guidance = guidance
        self.word_vectors = word_vectors

    def fit(self, X: Documents, y: Any = None) -> Self:
        """Learn the topics of X (M x N), sparse or dense. Returns self."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Documents, y: Any = None) -> np.ndarray:
        """Learn the topics of X (M x N) and return W (M x K)."""
        check_parameters(self)
        V, exponent = comfortable(self._check_matrix(X, reset=True))
        passes, (max_iter, tol) = Passes(V), self._limits
        guidance = self._learn_guidance(passes)
        constraints, probability = self._constrain(V, exponent, guidance)

        checkpoint = self._open_checkpoint(passes, constraints, exponent)
        descent = self._descend(passes, constraints, exponent, checkpoint)
        solver, history = descent.solver, descent.history
        converged = settled(history, tol)
        least_denominator = None
        if self.solver == "exact":
            # W as `transform` finds it: the best for these topics, from a start without zeros.
            descent.forget_before()  # as large as the W that comes now
            Ht = np.ascontiguousarray(descent.H.rows)
            W, objective = infer_weights(V, constraints, Ht, max_iter, tol)
            if objective <= history[-1]:
                history[-1] = objective
            else:
                W = np.ascontiguousarray(descent.W.rows)
            del descent
        else:
            W, Ht = descent.factors()
            least_denominator = float(in_units(solver.least_denominator, exponent))

        kkt, lambda_, mu = kkt_residuals(passes, solver, W, Ht)
        bounds_met = constraints.which_are_met(W, Ht)
        batches = Batches.of_a_fit(V, W, Ht)
        W = weights_in_units(W, exponent)
        self._follow(guidance)
        self.document_probability_, self.free_documents_ = probability, ~constraints.seed_free
        self.components_ = np.ascontiguousarray(Ht.T)
        self.objective_history_ = in_units(np.array(history), exponent)
        self.objective_ = float(self.objective_history_[-1])
        self.n_iter_ = len(history) - 1
        self.lambda_, self.mu_ = lambda_, in_units(mu, exponent)
        self.kkt_ = kkt | {"primal_W": float(in_units(kkt["primal_W"], exponent))}
        self.least_denominator_ = least_denominator
        self.feasible_ = all(bounds_met) and math.isfinite(history[-1])
        self._n_minority = self.n_minority
        self._batches = batches
        self._warn_of_trouble(passes, constraints, bounds_met, np.array(history), converged)
        checkpoint.remove()
        return W

    def partial_fit(self, X: Documents, y: Any = None) -> Self:
        """Learn from one batch of documents X (M x N) of a corpus that does not fit in memory.

        The first batch is fitted like a corpus; a `fit` before it counts as the first batch. After
        that, what the words of each batch say of each topic, B, is averaged with what those of
        earlier batches said, and H is the constrained minimum for the average (online EM). A batch
        counts by its number of documents. Topics are on the simplex and feasible after every batch,
        and keep the type of the first one; a batch without words leaves them as they are. Learnt
        guidance comes from the first batch with words, which should be large and typical.
        `transform` finds W. The attributes that describe the matrix of a `fit`, such as
        `objective_`, are removed.
        """
        check_parameters(self)
        fitted = hasattr(self, "components_")
        V, exponent = comfortable(
            self._check_matrix(X, reset=not fitted), self.components_.dtype if fitted else None
        )
        if fitted:
            self._check_topics()
        passes = Passes(V)
        seen = self._batches if fitted else Batches(np.zeros(int(self.n_topics)))
        guidance = self._guidance if seen.number else self._learn_guidance(passes)
        constraints, probability = self._constrain(V, exponent, guidance)
        exact = Exact(constraints)
        checkpoint = None
        if seen.number == 0:
            checkpoint = self._open_checkpoint(passes, constraints, exponent)
            Ht = self._descend(passes, constraints, exponent, checkpoint).factors()[1]
        else:
            Ht = self.components_.T
        Ht = exact.feasible_topics(np.ascontiguousarray(Ht))

        if passes.total > 0:
            before, n_documents = seen.word_use(Ht), count_documents(V)
            weight = seen.weight_of(n_documents)
            # A word that has met few topics is free to go to others, the more so the earlier it is.
            use = np.asarray(V.sum(axis=0), dtype=np.float64).ravel() / passes.total
            use += before.sum(axis=1)
            unseen = use == 0
            use[unseen] = UNSEEN * use.sum() / max(unseen.sum(), 1)
            spread = spread_topics(Ht, slice(None), use, FREEDOM * weight)
            W, _ = infer_weights(V, constraints, spread, *self._limits)
            word_use = (1 - weight) * before
            word_use += weight / passes.total * passes.columns(W, spread)
            # A topic that explains nothing stays as it was, not as it was spread.
            Ht = exact.step_H(W, Ht, word_use)
            seen = Batches(word_use, seen.number + 1, seen.n_documents + n_documents)

        for name in OF_A_FIT:
            if hasattr(self, name):
                delattr(self, name)
        self._follow(guidance)
        self.document_probability_, self.free_documents_ = probability, ~constraints.seed_free
        self.components_ = np.ascontiguousarray(Ht.T)
        self.feasible_ = constraints.are_met(np.zeros((V.shape[0], 1), V.dtype), Ht)
        self._n_minority = self.n_minority
        self._batches = seen
        if checkpoint is not None:
            checkpoint.remove()
        return self

    def transform(self, X: Documents) -> np.ndarray:
        """W (M x K) of documents X under the learnt topics and the bound on seed-free documents.

        The topics stay as they are, so the problem is convex, and each document is its own: they
        are taken in batches, and beside X and W little memory is used.
        """
        check_is_fitted(self)
        check_parameters(self)
        V, exponent = comfortable(self._check_matrix(X, reset=False))
        self._check_topics()
        Ht = np.array(self.components_.T, dtype=V.dtype, order="C")
        word_mass = Ht.sum(axis=0)
        word_mass[word_mass == 0] = 1
        Ht /= word_mass
        constraints, _ = self._constrain(V, exponent, self._guidance)
        W, _ = infer_weights(V, constraints, Ht, *self._limits, word_mass)
        W /= word_mass
        return weights_in_units(W, exponent)

    def save(self, folder: str | PathLike) -> None:
        """Write the fitted model into a folder, as arrays and JSON: see `storage`."""
        from .storage import save_model

        save_model(self, folder)

    @classmethod
    def load(cls, folder: str | PathLike) -> Self:
        """The model that `save` wrote into a folder; it transforms to the same bytes."""
        from .storage import load_model

        return load_model(folder, cls)

    def _open_checkpoint(self, passes, constraints, exponent):
        identity = {} if self.checkpoint is None else self._identity(passes, constraints, exponent)
        return Checkpoint(self.checkpoint, int(self.checkpoint_every), identity)

    def _descend(self, passes, constraints, exponent, checkpoint):
        """The descent with the lowest end of all starts."""
        descents: Iterable[Alternation]
        if checkpoint.exists():
            descents = [checkpoint.restore(self._alternation(passes, constraints))]
        else:
            # Not a loop over names, which would hold the start while the fit goes on.
            descents = starmap(
                lambda W, Ht: self._alternation(passes, constraints).begin(W, Ht),
                self._starts(passes.V, constraints, exponent),
            )
        best = None
        for descent in descents:
            progress = FitProgress(*self._limits, int(self.verbose))
            try:
                minimise(descent, *self._limits, [progress, checkpoint, *self.callbacks])
            except FitStopped:
                checkpoint.save(descent)
                raise
            objective = np.nan_to_num(descent.history[-1], nan=np.inf)
            if best is None or objective < best[0]:
                best = objective, descent
        assert best is not None  # there is at least one start
        return best[1]

    def _alternation(self, passes, constraints):
        if self.solver == "exact":
            n_steps = 1 if self.start == "block" else STEPS_FROM_AFAR
            return Accelerated(passes, Exact(constraints), self.acceleration, n_steps)
        kind = {"paper": Paper, "projected": Projected}[self.solver]
        return Alternation(passes, kind(constraints, float(self.eta), self.h_update))

    def _starts(self, V, constraints, exponent):
        if not isinstance(self.start, str):
            return iter([self._given_start(V, exponent)])
        n_init = self.n_init if self.checkpoint is None else 1
        return starts(
            V, constraints, int(self.n_topics), generator(self.random_state), self.start, n_init,
            self.acceleration, *self._limits,
        )  # fmt: skip

    def _identity(self, passes, constraints, exponent):
        """What a checkpoint must agree with: the problem, not how long to work on it."""
        state: Any = self.random_state
        start = self.start
        if state is not None and not isinstance(state, int | np.integer):
            name, keys, *rest = check_random_state(state).get_state()
            state = f"{name} {fingerprint(keys)} {rest}"
        if not isinstance(start, str):
            start = fingerprint(*self._given_start(passes.V, exponent))
        V = passes.by_row
        return {
            "n_topics": int(self.n_topics),
            "n_minority": int(self.n_minority),
            "w_max": float(self.w_max),
            "theta_min": float(self.theta_min),
            "guidance": self.guidance,
            "acceleration": self.acceleration,
            "start": start,
            "random_state": state if state is None or isinstance(state, str) else int(state),
            "shape of X": list(passes.shape),
            "type of X": str(passes.dtype),
            "scale of X": exponent,
            "digest of X": fingerprint(V.indptr, V.indices, V.data),
            "digest of the seed columns": fingerprint(np.flatnonzero(constraints.seed_columns)),
            "digest of the free documents": fingerprint(~constraints.seed_free),
        }

    def _check_matrix(self, X, reset):
        if sp.issparse(X):
            check_sparse(X)
        with whole_process():  # it sets a filter of warnings
            X = validate_data(
                self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset
            )
        check_non_negative(X, "ConstrainedNMF (input X)")
        V = sp.csr_matrix(X)
        if not V.has_canonical_format or (V.data == 0).any():
            V = V.copy()  # the caller's X stays as it is
            V.sum_duplicates()
            V.eliminate_zeros()
        return V

    def _check_topics(self):
        """Refuse parameters that are not those of the topics."""
        fitted = len(self.components_), self._n_minority
        if (self.n_topics, self.n_minority) != fitted:
            raise ValueError(
                f"n_topics={self.n_topics}, n_minority={self.n_minority} are not those of the fit, "
                f"{fitted[0]} and {fitted[1]}: fit again, or set them back."
            )

    def _learn_guidance(self, passes):
        """What the list says, or what it is found to be worth on these documents."""
        listed = find_seed_columns(self.seed_words, self.vocabulary, passes.shape[1])
        if self.guidance == "list" or not self.n_minority:
            return Listed(listed, passes.shape[1])
        vectors = find_word_vectors(self.word_vectors, passes.shape[1])
        try:
            guidance = learn_guidance(passes, listed, vectors)
        except Unlearnable as error:
            warn_the_caller(FALLS_BACK.format(error))
            return Listed(listed, passes.shape[1])
        if not guidance.converged:
            warn_the_caller(
                f"Learnt guidance has not settled in {guidance.n_rounds} rounds; what it found "
                "last is used.",
                ConvergenceWarning,
            )
        return guidance

    def _follow(self, guidance):
        """Keep the guidance that the topics have, and tell of it."""
        self._guidance = guidance
        self.seed_columns_ = guidance.trusted
        self.word_probability_ = guidance.word_probability
        self.trusted_seeds_ = guidance.trusted
        self.distrusted_seeds_ = guidance.distrusted
        self.discovered_words_ = guidance.discovered

    def _constrain(self, V, exponent, guidance):
        """The constraints on V (M x N), and how likely documents are of the domain (M,)."""
        w_max = in_units(float(self.w_max), -exponent)
        probability = guidance.document_probability(V)
        constraints = Constraints.of(
            V, guidance.trusted, int(self.n_minority), w_max, float(self.theta_min),
            guidance.free(V, probability),
        )  # fmt: skip
        return constraints, probability

    @property
    def _limits(self) -> tuple[int, float]:
        """max_iter and tol as plain numbers; others may overflow."""
        return int(self.max_iter), float(self.tol)

    def _given_start(self, V, exponent):
        try:
            W, H = (np.array(factor, dtype=V.dtype, order="C") for factor in self.start)
        except (TypeError, ValueError):
            raise ValueError("start: W and H must be arrays of numbers.") from None
        expected = (V.shape[0], self.n_topics), (self.n_topics, V.shape[1])
        if (W.shape, H.shape) != expected:
            raise ValueError(f"start: shapes {W.shape}, {H.shape} must be {expected}.")
        sums = W.sum(axis=1), H.sum(axis=1)
        if not all(np.isfinite(sum).all() for sum in sums) or min(W.min(), H.min()) < 0:
            raise ValueError("start: W and H must be finite and not negative.")
        return in_units(W, -exponent), np.ascontiguousarray(H.T)

    def _warn_of_trouble(self, passes, constraints, bounds_met, history, converged):
        rounding = passes.total * (1e-10 if passes.dtype == np.float64 else 1e-5)
        rises = np.diff(history) > rounding
        if rises.any():
            warn_the_caller(
                f"The objective rose in {int(rises.sum())} of {self.n_iter_} iterations, first in "
                f"iteration {int(np.argmax(rises)) + 1}; it ends at {self.objective_:.6g}.",
                ObjectiveWarning,
            )
        elif not np.isfinite(history[-1]):
            remedy = "choose another start" if self.solver == "exact" else "lower eta"
            warn_the_caller(
                f"The objective is {self.objective_} after {self.n_iter_} iterations, and the "
                f"topics mean nothing; {remedy}.",
                ObjectiveWarning,
            )
        if self.tol > 0 and not converged:
            warn_the_caller(
                f"Not converged in max_iter={self.max_iter} iterations; raise max_iter or tol.",
                ConvergenceWarning,
            )
        if not self.n_minority:
            return
        if not len(self.seed_columns_):
            warn_the_caller("No seed word is in the vocabulary: the minority topics are unguided.")
        elif constraints.seed_free.all():
            warn_the_caller(
                "No document holds a seed word: the minority topics have nothing to learn."
            )
        unmet = []
        if not bounds_met[0]:
            excess = self.kkt_["primal_W"]
            unmet.append(f"a seed-free document exceeds w_max={self.w_max:g} by {excess:.3g}")
        if not bounds_met[1]:
            shortfall = self.kkt_["primal_H"]
            unmet.append(
                f"a minority topic falls short of theta_min={self.theta_min:g} by {shortfall:.3g}"
            )
        if unmet:
            warn_the_caller(
                f"The constraints are not met by solver={self.solver!r}: {', and '.join(unmet)}."
            )

    @property
    def _n_features_out(self):
        return len(self.components_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@dataclass(frozen=True)
class Batches:
    """What batches, or a fit that counts as the first of them, have said of topics so far.

    `use` (N x K) is how much of each topic each word was, on average, of a mass of one; a fit
    leaves only the share of each topic (K,), and its topics times these shares are `use`.
    """

    use: np.ndarray
    number: int = 0
    n_documents: int = 0

    @classmethod
    def of_a_fit(cls, V, W, Ht):
        """Nothing, where V (M x N) has no words or the factors are not finite."""
        with np.errstate(over="ignore", invalid="ignore"):
            mass = W.sum(axis=0, dtype=np.float64) * Ht.sum(axis=0, dtype=np.float64)
            total = mass.sum()
        if V.nnz == 0 or not 0 < total < math.inf:
            return cls(np.zeros(len(mass)))
        return cls(mass / total, 1, count_documents(V))

    def word_use(self, Ht):
        """`use` (N x K), given the topics Ht (N x K), on the simplex, that a fit left."""
        return self.use if self.use.ndim == 2 else Ht * self.use.astype(Ht.dtype)

    def weight_of(self, n_documents):
        """The share of a batch in the average, by its size relative to the mean batch so far."""
        if self.number == 0:
            return 1.0
        weight = (self.number + 1) ** -FORGETTING
        size = weight * n_documents * self.number / self.n_documents
        return size / (size + 1 - weight)


def count_documents(V):
    """How many documents of V (M x N) have words."""
    return int(np.count_nonzero(np.diff(V.indptr)))


def comfortable(X, dtype=None):
    """V = X 2^-exponent of a type (X's own if not given), and the exponent: 0 for ordinary X."""
    dtype = X.dtype if dtype is None else dtype
    largest = float(X.data.max(initial=0))
    exponent = 0
    if largest > 0 and not COMFORTABLE[0] <= largest <= COMFORTABLE[1]:
        exponent = math.frexp(largest)[1]
    if exponent == 0 and X.dtype == dtype:
        return X, exponent
    V = sp.csr_matrix((in_units(X.data, -exponent), X.indices, X.indptr), X.shape).astype(dtype)
    V.eliminate_zeros()
    masses = V.sum(axis=1, dtype=np.float64)
    most = in_units(masses.max(), exponent), MOST_COST * in_units(masses.sum(), exponent)
    if most[0] > np.finfo(X.dtype).max or not math.isfinite(most[1]):
        raise ValueError(
            f"X: its entries, up to {largest:g}, add up to more than {X.dtype} can hold; divide X "
            "by a constant."
        )
    return V, exponent


def in_units(numbers, exponent):
    """Numbers times 2^exponent."""
    if exponent == 0:
        return numbers
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(numbers, exponent)


def weights_in_units(W, exponent):
    """W times 2^exponent; topics of the paper may be so small that W is larger than V."""
    if exponent and W.max(initial=0) > in_units(np.finfo(W.dtype).max, -exponent):
        raise ValueError(f"W is more than {W.dtype} can hold; divide X by a constant.")
    return in_units(W, exponent)


def warn_the_caller(message, category=ConstraintWarning):
    """Warn at the line that called the model, directly or through scikit-learn."""
    frame, level = inspect.currentframe(), 1
    while frame.f_back and _is_inside(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    with whole_process():  # another fit may have its filter set
        warnings.warn(message, category, stacklevel=level)


def _is_inside(module):
    return module == __name__ or module.split(".")[0] == "sklearn"
