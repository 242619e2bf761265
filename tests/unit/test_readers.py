"""Every bad file ends in one sentence that names file, place and remedy."""

import csv
import gzip
import json
import re

import pyarrow
import pyarrow.parquet
import pytest

from minority_topics.base.manifest import DamagedFolder, write_manifest
from minority_topics.base.strict_yaml import YamlError, read_yaml
from minority_topics.corpus.drawing import draw_background
from minority_topics.corpus.injection import inject_folder, read_topics
from minority_topics.corpus.labelled import read_labelled
from minority_topics.corpus.readers import DataError, read_table
from minority_topics.corpus.storage import read_documents, write_documents
from minority_topics.corpus.vectorise import make_corpora, read_seed_list

DEEP = b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


def refused(sentence, path, read, *arguments, **options):
    """The one-line DataError that a reader ends in."""
    with pytest.raises(DataError, match=sentence) as caught:
        read(*arguments, **options)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.csv", b"\n", "line 1 is empty"),
        ("a.csv", b"text\n\n", "holds no rows"),
        ("a.csv", b"body\nx\n", "the header has no column 'text'; it has 'body'"),
        ("a.csv", b"text,text\na,b\n", "the header has two columns named 'text'"),
        ("a.csv", b"text,x,x\na,b,c\n", "the header has two columns named 'x'"),
        ("a.csv", b"text,label\na,b\n\xe4iti,c\n", "line 3 is not UTF-8"),
        ("a.csv", "text\näiti\n".encode("utf-16"), "line 1 is not UTF-8"),
        ("a.csv", "text\nab\n".encode("utf-16-le"), "line 1 holds a NUL"),
        ("a.csv", b"text\na\n\0\n", "line 3 holds a NUL"),
        ("a.csv", b'text,label\na,b\n"c,d\ne,f\n', "line 3 has a quoted field that never ends"),
        ("a.csv", b'text,label\n"a,b\n"c",d\n', "line 3 is not CSV"),
        ("a.csv", b"text,label\na,b\nc\n", "line 3 has 1 fields, and the header has 2"),
        ("a.csv", b'text\n"a\nb"\nc,d\n', "line 4 has 2 fields, and the header has 1"),
        ("a.csv", b"BZh91AY&SY", "compressed by bzip2; unpack"),
        ("a.jsonl", b"%PDF-1.7", "a PDF file; give one with rows of text"),
        ("a.csv", gzip.compress(b"text\na\n", mtime=0), "compressed by gzip; unpack"),
        ("a.csv", b"PK\x03\x04rest", "ZIP archive or an Excel workbook"),
        ("a.csv", b"PAR1rest", "is a Parquet file; let its name end in"),
        ("a.txt", b"text\na\n", r"must end in one of \.csv"),
        ("a.jsonl", b'{"text": "a"}\nnonsense\n', "line 2 is not JSON"),
        ("a.jsonl", b"[1]\n", "line 1 is not a JSON object"),
        ("a.jsonl", b'{"text": "a"}\n\n{"body": "a"}\n', "line 3 has no column 'text'; it has 'b"),
        ("a.jsonl", b'{"text": "a"}\n\xe4\n', "line 2 is not UTF-8"),
        ("a.jsonl", b'{"text": "a"}\n' + DEEP, "line 2 is nested too deeply"),
        ("a.jsonl", b'{"text": NaN}', "line 1 is not JSON: NaN is no number"),
        ("a.jsonl", b'{"text": 1e999}', "line 1 has inf in column 'text'"),
        ("a.jsonl", b'{"text": ' + b"1" * 5000 + b"}", "line 1 is not JSON"),
        ("a.jsonl", b'{"text": "a", "text": "b"}', "the key 'text' appears twice"),
        ("a.jsonl", rb'{"text": "\ud800"}', r"line 1 has an unpaired surrogate \('\\ud800'\)"),
        ("a.jsonl", b'{"text": ["a"]}', "line 1 has a list in column 'text'"),
        ("a.jsonl", b'{"text": "a\0"}', "line 1 is not JSON"),
        ("a.jsonl", b"\n\n", "holds no rows"),
        ("a.parquet", b"PAR1", "not a whole Parquet file"),
        ("a.parquet", b"text\na\n", "not a whole Parquet file"),
    ],
)
def test_bad_tables_are_named_with_place_and_remedy(tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    refused(sentence, tmp_path / name, read_table, tmp_path / name, ["text"])


def write_parquet(path, columns):
    table = pyarrow.table(list(columns.values()), names=list(columns))
    pyarrow.parquet.write_table(table, path)


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        (pyarrow.array([["a"]]), "column 'text' holds list"),
        (pyarrow.array([{"a": "b"}]), "column 'text' holds struct"),
        (pyarrow.array([b"a"]), "column 'text' holds binary"),
        (pyarrow.array([b"a"], pyarrow.binary(1)), "column 'text' holds fixed_size_binary"),
        (pyarrow.array([1.0, float("nan")]), "row 2 has nan in column 'text'"),
        (pyarrow.array([], pyarrow.string()), "holds no rows"),
    ],
)
def test_parquet_columns_that_are_no_text_are_refused(tmp_path, column, sentence):
    write_parquet(tmp_path / "a.parquet", {"text": column})
    refused(sentence, tmp_path / "a.parquet", read_table, tmp_path / "a.parquet", ["text"])


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_parquet_file_is_refused(tmp_path, share):
    path = tmp_path / "a.parquet"
    write_parquet(path, {"text": pyarrow.array([f"sana {n}" for n in range(100)])})
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    refused("not a whole Parquet file", path, read_table, path, ["text"])


