"""From records to comments: what is kept, what is listed with its reason, and forms of words."""

import csv
import hashlib
import json
from dataclasses import dataclass, field

import numpy as np

from ..base.files import long_fields
from ..corpus.forms import forms
from .dates import seconds
from .dialects import LONGEST_LINE, OPEN, splitter
from .privacy import hash_id, redact
from .sources import CSV, JSONL, NOT_TEXT, PARQUET, as_text, value_at

# Characters of a comment; a longer one is listed, since it is a document and no comment.
LONGEST_COMMENT = 200_000

# What Reddit and others leave in the place of a comment that is gone.
GONE = {"[deleted]", "[removed]", "[deleted by user]", "[ removed by reddit ]"}

# Why a row is not kept.
WRONG_ENCODING = "wrong encoding"
NUL = "NUL character"
LONG_LINE = "line too long"
UNCLOSED_QUOTE = "unclosed quote"
BROKEN_QUOTES = "broken quotes"
MANY_FIELDS = "too many fields"
FEW_FIELDS = "too few fields"
NOT_JSON = "not a JSON object"
NO_TEXT = "no text field"
EMPTY = "empty"
DELETED = "deleted"
LONG = "too long"
FEW_WORDS = "too few words"
LANGUAGE = "other language"
REPEATED_ROW = "repeated id and text"
REPEATED_TEXT = "repeated text"


@dataclass(frozen=True)
class Rules:
    """How rows become comments: the settings of `read_comments` that matter to one row alone."""

    min_words: int = 1
    languages: tuple | None = None
    secret: bytes | None = None  # of hashed ids; None keeps ids as they are
    group_secret: bytes | None = None  # of groups likewise
    redact: bool = True
    keep_texts: bool = True


@dataclass
class Comments:
    """What came of a portion: columns of the comments that are kept, and rows that are listed."""

    source: object
    n_rows: int = 0
    lines: list = field(default_factory=list)
    ids: list = field(default_factory=list)
    dates: list = field(default_factory=list)  # seconds since 1970, or None
    groups: list = field(default_factory=list)
    texts: list = field(default_factory=list)  # empty without keep_texts
    keys: np.ndarray | None = None  # of each text, and of each id and text: 64-bit fingerprints
    pairs: np.ndarray | None = None
    has_id: np.ndarray | None = None
    forms: list = field(default_factory=list)  # distinct, in order of first use
    numbers: np.ndarray | None = None  # of all forms of all comments, places in `forms`
    lengths: np.ndarray | None = None  # forms of each comment
    listed: list = field(default_factory=list)  # (line, reason, detail)


class Listed(Exception):
    """A row that is not kept: reason and detail."""

    def __init__(self, reason, detail=""):
        super().__init__(reason, detail)
        self.row = (reason, detail)


def understand(portion, rules):
    """The comments of a portion of records."""
    source = portion.source
    found = Comments(source, n_rows=len(portion.records))
    cells_of = {CSV: _table_cells, JSONL: _json_cells, PARQUET: _parquet_cells}.get(
        source.format, _line_cells
    )(source)
    is_wanted = _language_filter(rules.languages) if rules.languages else None
    known: dict = {}
    numbers, lengths, keys, pairs = [], [], [], []
    with long_fields():
        for line, record in zip(portion.lines, portion.records, strict=True):
            try:
                text, identifier, date, group = cells_of(record)
                text_bytes = _check_text(text)
                words = forms(text)
                if len(words) < rules.min_words:
                    raise Listed(FEW_WORDS, f"{len(words)} of at least {rules.min_words}")
                if is_wanted is not None:
                    is_wanted(text)
            except Listed as problem:
                found.listed.append((line, *problem.row))
                continue
            identifier = (identifier or "").strip()
            keys.append(hashlib.blake2b(text_bytes, digest_size=8).digest())
            pairs.append(_pair_key(identifier, text_bytes) if identifier else b"\0" * 8)
            numbers.extend([known.setdefault(word, len(known)) for word in words])
            lengths.append(len(words))
            found.lines.append(line)
            found.ids.append(_stored_id(identifier, rules.secret))
            found.dates.append(seconds(date, source.month_first) if date else None)
            found.groups.append(_stored_id((group or "").strip(), rules.group_secret) or None)
            if rules.keep_texts:
                found.texts.append(redact(text) if rules.redact else text)
    found.keys = np.frombuffer(b"".join(keys), "<u8")
    found.pairs = np.frombuffer(b"".join(pairs), "<u8")
    found.has_id = found.pairs != 0
    found.forms = list(known)
    found.numbers = np.array(numbers, dtype=np.int32)
    found.lengths = np.array(lengths, dtype=np.int64)
    return found


