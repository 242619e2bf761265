"""Where results come from: commits, changes and hashes."""

import hashlib
import subprocess
from datetime import datetime

import pytest

from minority_topics import __version__
from minority_topics.study.provenance import commit, entities, facts, machine, provenance


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


@pytest.fixture
def crate(repository, monkeypatch):
    """Provenance of a dataset with a table, a secret and a file of the user."""
    monkeypatch.chdir(repository)
    results = repository / "results" / "x"
    files = {
        results / "config.yaml": "config.yaml",
        results / "tables" / "scores.csv": "a\n1\n",
        results / ".id_secret": "ab\n",
        repository / "methods.tsv": "methods.tsv",
        repository / "envs" / "nmf.lock": "nmf.lock",
        repository / "data" / "words.txt": "sana\n",
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return provenance(
        results / "config.yaml",
        repository / "methods.tsv",
        [repository / "envs" / "nmf.lock"],
        [repository / "data" / "words.txt"],
        [results / "tables"],
        root=repository,
    )


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def test_facts_are_those_of_the_files_and_the_code(crate, repository):
    found = facts(crate)
    assert found["version"] == __version__
    assert found["commit"] == git(repository, "rev-parse", "HEAD")
    assert found["sha256"] == {
        "configuration": sha256("config.yaml"),
        "methods table": sha256("methods.tsv"),
        "envs/nmf.lock": sha256("nmf.lock"),
        "data/words.txt": sha256("sana\n"),
        "results/x/.id_secret": sha256("ab\n"),
    }
    assert found["machine"] == machine()
    assert found["date"].endswith("+00:00")


def check_crate(content):
    """What RO-Crate 1.1 asks of a metadata document: "MUST" in its sections 3 to 5 and 8."""
    assert content.keys() == {"@context", "@graph"}
    assert content["@context"][0] == "https://w3id.org/ro/crate/1.1/context"
    graph = content["@graph"]
    things = entities(content)
    assert len(things) == len(graph)  # every @id once
    about = things["ro-crate-metadata.json"]
    assert about["@type"] == "CreativeWork"
    assert about["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert about["about"] == {"@id": "./"}
    root = things["./"]
    assert root["@type"] == "Dataset"
    assert root["name"]
    assert root["description"]
    assert root["license"]
    datetime.fromisoformat(root["datePublished"])
    parts = {link["@id"] for link in root["hasPart"]}
    assert parts == {thing["@id"] for thing in graph if thing["@type"] == "File"}
    for thing in graph:
        assert thing["@type"]
        for value in thing.values():
            for item in value if isinstance(value, list) else [value]:
                # Flat: a thing inside of another is but a link, and it leads somewhere.
                if isinstance(item, dict):
                    assert item.keys() == {"@id"}
                    known = item["@id"] in things or item["@id"].startswith("https://")
                    assert known, item
    for name in parts:
        assert not name.startswith(("/", ".", "#"))


def test_it_is_an_ro_crate(crate):
    check_crate(crate)
    things = entities(crate)
    table = things["tables/scores.csv"]
    assert table["sha256"] == sha256("a\n1\n")
    assert table["contentSize"] == "4"
    assert table["encodingFormat"] == "text/csv"
    run = things["#run"]
    assert run["result"] == [{"@id": "tables/scores.csv"}]
    assert run["instrument"] == {"@id": "#code"}


def test_machine_is_described_without_its_name():
    found = machine()
    assert found["cores"] >= 1
    assert found["memory_gb"] > 0
    assert set(found) == {"system", "processor", "cores", "memory_gb", "python"}
