"""Faults of a real SLURM: a drained node, jobs over memory and time, a slurmd that is killed.

After each the table is that of a run without a cluster, byte for byte. The last test kills
the node.
"""

import os
import signal
import socket
import subprocess

import psutil
import pytest
from helpers import snakemake, snakemake_command, tiny
from processes import start, wait_until
from servers import server
from test_slurm import jobs_of, submit, through_slurm

pytestmark = pytest.mark.long
SCORES = "results/simulated/tables/scores.csv"
METHOD = "constrained_nmf"


@pytest.fixture(scope="module")
def undisturbed(slurm, tmp_path_factory):
    """The configuration of a tiny study, and its table after a run on this machine."""
    folder = tmp_path_factory.mktemp("undisturbed")
    config = tiny(folder, methods=[METHOD, "truth"])
    snakemake(SCORES, "--configfile", config, folder=folder)
    return config, (folder / SCORES).read_bytes()


def begin(config, folder):
    """Start a run through the cluster, and do not wait for it."""
    arguments = through_slurm(SCORES, "--configfile", config)
    return start(snakemake_command(*arguments, folder=folder, cores=1), folder)


def node(*settings):
    name = socket.gethostname().split(".")[0]
    subprocess.run(["scontrol", "update", f"nodename={name}", *settings], check=True)


def newest(method, before):
    """The state of a job that was submitted after these; "" while there is none."""
    states = [job["JobState"] for job in jobs_of(method) if job["JobId"] not in before]
    return states[-1] if states else ""


def finish(run, folder):
    assert run.wait(timeout=300) == 0, (folder / "run.log").read_text()


def test_a_drained_node(undisturbed, tmp_path, fault):
    config, table = undisturbed
    before = {job["JobId"] for job in jobs_of(METHOD)}
    with fault("SLURM: a node is drained"):
        node("state=drain", "reason=test")
        run = begin(config, tmp_path)
        try:
            wait_until(run, lambda: newest(METHOD, before) == "PENDING")
        finally:
            node("state=resume")
        finish(run, tmp_path)
        assert (tmp_path / SCORES).read_bytes() == table


def test_a_job_over_its_memory(undisturbed, tmp_path, fault):
    config, table = undisturbed
    before = {job["JobId"] for job in jobs_of(METHOD)}
    # Less than Snakemake itself needs, then enough.
    memory = "fit:mem_mb=50 if attempt == 1 else 3000"
    with fault("SLURM: a job over its memory"):
        submit(SCORES, "--configfile", config, "--set-resources", memory, folder=tmp_path)
        assert len({job["JobId"] for job in jobs_of(METHOD)} - before) == 2
        assert (tmp_path / SCORES).read_bytes() == table


def test_a_job_over_its_time(slurm, waiting, tmp_path, fault):
    """Its first fit takes too long: SLURM ends it after the least that it can, a minute."""
    config = tiny(tmp_path, methods=["waiting"], repetitions=1)
    before = {job["JobId"] for job in jobs_of("waiting")}
    arguments = (SCORES, "--configfile", config)
    with fault("SLURM: a job over its time"):
        folders = tmp_path / "there", tmp_path / "here"
        for folder in folders:
            folder.mkdir()
        there, here = folders
        time = ("--set-resources", "fit:runtime=attempt")
        submit(*arguments, *time, folder=there, root=waiting)
        ran = [job for job in jobs_of("waiting") if job["JobId"] not in before]
        assert [job["JobState"] for job in ran] == ["TIMEOUT", "COMPLETED"]
        snakemake(*arguments, folder=here, root=waiting)
        assert (there / SCORES).read_bytes() == (here / SCORES).read_bytes()


def test_a_slurmd_that_is_killed_with_jobs_on_it(undisturbed, tmp_path, fault):
    """With all that it runs, as where the power fails; then the node comes back."""
    config, table = undisturbed
    before = {job["JobId"] for job in jobs_of(METHOD)}
    with fault("SLURM: slurmd is killed with jobs on it"):
        run = begin(config, tmp_path)
        wait_until(run, lambda: newest(METHOD, before) == "RUNNING")
        (slurmd,) = [p for p in psutil.Process().children() if p.name() == "slurmd"]
        for process in [*slurmd.children(recursive=True), *steps_of_jobs(), slurmd]:
            os.kill(process.pid, signal.SIGKILL)
        with server("slurmd", "-D", folder=tmp_path, environ=os.environ):
            finish(run, tmp_path)
            assert (tmp_path / SCORES).read_bytes() == table


def steps_of_jobs():
    """What holds the jobs of this cluster, which lives on without slurmd, and the jobs."""
    found = []
    for process in psutil.process_iter(["name", "environ"]):
        conf = (process.info["environ"] or {}).get("SLURM_CONF")
        if process.info["name"] == "slurmstepd" and conf == os.environ["SLURM_CONF"]:
            found += [*process.children(recursive=True), process]
    return found
