"""Whatever is in a file of comments: rows read = rows kept + rows listed, and texts stay."""

import csv
import gzip
import io
import json

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutations import changed_bytes

from minority_topics.base.files import read_csv
from minority_topics.comments.reading import read_comments, summary_lines
from minority_topics.corpus.forms import forms
from minority_topics.corpus.readers import DataError

# pyarrow imports pandas at its first array, for which the deadline of a first case is too short.
pyarrow.array([""])

SNIPPETS = [
    b'"', b'""', b",", b";", b"\n", b"\r", b"\r\n", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xc3", b"'",
    b"\xe2\x80\xa8", b"{", b"}", b"[", b":", b"NaN", rb"\ud800", rb"\u0000", b"\t", b"\\", b"PAR1",
    b'\n5,"open', b',"",', b"sep=;\n", b"\x1f\x8b", b"9" * 5000, b"[" * 2000,
]  # fmt: skip
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
WORDS = st.lists(
    st.sampled_from(["olen", "väsynyt", "no,", '"yes"', "it's", "a;b", "😀", "two\nlines", "so\t"]),
    min_size=2,
    max_size=6,
).map(" ".join)
ROWS = st.lists(
    st.fixed_dictionaries({"id": st.integers(0, 9).map(str), "text": WORDS | TEXT}), max_size=12
)
FORMATS = ["csv", "semicolons", "quoted", "tsv", "jsonl", "parquet", "txt"]


def content_of(rows, format):
    """A file of these rows, and its ending."""
    if format == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows).encode(), ".jsonl"
    if format == "txt":
        lines = [" ".join(row["text"].split()) for row in rows]
        return "".join(f"{line}\n" for line in lines).encode(), ".txt"
    if format == "parquet":
        file = io.BytesIO()
        schema = pyarrow.schema([("id", pyarrow.string()), ("text", pyarrow.string())])
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema), file)
        return file.getvalue(), ".parquet"
    settings = {
        "csv": {},
        "semicolons": {"delimiter": ";", "lineterminator": "\n"},
        "quoted": {"quoting": csv.QUOTE_ALL},
        "tsv": {"delimiter": "\t"},
    }[format]
    file = io.StringIO()
    writer = csv.writer(file, **settings)
    writer.writerow(["id", "text"])
    writer.writerows((row["id"], row["text"]) for row in rows)
    return file.getvalue().encode(), ".tsv" if format == "tsv" else ".csv"


def read(tmp_path_factory, name, content, **settings):
    """What reading.json, the texts and the report hold, after the checks that hold for any file."""
    folder = tmp_path_factory.mktemp("in")
    path, out = folder / f"comments{name}", folder / "out"
    path.write_bytes(content)
    reading = read_comments(path, out, redact=False, ids="keep", **settings)
    texts = pyarrow.parquet.read_table(out / "comments.parquet")["text"].to_pylist()
    listed = read_csv(out / "input_report.csv")
    assert reading["rows_kept"] == len(texts)
    assert reading["rows_read"] == len(texts) + len(listed) == reading["files"][0]["rows"]
    assert len({row["line"] for row in listed}) == len(listed)
    assert all(row["reason"] and len(row["detail"]) < 200 for row in listed)
    assert len(summary_lines(reading)) >= 2
    return reading, texts


@given(rows=ROWS, format=st.sampled_from(FORMATS), packed=st.booleans())
def test_whole_files_give_back_their_texts(tmp_path_factory, rows, format, packed):
    content, name = content_of(rows, format)
    if packed and format != "parquet":
        content, name = gzip.compress(content), f"{name}.gz"
    expected = [row["text"] for row in rows]
    if format == "txt":
        expected = [" ".join(text.split()) for text in expected]
    else:
        pairs = list({(row["id"], row["text"]): None for row in rows})
        expected = [text for _, text in pairs]
    expected = [text for text in expected if forms(text)]
    settings = {} if format == "txt" else {"text_column": "text", "id_column": "id"}
    try:
        reading, texts = read(tmp_path_factory, name, content, **settings)
    except DataError:
        assert not expected
        return
    assert texts == expected
    if format not in ("txt", "parquet"):
        assert reading["rows_read"] == len(rows)


@given(
    rows=ROWS,
    format=st.sampled_from(FORMATS),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    data=st.data(),
)
def test_damaged_files_are_counted_or_refused(tmp_path_factory, rows, format, encoding, data):
    content, name = content_of(rows, format)
    if format != "parquet":
        content = content.decode().encode(encoding, "replace")
    content = changed_bytes(content, data.draw, SNIPPETS)
    try:
        read(tmp_path_factory, name, content)
    except DataError as error:
        sentence = str(error)
        assert sentence.splitlines() == [sentence]
        assert "comments" in sentence
        assert len(sentence) < 3000


@given(
    n_rows=st.integers(20, 60),
    at=st.integers(0, 19),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    stray=st.sampled_from(['{},"open to the end', '{},"open, with, commas', '{},"']),
)
def test_an_unclosed_quote_costs_its_line_alone(tmp_path_factory, n_rows, at, quoting, stray):
    rows = [{"id": str(i), "text": f'row {i}, it is "here"'} for i in range(n_rows)]
    file = io.StringIO()
    csv.writer(file, quoting=quoting, lineterminator="\n").writerows(
        (row["id"], row["text"]) for row in rows
    )
    lines = file.getvalue().splitlines()
    lines[at] = stray.format(at)
    reading, texts = read(tmp_path_factory, ".csv", "\n".join(["id,text", *lines]).encode())
    assert texts == [row["text"] for i, row in enumerate(rows) if i != at]
    assert reading["skipped"] == {"unclosed quote": 1}


@pytest.mark.parametrize("format", FORMATS)
def test_a_cut_at_any_byte_is_counted_or_refused(tmp_path_factory, format):
    rows = [
        {"id": str(i), "text": text}
        for i, text in enumerate(["hyvää yötä", "two\nlines", '"q" it'])
    ]
    content, name = content_of(rows, format)
    step = 1 + len(content) // 60
    for end in range(0, len(content), step):
        try:
            read(tmp_path_factory, name, content[:end])
        except DataError:
            continue
