"""Seed lists: how they are read, and which forms count as seed words."""

import unicodedata

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import needs_voikko

from minority_topics.comments.encoding import WordRule
from minority_topics.comments.seed_table import HEADER, closest_words, seed_table
from minority_topics.comments.seeds import Entry, SeedRule, read_seed_entries
from minority_topics.corpus.cleaning import read_word_list
from minority_topics.corpus.lemmas import Lemmatiser, make_lemmatiser
from minority_topics.corpus.readers import DataError


class Analyses(Lemmatiser):
    """Lemmas as a test gives them, by form."""

    def __init__(self, **lemmas):
        super().__init__("xx")
        self.given = lemmas

    def known(self, form):
        return self.given.get(form, [form])


def written(folder, text, encoding="utf-8"):
    path = folder / "seed_words.txt"
    path.write_text(text, encoding=encoding)
    return path


def rule_of(folder, text, lemmatiser, compounds=False):
    entries, _ = read_seed_entries(written(folder, text), lemmatiser)
    return entries, SeedRule.of(entries, compounds, lemmatiser)


def word(rule, form):
    return rule.word(form, rule.lemmatiser.lemmas(form))


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("one\ntwo\n", ["one", "two"]),
        ("one, two;three\tfour", ["one", "two", "three", "four"]),
        ("# a note, with commas\none # and two\n\n  #x\n", ["one"]),
        ('"panic attack", “fed up”, «trop tard»', ["panic attack", "fed up", "trop tard"]),
        ('"one, two", three', ["one, two", "three"]),
        ("'quoted', don't", ["quoted", "don't"]),
        ('an "open quote, here', ["an open quote", "here"]),
        ("One\nONE\none", ["One"]),
        ("c#, d # e", ["c#", "d"]),
        ("one,,two,\n,", ["one", "two"]),
        ("one\r\ntwo\rthree", ["one", "two", "three"]),
        ("two   blanks", ["two blanks"]),
    ],
)
def test_entries_of_a_list(tmp_path, text, entries):
    (tmp_path / "list.txt").write_bytes(text.encode())
    assert read_word_list(tmp_path / "list.txt") == entries


