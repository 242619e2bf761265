"""Archives hold what may be given away, name what may not, and are compared byte for byte."""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from test_provenance import check_crate

from minority_topics.base.files import digest, read_json, write_json, write_text
from minority_topics.base.manifest import DamagedFolder, state
from minority_topics.cli import main
from minority_topics.study.archive import (
    ArchiveError,
    bring_inputs,
    code_files,
    compare,
    lend_environments,
    pack,
    run_again,
    unpack,
)
from minority_topics.study.provenance import entities, provenance
from minority_topics.study.sealing import seal

SIMULATED = {"kind": "injected", "background": "simulated"}
LABELLED = {"kind": "labelled", "file": "data/texts.csv"}
OWN = {"kind": "comments", "files": ["data/texts.csv"]}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project in a repository, with a file that git does not know and one of the user."""
    root = tmp_path / "project"
    for name in ("Snakefile", "config/methods.tsv", "envs/nmf.lock", "envs/nmf.yaml"):
        write_text(root / name, name)
    monkeypatch.chdir(root)
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "add", "."], check=True)
    names = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *names, "commit", "-qm", "first"], check=True)
    write_text(root / "data" / "texts.csv", "text\nsecret\n")
    write_text(root / "config" / "private.txt", "mine")
    write_text(root / "workflow" / "new.py", "1\n")
    return root


def make_dataset(name, settings):
    """A complete dataset, as a run leaves it; without texts where they are simulated."""
    results = Path("results") / name
    write_text(results / "config.yaml", yaml.safe_dump({"datasets": {name: settings}}))
    files = [results / "tables" / "scores.csv", results / "tables" / "examples.csv"]
    files += [results / "figures" / "jsd.svg", results / "resources" / "cost.csv"]
    for path in files:
        write_text(path, f"{name} {path.name}\n")
    sources = [] if settings is SIMULATED else ["data/texts.csv"]
    facts = provenance(
        results / "config.yaml", "config/methods.tsv", ["envs/nmf.lock"], sources, files,
        root=Path.cwd(),
    )  # fmt: skip
    write_json(results / "provenance.json", facts)
    write_text(results / "report.html", "page")
    seal([*files, *(results / n for n in ("config.yaml", "provenance.json", "report.html"))])
    return results


def names_in(path):
    with zipfile.ZipFile(path) as packed:
        return packed.namelist()


def test_an_archive_holds_code_results_and_a_crate_that_names_them(project):
    make_dataset("x", SIMULATED)
    assert pack(["x"], "a.zip", project) == []
    names = names_in("a.zip")
    code = ["Snakefile", "config/methods.tsv", "envs/nmf.lock", "envs/nmf.yaml", "workflow/new.py"]
    assert [name for name in names if name.startswith("code/")] == [f"code/{n}" for n in code]
    results = {name.removeprefix("results/x/") for name in names if name.startswith("results/")}
    assert results == {
        "config.yaml", "provenance.json", "report.html", "manifest.json", "tables/scores.csv",
        "tables/examples.csv", "tables/manifest.json", "figures/jsd.svg", "figures/manifest.json",
        "resources/cost.csv", "resources/manifest.json",
    }  # fmt: skip
    with zipfile.ZipFile("a.zip") as packed:
        content = json.loads(packed.read("ro-crate-metadata.json"))
    check_crate(content)
    parts = {link["@id"] for link in entities(content)["./"]["hasPart"]}
    assert parts == {*names} - {"ro-crate-metadata.json"}
    for name in parts:
        with zipfile.ZipFile("a.zip") as packed:
            write_text("copy", packed.read(name).decode())
        assert entities(content)[name]["sha256"] == state("copy")


def test_the_same_results_give_the_same_bytes(project):
    make_dataset("x", SIMULATED)
    pack(["x"], "a.zip", project)
    for path in Path("results").rglob("*"):
        path.touch()
    pack(["x"], "b.zip", project)
    assert state("a.zip") == state("b.zip")


@pytest.mark.parametrize("settings", [LABELLED, OWN], ids=["labelled", "own"])
def test_texts_of_others_are_named_and_not_packed(project, settings):
    make_dataset("x", SIMULATED)
    make_dataset("y", settings)
    needed = pack(["x", "y"], "a.zip", project)
    assert needed == ["data/texts.csv", "results/y/report.html", "results/y/tables/examples.csv"]
    names = names_in("a.zip")
    assert not {*needed} & {*names}
    assert not [name for name in names if "private" in name or "texts.csv" in name]
    assert "results/x/tables/examples.csv" in names
    with zipfile.ZipFile("a.zip") as packed:
        content = json.loads(packed.read("ro-crate-metadata.json"))
        assert not any(b"secret" in packed.read(name) for name in names)
    check_crate(content)
    assert entities(content)["#y/data/texts.csv"]["sha256"] == state("data/texts.csv")
    table = entities(content)["#results/y/tables/examples.csv"]
    assert table["sha256"] == state("results/y/tables/examples.csv")


def test_only_what_is_complete_and_whole_is_packed(project):
    results = make_dataset("x", SIMULATED)
    (results / "tables" / "scores.csv").write_text("y scores.csv\n")
    with pytest.raises(DamagedFolder, match=r"scores\.csv is damaged"):
        pack(["x"], "a.zip", project)
    (results / "manifest.json").unlink()
    with pytest.raises(ArchiveError, match="results/x is not complete; run the study to its end"):
        pack(["x"], "a.zip", project)
    assert not Path("a.zip").exists()


def test_without_git_the_folders_of_the_code_are_packed(project):
    shutil.rmtree(".git")
    write_text(project / "workflow" / "__pycache__" / "new.pyc", "")
    write_text(project / "tests" / "test.py", "")
    found = code_files(project)
    assert {"Snakefile", "envs/nmf.lock", "workflow/new.py"} <= {*found}
    assert not [name for name in found if "pyc" in name or name.startswith(("tests", "results"))]


def reproduced(project, settings=SIMULATED):
    """A dataset, packed, and unpacked into another folder."""
    make_dataset("x", settings)
    pack(["x"], "a.zip", project)
    assert unpack("a.zip", "fresh") == ["x"]
    return Path("fresh")


def test_a_fresh_folder_holds_the_code_and_what_was_deposited(project):
    fresh = reproduced(project)
    assert (fresh / "Snakefile").read_text() == "Snakefile"
    kept = fresh / "deposited" / "results" / "x"
    for name in ("manifest.json", "tables/manifest.json", "tables/scores.csv"):
        assert state(kept / name) == state(Path("results/x") / name)
    # Once more is not twice; another archive wants another folder.
    assert unpack("a.zip", fresh) == ["x"]
    make_dataset("x", {**SIMULATED, "rate": 0.2})
    pack(["x"], "b.zip", project)
    with pytest.raises(ArchiveError, match="fresh is not empty"):
        unpack("b.zip", fresh)


@pytest.mark.parametrize("content", [b"", b"no zip", "other"])
def test_what_is_no_archive_is_refused(tmp_path, content):
    path = tmp_path / "a.zip"
    if content == "other":
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("a.txt", "a")
    else:
        path.write_bytes(content)
    with pytest.raises(ArchiveError, match="is damaged, or no archive of results; get it again"):
        unpack(path, tmp_path / "fresh")


@pytest.mark.parametrize("name", ["../evil", "/evil", "results/../../evil", "c:evil", "a\\evil"])
def test_no_name_leads_out_of_the_folder(tmp_path, name):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("ro-crate-metadata.json", '{"@graph": []}')
        packed.writestr(name, "evil")
    with pytest.raises(ArchiveError, match="is no name of a file in it"):
        unpack(tmp_path / "a.zip", tmp_path / "in" / "fresh")
    assert not [path for path in tmp_path.rglob("*evil*")]


def test_a_changed_file_in_an_archive_is_told(project):
    make_dataset("x", SIMULATED)
    pack(["x"], "a.zip", project)
    with zipfile.ZipFile("a.zip") as packed, zipfile.ZipFile("b.zip", "w") as other:
        for name in packed.namelist():
            content = packed.read(name)
            other.writestr(name, b"other" if name.endswith("scores.csv") else content)
    for _ in range(2):  # what was refused once is not taken for whole
        with pytest.raises(ArchiveError, match=r"scores\.csv in it is damaged; get it again|empty"):
            unpack("b.zip", "fresh")


def test_what_a_killed_run_has_unpacked_is_not_taken_for_whole(project, monkeypatch):
    make_dataset("x", SIMULATED)
    pack(["x"], "a.zip", project)
    utime, written = os.utime, []

    def killed(path, times):
        utime(path, times)
        written.append(path)
        if len(written) == stop:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "utime", killed)
    for stop in range(1, len(names_in("a.zip"))):
        written.clear()
        with pytest.raises(KeyboardInterrupt):
            unpack("a.zip", f"fresh{stop}")
        with pytest.raises(ArchiveError, match=f"fresh{stop} is not empty; remove it, or name"):
            unpack("a.zip", f"fresh{stop}")


def test_a_flipped_bit_anywhere_is_one_sentence_or_does_no_harm(tmp_path):
    text = b"what was deposited"
    file = {"@id": "results/a", "@type": "File", "sha256": hashlib.sha256(text).hexdigest()}
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("ro-crate-metadata.json", json.dumps({"@graph": [file]}))
        packed.writestr("results/a", text)
    content, fresh = (tmp_path / "a.zip").read_bytes(), tmp_path / "fresh"
    refused = 0
    for at in range(len(content)):
        flipped = bytes([content[at] ^ 1 << at % 8])
        (tmp_path / "b.zip").write_bytes(content[:at] + flipped + content[at + 1 :])
        with contextlib.suppress(ArchiveError):
            unpack(tmp_path / "b.zip", fresh)
            assert (fresh / "deposited" / "results" / "a").read_bytes() == text, at
            refused -= 1
        refused += 1
        shutil.rmtree(fresh, ignore_errors=True)
    assert refused > len(content) / 2


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"@graph": [1]}', '{"@graph": [{"@type": "File", "@id": "a"}]}']
)
def test_a_damaged_description_is_one_sentence(tmp_path, content):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("ro-crate-metadata.json", content)
    with pytest.raises(ArchiveError, match=r"a\.zip is damaged, or no archive of results; get it"):
        unpack(tmp_path / "a.zip", tmp_path / "fresh")


def test_a_fault_of_the_machine_is_not_taken_for_damage(project, monkeypatch):
    make_dataset("x", SIMULATED)
    pack(["x"], "a.zip", project)
    write_text("fresh", "a file in the way")
    with pytest.raises(NotADirectoryError, match="fresh"):
        unpack("a.zip", "fresh")
    with pytest.raises(FileNotFoundError, match=r"b\.zip"):
        unpack("b.zip", "fresh")


def test_one_sentence_says_which_file_is_needed_where(project):
    fresh = reproduced(project, LABELLED)
    sha = state("data/texts.csv")
    text = Path("data/texts.csv").read_bytes()
    Path("data/texts.csv").write_text("another")
    with pytest.raises(ArchiveError) as caught:
        bring_inputs(fresh, "x")
    assert str(caught.value) == (
        "data/texts.csv is not in the archive, and the run needs it: put the file with SHA-256 "
        f"{sha} at fresh/data/texts.csv and run again"
    )
    Path("data/texts.csv").write_bytes(text)
    bring_inputs(fresh, "x")
    assert state(fresh / "data" / "texts.csv") == sha


def test_environments_are_lent_only_if_they_are_of_the_same_files(project):
    fresh = reproduced(project)
    for name in ("nmf", "other"):
        write_text(project / ".venvs" / name / "python", name)
    files = [project / "envs" / "nmf.yaml", project / "envs" / "nmf.lock"]
    built = {"status": "ok", "reason": "", "digest": digest(*files)}
    write_json(project / ".venvs" / "nmf.json", built)
    write_json(project / ".venvs" / "other.json", built)
    lend_environments(fresh, project)
    assert sorted(path.name for path in (fresh / ".venvs").iterdir()) == ["nmf", "nmf.json"]
    assert (fresh / ".venvs" / "nmf" / "python").read_text() == "nmf"
    shutil.rmtree(fresh / ".venvs")
    write_text(fresh / "envs" / "nmf.lock", "another")
    lend_environments(fresh, project)
    assert not (fresh / ".venvs").exists()


def record_of(project, status):
    files = [project / "envs" / f"nmf.{ending}" for ending in ("yaml", "lock")]
    return json.dumps({"status": status, "reason": "", "digest": digest(*files)})


@pytest.mark.parametrize("damage", ["[]", "{", "", "{}", '"nmf"'])
def test_an_environment_with_a_damaged_record_is_not_lent(project, damage):
    fresh = reproduced(project)
    write_text(project / ".venvs" / "nmf.json", damage)
    lend_environments(fresh, project)
    assert not (fresh / ".venvs").exists()


def test_an_environment_that_could_not_be_built_is_not_lent(project):
    fresh = reproduced(project)
    write_text(project / ".venvs" / "nmf.json", record_of(project, "failed"))
    lend_environments(fresh, project)
    assert not (fresh / ".venvs").exists()
    write_text(project / ".venvs" / "nmf.json", record_of(project, "ok"))
    lend_environments(fresh, project)
    assert (fresh / ".venvs" / "nmf.json").exists()


def test_files_are_compared_byte_for_byte(project):
    fresh = reproduced(project)
    shutil.copytree(fresh / "deposited" / "results", fresh / "results")
    verdicts = dict(compare(fresh, "x"))
    assert verdicts == {
        "results/x/tables/scores.csv": "equal",
        "results/x/tables/examples.csv": "equal",
        "results/x/figures/jsd.svg": "equal",
    }
    (fresh / "results" / "x" / "tables" / "scores.csv").write_text("x scores.csw\n")
    (fresh / "results" / "x" / "figures" / "jsd.svg").unlink()
    listed = fresh / "results" / "x" / "tables" / "manifest.json"
    content = read_json(listed)
    content["files"]["more.csv"] = {}
    write_json(listed, content)
    assert dict(compare(fresh, "x")) == {
        "results/x/tables/scores.csv": "differs",
        "results/x/tables/examples.csv": "equal",
        "results/x/tables/more.csv": "is new",
        "results/x/figures/jsd.svg": "is missing",
    }


def test_a_run_that_fails_is_told(project, monkeypatch):
    fresh = reproduced(project)
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(ArchiveError, match="the run failed, see above; the same command goes on"):
        run_again(fresh, "x")


def test_the_verbs_pack_and_refuse(project, capsys):
    with pytest.raises(SystemExit, match="there is no complete dataset; run the study first"):
        main(["archive"])
    make_dataset("x", LABELLED)
    main(["archive", "--out", "a.zip"])
    printed = capsys.readouterr().out
    assert "data/texts.csv is named with its hash, and not packed" in printed
    assert printed.endswith("a.zip holds x.\n")
    Path("data/texts.csv").unlink()
    with pytest.raises(SystemExit, match=r"data/texts\.csv is not in the archive"):
        main(["reproduce", "a.zip", "--out", "fresh"])
