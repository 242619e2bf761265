"""A run holds its folder, lifts the lock of a dead one, and ends with all that it started."""

import errno
import fcntl
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from types import SimpleNamespace

import psutil
import pytest
from snakemake.settings.types import MaxJobsPerTimespan, SchedulingSettings

from minority_topics.study.paths import ROOT
from minority_topics.study.runs import RECORD, CannotRun, Occupied, claim, guard

ENVIRON = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
HOLD = """if True:
    import pathlib, sys, time
    from minority_topics.study.runs import claim
    with claim(sys.argv[1], print):
        locks = pathlib.Path(sys.argv[1], "locks")
        locks.mkdir()
        (locks / "0.output.lock").write_text("results/table.csv")
        print("held", flush=True)
        time.sleep(600)
"""


@pytest.fixture
def holder(tmp_path):
    """A process that has claimed a folder and, as Snakemake would, left locks there."""
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, env=ENVIRON, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def is_locked(folder):
    return (folder / "locks").exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / ".snakemake"
    with pytest.raises(CannotRun) as refused, claim(folder, print):
        pass
    assert str(refused.value).startswith(f"{folder}: not a directory; check the permissions there")


def test_a_full_disk_is_told(tmp_path, monkeypatch):
    def write(file, run):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("minority_topics.study.runs._write", write)
    with pytest.raises(CannotRun) as refused, claim(tmp_path, print):
        pass
    assert str(refused.value).startswith(f"{tmp_path}: no space left on device; check the ")


def test_a_second_run_is_told_who_is_at_work(holder, tmp_path):
    said = []
    with pytest.raises(Occupied) as refused, claim(tmp_path, said.append):
        raise AssertionError("both have it")
    assert f"process {holder.pid} on {socket.gethostname()}, begun 2" in str(refused.value)
    assert said == []
    assert is_locked(tmp_path)


def test_the_lock_of_a_killed_run_is_lifted_once_and_told(holder, tmp_path):
    holder.kill()
    holder.wait()
    said = []
    for _ in range(2):
        with claim(tmp_path, said.append):
            assert not is_locked(tmp_path)
            assert json.loads((tmp_path / RECORD).read_text())["pid"] == os.getpid()
    (sentence,) = said
    assert sentence.startswith(f"The lock of process {holder.pid} on ")


def test_a_run_that_fails_is_not_taken_for_a_killed_one(tmp_path):
    with pytest.raises(ZeroDivisionError), claim(tmp_path, print):
        raise ZeroDivisionError
    assert (tmp_path / RECORD).read_text() == ""


def test_the_lock_of_another_machine_stays(tmp_path):
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks" / "0.input.lock").touch()
    run = {"pid": 7, "host": "elsewhere", "since": "2026-01-01 00:00:00"}
    (tmp_path / RECORD).write_text(json.dumps(run))
    with pytest.raises(Occupied, match=r"process 7 on elsewhere.*make unlock"):
        claim(tmp_path, print).__enter__()
    assert is_locked(tmp_path)


@pytest.mark.parametrize("record", [None, "", "{", "[]", '{"pid": 1}'])
def test_locks_that_no_run_of_ours_left_are_left_to_snakemake(tmp_path, record):
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks" / "0.input.lock").touch()
    if record is not None:
        (tmp_path / RECORD).write_text(record)
    with claim(tmp_path, pytest.fail):
        assert is_locked(tmp_path)


def test_where_the_file_system_has_no_locks_nothing_is_lifted(holder, tmp_path, monkeypatch):
    def flock(file, operation):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    holder.kill()
    holder.wait()
    monkeypatch.setattr(fcntl, "flock", flock)
    with claim(tmp_path, pytest.fail):
        assert is_locked(tmp_path)


DEAF = """if True:
    import subprocess, sys, time
    from minority_topics.study.runs import Stop
    ignore = "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; "
    job = subprocess.Popen([sys.executable, "-c", ignore + "print(flush=True); time.sleep(600)"])
    stop = Stop(lambda: (3, 8))
    stop.listen()
    try:
        job.wait()
    finally:
        {end}
        stop.finish()
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("end", ["pass", "job.wait()", "time.sleep(600)"])
def test_a_stopped_run_takes_deaf_jobs_along(name, end):
    """Whether Snakemake ends at once, waits for its jobs, or never ends."""
    code = DEAF.format(end=end)
    with subprocess.Popen(
        [sys.executable, "-c", code], env=ENVIRON, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
        # A shell's background ignores SIGINT, and nohup SIGHUP.
        preexec_fn=lambda: signal.signal(getattr(signal, name), signal.SIG_DFL),
    ) as run:  # fmt: skip
        run.stdout.readline()
        (job,) = psutil.Process(run.pid).children()
        time.sleep(0.3)
        begin = time.monotonic()
        run.send_signal(getattr(signal, name))
        told = run.communicate(timeout=30)[1]
        assert run.returncode == 128 + getattr(signal, name)
        assert time.monotonic() < begin + 5
        assert not job.is_running() or job.status() == psutil.STATUS_ZOMBIE
    assert told.startswith("Interrupted: 3 of 8 steps are done. What is done is kept")


def test_a_workflow_is_guarded_once(tmp_path, monkeypatch):
    """One that is a module of another twice must not find its folder taken by itself."""
    monkeypatch.chdir(tmp_path)
    kind = SimpleNamespace(dryrun_exec=False, touch_exec=False, local_exec=True)
    held = []
    workflow = SimpleNamespace(
        execute=lambda **settings: held.append((tmp_path / ".snakemake" / RECORD).read_text()),
        execution_settings=SimpleNamespace(lock=True),
        scheduling_settings=SchedulingSettings(),
    )
    monkeypatch.setattr(signal, "signal", lambda *arguments: None)
    assert guard(workflow, logging) is guard(workflow, logging)
    workflow.execute(executor_plugin=SimpleNamespace(common_settings=kind))
    assert [json.loads(record)["pid"] for record in held] == [os.getpid()]
    kind.dryrun_exec = True
    workflow.execute(executor_plugin=SimpleNamespace(common_settings=kind))
    assert held[1:] == [""]


def test_what_the_caller_ignores_stays_ignored():
    """nohup ignores SIGHUP."""
    code = (
        "import os, signal\n"
        "from minority_topics.study.runs import Stop\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "Stop(lambda: (0, 0)).listen()\n"
        "os.kill(os.getpid(), signal.SIGHUP)\n"
        "print('goes on')"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRON, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "goes on\n"


@pytest.mark.parametrize(("limit", "kept"), [("100/1s", False), ("7/1m", True)])
def test_the_default_limit_of_jobs_is_lifted_and_another_is_kept(
    tmp_path, monkeypatch, limit, kept
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(signal, "signal", lambda *arguments: None)
    kind = SimpleNamespace(dryrun_exec=False, touch_exec=False, local_exec=True)
    settings = SchedulingSettings(max_jobs_per_timespan=MaxJobsPerTimespan.parse_choice(limit))
    workflow = SimpleNamespace(
        execute=lambda **_: settings.max_jobs_per_timespan,
        execution_settings=SimpleNamespace(lock=True),
        scheduling_settings=settings,
    )
    guard(workflow, logging)
    used = workflow.execute(executor_plugin=SimpleNamespace(common_settings=kind))
    assert (used is not None) == kept
