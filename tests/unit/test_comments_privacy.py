"""What could name a person is hashed or taken out."""

import hashlib
import os
import stat

import pytest

from minority_topics.comments.privacy import hash_id, read_secret, redact
from minority_topics.corpus.readers import DataError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@Maija_K. moi", "@user. moi"),
        ("hei @a.b-c!", "hei @user!"),
        ("thanks u/some_Guy-1, /u/Other9 too", "thanks u/user, /u/user too"),
        ("maija.k+x@posti.example.fi, heti", "[e-mail], heti"),
        ("soita +358 40 123 4567.", "soita [phone]."),
        ("soita 0401234567", "soita [phone]"),
        ("040-123 4567 tai (09) 123 456", "[phone] tai [phone]"),
        ("call 555-123-4567 now", "call [phone] now"),
        ("https://facebook.com/maija.k?id=7 katso", "https://facebook.com/... katso"),
        ("http://maija:salasana@site.fi/x", "http://site.fi/..."),
        ("(instagram.com/maija.k) t.me/maija", "(instagram.com/... t.me/..."),
        ("&#64;Maija ja ＠Ville, a&commat;b.fi", "@user ja @user, [e-mail]"),
        ("www.twitter.com/maija", "www.twitter.com/..."),
        ("tunnus 131052-308T ja 010203a123k", "tunnus [identity code] ja [identity code]"),
    ],
)
def test_what_names_a_person_goes(text, expected):
    assert redact(text) == expected
    assert redact(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "vuonna 2024 oli 5 000 000 euroa", "31.12.2024 klo 12.30", "01.05.2024",
        "0,1234567 ja 0.1234567", "1000000000", "https://yle.fi", "12.5.2024-13.6.2024",
        "lämpötila @ 5", "2024-05-01 10:20", "maksoi 0-5 euroa", "n/u/abc u/a or u/2", "",
        "😀 \u202e <script>",
    ],
)  # fmt: skip
def test_other_text_stays(text):
    assert redact(text) == text


def test_long_texts_take_linear_time():
    for part in ("a.", "a./", "&#", "0 ", "@", "1-", "www.", "a@", "+1", "http://a@"):
        assert len(redact(part * 100_000)) > 0


def test_ids_are_keyed_hashes():
    secret = bytes(range(32))
    expected = hashlib.blake2b("Äiti".encode(), key=secret, digest_size=10).hexdigest()
    assert hash_id("Äiti", secret) == expected
    assert hash_id("Äiti", b"other" * 6) != expected
    assert hash_id("äiti", secret) != expected


def test_a_secret_is_made_once_and_only_its_owner_reads_it(tmp_path):
    path = tmp_path / "new" / "secret"
    secret = read_secret(path)
    assert len(secret) == 32
    assert read_secret(path) == secret
    assert read_secret(tmp_path / "other") != secret
    assert [file.name for file in path.parent.iterdir()] == ["secret"]
    if os.name != "nt":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "no secret", "abcd", "00" * 31])
def test_a_damaged_secret_is_refused(tmp_path, content):
    path = tmp_path / "secret"
    path.write_text(content)
    with pytest.raises(DataError, match=r"secret.*remove it, and a new one is made"):
        read_secret(path)
    assert path.read_text() == content
