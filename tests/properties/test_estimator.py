"""`ConstrainedNMF` on problems nobody thought of: what holds for every matrix and every setting."""

import tempfile
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse
from scipy.special import xlogy

from minority_topics import ConstrainedNMF
from minority_topics.nmf import model as model_module
from minority_topics.nmf.checkpoint import Checkpoint

pytestmark = pytest.mark.filterwarnings("ignore")

# Rows of one line: another number of lines would compile for seconds.
N_TOPICS = {np.float32: [1, 4, 16], np.float64: [1, 2, 4, 8]}
SCALES = {np.float32: [1e20, 1e-30], np.float64: [1e200, 1e-200]}
ROUNDING = {np.float32: 1e-5, np.float64: 1e-9}
SOLVERS = ("exact", "paper", "projected")
dtypes = st.sampled_from([np.float32, np.float64])


def entries(shape):
    """Counts, most of them zero, or numbers of very different size."""
    counts = st.integers(0, 9).map(lambda n: float(max(n - 5, 0)))
    sizes = st.sampled_from([0.0, 0.0, 1e-5, 0.25, 1.0, 3.0, 1e4])
    return st.one_of(*(arrays.arrays(np.float64, shape, elements=e) for e in (counts, sizes)))


@st.composite
def matrices(draw, dtype, n_words=None):
    """A dense matrix; some of its rows or columns may be empty, or all."""
    shape = draw(st.integers(1, 10)), n_words or draw(st.integers(1, 8))
    X = draw(entries(shape))
    if draw(st.booleans()):
        X[draw(st.integers(0, shape[0] - 1))] = 0
        X[:, draw(st.integers(0, shape[1] - 1))] = 0
    scale = draw(st.sampled_from([1.0] * 6 + SCALES[dtype]))
    return (X.astype(dtype) * dtype(scale)).astype(dtype)


def untidy(X, index_type=np.int32):
    """CSR with descending columns, each entry in two halves, and stored zeros."""
    rows, columns = np.nonzero(np.ones_like(X))
    order = np.lexsort((-columns, rows))
    rows, columns = rows[order].repeat(2), columns[order].repeat(2)
    data = (X[rows, columns] / 2).astype(X.dtype)
    indptr = np.arange(len(X) + 1, dtype=index_type) * 2 * X.shape[1]
    return sparse.csr_matrix((data, columns.astype(index_type), indptr), X.shape)


FORMS = {
    "dense": lambda X: X,
    "fortran": np.asfortranarray,
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_matrix,
    "array": sparse.csr_array,
    "long indices": lambda X: untidy(X, np.int64),
    "untidy": untidy,
}


@st.composite
def settings_of(draw, dtype, n_words, solvers=SOLVERS):
    """Parameters for a matrix of so many words, quick to fit."""
    n_topics = draw(st.sampled_from(N_TOPICS[dtype]))
    return {
        "n_topics": n_topics,
        "n_minority": draw(st.integers(0, n_topics)),
        "seed_words": draw(st.lists(st.integers(0, n_words - 1), max_size=n_words)),
        "w_max": draw(st.sampled_from([0, 1e-320, 1e-9, 0.1, 5.0, np.inf])),
        "theta_min": draw(st.sampled_from([0, 1e-9, 0.4, 0.9, 1 - 1e-9])),
        "guidance": draw(st.sampled_from(["list", "learnt"])),
        "solver": draw(st.sampled_from(solvers)),
        "start": draw(st.sampled_from(["block", "random"])),
        "acceleration": draw(st.sampled_from(["overrelaxed", "extrapolated", "plain"])),
        "h_update": draw(st.sampled_from([1, 2])),
        "eta": draw(st.sampled_from([0, 1e-3, 1.0])),
        "max_iter": draw(st.integers(1, 25)),
        "tol": draw(st.sampled_from([0, 1e-4])),
        "n_init": draw(st.integers(1, 2)),
        "random_state": draw(st.integers(0, 5)),
    }


@st.composite
def problems(draw, solvers=SOLVERS):
    dtype = draw(dtypes)
    X = draw(matrices(dtype))
    return X, draw(settings_of(dtype, X.shape[1], solvers))


def refusal(call, *arguments):
    """What is said against a call, if anything; other exceptions are defects."""
    try:
        call(*arguments)
    except (ValueError, TypeError) as error:
        return str(error) or "nothing"
    return ""


def objective(X, W, H):
    """D(X || WH) as the library counts it: what no topic explains has a finite cost."""
    X, WH = X.astype(float), W.astype(float) @ H.astype(float)
    floor = np.sqrt(np.finfo(W.dtype).tiny) * max(X.max(), 1)
    return np.sum(xlogy(X, X) - xlogy(X, np.maximum(WH, floor)) - X + WH)


def assert_sound(model, dtype, n_words):
    """Topics of any solver."""
    H = model.components_
    assert H.dtype == dtype
    assert H.shape == (model.n_topics, n_words)
    assert np.isfinite(H).all()
    assert (H >= 0).all()


