"""A fit that fails by itself is a row, and the next goes on; a fault of the machine is none."""

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest
from helpers import job_of

from minority_topics.base.manifest import check_manifest, verify
from minority_topics.methods.contract import ContractError, plain_notes
from minority_topics.study import fitting
from minority_topics.study.fitting import (
    Job,
    Limits,
    MachineFault,
    fail_jobs,
    memory_mb,
    run_jobs,
)
from minority_topics.study.paths import ROOT
from minority_topics.study.plan import derive_random_state

# Fits run in processes of their own.
pytestmark = pytest.mark.slow

TROUBLE = """
    import os, signal, subprocess, sys, time
    from minority_topics.methods.contract import Fit, NotApplicable, UnusableProblem, normalise_rows
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
        elif what == "write":
            os.makedirs(problem.options["folder"], exist_ok=True)
            while True:
                print("more", file=open(problem.options["folder"] + "/more.txt", "a"), flush=True)
        elif what == "signal":
            number = getattr(signal, problem.options["name"])
            if number == signal.SIGHUP:
                signal.signal(number, signal.SIG_DFL)  # nohup ignores it
            os.kill(os.getpid(), number)
            time.sleep(60)
        elif what == "raise":
            raise RuntimeError("first line\\nsecond line")
        elif what == "fault":
            raise {"memory": MemoryError(), "disk": OSError(28, "No space left on device")}[
                problem.options["name"]
            ]
        elif what == "exit":
            sys.exit(3)
        elif what == "leave":
            os._exit(4)
        elif what == "import":
            import a_package_that_is_not_there
        elif what == "decline":
            raise NotApplicable("not for this corpus")
        elif what == "wrong":
            return Fit(np.ones((1, 1)), np.ones((1, 1)))
        print("a tool's chatter on standard output")
        notes = {"nan": float("nan"), "numbers": np.array([1.5, np.inf]), "n": np.int64(3)}
        if what == "garbage":
            # The answers go through the first descriptor after those of every process.
            pipes = [fd for fd in range(3, 20) if is_pipe(fd)]
            lines = [b"chatter", b"[1, 2]", b"[" * 10**5, b'{"status": "ok"}', b"\\xff no end"]
            os.write(pipes[0], b"\\n".join(lines))
        elif what == "huge":
            notes = {"text": "x" * problem.options["size"]}
        elif what == "strange":
            notes = {"model": object()}
        rows = np.ones((problem.counts.shape[0], 1))
        return Fit(rows, normalise_rows(problem.counts.sum(axis=0).reshape(1, -1)), notes=notes)

    def is_pipe(fd):
        import stat
        try:
            return stat.S_ISFIFO(os.fstat(fd).st_mode)
        except OSError:
            return False
"""


@pytest.fixture
def trouble(tmp_path, monkeypatch):
    """The library, with one more method that gets into trouble when asked to."""
    package = tmp_path / "library" / "minority_topics"
    shutil.copytree(fitting.LIBRARY / "minority_topics", package, copy_function=os.symlink)
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
    tasks = ["ok", "raise", "decline", "wrong", "strange", "exit", "leave", "ok"]
    jobs = jobs_for(corpus_folder, tmp_path, *({"do": task} for task in tasks))
    statuses = run_jobs(jobs, Limits(minutes=1))
    found = [(status["status"], status["reason"]) for status in statuses]
    assert found[0] == found[7] == ("ok", "")
    assert found[1] == ("failed", "RuntimeError: first line")
    assert found[2] == ("not applicable", "not for this corpus")
    assert found[3][0] == "failed"
    assert found[3][1].startswith("ContractError: doc_topic is")
    assert found[4][1].startswith("ContractError: notes hold <object")
    assert found[5] == ("failed", "SystemExit: 3")
    assert found[6] == ("failed", "its process died (exit code 4)")
    for number in range(len(tasks)):
        check_manifest(tmp_path / str(number), "status.json")
    check_manifest(tmp_path / "0", "fit.npz", "top_words.csv", "documents.csv")
    assert not (tmp_path / "1" / "fit.npz").exists()


