"""Real runs that are stopped at different moments: within five seconds nothing of them is left, and
the same command goes on, without any command in between.
"""

import os
import signal
import sys
import time

import pytest
import yaml
from helpers import snakemake, snakemake_command, tiny
from processes import family, is_alive, start, wait_until

from minority_topics.base.files import read_csv
from minority_topics.comments.example import write_example

pytestmark = pytest.mark.slow
SECONDS = 5.0
SCORES = "results/simulated/tables/scores.csv"
FITTED = "results/simulated/fits"

# A tool that holds Python's lock in compiled code, so that no thread of its process runs.
DEAF = """
import ctypes
import pathlib

from . import nmf


def fit(problem):
    been_here = pathlib.Path({marker!r})
    if not been_here.exists():
        been_here.touch()
        ctypes.PyDLL(None).sleep(600)
    return nmf.fit(problem)
"""
SLOW_BUILD = """#!/usr/bin/env bash
[ -e {marker} ] && exit 0
touch {marker}
sleep 600
"""


def runs_verb(run, verb):
    """Whether a step of this verb has begun, for a second: it has imported its libraries."""

    def ready():
        for process in family(run):
            with_words = process.cmdline()
            if verb in with_words and time.time() - process.create_time() > 1:
                return True
        return False

    return ready


def stop(run, how):
    """Stop a run, and assert that all its processes end in time."""
    processes = family(run)
    begin = time.monotonic()
    signal_name, whom = how.split(" to ")
    number = getattr(signal, signal_name)
    os.killpg(run.pid, number) if whom == "all" else run.send_signal(number)
    run.wait(timeout=60)
    while left := [process for process in processes if is_alive(process)]:
        assert time.monotonic() < begin + SECONDS, left
        time.sleep(0.02)
    assert time.monotonic() < begin + SECONDS


HOW = ["SIGINT to all", "SIGINT to the first", "SIGTERM to the first", "SIGKILL to the first"]


@pytest.mark.parametrize("how", HOW)
def test_in_a_fit_of_compiled_code(waiting, tmp_path, how):
    marker = tmp_path / "been_here"
    code = DEAF.format(marker=str(marker))
    (waiting / "workflow" / "minority_topics" / "methods" / "waiting.py").write_text(code)
    config = tiny(tmp_path, methods=["truth", "waiting"], repetitions=1)
    arguments = [SCORES, "--configfile", config]
    run = start(snakemake_command(*arguments, folder=tmp_path, root=waiting), tmp_path)
    wait_until(run, lambda: marker.exists() and (tmp_path / FITTED / "truth/4-2/0-0").exists())
    time.sleep(1)  # until Snakemake knows
    if how == HOW[0]:
        said = snakemake(*arguments, folder=tmp_path, root=waiting, expect=1)
        assert f"Another run is at work in {tmp_path}: process {run.pid} on " in said
    kept = (tmp_path / FITTED / "truth/4-2/0-0/0/status.json").stat().st_mtime_ns
    stop(run, how)
    told = (tmp_path / "run.log").read_text()
    assert ("steps are done. What is done is kept" in told) == ("KILL" not in how)
    said = snakemake(*arguments, folder=tmp_path, root=waiting)
    assert (f"The lock of process {run.pid} on " in said) == ("KILL" in how)
    assert {row["status"] for row in read_csv(tmp_path / SCORES)} == {"ok"}
    assert (tmp_path / FITTED / "truth/4-2/0-0/0/status.json").stat().st_mtime_ns == kept


@pytest.mark.parametrize("how", [HOW[0], HOW[3]])
def test_while_an_environment_is_built(waiting, tmp_path, how):
    """Its build compiles for minutes; here it sleeps."""
    marker = tmp_path / "building"
    script = waiting / "envs" / "nmf.post-deploy.sh"
    script.write_text(SLOW_BUILD.format(marker=marker))
    (tmp_path / "been_here").touch()
    (waiting / ".venvs" / "nmf").unlink()  # a link to that of the project, which must stay
    config = tiny(tmp_path, methods=["waiting"], repetitions=1)
    arguments = [SCORES, "--configfile", config]
    run = start(snakemake_command(*arguments, folder=tmp_path, root=waiting), tmp_path)
    wait_until(run, marker.exists)
    stop(run, how)
    assert not (waiting / ".venvs" / "nmf.json").exists()
    snakemake(*arguments, folder=tmp_path, root=waiting)
    assert read_csv(tmp_path / SCORES)[0]["status"] == "ok"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A folder with 20,000 simulated comments and their configuration."""
    folder = tmp_path_factory.mktemp("own")
    write_example(folder, "en", 20_000)
    dataset = {"kind": "comments", "files": "comments.csv", "language": "en", "n_minority": 7}
    dataset |= {"n_topics": 40, "lemmas": "simplemma", "seed_words": "seed_words.txt"}
    (folder / "mine.yaml").write_text(yaml.safe_dump({"datasets": {"mine": dataset}}))
    return folder


@pytest.mark.long
@pytest.mark.parametrize(
    ("verb", "how"),
    [
        ("read_comments", HOW[0]),
        ("read_comments", HOW[3]),
        ("vectorise_comments", HOW[2]),
        ("fit_comments", HOW[1]),
        ("fit_comments", HOW[3]),
    ],
)
def test_in_a_step_of_own_comments(own, verb, how):
    """The steps go on from one another, as a user would see it who is never patient."""
    made = {"read_comments": "comments", "vectorise_comments": "matrix", "fit_comments": "model"}
    for name, folder in made.items():
        if name == verb:
            break
        if not (own / "results" / "mine" / folder).exists():
            snakemake("--configfile", "mine.yaml", "--until", name, folder=own)
    run = start(snakemake_command("--configfile", "mine.yaml", folder=own), own)
    wait_until(run, runs_verb(run, verb))
    stop(run, how)
    assert not (own / "results" / "mine" / made[verb]).exists()


@pytest.mark.parametrize("how", [HOW[0], HOW[2], HOW[3]])
def test_of_make_with_all_below_it(waiting, tmp_path, monkeypatch, how):
    """make is what the terminal, or whoever kills it, knows of."""
    marker = tmp_path / "been_here"
    tiny(waiting, methods=["waiting"], repetitions=1)
    # The library of the .venv is the project's.
    monkeypatch.setenv("PYTHONPATH", str(waiting / "workflow"))
    (waiting / ".venv").symlink_to(sys.prefix)
    command = ["make", "--old-file", ".venv/ready", "figures", "CONFIG=config.yaml"]
    run = start(command, waiting)
    wait_until(run, marker.exists)
    processes = [" ".join(process.cmdline()) for process in family(run)]
    assert any("minority_topics.methods.worker" in words for words in processes)
    stop(run, how)
    if "SIGKILL" not in how:
        assert "What is done is kept" in (waiting / "run.log").read_text()
    snakemake(SCORES, "--configfile", "config.yaml", folder=waiting, root=waiting)
    assert read_csv(waiting / SCORES)[0]["status"] == "ok"