def assert_topics_are_feasible(model):
    H, rounding = model.components_, ROUNDING[model.components_.dtype.type]
    np.testing.assert_allclose(H.sum(axis=1, dtype=float), 1, rtol=rounding)
    if model.n_minority and len(model.seed_columns_):
        share = H[: model.n_minority, model.seed_columns_].sum(axis=1, dtype=float)
        assert (share >= model.theta_min * (1 - rounding)).all()
        assert model.feasible_


def assert_weights_are_sound(model, X, W):
    assert W.dtype == X.dtype
    assert W.shape == (len(X), model.n_topics)
    assert np.isfinite(W).all()
    assert (W >= 0).all()
    if model.guidance == "list":
        np.testing.assert_array_equal(
            model.free_documents_, X[:, model.seed_columns_].sum(axis=1) > 0
        )
    capped = W[~model.free_documents_, : model.n_minority]
    if model.solver != "paper":
        assert (capped <= model.w_max * (1 + ROUNDING[X.dtype.type])).all()
    if model.solver != "exact":
        return
    mass = X.sum(axis=1, dtype=float)
    assert (W.sum(axis=1, dtype=float) <= mass * (1 + 1e-3)).all()
    assert (W[mass == 0] == 0).all()


@given(problems())
def test_a_fit_keeps_its_promises(problem):
    X, parameters = problem
    before = X.copy()
    model = ConstrainedNMF(**parameters)
    W = model.fit_transform(X)
    np.testing.assert_array_equal(X, before)
    assert_sound(model, X.dtype, X.shape[1])
    assert_weights_are_sound(model, X, W)
    assert np.isfinite(model.objective_)
    assert np.isfinite(model.objective_history_).all()
    assert model.objective_history_[-1] == model.objective_
    assert len(model.objective_history_) == model.n_iter_ + 1 <= model.max_iter + 1
    assert np.isfinite(list(model.kkt_.values())).all()
    assert model.lambda_.shape == (len(X), model.n_minority)
    assert model.mu_.shape == (model.n_minority,)
    if model.solver == "exact":
        assert_topics_are_feasible(model)
        total = X.sum(dtype=float)
        rises = np.diff(model.objective_history_)
        assert (rises <= ROUNDING[X.dtype.type] * total).all()


def stored(matrix):
    return vars(matrix) if sparse.issparse(matrix) else {}


@given(problems(), st.sampled_from(list(FORMS)))
def test_the_form_of_a_matrix_does_not_matter(problem, form):
    X, parameters = problem
    given = FORMS[form](X)
    parts = [vars(given)[name] for name in ("data", "indices", "indptr") if name in stored(given)]
    before = [part.copy() for part in parts]
    expected, model = (ConstrainedNMF(**parameters) for _ in range(2))
    W, again = expected.fit_transform(X), model.fit_transform(given)
    assert W.tobytes() == again.tobytes()
    assert expected.components_.tobytes() == model.components_.tobytes()
    np.testing.assert_array_equal(expected.objective_history_, model.objective_history_)
    for part, copy in zip(parts, before, strict=True):
        np.testing.assert_array_equal(part, copy)


@given(st.data())
def test_whole_numbers_are_numbers(data):
    X = data.draw(arrays.arrays(np.int64, (5, 4), elements=st.integers(0, 4)))
    parameters = data.draw(settings_of(np.float64, 4))
    fits = [ConstrainedNMF(**parameters).fit(X.astype(t)) for t in (np.int64, np.uint8, float)]
    assert len({fit.components_.tobytes() for fit in fits}) == 1


@given(problems())
def test_transform_finds_weights_as_good_as_those_of_the_fit(problem):
    X, parameters = problem
    model = ConstrainedNMF(**parameters)
    W = model.fit_transform(X)
    again = model.transform(X)
    assert again.tobytes() == model.transform(sparse.csc_matrix(X)).tobytes()
    assert_weights_are_sound(model, X, again)
    if model.solver == "exact":
        unit = X.max() or 1
        ours, theirs = (objective(X / unit, w / unit, model.components_) for w in (again, W))
        assert ours <= theirs + 1e-2 * (X / unit).sum(dtype=float)


@given(st.data())
def test_topics_are_feasible_after_every_batch(data):
    dtype = data.draw(dtypes)
    n_words = data.draw(st.integers(1, 8))
    parameters = data.draw(settings_of(dtype, n_words))
    model = ConstrainedNMF(**parameters)
    fit_first = data.draw(st.booleans())
    for number in range(data.draw(st.integers(1, 4))):
        X = data.draw(matrices(data.draw(dtypes) if number else dtype, n_words))
        form = FORMS[data.draw(st.sampled_from(list(FORMS)))]
        if fit_first and number == 0:
            model.fit(form(X))
            continue
        model.partial_fit(form(X))
        assert_sound(model, dtype, n_words)
        assert_topics_are_feasible(model)
        assert not hasattr(model, "objective_")
        assert_weights_are_sound(model, X, model.transform(X))


