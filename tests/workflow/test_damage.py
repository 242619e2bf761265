"""What was damaged is made again by the next plain run, and an archive gives the same bytes."""

import shutil
import subprocess
import sys

import pytest
from helpers import snakemake, tiny

FIT = "fits/nmf/4-2/0-1"
# A file of each kind, and what becomes of it.
DAMAGE = {
    f"{FIT}/1/top_words.csv": "deleted",
    f"{FIT}/0/fit.npz": "flipped",
    "tables/scores.csv": "flipped",
    "tables/topics.csv": "cut",
    "figures/jsd.svg": "deleted",
    "report.html": "flipped",
    "config.yaml": "cut",
    "resources/manifest.json": "deleted",
}


def verb(*words, folder, expect=0):
    command = [sys.executable, "-m", "minority_topics", *words]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert ran.returncode == expect, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


def damage(path, how):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    if how == "deleted":
        path.unlink()
    else:
        path.write_bytes(content if how == "flipped" else content[: len(content) // 2])


def bytes_of(results):
    folders = (results / name for name in ("tables", "figures"))
    return {path: path.read_bytes() for folder in folders for path in folder.iterdir()}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A tiny study, run to its end."""
    folder = tmp_path_factory.mktemp("study")
    path = tiny(folder, methods=["nmf", "truth"], figures=["jsd"])
    snakemake("--configfile", path, folder=folder)
    assert "0 problems found" in verb("verify", folder=folder)
    return folder, path


@pytest.mark.slow
def test_a_plain_run_makes_again_what_was_damaged(study):
    folder, path = study
    results = folder / "results" / "simulated"
    before = bytes_of(results)
    for name, how in DAMAGE.items():
        damage(results / name, how)
    told = verb("verify", folder=folder, expect=1)
    for name in DAMAGE:
        assert f"results/simulated/{name} is " in told
    for option in ("--dry-run", "--touch"):
        snakemake("--configfile", path, option, folder=folder)
        assert (results / FIT / "0" / "fit.npz").exists()
        assert (results / "manifest.json").exists()
    said = snakemake("--configfile", path, folder=folder)
    assert "missing or damaged, and made again" in said
    assert bytes_of(results) == before
    assert "0 problems found" in verb("verify", folder=folder)
    assert "Nothing to be done" in snakemake("--configfile", path, folder=folder)


@pytest.mark.slow
def test_a_reader_refuses_a_damaged_table_in_one_sentence(study, tmp_path):
    folder, _ = study
    copy = tmp_path / "results"
    shutil.copytree(folder / "results", copy)
    damage(copy / "simulated" / "tables" / "scores.csv", "flipped")
    words = ["figure", "jsd", "--table", "results/simulated/tables/scores.csv", "--out", "a.png"]
    told = verb(*words, folder=tmp_path, expect=1)
    assert "scores.csv is damaged: it is not as it was written; remove it and run again" in told
    assert len(told.splitlines()) == 1
    assert "1 output removed" in verb("verify", "--repair", folder=tmp_path)


@pytest.mark.long
def test_an_archive_is_run_again_and_compared(study, tmp_path):
    folder, _ = study
    verb("archive", "--out", tmp_path / "a.zip", folder=folder)
    said = verb("reproduce", "a.zip", "--cores", "2", folder=tmp_path)
    assert "results/simulated/tables/scores.csv: equal" in said
    number = len(bytes_of(folder / "results" / "simulated")) - 2  # without the two manifests
    assert f"\n{number} of {number} files are equal, byte for byte.\n" in said
    damage(tmp_path / "reproduced" / "results" / "simulated" / "tables" / "scores.csv", "flipped")
    # The run itself makes it again.
    said = verb("reproduce", "a.zip", "--cores", "2", folder=tmp_path)
    assert f"{number} of {number} files are equal" in said
