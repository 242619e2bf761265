"""The study through a real SLURM with its database: accounts, and both ways to follow jobs."""

import subprocess

import pytest
from helpers import snakemake, tiny
from servers import ACCOUNT

from minority_topics.study.paths import ROOT


@pytest.mark.parametrize("status_command", ["sacct", "squeue"])
def test_account_and_partition_are_settings(slurm_with_database, status_command, tmp_path):
    snakemake(
        "--configfile", tiny(tmp_path, methods=["nmf"], repetitions=1), "--until", "fit",
        "--profile", ROOT / "profiles" / "slurm",
        "--default-resources", f"slurm_account={ACCOUNT}", "slurm_partition=other",
        "--slurm-status-command", status_command,
        "--slurm-jobname-prefix", status_command,
        "--slurm-init-seconds-before-status-checks", 2,
        folder=tmp_path,
    )  # fmt: skip
    assert (tmp_path / "results" / "simulated" / "fits" / "nmf" / "4-2" / "0-0").exists()
    lines = subprocess.run(
        ["sacct", "--allocations", "--noheader", "--parsable2",
         "--format=JobName,Account,Partition,State"],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    (job,) = [line.split("|") for line in lines if line.startswith(status_command)]
    assert job[1:] == [ACCOUNT, "other", "COMPLETED"]


def test_an_unknown_account_is_told(slurm_with_database, tmp_path):
    output = snakemake(
        "--configfile", tiny(tmp_path, methods=["nmf"], repetitions=1), "--until", "fit",
        "--profile", ROOT / "profiles" / "slurm",
        "--default-resources", "slurm_account=nobodys", "--retries", 0,
        folder=tmp_path, expect=1,
    )  # fmt: skip
    assert "The given account nobodys appears to be invalid" in output
