"""How a text file is written: its encoding, its lines, and the delimiter and quotes of a table.

A file is handed on as UTF-8 bytes, line by line. What its encoding cannot mean becomes bytes that
are not UTF-8, so that the row is listed as such and no other row suffers.
"""

import codecs
import csv
import gzip
import zlib
from collections import deque
from dataclasses import dataclass
from itertools import chain, islice

from ..base.files import long_fields
from ..base.text import shown
from ..corpus.readers import GZIP_START, DataError, refuse_foreign, require_file

BLOCK = 1 << 20
# Bytes. A longer line is listed and its rest passed over, so that memory has a limit.
LONGEST_LINE = 4_000_000
# A quoted field has at most so many lines. A table of one column has no other sign of a quote
# that is never closed, so there it has fewer.
MOST_LINES, MOST_LINES_OF_ONE_COLUMN = 2_000, 100
TELLING_LINES = 3
# Lines with other letters than ASCII that decide between UTF-8 and Windows-1252.
DECIDING_LINES = 10_000
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
ENCODING_NAMES = {"utf-8": "UTF-8", "cp1252": "Windows-1252", "ascii": "ASCII"}
# Of all letters of a Western text, at most this share is beyond ASCII; of single words it can be
# more, as in "hätä" and "pää".
MOST_WESTERN, MOST_WESTERN_OF_WORDS = 0.35, 0.7
DELIMITERS = (",", ";", "\t", "|", "~", "^", "\x1f", "\x01")
# Quotes are taken for plain characters if more rows than these have stray ones.
MOST_STRAY_ROWS, MOST_STRAY_SHARE = 1.5, 0.01
# Stands for "no delimiter" where the csv module wants one.
NO_DELIMITER = "\x1f"
OPEN = "unexpected end of data"


# Bytes and encodings ------------------------------------------------------------------------


def read_blocks(path, progress=None):
    """The bytes of a file, unpacked if gzip packed them; `progress` counts those on the disk."""
    with open(path, "rb") as raw:
        packed = raw.read(len(GZIP_START)) == GZIP_START
        raw.seek(0)
        file, told = gzip.GzipFile(fileobj=raw) if packed else raw, 0
        try:
            while block := file.read(BLOCK):
                if progress is not None:
                    progress.step(raw.tell() - told)
                    told = raw.tell()
                yield block
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataError(
                f"{path}: its gzip data are damaged or end too early; fetch the file anew"
            ) from error


def encoding_name(encoding):
    """The name of an encoding as people write it."""
    return ENCODING_NAMES.get(encoding, encoding.upper())


def read_whole_text(path):
    """(text with plain line feeds, encoding) of a file of words or short answers.

    Its encoding is recognised as that of comments is.
    """
    refuse_foreign(path, next(read_blocks(require_file(path)), b""))
    encoding, mark = find_encoding(path, is_list=True)
    content = b"".join(utf8_blocks(read_blocks(path), encoding, mark))
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}: line {line} is not {encoding_name(encoding)} text; save the file as UTF-8"
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n"), encoding


def find_encoding(path, named=None, is_list=False):
    """(name, bytes of the byte order mark) of the encoding of a text file.

    A byte order mark decides; then NUL in every second byte (UTF-16); then, of the lines with other
    bytes than ASCII, whether most are UTF-8. All others are read as Windows-1252, which has all
    printable characters of Latin-1, unless so many letters are beyond ASCII that it is not Western.
    A list of words may have more of these.
    """
    blocks = read_blocks(path)
    head = next(blocks, b"")
    mark = next((mark for mark in BYTE_ORDER_MARKS if head.startswith(mark)), b"")
    if named is not None:
        try:
            name = codecs.lookup(named).name
            "".encode(name)
        except LookupError as error:
            raise DataError(
                f"encoding {shown(named)} is not known; name one such as utf-8, utf-16 or "
                "windows-1252"
            ) from error
        if name in ("utf-8-sig", "utf-16", "utf-32"):
            name = BYTE_ORDER_MARKS.get(mark, {"utf-8-sig": "utf-8"}.get(name, f"{name}-le"))
        return name, len(mark) if BYTE_ORDER_MARKS.get(mark) == name else 0
    if mark:
        return BYTE_ORDER_MARKS[mark], len(mark)
    if encoding := _utf16_without_mark(head):
        return encoding, 0
    _refuse_binary(path, head)
    is_utf8 = _is_mostly_utf8(path, chain([head], blocks), is_list)
    return ("utf-8" if is_utf8 else "cp1252"), 0