MAC = sys.platform == "darwin"
# On macOS a tool that crashes may end with these, elsewhere they come from outside.
UNSURE = ["SIGBUS", "SIGTRAP"]
CRASHES = ["SIGSEGV", "SIGABRT", "SIGFPE", "SIGILL", *(UNSURE if MAC else [])]
FROM_OUTSIDE = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU", *([] if MAC else UNSURE)]


@pytest.mark.parametrize("name", CRASHES)
def test_a_tool_that_crashes_is_a_row(trouble, corpus_folder, tmp_path, name):
    jobs = jobs_for(corpus_folder, tmp_path, {"do": "signal", "name": name}, {"do": "ok"})
    statuses = run_jobs(jobs, Limits(minutes=1))
    assert statuses[0]["reason"] == f"its process died (signal {name})"
    assert statuses[1]["status"] == "ok"


def fault_of(jobs, **options):
    """The sentence of a fault that left no status behind."""
    with pytest.raises(MachineFault) as raised:
        run_jobs(jobs, Limits(minutes=1), **options)
    for name in ("status.json", "manifest.json"):
        assert not (Path(jobs[-1].out) / name).exists()
    sentence = str(raised.value)
    assert sentence.startswith("trouble, repetition 0: ")
    assert sentence.endswith("; nothing was recorded, the next run repeats it")
    return sentence


def test_on_macos_two_more_signals_are_crashes():
    more = fitting.crash_signals("darwin") - fitting.crash_signals("linux")
    assert sorted(known.name for known in more) == UNSURE


@pytest.mark.parametrize("name", FROM_OUTSIDE)
def test_a_signal_from_outside_is_no_result(trouble, corpus_folder, tmp_path, name):
    jobs = jobs_for(corpus_folder, tmp_path, {"do": "ok"}, {"do": "signal", "name": name})
    assert f"its process died (signal {name})" in fault_of(jobs)
    assert (tmp_path / "0" / "status.json").exists()


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ({"do": "fault", "name": "memory"}, "MemoryError"),
        ({"do": "fault", "name": "disk"}, "No space left on device"),
        ({"do": "import"}, "No module named 'a_package_that_is_not_there'"),
    ],
)
def test_a_fault_of_the_machine_is_no_result(trouble, corpus_folder, tmp_path, task, sentence):
    assert sentence in fault_of(jobs_for(corpus_folder, tmp_path, task))


def test_an_earlier_status_does_not_outlive_a_fault(trouble, corpus_folder, tmp_path):
    (job,) = jobs_for(corpus_folder, tmp_path, {"do": "ok"})
    run_jobs([job], Limits())
    fault_of(jobs_for(corpus_folder, tmp_path, {"do": "import"}))


@pytest.mark.parametrize("again", ["raise", "environment"])
def test_files_of_an_earlier_fit_do_not_outlive_a_failed_one(
    trouble, corpus_folder, tmp_path, again
):
    run_jobs(jobs_for(corpus_folder, tmp_path, {"do": "ok"}), Limits())
    assert (tmp_path / "0" / "fit.npz").exists()
    jobs = jobs_for(corpus_folder, tmp_path, {"do": "raise"})
    run_jobs(jobs, Limits()) if again == "raise" else fail_jobs(jobs, Limits(), "no compiler")
    assert sorted(os.listdir(tmp_path / "0")) == ["manifest.json", "status.json"]
    assert list(verify(tmp_path)) == []


def test_a_method_that_cannot_be_imported_is_no_result(trouble, corpus_folder, tmp_path):
    (fitting.LIBRARY / "minority_topics" / "methods" / "trouble.py").write_text("import gone_tool")
    assert "No module named 'gone_tool'" in fault_of(jobs_for(corpus_folder, tmp_path, {}))


