"""Forms of words in comments."""

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minority_topics.corpus.forms import LONGEST, forms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Koirat HAUKKUVAT, yöllä!", ["koirat", "haukkuvat", "yöllä"]),
        ("ks. https://yle.fi/a?b=1#c ja www.hs.fi/x sivu", ["ks", "ja", "sivu"]),
        ("katso example.com tai uutiset.net/juttu/1", ["katso", "tai"]),
        ("kirjoita eka_toka.k+x@mail.example.fi heti", ["kirjoita", "heti"]),
        ("＠ville_k ja &#64;maija", ["ja"]),
        ("@ville_k. ja (@Äiti) joo", ["ja", "joo"]),
        ("u/some_guy, and (/u/Other-9) or n/u/a", ["and", "or"]),
        ("soita 040-123 4567 tai +358 40 1234567 klo 12.30", ["soita", "tai", "klo"]),
        ("1980-luku, 100 %, covid19, ½½, 5", ["luku", "covid19"]),
        # A missing blank after a full stop makes no address.
        ("hyvä.Se on joko/tai", ["hyvä", "se", "on", "joko", "tai"]),
        ("&quot;don&#39;t&quot; &amp; <br/><b>moi</b> <3", ["don't", "moi"]),
        ("I don’t know 'quoted' rock'n'roll", ["don't", "know", "quoted", "rock'n'roll"]),
        ("__init__ snake_case #mielenterveys", ["init", "snake", "case", "mielenterveys"]),
        ("masen\u00adnus", ["masennus"]),
        ("❤️ 1️⃣ ok👍🏽 👩‍💻", ["ok"]),
        ("a b cd", ["cd"]),
        ("", []),
    ],
)
def test_forms(text, expected):
    assert forms(text) == expected


@pytest.mark.parametrize(
    "word", ["हिन्दी", "বাংলা", "தமிழ்", "ภาษาที่", "שָׁלוֹם", "می\u200cخواهم", "𑄌𑄋𑄴𑄟𑄳𑄦", "𞤆𞤵𞤤𞤢𞥄𞤪"]
)
def test_marks_that_no_letter_is_composed_with_split_no_word(word):
    assert len(forms(word)) == 1


def test_letters_of_two_characters_are_one():
    text = "Päivä Öisin ångström"
    for way in ("NFC", "NFD"):
        assert forms(unicodedata.normalize(way, text)) == ["päivä", "öisin", "ångström"]


def test_longer_forms_are_left_out():
    assert forms("x" * LONGEST) == ["x" * LONGEST]
    assert forms("x" * (LONGEST + 1)) == []


@settings(deadline=None)
@given(st.text(max_size=200))
def test_forms_can_be_written_and_are_their_own_forms(text):
    for form in forms(text):
        assert form.split() == [form]
        assert form == form.lower()
        assert unicodedata.is_normalized("NFC", form)
        assert forms(form) == [form]
        form.encode()


@pytest.mark.parametrize("piece", ["x", "a.b-", "@", "<a", "a@", "a.", "http:/", "a'", "www.", "&"])
def test_a_long_comment_takes_linear_time(piece):
    begin = time.process_time()
    forms(piece * (200_000 // len(piece)) + "@/")
    assert time.process_time() - begin < 2
