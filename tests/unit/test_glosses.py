"""Glosses of words and topics: files of them, and what the shipped ones cover."""

import re

import pytest

from minority_topics.corpus.glosses import read_glosses
from minority_topics.corpus.readers import DataError
from minority_topics.corpus.vectorise import read_seed_list
from minority_topics.study.paths import ROOT

SHIPPED = ROOT / "config" / "glosses_fi.tsv"
TOPICS = ROOT / "config" / "topics_fi.yaml"


def test_the_first_file_that_has_a_word_counts(tmp_path):
    (tmp_path / "w.tsv").write_text("\ufeffword\tgloss\r\nSuru\tsorrow\r\n\r\nkoti\thome \r\n")
    (tmp_path / "t.yaml").write_text("- {name: A b, gloss: An a, words: {suru: grief, yö: night}}")
    paths = [tmp_path / "w.tsv", tmp_path / "t.yaml"]
    expected = {"suru": "sorrow", "koti": "home", "yö": "night"}
    assert read_glosses(paths).words == expected
    assert read_glosses(paths[::-1]).words == expected | {"suru": "grief"}
    assert read_glosses(paths).topics == {"A b": "An a"}
    assert read_glosses([]).words == {}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "line 1 is ''; write the header"),
        (b"suru\tgrief\n", r"line 1 is 'suru\\tgrief'; write the header"),
        (b"word\tgloss\nsuru\n", "line 2 is 'suru'; write a word, one tab and its gloss"),
        (b"word\tgloss\nsuru\t\n", "line 2 is"),
        (b"word\tgloss\nsuru\ta\tb\n", "line 2 is"),
        (b"word\tgloss\nyksi kaksi\ta\n", "line 2 has 'yksi kaksi', which is not one word"),
        (b"word\tgloss\na\tb\n\nA\tc\n", "line 4 has 'a' a second time; remove one"),
        (b"word\tgloss\na\tb\x07\n", r"line 2 holds '\\x07'; take it out"),
        (b"word\tgloss\n\xe4\tb\n", "line 2 is not UTF-8 text; save it as UTF-8"),
    ],
)
def test_bad_files_are_named_with_their_line(tmp_path, content, sentence):
    path = tmp_path / "w.tsv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=f"^{re.escape(str(path))}: {sentence}"):
        read_glosses([path])


def test_other_files_and_missing_ones_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"a\.csv: the name must end in \.tsv or \.yaml"):
        read_glosses([tmp_path / "a.csv"])
    with pytest.raises(DataError, match=r"a\.tsv: no such file"):
        read_glosses([tmp_path / "a.tsv"])


def test_the_shipped_glosses_are_sorted_and_repeat_no_topic():
    lines = SHIPPED.read_text(encoding="utf-8").splitlines()
    words = [line.split("\t")[0] for line in lines[1:]]
    assert words == sorted(words)
    assert not set(words) & set(read_glosses([TOPICS]).words)


def test_seed_words_and_frequent_words_of_the_background_have_glosses():
    from minority_topics.corpus.background import lemma_frequencies

    known = read_glosses([TOPICS, SHIPPED]).words
    seed_words = read_seed_list(ROOT / "config" / "seed_words_fi.txt")
    lemmas, _ = lemma_frequencies()
    assert [word for word in [*seed_words, *lemmas[:1000]] if word not in known] == []


def test_the_topics_of_the_authors_data_have_glosses(authors_data):
    import csv

    with open(authors_data / "synthetic-data.csv", newline="", encoding="utf-8-sig") as file:
        names = {row["Label"] for row in csv.DictReader(file)} - {"-1"}
    assert names <= set(read_glosses([TOPICS]).topics)
