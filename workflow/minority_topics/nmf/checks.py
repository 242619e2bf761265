"""What a user gives, checked where it enters: parameters, matrices, vocabulary and seed words."""

import math
import numbers
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

import numpy as np
from sklearn.utils import check_random_state

from ..base.text import shown
from .descent import ACCELERATIONS
from .registers import LINE, MOST_LINES

MOST_TOPICS = MOST_LINES * LINE // np.dtype(np.float64).itemsize


def is_whole(value, least=0) -> TypeGuard[int]:
    """Whether `value` is a whole number of at least `least`; True and False are not."""
    return (
        isinstance(value, numbers.Integral)
        and not isinstance(value, bool | np.bool_)
        and value >= least
    )


def is_number(value):
    """Whether `value` is a number of at least 0, finite or infinite."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool | np.bool_):
        return False
    try:
        return float(value) >= 0
    except OverflowError:
        return False


def is_random_state(value):
    """Whether scikit-learn can draw from `value`."""
    try:
        check_random_state(value)
    except (TypeError, ValueError):
        return False
    return True


def check_parameters(model):
    """Refuse a parameter of `ConstrainedNMF` that it could not work with."""

    def require(holds, name, rule):
        if not holds:
            raise ValueError(f"{name}={shown(getattr(model, name))} must be {rule}.")

    def is_one_of(value, *names):
        return isinstance(value, str) and value in names

    def require_one_of(name, *names):
        rule = f"{', '.join(map(repr, names[:-1]))} or {names[-1]!r}"
        require(is_one_of(getattr(model, name), *names), name, rule)

    m = model
    countable = is_whole(m.n_topics, 1) and m.n_topics <= MOST_TOPICS
    require(countable, "n_topics", f"a whole number from 1 to {MOST_TOPICS}")
    countable = is_whole(m.n_minority) and m.n_minority <= m.n_topics
    require(countable, "n_minority", f"a whole number from 0 to n_topics={m.n_topics}")
    require(is_number(m.w_max), "w_max", "a number of at least 0")
    require(is_number(m.theta_min) and float(m.theta_min) < 1, "theta_min", "in [0, 1)")
    require_one_of("guidance", "list", "learnt")
    require_one_of("solver", "exact", "paper", "projected")
    known = is_one_of(m.start, "block", "random")
    known |= isinstance(m.start, tuple | list) and len(m.start) == 2
    require(known, "start", "'block', 'random' or (W, H)")
    auto = is_one_of(m.n_init, "auto")
    require(auto or is_whole(m.n_init, 1), "n_init", "'auto' or a whole number from 1")
    require(is_whole(m.h_update) and m.h_update in (1, 2), "h_update", "1 or 2")
    finite = is_number(m.eta) and math.isfinite(m.eta)
    require(finite, "eta", "a finite number of at least 0")
    require_one_of("acceleration", *ACCELERATIONS)
    require(is_whole(m.max_iter, 1), "max_iter", "a whole number of at least 1")
    finite = is_number(m.tol) and math.isfinite(m.tol)
    require(finite, "tol", "a finite number of at least 0")
    rule = f"None, a whole number from 0 to {2**32 - 1} or a RandomState"
    require(is_random_state(m.random_state), "random_state", rule)
    named = m.checkpoint is None or isinstance(m.checkpoint, str | os.PathLike)
    require(named, "checkpoint", "the path of a file, or None")
    require(is_whole(m.checkpoint_every, 1), "checkpoint_every", "a whole number from 1")
    require(is_whole(m.verbose) or isinstance(m.verbose, bool), "verbose", "a whole number from 0")
    if m.checkpoint is not None and (m.solver != "exact" or not (auto or m.n_init == 1)):
        raise ValueError("checkpoint: only a fit with solver='exact' and one start is saved.")
    if m.n_minority and m.seed_words is None:
        raise ValueError(
            f"n_minority={m.n_minority} topics need seed_words to guide them; give seed_words, or "
            "n_minority=0 for plain KL-NMF."
        )


def check_sparse(X):
    """Refuse a sparse matrix that points outside itself: scipy's compiled code trusts it too."""
    if X.format not in ("bsr", "coo", "csc", "csr"):  # what others become is checked by `Passes`
        return
    try:
        view = type(X)(X)  # checking may shorten its arrays
        if X.format != "coo":  # which was checked when it was made
            view.check_format(full_check=True)
    except ValueError as error:
        raise ValueError(
            f"X is not a sparse matrix ({error}); make it again from rows, columns and entries."
        ) from None


def find_seed_columns(seed_words, vocabulary, n_words):
    """Columns of the seed words, in order, of a matrix of so many words."""
    given = _listed(seed_words)
    column_of = None if vocabulary is None else _columns(vocabulary, n_words)
    if given and all(isinstance(word, str) for word in given):
        if column_of is None:
            raise ValueError("seed_words are words: give vocabulary, the word of each column.")
        given = [column_of[word] for word in given if word in column_of]
    elif not all(is_whole(word, least=-math.inf) for word in given):
        raise ValueError("seed_words must be all words, or all whole numbers of columns.")
    outside = [column for column in given if not 0 <= column < n_words]
    if outside:
        raise ValueError(f"seed_words: no column {outside[0]} in a matrix of {n_words} columns.")
    return np.unique(np.asarray(given, dtype=np.int64))


def find_word_vectors(vectors, n_words):
    """The vectors (N x d) of words as numbers, or None."""
    if vectors is None:
        return None
    try:
        vectors = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError):
        raise ValueError("word_vectors must be an array of numbers, a row for each word.") from None
    if vectors.ndim != 2 or len(vectors) != n_words:
        raise ValueError(f"word_vectors: shape {vectors.shape} must be ({n_words}, d).")
    if not np.isfinite(vectors).all():
        raise ValueError("word_vectors must be finite; give zeros to a word without a vector.")
    return vectors


def _listed(seed_words):
    if seed_words is None:
        return []
    refused = isinstance(seed_words, str | bytes | Mapping | Iterator)
    try:
        if not refused:
            return list(seed_words)
    except TypeError:
        pass
    raise ValueError(f"seed_words={shown(seed_words)} must be a list of words or columns.")


def _columns(vocabulary, n_words):
    """The column of each word."""
    ordered = not isinstance(vocabulary, str | bytes | set | frozenset)
    try:
        n_given, words = len(vocabulary), list(vocabulary) if ordered else []
    except TypeError:
        ordered = False
    if not ordered:
        raise ValueError(
            f"vocabulary={shown(vocabulary)} must be a list, the word of each column in order, or "
            "a dict, the column of each word."
        )
    if n_given != n_words:
        raise ValueError(f"vocabulary: {n_given} words for a matrix of {n_words} columns.")
    for word in words:
        if not isinstance(word, str):
            raise ValueError(f"vocabulary: {shown(word)} is not a word; give strings.")
    columns: Sequence[int] = range(n_words)
    if isinstance(vocabulary, Mapping):
        columns = [vocabulary[word] for word in words]
        if not all(is_whole(column) for column in columns) or set(columns) != set(range(n_words)):
            raise ValueError(
                f"vocabulary: a dict must give each column from 0 to {n_words - 1} to one word."
            )
    column_of = dict(zip(words, columns, strict=True))
    if len(column_of) < n_words:
        twice = next(word for word, n in Counter(words).items() if n > 1)
        raise ValueError(f"vocabulary: {shown(twice)} stands for two columns; keep one of them.")
    return column_of
