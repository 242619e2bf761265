"""Whatever is done to an input file, its rows are read as they are, or it is refused by name."""

import csv
import io
import json

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutations import changed_bytes

from minority_topics.base.text import folded
from minority_topics.corpus.cleaning import clean
from minority_topics.corpus.injection import read_topics
from minority_topics.corpus.labelled import read_labelled
from minority_topics.corpus.readers import DataError, read_table
from minority_topics.corpus.storage import read_corpus
from minority_topics.corpus.vectorise import make_corpora, read_seed_list
from minority_topics.study.paths import ROOT

# What UTF-8 can write.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
FIELD = TEXT.filter(lambda text: "\0" not in text)
ODD_TEXT = st.text(max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ODD_TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(ODD_TEXT, inner, max_size=2),
)
SNIPPETS = [
    b'"', b'""', b",", b"\n", b"\r", b"\r\n", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xc3",
    b"\xe2\x80\xa8", b"{", b"}", b"[", b":", b"NaN", rb"\ud800", rb"\u0000", b"text", b"'", b"\t",
    b"PAR1", b"- ", b"&a ", b"*a", b"[" * 2000, b"9" * 5000,
]  # fmt: skip


def refused(error, path):
    """One sentence with the file in it."""
    sentence = str(error)
    assert sentence.splitlines() == [sentence]
    assert str(path) in sentence
    assert len(sentence) < 3000


def write(folder, name, content):
    path = folder.mktemp("in") / name
    path.write_bytes(content)
    return path


def rows_of_csv(content):
    """(label, text) of each row as the csv module has them."""
    text = content.decode("utf-8-sig")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    places = [header.index(name) for name in ("label", "text")]
    return [tuple(row[place] for place in places) for row in rows if row]


@given(
    rows=st.lists(st.tuples(FIELD, FIELD, FIELD), min_size=1), end=st.sampled_from(["\n", "\r\n"])
)
def test_csv_comes_back(tmp_path_factory, rows, end):
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([("label", "extra", "text"), *rows])
    path = write(tmp_path_factory, "a.csv", file.getvalue().encode())
    read = read_table(path, ["text", "label"])
    assert [(row["label"], row["text"]) for row in read] == [(row[0], row[2]) for row in rows]


@given(data=st.data())
def test_changed_csv_is_read_as_the_csv_module_reads_it_or_refused(tmp_path_factory, data):
    rows = data.draw(st.lists(st.tuples(FIELD, FIELD), min_size=1, max_size=5))
    file = io.StringIO(newline="")
    csv.writer(file).writerows([("label", "text"), *rows])
    content = changed_bytes(file.getvalue().encode(), data.draw, SNIPPETS)
    path = write(tmp_path_factory, "a.csv", content)
    try:
        read = read_table(path, ["text", "label"])
    except DataError as error:
        refused(error, path)
    else:
        assert [(row["label"], row["text"]) for row in read] == rows_of_csv(content)
    assert path.read_bytes() == content


@given(values=st.lists(JSON, min_size=1, max_size=5))
def test_jsonl_comes_back_or_is_refused(tmp_path_factory, values):
    content = "\n".join(json.dumps({"text": value}) for value in values).encode()
    path = write(tmp_path_factory, "a.jsonl", content)
    try:
        read = [row["text"] for row in read_table(path, ["text"])]
    except DataError as error:
        refused(error, path)
    else:
        assert read == [as_text(value) for value in values]
        "".join(read).encode()


def as_text(value):
    """A value of JSON as a label or a text: a whole float has no point."""
    if isinstance(value, float) and value == int(value) and abs(value) < 2**53:
        value = int(value)
    return "" if value is None else str(value)


@given(data=st.data())
def test_changed_jsonl_is_read_or_refused(tmp_path_factory, data):
    rows = data.draw(st.lists(st.fixed_dictionaries({"text": TEXT, "label": JSON}), min_size=1))
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    content = changed_bytes(text.encode(errors="replace"), data.draw, SNIPPETS)
    path = write(tmp_path_factory, "a.jsonl", content)
    try:
        read = read_table(path, ["text"])
    except DataError as error:
        refused(error, path)
    else:
        assert 1 <= len(read) <= len(content.splitlines())
        assert all(isinstance(row["text"], str) for row in read)
    assert path.read_bytes() == content