@pytest.mark.parametrize("name", ["counts.npz", "truth.npz"])
def test_a_corpus_that_cannot_be_read_is_no_result(trouble, corpus_folder, tmp_path, name):
    corpus = tmp_path / "corpus"
    shutil.copytree(corpus_folder, corpus)
    for damage in (lambda path: path.write_bytes(b"x" * 100), Path.unlink):
        damage(corpus / name)
        assert str(corpus) in fault_of(jobs_for(corpus, tmp_path, {"do": "ok"}))


def test_a_fit_that_cannot_be_written_is_no_result(trouble, corpus_folder, tmp_path):
    (tmp_path / "file").touch()
    jobs = jobs_for(corpus_folder, tmp_path / "file", {"do": "ok"})
    assert "Not a directory" in fault_of(jobs)


def test_a_status_without_its_manifest_is_none(trouble, corpus_folder, tmp_path, monkeypatch):
    def no_space(folder, **made_by):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fitting, "write_manifest", no_space)
    assert "No space left" in fault_of(jobs_for(corpus_folder, tmp_path, {"do": "ok"}))


def test_a_worker_that_does_not_start_is_no_result(tmp_path, monkeypatch):
    jobs = jobs_for("none", tmp_path, {})
    assert "did not start (exit code 1)" in fault_of(jobs, python=shutil.which("false"))
    assert "No such file" in fault_of(jobs, python=tmp_path / "gone")
    sleeper = tmp_path / "sleeper"
    sleeper.write_text("#!/bin/sh\nexec sleep 60\n")
    sleeper.chmod(0o755)
    monkeypatch.setattr(fitting, "START_SECONDS", 0.3)
    assert "did not start in 0.3 seconds" in fault_of(jobs, python=sleeper)


def test_what_a_tool_writes_between_the_answers_is_passed_over(
    trouble, corpus_folder, tmp_path, capfd
):
    (status,) = run_jobs(jobs_for(corpus_folder, tmp_path, {"do": "garbage"}), Limits(minutes=1))
    assert status["status"] == "ok"
    printed = capfd.readouterr().err
    assert "chatter\n[1, 2]\n[[" in printed
    assert '{"status": "ok"}\n' in printed
    assert "no end" in printed


def test_notes_are_plain_json(trouble, corpus_folder, tmp_path):
    run_jobs(jobs_for(corpus_folder, tmp_path, {"do": "ok"}), Limits())
    text = (tmp_path / "0" / "status.json").read_text()
    notes = json.loads(text, parse_constant=pytest.fail)["notes"]
    assert {key: notes[key] for key in ("nan", "numbers", "n")} == {
        "nan": None, "numbers": [1.5, None], "n": 3,
    }  # fmt: skip
    with pytest.raises(ContractError, match="notes hold"):
        plain_notes({"a": [{1, 2}]})


def test_large_notes_arrive_and_huge_ones_are_a_row(trouble, corpus_folder, tmp_path):
    tasks = [{"do": "huge", "size": size} for size in (10**6, 2 * fitting.LARGEST_ANSWER)]
    statuses = run_jobs(jobs_for(corpus_folder, tmp_path, *tasks), Limits(minutes=1))
    assert len(statuses[0]["notes"]["text"]) == 10**6
    assert statuses[1]["reason"] == "stopped, since its notes are larger than 16 MB"


@pytest.mark.slow
def test_a_hang_is_stopped_with_its_children(trouble, corpus_folder, tmp_path):
    task = {"do": "sleep", "pid_file": str(tmp_path / "pid")}
    begin = time.monotonic()
    statuses = run_jobs(jobs_for(corpus_folder, tmp_path, task, {"do": "ok"}), Limits(minutes=0.05))
    assert time.monotonic() - begin < 30
    assert statuses[0]["reason"] == "stopped after its limit of 0.05 minutes"
    assert statuses[1]["status"] == "ok"
    assert not is_running(int((tmp_path / "pid").read_text()))
    assert list(verify(tmp_path)) == []


