"""Read documents from CSV, JSONL and Parquet files."""

import csv
import json
import math
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from ..base.files import long_fields, read_text
from ..base.text import refuse_constant, shown, stands_twice

# How files begin that no step reads, and those that some steps do.
FOREIGN = {
    b"PK\x03\x04": "it is a ZIP archive or an Excel workbook; unpack it, or save it as CSV",
    b"\xd0\xcf\x11\xe0": "it is an old Excel workbook; save it as CSV",
    b"BZh": "it is compressed by bzip2; unpack it first",
    b"\xfd7zXZ": "it is compressed by xz; unpack it first",
    b"\x28\xb5\x2f\xfd": "it is compressed by zstd; unpack it first",
    b"%PDF": "it is a PDF file; give one with rows of text, such as CSV",
}
GZIP_START, PARQUET_START = b"\x1f\x8b", b"PAR1"
# Whole floats above are not exact.
EXACT = 2**53


class DataError(ValueError):
    """Input data that cannot be used; the message names file, place and remedy."""


@contextmanager
def naming(path):
    """Let every DataError name the file that it is about."""
    try:
        yield
    except DataError as error:
        if str(error).startswith(str(path)):
            raise
        raise DataError(f"{path}: {error}") from error


def require_file(path):
    path = Path(path)
    if path.is_dir():
        raise DataError(f"{path}: it is a folder; give a file")
    if not path.exists():
        raise DataError(f"{path}: no such file; correct the path")
    return path


def refuse_foreign(path, start, more=None):
    """Refuse a file that begins like one that cannot be read; `more` are further beginnings."""
    for mark, problem in {**FOREIGN, **(more or {})}.items():
        if start.startswith(mark):
            raise DataError(f"{path}: {problem}")


def read_plain_lines(path):
    """Lines of a file of plain text, as they are."""
    try:
        return read_text(require_file(path)).split("\n")
    except DataError:
        raise
    except ValueError as error:  # not UTF-8
        raise DataError(str(error)) from error


def read_table(path, columns):
    """Rows of a CSV, JSONL or Parquet file as dicts of the named columns, as text."""
    path = require_file(path)
    readers = {".csv": _read_csv, ".jsonl": _read_jsonl, ".parquet": _read_parquet}
    ending = path.suffix.lower()
    if ending not in readers:
        raise DataError(f"{path}: the name must end in one of {', '.join(readers)}; rename it")
    with open(path, "rb") as file:
        start = file.read(max(map(len, FOREIGN)))
    more = {GZIP_START: "it is compressed by gzip; unpack it first"}
    if ending != ".parquet":
        more[PARQUET_START] = "it is a Parquet file; let its name end in .parquet"
    refuse_foreign(path, start, more)
    if not start:
        raise DataError(f"{path}: the file is empty; give one with rows")
    with naming(path):
        rows = list(readers[ending](path, columns))
    if not rows:
        raise DataError(f"{path}: the file holds no rows; give one with rows")
    return rows


def _read_csv(path, columns):
    try:
        with long_fields(), open(path, newline="", encoding="utf-8-sig") as file:
            yield from _csv_rows(csv.reader(_without_nul(file), strict=True), columns)
    except UnicodeDecodeError as error:
        raise _not_utf8(path) from error


def _csv_rows(reader, columns):
    header, begin = None, 1
    try:
        for fields in reader:
            if header is None:
                header = fields
                _check_header(header, columns)
                places = [header.index(name) for name in columns]
            elif len(fields) == len(header):
                yield {name: fields[place] for name, place in zip(columns, places, strict=True)}
            elif fields:
                raise DataError(
                    f"line {begin} has {len(fields)} fields, and the header has {len(header)}; "
                    "quote fields that hold a comma, and fill in what is missing"
                )
            begin = reader.line_num + 1
    except csv.Error as error:
        if "unexpected end" in str(error):
            problem = f"line {begin} has a quoted field that never ends; close its quote"
        else:
            problem = (
                f"line {reader.line_num} is not CSV ({error}); double the quotes inside of a "
                "quoted field"
            )
        raise DataError(problem) from error


def _without_nul(file):
    for number, line in enumerate(file, start=1):
        if "\0" in line:
            raise DataError(f"line {number} holds a NUL character; save the file as UTF-8 text")
        yield line


