"""Where results come from: commits, changes and hashes."""

import hashlib
import subprocess

import pytest

from minority_topics import __version__
from minority_topics.study.provenance import commit, machine, provenance


def git(folder, *words):
    names = ["-c", "user.name=a", "-c", "user.email=a@b"]
    return subprocess.run(
        ["git", "-C", folder, *names, *words], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "code.py").write_text("1\n")
    git(tmp_path, "add", "code.py")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def test_commit_of_clean_and_changed_code(repository):
    head = git(repository, "rev-parse", "HEAD")
    assert commit(repository) == head
    (repository / "my.yaml").write_text("a: 1\n")  # of the user, not of the code
    assert commit(repository) == head
    (repository / "code.py").write_text("2\n")
    assert commit(repository) == f"{head}+changes"


def test_no_commit_outside_of_git_or_inside_of_another_repository(repository, tmp_path_factory):
    assert commit(tmp_path_factory.mktemp("plain")) == ""
    (repository / "vendored").mkdir()
    assert commit(repository / "vendored") == ""


def test_no_commit_without_git(repository, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert commit(repository) == ""


def test_hashes_are_those_of_the_files(repository):
    names = "config.yaml", "methods.tsv", "nmf.lock"
    for name in names:
        (repository / name).write_text(name)
    config, methods_file, lock = (repository / name for name in names)
    found = provenance(config, methods_file, [lock], root=repository)
    assert found["version"] == __version__
    assert found["sha256"] == {
        title: hashlib.sha256(name.encode()).hexdigest()
        for title, name in zip(
            ("configuration", "methods table", "envs/nmf.lock"), names, strict=True
        )
    }
    assert found["date"].endswith("+00:00")


def test_machine_is_described_without_its_name():
    found = machine()
    assert found["cores"] >= 1
    assert found["memory_gb"] > 0
    assert set(found) == {"system", "processor", "cores", "memory_gb", "python"}
