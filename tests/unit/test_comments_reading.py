"""Rows of any file are kept as they are, or listed with file, line and reason."""

import csv
import gzip
import io
import json

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from minority_topics.base.files import read_csv
from minority_topics.base.manifest import check_manifest
from minority_topics.comments import reading as reading_module
from minority_topics.comments import sources
from minority_topics.comments.dates import is_month_first, seconds
from minority_topics.comments.privacy import hash_id, read_secret
from minority_topics.comments.progress import Progress
from minority_topics.comments.reading import Seen, read_comments, summary_lines
from minority_topics.corpus.forms import forms
from minority_topics.corpus.readers import DataError

THREE = ["olen väsynyt tänään", "no words, they say", 'he said "never mind"']


class Result:
    """The folder that `read_comments` wrote, which must agree with itself."""

    def __init__(self, folder, reading):
        self.reading = reading
        check_manifest(folder)
        assert json.loads((folder / "reading.json").read_text()) == json.loads(json.dumps(reading))
        self.table = pyarrow.parquet.read_table(folder / "comments.parquet")
        self.listed = [
            (int(row["line"]), row["reason"]) for row in read_csv(folder / "input_report.csv")
        ]
        self.report = (folder / "input_report.csv").read_text()
        self.forms = (folder / "forms.txt").read_text().split("\n")[:-1]
        self.numbers = np.load(folder / "forms.npy")
        self.offsets = np.load(folder / "offsets.npy")
        assert reading["rows_kept"] == len(self.table) == len(self.offsets) - 1
        assert reading["rows_read"] == reading["rows_kept"] + len(self.listed)
        assert sum(reading["skipped"].values()) == len(self.listed)
        assert sum(entry["rows"] for entry in reading["files"]) == reading["rows_read"]
        assert sum(entry["kept"] for entry in reading["files"]) == reading["rows_kept"]
        assert self.numbers.dtype == np.int32
        assert self.offsets.dtype == np.int64
        assert self.offsets[-1] == len(self.numbers)
        first_use = list(dict.fromkeys(self.numbers.tolist()))
        assert first_use == list(range(len(self.forms)))

    @property
    def texts(self):
        return self.table["text"].to_pylist()

    def words(self):
        """Of each comment, its forms."""
        bounds = zip(self.offsets[:-1], self.offsets[1:], strict=True)
        return [[self.forms[n] for n in self.numbers[a:b]] for a, b in bounds]


@pytest.fixture
def read(tmp_path):
    """Writes files, given by name and content, and reads them."""

    def run(files, **settings):
        paths = []
        for name, content in files.items():
            path = tmp_path / name
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            paths.append(path)
        out = tmp_path / "out" / "comments"
        settings = {"redact": False, **settings}
        return Result(out, read_comments(paths, out, **settings))

    return run


def as_csv(rows, header=("id", "text"), **dialect):
    file = io.StringIO()
    writer = csv.writer(file, **dialect)
    writer.writerow(header)
    writer.writerows(rows)
    return file.getvalue()


# Formats, encodings, dialects


@pytest.mark.parametrize("delimiter", list(",;\t|"))
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_any_delimiter_and_quoting(read, delimiter, quoting):
    texts = [*THREE, "so; it, was | then\tgone", "two\nlines", "so\r\nit goes", 'ends in "quotes"']
    content = as_csv(enumerate(texts), delimiter=delimiter, quoting=quoting)
    result = read({"a.csv": content})
    assert result.texts == texts
    assert result.reading["files"][0]["delimiter"] == delimiter
    assert result.reading["files"][0]["quote"] == '"'


@pytest.mark.parametrize(
    ("content", "quote", "escape"),
    [
        ('id,text\n1,"he said \\"oh, no\\" loudly"\n2,"well, then"\n', '"', "\\"),
        ("id,text\n1,'he said \"oh, no\" loudly'\n2,'well, then'\n", "'", None),
        ('id, text\n1, "he said ""oh, no"" loudly"\n2, "well, then"\n', '"', None),
    ],
)
def test_other_quotes(read, content, quote, escape):
    result = read({"a.csv": content})
    assert result.texts == ['he said "oh, no" loudly', "well, then"]
    assert result.reading["files"][0]["quote"] == quote
    assert result.reading["files"][0]["escape"] == escape


