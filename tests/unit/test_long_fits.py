"""What a long fit has beside its result: starts from samples, batches, checkpoints, progress."""

import io
import json
import logging
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix, vstack
from scipy.special import xlogy

from minority_topics import ConstrainedNMF
from minority_topics import model as model_module
from minority_topics.progress import FitProgress, iterations_left
from minority_topics.start import sample_documents, spread_topics


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


def test_a_start_from_samples_ends_as_low_as_one_from_all(monkeypatch):
    V = corpus(4000)
    whole = make().fit(V)
    monkeypatch.setattr(model_module, "LARGE", 100)
    sampled = make().fit(V)
    assert sampled.objective_ <= 1.002 * whole.objective_
    assert sampled.feasible_


@pytest.mark.parametrize("solver", ["paper", "projected"])
def test_a_start_from_samples_is_the_same_for_every_solver(monkeypatch, solver):
    def keep(*arguments):
        starts.append(spread_topics(*arguments))
        return starts[-1]

    starts = []
    monkeypatch.setattr(model_module, "LARGE", 600)
    monkeypatch.setattr(model_module, "spread_topics", keep)
    for name in ("exact", solver):
        make(solver=name, n_init=1, max_iter=5).fit(corpus(1000))
    np.testing.assert_array_equal(*starts)


# --- batches ------------------------------------------------------------------------------------


def test_transform_in_batches_is_transform(monkeypatch):
    V = corpus()
    model = make().fit(V)
    expected = model.transform(V)
    monkeypatch.setattr(
        model_module, "batches", lambda n: [slice(a, a + 7) for a in range(0, n, 7)]
    )
    np.testing.assert_array_equal(model.transform(V), expected)


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


def test_later_batches_bring_new_words():
    first, second = corpus(200, seed=0), corpus(200, seed=1)
    first = csr_matrix(first.multiply(np.arange(60) != 25))
    model = make().partial_fit(first)
    assert (model.components_[:, 25] == 0).all()
    model.partial_fit(second)
    neighbours = model.components_[:, 20:30].sum(axis=1)
    assert model.components_[:, 25].argmax() == neighbours.argmax()


def test_batches_may_follow_a_fit():
    V = corpus()
    model = make().fit(V)
    before = model.components_.copy()
    model.partial_fit(corpus(seed=1))
    assert 0 < np.abs(model.components_ - before).max() < 0.1


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


@pytest.mark.parametrize("changed", [{"n_topics": 5}, {"start": "random"}])
def test_a_checkpoint_of_another_problem_is_refused(tmp_path, monkeypatch, changed):
    path = tmp_path / "fit.npz"
    with monkeypatch.context() as patch:
        patch.setattr("minority_topics.checkpoint.Checkpoint.remove", lambda self: None)
        make(max_iter=10, tol=0, checkpoint=path).fit(corpus())
    with pytest.raises(ValueError, match="another problem"):
        make(max_iter=10, tol=0, checkpoint=path, **changed).fit(corpus())


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


def test_the_log_has_the_facts_as_json(caplog):
    with caplog.at_level(logging.INFO, "minority_topics"):
        follow(io.StringIO())
    facts = json.loads(caplog.messages[-1])
    assert set(facts) == {"iteration", "objective", "change", "seconds", "seconds_left"}


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
