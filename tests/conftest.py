"""A small corpus, the environments of the methods, and a copy of the project."""

import functools
import json
import os
import shutil
import signal
import subprocess

import numpy as np
import pytest
from helpers import REAL_PATH, corpus_of

from minority_topics.base.files import digest
from minority_topics.study.environments import build
from minority_topics.study.paths import ROOT, environment_files

SHARED = ROOT.parent / "shared"
# Their tests run tools, Snakemake or installers. They run in this order, long files first, so that
# no core waits for another at the end; those of the cluster wait most.
FOLDERS_OF_TOOLS = ("cluster", "workflow", "packaging", "faults", "contract")
CLUSTER = "tests/cluster/"
pytest_plugins = ["ledger"]

# A shell that runs the tests in the background has all that they start ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def folder_of(item):
    return item.path.relative_to(ROOT / "tests").parts[0]


def pytest_itemcollected(item):
    """Mark the tests that need other environments than their own: `make test-fast` has none."""
    if folder_of(item) in FOLDERS_OF_TOOLS or "python_of" in item.fixturenames:
        item.add_marker("environments")


def pytest_collection_modifyitems(items):
    order = {folder: number for number, folder in enumerate(FOLDERS_OF_TOOLS)}
    items.sort(key=lambda item: order.get(folder_of(item), len(order)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Where tests share the cores, those of a file stay together, and all that start a cluster."""
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid):
            return CLUSTER if nodeid.startswith(CLUSTER) else super()._split_scope(nodeid)

    return ByFile(config, log)


@pytest.fixture(scope="session", autouse=True)
def no_cluster(tmp_path_factory):
    """Let scontrol say at once that there is no cluster; the cluster's own tests ask the real one.

    Snakemake's plugin for SLURM asks it at every start, and without a controller it waits nine
    seconds before it says so.
    """
    programs = tmp_path_factory.mktemp("programs")
    (programs / "scontrol").write_text("#!/bin/sh\nexit 1\n")
    (programs / "scontrol").chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{programs}{os.pathsep}{REAL_PATH}")
        yield


@pytest.fixture(scope="session")
def authors_data():
    """Folder of the authors' dataset, which is not ours to ship."""
    folder = SHARED / "paper"
    if not (folder / "synthetic-data.csv").exists():
        pytest.skip("the authors' dataset is not here: put it at ../shared/paper")
    return folder


@pytest.fixture(scope="session")
def corpus_folder(tmp_path_factory):
    """Four topics of ten words, 60 documents of six words of one; two topics have a label.

    The first two words of each labelled topic are seed words. Six more documents take their words
    from everywhere, so that no sampler ends in the same state from every random state.
    """
    rng = np.random.default_rng(0)
    vocabulary = [f"word{topic}{letter}" for topic in range(4) for letter in "abcdefghij"]
    topics = rng.integers(4, size=60)
    columns = topics[:, None] * 10 + rng.integers(10, size=(60, 6))
    columns = np.vstack([columns, rng.integers(40, size=(6, 6))])
    return corpus_of(
        tmp_path_factory.mktemp("corpus"),
        [[vocabulary[column] for column in row] for row in columns],
        seed_words=["word0a", "word0b", "word1a", "word1b", "absent"],
        vocabulary=vocabulary,
        labels=[["first", "second", "-1", "-1"][topic] for topic in topics] + ["-1"] * 6,
        truth={
            name: np.repeat(np.eye(4)[topic] / 10, 10)
            for topic, name in enumerate(["first", "second"])
        },
    )


@pytest.fixture(scope="session")
def python_of():
    """Python of a method's environment, built first if need be, as the workflow would."""

    @functools.cache
    def python(name):
        definition, record = ROOT / "envs" / f"{name}.yaml", ROOT / ".venvs" / f"{name}.json"
        built = json.loads(record.read_text()) if record.exists() else {}
        wanted = {"status": "ok", "digest": digest(*environment_files(definition))}
        if not wanted.items() <= built.items():
            built = build(definition, record)
        assert built["status"] == "ok", built["reason"]
        return ROOT / ".venvs" / name / "bin" / "python"

    return python


@pytest.fixture
def clone(tmp_path, copy_project):
    return copy_project(tmp_path)


WAITING = """
import pathlib
import time

from . import nmf


def fit(problem):
    been_here = pathlib.Path({marker!r})
    if not been_here.exists():
        been_here.touch()
        time.sleep(600)
    return nmf.fit(problem)
"""


@pytest.fixture
def waiting(clone, tmp_path):
    """The project with a method `waiting`: its first fit leaves `been_here` and takes too long."""
    code = WAITING.format(marker=str(tmp_path / "been_here"))
    (clone / "workflow" / "minority_topics" / "methods" / "waiting.py").write_text(code)
    with open(clone / "config" / "methods.tsv", "a", encoding="utf-8") as table:
        table.write("waiting\tWaiting\twaiting\tnmf\tnumpy\tunguided\t{}\t1\t20\t500\tnobody\n")
    return clone


@pytest.fixture(scope="session")
def copy_project():
    """Puts the project's files into a folder, with the environments built so far."""
    return _copy_project


def _copy_project(folder):
    root = folder / "clone"
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in listed.stdout.splitlines():
        if (ROOT / name).exists() and not name.startswith("tests/"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    (root / ".venvs").mkdir()
    for path in (ROOT / ".venvs").iterdir():
        # Records are copied: they must be no newer, and no older, than what was built from them.
        if path.is_dir():
            (root / ".venvs" / path.name).symlink_to(path)
        else:
            shutil.copy(path, root / ".venvs" / path.name)
    for record in (root / ".venvs").glob("*.json"):
        os.utime(record)
    return root