def test_a_table_without_quotes_keeps_those_of_its_texts(read):
    texts = ['"Well then', 'they say "yes" often', '"Oh" is what he said', '5" pipe is good']
    content = "id\ttext\n" + "".join(f"{i}\t{text}\n" for i, text in enumerate(texts))
    result = read({"a.tsv": content})
    assert result.texts == texts
    assert result.reading["files"][0]["quote"] is None


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-8", "utf-8"), ("utf-8-sig", "utf-8"), ("utf-16", "utf-16-le"),
        ("utf-16-le", "utf-16-le"), ("utf-16-be", "utf-16-be"), ("latin-1", "cp1252"),
        ("cp1252", "cp1252"), ("utf-32", "utf-32-le"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(read, encoding, told, line_end):
    texts = ["hyvää päivää", "öisin åker vi", "ihan tavallinen teksti"]
    if encoding == "cp1252":
        texts.append("kallis – 5 €")
    content = line_end.join(["id,text", *(f"{i},{text}" for i, text in enumerate(texts)), ""])
    result = read({"a.csv": content.encode(encoding)})
    assert result.texts == texts
    assert result.reading["files"][0]["encoding"] == told


def test_an_encoding_can_be_named(read):
    content = "id,text\n1,мне очень грустно сегодня\n".encode("cp1251")
    with pytest.raises(DataError, match=r"a.csv: its encoding is not recognised.*`encoding`"):
        read({"a.csv": content})
    result = read({"a.csv": content}, encoding="windows-1251")
    assert result.texts == ["мне очень грустно сегодня"]
    with pytest.raises(DataError, match="encoding 'klingon' is not known"):
        read({"a.csv": content}, encoding="klingon")


@pytest.mark.parametrize("packed", [False, True])
def test_formats_give_the_same(read, tmp_path, packed):
    rows = [
        {"id": f"x{i}", "text": text, "date": f"2024-05-0{i + 1}", "group": "a b"[i % 2 * 2]}
        for i, text in enumerate([*THREE, "two\nlines"])
    ]
    jsonl = "".join(json.dumps(row) + "\n\n" for row in rows)
    table = as_csv([row.values() for row in rows], header=rows[0])
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet")
    contents = {"a.csv": table.encode(), "a.jsonl": jsonl.encode()}
    if packed:
        contents = {f"{name}.gz": gzip.compress(content) for name, content in contents.items()}
    else:
        contents["a.parquet"] = (tmp_path / "a.parquet").read_bytes()
    results = [read({name: content}, ids="keep") for name, content in contents.items()]
    for result in results:
        assert result.table.to_pydict() == results[0].table.to_pydict()
        assert result.words() == [forms(row["text"]) for row in rows]
    assert results[0].table["id"].to_pylist() == ["x0", "x1", "x2", "x3"]
    assert results[0].reading["dates"] == ["2024-05-01T00:00:00", "2024-05-04T00:00:00"]
    assert results[0].reading["groups"] == 2


def test_a_text_file_has_a_comment_a_line(read):
    result = read({"a.txt": 'first, comment\n\n  \n"second" one; here\nthird, of, them\n'})
    assert result.texts == ["first, comment", '"second" one; here', "third, of, them"]
    assert result.table["id"].to_pylist() == ["1", "2", "3"]
    assert result.reading["files"][0]["blank_lines"] == 2


def test_one_column_with_and_without_header(read):
    body = '"a, quoted one"\nplain words here\n"of two\nlines"\n'
    texts = ["a, quoted one", "plain words here", "of two\nlines"]
    assert read({"a.csv": f"text\n{body}"}).texts == texts
    assert read({"a.csv": body}).texts == texts
    assert read({"a.csv": f"palaute\n{body}"}, text_column="palaute").texts == texts


def test_a_table_without_header(read):
    result = read({"a.csv": "1,olen väsynyt aina,2024-05-01\n2,en jaksa enää mitään,2024-05-02\n"})
    assert result.texts == ["olen väsynyt aina", "en jaksa enää mitään"]
    assert result.reading["columns"]["text"] == "2"


def test_the_mark_that_excel_writes(read):
    result = read({"a.csv": "sep=;\nid;text\n1;a, b and so on\n"})
    assert result.texts == ["a, b and so on"]


def test_several_files_and_patterns(read, tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.csv").write_text(f"text\ncomment of {name}\n\n{name} again\n")
    out = tmp_path / "out"
    files = [tmp_path / "b.csv", str(tmp_path / "*.csv")]
    result = Result(out, read_comments(files, out))
    expected = [text for name in "bac" for text in (f"comment of {name}", f"{name} again")]
    assert result.texts == expected
    assert [entry["rows"] for entry in result.reading["files"]] == [2, 2, 2]


# Broken rows


def test_an_unclosed_quote_costs_one_row(read):
    lines = [f"{i},comment number {i} is here" for i in range(1000)]
    lines[100] = '100,"comment with an open quote'
    lines[600] = '600,the pipe was 5"'
    result = read({"a.csv": "id,text\n" + "\n".join(lines) + "\n"})
    assert result.listed == [(102, "unclosed quote")]
    assert result.reading["rows_read"] == 1000
    assert result.texts[599] == 'the pipe was 5"'


@pytest.mark.parametrize("at", [0, 500, 997, 998, 999])
def test_an_unclosed_quote_among_quoted_rows_costs_one_row(read, at):
    lines = [f'"{i}","comment, number {i}"' for i in range(1000)]
    lines[at] = lines[at][:-1]
    result = read({"a.csv": '"id","text"\n' + "\n".join(lines)})
    assert result.listed == [(at + 2, "unclosed quote")]
    assert len(result.texts) == 999


def test_lines_within_quotes_are_one_row_and_counted_right(read):
    texts = ["one\ntwo three\n\nfour", 'she said\n"no"\nto, me', "so it is"]
    content = as_csv([*enumerate(texts), (7,), (8, "last one")])
    result = read({"a.csv": content})
    assert result.texts == [*texts, "last one"]
    assert result.listed == [(10, "too few fields")]


@pytest.mark.parametrize("header", [("id", "text"), ("text", "topic of it")])
def test_lines_that_look_like_a_record_of_text_are_text(read, header):
    texts = ["two\nlines no, they are", "so it is"]
    rows = [("7", text) if header[0] == "id" else (text, "of all") for text in texts]
    for n_rows in (1, 2):
        assert read({"a.csv": as_csv(rows[:n_rows], header)}).texts == texts[:n_rows]


def test_unquoted_delimiters_are_listed_and_told(read):
    rows = "".join(f"{i},well, then, number {i},2024\n" for i in range(8))
    result = read({"a.csv": f"id,text,year\n{rows}9,good one,2024\n"})
    assert result.texts == ["good one"]
    assert result.listed == [(i, "too many fields") for i in range(2, 10)]
    told = summary_lines(result.reading)
    assert any("most rows are not kept (too many fields); put quotes around" in x for x in told)


def test_rows_that_cannot_be_read_are_listed(read):
    content = (
        b"id,text\n1,fine words here\n2,n\0ul in here\n3,caf\xe9 is latin\n"
        b'4,p\xc3\xa4iv\xc3\xa4\xc3\xa4\n5,\n6,   \n7,"closed" too early\n'
        b"8,\xf0\x9f\x98\x80 \xf0\x9f\x98\x80\n9,last of all\n"
    )
    result = read({"a.csv": content})
    assert result.texts == ["fine words here", "päivää", "last of all"]
    assert result.listed == [
        (3, "NUL character"), (4, "wrong encoding"), (6, "empty"), (7, "empty"),
        (8, "broken quotes"), (9, "too few words"),
    ]  # fmt: skip


def test_rows_of_json_that_cannot_be_read_are_listed(read):
    lines = [
        '{"text": "fine words"}', '{"text": "cut off', "[1, 2]", '{"id": 5}', '{"text": null}',
        '{"text": ["a"]}', '{"text": "half \\ud800 of it"}', '{"text": "nul \\u0000 here"}',
        '{"text": ' + "[" * 100_000, '{"text": ' + "9" * 5000 + "}", "null",
        '{"text": "more", "id": "\\udc00"}', '{"id": 7.0, "text": "so it is"}',
    ]  # fmt: skip
    result = read({"a.jsonl": "\n".join(lines)}, ids="keep")
    assert result.texts == ["fine words", "so it is"]
    assert result.table["id"].to_pylist() == ["", "7"]
    reasons = [
        "not a JSON object", "not a JSON object", "no text field", "empty", "no text field",
        "wrong encoding", "NUL character", "not a JSON object", "not a JSON object",
        "not a JSON object", "wrong encoding",
    ]  # fmt: skip
    assert result.listed == list(zip(range(2, 13), reasons, strict=True))


def test_rows_of_parquet_that_cannot_be_read_are_listed(read, tmp_path):
    kind = pyarrow.binary()
    values = pyarrow.array([b"fine words", b"caf\xe9", None, b"last one"], kind)
    text = pyarrow.StringArray.from_buffers(4, *values.buffers()[1:], values.buffers()[0])
    table = pyarrow.table({"text": text, "created": pyarrow.array([1, None, 3, 4], "timestamp[s]")})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    result = read({"a.parquet": (tmp_path / "a.parquet").read_bytes()})
    assert result.texts == ["fine words", "last one"]
    assert result.listed == [(2, "wrong encoding"), (3, "empty")]
    assert result.reading["dates"] == ["1970-01-01T00:00:01", "1970-01-01T00:00:04"]


def test_very_long_comments_and_lines(read, monkeypatch):
    longest = "sana " * 40_000
    rows = [
        (1, "short one"),
        (2, longest),
        (3, longest + "x"),
        (4, "y" * 5_000_000),
        (5, "the end"),
    ]
    result = read({"a.csv": as_csv(rows)})
    assert result.texts == ["short one", longest, "the end"]
    assert result.listed == [(4, "too long"), (5, "line too long")]


def test_damaged_utf16_costs_its_line(read):
    content = "id,text\n1,hyvää päivää\n2,half XX of it\n3,last one\n".encode("utf-16-le")
    content = b"\xff\xfe" + content.replace("XX".encode("utf-16-le"), b"\x00\xd8X\x00")
    result = read({"a.csv": content + b"4"})
    assert result.texts == ["hyvää päivää", "last one"]
    assert result.listed == [(3, "wrong encoding"), (5, "wrong encoding")]


# Rules


def test_repeated_rows_and_texts(read):
    rows = [("a", "same text"), ("b", "same text"), ("a", "same text"), ("a", "other text"),
            ("", "same text"), ("", "same text")]  # fmt: skip
    content = as_csv(rows)
    kept = read({"a.csv": content}, ids="keep")
    assert kept.table["id"].to_pylist() == ["a", "b", "a", "", ""]
    assert kept.listed == [(4, "repeated id and text")]
    assert kept.reading["repeated_texts"] == 3
    assert any("3 comments repeat the text" in line for line in summary_lines(kept.reading))
    skipped = read({"a.csv": content}, duplicates="skip", ids="keep")
    assert skipped.texts == ["same text", "other text"]
    assert [reason for _, reason in skipped.listed].count("repeated text") == 3
    assert skipped.forms == ["same", "text", "other"]


def test_one_of_anything_is_told_in_the_singular(read):
    content = '{"text": "same text"}\n' * 2
    told = summary_lines(read({"a.jsonl": content}).reading)
    assert told[1].endswith("a.jsonl: JSONL, UTF-8; 2 of 2 rows kept")
    assert told[-1] == (
        "1 comment repeats the text of an earlier one and is kept; duplicates: skip leaves it out."
    )


def test_forms_of_skipped_rows_are_left_out(read, monkeypatch):
    monkeypatch.setattr(sources, "PORTION", 2)
    texts = ["one two", "three one", "one two", "four two", "five", "three one", "six five"]
    result = read({"a.csv": as_csv(enumerate(texts))}, duplicates="skip", min_words=2)
    assert result.texts == ["one two", "three one", "four two", "six five"]
    assert result.words() == [text.split() for text in result.texts]
    assert result.table["id"].null_count == 0
    assert len(set(result.table["id"].to_pylist())) == 4


def test_seen_keys_are_those_of_a_set():
    generator = np.random.default_rng(1)
    seen, known = Seen(), set()
    for _ in range(50):
        keys = generator.integers(0, 3000, 100).astype("<u8")
        first = []
        for key in keys.tolist():
            first.append(key not in known)
            known.add(key)
        assert seen.first(keys).tolist() == first
    assert sum(map(len, seen.runs)) == len(known)


def test_languages(read):
    rows = [(1, "minä olen tänään hyvin väsynyt ja surullinen"),
            (2, "I am very tired today and I cannot sleep at night")]  # fmt: skip
    result = read({"a.csv": as_csv(rows)}, languages=["fi"])
    assert result.texts == [rows[0][1]]
    assert result.listed == [(3, "other language")]
    with pytest.raises(DataError, match="languages 'xx' is not usable"):
        read({"a.csv": as_csv(rows)}, languages=["xx"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-01", 1714521600), ("2024-05-01T12:30:00", 1714566600),
        ("2024-05-01 12:30:00+03:00", 1714555800), ("2024-05-01T09:30:00.250Z", 1714555800),
        ("1714555800", 1714555800), ("1714555800.5", 1714555800), ("1714555800123", 1714555800),
        ("1.5.2024", 1714521600), ("01.05.2024 12:30", 1714566600), ("1/5/2024", 1714521600),
        ("1.5.2024 12.30.00", 1714566600), ("2024/05/01", 1714521600), ("2024-05", 1714521600),
        ("Wed May 01 09:30:00 +0000 2024", 1714555800),
        ("Wed, 01 May 2024 12:30:00 +0300", 1714555800), ("1969-12-31", -86400),
        ("2024-05-01 09:30:00 UTC", 1714555800), ("1.5.24 9.30", 1714555800),
        ("2024/05/01 12:30:00 PM GMT+3", 1714555800), ("1.5.2024 klo 9.30", 1714555800),
        ("1/5/2024 9:30:00 AM", 1714555800), ("1/5/24, 12:30 a.m.", 1714523400),
        ("1/5/2024 12:30 PM", 1714566600), ("May 1, 2024 9:30 am", 1714555800),
        ("1 May 2024", 1714521600), ("1. Sept. 2024", 1725148800), ("May 2024", 1714521600),
        ("may 99, 2024", None), ("2 years ago", None), ("market 2024", None),
        ("", None), ("soon", None), ("2024", None), ("31.2.2024", None), ("99.99.2024", None),
        ("0001-01-01T00:00:00+14:00", None),
    ],
)  # fmt: skip
def test_dates(text, expected):
    assert seconds(text) == expected


def test_american_dates_are_seen_in_the_column(read):
    assert not is_month_first(["01/02/2024", "13/02/2024"])
    rows = [(1, "some words", "01/02/2024"), (2, "more words", "12/31/2024"), (3, "and more", "?")]
    result = read({"a.csv": as_csv(rows, header=["id", "text", "date"])})
    assert result.reading["dates"] == ["2024-01-02T00:00:00", "2024-12-31T00:00:00"]
    assert result.reading["undated"] == 1
    assert result.table["date"].null_count == 1


def test_comments_that_are_gone_are_listed(read):
    texts = [
        "[deleted]",
        "kept words",
        "[Removed] ",
        "[removed] it they say",
        "[ Removed by Reddit ]",
    ]
    result = read({"a.csv": as_csv(enumerate(texts))})
    assert result.texts == ["kept words", "[removed] it they say"]
    assert result.listed == [(2, "deleted"), (4, "deleted"), (6, "deleted")]


# Columns


def test_columns_by_name_and_by_values(read):
    body = 'x1,a,"well, this is it",Anna\nx2,b,"and this, it seems, too",Bo\n'
    assert read({"a.csv": f"key,group,Comment,who\n{body}"}).texts[0] == "well, this is it"
    result = read({"a.csv": f"key,kind,palaute,who\n{body}"}, id_column="key", group_column="")
    assert result.texts[1] == "and this, it seems, too"
    assert result.reading["columns"] == {
        "text": "palaute", "id": "key", "date": None, "group": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("commentId,textDisplay,textOriginal,publishedAt,videoId", (0, 2, 3, 4)),
        ("id,snippet.textDisplay,snippet.textOriginal,snippet.publishedAt,video", (0, 2, 3, None)),
        ("Comment ID,Author name,Comment Text,Created-At,Subreddit", (0, 2, 3, 4)),
        ("cid,time,text,time_parsed,channel", (None, 2, 3, 4)),
        ("cid,date,text,time,channel", (None, 2, 3, 4)),
        ("cid,who,text,when,channel", (None, 2, 3, 4)),
    ],
)
def test_columns_as_programs_name_them(read, header, expected):
    rows = [
        (f"x{i}", "2 years ago", f"words of row {i}", "2024-05-01", "ab"[i % 2]) for i in (1, 2)
    ]
    names = header.split(",")
    assert list(read({"a.csv": as_csv(rows, header=names)}).reading["columns"].values()) == [
        None if at is None else names[at] for at in (expected[1], expected[0], *expected[2:])
    ]


def test_keys_of_objects_in_objects_are_found_where_the_row_has_no_text(read):
    def row(inner, **more):
        own = {"snippet": {"textOriginal": inner, "publishedAt": "2024-05-01"}}
        return json.dumps({"id": inner[:2], "snippet": {"videoId": "v", "top": own}} | more)

    rows = [row("aa words of one"), row("bb words of two"), row("cc is gone", snippet={"top": 1})]
    result = read({"a.jsonl": "\n".join(rows)}, ids="keep")
    inner = "snippet.top.snippet"
    assert result.reading["columns"] == {
        "text": f"{inner}.textOriginal", "id": "id", "date": f"{inner}.publishedAt",
        "group": "snippet.videoId",
    }  # fmt: skip
    assert result.texts == ["aa words of one", "bb words of two"]
    assert result.table["id"].to_pylist() == ["aa", "bb"]
    assert result.listed == [(3, "no text field")]
    # A text of the row's own comes before those in it, and a named one before both.
    content = "\n".join(row(f"aa inner {i}", text=f"own words {i}") for i in (1, 2))
    assert read({"a.jsonl": content}).texts == ["own words 1", "own words 2"]
    found = read({"a.jsonl": content}, text_column=f"{inner}.textOriginal")
    assert found.texts == ["aa inner 1", "aa inner 2"]


def test_dates_are_found_by_their_values_where_one_column_fits(read):
    rows = [(f"words of row {i}", f"{i}.5.2024", 1714521600 + i, f"{i} years") for i in (1, 2)]
    header = ["text", "julkaistu", "number", "age"]
    assert read({"a.csv": as_csv(rows, header=header)}).reading["columns"]["date"] == "julkaistu"
    twice = [(*row, row[1]) for row in rows]
    result = read({"a.csv": as_csv(twice, header=[*header, "muutettu"])})
    assert result.reading["columns"]["date"] is None
    result = read({"a.csv": as_csv(rows, header=header)}, date_column="")
    assert result.reading["columns"]["date"] is None


def test_files_whose_texts_have_other_names_are_refused(read):
    files = {"a.csv": "id,text\n1,some words\n", "b.csv": "id,body\n2,more words\n"}
    with pytest.raises(
        DataError, match=r"b\.csv: there is no column 'text' .* give the columns one"
    ):
        read(files)


def test_a_delimiter_that_is_not_there(read):
    with pytest.raises(DataError, match="delimiter ';' is not in its first 2 lines; name another"):
        read({"a.csv": "id,text\n1,some words\n"}, delimiter=";")


NAMES_WARNED_OF = (
    "Warning: the groups in 'writer' look like names of persons; hash_groups=true hides them, and "
    "group_column= leaves them out."
)


@pytest.mark.parametrize(
    ("groups", "is_warned_of"),
    [
        ([f"maija{n}" for n in range(60)], True),  # one for each comment
        ([f"maija{n // 3}" for n in range(60)], False),  # 20 groups of three
        ([f"@maija{n % 3}" for n in range(60)], True),
        (["@maija", "news", "sport"] * 20, False),
        (["news", "sport"] * 30, False),
        ([""] * 60, False),
    ],
)
def test_groups_that_look_like_persons_are_warned_of(read, groups, is_warned_of):
    content = as_csv(
        [[f"this is comment {n}", group] for n, group in enumerate(groups)], ("text", "writer")
    )
    result = read({"a.csv": content}, group_column="writer")
    assert (NAMES_WARNED_OF in summary_lines(result.reading)) == is_warned_of
    assert result.table["group"].to_pylist() == [group or None for group in groups]


def test_groups_can_be_hashed(read, tmp_path):
    groups = ["@maija", "@matti", "", "@maija"]
    rows = [[n, f"this is comment {n}", group] for n, group in enumerate(groups)]
    content = as_csv(rows, ("id", "text", "writer"))
    result = read({"a.csv": content}, group_column="writer", hash_groups=True, ids="keep")
    secret = read_secret(tmp_path / "out" / ".id_secret")
    stored = [hash_id(group, secret) if group else None for group in groups]
    assert result.table["group"].to_pylist() == stored
    assert result.table["id"].to_pylist() == ["0", "1", "2", "3"]
    assert NAMES_WARNED_OF not in summary_lines(result.reading)
    assert "maija" not in json.dumps(result.reading)


def test_a_column_of_many_values_is_a_group_only_if_it_is_named(read):
    rows = [(f"words of {i}", f"name{i}") for i in range(40)]
    content = as_csv(rows, header=["text", "source"])
    assert read({"a.csv": content}).reading["groups"] == 0
    assert read({"a.csv": content}, group_column="source").reading["groups"] == 40


@pytest.mark.parametrize(
    ("header", "settings", "sentence"),
    [
        ("a,b", {}, "the columns 'a', 'b' could each be the text; name one with `text_column`"),
        ("text,body", {}, "the columns 'text', 'body' could each be the text"),
        ("a,b", {"text_column": "c"}, "no column 'c' for text; it has 'a', 'b'; name one"),
        ("a,text", {"date_column": "c"}, "no column 'c' for date"),
    ],
)
def test_columns_that_are_not_clear(read, header, settings, sentence):
    rows = "".join(f"this is one {i},that is another {i}\n" for i in range(5))
    with pytest.raises(DataError, match=sentence):
        read({"a.csv": f"{header}\n{rows}"}, **settings)


# Refusals


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.csv", b"\n\n", "the file holds no rows"),
        ("a.csv", b"id,text\n", "there are no comments, only a header"),
        ("a.csv", b"PK\x03\x04abc", "ZIP archive or an Excel workbook"),
        ("a.xls", b"\xd0\xcf\x11\xe0abc", "an old Excel workbook"),
        ("a.csv", bytes(range(256)) * 50, "a binary file"),
        ("a.parquet", b"PAR1abc", "not a whole Parquet file"),
        ("a.parquet", b"id,text\n1,a b\n", "not a Parquet file"),
        ("a.csv.gz", gzip.compress(b"text\none two\n", mtime=0)[:-12], "damaged or end too early"),
        ("a.json", b'[{"text": "a"}]', "one JSON list"),
        ("a.jsonl", b"nothing\nof json\n", "none of its first 2 lines is a JSON object"),
        ("a.csv", "id,text\n1,😀😀\n2,🙁\n".encode(), "none of the 2 rows .*2 too few.*emojis"),
        ("a.csv", b"id,text\n1,\n2,\n", "2 empty; the first is line 2 of .*another text column"),
    ],
)  # fmt: skip
def test_files_of_no_use_are_refused_in_a_sentence(read, tmp_path, name, content, sentence):
    with pytest.raises(DataError, match=sentence) as caught:
        read({name: content})
    message = str(caught.value)
    assert message.startswith(str(tmp_path / name))
    assert "\n" not in message
    assert not (tmp_path / "out" / "comments" / "manifest.json").exists()


