"""What could name a person: ids as keyed hashes, and handles, addresses and numbers in texts."""

import hashlib
import re
import secrets
from contextlib import suppress
from pathlib import Path

from ..base.files import replacing
from ..corpus.readers import DataError

SECRET_BYTES = 32
# Bytes of a hashed id: two of five million ids are alike once in 10^11 files.
ID_BYTES = 10

# Every pattern begins where a run of its characters begins, or has a limit: long texts cost linear
# time.
URL = re.compile(
    r"(?<![\w.])(https?://|www\.)(?:[^\s/@]{0,100}@)?([^\s/?#@:]{1,255})(?::\d{1,5})?[/?#]\S*", re.I
)
# facebook.com/name: after the last dot letters, then a stroke.
BARE_URL = re.compile(r"(?<![\w.@/-])([\w-]+(?:\.[\w-]+)*\.[a-z]{2,24}/)[^\s/.]\S*", re.I)
# Other ways to write @: as an entity of HTML, and in full width.
AT = re.compile("&#0*64;|&#x0*40;|&commat;|＠", re.I)
E_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
HANDLE = re.compile(r"@\w(?:[\w.-]*\w)?")
# u/name of Reddit, where names have 3 to 20 characters.
REDDIT = re.compile(r"(?<![\w/.])(/?u/)[\w-]{3,20}", re.I | re.ASCII)
# +358 40 123 4567, 040-1234567, (09) 123 456, 555-123-4567; 7 to 15 digits in all.
PHONE = re.compile(
    r"(?<![\w.,+-])(?:(?:\+\d|\(?0\d)(?:[ ()/.-]{0,2}\d){5,13}|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4})"
    r"(?![\w-]|[.,]\d)",
    re.ASCII,
)
# Like 31.12.2024 or 0.1234567, which are no phone numbers.
NO_PHONE = re.compile(r"0?\d[./-]\d{1,2}[./-]\d{2,4}.*|0[.]\d+", re.ASCII)
# Finnish personal identity codes: six digits of a date, a sign, four more characters.
IDENTITY = re.compile(r"\b[0-3]\d[01]\d{3}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]\b", re.I | re.ASCII)


def redact(text):
    """A text without what could name a person: handles, e-mail addresses, phone numbers.

    Of web addresses only the host stays, since the rest can be the name of an account. Finnish
    personal identity codes go too. Names of people in plain words stay.

    >>> redact("@Maija Mail me@example.org or call +358 40 123 4567, https://x.com/maija")
    '@user Mail [e-mail] or call [phone], https://x.com/...'
    """
    if "/" in text or "ww." in text or "WW." in text:
        text = BARE_URL.sub(r"\1...", URL.sub(r"\1\2/...", text))
        text = REDDIT.sub(r"\1user", text)
    if "&" in text or "＠" in text:
        text = AT.sub("@", text)
    if "@" in text:
        text = HANDLE.sub("@user", E_MAIL.sub("[e-mail]", text))
    if any(digit in text for digit in "0123456789"):
        text = PHONE.sub(_phone, IDENTITY.sub("[identity code]", text))
    return text


def _phone(match):
    return match[0] if NO_PHONE.fullmatch(match[0]) else "[phone]"


def hash_id(identifier, secret):
    """An id that only those who have the secret can find again: BLAKE2b with the secret as key.

    The same id has the same hash in every file that is read with this secret.
    """
    return hashlib.blake2b(identifier.encode(), key=secret, digest_size=ID_BYTES).hexdigest()


def read_secret(path):
    """The secret of a file, which is made on first use and which only its owner may read."""
    path = Path(path)
    with suppress(FileExistsError):
        _make_secret(path)
    try:
        secret = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except (ValueError, IsADirectoryError) as error:
        raise DataError(
            f"{path}: it is no secret for ids; remove it, and a new one is made"
        ) from error
    if len(secret) != SECRET_BYTES:
        raise DataError(
            f"{path}: the secret has {len(secret)} bytes, not {SECRET_BYTES}; remove it, and a "
            "new one is made"
        )
    return secret


def _make_secret(path):
    if not path.exists():
        with replacing(path, private=True) as file:
            file.write(f"{secrets.token_hex(SECRET_BYTES)}\n")
