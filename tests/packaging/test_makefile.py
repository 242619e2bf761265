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

    run.folder, run.environ = folder, environ
    return run


def test_a_broken_config_ends_in_a_sentence_before_snakemake_starts(make):
    (make.folder / "my own.yaml").write_text("datasets: {mine: 3}\n", encoding="utf-8")
    ran = make("figures", "CONFIG=my own.yaml")
    assert ran.returncode
    assert ran.stdout == ""
    sentence, of_make = ran.stderr.splitlines()
    assert sentence.startswith("minority_topics check:")
    assert of_make.startswith("make:")


def test_a_lock_that_is_not_known_to_be_of_a_dead_run_is_named_and_lifted_on_demand(make):
    lock = make.folder / ".snakemake" / "locks" / "0.output.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text("results/tables/paper_vs_ours.csv\n", encoding="utf-8")
    ran = make("quick")
    assert ran.returncode
    assert "unlock" in ran.stderr, ran.stderr
    assert lock.exists()
    ran = make("unlock")
    assert ran.returncode == 0, ran.stderr
    assert not lock.exists()


def test_what_is_imported_is_compiled_once_though_a_container_says_otherwise(make):
    make.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    (make.folder / "probe.mk").write_text(
        'include Makefile\nprobe:\n\t@echo "[$$PYTHONDONTWRITEBYTECODE]"\n', encoding="utf-8"
    )
    ran = make("-f", "probe.mk", "probe")
    assert ran.stdout == "[]\n", ran.stderr


@pytest.mark.parametrize("snakemake", ["true", "false"])
def test_explore_ends_with_the_page_if_it_was_made(make, snakemake):
    (make.folder / "data").mkdir()
    (make.folder / "data" / "my own.csv").write_text("text\na sad song\n", encoding="utf-8")
    (make.folder / "data" / "words.txt").write_text("sad\n", encoding="utf-8")
    files = ("COMMENTS=data/my own.csv", "SEEDS=data/words.txt", "LANGUAGE=en", "NAME=mine")
    ran = make("explore", *files, f"SNAKEMAKE={snakemake}")
    last = "".join(ran.stdout.splitlines()[-1:])
    assert (
        ("results/mine/explorer.html" in last) == (ran.returncode == 0) == (snakemake == "true")
    ), ran.stderr