def test_parquet_text_comes_in_many_types(tmp_path):
    columns = {
        "dictionary": pyarrow.array(["a", None]).dictionary_encode(),
        "large": pyarrow.array(["a", None], pyarrow.large_string()),
        "number": pyarrow.array([1, None]),
        "whole float": pyarrow.array([1.0, None]),
        "with.dot": pyarrow.array(["a", None]),
    }
    write_parquet(tmp_path / "a.parquet", columns)
    for name in columns:
        values = [row[name] for row in read_table(tmp_path / "a.parquet", [name])]
        assert values == ["a" if name in ("dictionary", "large", "with.dot") else "1", ""]


@pytest.mark.parametrize(
    ("name", "content", "texts"),
    [
        ("a.csv", b"\xef\xbb\xbftext\r\na\r\n\r\nb\r\n", ["a", "b"]),
        ("a.csv", b",text\n0,a\n1,\n", ["a", ""]),
        ("a.csv", b'text\n5" tall\n"say ""a"""\n', ['5" tall', 'say "a"']),
        ("a.csv", b"text\n" + b"x" * 200_000 + b"\n", ["x" * 200_000]),
        ("A.CSV", b"text\rab\rcd", ["ab", "cd"]),
        ("a.jsonl", b'\xef\xbb\xbf{"text": "a"}\r\n\r\n{"text": null}', ["a", ""]),
        ("a.jsonl", b'{"text": 1}\n{"text": true, "rest": {"deep": [1]}}\n', ["1", "True"]),
        ("a.jsonl", rb'{"text": "\ud83d\ude00"}', ["\N{GRINNING FACE}"]),
        ("a.jsonl", b'{"text": -1.0}\n{"text": 0.5}\n{"text": 1e300}', ["-1", "0.5", "1e+300"]),
    ],
)
def test_what_is_unusual_and_right_is_read(tmp_path, name, content, texts):
    (tmp_path / name).write_bytes(content)
    assert [row["text"] for row in read_table(tmp_path / name, ["text"])] == texts


def test_reading_leaves_the_limit_of_the_csv_module_alone(tmp_path):
    before = csv.field_size_limit()
    (tmp_path / "a.csv").write_text("text\n" + "x" * 200_000)
    read_table(tmp_path / "a.csv", ["text"])
    assert csv.field_size_limit() == before


def test_folders_and_missing_files_are_refused(tmp_path):
    refused("it is a folder", tmp_path, read_table, tmp_path, ["text"])
    gone = tmp_path / "gone.csv"
    for read in (read_topics, read_seed_list, lambda path: read_table(path, ["text"])):
        refused("no such file", gone, read, gone)
        refused("it is a folder", tmp_path, read, tmp_path)


