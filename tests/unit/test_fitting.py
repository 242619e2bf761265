"""A fit that fails in any way becomes a row, and the next fit goes on."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from minority_topics import fitting
from minority_topics.fitting import Job, Limits, fail_jobs, run_jobs
from minority_topics.registry import ROOT, derive_random_state

TROUBLE = """
    import os, signal, subprocess, sys, time
    from minority_topics.contract import Fit, NotApplicable, UnusableProblem, normalise_rows
    import numpy as np

    def fit(problem):
        what = problem.options["do"]
        if what == "sleep":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
            print(child.pid, file=open(problem.options["pid_file"], "w"), flush=True)
            time.sleep(60)
        elif what == "eat":
            hoard = np.ones(60_000_000)
            time.sleep(60)
        elif what == "die":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif what == "raise":
            raise RuntimeError("first line\\nsecond line")
        elif what == "import":
            import a_package_that_is_not_there
        elif what == "decline":
            raise NotApplicable("not for this corpus")
        elif what == "wrong":
            return Fit(np.ones((1, 1)), np.ones((1, 1)))
        print("a tool's chatter on standard output")
        rows = np.ones((problem.counts.shape[0], 1))
        return Fit(rows, normalise_rows(problem.counts.sum(axis=0).reshape(1, -1)))
"""


@pytest.fixture
def trouble(tmp_path, monkeypatch):
    """The library, with one more method that gets into trouble when asked to."""
    package = tmp_path / "library" / "minority_topics"
    package.mkdir(parents=True)
    source = fitting.LIBRARY / "minority_topics"
    for path in [*source.glob("*.py")]:
        (package / path.name).symlink_to(path)
    (package / "methods").mkdir()
    (package / "methods" / "__init__.py").write_text("")
    (package / "methods" / "trouble.py").write_text(textwrap.dedent(TROUBLE))
    monkeypatch.setattr(fitting, "LIBRARY", package.parent)


def jobs_for(corpus, out, *tasks):
    return [
        Job("trouble", "trouble", str(corpus), str(out / str(number)), 4, 2, 1, task)
        for number, task in enumerate(tasks)
    ]


def is_running(pid):
    """Whether a process does anything still; a killed orphan may wait to be reaped."""
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return bool(listed.stdout.strip()) and not listed.stdout.startswith("Z")


def test_every_kind_of_failure_is_a_row_and_the_next_fit_goes_on(trouble, corpus_folder, tmp_path):
    tasks = ["ok", "raise", "die", "import", "decline", "wrong", "ok"]
    jobs = jobs_for(corpus_folder, tmp_path, *({"do": task} for task in tasks))
    statuses = run_jobs(jobs, Limits(minutes=1))
    found = [(status["status"], status["reason"]) for status in statuses]
    assert found[0] == found[6] == ("ok", "")
    assert found[1] == ("failed", "RuntimeError: first line")
    assert found[2] == ("failed", "its process died (signal SIGSEGV)")
    assert found[3][0] == "failed"
    assert "a_package_that_is_not_there" in found[3][1]
    assert found[4] == ("not applicable", "not for this corpus")
    assert found[5][0] == "failed"
    assert found[5][1].startswith("ContractError: doc_topic is")
    assert all((tmp_path / str(number) / "status.json").exists() for number in range(len(tasks)))
    assert not (tmp_path / "1" / "fit.npz").exists()


def test_a_hang_is_stopped_with_its_children(trouble, corpus_folder, tmp_path):
    task = {"do": "sleep", "pid_file": str(tmp_path / "pid")}
    begin = time.monotonic()
    statuses = run_jobs(jobs_for(corpus_folder, tmp_path, task, {"do": "ok"}), Limits(minutes=0.05))
    assert time.monotonic() - begin < 30
    assert statuses[0]["reason"] == "stopped after its limit of 0.05 minutes"
    assert statuses[1]["status"] == "ok"
    assert not is_running(int((tmp_path / "pid").read_text()))


def test_a_terminated_run_takes_its_worker_along(trouble, corpus_folder, tmp_path):
    script = f"""if True:
        from pathlib import Path
        from minority_topics import cli, fitting
        fitting.LIBRARY = Path({str(fitting.LIBRARY)!r})
        job = fitting.Job("t", "trouble", {str(corpus_folder)!r}, {str(tmp_path)!r}, 4, 2, 1,
                          {{"do": "sleep", "pid_file": {str(tmp_path / "pid")!r}}})
        def check(options):
            fitting.run_jobs([job], fitting.Limits())
        cli.check = check
        cli.main(["check", "none"])
    """
    library = str(ROOT / "workflow")
    run = subprocess.Popen(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": library}
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    run.terminate()
    assert run.wait(timeout=30) == 128 + signal.SIGTERM
    assert not is_running(int((tmp_path / "pid").read_text()))


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_a_glutton_is_stopped(trouble, corpus_folder, tmp_path):
    (status,) = run_jobs(jobs_for(corpus_folder, tmp_path, {"do": "eat"}), Limits(memory_mb=300))
    assert status["status"] == "failed"
    assert "over its limit of 300 MB" in status["reason"]
    assert status["peak_memory_mb"] > 300


def test_a_missing_environment_fails_every_job(tmp_path):
    statuses = fail_jobs(jobs_for("none", tmp_path, {}, {}), Limits(), "no compiler")
    assert [status["reason"] for status in statuses] == ["no compiler"] * 2
    assert (tmp_path / "1" / "status.json").exists()


def test_random_states_follow_the_axes():
    states = {derive_random_state(1, "data", "nmf", repetition) for repetition in range(200)}
    assert len(states) == 200
    assert all(1 <= state < 2**31 for state in states)
    assert derive_random_state(1, "data", "nmf", 0) == derive_random_state(1, "data", "nmf", 0)
    assert derive_random_state(2, "data", "nmf", 0) not in states