def test_a_byte_order_mark_and_decomposed_letters_do_no_harm(tmp_path):
    path = written(tmp_path, unicodedata.normalize("NFD", "pää\nPÄÄ"), "utf-8-sig")
    assert read_word_list(path) == ["pää"]


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-8", "utf-8"), ("utf-8-sig", "utf-8"), ("cp1252", "cp1252"), ("latin-1", "cp1252"),
        ("utf-16", "utf-16-le"), ("utf-16-le", "utf-16-le"), ("utf-16-be", "utf-16-be"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("text", ["hätä\nmasennus, paha olo # häpeä\n", "yö", "hätä\r\nyö\r\n"])
def test_encodings_of_lists_are_recognised(tmp_path, encoding, told, text):
    (tmp_path / "plain").mkdir()
    (tmp_path / "seed_words.txt").write_bytes(text.encode(encoding))
    entries, found = read_seed_entries(tmp_path / "seed_words.txt", Lemmatiser("xx"))
    expected, _ = read_seed_entries(written(tmp_path / "plain", text), Lemmatiser("xx"))
    assert (entries, found) == (expected, told)


def test_a_list_in_an_encoding_that_is_not_western_is_refused(tmp_path):
    path = written(tmp_path, "страх\nпаника\nтревога\n", "cp1251")
    with pytest.raises(DataError, match=r"seed_words\.txt: its encoding is not recognised"):
        read_seed_entries(path, Lemmatiser("xx"))
    path.write_bytes("yö\nhätä\nöljy\n".encode() + b"p\xe4\xe4\n")
    with pytest.raises(DataError, match="line 4 is not UTF-8 text; save the file as UTF-8"):
        read_seed_entries(path, Lemmatiser("xx"))


def test_lists_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(DataError, match=r"seed_words\.txt: there is no seed word"):
        read_seed_entries(written(tmp_path, "# nothing\n"), Lemmatiser("xx"))
    with pytest.raises(DataError, match="line 2 is not UTF-8"):
        read_word_list(written(tmp_path, "one\nä", "latin-1"))
    with pytest.raises(DataError, match=r"line 2: .*save it as plain text"):
        read_word_list(written(tmp_path, "one\nt\0wo"))
    with pytest.raises(DataError, match=r"gone\.txt: no such file"):
        read_word_list(tmp_path / "gone.txt")
    with pytest.raises(DataError, match=r"the wildcard 'a\*' would match"):
        read_seed_entries(written(tmp_path, "a*"), Lemmatiser("xx"))


def test_kinds_and_parts_of_entries(tmp_path):
    path = written(tmp_path, "Crying, panic ATTACKS, masen*, fed-up, panic att*, 112, covid-19")
    entries, _ = read_seed_entries(path, make_lemmatiser("en", "simplemma"))
    assert [(entry.kind, entry.parts) for entry in entries] == [
        ("word", ("cry",)),
        ("phrase", ("panic", "attack")),
        ("wildcard", ("masen*",)),
        ("phrase", ("feed", "up")),
        ("phrase", ("panic", "att*")),
        ("word", ()),
        ("word", ("covid",)),
    ]
    assert entries[0].text == "Crying"


def test_a_seed_word_that_is_a_base_form_stands_for_itself_and_else_for_its_first_lemma(tmp_path):
    analyses = Analyses(kuusi=["kuu", "kuusi"], alusta=["alku", "alus"])
    entries, rule = rule_of(tmp_path, "kuusi, alusta", analyses)
    assert [entry.name for entry in entries] == ["kuusi", "alku"]
    assert word(rule, "alku") == "alku"
    assert word(rule, "kuu") == ""


def test_any_lemma_of_a_form_counts_not_the_first_alone(tmp_path):
    analyses = Analyses(kuusi=["kuu", "kuusi"], kuolemaan=["kuolla", "kuolema"])
    _, rule = rule_of(tmp_path, "kuolema", analyses)
    assert word(rule, "kuolemaan") == "kuolema"
    assert word(rule, "kuusi") == ""


def test_wildcards_match_lemmas_and_forms(tmp_path):
    analyses = Analyses(masensi=["masentaa"], parasta=["hyvä"], lamaannuin=["masentua"])
    entries, rule = rule_of(tmp_path, "masen*, para*a, *murha*", analyses)
    assert word(rule, "masensi") == "masentaa"
    assert word(rule, "lamaannuin") == "masentua"
    # The form alone matches: its lemma, with all its other forms, does not become a seed word.
    assert word(rule, "parasta") == "parasta"
    assert word(rule, "hyvä") == ""
    assert word(rule, "itsemurhat") == "itsemurhat"
    assert word(rule, "lamasen") == ""
    found = ["itsemurha", "masentaa", "panic masentaa", "parasta"]
    assert rule.words_of(entries[0], found) == ["masentaa"]


def test_parts_of_phrases_may_be_wildcards(tmp_path):
    _, rule = rule_of(tmp_path, "panic att*", Analyses(attempts=["attempt"]))
    assert rule.parts("attempts", ("attempt",)) == ["att*"]
    assert rule.parts("panic", ("panic",)) == ["panic"]
    assert rule.parts("calm", ("calm",)) == []


def test_compounds_by_prefix_where_their_parts_are_not_known(tmp_path):
    entries, rule = rule_of(tmp_path, "masennus, uni", Lemmatiser("xx"), compounds=True)
    assert word(rule, "masennuslääke") == "masennuslääke"
    assert word(rule, "kaamosmasennus") == ""
    assert word(rule, "universumi") == ""  # too short to tell a theme
    assert rule.words_of(entries[0], ["masennus", "masennuslääke"]) == ["masennus", "masennuslääke"]
    _, without = rule_of(tmp_path, "masennus", Lemmatiser("xx"))
    assert word(without, "masennuslääke") == ""


@needs_voikko
def test_voikko_finds_compounds_by_first_and_last_part(tmp_path):
    voikko = make_lemmatiser("fi", "voikko")
    _, rule = rule_of(tmp_path, "masentuneille, itsemurhat, LÄÄKKEITÄ", voikko, compounds=True)
    assert rule.words == {"masentunut", "itsemurha", "lääke"}
    assert word(rule, "itsemurhayrityksistä") == "itsemurhayritys"
    assert word(rule, "masennuslääkkeisiin") == "masennuslääke"
    assert word(rule, "lääkkeillä") == "lääke"
    assert word(rule, "murhayritys") == ""


def closest(entry, words):
    documents = np.array([words[name] for name in sorted(words)])
    return closest_words([entry], sorted(words), documents)[entry]


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("anxeity", {"anxiety": 5, "calm": 90}, ["anxiety"]),  # swapped
        ("depresion", {"depression": 1, "depressed": 5}, ["depression", "depressed"]),  # missing
        ("depresssion", {"depression": 5}, ["depression"]),  # too many
        ("masennus", {"masennuksen": 2, "masennan": 3, "masto": 9}, ["masennan", "masennuksen"]),
        ("masennus", {"syysmasennus": 2, "masennustila": 1}, ["masennustila", "syysmasennus"]),
        ("sad", {"sat": 2, "saddle": 3}, []),  # too short to tell
        ("masenn*", {"masentaa": 2, "massa": 3}, ["masentaa"]),
    ],
)  # fmt: skip
def test_closest_words(name, words, expected):
    assert closest(Entry(name, (name,)), words) == expected


