"""`ConstrainedNMF`: the scikit-learn contract, its inputs, warnings and errors, published data."""

import csv
import math
import pickle
import re
import warnings
from fractions import Fraction
from pathlib import Path
from threading import Thread

import numba
import numpy as np
import pytest
from scipy import sparse
from scipy.special import xlogy
from sklearn.base import clone
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils.estimator_checks import estimator_checks_generator
from threadpoolctl import threadpool_limits

from minority_topics import ConstrainedNMF
from minority_topics.nmf import model as model_module
from minority_topics.nmf import start as start_module
from minority_topics.nmf.descent import ACCELERATIONS
from minority_topics.nmf.model import ConstraintWarning, ObjectiveWarning
from minority_topics.nmf.start import block_solution
from minority_topics.scores import metrics

# Most fits here are cut short on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:Not converged")

SOLVERS = ["exact", "paper", "projected"]
WORDS = [f"word{j}" for j in range(25)]
SEEDS = [0, 1, 2, 3]


@pytest.fixture(autouse=True)
def one_thread():
    """Tiny passes and products on many threads wait for one another on a busy machine."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    with threadpool_limits(1):
        yield
    numba.set_num_threads(before)


@pytest.fixture
def X():
    """Counts of 40 documents, the first 15 of which hold seed words."""
    rng = np.random.default_rng(3)
    masses = rng.dirichlet(np.full(4, 0.3), 40) * rng.uniform(5, 20, (40, 1))
    X = rng.poisson(masses @ rng.dirichlet(np.full(len(WORDS), 0.3), 4)).astype(float)
    X[:15, 0] += 1
    X[15:, SEEDS] = 0
    return X


def make(**parameters):
    defaults = {"n_topics": 4, "n_minority": 2, "seed_words": SEEDS}
    return ConstrainedNMF(
        **(defaults | {"max_iter": 50, "n_init": 1, "random_state": 0} | parameters)
    )


def fitted(X, **parameters):
    """A fit that may warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(**parameters).fit(X)


def divergence(V, WH):
    return np.sum(xlogy(V, V) - xlogy(V, WH) - V + WH)


def seed_free(X):
    return X[:, SEEDS].sum(axis=1) == 0


# --- scikit-learn -------------------------------------------------------------------------------


class GuidedByTheFirstWord(ConstrainedNMF):
    """The estimator with what scikit-learn's checks cannot know."""

    def __init__(self, n_topics=3, n_minority=1, seed_words=(0,), n_init=1, random_state=None):
        super().__init__(n_topics, n_minority, seed_words, n_init=n_init, random_state=random_state)


def check_name(value):
    return getattr(getattr(value, "func", None), "__name__", "estimator")


# The estimator claims no support of array libraries other than numpy, which one check is about.
@pytest.mark.parametrize(
    ("estimator", "check"),
    [
        pair
        for pair in estimator_checks_generator(GuidedByTheFirstWord())
        if check_name(pair[1]) != "check_array_api_input"
    ],
    ids=check_name,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"vocabulary": WORDS, "seed_words": WORDS[:4]},
        {"start": (np.ones((40, 4)), np.ones((4, 25)))},
    ],
    ids=["indices", "words", "given start"],
)
def test_clone_and_pickle(X, parameters):
    model = make(**parameters)
    assert repr(clone(model).get_params()) == repr(model.get_params())
    model.fit(X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    np.testing.assert_array_equal(clone(model).fit(X).components_, model.components_)


def test_names_of_topics(X):
    assert make().fit(X).get_feature_names_out().tolist() == [
        f"constrainednmf{k}" for k in range(4)
    ]


# --- what a fit leaves behind -------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
def test_attributes_belong_together(X, solver):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstraintWarning)
        model = make(solver=solver)
        W = model.fit_transform(X)
    assert W.shape == (40, 4)
    assert model.components_.shape == (4, 25)
    assert model.lambda_.shape == (40, 2)
    assert model.mu_.shape == (2,)
    assert len(model.objective_history_) == model.n_iter_ + 1
    assert model.objective_history_[-1] == model.objective_
    assert model.objective_ == pytest.approx(divergence(X, W @ model.components_), rel=1e-9)

    excess = max(0, (W[seed_free(X), :2] - model.w_max).max())
    share = model.components_[:2, SEEDS].sum(axis=1) / model.components_[:2].sum(axis=1)
    shortfall = max(0, (model.theta_min - share).max())
    assert model.kkt_["primal_W"] == pytest.approx(excess, abs=1e-12)
    assert model.kkt_["primal_H"] == pytest.approx(shortfall, abs=1e-12)
    assert model.feasible_ == (max(excess, shortfall) <= 1e-9)
    assert model.feasible_ or solver != "exact"