class TestLabels:
    def read(self, tmp_path, labels, **options):
        rows = [json.dumps({"text": "yksi kaksi", "label": label}) for label in labels]
        (tmp_path / "a.jsonl").write_text("\n".join(rows), encoding="utf-8")
        options = {"label_column": "label", **options}
        read_labelled(tmp_path / "a.jsonl", tmp_path / "out", **options)
        return [row["label"] for row in read_documents(tmp_path / "out" / "0.csv")]

    def test_white_space_is_folded_and_labels_count_after_it(self, tmp_path):
        labels = ["a b", "a\nb", " a\t b ", "a\u2028b", "-1", " -1\n"]
        assert self.read(tmp_path, labels) == ["a b"] * 4 + ["-1"] * 2

    @pytest.mark.parametrize("empty", ["", " \n", None])
    def test_an_empty_label_is_refused_or_background(self, tmp_path, empty):
        sentence = "row 2 has no label; fill it in, or set background_label: ''"
        refused(sentence, tmp_path / "a.jsonl", self.read, tmp_path, ["a", empty])
        assert self.read(tmp_path, ["a", empty], background_label="") == ["a", "-1"]

    def test_a_label_that_would_become_background_is_refused(self, tmp_path):
        refused(
            "row 1 has the label '-1'", tmp_path / "a.jsonl",
            self.read, tmp_path, ["-1", "none"], background_label="none",
        )  # fmt: skip

    def test_whole_floats_are_labels_without_a_point(self, tmp_path):
        assert self.read(tmp_path, [-1.0, 2.0, 2, "x"]) == ["-1", "2", "2", "x"]

    @pytest.mark.parametrize(("label", "background"), [("-1.0", "-1"), ("0", "0.0"), ("1", "01")])
    def test_a_label_that_is_background_as_a_number_alone_is_refused(
        self, tmp_path, label, background
    ):
        (tmp_path / "a.csv").write_text(f"text,label\nyksi,a\nkaksi,{label}\n")
        refused(
            f"row 2 has the label '{label}', and background_label is '{background}', the same",
            tmp_path / "a.csv", read_labelled, tmp_path / "a.csv", tmp_path / "out",
            label_column="label", background_label=background,
        )  # fmt: skip

    def test_control_characters_are_refused(self, tmp_path):
        sentence = re.escape(r"row 1 has '\x07' in its label")
        refused(sentence, tmp_path / "a.jsonl", self.read, tmp_path, ["a\x07"])

    def test_without_a_column_all_is_background(self, tmp_path):
        assert self.read(tmp_path, ["", "x"], label_column=None) == ["-1", "-1"]

    def test_a_formula_is_disarmed_on_disk_alone(self, tmp_path):
        assert self.read(tmp_path, ["=cmd|' /C calc'!A0"]) == ["=cmd|' /C calc'!A0"]
        text = (tmp_path / "out" / "0.csv").read_text()
        assert ",'=cmd|' /C calc'!A0," in text

    def test_stop_words_without_a_list_are_told_with_the_file(self, tmp_path):
        path = tmp_path / "a.jsonl"
        refused("no list for 'xx'", path, self.read, tmp_path, ["a"], stop_words="xx")
        with pytest.raises(DataError, match="no list for 'xx'") as caught:
            draw_background(path, 1, [1], tmp_path / "out", stop_words="xx")
        assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff\xfea", "line 1 is not UTF-8"),
        (b"- {name: a, gloss: b, words: {\xe4: c}}", "line 1 is not UTF-8"),
        (b"- {name: a, gloss: b, words: {c: d}", "line 1, column"),
        (b"- !!python/object:os.system {}", "line 1"),
        (b"- !!set {a, b}", "line 1: the tag 'tag:yaml.org,2002:set' is not allowed"),
        (b"- name: a\n  name: b\n", "line 2: the key 'name' appears twice"),
        (b"[" * 3000, "nested too deeply"),
        (b"- &a [*a]\n", "line 1: an alias is inside"),
        (b"- \0\n", "line 1: the character 0x0"),
        (b"- {name: a, gloss: b, words: {2001-01-01: d}}", "line 1: '2001-01-01' would be a date"),
        (b"- {name: a, gloss: b, words: {2001-99-99: d}}", "line 1: '2001-99-99' cannot be"),
        (b"- {name: a, gloss: b, words: {c: .nan}}", "line 1: '.nan' is not a finite number"),
        (b"- {name: '', gloss: b, words: {c: d}}", "name of topic 1 is ''"),
        (b"- {name: '-1', gloss: b, words: {c: d}}", "name of topic 1 is '-1'"),
        (b'- {name: "a\\x07", gloss: b, words: {c: d}}', "name of topic 1"),
        (b"- {name: no, gloss: b, words: {c: d}}", "name of topic 1 is False, not text"),
        (b"- {name: a, gloss: 1, words: {c: d}}", "gloss of topic 1 is 1, not text"),
        (b"- {name: a, gloss: b, words: {c: }}", "words of topic 1: None of 'c' is not text"),
        (b"- {name: a, gloss: b, words: {no: d}}", "words of topic 1: False of False is not text"),
        (b'- {name: a, gloss: b, words: {"c\\0": d}}', "of topic 1 is not one word"),
        (b"- {name: a, gloss: b, words: {c: d}}\n- {name: ' a ', gloss: b, words: {c: d}}",
         "two topics are named 'a'"),
        (b"", "must be a list of topics"),
    ],
)  # fmt: skip
def test_bad_topic_files_are_named_with_their_line_or_topic(tmp_path, content, sentence):
    (tmp_path / "t.yaml").write_bytes(content)
    refused(sentence, tmp_path / "t.yaml", read_topics, tmp_path / "t.yaml")


