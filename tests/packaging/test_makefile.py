"""The Makefile, in a folder with a space in its name: what it says of broken configs and locks."""

import os
import subprocess
import sys

import pytest


@pytest.fixture
def make(tmp_path, copy_project):
    """Runs make in a copy of the project that is set up already."""
    folder = copy_project(tmp_path / "täs tä")
    (folder / ".venv").symlink_to(sys.prefix)

    # The tests themselves may run under make, which would tell the one in here.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}

    def run(*arguments):
        command = ["make", "--old-file", ".venv/ready", *arguments]
        return subprocess.run(
            command, cwd=folder, env=environ, capture_output=True, text=True, check=False
        )

    run.folder = folder
    return run


def test_a_broken_config_ends_in_a_sentence_before_snakemake_starts(make):
    (make.folder / "my own.yaml").write_text("datasets: {mine: 3}\n", encoding="utf-8")
    ran = make("figures", "CONFIG=my own.yaml")
    assert ran.returncode
    assert ran.stdout == ""
    sentence, of_make = ran.stderr.splitlines()
    assert sentence.startswith("minority_topics check:")
    assert of_make.startswith("make:")


def test_the_lock_of_a_killed_run_is_named_and_lifted(make):
    lock = make.folder / ".snakemake" / "locks" / "0.output.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text("results/tables/paper_vs_ours.csv\n", encoding="utf-8")
    ran = make("quick")
    assert ran.returncode
    assert "make unlock" in ran.stderr, ran.stderr
    ran = make("unlock")
    assert ran.returncode == 0, ran.stderr
    assert not lock.exists()
