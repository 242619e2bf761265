"""What a long fit has beside its result: starts from samples, batches, checkpoints, progress."""

import copy
import errno
import io
import json
import logging
import re
import warnings
import zipfile

import numpy as np
import pytest
from scipy.sparse import csr_matrix, vstack
from scipy.special import xlogy

from minority_topics import ConstrainedNMF, ConstraintWarning
from minority_topics.nmf import checkpoint as checkpoint_module
from minority_topics.nmf import model as model_module
from minority_topics.nmf import solvers as solvers_module
from minority_topics.nmf import start as start_module
from minority_topics.nmf.model import OF_A_FIT, Batches
from minority_topics.nmf.progress import FitProgress, FitStopped, iterations_left
from minority_topics.nmf.start import sample_documents, spread_topics


def corpus(n_documents=400, n_words=60, seed=0, dtype=np.float64):
    """Documents of one of six topics of ten words each; topic 0 holds the seed words 0 to 3."""
    rng = np.random.default_rng(seed)
    topics = np.kron(np.eye(6), np.full(n_words // 6, 6 / n_words)) + 0.01
    topics /= topics.sum(axis=1, keepdims=True)
    of = topics[rng.integers(6, size=n_documents)]
    return csr_matrix(np.array([rng.multinomial(12, row) for row in of]).astype(dtype))


def make(**parameters):
    defaults = {"n_topics": 6, "n_minority": 1, "seed_words": range(4), "random_state": 0}
    return ConstrainedNMF(**(defaults | parameters))


def objective(model, V):
    WH = model.transform(V) @ model.components_
    V = V.toarray()
    return np.sum(xlogy(V, V) - xlogy(V, np.maximum(WH, 1e-30)) - V + WH)


# --- starts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_bearing", "expected"), [(500, 50), (30, 30), (980, 80), (0, 0)])
def test_a_sample_has_documents_with_seed_words_up_to_a_half(n_bearing, expected):
    seed_free = np.arange(1000) >= n_bearing
    rows = sample_documents(seed_free, 100, np.random.default_rng(0))
    assert len(np.unique(rows)) == 100
    assert (np.diff(rows) > 0).all()
    assert (~seed_free[rows]).sum() == expected


def test_topics_of_a_sample_are_spread_over_all_words():
    Ht = np.array([[1.0, 0.0], [0.0, 1.0]])
    seen = np.array([True, False, True])
    spread = spread_topics(Ht, seen, np.array([2.0, 1.0, 1.0]), share=0.4)
    np.testing.assert_allclose(spread, [[0.8, 0.2], [0.1, 0.1], [0.1, 0.7]])


@pytest.mark.slow
def test_a_start_from_samples_ends_as_low_as_one_from_all(monkeypatch):
    V = corpus(4000)
    whole = make().fit(V)
    monkeypatch.setattr(start_module, "LARGE", 100)
    sampled = make().fit(V)
    assert sampled.objective_ <= 1.002 * whole.objective_
    assert sampled.feasible_


@pytest.mark.parametrize("solver", ["paper", "projected"])
def test_a_start_from_samples_is_the_same_for_every_solver(monkeypatch, solver):
    def keep(*arguments):
        starts.append(spread_topics(*arguments))
        return starts[-1]

    starts = []
    monkeypatch.setattr(start_module, "LARGE", 600)
    monkeypatch.setattr(start_module, "spread_topics", keep)
    for name in ("exact", solver):
        make(solver=name, n_init=1, max_iter=5).fit(corpus(1000))
    np.testing.assert_array_equal(*starts)


# --- batches ------------------------------------------------------------------------------------


def test_transform_in_batches_is_transform(monkeypatch):
    V = corpus()
    model = make().fit(V)
    expected = model.transform(V)
    monkeypatch.setattr(
        solvers_module, "batches", lambda n: [slice(a, a + 7) for a in range(0, n, 7)]
    )
    np.testing.assert_array_equal(model.transform(V), expected)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_corpus_in_batches_is_learnt_almost_as_well(dtype):
    parts = [corpus(200, seed=seed, dtype=dtype) for seed in range(10)]
    V = vstack(parts).tocsr()
    model = make()
    for part in parts:
        model.partial_fit(part)
        share = model.components_[:1, :4].sum() / model.components_[:1].sum()
        assert share >= 0.4 - 1e-6
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-5)
    assert model.components_.dtype == dtype
    assert objective(model, V) < 1.02 * make().fit(V).objective_


@pytest.mark.slow
def test_later_batches_bring_new_words():
    first, second = corpus(200, seed=0), corpus(200, seed=1)
    first = csr_matrix(first.multiply(np.arange(60) != 25))
    model = make().partial_fit(first)
    assert (model.components_[:, 25] == 0).all()
    model.partial_fit(second)
    neighbours = model.components_[:, 20:30].sum(axis=1)
    assert model.components_[:, 25].argmax() == neighbours.argmax()


@pytest.mark.slow
def test_batches_may_follow_a_fit():
    V = corpus()
    model = make().fit(V)
    before = model.components_.copy()
    model.partial_fit(corpus(seed=1))
    assert 0 < np.abs(model.components_ - before).max() < 0.1


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("solver", ["exact", "paper", "projected"])
def test_a_fit_counts_as_the_first_batch(solver, dtype):
    V = corpus(300, dtype=dtype)
    model = make(solver=solver, max_iter=50).fit(V)
    fit = model.components_ / model.components_.sum(axis=1, keepdims=True)
    share = fit[0, :4].sum()
    if share < 0.4:  # the solver has not met the bound, and a batch does
        fit[0, :4] *= 0.4 / share
        fit[0, 4:] *= 0.6 / (1 - share)

    def change_by(batch):
        after = copy.deepcopy(model).partial_fit(batch)
        assert_sound(after)
        return np.abs(after.components_ - fit).sum(axis=1) / 2

    assert change_by(corpus(1, seed=1, dtype=dtype)).max() < 0.03
    assert change_by(corpus(300, seed=1, dtype=dtype)).min() > 0.03


def test_a_fit_leaves_little_for_batches_that_follow():
    model = make().fit(corpus())
    kept = model._batches
    assert kept.use.shape == (6,)
    assert kept.use.sum() == pytest.approx(1)
    W = model.transform(corpus())
    np.testing.assert_allclose(kept.use, W.sum(axis=0) / W.sum(), rtol=1e-3)
    assert (kept.number, kept.n_documents) == (1, 400)


def test_a_batch_counts_by_its_documents():
    use = np.zeros(3)
    assert Batches(use).weight_of(7) == 1
    assert Batches(use, 3, 30).weight_of(10) == pytest.approx(4**-0.7)
    assert Batches(use, 1, 300).weight_of(1) < 0.01
    assert Batches(use, 1, 1).weight_of(300) > 0.99


def test_a_fit_without_words_decides_nothing():
    with pytest.warns(ConstraintWarning, match="No document"):
        late = make().fit(EMPTY)
    late.partial_fit(corpus())
    np.testing.assert_array_equal(late.components_, make().partial_fit(corpus()).components_)


@pytest.mark.parametrize("w_max", [0, np.inf])
@pytest.mark.parametrize("fit_first", [True, False])
def test_the_unit_of_batches_does_not_matter(w_max, fit_first):
    found = []
    for powers in ((0, 0, 0), (10, 10, 10), (-10, -10, -10), (10, 0, -10)):
        model = make(w_max=w_max, start="random")
        if fit_first:
            model.fit(corpus())
        for seed, power in enumerate(powers, start=1):
            # Words come up one after the other: how free new ones are depends on what is seen.
            known = np.arange(60) < 50 + 3 * seed
            model.partial_fit(csr_matrix(corpus(50, seed=seed).multiply(2.0**power * known)))
        found.append(model.components_)
    for topics in found[1:]:
        np.testing.assert_allclose(topics, found[0], rtol=1e-9, atol=1e-12)


def assert_sound(model, theta_min=0.4):
    """Finite topics on the simplex that meet their bound, and nothing said of an older fit."""
    H = model.components_
    assert np.isfinite(H).all()
    assert (H >= 0).all()
    np.testing.assert_allclose(H.sum(axis=1), 1, rtol=1e-5)
    share = H[: model.n_minority, :4].sum(axis=1)
    assert (share >= theta_min * (1 - 1e-6)).all()
    assert model.feasible_
    for name in OF_A_FIT:
        assert not hasattr(model, name)


EMPTY = csr_matrix((5, 60))


def test_a_batch_without_words_leaves_topics_as_they_are():
    model = make().partial_fit(corpus(seed=0))
    before = model.components_.copy()
    model.partial_fit(EMPTY)
    np.testing.assert_allclose(model.components_, before, rtol=1e-12, atol=1e-300)
    assert_sound(model)
    model.partial_fit(corpus(seed=1))
    assert_sound(model)


def test_a_first_batch_without_words_decides_nothing():
    late = make().partial_fit(EMPTY)
    assert_sound(late)
    late.partial_fit(corpus())
    np.testing.assert_array_equal(late.components_, make().partial_fit(corpus()).components_)


@pytest.mark.parametrize("w_max", [0, 1e-9, 0.5])
@pytest.mark.parametrize("n_minority", [1, 2, 6])
def test_topics_are_feasible_after_batches_without_seed_words(w_max, n_minority):
    without = csr_matrix(corpus().multiply(np.arange(60) >= 4))
    model = make(w_max=w_max, n_minority=n_minority)
    for batch in (without, without[:1], corpus(seed=1), without):
        model.partial_fit(batch)
        assert_sound(model)


def test_topics_of_any_scale_are_followed_by_batches_alike():
    plain, scaled = (make().fit(corpus()) for _ in range(2))
    scaled.components_ *= np.array([[1e-3], [0.1], [1], [7], [50], [1e3]])  # as of solver="paper"
    for model in (plain, scaled):
        model.partial_fit(corpus(seed=1))
    np.testing.assert_allclose(scaled.components_, plain.components_, rtol=1e-6, atol=1e-9)
    assert_sound(scaled)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("solver", ["paper", "projected"])
def test_batches_may_follow_or_begin_with_any_solver(solver):
    for begin in ("fit", "partial_fit"):
        model = make(solver=solver, start="random", max_iter=20)
        getattr(model, begin)(corpus())
        assert_sound(model.partial_fit(corpus(seed=1)))


def test_what_a_fit_said_is_gone_after_a_batch_and_back_after_a_fit():
    model = make().fit(corpus())
    model.partial_fit(corpus(seed=1))
    assert_sound(model)
    model.fit(corpus())
    np.testing.assert_array_equal(model.components_, make().fit(corpus()).components_)
    assert model.objective_ == make().fit(corpus()).objective_


def test_batches_keep_the_type_of_the_first():
    model = make().partial_fit(corpus(dtype=np.float32))
    for batch in (corpus(seed=1), corpus(seed=1).toarray(), corpus(seed=2).astype(int)):
        model.partial_fit(batch)
        assert model.components_.dtype == np.float32
        assert_sound(model)
    with pytest.raises(ValueError, match="60"):
        model.partial_fit(corpus(n_words=66))
    with pytest.raises(ValueError, match="0 sample"):
        model.partial_fit(csr_matrix((0, 60)))


@pytest.mark.parametrize("changed", [{"n_topics": 9}, {"n_topics": 3}, {"n_minority": 2}])
def test_parameters_changed_after_a_fit_are_refused(changed):
    V = corpus()
    model = make().fit(V).set_params(**changed)
    for method in (model.partial_fit, model.transform):
        with pytest.raises(ValueError, match="fit again"):
            method(V)
    assert model.fit(V).transform(V).shape == (400, model.n_topics)


# --- checkpoints --------------------------------------------------------------------------------


class Killed(Exception):
    pass


@pytest.mark.parametrize("acceleration", ["extrapolated", "overrelaxed", "plain"])
def test_a_killed_fit_goes_on_to_the_same_bytes(tmp_path, monkeypatch, acceleration):
    V = corpus()
    path = tmp_path / "fit.npz"
    long = {"max_iter": 40, "tol": 0, "n_init": 1, "acceleration": acceleration}
    expected = make(**long).fit(V)

    def dies(descent):
        if len(descent.history) == 26:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(model_module, "FitProgress", lambda *_: dies)
        with pytest.raises(Killed):
            make(**long, checkpoint=path, checkpoint_every=10).fit(V)
    assert path.exists()
    model = make(**long, checkpoint=path).fit(V)
    assert not path.exists()
    assert model.components_.tobytes() == expected.components_.tobytes()
    np.testing.assert_array_equal(model.objective_history_, expected.objective_history_)


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_fit_killed_after_its_last_iteration_goes_on_too(tmp_path, monkeypatch, method):
    def dies(*_):
        raise KeyboardInterrupt

    path = tmp_path / "fit.npz"
    expected = getattr(make(**SHORT), method)(corpus())
    with monkeypatch.context() as patch:
        patch.setattr(model_module, "infer_weights", dies)
        with pytest.raises(KeyboardInterrupt):
            getattr(make(**SHORT, checkpoint=path), method)(corpus())
    assert path.exists()
    model = getattr(make(**SHORT, checkpoint=path), method)(corpus())
    assert not path.exists()
    assert model.components_.tobytes() == expected.components_.tobytes()


SHORT = {"max_iter": 10, "tol": 0, "n_init": 1}


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """The checkpoint of a fit, left where it was."""
    path = tmp_path / "fit.npz"
    with monkeypatch.context() as patch:
        patch.setattr("minority_topics.nmf.checkpoint.Checkpoint.remove", lambda self: None)
        make(**SHORT, checkpoint=path).fit(corpus())
    return path


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"n_topics": 5}, "n_topics is 6 there and 5 here"),
        ({"n_minority": 2}, "n_minority"),
        ({"w_max": 1e-8}, "w_max"),
        ({"theta_min": 0.5}, "theta_min"),
        ({"acceleration": "plain"}, "acceleration"),
        ({"start": "random"}, "start"),
        ({"start": (np.ones((400, 6)), np.ones((6, 60)))}, "start"),
        ({"random_state": 1}, "random_state is 0 there and 1 here"),
        ({"random_state": np.random.RandomState(0)}, "random_state"),
        ({"random_state": None}, "random_state"),
        ({"seed_words": [0, 1, 2, 4]}, "seed columns"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_checkpoint_of_another_problem_is_refused(saved, changed, said):
    with pytest.raises(ValueError, match=f"of another problem: .*{said}"):
        make(**(SHORT | {"checkpoint": saved} | changed)).fit(corpus())


@pytest.mark.parametrize(
    "change",
    [
        lambda V: V[np.random.default_rng(0).permutation(400)],
        lambda V: V[:, ::-1],
        lambda V: 2 * V,
        lambda V: V[:-1],
        lambda V: V.astype(np.float32),
        lambda V: 2.0**600 * V,
    ],
    ids=["rows permuted", "columns permuted", "doubled", "one document less", "type", "scale"],
)
def test_a_checkpoint_of_another_matrix_is_refused(saved, change):
    with pytest.raises(ValueError, match=r"of another problem: .* of X"):
        make(**SHORT, checkpoint=saved).fit(csr_matrix(change(corpus())))


def test_a_checkpoint_of_another_version_is_refused(saved, monkeypatch):
    monkeypatch.setattr("minority_topics.nmf.checkpoint.__version__", "99")
    with pytest.raises(ValueError, match=r"version is .* there and 99 here"):
        make(**SHORT, checkpoint=saved).fit(corpus())


def truncated(content):
    return content[: len(content) // 2]


def one_bit_flipped(content):
    at = len(content) // 3
    return content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :]


def longest_array_shorter(content):
    longest = max(re.findall(rb"'shape': \((\d+),\)", content), key=int)
    assert int(longest) > 4096 / 8, "it would be read, and its checksum found wrong, at once"
    return content.replace(b"(%b,)" % longest, b"(%0*d,)" % (len(longest), int(longest) // 2))


def other_arrays(_):
    file = io.BytesIO()
    np.savez(file, a=np.ones(3))
    return file.getvalue()


def pickled_objects(_):
    file = io.BytesIO()
    np.savez(file, identity=np.array({"a": 1}, dtype=object))
    return file.getvalue()


@pytest.mark.parametrize(
    "damage",
    [
        truncated,
        one_bit_flipped,
        longest_array_shorter,
        other_arrays,
        pickled_objects,
        lambda _: b"",
        lambda _: b"text\n",
    ],
    ids=["truncated", "bit", "shape", "other arrays", "pickle", "empty", "text"],
)
def test_a_damaged_checkpoint_is_named(saved, damage):
    saved.write_bytes(damage(saved.read_bytes()))
    with pytest.raises(ValueError, match=r"fit\.npz' is damaged.*remove this one\.$"):
        make(**SHORT, checkpoint=saved).fit(corpus())


@pytest.mark.parametrize(
    "fault", [OSError(errno.EIO, "broken disk"), PermissionError(errno.EACCES, "no"), MemoryError()]
)
def test_a_fault_of_the_machine_does_not_call_a_checkpoint_damaged(saved, monkeypatch, fault):
    def fail(archive):
        raise fault

    monkeypatch.setattr(zipfile.ZipFile, "testzip", fail)
    with pytest.raises(type(fault)) as caught:
        make(**SHORT, checkpoint=saved).fit(corpus())
    assert caught.value is fault


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_iterations", [1, 6])
def test_a_callback_stops_a_fit_and_its_checkpoint_goes_on(
    tmp_path, monkeypatch, dtype, n_iterations
):
    """The state is written and read in batches of seven rows, which do not matter."""

    def stop(descent):
        if len(descent.history) > n_iterations:
            raise FitStopped

    monkeypatch.setattr(
        checkpoint_module, "batches", lambda n: [slice(a, a + 7) for a in range(0, n, 7)]
    )
    V, file = corpus(dtype=dtype), tmp_path / "fit.npz"
    model = make(checkpoint=file)
    model.callbacks = [stop]
    with pytest.raises(FitStopped):
        model.fit(V)
    assert file.exists()
    model.callbacks = ()
    resumed, whole = model.fit(V), make(n_init=1).fit(V)
    np.testing.assert_array_equal(resumed.components_, whole.components_)
    np.testing.assert_array_equal(resumed.objective_history_, whole.objective_history_)
    assert not file.exists()


def test_a_fit_that_is_stopped_before_its_first_iteration_leaves_no_checkpoint(tmp_path):
    def stop(descent):
        raise FitStopped

    model = make(checkpoint=tmp_path / "fit.npz")
    model.callbacks = [stop]
    with pytest.raises(FitStopped):
        model.fit(corpus())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["missing/fit.npz", "file/fit.npz", ""])
def test_a_checkpoint_without_a_place_is_refused_before_the_fit(tmp_path, monkeypatch, place):
    (tmp_path / "file").touch()
    monkeypatch.setattr(model_module, "minimise", lambda *_: pytest.fail("the fit has begun"))
    with pytest.raises(ValueError, match=r"checkpoint .* (cannot be written|is a folder)"):
        make(**SHORT, checkpoint=tmp_path / place).fit(corpus())


@pytest.mark.parametrize(
    ("name", "said"),
    [("a\0b", "null byte.*take that character out"), ("a" * 300, "too long.*short")],
)
def test_what_is_no_name_of_a_file_is_refused_before_the_fit(tmp_path, monkeypatch, name, said):
    monkeypatch.setattr(model_module, "minimise", lambda *_: pytest.fail("the fit has begun"))
    with pytest.raises(ValueError, match=f"^checkpoint .*{said}"):
        make(**SHORT, checkpoint=str(tmp_path / name)).fit(corpus())


@pytest.mark.parametrize("parameters", [{"solver": "paper"}, {"n_init": 3}])
def test_what_cannot_be_saved_is_said(tmp_path, parameters):
    with pytest.raises(ValueError, match="checkpoint"):
        make(checkpoint=tmp_path / "fit.npz", **parameters).fit(corpus())


# --- progress -----------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Descent:
    def __init__(self):
        self.history = []


def follow(stream, n_iterations=12, seconds=1.0, tol=1e-3):
    """Tell of iterations whose change falls by a half each time."""
    times = iter(np.arange(1000) * seconds)
    progress = FitProgress(100, tol, stream=stream, clock=lambda: next(times))
    descent = Descent()
    for n in range(n_iterations):
        descent.history.append(100 + 2.0**-n * 50)
        progress(descent)


def test_a_long_fit_shows_itself_on_a_terminal():
    stream = Terminal()
    follow(stream)
    last = stream.getvalue().split("\r")[-1]
    assert "objective 100." in last
    assert "left" in last
    assert "change" in last


def test_a_short_fit_or_a_file_sees_nothing():
    file, terminal = io.StringIO(), Terminal()
    follow(file)
    follow(terminal, seconds=0.01)
    assert file.getvalue() == terminal.getvalue() == ""


def test_a_program_without_a_console_sees_nothing(monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    monkeypatch.setattr("sys.stdout", None)
    follow(None)
    make(verbose=1, max_iter=3).fit(corpus(20))


def test_the_log_has_the_facts_as_json(caplog):
    with caplog.at_level(logging.INFO, "minority_topics"):
        follow(io.StringIO())
    facts = json.loads(caplog.messages[-1])
    assert set(facts) == {"iteration", "objective", "change", "seconds", "seconds_left"}


@pytest.mark.parametrize("history", [[0.0, 0.0], [5.0, 0.0, 0.0]])
def test_an_objective_of_zero_has_no_change(caplog, history):
    times = iter(np.arange(100) * 5.0)
    progress, descent = FitProgress(9, 0, stream=Terminal(), clock=lambda: next(times)), Descent()
    with caplog.at_level(logging.INFO, "minority_topics"):
        for objective in history:
            descent.history.append(objective)
            progress(descent)
    assert json.loads(caplog.messages[-1])["change"] == 0


def test_iterations_left_by_hand():
    halving = [100 + 2.0**-n for n in range(12)]
    change = abs(halving[-2] - halving[-1]) / halving[-2]
    assert iterations_left(halving, 200, change / 2**7) == pytest.approx(7, rel=0.01)
    assert iterations_left(halving, 15, change / 2**7) == 4
    assert iterations_left(halving[:3], 200, 1e-9) == 198


def test_a_fit_of_three_documents_has_no_trouble_with_any_of_this(tmp_path):
    V = corpus(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        make(n_topics=3, checkpoint=tmp_path / "fit.npz", checkpoint_every=1).fit(V)
        make(n_topics=3).partial_fit(V).transform(V)
