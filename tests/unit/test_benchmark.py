"""The benchmark: its matrices, its cases in processes of their own, and what its tables say."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest

from minority_topics.benchmark import cases as benchmark
from minority_topics.benchmark.cases import OURS, PEERS, Case
from minority_topics.benchmark.machine import measure
from minority_topics.benchmark.tables import ONE_LAP, exponents, pass_shares, summarise
from minority_topics.report.figures.drawing import draw
from minority_topics.study.fitting import LIBRARY


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("benchmarks")
    benchmark.prepare(folder, 300)
    return folder


@pytest.mark.slow
def test_matrices_have_seven_words_a_document():
    assert benchmark.make_matrix(300, 500)[0].shape == (300, 500)
    V, seeds = benchmark.make_matrix(3000, 10**6)
    assert V.dtype == np.float32
    assert V.nnz / 3000 == pytest.approx(7, abs=0.1)
    norm = np.sqrt(np.asarray(V.multiply(V).sum(axis=1)).ravel())
    np.testing.assert_allclose(norm[norm > 0], 1, rtol=1e-5)
    assert (np.diff(V.tocsc().indptr) > 0).all()
    assert 0 < len(seeds) <= benchmark.N_SEEDS


@pytest.mark.parametrize("solver", benchmark.RUNS)
def test_every_solver_answers_in_its_environment(folder, python_of, solver):
    case = Case(solver, 300, 4, 1, 20.0)
    module = "minority_topics.benchmark.cases"
    ran = subprocess.run(
        [python_of("benchmark"), "-m", module, folder, json.dumps(vars(case))],
        capture_output=True, text=True, check=True,
        env={"PYTHONPATH": str(LIBRARY), "NUMBA_NUM_THREADS": "1", "PATH": ""},
    )  # fmt: skip
    answer = json.loads(ran.stdout.splitlines()[-1])
    assert answer["status"] == "ok"
    assert answer["laps"]
    assert 50 < answer["peak_memory_mb"] < 3000
    if "LDA" not in solver and solver not in ("exact, passes", *ONE_LAP):
        assert answer["laps"][-1][1] <= answer["laps"][0][1]


@pytest.mark.slow
def test_a_case_is_asked_once(folder):
    case = Case(OURS, 300, 4, 1, 20.0)
    first = benchmark.run_case(folder, case)
    assert first["status"] == "ok"
    assert benchmark.run_case(folder, case) == json.loads(json.dumps(first))


@pytest.mark.slow
def test_a_peer_out_of_time_is_not_asked_for_more(tmp_path):
    slow = "scikit-learn NMF"
    cases = [Case(slow, n, 4, 1, 0.0) for n in (300, 400)]
    first, second = benchmark.run(tmp_path, cases, report=lambda *_, **__: None)
    assert first["status"] == "time"
    assert second["status"] == "stopped at 300 documents"
    assert not benchmark.matrix_file(tmp_path, 400).exists()


def test_the_plan_has_ours_with_every_number_of_threads_and_peers_once():
    cases = list(benchmark.plan((200, 100), (20, 50), threads=2))
    assert [case.n_documents for case in cases] == sorted(case.n_documents for case in cases)
    ours = [(case.n_topics, case.threads) for case in cases if case.solver == OURS]
    assert ours[:4] == [(20, 1), (20, 2), (50, 1), (50, 2)]
    for peer in PEERS:
        assert [case.n_topics for case in cases if case.solver == peer] == [50, 50]


def answer(solver, laps, n=100, threads=1, **facts):
    given = {"solver": solver, "n_documents": n, "n_topics": 20, "threads": threads, "nnz": 7 * n}
    return {**given, "status": "ok", "peak_memory_mb": 100.0, "laps": laps, **facts}


@pytest.mark.slow
def test_times_and_ratios_by_hand(tmp_path):
    found = [
        answer(OURS, [(0.0, 200.0), (1.0, 100.5), (2.0, 100.0)]),
        answer("scikit-learn NMF", [(0.0, 200.0), (10.0, 150.0), (20.0, 100.9), (30.0, 100.05)]),
        answer("tomotopy LDA", [(5.0, None), (7.0, None)]),
        answer("gensim Nmf", [(0.0, 200.0), (40.0, 150.0)]),
    ]
    table = summarise(found).set_index("solver")
    assert table["seconds_per_iteration"].tolist() == [1, 10, 2, 40]
    assert table.loc[[OURS, "scikit-learn NMF"], "seconds_to_1%"].tolist() == [1, 20]
    assert table.loc[[OURS, "scikit-learn NMF"], "seconds_to_0.1%"].tolist() == [2, 30]
    assert table["times_ours: per_iteration"].tolist() == [1, 10, 2, 40]
    assert table.loc["scikit-learn NMF", "times_ours: to_0.1%"] == 15
    assert np.isnan(table.loc["tomotopy LDA", "times_ours: to_1%"])
    assert np.isnan(table.loc["gensim Nmf", "seconds_to_0.1%"])
    assert table.loc["gensim Nmf", "times_ours: to_0.1%"] == 20
    assert table["at_least: to_0.1%"].tolist() == [False, False, False, True]

    table.reset_index().to_csv(tmp_path / "cases.csv", index=False)
    draw("benchmark", tmp_path / "cases.csv", {}, tmp_path / "benchmark.png")
    assert (tmp_path / "benchmark.png").stat().st_size > 10_000


def test_exponents_by_hand():
    table = pd.DataFrame(
        [
            {"solver": OURS, "n_documents": n, "nnz": 7 * n, "n_topics": k, "threads": 1,
             "seconds_per_iteration": 1e-9 * n**1.5 * k}
            for n in (5_000, 50_000, 500_000) for k in (20, 50)
        ]
    )  # fmt: skip
    found = exponents(table)
    np.testing.assert_allclose(found.loc[found["in"] == "nonzeros", "exponent"], 1.5)
    np.testing.assert_allclose(found.loc[found["in"] == "topics", "exponent"], 1)


def test_share_of_the_bound_by_hand():
    laps = [("W", 2.0, 60, 40, 10), ("H", 4.0, 50, 50, 300)] * 30
    machine = {"bytes": 100.0, "gathered_bytes": 50.0, "multiply_adds": 100.0}
    shares = pass_shares([answer("exact, passes", laps)], machine)
    assert shares["share_of_bound"].tolist() == pytest.approx(
        [0.5] * 2 + [0.75] * 2 + [3.1 / 6] * 2
    )
    gather = [0.8] * 2 + [0.75] * 2 + [3.1 / 6] * 2
    assert shares["share_of_gather_bound"].tolist() == pytest.approx(gather)


@pytest.mark.slow
def test_the_machine_can_be_measured():
    machine = measure(seconds=0.01)
    assert 1e8 < machine["gathered_bytes"] < 1e13
    assert 1e8 < machine["bytes"] < 1e13
    assert 1e8 < machine["multiply_adds"] < 1e13