@pytest.mark.parametrize("max_iter", [1, 7])
def test_number_of_iterations(X, max_iter):
    model = make(max_iter=max_iter, tol=0).fit(X)
    assert model.n_iter_ == max_iter
    assert make(max_iter=1000, tol=1e-3).fit(X).n_iter_ < 1000


def test_same_random_state_same_bytes(X):
    def factors(random_state):
        model = make(random_state=random_state)
        return model.fit_transform(X).tobytes() + model.components_.tobytes()

    assert factors(0) == factors(0)
    assert factors(0) != factors(1)
    assert factors(np.random.RandomState(5)) == factors(np.random.RandomState(5))


def test_same_random_state_same_bytes_where_documents_repeat():
    # Equal singular values: an iterative SVD meets an invariant subspace, and starts afresh.
    X = np.tile(np.eye(6), (4, 1))
    fits = [make(n_topics=5, seed_words=[0]).fit(X).components_ for _ in range(4)]
    assert len({components.tobytes() for components in fits}) == 1


@pytest.fixture
def ends(monkeypatch):
    """The objective, topics and least denominator at the end of every start."""
    ends = []
    minimise = model_module.minimise

    def recorded(*args, **kwargs):
        descent = minimise(*args, **kwargs)
        least = getattr(descent.solver, "least_denominator", None)
        ends.append((descent.history[-1], descent.factors()[1], least))
        return descent

    monkeypatch.setattr(model_module, "minimise", recorded)
    return ends


def test_the_start_with_the_lowest_objective_is_kept(X, ends):
    model = make(start="random", n_init=6, max_iter=20).fit(X)
    best = np.argmin([objective for objective, *_ in ends])
    assert len(ends) == 6
    assert 0 < best < 5, "the first or last start is best: the test shows nothing"
    assert ends[best][0] >= model.objective_ > 0.99 * ends[best][0]  # W goes on to its end
    np.testing.assert_array_equal(model.components_, ends[best][1].T)


@pytest.mark.parametrize("solver", ["paper", "projected"])
def test_the_least_denominator_is_that_of_the_start_that_is_kept(X, ends, solver):
    model = fitted(X, solver=solver, start="random", n_init=6, max_iter=20)
    best = np.argmin([objective for objective, *_ in ends])
    assert len({least for *_, least in ends}) == 6
    assert model.least_denominator_ == ends[best][2] > 0
    assert fitted(X, solver=solver, n_minority=0).least_denominator_ == np.inf
    model.set_params(solver="exact").fit(X)
    assert model.least_denominator_ is None, "nothing is said of an older fit"


@pytest.mark.parametrize(
    ("start", "small", "n_starts"), [("block", True, 8), ("block", False, 1), ("random", True, 1)]
)
def test_a_small_corpus_has_more_block_starts(X, ends, monkeypatch, start, small, n_starts):
    work = np.count_nonzero(X) * 4 * 50
    monkeypatch.setattr(start_module, "AUTO_WORK", work if small else work - 1)
    make(n_init="auto", start=start).fit(X)
    assert len(ends) == n_starts


def test_verbose_prints_the_objective(X, capsys):
    model = make(verbose=4, max_iter=10, tol=0).fit(X)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 3
    assert printed[2].startswith("iteration 8:")
    assert f"{model.objective_history_[8]:.6g}" in printed[2]
    make().fit(X)
    assert capsys.readouterr().out == ""


# --- inputs -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        sparse.csr_matrix,
        sparse.csc_matrix,
        sparse.coo_matrix,
        sparse.csr_array,
        np.asfortranarray,
        np.int32,
        np.ndarray.tolist,
    ],
)
def test_every_form_of_X_gives_the_same_fit(X, form):
    expected, model = make().fit(X), make().fit(form(X))
    np.testing.assert_array_equal(model.components_, expected.components_)
    np.testing.assert_array_equal(model.transform(form(X)), expected.transform(X))


