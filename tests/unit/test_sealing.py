"""The manifests of a dataset: which files and folders they list."""

from pathlib import Path

import pytest

from minority_topics.base.files import read_json, write_text
from minority_topics.base.manifest import state, verify, write_manifest
from minority_topics.cli import main
from minority_topics.study.sealing import dataset_parts, seal, sources_of

FOLDERS = ("background", "documents", "corpus/0", "fits/nmf/4-2/0-1/0", "fits/nmf/4-2/0-1/1")
OWN_FOLDERS = ("comments", "matrix", "model", "tables")
STUDY = """
datasets: {x: {kind: injected, draws: 1}}
settings: [{n_topics: 4, n_minority: 2}]
methods: [nmf]
variants: []
figures: []
peers: []
ablations: {}
sweeps: {}
repetitions: 2
batch_size: 2
options: {}
"""


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("tables/scores.csv", "figures/jsd.svg", "report.html", "config.yaml"):
        write_text(Path("results/x") / name, STUDY if name == "config.yaml" else name)
    make_folders("x", FOLDERS)
    return Path("results/x")


def make_folders(dataset, names):
    for name in names:
        folder = Path("results") / dataset / name
        write_text(folder / "a.txt", name)
        write_manifest(folder)


def files_of(folder):
    return [path for path in folder.rglob("*") if path.suffix in (".csv", ".svg", ".html", ".yaml")]


def test_each_folder_lists_its_files_and_the_dataset_its_folders(results):
    parts = [results / name for name in FOLDERS]
    seal(files_of(results), {"rate": 0.1}, [results / "corpus"], parts)
    tables, top = (read_json(folder / "manifest.json") for folder in (results / "tables", results))
    assert list(tables["files"]) == ["scores.csv"]
    assert tables["made_by"]["inputs"] == {"results/x/corpus": state(results / "corpus")}
    assert {"scores/tables.py", "report/figures/jsd.py"} <= {*tables["made_by"]["code"]["modules"]}
    assert list(top["files"]) == ["config.yaml", "report.html"]
    assert top["parts"] == {
        name: state(results / name) for name in sorted([*FOLDERS, "tables", "figures"])
    }
    assert list(verify("results")) == []


def test_files_without_a_dataset(tmp_path):
    write_text(tmp_path / "tables" / "all.csv", "a")
    write_text(tmp_path / "tables" / "other.csv", "a")
    main(["manifest", str(tmp_path / "tables" / "all.csv")])
    assert list(read_json(tmp_path / "tables" / "manifest.json")["files"]) == ["all.csv"]
    assert [problem.name for problem in verify(tmp_path)] == ["other.csv"]


def test_the_verb_finds_the_folders_by_the_configuration(results):
    # Of an earlier configuration: another batch, and another number of topics.
    make_folders("x", ["fits/nmf/4-2/0-4/0", "fits/nmf/6-2/0-1/0"])
    main(["manifest", *map(str, files_of(results)), "--config", "results/x/config.yaml"])
    parts = read_json(results / "manifest.json")["parts"]
    assert {*parts} == {*FOLDERS, "tables", "figures"}
    foreign = {str(problem.folder) for problem in verify("results")}
    assert foreign == {"results/x/fits/nmf/4-2/0-4/0", "results/x/fits/nmf/6-2/0-1/0"}
    inputs = read_json(results / "tables" / "manifest.json")["made_by"]["inputs"]
    assert {*inputs} == {"config/methods.tsv", "results/x/corpus", "results/x/fits"}


@pytest.mark.parametrize("name", ["corpus", "fits"])
def test_a_dataset_with_the_name_of_a_folder_is_not_its_own_source(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    make_folders(name, FOLDERS)
    folder = Path("results") / name
    parts = [folder / part for part in FOLDERS]
    assert sources_of(parts) == [folder / "corpus", folder / "fits"]
    write_text(folder / "report.html", "page")
    seal([folder / "report.html"], {}, sources_of(parts), parts)
    assert list(verify("results")) == []


def test_own_comments_have_the_folders_that_are_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_folders("mine", OWN_FOLDERS)
    parts = dataset_parts({"datasets": {"mine": {"kind": "comments"}}}, {})
    assert parts == [Path("results/mine") / name for name in OWN_FOLDERS]
    assert sources_of(parts) == []
