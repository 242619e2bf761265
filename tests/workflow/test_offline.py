"""After `make envs` no step needs a network: a study with every tool, where there is none."""

import shutil
import subprocess

import pytest
import yaml
from helpers import METHODS, snakemake, snakemake_command, tiny

from minority_topics.base.files import read_csv
from minority_topics.comments.example import write_example

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def offline():
    """Words before a command that leave it no network, not even with itself."""
    command = ["unshare", "--map-root-user", "--net"]
    if not shutil.which("unshare") or subprocess.run([*command, "true"], check=False).returncode:
        pytest.skip(
            "unshare cannot take the network away here; it is Linux's, and may be forbidden"
        )
    try_it = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=5)"
    tried = subprocess.run([*command, "python3", "-c", try_it], capture_output=True, check=False)
    assert b"Network is unreachable" in tried.stderr
    return command


def run(offline, *arguments, folder):
    command = [*offline, *snakemake_command(*arguments, folder=folder)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-4000:]


@pytest.mark.long
def test_every_tool_and_the_report(offline, tmp_path):
    methods = list({row.environment: name for name, row in METHODS.items()}.values())
    config = tiny(tmp_path, methods=methods, repetitions=1, figures=["purity_nmi"])
    snakemake("envs", "--configfile", config, folder=tmp_path)
    run(offline, "--configfile", config, folder=tmp_path)
    assert (tmp_path / "results" / "simulated" / "report.html").exists()
    scores = read_csv(tmp_path / "results" / "simulated" / "tables" / "scores.csv")
    assert {row["method"] for row in scores} == set(methods)
    failed = [row["method"] + ": " + row["reason"] for row in scores if row["status"] == "failed"]
    assert failed == []


def test_own_comments(offline, tmp_path):
    write_example(tmp_path, "en", 1_500)
    dataset = {"kind": "comments", "files": "comments.csv", "language": "en", "n_topics": 6}
    dataset |= {"n_minority": 3, "seed_words": "seed_words.txt"}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"datasets": {"mine": dataset}}))
    run(offline, "--configfile", "mine.yaml", folder=tmp_path)
    assert (tmp_path / "results" / "mine" / "explorer.html").exists()
