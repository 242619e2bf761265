"""Runs of commands that a test stops, and the processes that belong to them."""

import os
import signal
import subprocess
import time

import psutil


def environ():
    """Under make, the tests would tell the make in here."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}


def start(command, folder, log=None):
    """Start a command as a terminal would: first of a group that Ctrl-C goes to."""
    with open(log or folder / "run.log", "w") as log:
        return subprocess.Popen(
            command, stdout=log, stderr=log, cwd=folder, env=environ(), start_new_session=True,
            # Started in the background, a shell would have it ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip


def family(run):
    return [psutil.Process(run.pid), *psutil.Process(run.pid).children(recursive=True)]


def is_alive(process):
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until(run, ready, seconds=120):
    end = time.monotonic() + seconds
    while not ready():
        assert run.poll() is None
        assert time.monotonic() < end
        time.sleep(0.1)
