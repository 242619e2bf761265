"""Matrices of comments: counts, TF-IDF, the vocabulary, and rows of new comments."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from comments_folder import write_comments_folder
from helpers import needs_voikko
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfTransformer

from minority_topics.base.files import read_csv, read_lines
from minority_topics.base.manifest import DamagedFolder, check_manifest
from minority_topics.comments import encoding, matrix
from minority_topics.comments.encoding import Encoder
from minority_topics.comments.folders import FORM_NUMBERS
from minority_topics.comments.matrix import vectorise_comments
from minority_topics.comments.summaries import of_words
from minority_topics.corpus.readers import DataError

TEXTS = [
    "Red green blue",
    "red RED green",
    "green yellow, panic attack!",
    "",
    "blue panic; attack green",
    "panic green attack",
]


def vectorised(folder, texts, seeds, language="none", **options):
    """The folder of matrices of some comments; words of any frequency unless told otherwise."""
    comments = write_comments_folder(folder / "comments", texts)
    (folder / "seed_words.txt").write_text(seeds, encoding="utf-8")
    options = {"min_df": 1, "max_df": 1.0} | options
    facts = vectorise_comments(
        comments, folder / "seed_words.txt", folder / "matrix", language=language, **options
    )
    assert facts == json.loads((folder / "matrix" / "cleaning.json").read_text(encoding="utf-8"))
    return folder / "matrix"


def counts_of(folder):
    """Counts as dicts of word and number, one a comment."""
    counts, words = sp.load_npz(folder / "counts.npz"), read_lines(folder / "vocabulary.txt")
    rows = [counts[row] for row in range(counts.shape[0])]
    return [{words[c]: int(n) for c, n in zip(row.indices, row.data, strict=True)} for row in rows]


def facts_of(folder):
    return json.loads((folder / "cleaning.json").read_text(encoding="utf-8"))


def seed_words_of(folder):
    words = read_lines(folder / "vocabulary.txt")
    return [words[column] for column in np.load(folder / "seed_columns.npy")]


def test_counts_by_hand(tmp_path):
    folder = vectorised(tmp_path, TEXTS, "yellow")
    check_manifest(folder)
    assert counts_of(folder) == [
        {"red": 1, "green": 1, "blue": 1},
        {"red": 2, "green": 1},
        {"green": 1, "yellow": 1, "panic": 1, "attack": 1},
        {},
        {"blue": 1, "panic": 1, "attack": 1, "green": 1},
        {"panic": 1, "green": 1, "attack": 1},
    ]
    words = read_lines(folder / "vocabulary.txt")
    assert words == sorted(words)
    assert seed_words_of(folder) == ["yellow"]
    assert sp.load_npz(folder / "counts.npz").dtype == np.int32
    facts = facts_of(folder)
    expected = {
        "documents": 6, "documents_with_words": 5, "words": 6, "forms": 6, "tokens": 17,
        "language": "none", "lemmas": "none", "stop_words": 0, "seed_entries": 1,
        "seed_entries_found": 1, "seed_entries_missing": [], "seed_words": 1,
        "documents_with_seed": 1, "warnings": [],
    }  # fmt: skip
    assert {name: facts[name] for name in expected} == expected


@pytest.mark.parametrize(("n_rare", "is_told"), [(6, False), (7, True)])
def test_comments_without_words_are_warned_of_if_they_are_most(tmp_path, n_rare, is_told):
    texts = ["red yellow"] * 6 + [f"rare{letter}" for letter in "abcdefg"[:n_rare]]
    facts = facts_of(vectorised(tmp_path, texts, "yellow", min_df=2))
    told = (
        f"Only 6 of {6 + n_rare} comments have words and so topics: words of fewer comments than "
    )
    assert [line.startswith(told) for line in facts["warnings"]] == [True] * is_told


def test_one_of_anything_is_told_in_the_singular(tmp_path):
    facts = facts_of(vectorised(tmp_path, ["red yellow"], "yellow"))
    assert of_words(facts)[:2] == [
        "2 words of 2 forms; no lemmas, 0 stop words. 1 of 1 comment has words.",
        "Seed words: 1 of 1 entry found, as 1 word; 1 comment holds one.",
    ]


def test_the_encoding_of_the_seed_list_is_told(tmp_path):
    write_comments_folder(tmp_path / "comments", ["pää on kipeä"] * 6)
    told = []
    for code in ("cp1252", "utf-8"):
        (tmp_path / "seeds.txt").write_bytes("pää\n".encode(code))
        facts = vectorise_comments(
            tmp_path / "comments", tmp_path / "seeds.txt", tmp_path / code, language="none",
            lemmas="none", min_df=1, max_df=1.0,
        )  # fmt: skip
        told.append([line for line in of_words(facts) if "list of seed words" in line])
        assert facts["seed_words"] == 1
    assert told == [
        ["The list of seed words is in Windows-1252; save it as UTF-8 if letters look wrong."], []
    ]  # fmt: skip


def test_tfidf_is_that_of_scikit_learn(tmp_path):
    folder = vectorised(tmp_path, TEXTS, "yellow, panic attack")
    counts, tfidf = (sp.load_npz(folder / name) for name in ("counts.npz", "tfidf.npz"))
    transformer = TfidfTransformer().fit(counts)
    assert tfidf.dtype == np.float32
    assert tfidf.toarray() == pytest.approx(transformer.transform(counts).toarray(), abs=1e-6)
    assert np.load(folder / "idf.npy") == pytest.approx(transformer.idf_, rel=1e-6)


def test_a_phrase_is_one_word_instead_of_its_parts(tmp_path):
    folder = vectorised(tmp_path, TEXTS, "panic attack")
    rows = counts_of(folder)
    assert rows[2] == {"green": 1, "yellow": 1, "panic attack": 1}
    assert rows[4] == {"blue": 1, "green": 1, "panic attack": 1}  # symbols do not part it
    assert rows[5] == {"panic": 1, "green": 1, "attack": 1}  # another word does
    assert seed_words_of(folder) == ["panic attack"]
    assert read_lines(folder / "seed_forms.txt") == ["panic attack"]


def test_a_word_of_phrases_alone_has_no_column(tmp_path):
    folder = vectorised(tmp_path, ["panic attack", "red panic"], "panic attack", min_df=0)
    assert read_lines(folder / "vocabulary.txt") == ["panic", "panic attack", "red"]


def test_seed_words_in_a_phrase_and_phrases_in_a_phrase_are_counted_too(tmp_path):
    texts = ["my panic attack", "a bad panic attack now", "very very very bad"]
    folder = vectorised(tmp_path, texts, "panic, panic attack, bad panic attack, very very")
    assert counts_of(folder) == [
        {"my": 1, "panic": 1, "panic attack": 1},
        {"panic": 1, "panic attack": 1, "bad panic attack": 1, "now": 1},
        {"very very": 1, "very": 1, "bad": 1},
    ]


def test_no_phrase_spans_two_comments(tmp_path):
    folder = vectorised(tmp_path, ["my panic", "", "attack it", "panic attack"], "panic attack")
    assert [("panic attack" in row) for row in counts_of(folder)] == [False, False, False, True]


def test_phrases_are_matched_by_lemma_and_before_stop_words_go(tmp_path):
    texts = ["I am fed up with football", "Panic attacks and football", "attack football"]
    folder = vectorised(tmp_path, texts, "fed up\npanic attack\n", language="en")
    assert counts_of(folder) == [
        {"feed up": 1, "football": 1},
        {"panic attack": 1, "football": 1},
        {"attack": 1, "football": 1},
    ]
    assert read_lines(folder / "seed_forms.txt") == ["fed up", "panic attacks"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I was there and it is not what you said about them", "en"),
        ("minä olen sitä mieltä että se ei ole hyvä koska ne ovat siellä", "fi"),
    ],
)
def test_a_text_in_another_language_is_warned_of(tmp_path, text, language):
    other = {"en": "fi", "fi": "en"}[language]
    texts = [f"{text} zebra"] * 3
    folder = vectorised(tmp_path, texts, "zebra", language=other, max_df=1.0)
    (warning,) = facts_of(folder)["warnings"]
    assert f"look like '{language}', not '{other}'" in warning
    facts = facts_of(vectorised(tmp_path, [f"{text} zebra lion"], "zebra", language=language))
    assert facts["warnings"] == []


def test_bounds_are_counts_or_shares_and_spare_seed_words(tmp_path):
    texts = ["aa bb cc", "aa bb", "aa bb", "aa dd"]

    def words(**options):
        return read_lines(vectorised(tmp_path, texts, "cc", **options) / "vocabulary.txt")

    assert words() == ["aa", "bb", "cc", "dd"]
    assert words(min_df=2) == ["aa", "bb", "cc"]
    assert words(min_df=0.5) == ["aa", "bb", "cc"]
    assert words(max_df=0.75) == ["bb", "cc", "dd"]
    assert words(max_df=1) == ["cc", "dd"]
    assert words(min_df=2, max_df=3) == ["bb", "cc"]
    assert words(min_df=0) == words(min_df=0.0) == words()
    with pytest.raises(
        DataError, match=r"min_df=5 and max_df=0\.5 leave no word of 4 .* or raise max"
    ):
        words(min_df=5, max_df=0.5)
    for wrong in (-1, 1.5, float("nan"), True):
        with pytest.raises(DataError, match="must be a count from 0, or a share"):
            words(max_df=wrong)


def test_frequent_seed_words_stay_too(tmp_path):
    folder = vectorised(tmp_path, ["aa bb", "aa cc", "aa bb"], "aa", max_df=0.7)
    assert read_lines(folder / "vocabulary.txt") == ["aa", "bb", "cc"]


def test_stop_words_of_the_language_and_of_an_own_list_go_and_seed_words_stay(tmp_path):
    (tmp_path / "stop.txt").write_text("# mine\nFootball, weather", encoding="utf-8")
    texts = ["I cry about the football", "crying in bad weathers", "football is football"]
    folder = vectorised(tmp_path, texts, "cry", language="en", stop_words=tmp_path / "stop.txt")
    assert counts_of(folder) == [{"cry": 1}, {"cry": 1, "bad": 1}, {}]
    assert facts_of(folder)["stop_words"] > 1000
    row = read_csv(folder / "seed_words.csv")[0]
    assert (row["documents"], row["warning"].count("It is a stop word")) == ("2", 1)
    assert read_lines(folder / "seed_forms.txt") == ["cry", "crying"]


def test_seed_words_go_the_way_of_the_text(tmp_path):
    texts = ["Masennuksesta en puhu", "masennusta on", "jalkapallo alkaa", "jalkapalloa"]
    folder = vectorised(tmp_path, texts, "MASENNUKSEN", language="fi", lemmas="simplemma")
    assert seed_words_of(folder) == ["masennus"]
    assert facts_of(folder)["documents_with_seed"] == 2
    assert facts_of(folder)["lemmas"] == "simplemma"
    assert read_lines(folder / "seed_forms.txt") == ["masennuksesta", "masennusta"]


@needs_voikko
def test_voikko_is_taken_for_finnish_and_any_analysis_is_a_seed(tmp_path):
    # The first analysis of "kuolemaan" is "kuolema", death; the seed is "kuolla", to die.
    texts = ["kuolemaan metsässä", "kuolisin", "metsä kasvaa", "masennuslääkkeitä"]
    folder = vectorised(tmp_path, texts, "kuolla, masennus", language="fi", compounds=True)
    assert facts_of(folder)["lemmas"] == "voikko"
    assert seed_words_of(folder) == ["kuolla", "masennuslääke"]
    assert facts_of(folder)["documents_with_seed"] == 3
    encoder = Encoder.load(folder)
    assert (encoder.encode(texts) != sp.load_npz(folder / "tfidf.npz")).nnz == 0


def test_languages_without_lists_are_warned_of(tmp_path):
    folder = vectorised(tmp_path, ["aa bb", "bb cc"], "cc", language="xx")
    warnings = " ".join(facts_of(folder)["warnings"])
    assert "no stop words for the language 'xx'" in warnings
    assert "no lemmas for the language 'xx'" in warnings


def test_a_list_without_one_match_ends_the_run_with_the_closest_words(tmp_path):
    with pytest.raises(
        DataError, match=r"seed_words\.txt: none of its 2 entries, such as .*, occurs"
    ) as caught:
        vectorised(tmp_path, ["some anxiety here", "nothing there"], "anxeity\nother")
    assert "closest words are anxiety" in str(caught.value)
    assert not (tmp_path / "matrix").exists()


@pytest.mark.parametrize("texts", [["🙂", "!!"], ["the", "and the"]])
def test_comments_without_words_end_the_run(tmp_path, texts):
    with pytest.raises(DataError, match="none of its 2 comments holds a word"):
        vectorised(tmp_path, texts, "word", language="en")


def test_a_damaged_folder_is_refused(tmp_path):
    folder = write_comments_folder(tmp_path, ["aa bb"])
    np.save(folder / FORM_NUMBERS, np.zeros(5, np.int32))
    with pytest.raises(DamagedFolder, match="is damaged"):
        vectorise_comments(folder, folder / "seed_words.txt", tmp_path / "out", language="en")


def test_chunks_and_processes_change_nothing(tmp_path, monkeypatch):
    texts = [f"{text} word{number}" for number, text in enumerate(TEXTS * 3)]
    whole = vectorised(tmp_path, texts, "panic attack, red", language="en")
    before = {path.name: path.read_bytes() for path in whole.iterdir()}
    monkeypatch.setattr(matrix, "ROWS_AT_A_TIME", 4)
    monkeypatch.setattr(encoding, "ROWS_AT_A_TIME", 4)
    monkeypatch.setattr(matrix, "FORMS_AT_A_TIME", 5)
    monkeypatch.setattr(matrix, "FORMS_FOR_PROCESSES", 1)
    pieces = vectorised(tmp_path, texts, "panic attack, red", language="en", threads=2)
    assert {path.name: path.read_bytes() for path in pieces.iterdir()} == before
    assert (Encoder.load(pieces).encode(texts) != sp.load_npz(pieces / "tfidf.npz")).nnz == 0


WORDS = ["panic", "attack", "Attacks", "bad", "red", "the", "don't", "masennuksen", "covid19", "7"]


@settings(deadline=None, derandomize=True, database=None, max_examples=20)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), max_size=12),
    st.booleans(),
)
def test_new_comments_get_the_rows_that_the_corpus_had(tmp_path_factory, texts, compounds):
    texts = [*texts, "panic red", "bad weather"]
    seeds = "panic attack, bad, attack*, the, masennus"
    folder = tmp_path_factory.mktemp("corpus")
    folder = vectorised(folder, texts, seeds, language="en", compounds=compounds)
    tfidf, encoder = sp.load_npz(folder / "tfidf.npz"), Encoder.load(folder)
    encoded = encoder.encode(texts)
    assert encoded.dtype == np.float32
    assert encoded.shape == tfidf.shape
    for name in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(encoded, name), getattr(tfidf, name))
    # A comment's row does not depend on those beside it.
    assert (encoder.encode(texts[:1]) != tfidf[:1]).nnz == 0


def test_an_encoder_leaves_unknown_words_out_and_knows_new_forms_of_seed_words(tmp_path):
    folder = vectorised(tmp_path, ["attack football", "football weather"], "attacks", language="en")
    encoder = Encoder.load(folder)
    rows = encoder.encode(["attacking attacks quietly", "quietly", ""]).toarray()
    assert rows.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert encoder.vocabulary == ["attack", "football", "weather"]
    assert encoder.encode([]).shape == (0, 3)


def test_encoders_of_other_versions_are_refused(tmp_path):
    folder = vectorised(tmp_path, TEXTS, "red")
    settings_file = folder / "encoder.json"
    settings_file.write_text('{"version": 99}', encoding="utf-8")
    with pytest.raises(DataError, match="it is of version 99"):
        Encoder.load(folder)
    settings_file.unlink()
    with pytest.raises(DataError, match=r"encoder\.json: no such file"):
        Encoder.load(folder)