@given(problems(), st.data())
def test_other_parameters_after_a_fit_work_or_are_refused(problem, data):
    X, parameters = problem
    model = ConstrainedNMF(**parameters).fit(X)
    other = data.draw(settings_of(X.dtype.type, X.shape[1]))
    names = data.draw(st.sets(st.sampled_from(sorted(other))))
    model.set_params(**{name: other[name] for name in names})
    for method in (model.transform, model.partial_fit):
        said = refusal(method, X)
        assert not said or ("n_minority" in said and {"n_topics", "n_minority"} & names)
    assert np.isfinite(model.components_).all()


class Killed(Exception):
    pass


def killed_fit(X, parameters, path, at):
    """Fit until an iteration; whether it came so far."""

    def dies(descent):
        if len(descent.history) == at:
            raise Killed

    with patch.object(model_module, "FitProgress", lambda *_: dies):
        try:
            ConstrainedNMF(**parameters, checkpoint=path, checkpoint_every=1).fit(X)
        except Killed:
            return True
    return False


@given(problems(solvers=("exact",)), st.integers(2, 25))
def test_a_killed_fit_goes_on_to_the_same_bytes(problem, at):
    X, parameters = problem
    parameters |= {"n_init": 1, "tol": 0}
    expected = ConstrainedNMF(**parameters).fit(X)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fit.npz"
        assume(killed_fit(X, parameters, path, at))
        model = ConstrainedNMF(**parameters, checkpoint=path).fit(X)
        assert not list(Path(folder).iterdir())
    assert model.components_.tobytes() == expected.components_.tobytes()
    np.testing.assert_array_equal(model.objective_history_, expected.objective_history_)


@given(st.data())
def test_a_damaged_checkpoint_is_refused_or_harmless(data):
    X = np.random.default_rng(0).poisson(1, (8, 5)).astype(float)
    parameters = {"n_topics": 2, "n_minority": 1, "seed_words": [0], "random_state": 0, "tol": 0}
    parameters |= {"max_iter": 6, "n_init": 1}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        path = Path(folder) / "fit.npz"
        with patch.object(Checkpoint, "remove", lambda self: None):
            ConstrainedNMF(**parameters, checkpoint=path, checkpoint_every=4).fit(X)
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 3))):
            at = data.draw(st.integers(0, len(content) - 1))
            kind = data.draw(st.sampled_from(["flip", "cut", "insert"]))
            if kind == "flip":
                content[at] ^= 1 << data.draw(st.integers(0, 7))
            elif kind == "cut":
                del content[at : at + data.draw(st.sampled_from([1, 100, 10**6]))]
            else:
                content[at:at] = data.draw(st.binary(min_size=1, max_size=20))
            if not content:
                break
        path.write_bytes(content)
        model = ConstrainedNMF(**parameters, checkpoint=path)
        said = refusal(model.fit, X)
    if said:
        assert f"checkpoint {str(path)!r}" in said
    else:
        expected = ConstrainedNMF(**parameters).fit(X)
        assert model.components_.tobytes() == expected.components_.tobytes()


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.integers(-(10**40), 10**40),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=4),
    st.binary(max_size=4),
    st.lists(st.one_of(st.integers(-9, 9), st.text(max_size=2), st.none()), max_size=5),
    st.sets(st.text(max_size=2), max_size=5),
    st.dictionaries(st.text(max_size=2), st.integers(-2, 6), max_size=5),
    arrays.arrays(
        st.sampled_from([np.float64, np.int8, np.bool_, np.complex64]),
        arrays.array_shapes(min_dims=0, max_dims=3, max_side=4),
    ),
    st.sampled_from([object(), np.float32(0.5), np.int8(3), np.str_("exact"), range(3), slice(2)]),
    st.sampled_from([lambda: 0, type, np.datetime64("2020"), np.ma.masked, iter([1]), Ellipsis]),
)
PARAMETERS = sorted(ConstrainedNMF().get_params())
SMALL = np.array([[2.0, 1, 0, 0], [1, 2, 0, 0], [0, 0, 3, 1]])


@given(st.sampled_from(PARAMETERS), JUNK)
def test_any_value_of_a_parameter_works_or_is_refused(name, value):
    parameters = {"n_topics": 2, "n_minority": 1, "seed_words": [0], "random_state": 0}
    parameters |= {"max_iter": 3, "n_init": 1, "vocabulary": ["a", "b", "c", "d"]}
    assume(name != "n_init" or not isinstance(value, int) or value < 9)  # it would take its time
    assume(name != "max_iter" or not isinstance(value, int) or value < 10**6)
    with tempfile.TemporaryDirectory() as folder:
        if name == "checkpoint" and isinstance(value, str):
            value = folder + "/" + value
        model = ConstrainedNMF(**(parameters | {name: value}))
        said = refusal(model.fit, SMALL)
    assert not said or name in said
    assert "\n" not in said


@given(JUNK)
def test_any_matrix_works_or_is_refused(X):
    model = ConstrainedNMF(2, 1, seed_words=[0], random_state=0, max_iter=3, n_init=1).fit(SMALL)
    new = ConstrainedNMF(2, 1, seed_words=[0], random_state=0, max_iter=3, n_init=1)
    for method in (model.transform, model.partial_fit, new.partial_fit, new.fit):
        assert refusal(method, X) != "nothing"
    assert np.isfinite(model.components_).all()
