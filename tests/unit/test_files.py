"""Files are written whole or not at all, and read back as they were."""

import csv
import errno
import gzip
import os
import subprocess
import sys
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minority_topics.base.files import (
    guard_cell,
    is_fault_of_machine,
    open_lock,
    read_csv,
    read_json,
    read_lines,
    replacing,
    write_csv,
    write_json,
    write_lines,
    write_text,
)
from minority_topics.study.paths import ROOT

# No unpaired surrogates: UTF-8 has none.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
CELL = st.builds(str.__add__, st.sampled_from(["", "'", "''", "=", "-", "'=", "\t", "\r"]), TEXT)


def write_and_stop(file):
    file.write("new")
    raise KeyboardInterrupt


class TestReplacing:
    def test_a_failure_leaves_what_was_there_and_nothing_else(self, tmp_path):
        write_text(tmp_path / "a.txt", "old")
        with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "a.txt") as file:
            write_and_stop(file)
        assert (tmp_path / "a.txt").read_text() == "old"
        assert os.listdir(tmp_path) == ["a.txt"]

    def test_the_folder_is_synchronised_after_the_file(self, tmp_path, monkeypatch):
        synchronised = []
        monkeypatch.setattr(os, "fsync", lambda handle: synchronised.append(os.fstat(handle)))
        write_text(tmp_path / "a.txt", "text")
        inodes = [os.stat(path).st_ino for path in (tmp_path / "a.txt", tmp_path)]
        assert [status.st_ino for status in synchronised] == inodes

    def test_what_a_killed_writer_left_goes_with_the_next_write(self, tmp_path):
        code = f"""if True:
            import os
            from minority_topics.base.files import replacing
            with replacing({str(tmp_path / "a.txt")!r}) as file:
                file.write("half")
                file.flush()
                os._exit(1)
        """
        environ = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
        subprocess.run([sys.executable, "-c", code], env=environ, check=False)
        (left,) = os.listdir(tmp_path)
        assert left.endswith(".part")
        write_text(tmp_path / "b.txt", "text")
        assert sorted(os.listdir(tmp_path)) == [left, "b.txt"]
        write_text(tmp_path / "a.txt", "text")
        assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt"]

    def test_two_writers_do_not_mix(self, tmp_path):
        with replacing(tmp_path / "a.txt") as first:
            first.write("first")
            write_text(tmp_path / "a.txt", "second, and longer")
            assert (tmp_path / "a.txt").read_text() == "second, and longer"
        assert (tmp_path / "a.txt").read_text() == "first"
        assert os.listdir(tmp_path) == ["a.txt"]

    def test_a_target_that_cannot_be_replaced_is_named_alone(self, tmp_path):
        (tmp_path / "a.txt").mkdir()
        with pytest.raises(IsADirectoryError) as caught:
            write_text(tmp_path / "a.txt", "text")
        assert str(caught.value).endswith(f"Is a directory: '{tmp_path / 'a.txt'}'")

    def test_a_name_of_the_full_length_can_be_written(self, tmp_path):
        write_text(tmp_path / ("a" * 255), "text")
        assert (tmp_path / ("a" * 255)).read_text() == "text"

    def test_a_name_that_is_too_long_is_named(self, tmp_path):
        with pytest.raises(OSError, match="aaaa") as caught:
            write_text(tmp_path / ("a" * 256), "text")
        assert caught.value.filename == str(tmp_path / ("a" * 256))
        assert os.listdir(tmp_path) == []

    def test_a_full_disk_is_told_with_the_name_of_the_file(self, tmp_path, monkeypatch):
        def full(handle):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match=r"No space left.*a\.txt"):
            write_text(tmp_path / "a.txt", "text")
        assert os.listdir(tmp_path) == []

    def test_a_folder_that_cannot_be_written_is_told_with_the_name_of_the_file(
        self, tmp_path, monkeypatch
    ):
        def refuse(path, *_, **__):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

        monkeypatch.setattr("builtins.open", refuse)
        with pytest.raises(PermissionError) as caught, replacing(tmp_path / "a.txt"):
            pass
        assert caught.value.filename == str(tmp_path / "a.txt")

    def test_an_error_about_another_file_keeps_its_name(self, tmp_path):
        with pytest.raises(FileNotFoundError) as caught, replacing(tmp_path / "a.txt"):
            os.stat(tmp_path / "other.txt")
        assert caught.value.filename == str(tmp_path / "other.txt")

    def test_unpaired_surrogates_are_refused_by_the_name_of_the_file(self, tmp_path):
        with pytest.raises(ValueError, match=r"a\.txt: .*UTF-8; take the unpaired surrogate out"):
            write_text(tmp_path / "a.txt", "word \ud800")