def test_missing_files_and_folders_are_refused(tmp_path):
    for path, sentence in [
        (tmp_path, "it is a folder"),
        (tmp_path / "none.csv", "no such file"),
        (tmp_path / "*.csv", "no file matches"),
    ]:
        with pytest.raises(DataError, match=sentence):
            read_comments([path], tmp_path / "out")
    with pytest.raises(DataError, match="no files are given"):
        read_comments([], tmp_path / "out")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"duplicates": "yes"}, "duplicates 'yes' is not usable; give one of keep, skip"),
        ({"ids": "none"}, "ids 'none' is not usable"),
        ({"min_words": -1}, "min_words -1 is not usable"),
        ({"delimiter": "ab"}, "delimiter 'ab' is not usable"),
    ],
)
def test_settings_are_checked(read, settings, sentence):
    with pytest.raises(DataError, match=sentence):
        read({"a.csv": "id,text\n1,some words\n"}, **settings)


# Speed, privacy, words


def test_several_processes_give_the_same_files(read, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "PORTION", 40)
    rows = [(i, f"comment {chr(97 + i % 26)}b number, of{i % 31}") for i in range(500)]
    content = as_csv(rows) + '7,"open\n'
    read({"a.csv": content})
    folder = tmp_path / "out" / "comments"
    alone = {path.name: path.read_bytes() for path in folder.iterdir()}
    monkeypatch.setattr(reading_module, "SMALL_BYTES", 0)
    read({"a.csv": content}, threads=2)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == alone


