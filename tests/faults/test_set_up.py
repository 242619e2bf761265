"""Environments that are deleted or half-built, and an index of packages that cannot be reached."""

import random
import shutil
import socket

import pytest
from ledger import at_moments
from studies import TABLES

pytestmark = pytest.mark.long


@pytest.fixture
def project(clone):
    """A copy of the project whose environment of the model is its own, and can be spoilt."""
    environment = clone / ".venvs" / "constrained_nmf"
    real = environment.resolve()
    environment.unlink()
    shutil.copytree(real, environment, symlinks=True)
    return clone


def halve(environment, dice):
    """Take away what a build that was killed had not yet put there."""
    (packages,) = environment.glob("lib/python*/site-packages")
    for path in [path for path in sorted(packages.iterdir()) if dice.random() < 0.5]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@at_moments
def test_an_environment_is_built_again(study, project, tmp_path, fault, moment):
    dice = random.Random(f"environment {moment}")
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "config.yaml").write_bytes((study.folder / "config.yaml").read_bytes())
    environment = project / ".venvs" / "constrained_nmf"
    with fault("a half-built or deleted environment"):
        how = ("deleted", "halved", "no record", "no python")[moment % 4]
        if how == "deleted":
            shutil.rmtree(environment)
        elif how == "halved":
            halve(environment, dice)
        elif how == "no record":
            environment.with_suffix(".json").unlink()
        else:
            (environment / "bin" / "python").unlink()
        said = study.check(folder, *TABLES, root=project)
        assert "Building environment constrained_nmf" in said


@at_moments
def test_an_index_that_cannot_be_reached(study, project, tmp_path, monkeypatch, fault, moment):
    """The environment of a method is not built, and its fits say so; the next run has it."""
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "config.yaml").write_bytes((study.folder / "config.yaml").read_bytes())
    shutil.rmtree(project / ".venvs" / "constrained_nmf")
    with fault("an index that cannot be reached"):
        with socket.socket() as closed, monkeypatch.context() as patch:
            closed.bind(("127.0.0.1", 0))  # and nobody listens
            index = f"http://127.0.0.1:{closed.getsockname()[1]}/simple"
            for name in ("UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL"):
                patch.setenv(name, index)
            for name in ("UV_INDEX", "UV_FIND_LINKS"):
                patch.delenv(name, raising=False)
            patch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
            patch.setenv("UV_HTTP_RETRIES", "0")
            study.run(folder, TABLES[0], root=project)
        table = (folder / TABLES[0]).read_text(encoding="utf-8")
        assert "environment constrained_nmf: uv failed: " in table
        study.check(folder, *TABLES, root=project)