class TestLines:
    @pytest.mark.parametrize("line", ["", " a", "a\nb", "a\rb", "\ufeffa", "a\u2028"])
    def test_what_would_not_come_back_is_refused(self, tmp_path, line):
        with pytest.raises(
            ValueError, match=r"a\.txt: the entry .* (is empty|holds a line break or)"
        ):
            write_lines(tmp_path / "a.txt", ["one", line])

    @settings(max_examples=40, deadline=None)
    @given(lines=st.lists(TEXT, max_size=4))
    def test_lines_come_back_or_are_refused(self, tmp_path_factory, lines):
        path = tmp_path_factory.mktemp("lines") / "a.txt"
        try:
            write_lines(path, lines)
        except ValueError:
            assert not path.exists()
        else:
            assert read_lines(path) == lines

    def test_a_byte_order_mark_is_no_part_of_the_first_line(self, tmp_path):
        (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfsana\r\ntoinen\r\n")
        assert read_lines(tmp_path / "a.txt") == ["sana", "toinen"]


class TestJson:
    def test_an_object_comes_back(self, tmp_path):
        write_json(tmp_path / "a.json", {"b": [1, "ä"], "a": None})
        assert read_json(tmp_path / "a.json") == {"a": None, "b": [1, "ä"]}

    @pytest.mark.parametrize("content", [b"", b'{"a"', b"[]", b"1", b"\xff", b"[" * 100_000])
    def test_anything_else_is_refused_with_its_path_and_a_remedy(self, tmp_path, content):
        path = tmp_path / "a.json"
        path.write_bytes(content)
        with pytest.raises(ValueError, match="remove it and run again") as caught:
            read_json(path)
        assert str(caught.value).startswith(f"{path}: ")


def test_damage_is_told_from_a_fault_of_the_machine(tmp_path):
    assert is_fault_of_machine(PermissionError(errno.EACCES, "denied"))
    assert is_fault_of_machine(OSError(errno.EIO, "input/output error"))
    assert is_fault_of_machine(MemoryError())
    (tmp_path / "a.gz").write_bytes(b"no gzip")
    with pytest.raises(OSError, match="Not a gzipped file") as caught:
        gzip.decompress((tmp_path / "a.gz").read_bytes())
    archive = open_lock(tmp_path / "a.gz")
    with archive, pytest.raises(OSError, match="Invalid argument") as before_start:
        archive.seek(-1)
    for error in (caught.value, before_start.value, ValueError(), zlib.error(), KeyError()):
        assert not is_fault_of_machine(error)


class TestCsv:
    @settings(max_examples=40, deadline=None)
    @given(rows=st.lists(st.tuples(CELL, CELL, CELL), max_size=4))
    def test_cells_come_back_and_none_is_a_formula(self, tmp_path_factory, rows):
        path = tmp_path_factory.mktemp("csv") / "a.csv"
        write_csv(path, ["a", "=b", "c"], rows)
        assert [tuple(row.values()) for row in read_csv(path)] == rows
        with open(path, newline="", encoding="utf-8") as file:
            for cell in (cell for row in csv.reader(file) for cell in row):
                assert not cell.startswith(("=", "@", "\t", "\r")), cell
                assert not cell.startswith(("+", "-")) or float(cell) is not None

    def test_commands_are_disarmed_and_numbers_are_left_alone(self):
        assert guard_cell("=cmd|' /C calc'!A0") == "'=cmd|' /C calc'!A0"
        assert guard_cell("-1+2") == "'-1+2"
        assert guard_cell("'=1") == "''=1"
        for cell in ("-1", "-0.5", "+3", "-1e-09", "-inf", "'quoted'", "word", "", -1, 0.5, None):
            assert guard_cell(cell) == cell

    def test_ordinary_tables_are_written_as_ever(self, tmp_path):
        write_csv(tmp_path / "a.csv", ["id", "label"], [[0, "-1"], [1, 'a "b", c'], [2.5, ""]])
        assert (tmp_path / "a.csv").read_text() == 'id,label\n0,-1\n1,"a ""b"", c"\n2.5,\n'

    def test_long_fields_are_read_and_the_limit_stays(self, tmp_path):
        limit = csv.field_size_limit()
        write_csv(tmp_path / "a.csv", ["text"], [["x" * 200_000]])
        assert read_csv(tmp_path / "a.csv") == [{"text": "x" * 200_000}]
        assert csv.field_size_limit() == limit

    @pytest.mark.parametrize(
        ("content", "sentence"),
        [
            (b"a,b\n1,2,3\n", "line 2: 3 cells under 2 columns"),
            (b'a,b\n1,"2\n', "line 2: unexpected end of data"),
            (b"a,b\n\xff,1\n", "not UTF-8"),
        ],
    )
    def test_damaged_tables_are_named(self, tmp_path, content, sentence):
        (tmp_path / "a.csv").write_bytes(content)
        with pytest.raises(ValueError, match=rf"a\.csv.*{sentence}"):
            read_csv(tmp_path / "a.csv")