@pytest.mark.slow
def test_a_worker_over_a_limit_is_stopped_before_its_folder_is_listed(
    trouble, corpus_folder, tmp_path
):
    out = tmp_path / "out"
    tasks = {"do": "write", "folder": str(out / "0")}, {"do": "ok"}
    statuses = run_jobs(jobs_for(corpus_folder, out, *tasks), Limits(minutes=0.05))
    assert statuses[0]["reason"] == "stopped after its limit of 0.05 minutes"
    assert (out / "0" / "more.txt").exists()
    assert list(verify(out)) == []


@pytest.mark.slow
@pytest.mark.parametrize("how", ["SIGTERM", "SIGINT", "SIGKILL"])
def test_a_run_that_ends_takes_its_worker_along(trouble, corpus_folder, tmp_path, how):
    script = f"""if True:
        from pathlib import Path
        from minority_topics import cli
        from minority_topics.study import fitting
        fitting.LIBRARY = Path({str(fitting.LIBRARY)!r})
        job = fitting.Job("t", "trouble", {str(corpus_folder)!r}, {str(tmp_path)!r}, 4, 2, 1,
                          {{"do": "sleep", "pid_file": {str(tmp_path / "pid")!r}}})
        def check(options):
            fitting.run_jobs([job], fitting.Limits())
        cli.VERBS["check"] = cli.verbs.Verb(check, "", cli.VERBS["check"].arguments)
        cli.main(["check", "none"])
    """
    library = str(ROOT / "workflow")
    run = subprocess.Popen(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": library}
    )
    wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    workers = [process.pid for process in psutil.Process(run.pid).children(recursive=True)]
    assert int((tmp_path / "pid").read_text()) in workers
    run.send_signal(getattr(signal, how))
    ended = {"SIGTERM": 128 + signal.SIGTERM, "SIGINT": 1, "SIGKILL": -signal.SIGKILL}
    assert run.wait(timeout=30) == ended[how]
    # Killed outright it cannot take anyone along: they see it, and stop by themselves.
    wait_for(lambda: not any(map(is_running, workers)), 5 if how == "SIGKILL" else 1)
    assert not (tmp_path / "status.json").exists()


def wait_for(ready, seconds=60):
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_memory_is_that_of_a_process_and_its_descendants():
    script = "import subprocess, sys; hoard = b'x' * 2 * 10**8; print(flush=True)"
    child = f"{script}; sys.stdin.read()"
    script = f"{script}; subprocess.run([sys.executable, '-c', {child!r}])"
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        assert memory_mb(process.pid) > 190
        process.stdout.readline()
        assert 380 < memory_mb(process.pid) < 500
        process.communicate()
    assert memory_mb(process.pid) == 0


def test_a_glutton_is_stopped(trouble, corpus_folder, tmp_path):
    (status,) = run_jobs(jobs_for(corpus_folder, tmp_path, {"do": "eat"}), Limits(memory_mb=300))
    assert status["status"] == "failed"
    assert "over its limit of 300 MB" in status["reason"]
    assert status["peak_memory_mb"] >= 300


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


def test_packages_beside_an_installed_library_do_not_hide_the_tools_own(
    corpus_folder, tmp_path, monkeypatch
):
    site = tmp_path / "site-packages"
    (site / "other-1.0.dist-info").mkdir(parents=True)
    (site / "numpy.py").write_text("raise RuntimeError('not the numpy of the tool')\n")
    (site / "minority_topics").symlink_to(fitting.LIBRARY / "minority_topics")
    monkeypatch.setattr(fitting, "LIBRARY", site)
    job = job_of("single", corpus_folder, tmp_path / "out")
    (status,) = run_jobs([job], Limits(minutes=1))
    assert (status["status"], status["reason"]) == ("ok", "")
