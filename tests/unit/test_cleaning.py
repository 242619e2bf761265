"""From files and raw text to matrices."""

import json
import unicodedata

import numpy as np
import pytest

from minority_topics.corpus.cleaning import clean
from minority_topics.corpus.injection import Topic, read_topics
from minority_topics.corpus.labelled import read_labels
from minority_topics.corpus.readers import DataError, read_table
from minority_topics.corpus.vectorise import estimate_truth, read_seed_list, vectorise


def test_reads_csv_jsonl_and_parquet_alike(tmp_path):
    rows = [{"text": "Äiti, on!", "label": "a"}, {"text": "line\nbreak", "label": "-1"}]
    csv_text = 'label,text\na,"Äiti, on!"\n-1,"line\nbreak"\n'
    (tmp_path / "a.csv").write_text(csv_text, encoding="utf-8")
    lines = "\n".join(json.dumps(row) for row in rows)
    (tmp_path / "a.jsonl").write_text(lines + "\n", encoding="utf-8")
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet")
    for ending in ("csv", "jsonl", "parquet"):
        assert read_table(tmp_path / f"a.{ending}", ["text", "label"]) == rows


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.csv", b"body\nx\n", r"no column 'text'; it has 'body'"),
        ("a.csv", b"text\n", "holds no rows"),
        ("a.csv", b"text\n\xe4iti\n", "not UTF-8"),
        ("a.jsonl", b'{"text": "a"}\nnonsense\n', "line 2 is not JSON"),
        ("a.jsonl", b"[1]\n", "line 1 is not a JSON object"),
        ("a.txt", b"text\n", r"must end in one of \.csv"),
    ],
)
def test_bad_files_are_named_with_the_remedy(tmp_path, name, content, complaint):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=complaint) as caught:
        read_table(tmp_path / name, ["text"])
    assert name in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"gone\.csv: no such file"):
        read_table(tmp_path / "gone.csv", ["text"])


def test_clean_drops_symbols_and_stop_words_and_lemmatises():
    text = ["Koirat haukkuvat, ja minä EN nuku! :) 100%"]
    assert clean(text) == [["koirat", "haukkuvat", "ja", "minä", "en", "nuku", "100"]]
    assert clean(text, stop_words="fi") == [["koirat", "haukkuvat", "nuku", "100"]]
    lemmas = clean(text, stop_words="fi", lemmas="simplemma")[0]
    assert lemmas[:2] == ["koira", "haukkua"]


@pytest.mark.parametrize("lemmas", ["none", "simplemma"])
def test_clean_takes_any_text(lemmas):
    odd = ["", "\0", "\ud800", "a\u0301a\u0301", "\u202eab\u202c", "İI", "x" * 200_000, "ŉŉ ßß ﬃﬃ"]
    odd += [f"yksi{character}kaksi" for character in map(chr, range(0x3000))]
    documents = clean(odd, lemmas=lemmas)
    assert len(documents) == len(odd)
    words = [word for document in documents for word in document]
    assert all(word.split() == [word] for word in words)
    "".join(words).encode()


def test_unknown_stop_words_and_lemmas_are_refused():
    with pytest.raises(DataError, match="no list for 'xx'"):
        clean(["a text"], stop_words="xx")
    with pytest.raises(DataError, match="lemmas: 'best' must be one of none, simplemma"):
        clean(["a text"], lemmas="best")


def test_counts_and_tfidf_share_a_sorted_vocabulary():
    counts, tfidf, vocabulary = vectorise([["b", "a", "b"], ["a"], []])
    assert vocabulary == ["a", "b"]
    assert counts.toarray().tolist() == [[1, 2], [1, 0], [0, 0]]
    assert (tfidf.nonzero()[1] == counts.nonzero()[1]).all()
    # idf of a word in d of n documents is log((1 + n) / (1 + d)) + 1
    weights = np.array([np.log(4 / 3) + 1, 2 * (np.log(4 / 2) + 1)])
    assert tfidf.toarray()[0] == pytest.approx(weights / np.linalg.norm(weights))


def test_document_frequency_bounds_take_counts_and_shares():
    documents = [["a", "b"], ["a", "c"], ["a", "c"], ["a"]]
    assert vectorise(documents, min_df=2)[2] == ["a", "c"]
    assert vectorise(documents, max_df=0.5)[2] == ["b", "c"]
    with pytest.raises(DataError, match=r"min_df=0\.9 and max_df=0\.5 leave no word"):
        vectorise(documents, min_df=0.9, max_df=0.5)


def test_truth_is_estimated_from_the_words_of_labelled_documents():
    counts, _, _ = vectorise([["a", "b"], ["a", "a"], ["c"]])
    truth = estimate_truth(counts, np.array([0, 0, -1]), 2)
    assert truth.tolist() == [[0.75, 0.25, 0], [0, 0, 0]]


def test_letters_of_two_characters_are_one():
    text = "Päivä Öisin ångström"
    for form in ("NFC", "NFD"):
        given = unicodedata.normalize(form, text)
        assert clean([given]) == [["päivä", "öisin", "ångström"]]
        assert clean([given], lemmas="simplemma")[0][0] == "päivä"
    stopped = unicodedata.normalize("NFD", "Minä")
    assert clean([stopped], stop_words="fi") == [[]]


def test_a_capital_with_a_dot_does_not_split_its_word():
    assert clean(["İstanbul", "I\u0307zmir"]) == [["istanbul"], ["izmir"]]


def test_lists_of_words_are_composed(tmp_path):
    for form in ("NFC", "NFD"):
        word = unicodedata.normalize(form, "Pää")
        (tmp_path / "s.txt").write_text(f"{word}\nİs\n", encoding="utf-8")
        assert read_seed_list(tmp_path / "s.txt") == ["pää", "is"]
        content = f"- name: {word}\n  gloss: head\n  words: {{{word}: head}}\n"
        (tmp_path / "t.yaml").write_text(content, encoding="utf-8")
        assert read_topics(tmp_path / "t.yaml") == [Topic("Pää", "head", {"Pää": "head"})]
        assert read_labels([word, "x"], unicodedata.normalize("NFC", word)) == ["-1", "x"]
    both = ", ".join(f"{unicodedata.normalize(form, 'pää')}: head" for form in ("NFC", "NFD"))
    (tmp_path / "t.yaml").write_text(f"- name: a\n  gloss: b\n  words: {{{both}}}\n")
    with pytest.raises(DataError, match="'pää' of topic 1 appears twice; remove one"):
        read_topics(tmp_path / "t.yaml")