def _check_header(header, columns):
    if not header:
        raise DataError("line 1 is empty; put the names of the columns there")
    with _at("the header"):
        _require(columns, header)
        # A column without a name is the index that many tools write.
        twice = stands_twice(filter(None, header))
        if twice:
            raise DataError(f"has two columns named {shown(twice)}; rename one")


def _read_jsonl(path, columns):
    try:
        with open(path, encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    with _at(f"line {number}"):
                        yield _json_row(line, columns)
    except UnicodeDecodeError as error:
        raise _not_utf8(path) from error


def _json_row(line, columns):
    try:
        row = json.loads(line, object_pairs_hook=_unique, parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        raise DataError(f"is not JSON: {error.msg}; correct it") from error
    except RecursionError as error:
        raise DataError("is nested too deeply; write it flatter") from error
    except ValueError as error:
        raise DataError(f"is not JSON: {error}; correct it") from error
    if not isinstance(row, dict):
        raise DataError("is not a JSON object; write {...} on every line")
    _require(columns, row)
    return {name: _as_text(row[name], name) for name in columns}


def _unique(pairs):
    twice = stands_twice(name for name, _ in pairs)
    if twice is not None:
        raise ValueError(f"the key {shown(twice)} appears twice")
    return dict(pairs)


def _read_parquet(path, columns):
    import pyarrow.parquet

    with whole_parquet(), pyarrow.parquet.ParquetFile(path) as file:
        schema = file.schema_arrow
        _check_header(schema.names, columns)
        for name in columns:
            if not is_plain(schema.field(name).type):
                kind = schema.field(name).type
                raise DataError(f"column {shown(name)} holds {kind}; make it a column of text")
        rows = file.read(columns=list(columns)).to_pylist()
    for number, row in enumerate(rows, start=1):
        with _at(f"row {number}"):
            yield {name: _as_text(row[name], name) for name in columns}


@contextmanager
def whole_parquet():
    """Let a Parquet file that is damaged end in a DataError."""
    import pyarrow

    try:
        yield
    except DataError:
        raise
    # A damaged file makes pyarrow allocate at random, and text that is not UTF-8 fails in Python.
    except (pyarrow.ArrowException, OSError, ValueError, MemoryError, OverflowError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"it is not a whole Parquet file ({first}); write it anew") from error


def is_plain(kind):
    """Whether a type of Arrow is one of text, numbers or times, and not of lists or bytes."""
    from pyarrow import types

    kind = kind.value_type if types.is_dictionary(kind) else kind
    is_binary = types.is_binary(kind) or types.is_large_binary(kind)
    return not (types.is_nested(kind) or is_binary or types.is_fixed_size_binary(kind))


@contextmanager
def _at(place):
    try:
        yield
    except DataError as error:
        raise DataError(f"{place} {error}") from error


def _as_text(value, column):
    """A value of JSON or Parquet as text; nothing is empty text, and -1.0 is -1."""
    if value is None:
        return ""
    if isinstance(value, dict | list | bytes):
        raise DataError(f"has a {type(value).__name__} in column {shown(column)}; give text")
    if isinstance(value, float) and not math.isfinite(value):
        raise DataError(f"has {value} in column {shown(column)}; give text, or null for none")
    # A column of whole numbers with a gap in it is one of floats to many tools.
    whole = isinstance(value, float) and value.is_integer() and abs(value) < EXACT
    text = str(int(value) if whole else value)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"has an unpaired surrogate ({text[error.start]!r}) in column {shown(column)}; "
            "take it out"
        ) from error
    return text


def _require(columns, present):
    missing = [name for name in columns if name not in present]
    if missing:
        names = ", ".join(map(shown, islice(present, 20)))
        raise DataError(
            f"has no column {shown(missing[0])}; it has {names or 'none'}; name one of these"
        )


def _not_utf8(path):
    """A DataError with the line; the position that the decoder knows is that in its buffer."""
    with open(path, "rb") as file:
        number = next(number for number, line in enumerate(file, start=1) if not _decodes(line))
    return DataError(f"line {number} is not UTF-8 text; save the file as UTF-8")


def _decodes(line):
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
