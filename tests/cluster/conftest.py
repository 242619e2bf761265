"""SLURM without and with its database, one of them at a time."""

import pytest
from helpers import REAL_PATH
from servers import cluster, require


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    require(["munged", "slurmctld", "slurmd"], "slurm-wlm munge")
    yield from running(tmp_path_factory.mktemp("slurm"))


@pytest.fixture(scope="module")
def slurm_with_database(tmp_path_factory):
    programs = ["munged", "slurmctld", "slurmd", "slurmdbd", "mariadbd"]
    require(programs, "slurm-wlm munge slurmdbd mariadb-server")
    yield from running(tmp_path_factory.mktemp("slurm"), database=True)


def running(folder, **options):
    with cluster(folder, **options) as environ, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLURM_CONF", environ["SLURM_CONF"])
        patch.setenv("PATH", REAL_PATH)
        yield