def test_texts_can_be_left_out_everywhere(read):
    content = "id,text\n1,unmistakable words\n2,unmistakable, unquoted\n3,unmistakable\0\n"
    result = read({"a.csv": content + '4,"unmistakable\n'}, keep_texts=False)
    assert result.table.column_names == ["id", "date", "group"]
    assert "unmistakable" not in result.report
    assert len(result.listed) == 3


def test_ids_are_hashed_kept_or_dropped(read, tmp_path):
    content = as_csv([("anna", "first comment"), ("bo", "second comment"), ("anna", "third one")])
    hashed = read({"a.csv": content}).table["id"].to_pylist()
    assert hashed[0] == hashed[2] != hashed[1]
    assert "anna" not in hashed
    assert read({"a.csv": content}).table["id"].to_pylist() == hashed
    other = read({"a.csv": content}, secret=tmp_path / "other").table["id"].to_pylist()
    assert set(other).isdisjoint(hashed)
    assert read({"a.csv": content}, ids="keep").table["id"].to_pylist() == ["anna", "bo", "anna"]
    assert read({"a.csv": content}, ids="drop").table["id"].to_pylist() == ["1", "2", "3"]


def test_texts_are_redacted_and_words_are_not_invented(read):
    result = read({"a.csv": "text\n@maija kirjoita maija@example.org pian\n"}, redact=True)
    assert result.texts == ["@user kirjoita [e-mail] pian"]
    assert result.forms == ["kirjoita", "pian"]


