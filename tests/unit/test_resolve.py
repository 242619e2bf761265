"""Files named in a config are found in the working directory, then in the repository."""

from minority_topics.study.paths import ROOT, resolve


def test_the_working_directory_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "methods.tsv").touch()
    assert resolve("config/methods.tsv") == tmp_path / "config" / "methods.tsv"


def test_what_it_does_not_have_is_in_the_repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert resolve("config/methods.tsv") == ROOT / "config" / "methods.tsv"


def test_what_neither_has_is_missed_in_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert resolve("my_comments.csv") == tmp_path / "my_comments.csv"


def test_an_absolute_path_stays(tmp_path):
    assert resolve(tmp_path / "absent.csv") == tmp_path / "absent.csv"


def test_a_name_that_no_file_can_have_is_not_found():
    assert not resolve("a\0").is_file()
    assert resolve("a" * 5000).name == "a" * 5000
