"""Fits of comments: what they write, what stops them, and how several agree."""

import functools
import importlib.util
import json

import numpy as np
import pytest
import scipy.sparse as sp
from matrix_folder import planted_counts, write_matrix_folder

from minority_topics.base.manifest import DamagedFolder, check_manifest
from minority_topics.comments import fitting, folders, limits, progress
from minority_topics.comments.fitting import (
    agreements,
    cosines,
    fit_comments,
    main_topics,
    needed_bytes,
    shares,
    topic_stability,
    with_empty_rows,
)
from minority_topics.comments.limits import Deadline, FitLog, LimitError, available_mb, check_memory
from minority_topics.comments.summaries import of_fit
from minority_topics.corpus.readers import DataError
from minority_topics.nmf import certificate, solvers, start
from minority_topics.nmf.model import ConstrainedNMF
from minority_topics.nmf.progress import FitStopped

SETTINGS = {"n_topics": 4, "n_minority": 1, "max_iter": 60}


@pytest.fixture(scope="module")
def matrix(tmp_path_factory):
    counts, _ = planted_counts(empty=[0, 7, 399])
    return write_matrix_folder(tmp_path_factory.mktemp("matrix"), counts, [0, 1, 2])


@pytest.fixture(scope="module")
def model_folder(matrix, tmp_path_factory):
    out = tmp_path_factory.mktemp("fitted") / "model"
    fit_comments(matrix, out, **SETTINGS)
    return out


def read_fit(folder):
    return json.loads((folder / folders.FIT).read_text(encoding="utf-8"))


# What is written.


def test_the_model_folder_is_whole_and_has_the_files_of_the_contract(model_folder):
    check_manifest(model_folder)
    names = {path.name for path in model_folder.iterdir()} - {"manifest.json"}
    assert names == {
        folders.MODEL, folders.ARRAYS, folders.DOC_TOPIC, folders.FIT, folders.VOCABULARY,
        folders.IDF, folders.ENCODER, folders.GUIDANCE,
    }  # fmt: skip
    assert [path.name for path in model_folder.parent.iterdir()] == [model_folder.name]


def test_shares_of_topics_are_those_of_the_model(matrix, model_folder):
    doc_topic = sp.load_npz(model_folder / folders.DOC_TOPIC)
    V = sp.load_npz(matrix / folders.TFIDF)
    assert doc_topic.dtype == np.float32
    assert doc_topic.shape == (400, 4)
    assert doc_topic.data.min() >= fitting.LEAST_SHARE
    assert doc_topic.sum(axis=1).max() <= 1 + 1e-6
    np.testing.assert_array_equal(np.diff(doc_topic.indptr) == 0, np.diff(V.indptr) == 0)
    W = ConstrainedNMF.load(model_folder).transform(V)
    expected = W / np.maximum(W.sum(axis=1, keepdims=True), 1e-30)
    np.testing.assert_allclose(doc_topic.toarray(), expected, atol=2e-3)


def test_planted_topics_are_found(model_folder):
    _, topic = planted_counts(empty=[0, 7, 399])
    doc_topic = sp.load_npz(model_folder / folders.DOC_TOPIC)
    main = main_topics(doc_topic)
    with_words = main >= 0
    assert agreements([main[with_words], topic[with_words]])[0] > 0.95
    # The seed words are those of the first planted topic.
    assert (main[with_words & (topic == 0)] == 0).mean() > 0.9


def test_the_fit_is_told(model_folder):
    fit = read_fit(model_folder)
    assert fit["feasible"] is True
    assert (fit["documents"], fit["documents_with_words"], fit["words"]) == (400, 397, 32)
    assert fit["agreement"] is None
    assert fit["stability"] is None
    assert fit["random_state"] == 1
    assert fit["objective"] > 0
    assert fit["peak_mb"] > 10
    assert fit["warnings"] == []
    assert set(fit) >= {"iterations", "converged", "kkt", "seconds", "w_max", "theta_min"}


def test_the_same_random_state_gives_the_same_model(matrix, model_folder, tmp_path):
    fit_comments(matrix, tmp_path / "again", **SETTINGS, threads=1)
    for name in (folders.ARRAYS, folders.MODEL, folders.DOC_TOPIC):
        assert (tmp_path / "again" / name).read_bytes() == (model_folder / name).read_bytes()


def test_shares_leave_out_what_is_small():
    W = np.array([[3, 1, 0], [0, 0, 0], [1, 1e-4, 0]], dtype=np.float32)
    result = shares(W)
    np.testing.assert_allclose(result.toarray(), [[0.75, 0.25, 0], [0, 0, 0], [1, 0, 0]], atol=1e-3)
    assert result.nnz == 3
    assert result.dtype == np.float32