def test_names_of_topics_are_folded(tmp_path):
    (tmp_path / "t.yaml").write_text('- {name: "a\\n b", gloss: b, words: {c: d}}')
    assert read_topics(tmp_path / "t.yaml")[0].name == "a b"


class TestYaml:
    def read(self, tmp_path, text):
        (tmp_path / "a.yaml").write_text(text)
        return read_yaml(tmp_path / "a.yaml")

    def test_aliases_are_written_out_up_to_a_bound(self, tmp_path):
        rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
        assert len(self.read(tmp_path, "\n".join(rows[:3]))["a2"]) == 10
        with pytest.raises(YamlError, match=r"a\.yaml: its aliases stand for more than 100000 v"):
            self.read(tmp_path, "\n".join(rows))

    def test_a_chain_of_aliases_is_too_deep(self, tmp_path):
        rows = ["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 200))]
        with pytest.raises(YamlError, match=r"a\.yaml: it is nested too deeply"):
            self.read(tmp_path, "\n".join(rows))

    def test_merged_keys_are_read(self, tmp_path):
        assert self.read(tmp_path, "a: &a {x: 1}\nb: {<<: *a, y: 2}")["b"] == {"x": 1, "y": 2}

    def test_ordinary_values_are_those_of_yaml(self, tmp_path):
        text = "a: 1\nb: [1.5, true, null, text, 'no']\nc: {d: 1.0e-9}\n"
        assert self.read(tmp_path, text) == {
            "a": 1, "b": [1.5, True, None, "text", "no"], "c": {"d": 1e-9},
        }  # fmt: skip


class TestSeedWords:
    @pytest.mark.parametrize(
        ("content", "sentence"),
        [
            (b"", "there is no seed word in it"),
            (b" \n\t\n", "there is no seed word in it"),
            (b"sana\n\xe4iti\n", "line 2 is not UTF-8"),
            ("sana\n".encode("utf-16-le"), r"seed word 1 is 's\\x00"),
        ],
    )
    def test_bad_files_are_refused(self, tmp_path, content, sentence):
        (tmp_path / "s.txt").write_bytes(content)
        refused(sentence, tmp_path / "s.txt", read_seed_list, tmp_path / "s.txt")

    def test_marks_and_windows_lines_are_no_part_of_words(self, tmp_path):
        (tmp_path / "s.txt").write_bytes(b"\xef\xbb\xbfSana\r\n\r\n kaksi sanaa \r\n")
        assert read_seed_list(tmp_path / "s.txt") == ["sana", "kaksi sanaa"]


class TestFolders:
    @pytest.fixture
    def folder(self, tmp_path):
        (tmp_path / "seeds.txt").write_text("yksi\n")
        write_documents(tmp_path / "in" / "0.csv", [0, 1], [["yksi"], ["kaksi"]], ["a", "-1"])
        write_manifest(tmp_path / "in")
        return tmp_path

    def make(self, folder, **options):
        make_corpora(folder / "in", folder / "seeds.txt", folder / "out", **options)

    def test_bounds_that_leave_no_word_are_told_with_the_file(self, folder):
        sentence = "min_df=3 and max_df=1.0 leave no word"
        refused(sentence, folder / "in" / "0.csv", self.make, folder, min_df=3)

    def test_a_least_share_of_nothing_keeps_every_word(self, folder):
        self.make(folder, min_df=0)
        assert (folder / "out" / "0" / "vocabulary.txt").read_text() == "kaksi\nyksi\n"

    def test_a_label_that_is_no_topic_is_refused(self, folder):
        (folder / "t.yaml").write_text("- {name: b, gloss: b, words: {c: d}}")
        sentence = "label 'a' is none of the topics"
        refused(sentence, folder / "in", self.make, folder, topics=folder / "t.yaml")

    def test_random_states_are_one_for_each_corpus(self, folder):
        sentence = "there are 1 corpora and 2 random states"
        refused(sentence, folder / "in", self.make, folder, random_states=[1, 2])

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            ({"seed_share": 5, "random_states": [1]}, "seed_share=5 must be above 0 and at most 1"),
            ({"seed_share": 0.0, "random_states": [1]}, "seed_share=0.0 must be above 0"),
            ({"seed_share": float("nan")}, "seed_share=nan must be above 0"),
            ({"wrong_seed_share": -1.0, "random_states": [1]}, "wrong_seed_share=-1.0 must be a n"),
            ({"wrong_seed_share": float("inf"), "random_states": [1]}, "wrong_seed_share=inf must"),
            ({"seed_share": 0.5}, "seed_share=0.5 and wrong_seed_share=0.0 need random states"),
            ({"wrong_seed_share": 1.0}, "wrong_seed_share=1.0 need random states"),
        ],
    )
    def test_shares_of_seed_words_are_shares_and_have_random_states(
        self, folder, options, sentence
    ):
        with pytest.raises(DataError, match=sentence):
            self.make(folder, **options)

    def test_a_folder_without_numbered_files_is_refused(self, folder):
        write_documents(folder / "in" / "x.csv", [0], [["yksi"]], ["a"])
        refused("its name must be a number", folder / "in" / "x.csv", self.make, folder)
        for path in (folder / "in").glob("*.csv"):
            path.unlink()
        refused("there is no CSV in it", folder / "in", self.make, folder)

    def test_a_foreign_or_edited_file_is_not_read(self, folder):
        # Not by the one writer, which would take the manifest away.
        (folder / "in" / "1.csv").write_text("id,label,text\n0,a,yksi\n")
        with pytest.raises(DamagedFolder, match=r"1\.csv is not listed"):
            self.make(folder)
        (folder / "in" / "1.csv").unlink()
        (folder / "in" / "0.csv").write_text("id,label,text\n0,a,yksi\n")
        with pytest.raises(DamagedFolder, match=r"0\.csv is damaged"):
            self.make(folder)

    @pytest.mark.parametrize("content", ["id,label\n0,a\n", "id,label,text\n0,a\n"])
    def test_documents_without_a_cell_are_refused(self, folder, content):
        (folder / "in" / "0.csv").write_text(content)
        write_manifest(folder / "in")
        with pytest.raises(ValueError, match=r"0\.csv: row 1 has no text; make the file again"):
            self.make(folder)

    def test_too_few_words_of_a_topic_are_told_with_its_file(self, folder):
        (folder / "t.yaml").write_text("- {name: b, gloss: b, words: {c: d}}")
        arguments = folder / "in", folder / "t.yaml", 1, 4, 0, [1], folder / "out"
        refused("topic 'b' has 1 words", folder / "t.yaml", inject_folder, *arguments)