def parquet(texts):
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"text": pyarrow.array(texts, "string")}), file)
    return file.getvalue()


@given(texts=st.lists(st.none() | TEXT, min_size=1))
def test_parquet_comes_back(tmp_path_factory, texts):
    path = write(tmp_path_factory, "a.parquet", parquet(texts))
    read = [row["text"] for row in read_table(path, ["text"])]
    assert read == [text or "" for text in texts]


@given(data=st.data())
def test_changed_parquet_is_read_or_refused(tmp_path_factory, data):
    content = parquet(data.draw(st.lists(st.none() | TEXT, min_size=1, max_size=5)))
    content = changed_bytes(content, data.draw, SNIPPETS)
    path = write(tmp_path_factory, "a.parquet", content)
    try:
        read = read_table(path, ["text"])
    except DataError as error:
        refused(error, path)
    else:
        assert all(isinstance(row["text"], str) for row in read)
        "".join(row["text"] for row in read).encode()
    assert path.read_bytes() == content


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "CSV", "txt", ""])
@given(content=st.binary(max_size=60))
def test_random_bytes_are_read_or_refused(tmp_path_factory, ending, content):
    path = write(tmp_path_factory, f"a.{ending}", content)
    try:
        read_table(path, ["text"])
    except DataError as error:
        refused(error, path)


@given(data=st.data())
def test_changed_topics_are_read_or_refused(tmp_path_factory, data):
    content = (ROOT / "config" / "topics_fi.yaml").read_bytes()[:1500]
    content = content[: content.rindex(b"- name")]
    content = changed_bytes(content, data.draw, SNIPPETS)
    path = write(tmp_path_factory, "topics.yaml", content)
    try:
        topics = read_topics(path)
    except DataError as error:
        refused(error, path)
    else:
        names = [topic.name for topic in topics]
        assert len(set(names)) == len(names)
        assert all(folded(name) == name not in ("", "-1") for name in names)
        assert all(word.split() == [word] for topic in topics for word in topic.words)


@given(data=st.data())
def test_changed_seed_words_are_read_or_refused(tmp_path_factory, data):
    content = (ROOT / "config" / "seed_words_fi.txt").read_bytes()[:300]
    path = write(tmp_path_factory, "s.txt", changed_bytes(content, data.draw, SNIPPETS))
    try:
        words = read_seed_list(path)
    except DataError as error:
        refused(error, path)
    else:
        assert words
        assert all(word == word.strip() and word for word in words)


@pytest.fixture(scope="module")
def dictionary():
    """simplemma's, which takes seconds to load: no part of the time of a case."""
    clean(["kissa"], "fi", "simplemma")


@pytest.mark.slow
@pytest.mark.usefixtures("dictionary")
@given(text=ODD_TEXT, lemmas=st.sampled_from(["none", "simplemma"]))
def test_any_text_is_cleaned(text, lemmas):
    [words] = clean([text], "fi", lemmas)
    assert " ".join(words).split() == words
    "".join(words).encode()


@given(labels=st.lists(ODD_TEXT | st.sampled_from(["a b", "a\nb", "-1", "=x", "'=x"]), min_size=1))
def test_labels_mean_the_same_in_the_corpus_as_in_the_file(tmp_path_factory, labels):
    """Or the file is refused: a label must never come to stand for another topic."""
    folder = tmp_path_factory.mktemp("study")
    rows = [json.dumps({"text": f"sana sana{n}", "label": label}) for n, label in enumerate(labels)]
    (folder / "a.jsonl").write_text("\n".join(rows))
    (folder / "seeds.txt").write_text("sana\n")
    try:
        read_labelled(folder / "a.jsonl", folder / "documents", label_column="label")
    except DataError as error:
        refused(error, folder / "a.jsonl")
        return
    make_corpora(folder / "documents", folder / "seeds.txt", folder / "corpora")
    corpus = read_corpus(folder / "corpora" / "0")
    names = [*corpus.topic_names, "-1"]
    assert [names[number] for number in corpus.labels] == [folded(label) for label in labels]
    assert sorted(set(names)) == sorted({"-1", *map(folded, labels)})