def test_rows_without_words_go_back_to_their_places():
    matrix = sp.csr_matrix(np.array([[1.0, 2], [0, 3]]))
    result = with_empty_rows(matrix, np.array([False, True, False, True, False]))
    assert result.toarray().tolist() == [[0, 0], [1, 2], [0, 0], [0, 3], [0, 0]]


def test_main_topics_are_the_largest_the_first_of_equals_and_none_of_empty_rows():
    doc_topic = sp.csr_matrix(np.array([[0.2, 0.8], [0.5, 0.5], [0, 0]]))
    assert main_topics(doc_topic).tolist() == [1, 0, -1]


# Several fits.


def test_the_best_of_several_fits_is_kept_and_they_are_compared(matrix, tmp_path):
    fit_comments(matrix, tmp_path / "model", **SETTINGS, n_fits=3, random_state=5)
    fit = read_fit(tmp_path / "model")
    objectives = fit["agreement"]["objectives"]
    assert set(objectives) == {"5", "6", "7"}
    assert fit["objective"] == min(objectives.values()) == objectives[str(fit["random_state"])]
    assert 0.9 < fit["agreement"]["least_ami"] <= fit["agreement"]["mean_ami"] <= 1 + 1e-9
    assert len(fit["stability"]) == 4
    assert min(fit["stability"]) > 0.9
    model = ConstrainedNMF.load(tmp_path / "model")
    assert model.objective_ == fit["objective"]


def test_stability_is_the_mean_cosine_of_counterparts():
    topics = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    same = topics[[0, 2, 1]]  # the last two have changed places
    other = np.array([[3.0, 4, 0], [0, 1, 0], [0, 0, 2]])
    expected = [(1 + 0.6) / 2, 1, 1]
    np.testing.assert_allclose(topic_stability(topics, [same, other], 1), expected)


def test_a_minority_topic_has_its_counterpart_among_minority_topics():
    topics = np.eye(2)
    np.testing.assert_allclose(topic_stability(topics, [topics[::-1]], 1), [0, 0])
    np.testing.assert_allclose(topic_stability(topics, [topics[::-1]], 0), [1, 1])


def test_cosines_of_an_empty_topic_are_zero():
    np.testing.assert_allclose(cosines([[0, 0], [3, 4]], [[4, 3]]), [[0], [0.96]])


# Limits.