def test_the_summary_is_in_plain_words(read):
    rows = [(1, "some words", "1.5.2024", "a"), (2, "", "", "b"), (3, "more words", "?", "b")]
    result = read({"a.csv": as_csv(rows, header=["id", "text", "date", "channel"], delimiter=";")})
    first, file, *rest = summary_lines(result.reading)
    assert first == "Read 3 rows of 1 file: 2 comments kept, 1 row not kept."
    assert file.endswith("a.csv: CSV, UTF-8, delimiter ';', quotes \"; 2 of 3 rows kept")
    assert rest == [
        "Columns: text in 'text', id in 'id', date in 'date', group in 'channel'.",
        "Not kept: 1 empty. Each is listed in input_report.csv with file and line.",
        "Dates: 2024-05-01 to 2024-05-01, 1 comment without one.",
        "Groups: 2.",
    ]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_tells_the_time_left_of_long_work_alone():
    now = [0.0]
    for stream, lines in [
        (io.StringIO(), "work: 60%, 12 s gone, about 8 s left\n"),
        (Terminal(), "\rwork: 60%, 12 s gone, about 8 s left"
                     "\rwork: 80%, 16 s gone, about 4 s left"
                     "\rwork: 100%, 20 s gone, about 0 s left\n"),
    ]:  # fmt: skip
        now[0] = 0.0
        with Progress("work", 5, stream, clock=lambda: now[0]) as progress:
            for _ in range(5):
                now[0] += 4
                progress.step()
        assert stream.getvalue() == lines
    stream = io.StringIO()
    with Progress("work", 5, stream, clock=lambda: 9.0) as progress:
        progress.step(5)
    assert stream.getvalue() == ""
