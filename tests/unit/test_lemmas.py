"""Lemmas: which lemmatiser is taken, and what it gives."""

import gc
import sys

import pytest
from helpers import needs_voikko

from minority_topics.corpus import lemmas as module
from minority_topics.corpus.lemmas import language_code, make_lemmatiser
from minority_topics.corpus.readers import DataError


def test_auto_takes_simplemma_by_language_where_voikko_is_absent(monkeypatch):
    monkeypatch.setattr(module, "has_voikko", lambda: False)
    finnish, english = make_lemmatiser("fi"), make_lemmatiser("en")
    assert (finnish.name, english.name) == ("simplemma", "simplemma")
    assert finnish.lemmas("koirien") == ("koira",)
    assert english.lemmas("patients") == ("patient",)
    assert not finnish.warning
    with pytest.raises(DataError, match="Voikko cannot be loaded; install the Debian packages"):
        make_lemmatiser("fi", "voikko")


def test_a_language_without_lemmas_is_told():
    plain = make_lemmatiser("ja")
    assert plain.name == "none"
    assert "no lemmas for the language 'ja'" in plain.warning
    assert plain.lemmas("koirien") == ("koirien",)
    assert not make_lemmatiser("none").warning
    with pytest.raises(DataError, match="simplemma does not know the language 'ja'"):
        make_lemmatiser("ja", "simplemma")


@pytest.mark.parametrize("given", ["fi", "FI", "fi-FI", " fi_FI "])
def test_codes_of_languages_are_short(given):
    assert language_code(given) == "fi"


def test_wrong_languages_and_ways_are_refused():
    with pytest.raises(DataError, match="'finnish' is no code of a language"):
        make_lemmatiser("finnish")
    with pytest.raises(DataError, match="'best' must be one of auto, voikko"):
        make_lemmatiser("fi", "best")
    with pytest.raises(DataError, match="voikko is for Finnish, not 'en'"):
        make_lemmatiser("en", "voikko")


def test_norwegian_and_croatian_have_lemmas_under_their_own_codes():
    assert make_lemmatiser("no").lemmas("hundene") == ("hund",)
    assert make_lemmatiser("hr").name == "simplemma"


@pytest.mark.parametrize(
    ("language", "form", "lemma"),
    [
        ("en", "mother's", "mother"),
        ("en", "o'flahertyx", "flahertyx"),
        ("fr", "l'amour", "amour"),
        ("none", "facebook's", "facebook"),
        ("uk", "п'ятьх", "п'ятьх"),
    ],
)
def test_apostrophes_leave_the_longest_part_unless_they_are_letters(language, form, lemma):
    assert make_lemmatiser(language).lemmas(form) == (lemma,)


def test_a_missing_library_of_voikko_is_found_out_quietly(monkeypatch):
    import libvoikko

    def missing(**options):
        raise OSError("libvoikko.so.1: cannot open shared object file")

    complaints = []
    monkeypatch.setattr(libvoikko.VoikkoLibrary, "open", missing)
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    assert module._voikko.__wrapped__() is None
    gc.collect()
    assert complaints == []


@needs_voikko
def test_voikko_gives_every_analysis_in_lower_case():
    voikko = make_lemmatiser("fi")
    assert voikko.name == "voikko"
    assert voikko.version
    assert voikko.lemmas("kuolemaan") == ("kuolema", "kuolla")
    # A base form is its own first lemma: Voikko has kuu, "your moon", before kuusi, the spruce.
    assert voikko.lemmas("kuusi") == ("kuusi", "kuu")
    assert voikko.lemmas("helsingissä") == ("helsinki",)
    assert voikko.lemmas("vaa'an")[0] == "vaaka"
    assert voikko.lemmas("qwertyx") == ("qwertyx",)
    assert voikko.lemmas("x" * 300) == ("x" * 300,)


@needs_voikko
def test_voikko_knows_first_and_last_parts_of_compounds():
    voikko = make_lemmatiser("fi")
    assert {"masennus", "lääke"} <= set(voikko.parts("masennuslääke"))
    parts = set(voikko.parts("itsemurhayritys"))
    assert {"itse", "itsemurha", "murhayritys", "yritys"} <= parts
    assert "murha" not in parts
    assert "lapsi" in voikko.parts("lapsenmurha")
    # A derived word is no compound: ahdistus is made of ahdistaa.
    assert voikko.parts("ahdistus") == ()


def test_without_voikko_nothing_is_said_of_parts():
    assert make_lemmatiser("en").parts("headache") == ()
