"""Damage to a folder is seen, told with its remedy, and repaired."""

import os

import pytest

from minority_topics.base.files import write_text
from minority_topics.base.manifest import DamagedFolder, check_manifest, verify, write_manifest


@pytest.fixture
def results(tmp_path):
    """Two folders of one rule, as Snakemake leaves them, each with its manifest."""
    for name in ("0", "1"):
        folder = tmp_path / "results" / "corpus" / name
        write_text(folder / "a.txt", "a")
        write_text(folder / "b.txt", "b")
        write_text(folder / "below" / "c.txt", "c")
        write_manifest(folder)
    (tmp_path / "results" / "corpus" / ".snakemake_timestamp").touch()
    return tmp_path / "results"


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
        ("content", "problem"), [(b"x", "is damaged"), (b"", "is damaged"), (None, "is missing")]
    )
    def test_damage_is_told_with_folder_file_and_remedy(self, results, content, problem):
        path = results / "corpus" / "0" / "b.txt"
        path.unlink() if content is None else path.write_bytes(content)
        check_manifest(path.parent, "a.txt")
        with pytest.raises(DamagedFolder) as caught:
            check_manifest(path.parent)
        sentence = str(caught.value)
        assert sentence.startswith(f"{path} {problem}")
        assert f"remove {results / 'corpus'} and run again, or `python -m minority_top" in sentence
        assert "\n" not in sentence
        [(folder, name, found)] = verify(results)
        assert (folder, name) == (path.parent, "b.txt")
        assert found.startswith(problem)

    @pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b"\xff", b"[" * 100_000])
    def test_a_bad_manifest_is_told(self, results, content):
        path = results / "corpus" / "0" / "manifest.json"
        path.unlink() if content is None else path.write_bytes(content)
        with pytest.raises(DamagedFolder, match=r"manifest\.json (is missing|cannot|is not)"):
            check_manifest(path.parent, "a.txt")
        assert [name for _, name, _ in verify(results, marks=["a.txt"])] == ["manifest.json"]

    def test_a_foreign_file_is_told_and_not_read(self, results):
        (results / "corpus" / "0" / "2.csv").touch()
        check_manifest(results / "corpus" / "0")
        with pytest.raises(DamagedFolder, match=r"2\.csv is not listed"):
            check_manifest(results / "corpus" / "0", "2.csv")
        [problem] = verify(results, repair=True)
        assert problem == (results / "corpus" / "0", "2.csv", "is not listed in manifest.json")
        assert (results / "corpus" / "0" / "a.txt").exists()

    @pytest.mark.parametrize("role", ["marks", "needed"])
    def test_a_file_that_is_read_and_not_listed_is_damage(self, results, role):
        path = results / "corpus" / "0" / "status.json"
        path.touch()
        with pytest.raises(DamagedFolder, match=r"status\.json is not listed"):
            check_manifest(path.parent, "status.json")
        removed = []
        [problem] = verify(results, repair=True, removed=removed, **{role: ["status.json"]})
        assert problem == (path.parent, "status.json", "is not listed in manifest.json")
        assert removed == [results / "corpus"]
        assert not path.exists()

    def test_repair_removes_what_the_rule_made_and_nothing_else(self, results):
        write_text(results / "other" / "a.txt", "a")
        write_manifest(results / "other")
        (results / "corpus" / "1" / "a.txt").write_text("x")
        assert [name for _, name, _ in verify(results, repair=True)] == ["a.txt"]
        assert os.listdir(results) == ["other"]
        assert list(verify(results)) == []

    def test_repair_removes_a_folder_that_no_rule_made_alone(self, results):
        (results / "corpus" / ".snakemake_timestamp").unlink()
        (results / "corpus" / "1" / "a.txt").write_text("x")
        list(verify(results, repair=True))
        assert os.listdir(results / "corpus") == ["0"]