def test_closest_words_of_a_phrase_are_its_parts_that_occur():
    assert closest(Entry("panic attack", ("panic", "attack")), {"panic": 2, "attic": 1}) == [
        "panic"
    ]


def table(entries, counts, vocabulary, stop_words=(), closest_to=None, others=None):
    plain = Lemmatiser("xx")
    rule = WordRule(plain, stop_words, SeedRule.of(entries, False, plain))
    columns = {name: column for column, name in enumerate(vocabulary)}
    closest_to = closest_to or (lambda some: {entry: [] for entry in some})
    rows = seed_table(entries, rule, sp.csr_matrix(counts), columns, closest_to, (others or {}).get)
    return [dict(zip(HEADER, row, strict=True)) for row in rows]


def test_the_table_counts_comments_and_what_entries_occur_with():
    entries = [Entry("A", ("aa",)), Entry("b*", ("bb*",)), Entry("c", ("cc",))]
    counts = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
    rows = table(entries, counts, ["aa", "bb", "bbb", "cc"][:3])
    assert [row["documents"] for row in rows] == [2, 3, 0]
    assert [row["share"] for row in rows] == ["0.5", "0.75", "0"]
    assert [row["words"] for row in rows] == ["aa", "bb, bbb", ""]
    assert [row["occurs_with"] for row in rows] == ["b* (2)", "A (2)", ""]


def test_too_frequent_entries_are_warned_of_above_a_twentieth():
    for n_documents, is_warned in ((5, False), (6, True)):
        counts = np.zeros((100, 1), dtype=int)
        counts[:n_documents] = 1
        warning = table([Entry("a", ("aa",))], counts, ["aa"])[0]["warning"]
        assert ("more than 5%" in warning) == is_warned


def test_lonely_entries_are_warned_of_if_chance_would_bring_them_together():
    # 60 and 50 of 1000 comments: 60 * 50 / 1000 = 3 together would be chance.
    for n_first, is_warned in ((60, True), (59, False)):
        counts = np.zeros((1000, 2), dtype=int)
        counts[:n_first, 0] = 1
        counts[-50:, 1] = 1
        rows = table([Entry("a", ("aa",)), Entry("b", ("bb",))], counts, ["aa", "bb"])
        assert [("never occurs with another" in row["warning"]) for row in rows] == [is_warned] * 2


def test_absent_entries_are_told_apart():
    entries = [
        Entry("112", ()),
        Entry("x y", ("xx", "yy")),
        Entry("z", ("zz",)),
        Entry("w", ("ww",)),
    ]
    near = {entries[0]: [], entries[1]: ["xx", "yy"], entries[2]: ["zzz"], entries[3]: []}
    rows = table(entries, np.zeros((3, 1), dtype=int), [], closest_to=lambda some: near)
    assert "holds no word" in rows[0]["warning"]
    assert "never follow one another" in rows[1]["warning"]
    assert "see the closest words" in rows[2]["warning"]
    assert "check its spelling" in rows[3]["warning"]
    assert [row["closest"] for row in rows] == ["", "xx, yy", "zzz", ""]


@pytest.mark.parametrize(("n_comments", "is_told"), [(1, False), (2, True)])
def test_an_entry_that_may_be_a_form_of_a_more_frequent_word_is_told(tmp_path, n_comments, is_told):
    lemmatiser = Analyses(salasanoja=["salasana", "salasanoja"])
    entries, _ = read_seed_entries(written(tmp_path, "salasanoja"), lemmatiser)
    counts = np.eye(1000, 1, dtype=int)
    [row] = table(entries, counts, ["salasanoja"], others={"salasana": n_comments})
    assert row["words"] == "salasanoja"
    told = "It counts as a word of its own, but may be a form of 'salasana', which 2 comments hold"
    assert row["warning"].startswith(told) == is_told == bool(row["warning"])


def test_entries_that_match_the_same_words_and_stop_words_are_told():
    entries = [Entry("cry", ("cry",)), Entry("crying", ("cry",))]
    rows = table(entries, np.eye(1000, 1, dtype=int), ["cry"], stop_words=["cry"])
    assert rows[0]["warning"] == "It is a stop word, and is kept since it is on the list."
    assert rows[1]["warning"].startswith("It matches the same words as 'cry'.")
    assert rows[1]["occurs_with"] == ""
