"""Pools of processes: what they do, and that none of them outlives the first."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from minority_topics.base.processes import ProcessDied, pool_of
from minority_topics.study.paths import ROOT

STARTS = pytest.mark.parametrize("forks", [False, True])
SLEEPERS = """
import time
from pathlib import Path
from minority_topics.base.processes import pool_of

def sleep(name):
    Path(name).touch()
    time.sleep(600)

if __name__ == "__main__":
    with pool_of(2, forks={forks}) as pool:
        list(pool.map(sleep, ["0.begun", "1.begun"]))
"""


def wait_until(ready, seconds=30):
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.05)


def interrupted(_):
    os.kill(os.getpid(), signal.SIGINT)
    return True


@STARTS
def test_tasks_come_back_in_order_and_interrupts_are_passed_over(forks):
    with pool_of(2, forks=forks) as pool:
        assert list(pool.map(abs, [-3, -2, -1])) == [3, 2, 1]
        assert all(pool.map(interrupted, range(4)))


def begin(state):
    os.environ["STATE"] = state


def test_a_process_begins_with_its_initializer():
    with pool_of(1, initializer=begin, initargs=("begun",)) as pool:
        assert pool.submit(os.getenv, "STATE").result() == "begun"


@STARTS
def test_a_killed_process_is_told_in_a_sentence(forks):
    with (
        pytest.raises(ProcessDied, match=r"^a process .* was killed, .* run again$"),
        pool_of(1, forks=forks) as pool,
    ):
        pool.submit(os._exit, 9).result()


@pytest.mark.skipif(sys.platform == "win32", reason="it has no SIGKILL")
@STARTS
def test_none_outlives_the_first_however_that_ends(tmp_path, forks):
    script = tmp_path / "sleepers.py"
    script.write_text(SLEEPERS.format(forks=forks))
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    run = subprocess.Popen([sys.executable, script], cwd=tmp_path, env=environ)
    wait_until(lambda: len(list(tmp_path.glob("*.begun"))) == 2)
    first = psutil.Process(run.pid)
    family = first.children(recursive=True)
    run.kill()
    run.wait()
    try:
        wait_until(lambda: not any(map(psutil.Process.is_running, family)), 5)
    finally:
        for process in family:
            if process.is_running():
                process.kill()