def untidy(X, form=sparse.csr_matrix):
    """X with a stored zero, a split entry and descending columns in each row."""
    indptr, indices, data = [0], [], []
    for row in X:
        columns = np.flatnonzero(row)[::-1]
        first = columns[:1]
        indices += [*columns, *first, *np.flatnonzero(row == 0)[:1]]
        data += [*row[columns], *row[first], 0]
        for at in (len(data) - len(columns) - 2, len(data) - 2):
            data[at] /= 2
        indptr.append(len(data))
    return form((np.array(data), np.array(indices), np.array(indptr)), X.shape)


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array])
def test_untidy_sparse_X_is_read_right(X, form):
    given = untidy(X, form)
    assert given.nnz > np.count_nonzero(X)
    np.testing.assert_array_equal(given.toarray(), X)
    model, expected = make().fit(given), make().fit(X)
    np.testing.assert_array_equal(model.components_, expected.components_)
    assert model.objective_ == expected.objective_


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array])
def test_sparse_X_is_left_alone(X, form):
    given = untidy(X, form)
    before = [array.copy() for array in (given.data, given.indices, given.indptr)]
    make().fit(given).transform(given)
    for array, copy in zip((given.data, given.indices, given.indptr), before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_X_is_left_alone(X, dtype):
    given = X.astype(dtype)
    make().fit(given).transform(given)
    np.testing.assert_array_equal(given, X)


@pytest.mark.parametrize("solver", SOLVERS)
def test_single_precision_stays_and_fits_as_well(X, solver):
    single = fitted(X.astype(np.float32), solver=solver)
    assert single.components_.dtype == np.float32
    assert single.transform(X.astype(np.float32)).dtype == np.float32
    double = fitted(X, solver=solver)
    assert double.components_.dtype == np.float64
    assert single.objective_ == pytest.approx(double.objective_, rel=0.01)
    assert single.feasible_ == double.feasible_


@pytest.mark.parametrize(
    ("seed_words", "vocabulary"),
    [
        ([WORDS[j] for j in SEEDS], WORDS),
        ([WORDS[j] for j in SEEDS], np.array(WORDS)),
        ([WORDS[j] for j in SEEDS], {word: j for j, word in enumerate(WORDS)}),
        (["absent", *[WORDS[j] for j in SEEDS]], WORDS),
        ([WORDS[j] for j in SEEDS * 2], WORDS),
        (SEEDS, WORDS),
        (SEEDS * 2, None),
        (tuple(SEEDS[::-1]), None),
        (np.array(SEEDS), None),
    ],
    ids=["list", "array", "dict", "absent", "twice", "both", "twice int", "reversed", "array int"],
)
def test_every_form_of_seed_words_gives_the_same_fit(X, seed_words, vocabulary):
    model = make(seed_words=seed_words, vocabulary=vocabulary).fit(X)
    assert model.seed_columns_.tolist() == SEEDS
    np.testing.assert_array_equal(model.components_, make().fit(X).components_)


def test_a_dict_need_not_be_in_order(X):
    vocabulary = {word: j for j, word in reversed(list(enumerate(WORDS)))}
    model = make(seed_words=["word7", "word2"], vocabulary=vocabulary).fit(X)
    assert model.seed_columns_.tolist() == [2, 7]


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_given_start_is_used_and_left_alone(X, solver):
    rng = np.random.default_rng(1)
    W, H = rng.random((40, 4)), rng.random((4, 25))
    copies = W.copy(), H.copy()
    # Without binding constraints the start is feasible as it is.
    model = fitted(X, solver=solver, start=(W, H), theta_min=0, w_max=1e3)
    expected = divergence(X, W @ H)
    assert model.objective_history_[0] == pytest.approx(expected, rel=1e-12)
    assert len(model.objective_history_) > 2
    np.testing.assert_array_equal(W, copies[0])
    np.testing.assert_array_equal(H, copies[1])


# --- the block start ----------------------------------------------------------------------------


@pytest.mark.parametrize("n_minority", [0, 2, 4])
def test_block_solution_is_block_diagonal(X, n_minority):
    free = seed_free(X)
    W, Ht = block_solution(sparse.csr_matrix(X), free, 4, n_minority)
    assert (W[free, :n_minority] == 0).all()
    assert (W[~free, n_minority:] == 0).all()
    assert min(W.min(), Ht.min()) >= 0
    np.testing.assert_allclose(Ht.sum(axis=0), 1, rtol=1e-12)
    for documents, topics in ((~free, slice(n_minority)), (free, slice(n_minority, 4))):
        if W[:, topics].size:
            block = X[documents]
            rest = block - W[documents, topics] @ Ht[:, topics].T
            assert np.sum(rest**2) < 0.8 * np.sum((block - block.mean()) ** 2)


def test_block_start_leads_lower_than_random_starts(X):
    block = make(n_init=1).fit(X).objective_
    random = [make(start="random", random_state=s).fit(X).objective_ for s in range(5)]
    assert block < np.mean(random)


# --- transform ----------------------------------------------------------------------------------


def assert_transform_finds_the_fitted_W(X, **parameters):
    model = make(max_iter=5000, tol=1e-12, **parameters)
    W = model.fit_transform(X)
    again = model.transform(X)
    np.testing.assert_allclose(again, W, atol=1e-3 * W.max())
    assert divergence(X, again @ model.components_) <= model.objective_ * (1 + 1e-6)


def test_transform_of_the_training_documents_is_the_fitted_W(X):
    assert_transform_finds_the_fitted_W(X)


@pytest.mark.parametrize("solver", ["paper", "projected"])
def test_transform_speaks_in_the_units_of_topics_of_any_scale(X, solver):
    assert_transform_finds_the_fitted_W(X, solver=solver, start="random", theta_min=0, w_max=1e3)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("n_topics", [1, 4])
def test_transform_leaves_the_topics_alone(X, solver, n_topics):
    model = fitted(X, solver=solver, n_topics=n_topics, n_minority=0, start="random")
    before = model.components_.copy()
    first = model.transform(X)
    np.testing.assert_array_equal(model.components_, before)
    np.testing.assert_array_equal(model.transform(X), first)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("w_max", [0, 1e-9, 0.05])
def test_transform_respects_the_cap_in_seed_free_documents(X, solver, w_max):
    model = fitted(X, solver=solver, w_max=w_max, start="random")
    new = np.random.default_rng(0).poisson(0.5, (30, 25)).astype(float)
    new[:15, SEEDS] = 0
    W = model.transform(new)
    assert (W >= 0).all()
    assert W[seed_free(new), :2].max() <= w_max * (1 + 1e-12)
    assert W[~seed_free(new), :2].max() > 0.1


@pytest.mark.parametrize("count", [1, 5, 1000])
def test_a_word_the_topics_never_saw_does_not_disturb_a_transform(X, count):
    X[:, 20] = 0
    model = make().fit(X)
    expected = model.transform(X)
    X[3, 20] = count
    new = model.transform(X)
    assert np.isfinite(new).all()
    others = np.arange(40) != 3
    np.testing.assert_allclose(new[others], expected[others], atol=1e-2 * expected.max())


def test_an_empty_document_holds_no_topic(X):
    X[[2, 30]] = 0
    model = make()
    assert (model.fit_transform(X)[[2, 30]] == 0).all()
    assert (model.transform(X)[[2, 30]] == 0).all()


# --- special corpora and settings -----------------------------------------------------------------


def plain_divergence(X, W, H, n_iterations):
    """D_KL after the multiplicative updates of scikit-learn."""
    options = {"solver": "mu", "beta_loss": "kullback-leibler", "max_iter": n_iterations}
    plain = NMF(len(H), init="custom", tol=0, **options)
    W = plain.fit_transform(X, W=W.copy(), H=H.copy())
    return divergence(X, W @ plain.components_)


@pytest.mark.parametrize("n_iterations", [1, 20, 200])
@pytest.mark.parametrize("solver", ["paper", "projected"])
def test_without_minority_topics_the_paper_is_plain_nmf(X, solver, n_iterations):
    rng = np.random.default_rng(4)
    W, H = rng.random((40, 4)), rng.random((4, 25))
    options = {"solver": solver, "tol": 0, "max_iter": n_iterations}
    model = make(n_minority=0, seed_words=None, start=(W, H), **options).fit(X)
    expected = plain_divergence(X, W, H, n_iterations)
    assert model.objective_ == pytest.approx(expected, rel=1e-6)


def test_without_minority_topics_exact_ends_as_low_as_plain_nmf():
    # Four clear topics: one optimum to find. On the way there the two differ, since H stays on the
    # simplex here, where a step of plain NMF also rescales its topics.
    rng = np.random.default_rng(4)
    H = np.kron(np.eye(4), np.full(5, 0.2)) + 0.01
    X = rng.poisson(rng.dirichlet(np.full(4, 0.3), 60) @ H * 30).astype(float)
    W, H = rng.random((60, 4)), H + 0.1 * rng.random(H.shape)
    model = make(n_minority=0, seed_words=None, start=(W, H), tol=0, max_iter=2000).fit(X)
    assert model.feasible_
    assert model.objective_ <= plain_divergence(X, W, H, 2000) * (1 + 1e-6)
    assert model.objective_ < 0.5 * model.objective_history_[0]


@pytest.mark.parametrize("solver", SOLVERS)
def test_without_bounds_minority_topics_are_like_others(X, solver):
    rng = np.random.default_rng(4)
    start = rng.random((40, 4)), rng.random((4, 25))
    free, bounded = (
        make(solver=solver, start=start, tol=0, w_max=1e9, theta_min=theta_min)
        for theta_min in (0, 0.4)
    )
    plain = make(solver=solver, start=start, tol=0, n_minority=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstraintWarning)
        W, plain_W, bounded_W = (model.fit_transform(X) for model in (free, plain, bounded))
    np.testing.assert_array_equal(W, plain_W)
    np.testing.assert_array_equal(free.components_, plain.components_)
    assert free.feasible_
    assert not free.lambda_.any()
    assert not free.mu_.any()
    assert (bounded_W != plain_W).any(), "the bound on H alone is felt"


@pytest.mark.parametrize("start", ["block", "random"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_bound_beyond_every_weight_is_none(X, solver, start):
    options = {"solver": solver, "start": start, "n_init": 2}
    unbounded, huge, bound = (
        fitted(X, **options, w_max=w_max).components_ for w_max in (np.inf, 1e9, 1e-9)
    )
    np.testing.assert_array_equal(huge, unbounded)
    assert (bound != unbounded).any()


def keep(X):
    return X


def three_documents(X):
    return X[13:16]


def one_document(X):
    return X[:1]


def one_word(X):
    return X[:, :1]


def every_document_holds_a_seed(X):
    return X[:15]


def empty_seed_free_documents(X):
    X[15:] = 0
    return X


def one_kind_of_document(X):
    X[:] = X[0]
    return X


@pytest.mark.parametrize(
    "corpus",
    [
        keep,
        three_documents,
        one_document,
        one_word,
        every_document_holds_a_seed,
        empty_seed_free_documents,
        one_kind_of_document,
    ],
)
@pytest.mark.parametrize("n_minority", [0, 1, 4])
@pytest.mark.parametrize("start", ["block", "random"])
def test_special_corpora(X, corpus, n_minority, start):
    X = corpus(X)
    seeds = [j for j in SEEDS if j < X.shape[1]]
    model = make(n_minority=n_minority, seed_words=seeds, start=start)
    W = model.fit_transform(X)
    assert W.shape == (len(X), 4)
    assert np.isfinite(W).all()
    assert np.isfinite(model.components_).all()
    assert np.isfinite(model.objective_)
    assert model.feasible_
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-9)
    assert np.isfinite(list(model.kkt_.values())).all()
    assert np.isfinite(model.transform(X)).all()


def test_no_bound_on_W(X):
    model = make(w_max=np.inf).fit(X)
    assert model.feasible_
    assert np.isfinite(list(model.kkt_.values())).all()


# --- scale --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "exponent"),
    [(np.float64, 664), (np.float64, -664), (np.float64, 1000), (np.float64, -1000),
     (np.float32, 66), (np.float32, -100)],
)  # fmt: skip
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_matrix_of_any_scale_has_the_fit_of_a_plain_one(X, solver, dtype, exponent):
    X = (0.9 * X / X.max()).astype(dtype)  # the scale at which others are fitted
    parameters = {"solver": solver, "start": "random", "max_iter": 20, "tol": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain, scaled = (make(**parameters, w_max=np.ldexp(0.01, power)) for power in (0, exponent))
        W, scaled_W = plain.fit_transform(X), scaled.fit_transform(np.ldexp(X, exponent))
    assert scaled_W.dtype == dtype
    np.testing.assert_array_equal(scaled.components_, plain.components_)
    np.testing.assert_allclose(np.ldexp(scaled_W, -exponent), W, atol=1e-6 * W.max())
    assert math.ldexp(scaled.objective_, -exponent) == pytest.approx(plain.objective_, rel=1e-9)
    assert scaled.feasible_ == plain.feasible_
    if solver != "exact":
        assert math.ldexp(scaled.least_denominator_, -exponent) == plain.least_denominator_
    again = scaled.transform(np.ldexp(X, exponent))
    np.testing.assert_allclose(np.ldexp(again, -exponent), plain.transform(X), atol=1e-6 * W.max())


@pytest.mark.parametrize(
    ("dtype", "scale"),
    [(np.float64, 1e200), (np.float64, 1e-200), (np.float32, 1e20), (np.float32, 1e-30)],
)
def test_huge_and_tiny_matrices_are_fitted_as_well(X, dtype, scale):
    plain = fitted(X.astype(dtype), max_iter=200)
    scaled = fitted(X.astype(dtype) * dtype(scale), max_iter=200, w_max=1e-9 * scale)
    assert scaled.feasible_
    assert scaled.objective_ == pytest.approx(plain.objective_ * scale, rel=0.02)
    batches = make(w_max=1e-9 * scale).partial_fit(X.astype(dtype) * dtype(scale))
    batches.partial_fit(X.astype(dtype))
    assert np.isfinite(batches.components_).all()
    assert batches.feasible_


@pytest.mark.parametrize(("dtype", "largest"), [(np.float64, 1.7e308), (np.float32, 3.4e38)])
def test_what_the_type_cannot_hold_is_refused(X, dtype, largest):
    X = (X > 0).astype(dtype) * dtype(largest)
    with pytest.raises(ValueError, match=r"add up to more than float.. can hold; divide X"):
        make().fit(X)


# --- warnings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_a_warning_points_to_the_caller(X, method):
    with pytest.warns(ConvergenceWarning) as caught:
        getattr(make(max_iter=3), method)(X)
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize("solver", ["paper", "projected"])
def test_unmet_constraints_are_warned_of(X, solver):
    with pytest.warns(ConstraintWarning, match=rf"not met by solver='{solver}'.*theta_min=0\.9"):
        model = make(solver=solver, theta_min=0.9).fit(X)
    assert not model.feasible_


@pytest.mark.parametrize(
    ("bounds", "named", "silent"),
    [
        ({"w_max": np.inf, "theta_min": 0.9}, "theta_min=0.9", "w_max"),
        ({"w_max": 1e-9, "theta_min": 0.0}, "w_max=1e-09", "theta_min"),
    ],
)
def test_only_the_bound_that_is_not_met_is_named(X, bounds, named, silent):
    with pytest.warns(ConstraintWarning, match="not met by") as caught:
        make(solver="paper", **bounds).fit(X)
    (said,) = (str(w.message) for w in caught if w.category is ConstraintWarning)
    assert named in said
    assert silent not in said


def test_a_rising_objective_is_warned_of(X):
    with pytest.warns(ObjectiveWarning, match="rose") as caught:
        model = fitted_with_large_steps(X)
    rises = int((np.diff(model.objective_history_) > 1e-9 * model.objective_).sum())
    messages = [str(w.message) for w in caught if w.category is ObjectiveWarning]
    assert rises > 1
    assert f"rose in {rises} of {model.n_iter_} iterations" in messages[0]


def fitted_with_large_steps(X):
    return make(solver="paper", start="random", eta=10, max_iter=200, tol=0).fit(X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", ["ordinary", "perfect fit", "more topics than documents"])
def test_exact_never_warns(X, case, dtype):
    parameters = {"max_iter": 500, "tol": 0}
    if case == "perfect fit":
        X = np.diag(np.arange(1, 7) / 7.0)
        parameters |= {"n_topics": 6, "seed_words": [0, 1]}
    if case == "more topics than documents":
        X = X[13:16]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(**parameters).fit(X.astype(dtype))


def test_too_few_iterations_are_warned_of(X):
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        make(max_iter=3).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(max_iter=3, tol=0).fit(X)
        make(max_iter=1000, tol=1e-3).fit(X)


def test_no_document_with_a_seed_word_is_warned_of(X):
    X[:, SEEDS] = 0
    with pytest.warns(ConstraintWarning, match="No document holds a seed word"):
        make().fit(X)


def test_no_seed_word_in_the_vocabulary_is_warned_of(X):
    with pytest.warns(ConstraintWarning, match="No seed word is in the vocabulary"):
        make(seed_words=["absent"], vocabulary=WORDS).fit(X)


def test_the_start_of_a_fit_does_not_silence_another_thread():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with start_module.whole_process(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            other = Thread(target=model_module.warn_the_caller, args=["told"])
            other.start()
            other.join(0.2)
        other.join()
    assert [str(warning.message) for warning in caught] == ["told"]


def test_a_fit_that_ends_in_nan_is_not_feasible(X, monkeypatch):
    minimise = model_module.minimise

    def spoilt(descent, *args):
        minimise(descent, *args)
        descent.H.rows[:] = np.nan
        descent.history[:] = [1.0, np.nan]

    monkeypatch.setattr(model_module, "minimise", spoilt)
    with pytest.warns(ObjectiveWarning) as caught:
        model = make().fit(X)
    assert not model.feasible_
    (said,) = (str(w.message) for w in caught if w.category is ObjectiveWarning)
    assert said.startswith("The objective is nan after 1 iterations")
    assert "rose" not in said


@pytest.mark.parametrize("w_max", [1e300, 3e38, np.inf])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_bound_that_the_type_cannot_hold_is_none(X, solver, w_max):
    X = X.astype(np.float32)
    parameters = {"solver": solver, "theta_min": 0, "max_iter": 20, "tol": 0, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = make(w_max=w_max, **parameters).fit(X)
        W = model.transform(X)
    unbounded = make(w_max=np.inf, **parameters).fit(X)
    np.testing.assert_array_equal(model.components_, unbounded.components_)
    np.testing.assert_array_equal(W, unbounded.transform(X))


# --- errors -------------------------------------------------------------------------------------

INVALID = {
    "n_topics": [0, -1, 2.5, "4", None, 2**16, True, np.array(4), np.nan],
    "n_minority": [-1, 5, 1.5, None, False, "2"],
    "w_max": [-1e-9, np.nan, None, "1e-9", True, [1], 1j, 10**400, 10**9999],
    "theta_min": [-0.1, 1, 1.5, np.nan, np.inf, None, "0.4", True, 1 - 1e-17],
    "solver": ["exactly", None, 1, np.array(["exact"] * 2), ["exact"]],
    "start": ["blocks", None, 3, (np.ones((40, 4)),), ("a", "b"), (None, None), (object(), 1)],
    "n_init": [0, 1.5, "many", None, True, np.array([1, 2])],
    "h_update": [0, 3, None, "1", True, np.array([1, 2])],
    "eta": [-1, np.nan, np.inf, None, "1e-3"],
    "acceleration": ["none", None, 1, np.array(["plain"] * 2)],
    "max_iter": [0, 1.5, None, True, np.inf],
    "tol": [-1, np.nan, np.inf, None, "1e-5"],
    "random_state": ["a", -1, 2**32, 1.5, [1], np.random.default_rng(0)],
    "checkpoint": [5, b"fit.npz", True, ["fit.npz"]],
    "checkpoint_every": [0, 1.5, None, True],
    "verbose": ["a", -1, None, 1.5],
    "seed_words": [
        None, 0, 1.5, True, WORDS[0], b"word0", [0.5, 1.5], np.arange(25) == 7, [0, WORDS[1]],
        [[0, 1]], np.ones((2, 2), dtype=int), np.array(3), {0: 1}, iter([0, 1]), [None], [2**70],
    ],
    "vocabulary": [
        WORDS[:-1], set(WORDS), frozenset(WORDS), "abcdefghijklmnopqrstuvwxy", 25, iter(WORDS),
        [*WORDS[:-1], WORDS[0]], [*WORDS[:-1], None], [*WORDS[:-1], ["x"]], np.array(3),
        dict.fromkeys(WORDS, 0), {word: j + 1 for j, word in enumerate(WORDS)},
        {word: str(j) for j, word in enumerate(WORDS)}, dict(enumerate(WORDS)),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param(name, value, id=f"{name} {number} {type(value).__name__}")
        for name, values in INVALID.items()
        for number, value in enumerate(values)
    ],
)
def test_an_invalid_parameter_is_named(X, name, value):
    with pytest.raises(ValueError, match=name) as caught:
        make(**({"vocabulary": WORDS} | {name: value})).fit(X)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("name", "allowed"),
    [("solver", SOLVERS), ("acceleration", ACCELERATIONS), ("guidance", ["list", "learnt"])],
)
def test_a_wrong_name_is_told_with_those_that_are_right(X, name, allowed):
    with pytest.raises(ValueError, match=f"{name}='x' must be ") as caught:
        make(**{name: "x"}).fit(X)
    said = str(caught.value).partition(" must be ")[2]
    assert sorted(re.findall(r"'(\w+)'", said)) == sorted(allowed)


def test_numbers_of_numpy_are_numbers(X):
    model = make(
        n_topics=np.int8(4), n_minority=np.int32(2), w_max=np.float32(1e-9), max_iter=np.int8(50),
        theta_min=np.float64(0.4), tol=Fraction(1, 100_000), random_state=np.int64(0), n_init=1,
        seed_words=set(SEEDS), verbose=False,
    )  # fmt: skip
    np.testing.assert_allclose(model.fit(X).components_, make().fit(X).components_, rtol=1e-6)
    assert model.fit(X).feasible_
    assert make(max_iter=10**30).fit(X).feasible_


@pytest.mark.parametrize("name", ["n_topics", "w_max", "solver", "verbose"])
def test_an_invalid_parameter_is_named_after_a_fit_too(X, name):
    model = make().fit(X).set_params(**{name: "?"})
    for method in (model.transform, model.partial_fit):
        with pytest.raises(ValueError, match=name):
            method(X)


@pytest.mark.parametrize(
    ("W", "H"),
    [
        (np.ones((40, 3)), np.ones((4, 25))),
        (np.ones((40, 4)), np.ones((25, 4))),
        (-np.ones((40, 4)), np.ones((4, 25))),
        (np.ones((40, 4)), np.full((4, 25), np.nan)),
        (np.full((40, 4), np.inf), np.ones((4, 25))),
    ],
    ids=["W shape", "H transposed", "negative", "nan", "infinite"],
)
def test_an_invalid_start_is_named(X, W, H):
    with pytest.raises(ValueError, match="start"):
        make(start=(W, H)).fit(X)


def test_words_need_a_vocabulary(X):
    with pytest.raises(ValueError, match="vocabulary"):
        make(seed_words=["word0"]).fit(X)


@pytest.mark.parametrize("column", [25, -1])
def test_a_column_out_of_range_is_named(X, column):
    with pytest.raises(ValueError, match=f"no column {column} in a matrix of 25"):
        make(seed_words=[0, column]).fit(X)


@pytest.mark.parametrize("form", [np.array, sparse.csr_matrix])
@pytest.mark.parametrize(("value", "message"), [(-1, "Negative"), (np.nan, "NaN"), (np.inf, "inf")])
def test_an_invalid_X_is_refused(X, form, value, message):
    model = make().fit(X)
    X[5, 5] = value
    for method in (model.fit, model.transform):
        with pytest.raises(ValueError, match=message):
            method(form(X))


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo"])
@pytest.mark.parametrize("part", ["indices", "indptr"])
def test_a_matrix_that_points_outside_itself_is_refused(X, form, part):
    """Before scipy converts or sorts it, which would end the process."""
    model, damaged = make().fit(X), sparse.csr_matrix(X).asformat(form)
    place = damaged.coords[part == "indptr"] if form == "coo" else getattr(damaged, part)
    place[3] = 10**6
    for method in (make().fit, model.transform, model.partial_fit):
        with pytest.raises(ValueError, match=r"^X is not a sparse matrix"):
            method(damaged)


def test_transform_of_other_columns_is_refused(X):
    with pytest.raises(ValueError, match="25"):
        make().fit(X).transform(X[:, :-1])


# --- the authors' data ----------------------------------------------------------------------------

PAPER_DATA = Path(__file__).resolve().parents[2].parent / "shared" / "paper"


@pytest.fixture(scope="module")
def authors():
    """V, the labels of its documents, the seed words and the vocabulary."""
    table = PAPER_DATA / "synthetic-data.csv"
    if not table.exists():
        pytest.skip(f"the authors' data are not at {PAPER_DATA}; they are not ours to ship")
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    topics = sorted({row["Label"] for row in rows} - {"-1"})
    labels = np.array([topics.index(row["Label"]) if row["Label"] != "-1" else -1 for row in rows])
    vectorizer = TfidfVectorizer()
    V = vectorizer.fit_transform(row["Sentence"] for row in rows)
    seed_words = (PAPER_DATA / "seed_words.txt").read_text(encoding="utf-8").splitlines()
    return V, labels, seed_words, vectorizer.vocabulary_


def fit_authors(authors, n_topics, n_minority, n_states, **parameters):
    """The fitted models, and their mean purity, NMI and objective."""
    V, labels, seed_words, vocabulary = authors
    models, scores = [], []
    for random_state in range(n_states):
        model = ConstrainedNMF(
            n_topics, n_minority, seed_words, vocabulary, random_state=random_state, **parameters
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstraintWarning)
            assigned = metrics.assign(model.fit_transform(V))
        purity, nmi = metrics.focused_purity(labels, assigned), metrics.nmi(labels, assigned)
        models.append(model)
        scores.append((purity, nmi, model.objective_))
    return models, *np.mean(scores, axis=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_topics", "n_minority", "n_states", "least_purity", "least_nmi", "most_divergence"),
    [(20, 7, 5, 0.23, 0.265, 4205), (30, 10, 3, 0.42, 0, 3638), (50, 15, 3, 0.48, 0, 2942)],
)
def test_exact_on_the_authors_data(
    authors, n_topics, n_minority, n_states, least_purity, least_nmi, most_divergence
):
    models, purity, nmi, objective = fit_authors(authors, n_topics, n_minority, n_states)
    assert purity >= least_purity
    assert nmi >= least_nmi
    assert objective <= most_divergence
    for model in models:
        assert model.feasible_
        assert max(model.kkt_["primal_W"], model.kkt_["primal_H"]) <= 1e-9


@pytest.mark.slow
def test_projected_reproduces_the_published_scores(authors):
    _, purity, nmi, _ = fit_authors(authors, 20, 7, 10, solver="projected", start="random", tol=0)
    assert purity == pytest.approx(0.154, abs=0.02)
    assert nmi == pytest.approx(0.224, abs=0.01)


def test_paper_misses_its_own_constraints(authors):
    models, purity, _, _ = fit_authors(authors, 20, 7, 3, solver="paper", start="random", tol=0)
    assert purity < 0.1
    assert not any(model.feasible_ for model in models)
