"""Damage to a folder is seen, told with its remedy, and repaired."""

import hashlib
import json
import os
import shutil
import time
from pathlib import Path

import pytest

from minority_topics import __version__
from minority_topics.base import manifest
from minority_topics.base.files import read_json, replacing, write_text
from minority_topics.base.manifest import (
    DamagedFolder,
    bring_to_present,
    check_file,
    check_manifest,
    describe_step,
    forget_spoilt,
    glance,
    lock_of,
    repair,
    state,
    verify,
    write_manifest,
)


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Two folders of one rule, as Snakemake leaves them, each with its manifest."""
    monkeypatch.chdir(tmp_path)
    for name in ("0", "1"):
        folder = tmp_path / "results" / "corpus" / name
        write_text(folder / "a.txt", "a")
        write_text(folder / "b.txt", "b")
        write_text(folder / "below" / "c.txt", "c")
        write_manifest(folder)
    (tmp_path / "results" / "corpus" / ".snakemake_timestamp").touch()
    return tmp_path / "results"


@pytest.fixture
def dataset(results):
    """The same as parts of a dataset, with tables that were made one by one."""
    for name in ("scores.csv", "summary.csv"):
        write_text(results / "tables" / name, name)
    write_text(results / "report.html", "page")
    write_manifest(results / "tables", inputs=[results / "corpus"], separate=True)
    parts = {name: state(results / name) for name in ("corpus/0", "corpus/1", "tables")}
    write_manifest(results, separate=True, parts=parts)
    return results


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def age(folder, seconds=10):
    """Make all files older than they are, manifests last, as time does."""
    for path in sorted(folder.rglob("*"), key=lambda path: path.name == "manifest.json"):
        then = time.time() - seconds + (1 if path.name == "manifest.json" else 0)
        os.utime(path, (then, then))


def found(problems):
    return [(problem.name, problem.kind) for problem in problems]


class TestManifest:
    def test_a_whole_folder_passes(self, results):
        check_manifest(results / "corpus" / "0")
        check_manifest(results / "corpus" / "0", "a.txt")
        assert list(verify(results)) == []

    def test_hidden_files_and_subfolders_do_not_count(self, results):
        (results / "corpus" / "0" / ".DS_Store").touch()
        (results / "corpus" / "0" / "below" / "c.txt").write_text("other")
        check_manifest(results / "corpus" / "0")
        assert list(verify(results)) == []

    @pytest.mark.parametrize(
        ("content", "kind"), [(b"x", "damaged"), (b"", "damaged"), (None, "missing")]
    )
    def test_damage_is_told_with_folder_file_and_remedy(self, results, content, kind):
        path = results / "corpus" / "0" / "b.txt"
        path.unlink() if content is None else path.write_bytes(content)
        check_manifest(path.parent, "a.txt")
        with pytest.raises(DamagedFolder) as caught:
            check_manifest(path.parent)
        sentence = str(caught.value)
        assert sentence.startswith(f"{path} is {kind}")
        made = results / "corpus"
        assert sentence.endswith(
            f"; remove {made} and run again, or `python -m minority_topics verify --repair {made}`"
        )
        assert "\n" not in sentence
        [problem] = verify(results)
        assert (problem.folder, problem.name, problem.kind) == (path.parent, "b.txt", kind)

    @pytest.mark.parametrize(
        "content",
        [None, b"", b"{", b"[]", b"\xff", b"[" * 100_000, b"{}", b'{"files": {}}',
         b'{"files": [], "made_by": {"inputs": {}, "environment": {}, "code": {"modules": []}}}',
         b'{"files": {}, "made_by": {"inputs": {}, "environment": {}, "code": {"modules": [[]]}}}'],
    )  # fmt: skip
    def test_a_bad_manifest_is_told(self, results, content):
        path = results / "corpus" / "0" / "manifest.json"
        path.unlink() if content is None else path.write_bytes(content)
        with pytest.raises(DamagedFolder, match=r"manifest\.json (is missing|cannot|is not)"):
            check_manifest(path.parent, "a.txt")
        assert found(verify(results, marks=["a.txt"])) == [("manifest.json", "damaged")]

    def test_a_foreign_file_is_told_and_not_read_and_kept(self, results):
        (results / "corpus" / "0" / "2.csv").touch()
        check_manifest(results / "corpus" / "0")
        with pytest.raises(DamagedFolder, match=r"2\.csv is not listed"):
            check_manifest(results / "corpus" / "0", "2.csv")
        problems = list(verify(results))
        assert found(problems) == [("2.csv", "foreign")]
        assert repair(problems, results) == []
        assert (results / "corpus" / "0" / "2.csv").exists()
        assert list(verify(results, own=["2.csv"])) == []

    @pytest.mark.parametrize("role", ["marks", "needed"])
    def test_a_file_that_is_read_and_not_listed_is_damage(self, results, role):
        path = results / "corpus" / "0" / "status.json"
        path.touch()
        problems = list(verify(results, **{role: ["status.json"]}))
        assert found(problems) == [("status.json", "damaged")]
        assert repair(problems, results) == [results / "corpus"]
        assert not path.exists()

    def test_repair_removes_what_the_rule_made_and_nothing_else(self, results):
        write_text(results / "other" / "a.txt", "a")
        write_manifest(results / "other")
        (results / "corpus" / "1" / "a.txt").write_text("x")
        assert repair(list(verify(results)), results) == [results / "corpus"]
        assert os.listdir(results) == ["other"]
        assert list(verify(results)) == []

    def test_of_a_folder_that_no_rule_made_only_what_is_listed_goes(self, results):
        (results / "corpus" / ".snakemake_timestamp").unlink()
        (results / "corpus" / "1" / "a.txt").write_text("x")
        (results / "corpus" / "1" / "mine.txt").write_text("x")
        repair(list(verify(results)), results)
        assert sorted(os.listdir(results / "corpus" / "1")) == ["below", "mine.txt"]
        assert (results / "corpus" / "0" / "a.txt").exists()

    def test_marks_without_a_manifest_go_with_the_files_beside_them(self, results):
        (results / "corpus" / ".snakemake_timestamp").unlink()
        (results / "corpus" / "1" / "manifest.json").unlink()
        repair(list(verify(results, marks=["a.txt"])), results)
        assert os.listdir(results / "corpus" / "1") == ["below"]


class TestWhatMadeIt:
    def test_settings_code_lock_and_inputs_are_told(self, results, tmp_path):
        write_text(tmp_path / "words.txt", "sana\n")
        prefix = tmp_path / ".venvs" / "nmf"
        write_text(tmp_path / "envs" / "nmf.lock", "numpy==2\n")
        inputs = [tmp_path / "words.txt", results / "corpus" / "0"]
        made_by = describe_step({"rate": 0.1}, inputs, ["__init__.py"], prefix)
        assert made_by == {
            "configuration": sha256('{"rate": 0.1}'),
            "code": {
                "version": __version__,
                "modules": ["__init__.py"],
                "sha256": sha256(sha256((manifest.PACKAGE / "__init__.py").read_text())),
            },
            "environment": {"envs/nmf.lock": sha256("numpy==2\n")},
            "inputs": {
                "words.txt": sha256("sana\n"),
                "results/corpus/0": sha256(
                    json.dumps(read_json(results / "corpus/0/manifest.json"), sort_keys=True)
                ),
            },
        }

    def test_it_is_the_same_at_any_time(self, results):
        first = (results / "corpus" / "0" / "manifest.json").read_bytes()
        age(results / "corpus" / "0")
        write_manifest(results / "corpus" / "0")
        assert (results / "corpus" / "0" / "manifest.json").read_bytes() == first

    def test_modules_are_those_at_work_and_none_that_only_asks(self):
        from minority_topics.cli import main  # noqa: F401

        modules = describe_step()["code"]["modules"]
        assert "base/manifest.py" in modules
        assert not [name for name in modules if name.startswith(("cli/", "study/"))]

    def test_locks_of_environments(self, tmp_path):
        for name in ("envs/a.lock", "requirements.lock", "conda/3f2a_.yaml"):
            write_text(tmp_path / name, "")
        assert lock_of(tmp_path / ".venvs" / "a") == tmp_path / "envs" / "a.lock"
        assert lock_of(tmp_path / ".venv") == tmp_path / "requirements.lock"
        assert lock_of(tmp_path / "conda" / "3f2a_") == tmp_path / "conda" / "3f2a_.yaml"
        assert lock_of(tmp_path / ".venvs" / "b") is None
        assert lock_of("/usr") is None

    def test_a_folder_of_folders_is_known_by_all_manifests_below(self, results):
        before = state(results / "corpus")
        assert before == state(results / "corpus")
        write_text(results / "corpus" / "1" / "a.txt", "other")
        write_manifest(results / "corpus" / "1")
        assert state(results / "corpus") != before
        assert state(results / "none") is None

    def test_a_file_that_tells_times_does_not_make_another_folder_of_it(self, results):
        folder = results / "corpus" / "0"
        states = []
        for name in ("b.txt", "a.txt"):
            write_manifest(folder, varying=["b.txt"])
            states.append(state(folder))
            write_text(folder / name, "other")
        write_manifest(folder, varying=["b.txt"])
        assert states[0] == states[1] != state(folder)
        check_manifest(folder, "b.txt")
        (folder / "b.txt").write_text("spoilt")
        assert found(verify(results)) == [("b.txt", "damaged")]

    def test_another_input_makes_it_stale_and_one_that_is_gone_does_not(self, results, tmp_path):
        words = tmp_path / "words.txt"
        write_text(words, "sana\n")
        write_manifest(results / "corpus" / "0", inputs=[words])
        assert list(verify(results)) == []
        write_text(words, "toinen\n")
        [problem] = verify(results)
        assert (problem.kind, problem.text) == ("stale", "is stale: words.txt has changed since")
        words.unlink()
        assert list(verify(results)) == []

    def test_stale_through_the_manifest_of_an_input(self, dataset):
        write_text(dataset / "corpus" / "0" / "a.txt", "other")
        write_manifest(dataset / "corpus" / "0")
        texts = {problem.text for problem in verify(dataset)}
        assert "is stale: results/corpus has changed since" in texts
        removed = repair(list(verify(dataset)), dataset)
        names = {"scores.csv", "summary.csv", "report.html", "manifest.json"}
        assert {path.name for path in removed} <= names
        assert os.listdir(dataset / "tables") == []
        assert not (dataset / "report.html").exists()
        assert (dataset / "corpus" / "0").exists()

    def test_other_code_and_another_lock_make_it_stale(self, results, tmp_path, monkeypatch):
        package = tmp_path / "package"
        write_text(package / "module.py", "1\n")
        monkeypatch.setattr(manifest, "PACKAGE", package)
        monkeypatch.setattr(manifest, "code_state", manifest.code_state.__wrapped__)
        write_text(tmp_path / "envs" / "a.lock", "1\n")
        made_by = describe_step(modules=["module.py"], prefix=tmp_path / ".venvs" / "a")
        for name in ("0", "1"):
            write_manifest(results / "corpus" / name, made_by=made_by)
        assert list(verify(results)) == []
        write_text(package / "module.py", "2\n")
        assert {problem.text for problem in verify(results)} == {
            "is stale: the code that made it has changed since"
        }
        write_text(tmp_path / "envs" / "a.lock", "2\n")
        assert {problem.text for problem in verify(results)} == {
            "is stale: envs/a.lock has changed since"
        }


class TestFoldersOfSeveralSteps:
    def test_writing_a_file_voids_the_manifests_that_list_it(self, dataset):
        write_text(dataset / "tables" / ".hidden", "")
        assert (dataset / "tables" / "manifest.json").exists()
        write_text(dataset / "tables" / "scores.csv", "new")
        assert not (dataset / "tables" / "manifest.json").exists()
        assert not (dataset / "manifest.json").exists()
        assert (dataset / "corpus" / "0" / "manifest.json").exists()

    def test_it_is_void_even_if_the_writer_fails(self, dataset):
        with pytest.raises(RuntimeError), replacing(dataset / "tables" / "scores.csv"):
            raise RuntimeError
        assert not (dataset / "tables" / "manifest.json").exists()

    @pytest.mark.parametrize(
        "content", ['{"name": "app"}', '{"files": {}, "parts": {}}', "[]", "no JSON"]
    )
    def test_the_manifest_of_another_program_stays(self, tmp_path, content):
        (tmp_path / "manifest.json").write_text(content)
        write_text(tmp_path / "table.csv", "a")
        assert (tmp_path / "manifest.json").read_text() == content

    def test_a_reader_checks_what_is_listed(self, dataset):
        path = dataset / "tables" / "scores.csv"
        check_file(path)
        path.write_text("scores.tsv")
        with pytest.raises(DamagedFolder, match=r"scores\.csv is damaged.*; remove it and run"):
            check_file(path)
        check_file(dataset / "tables" / "new.csv")
        (dataset / "tables" / "manifest.json").unlink()
        check_file(path)

    def test_repair_removes_the_damaged_file_and_the_manifests(self, dataset):
        (dataset / "tables" / "scores.csv").write_text("x")
        (dataset / "tables" / "summary.csv").unlink()
        assert repair(list(verify(dataset)), dataset) == [dataset / "tables" / "scores.csv"]
        assert os.listdir(dataset / "tables") == []
        assert not (dataset / "manifest.json").exists()
        assert (dataset / "report.html").exists()

    def test_parts_that_are_missing_or_another_are_told(self, dataset):
        shutil.rmtree(dataset / "corpus" / "0")
        problems = [p for p in verify(dataset) if p.kind == "missing"]
        assert [problem.folder for problem in problems] == [dataset / "corpus" / "0"]
        assert repair(problems, dataset) == [dataset / "corpus"]
        assert not (dataset / "manifest.json").exists()

    def test_files_whose_manifest_is_gone_are_kept(self, dataset):
        (dataset / "tables" / "manifest.json").unlink()
        problems = list(verify(dataset))
        assert ("manifest.json", "missing") in found(problems)
        assert repair(problems, dataset) == []
        assert (dataset / "tables" / "scores.csv").exists()
        assert not (dataset / "manifest.json").exists()

    @pytest.mark.parametrize("look", [verify, glance])
    @pytest.mark.parametrize("name", ["manifest.json", "tables/manifest.json"])
    def test_of_a_spoilt_manifest_nothing_but_manifests_goes(self, dataset, look, name):
        write_text(dataset / ".id_secret", "secret")
        files = {path for path in dataset.rglob("*") if path.name != "manifest.json"}
        path = dataset / name
        path.write_bytes(path.read_bytes()[:-5])
        repair(list(look(dataset)), dataset)
        assert {path for path in dataset.rglob("*") if path.name != "manifest.json"} == files
        assert not path.exists()
        assert not (dataset / "manifest.json").exists()
        assert (dataset / "corpus" / "0" / "manifest.json").exists()

    def test_a_part_of_another_configuration_is_foreign(self, dataset):
        shutil.copytree(dataset / "corpus" / "0", dataset / "corpus" / "7")
        shutil.copytree(dataset / "corpus" / "0", dataset / "mine")
        foreign = [problem for problem in verify(dataset) if problem.kind == "foreign"]
        assert [problem.folder for problem in foreign] == [dataset / "corpus" / "7"]


class TestGlance:
    """The look before every run."""

    @pytest.fixture(autouse=True)
    def made_long_ago(self, dataset):
        age(dataset)

    @pytest.mark.parametrize("name", ["corpus/0/a.txt", "tables/scores.csv", "report.html"])
    @pytest.mark.parametrize("content", [None, b"", b"longer than before", "same size"])
    def test_every_damage_is_seen(self, dataset, name, content):
        path = dataset / name
        before = path.read_bytes()
        if content is None:
            path.unlink()
        else:
            path.write_bytes(b"?" * len(before) if content == "same size" else content)
        [problem] = glance(dataset)
        assert problem.folder / problem.name == path
        [sentence] = forget_spoilt(dataset)
        assert sentence.endswith(": it is made again")
        assert not path.exists()
        assert not (dataset / "manifest.json").exists()
        assert list(glance(dataset)) == []

    def test_files_that_are_older_than_their_manifest_are_not_read(self, dataset, monkeypatch):
        monkeypatch.setattr(manifest, "_sha256", lambda path: pytest.fail("read"))
        assert list(glance(dataset)) == []

    def test_a_copy_with_new_times_is_read_and_whole(self, dataset):
        for path in dataset.rglob("*"):
            os.utime(path)
        assert list(glance(dataset)) == []

    def test_a_folder_that_its_rule_has_not_finished_is_left_alone(self, dataset):
        (dataset / "corpus" / ".snakemake_timestamp").unlink()
        (dataset / "corpus" / "0" / "a.txt").write_text("half")
        assert list(glance(dataset)) == []

    def test_missing_parts_and_many_problems(self, dataset):
        shutil.rmtree(dataset / "corpus" / "1")
        [problem] = glance(dataset)
        assert problem.folder == dataset / "corpus" / "1"
        many = {f"{number}.csv": "x" for number in range(8)}
        for name, text in many.items():
            write_text(dataset / "figures" / name, text)
        write_manifest(dataset / "figures", separate=True)
        for name in many:
            (dataset / "figures" / name).unlink()
        sentences = list(forget_spoilt(dataset))
        assert len(sentences) == manifest.MOST_TOLD + 1
        assert sentences[-1].endswith("more are missing or damaged, and made again")

    def test_nothing_there_is_no_problem(self, tmp_path):
        assert list(forget_spoilt(tmp_path / "none")) == []


@pytest.mark.slow
def test_a_full_study_is_verified_in_seconds(tmp_path, monkeypatch):
    """1,500 folders of fits, of the sizes that the study of the paper has."""
    monkeypatch.chdir(tmp_path)
    corpus = Path("results/x/corpus/0")
    write_text(corpus / "counts.npz", "x" * 100_000)
    write_manifest(corpus)
    made_by = describe_step({}, [corpus])
    for number in range(1500):
        fit = Path(f"results/x/fits/nmf/20-7/{number}/0")
        fit.mkdir(parents=True)
        for name, size in (("fit.npz", 90_000), ("status.json", 4000), ("top_words.csv", 9000)):
            (fit / name).write_bytes(os.urandom(size))
        entries = {path.name: manifest._entry(path) for path in fit.iterdir()}
        content = json.dumps({"files": entries, "made_by": made_by})
        (fit / "manifest.json").write_text(content)
        (fit.parent / ".snakemake_timestamp").touch()
    folders = sorted(path.parent for path in Path("results/x").rglob("manifest.json"))
    parts = {folder.relative_to("results/x").as_posix(): state(folder) for folder in folders}
    write_manifest("results/x", separate=True, parts=parts)
    for look, most in ((verify, 10), (glance, 5)):
        begin = time.perf_counter()
        assert list(look("results")) == []
        assert time.perf_counter() - begin < most
    assert len(read_json("results/x/manifest.json")["parts"]) == 1501


def test_a_time_that_is_still_to_come_becomes_now(tmp_path):
    paths = [tmp_path / name for name in ("a", "b", "c")]
    for path in paths:
        path.touch()
    past, future = time.time() - 100, time.time() + 100
    os.utime(paths[0], (past, past))
    os.utime(paths[1], (future, future))
    (sentence,) = bring_to_present(paths[:2])
    assert sentence == f"{paths[1]} has a time in the future; it was set to now"
    assert paths[0].stat().st_mtime == pytest.approx(past)
    assert paths[1].stat().st_mtime <= time.time()
    assert not list(bring_to_present(paths))
    for path in paths:
        os.utime(path, (future, future))
    (sentence,) = bring_to_present(paths)
    assert sentence == f"{paths[0]}, like 2 more, has a time in the future; it was set to now"


@pytest.mark.parametrize(("here", "repository"), [("work", "work/clone"), ("clone/work", "clone")])
def test_files_are_named_from_the_inner_of_two_folders(tmp_path, monkeypatch, here, repository):
    here, repository = tmp_path / here, tmp_path / repository
    here.mkdir(parents=True)
    repository.mkdir(exist_ok=True)
    monkeypatch.chdir(here)
    monkeypatch.setattr(manifest, "REPOSITORY", repository)
    for folder in (here, repository):
        (folder / "envs").mkdir()
        (folder / "envs" / "study.lock").write_text("numpy==2\n", encoding="utf-8")
        inputs = describe_step(inputs=[folder / "envs" / "study.lock"], modules=[])["inputs"]
        assert list(inputs) == ["envs/study.lock"]
