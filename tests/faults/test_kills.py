"""Signals to Snakemake, to a step and to a worker at random moments, and the OOM killer.

After each the plain command goes on, and the tables are those of the undisturbed run. A moment is a
seed: which step, and how long after its process began.
"""

import os
import random
import re
import shutil
import signal
import time
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from ledger import at_moments
from processes import family, is_alive, start
from studies import TABLES

pytestmark = pytest.mark.slow
# Verbs, and what they make in the study: with it gone, a run has them to do. Snakemake misses
# nothing that was only needed for what is there.
MAKES = {
    "background": ("background", "documents", "corpus"),
    "inject": ("documents", "corpus"),
    "vectorise": ("corpus",),
    "fit": ("fits/constrained_nmf",),
    "score": ("tables/scores.csv",),
    "topics": ("tables/topics.csv",),
}
WORKER = "minority_topics.methods.worker"
WHOM = ("the run", "a step", "a worker")
CGROUPS = Path("/sys/fs/cgroup")


def processes_of(run, word):
    """Processes of a run with this word in their command line."""
    found = []
    for process in family(run):
        try:
            words = process.cmdline()
        except psutil.NoSuchProcess:
            continue
        if word in words:
            found.append(process)
    return found


def wait_for_process(run, word, seconds):
    """One with this word in its command line, so many seconds after it began; None at the end."""
    while run.poll() is None:
        for process in processes_of(run, word):
            time.sleep(seconds)
            if is_alive(process):
                return process
        time.sleep(0.02)
    return None


def leave_to_do(folder, *made):
    """Remove what a step has made, and the tables for whose sake it is made."""
    dataset = folder / "results" / "simulated"
    for path in (*(dataset / name for name in made), *(folder / name for name in TABLES)):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def strike(study, folder, dice, whom, how):
    """Begin a run that has a step to do, and do `how` to one of its processes; what it said."""
    step = "fit" if whom == "a worker" else dice.choice([*MAKES])
    word = WORKER if whom == "a worker" else step
    run, victim = begin(study, folder, step, word, dice.uniform(0, 1))
    try:
        how(psutil.Process(run.pid) if whom == "the run" else victim)
        assert run.wait(timeout=300) != 0
    finally:
        end(run)
    said = (folder / "run.log").read_text()
    assert "Traceback" not in said, said
    return said


def begin(study, folder, step, word, seconds):
    """A run, and its process with this word so many seconds after it began, or less if it ended."""
    while seconds > 0.001:
        leave_to_do(folder, *MAKES[step])
        run = start(study.command(folder, *TABLES), folder)
        if victim := wait_for_process(run, word, seconds):
            return run, victim
        assert run.returncode == 0, (folder / "run.log").read_text()
        seconds /= 2
    raise AssertionError(f"no process of {step} was caught")


def end(run):
    """Let nothing of a failed test live on."""
    if run.poll() is None:
        for process in family(run)[::-1]:
            process.kill()
        run.wait()


@at_moments
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_a_signal(study, copy, fault, name, moment):
    dice = random.Random(f"{name} {moment}")
    offset = ["SIGKILL", "SIGTERM", "SIGINT"].index(name)
    whom = WHOM[(moment + offset) % len(WHOM)]
    with fault(f"{name} of run, step or worker"):
        said = strike(study, copy, dice, whom, lambda p: p.send_signal(getattr(signal, name)))
        if (name, whom) == ("SIGKILL", "a step"):
            assert re.search(r"^\w+ failed: killed by SIGKILL, .*\blog\b", said, re.MULTILINE), said
        study.check(copy, *TABLES)


@contextmanager
def scarce_memory(name, megabytes):
    """A control group whose processes the kernel kills when they ask for more."""
    root = CGROUPS / "memory" if (CGROUPS / "memory").is_dir() else CGROUPS
    group = root / f"minority_topics_{os.getpid()}_{name}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group of memory can be made here: {error}")
    try:
        limits = [group / "memory.limit_in_bytes", group / "memory.max"]
        limit = next((path for path in limits if path.exists()), None)
        if limit is None:
            pytest.skip("control groups here have no limit of memory")
        limit.write_text(str(megabytes * 2**20))
        yield group
    finally:
        while (group / "cgroup.procs").read_text().strip():
            time.sleep(0.1)
        group.rmdir()


@at_moments
def test_the_oom_killer(study, copy, fault, moment):
    """A worker is put where hardly any memory is left: the kernel kills it."""
    dice = random.Random(f"memory {moment}")
    with scarce_memory(moment, 4) as group, fault("the OOM killer"):

        def starve(worker):
            (group / "cgroup.procs").write_text(str(worker.pid))

        said = strike(study, copy, dice, "a worker", starve)
        assert "signal SIGKILL" in said
        assert "the next run repeats it" in said
        study.check(copy, *TABLES)