def _check_text(text):
    """The bytes of a text that can be a comment."""
    if not text or text.isspace():
        raise Listed(EMPTY)
    if text[0] == "[" and (gone := text.strip().lower()) in GONE:
        raise Listed(DELETED, gone)
    if len(text) > LONGEST_COMMENT:
        raise Listed(LONG, f"{len(text):,} characters of at most {LONGEST_COMMENT:,}")
    if "\0" in text:
        raise Listed(NUL)
    return _encoded(text)


def _encoded(text):
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise Listed(WRONG_ENCODING, "half of a character (an unpaired surrogate)") from error


def _pair_key(identifier, text_bytes):
    # The length of the id keeps "a" + "bc" apart from "ab" + "c".
    name = identifier.encode()
    return hashlib.blake2b(b"%d:%b%b" % (len(name), name, text_bytes), digest_size=8).digest()


def _stored_id(identifier, secret):
    return hash_id(identifier, secret) if secret is not None and identifier else identifier


# Cells of a record: text, id, date, group ---------------------------------------------------


def _decode(record):
    if len(record) > LONGEST_LINE:
        raise Listed(LONG_LINE, f"more than {LONGEST_LINE:,} bytes")
    if b"\0" in record:
        raise Listed(NUL, f"byte {record.index(0) + 1} of the row")
    try:
        return record.removesuffix(b"\r").decode()
    except UnicodeDecodeError as error:
        raise Listed(WRONG_ENCODING, f"byte {error.start + 1} of the row") from error


def _line_cells(source):
    return lambda record: (_decode(record), None, None, None)


def _table_cells(source):
    split, n_fields = splitter(source.dialect), source.n_fields
    at_text, at_id, at_date, at_group = source.places

    def cells(record):
        try:
            fields = split(_decode(record))
        except csv.Error as error:
            raise _broken_quotes(error) from error
        if len(fields) != n_fields:
            reason = MANY_FIELDS if len(fields) > n_fields else FEW_FIELDS
            raise Listed(reason, f"{len(fields)} fields under {n_fields} columns")
        return (
            fields[at_text],
            None if at_id is None else fields[at_id],
            None if at_date is None else fields[at_date],
            None if at_group is None else fields[at_group],
        )

    return cells


def _broken_quotes(error):
    if OPEN in str(error):
        return Listed(UNCLOSED_QUOTE, "a quoted field does not end; close its quote")
    return Listed(BROKEN_QUOTES, "double the quotes inside of a quoted field")


def _json_cells(source):
    at_text, *others = source.places

    def cells(record):
        try:
            row = json.loads(_decode(record))
        except json.JSONDecodeError as error:
            raise Listed(NOT_JSON, f"{error.msg} at character {error.pos + 1}") from error
        except RecursionError as error:
            raise Listed(NOT_JSON, "it is nested too deeply") from error
        except ValueError as error:  # a whole number of more than 4300 digits
            raise Listed(NOT_JSON, "a number is too long") from error
        if not isinstance(row, dict):
            raise Listed(NOT_JSON, f"it is a {type(row).__name__}")
        text = value_at(row, at_text, default=NOT_TEXT)
        if text is NOT_TEXT:
            raise Listed(NO_TEXT)
        if text is not None and not isinstance(text, str):
            raise Listed(NO_TEXT, f"it holds a {type(text).__name__}")
        further = [None if name is None else as_text(value_at(row, name)) for name in others]
        for value in further:
            _encoded(value or "")
        return text, *further

    return cells


def _parquet_cells(source):
    def cells(record):
        if NOT_TEXT in record:
            raise Listed(WRONG_ENCODING, "not UTF-8")
        return record

    return cells


# Languages ----------------------------------------------------------------------------------


def _language_filter(languages):
    from py3langid import classify

    def check(text):
        language = classify(text)[0]
        if language not in languages:
            raise Listed(LANGUAGE, language)

    return check
