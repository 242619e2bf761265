"""The disk is full or read-only, another run is at work, the clock was set back."""

import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager

import pytest
from ledger import at_moments
from processes import start, wait_until
from studies import TABLES
from test_kills import end, leave_to_do

from minority_topics.base.manifest import glance

pytestmark = pytest.mark.long
DAY = 86_400


@contextmanager
def small_disk(place, kilobytes):
    """A file system of so many kilobytes at `place`."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", str(place)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def remount(place, *options):
    options = ",".join(("remount", *options))
    subprocess.run(["mount", "-o", options, str(place)], check=True)


@at_moments
def test_a_full_disk(study, tmp_path, fault, moment):
    """Full at some moment of the run; then there is room, and the same command goes on."""
    dice = random.Random(f"full {moment}")
    with small_disk(tmp_path / "disk", 50_000) as disk, fault("a full disk"):
        folder = study.copy(disk)
        leave_to_do(folder, dice.choice(["documents", "fits"]))
        log = tmp_path / "run.log"
        run = start(study.command(folder, *TABLES), folder, log)
        try:
            time.sleep(dice.uniform(0, 12))
            fill(disk / "filler")
            code = run.wait(timeout=300)
        finally:
            end(run)
        said = log.read_text()
        if code:
            assert "no space left on device" in said.lower(), said
        (disk / "filler").unlink()
        study.check(folder, *TABLES)


def fill(path):
    """Take what is left of a disk."""
    with open(path, "wb", buffering=0) as file:
        for size in (2**20, 2**12, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue


@at_moments
def test_results_that_are_read_only(study, copy, fault, moment):
    """The results alone, or all of the folder in which the run takes notes."""
    dice = random.Random(f"read-only {moment}")
    place = copy if moment % 2 else copy / "results"
    place.rename(place.with_name("moved"))
    with small_disk(place, 50_000), fault("a disk that is read-only"):
        shutil.copytree(place.with_name("moved"), place, symlinks=True, dirs_exist_ok=True)
        (copy / dice.choice(TABLES)).unlink()
        remount(place, "ro")
        try:
            said = study.run(copy, expect=1)
            assert "read-only file system" in said.lower(), said
        finally:
            remount(place, "rw")
        study.check(copy)


@at_moments
def test_two_runs_at_once(study, copy, fault, moment):
    """The second is refused in a sentence, and the first does not notice."""
    leave_to_do(copy, "fits")
    dice = random.Random(f"two {moment}")
    with fault("two runs at once"):
        run = start(study.command(copy, *TABLES), copy)
        try:
            record = copy / ".snakemake" / "minority_topics.lock"
            wait_until(run, lambda: record.exists() and record.read_text())
            time.sleep(dice.uniform(0, 3))
            # It stays where it is until the other has tried, however slow that is.
            run.send_signal(signal.SIGSTOP)
            said = study.run(copy, *TABLES, expect=1)
            run.send_signal(signal.SIGCONT)
            assert f"Another run is at work in {copy}: process {run.pid} on " in said
            assert run.wait(timeout=300) == 0
        finally:
            end(run)
        study.check(copy, *TABLES)


def set_clock_back(folder, dice):
    """What was made before it was set back is from the future: all of it, or a part."""
    later = time.time() + dice.uniform(0.1, 30) * DAY
    share = dice.choice([0.3, 0.7, 1])
    paths = sorted((folder / "results").rglob("*"))
    for path in [path for path in paths if dice.random() < share]:
        os.utime(path, (later, later))


@at_moments
def test_a_clock_that_was_set_back(study, copy, fault, moment):
    dice = random.Random(f"clock {moment}")
    with fault("a clock that was set back"):
        set_clock_back(copy, dice)
        (copy / dice.choice(TABLES)).unlink()
        study.check(copy)


def test_a_change_after_the_clock_was_set_back_is_seen(study, copy, monkeypatch, fault):
    """The changed file is older than its manifest, which is from the future."""
    monkeypatch.chdir(copy)
    with fault("a clock that was set back"):
        later = time.time() + DAY
        for path in (copy / "results").rglob("*"):
            os.utime(path, (later, later))
        path = copy / "results/simulated/fits/truth/4-2/0-1/0/fit.npz"
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        assert [problem.name for problem in glance("results")] == ["fit.npz"]