def test_a_fit_that_runs_out_of_time_says_so_and_goes_on(matrix, tmp_path, monkeypatch):
    monkeypatch.setattr(fitting, "AUTO_WORK", 0)
    whole = fit_comments(matrix, tmp_path / "whole", **SETTINGS)
    out, stops = tmp_path / "model", []
    while not out.exists():
        try:
            fit_comments(matrix, out, **SETTINGS, minutes=0)
        except LimitError as error:
            stops.append(str(error))
    assert all("stopped after minutes=0" in said for said in stops)
    assert all("run it again to go on" in said for said in stops)
    assert 3 < len(stops) <= whole["iterations"]
    fit = read_fit(out)
    assert fit["objective"] == whole["objective"]
    assert (out / folders.ARRAYS).read_bytes() == (tmp_path / "whole" / folders.ARRAYS).read_bytes()
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("spoilt", [None, folders.ARRAYS, folders.DOC_TOPIC, folders.FIT])
def test_fits_that_are_complete_and_whole_are_not_made_again(matrix, tmp_path, monkeypatch, spoilt):
    fit_once, asked = fitting._fit_once, []

    def interrupted(problem, settings, state, *rest):
        asked.append(state)
        if len(asked) == 2:
            raise KeyboardInterrupt
        fit_once(problem, settings, state, *rest)

    monkeypatch.setattr(fitting, "_fit_once", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fit_comments(matrix, tmp_path / "model", **SETTINGS, n_fits=2)
    if spoilt:
        (tmp_path / ".model.fits" / "1" / spoilt).write_bytes(b"spoilt")
    fit_comments(matrix, tmp_path / "model", **SETTINGS, n_fits=2)
    assert asked == ([1, 2, 1, 2] if spoilt else [1, 2, 2])


def test_fits_of_other_settings_are_made_anew(matrix, tmp_path, monkeypatch):
    monkeypatch.setattr(fitting, "AUTO_WORK", 0)
    with pytest.raises(LimitError):
        fit_comments(matrix, tmp_path / "model", **SETTINGS, minutes=0)
    fit = fit_comments(matrix, tmp_path / "model", **SETTINGS | {"theta_min": 0.2})
    assert fit["theta_min"] == 0.2


def test_a_fit_without_enough_memory_is_refused_before_it_begins(matrix, tmp_path):
    with pytest.raises(LimitError, match=r"397 comments with 4 topics needs about .* MB .*memory"):
        fit_comments(matrix, tmp_path / "model", **SETTINGS, memory_mb=100)
    assert not (tmp_path / "model").exists()


def test_memory_is_what_the_control_group_leaves(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "CGROUP", tmp_path)
    free = available_mb()
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text(f"{10 * limits.MB}\n")
    assert available_mb() == pytest.approx(free, rel=0.5)
    (tmp_path / "memory.max").write_text(f"{15 * limits.MB}\n")
    assert available_mb() == 5
    with pytest.raises(LimitError, match="about 6 MB of memory, but only 5 MB are free on this"):
        check_memory(6, "this", "wait")
    check_memory(5, "this", "wait")


def test_the_estimate_of_the_paper_size_is_below_six_gigabytes():
    needed = needed_bytes(5_600_000, 900_000, 56_000_000, 50, 15)
    assert 4 * 2**30 < needed < 6 * 2**30


@pytest.mark.parametrize("n_threads", [1, 2])
def test_threads_are_limited_and_set_back(n_threads):
    import numba

    before = numba.get_num_threads()
    with limits.limited_threads(n_threads) as got:
        assert got == numba.get_num_threads() == min(n_threads, numba.config.NUMBA_NUM_THREADS)
    assert numba.get_num_threads() == before


class Descent:
    def __init__(self, n_iterations):
        self.history = [10.0 / (n + 1) for n in range(n_iterations + 1)]


def test_a_deadline_lets_a_fit_make_one_iteration():
    now = [0.0]
    deadline = Deadline(1, clock=lambda: now[0])
    deadline(Descent(5))
    now[0] = 61
    deadline(Descent(0))
    with pytest.raises(FitStopped, match="5 iterations"):
        deadline(Descent(5))
    Deadline(None, clock=lambda: now[0])(Descent(5))


def test_a_log_is_told_every_ten_seconds(capsys):
    import sys

    now = [0.0]
    log = FitLog(100, 0, stream=sys.stderr, clock=lambda: now[0])
    for second in range(25):
        now[0] = second
        log(Descent(second))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("fitting: iteration 10, objective 0.909091, 10 s gone, about 2 min")


def test_parts_of_a_fit_are_told_with_the_time_left(capsys):
    import sys

    now = [0.0]
    log = FitLog(100, 0, stream=sys.stderr, clock=lambda: now[0])
    for now[0], what, done in ((6, "start", 1), (9, "start", 2), (12, "start", 3), (13, "end", 1)):
        log.part(what, done, 4)
    log(Descent(0))
    now[0] = 22.0
    log(Descent(1))
    start, iteration = capsys.readouterr().err.splitlines()
    # Begun at second 6: three quarters in 6 seconds.
    assert start == "fitting: start: 75%, 6 s gone, about 2 s left"
    assert iteration.startswith("fitting: iteration 1,")


def test_a_part_that_is_over_at_once_is_not_told(capsys):
    import sys

    now = [0.0]
    log = FitLog(100, 0, stream=sys.stderr, clock=lambda: now[0])
    now[0] = 40.0  # after a slow compilation
    log.part("check", 4, 4)
    assert capsys.readouterr().err == ""
    log.part("other", 1, 4)
    log.part("other", 4, 4)
    now[0] = 60.0
    log.part("other", 4, 4)
    assert capsys.readouterr().err.splitlines() == [
        "fitting: other: 25%, 0 s gone, about 0 s left",
        "fitting: other: 100%, 20 s gone, about 0 s left",
    ]


def test_no_part_of_a_fit_is_silent(matrix, tmp_path, monkeypatch, capsys):
    for module, name in ((limits, "SILENT_SECONDS"), (limits, "SECONDS_IN_LOG"),
                         (progress, "SECONDS_IN_LOG")):  # fmt: skip
        monkeypatch.setattr(module, name, 0.0)
    monkeypatch.setattr(start, "LARGE", 100)
    for module in (certificate, solvers):
        monkeypatch.setattr(module, "batches", functools.partial(module.batches, size=100))
    fit_comments(matrix, tmp_path / "model", **SETTINGS)
    lines = capsys.readouterr().err.splitlines()
    parts = [
        "start from a sample of 100 documents", "iteration", "topics of each document",
        "check of the constraints",
    ]  # fmt: skip
    first = [
        next(place for place, line in enumerate(lines) if line.startswith(f"fitting: {part}"))
        for part in parts
    ]
    assert first == sorted(first)
    assert all(
        any(line.startswith(f"fitting: {part}") and line.endswith(" left") for line in lines)
        for part in parts
    )


def test_compiling_is_announced_once_and_not_if_the_code_is_on_the_disk(tmp_path, capsys):
    code = tmp_path / "code.py"
    code.write_text(
        "from numba import njit\n"
        "@njit(cache=True)\ndef more(x):\n    return x + 1\n"
        "@njit(cache=True)\ndef twice(x):\n    return 2 * x\n",
        encoding="utf-8",
    )
    told = []
    for _ in range(2):
        spec = importlib.util.spec_from_file_location("code_of_a_test", code)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        with limits.limited_threads(1):
            assert (module.more(1), module.twice(4)) == (2, 8)
        told.append(capsys.readouterr().err)
    assert told == [f"{limits.COMPILING}\n", ""]


# Trouble with seed words.


def test_fewer_seed_words_than_minority_topics_are_warned_of_once(tmp_path, caplog):
    counts, _ = planted_counts()
    folder = write_matrix_folder(tmp_path / "matrix", counts, [0, 1])
    fit = fit_comments(folder, tmp_path / "model", **SETTINGS | {"n_minority": 3})
    assert "2 seed words for 3 minority topics" in fit["warnings"][0]
    assert (caplog.text + "".join(of_fit(fit))).count("2 seed words for 3 minority topics") == 1


def test_few_comments_with_a_seed_word_are_warned_of(tmp_path):
    counts, _ = planted_counts(40, empty=range(8))
    with_seed = np.unique(counts[:, [0, 1]].nonzero()[0]).size
    assert 0 < with_seed < 20
    folder = write_matrix_folder(tmp_path / "matrix", counts, [0, 1])
    fit = fit_comments(folder, tmp_path / "model", **SETTINGS | {"n_minority": 2})
    assert fit["warnings"][0].startswith(
        "Only 32 comments have words, fewer than 10 for each topic"
    )
    assert fit["warnings"][1].startswith(f"Only {with_seed} comments hold a seed word, fewer than")
    assert set(fit["warnings"]) < set(of_fit(fit))


def test_more_topics_than_comments_or_words_are_refused(tmp_path):
    counts, _ = planted_counts(40, empty=range(8))  # 32 words
    folder = write_matrix_folder(tmp_path / "matrix", counts, [0, 1])
    with pytest.raises(DataError, match="n_topics=33 is too many for 32 comments with words and"):
        fit_comments(folder, tmp_path / "model", **SETTINGS | {"n_topics": 33})
    assert not (tmp_path / "model").exists()


def test_a_minority_topic_of_no_comment_is_warned_of():
    settings = {"n_topics": 4, "n_minority": 3}
    assert fitting._warn_of_empty(np.array([0, 1, 2, -1]), settings) == []
    (one,) = fitting._warn_of_empty(np.array([0, 2, 3]), settings)
    assert one.startswith("Minority topic 2 is the main topic of no comment; lower n_minority")
    (two,) = fitting._warn_of_empty(np.array([1, 3]), settings)
    assert two.startswith("Minority topics 1 and 3 are the main topic of no comment")


def test_without_a_seed_word_nothing_is_fitted(tmp_path):
    counts, _ = planted_counts(50)
    folder = write_matrix_folder(tmp_path / "matrix", counts, [])
    with pytest.raises(DataError, match="no seed word is in the comments"):
        fit_comments(folder, tmp_path / "model", **SETTINGS)
    fit = fit_comments(folder, tmp_path / "model", **SETTINGS | {"n_minority": 0})
    assert fit["feasible"]


def test_comments_without_words_are_refused(tmp_path):
    counts = sp.csr_matrix((5, 4), dtype=np.int32)
    folder = write_matrix_folder(tmp_path / "matrix", counts, [0])
    with pytest.raises(DataError, match="no comment has a word"):
        fit_comments(folder, tmp_path / "model", **SETTINGS)


def test_a_damaged_matrix_is_refused(tmp_path):
    counts, _ = planted_counts(50)
    folder = write_matrix_folder(tmp_path / "matrix", counts, [0])
    (folder / folders.TFIDF).write_bytes(b"nothing")
    with pytest.raises(DamagedFolder, match=r"tfidf\.npz is damaged"):
        fit_comments(folder, tmp_path / "model", **SETTINGS)


@pytest.mark.parametrize("setting", [{"n_fits": 0}, {"random_state": -1}, {"n_topics": "5"}])
def test_settings_that_mean_nothing_are_refused(matrix, tmp_path, setting):
    with pytest.raises(ValueError, match=f"{next(iter(setting))}=.*must be a whole number"):
        fit_comments(matrix, tmp_path / "model", **SETTINGS | setting)