def _utf16_without_mark(head):
    """Western text in UTF-16 has NUL in nearly every second byte, and in few others."""
    head = head[: len(head) // 2 * 2]
    odd, even, half = head[1::2].count(0), head[::2].count(0), len(head) / 2
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


def _refuse_binary(path, head):
    controls = sum(head.count(code) for code in range(32) if code not in b"\t\n\r\x1f\x01")
    if controls > 0.1 * len(head):
        raise DataError(f"{path}: it is a binary file; give CSV, JSONL, Parquet or text")


def _is_mostly_utf8(path, blocks, is_list):
    valid, other = 0, []
    for line in split_lines(blocks):
        if not line.isascii():
            if is_utf8(line):
                valid += 1
            else:
                other.append(line)
            if valid + len(other) >= DECIDING_LINES:
                break
    if valid >= len(other):
        return True
    letters = bytes(chain.from_iterable(other)).translate(None, bytes(range(65)))
    most = MOST_WESTERN_OF_WORDS if is_list else MOST_WESTERN
    if sum(code > 127 for code in letters) > most * len(letters):
        remedy = "" if is_list else "name it with `encoding`, or "
        raise DataError(
            f"{path}: its encoding is not recognised{_guess(other)}; {remedy}save the file as UTF-8"
        )
    return False


def _guess(lines):
    from charset_normalizer import from_bytes

    best = from_bytes(b"\n".join(lines[:200])).best()
    return f" (it may be {best.encoding})" if best else ""


def is_utf8(line):
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def utf8_blocks(blocks, encoding, mark=0):
    """Blocks of a file as UTF-8, without their byte order mark."""
    blocks = _without_start(blocks, mark)
    if encoding in ("utf-8", "ascii"):
        yield from blocks
        return
    errors = "surrogatepass" if encoding.startswith(("utf-16", "utf-32")) else "surrogateescape"
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    try:
        for block in blocks:
            yield decoder.decode(block).encode("utf-8", "surrogatepass")
        yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # half of a character at the end, or no UTF-32 at all
        yield b"\xff"


def _without_start(blocks, n_bytes):
    for block in blocks:
        yield block[n_bytes:]
        n_bytes = 0


def split_lines(blocks):
    """Lines without their line feed; a file without any has lines that end in carriage returns."""
    rest, ends_in_cr = b"", None
    for block in blocks:
        if ends_in_cr is None:
            ends_in_cr = b"\r" in block[:-1] and b"\n" not in block
        if ends_in_cr:
            block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = block.split(b"\n")
        if len(rest) <= LONGEST_LINE:
            lines[0] = rest + lines[0]
        elif len(lines) > 1:
            lines[0] = rest
        else:
            continue
        rest = lines.pop()
        yield from lines
    if rest:
        yield rest


# Tables -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dialect:
    """What separates and encloses the fields of a table; no delimiter: it has one column."""

    delimiter: str | None = None
    quote: str | None = None
    escape: str | None = None
    skip_blank: bool = False


ONE_COLUMN = Dialect()
# By preference where they fit alike.
STYLES = (
    {"quote": '"'},
    {"quote": '"', "escape": "\\"},
    {"quote": '"', "skip_blank": True},
    {"quote": None},
    {"quote": "'"},
)


def splitter(dialect):
    """A function from the text of a record to its fields; csv.Error where quotes are broken."""
    delimiter, quote = dialect.delimiter or NO_DELIMITER, dialect.quote

    def cut(text):
        return text.split(delimiter)

    if quote is None:
        return cut if dialect.delimiter else lambda text: [text]
    fast = not dialect.skip_blank and dialect.escape is None
    compiled = csv.reader(
        (),
        strict=True,
        delimiter=delimiter,
        quotechar=quote,
        escapechar=dialect.escape,
        doublequote=True,
        skipinitialspace=dialect.skip_blank,
    ).dialect

    def split(text):
        if fast and quote not in text:
            return cut(text)
        with_quotes = csv.reader((text,), compiled)
        return next(with_quotes)

    if dialect.delimiter:
        return split
    return lambda text: [delimiter.join(split(text))]


class Records:
    """The records of a table: (number of the first line, bytes), and nothing for a blank line.

    A record is one line, unless a quote is still open at its end. Then it goes on to the line that
    closes the quote. Such a record is broken in any of these cases:

    - No line closes the quote, within MOST_LINES lines and LONGEST_LINE bytes.
    - A quote stands in a wrong place, or the number of fields is not that of the table.
    - More than half of its further lines look like records: they have that number of fields, and
      values of the same kinds, such as digits. If no column has a kind, TELLING_LINES of them are
      needed. Without `kinds` no line looks like a record.

    The first line of a broken record is a record by itself, and reading goes on at the next line.
    """

    def __init__(self, dialect, n_fields, kinds=()):
        self.dialect = dialect
        self.n_fields = n_fields
        self.kinds = kinds
        self.split = splitter(dialect)
        self.quote = (dialect.quote or "").encode()
        self.escaped = (dialect.escape or "").encode() + self.quote
        self.most_lines = MOST_LINES if dialect.delimiter else MOST_LINES_OF_ONE_COLUMN
        self.blank = 0

    def read(self, lines, start=1):
        source = enumerate(lines, start)
        if not self.quote:
            yield from self._with_content(source)
            return
        quote, ahead = self.quote, deque()
        while True:
            item = ahead.popleft() if ahead else next(source, None)
            if item is None:
                return
            number, line = item
            if quote in line and line.count(quote) % 2 | (len(self.escaped) > 1):
                more = self._further_lines(line, ahead, source)
                line = b"\n".join([line, *(ahead.popleft()[1] for _ in range(more))])
            if line.isspace() or not line:
                self.blank += 1
            else:
                yield number, line

    def _with_content(self, source):
        for number, line in source:
            if line.isspace() or not line:
                self.blank += 1
            else:
                yield number, line

    def _further_lines(self, line, ahead, source):
        """How many of the next lines belong to this one; those that were looked at are `ahead`."""
        if not self._is_open(line):
            return 0
        parts, size, is_open = [line], len(line), True
        for place in range(self.most_lines):
            if place == len(ahead):
                ahead.extend(islice(source, 1))
                if place == len(ahead):
                    return 0
            parts.append(ahead[place][1])
            size += len(parts[-1])
            if size > LONGEST_LINE:
                return 0
            is_open ^= self._n_quotes(parts[-1]) % 2 == 1
            if not is_open:
                return place + 1 if self._is_record(parts) else 0
        return 0

    def _n_quotes(self, line):
        doubled = len(self.escaped) == 1
        return line.count(self.quote) - (0 if doubled else line.count(self.escaped))

    def _is_open(self, line):
        try:
            self.split(_text(line))
        except csv.Error as error:
            return OPEN in str(error)
        return False

    def _is_record(self, parts):
        fields = self._fields(b"\n".join(parts))
        if not fields or self.n_fields not in (None, len(fields)):
            return False
        alike = sum(self._looks_like_record(part) for part in parts[1:])
        is_telling = any(kind is not is_any for kind in self.kinds) or alike >= TELLING_LINES
        return 2 * alike <= len(parts) - 1 or not is_telling

    def _looks_like_record(self, line):
        fields = self._fields(line)
        return (
            self.dialect.delimiter is not None
            and len(self.kinds) > 0
            and len(fields) == self.n_fields
            and all(kind(field) for kind, field in zip(self.kinds, fields, strict=False))
        )

    def _fields(self, line):
        try:
            return self.split(_text(line))
        except csv.Error:
            return []


def _text(line):
    return line.removesuffix(b"\r").decode("utf-8", "replace")


@dataclass(frozen=True)
class Table:
    """How a table is laid out, as its first lines show it."""

    dialect: Dialect
    first: tuple  # fields of the first record
    kinds: tuple  # of each column, what all of its values have in common, a function of text
    sample: tuple  # of the other records that are whole, their fields
    whole: float  # the share of records that have as many fields as the first one
    fit: float  # the same, less what speaks against this dialect beforehand


def find_table(lines, delimiter=None):
    """The layout under which most of these lines are whole records; ties by fields, then by STYLES.

    Only delimiters of the first line are tried; without one the table has one column.
    """
    lines = list(lines)
    first = _text(lines[0]) if lines else ""
    delimiters = [delimiter] if delimiter else [mark for mark in DELIMITERS if mark in first]
    with long_fields():
        tables = [
            table
            for style in STYLES
            for mark in delimiters
            if len((table := _try_table(lines, Dialect(mark, **style))).first) > 1 or delimiter
        ]
        tables = tables or [_try_table(lines, Dialect(None, **style)) for style in STYLES]
    return _best(tables)


def one_column(lines):
    """The layout of a table of one column, whatever marks its lines hold."""
    with long_fields():
        tables = [_try_table(lines, Dialect(None, **style)) for style in STYLES]
    return _best(tables)


def lines_as_table(lines):
    """The layout of a text file: every line is a comment, and its quotes are its own."""
    rows = [(_text(line),) for line in lines if line.strip()]
    return Table(ONE_COLUMN, rows[0], (), tuple(rows[1:]), 1.0, 1.0)


def _best(tables):
    """The table that fits best; among equals the one with most fields, and then the first."""
    return max(tables, key=lambda table: (round(table.fit, 9), len(table.first)))


def _try_table(lines, dialect):
    records = Records(dialect, None)
    first = next((records._fields(record) for _, record in records.read(lines)), [])
    kinds = _kinds(Records(dialect, len(first)), lines)
    records = Records(dialect, len(first), kinds)
    rows = [records._fields(record) for _, record in records.read(lines)][1:]
    whole = [row for row in rows if len(row) == len(first)]
    # Quotes that are still around a field were meant to enclose it.
    n_clean = sum(not any(map(_is_enclosed, row)) for row in whole)
    n_rows = max(len(rows), 1)
    is_usual = dialect.quote == '"' or _uses_apostrophes(lines, dialect)
    doubt = 0 if is_usual else max(MOST_STRAY_ROWS, MOST_STRAY_SHARE * n_rows)
    n_clean = n_clean if rows else 1
    return Table(
        dialect,
        tuple(first),
        kinds,
        tuple(map(tuple, whole)),
        whole=n_clean / n_rows,
        fit=(n_clean - doubt) / n_rows,
    )


def _uses_apostrophes(lines, dialect):
    """Whether more lines have a field that begins with an apostrophe than have quotes."""
    if dialect.quote != "'":
        return False
    begin = f"{dialect.delimiter or ''}'".encode()
    n_begin = sum(line.startswith(b"'") or begin in line for line in lines)
    return n_begin > sum(b'"' in line for line in lines)


def _is_enclosed(field):
    field = field.strip()
    return len(field) > 1 and field[0] == field[-1] and field[0] in "\"'"


def _kinds(records, lines):
    """What the values of each column have in common, in records that are whole."""
    rows = [records._fields(record) for _, record in records.read(lines)][1:]
    rows = [row for row in rows if len(row) == records.n_fields]
    return tuple(_kind(column) for column in zip(*rows, strict=True))


def _kind(values):
    """The narrowest kind that nearly all of these values are of."""
    enough = 0.95 * len(values)
    for kind in (is_digits, has_no_blank):
        if sum(map(kind, values)) >= enough:
            return kind
    return is_any


def is_digits(value):
    return value.isdigit()


def has_no_blank(value):
    return bool(value) and not any(map(str.isspace, value))


def is_any(value):
    return True
