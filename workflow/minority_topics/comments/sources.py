"""Files of comments: which they are, how each is laid out, and their records in portions."""

import glob
import json
import math
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from ..base.text import shown
from ..corpus.readers import (
    GZIP_START,
    PARQUET_START,
    DataError,
    is_plain,
    naming,
    refuse_foreign,
    require_file,
    whole_parquet,
)
from ..study.paths import find_files
from .dates import is_month_first, seconds
from .dialects import (
    ONE_COLUMN,
    Dialect,
    Records,
    find_encoding,
    find_table,
    lines_as_table,
    one_column,
    read_blocks,
    split_lines,
    utf8_blocks,
)

CSV, JSONL, PARQUET, TEXT = "csv", "jsonl", "parquet", "text"
FORMATS = {
    ".csv": CSV, ".tsv": CSV, ".tab": CSV, ".jsonl": JSONL, ".ndjson": JSONL, ".json": JSONL,
    ".parquet": PARQUET, ".pq": PARQUET, ".txt": TEXT,
}  # fmt: skip
# Lines or rows, and bytes, that show how a file is laid out.
SAMPLE, SAMPLE_BYTES = 2_000, 4_000_000
# Records, and bytes, of a portion.
PORTION, PORTION_BYTES = 20_000, 16_000_000

# Names of columns that are found where none is named, the likeliest first, as `_key` writes them.
# YouTube's textDisplay is missing: it is its textOriginal with tags.
TEXT_NAMES = (
    "text", "comment", "body", "content", "message", "comments", "comment_text", "full_text",
    "text_original", "comment_body", "comment_content", "review", "review_text", "selftext",
    "tweet", "post", "teksti", "kommentti", "viesti", "sisältö",
)  # fmt: skip
OTHER_NAMES = {
    "id": ("id", "comment_id", "message_id", "post_id", "tweet_id", "review_id", "tunniste"),
    "date": (
        "date", "datetime", "created_at", "created", "created_utc", "created_time", "timestamp",
        "published_at", "published", "publish_date", "posted_at", "comment_date", "time_parsed",
        "time", "päivämäärä", "pvm", "päiväys", "aika",
    ),
    "group": (
        "group", "channel", "source", "forum", "subreddit", "video_id", "ryhmä", "kanava", "lähde",
    ),
}  # fmt: skip
ROLES = ("text", "id", "date", "group")
# A column whose values have, on average, so many words looks like text.
WORDS_OF_TEXT = 3
# A column that is only found by its name is no group if it has more values than these, and than
# half of its rows.
FEW_GROUPS = 20
# Objects within objects whose keys are looked at.
DEEPEST = 8
# Names of columns are no longer than this.
LONGEST_NAME, MOST_WORDS_OF_NAME = 40, 4


@dataclass
class Source:
    """A file and its layout: what a portion of its records needs to be understood."""

    path: Path
    format: str
    encoding: str | None = None
    mark: int = 0
    dialect: Dialect = ONE_COLUMN
    kinds: tuple = ()
    skip: int = 0  # records before the first comment: the header, and a line "sep=;"
    n_fields: int = 1
    columns: dict = field(default_factory=dict)  # role -> name, or None
    places: tuple = ()  # of each role, the number of its field or its key, or None
    month_first: bool = False
    blank: int = 0


@dataclass
class Portion:
    """Records of a file, in order, and the line where each of them begins."""

    source: Source
    lines: list
    records: list


def all_files(files):
    """The files that paths and patterns name, each once, in this order."""
    found: dict = {}
    for name in [files] if isinstance(files, str | Path) else files:
        matches = find_files(name)
        if not matches and glob.has_magic(str(name)):
            raise DataError(f"{name}: no file matches; correct the pattern")
        matches = matches or [require_file(name)]
        found |= {match.resolve(): match for match in matches if match.resolve() not in found}
    if not found:
        raise DataError("no files are given; name one or more")
    return list(found.values())


@contextmanager
def readable(path):
    """Let a file that the system cannot read end in a DataError."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"{path}: it cannot be read ({error.strerror or error}); give a file that can"
        ) from error


def open_source(path, wanted, encoding=None, delimiter=None):
    """The layout of a file; `wanted` has the names of columns by role: None is to find, "" none."""
    with readable(path):
        head = next(read_blocks(path), b"")
        if not head:
            raise DataError(f"{path}: the file is empty; give one with rows")
        refuse_foreign(path, head)
        format = _format(path, head)
        if format == PARQUET:
            return _open_parquet(path, wanted)
        source = Source(path, format)
        source.encoding, source.mark = find_encoding(path, encoding)
        lines = _first_lines(source)
    if format == JSONL:
        return _open_jsonl(source, lines, wanted)
    return _open_table(source, lines, wanted, delimiter)


def _format(path, head):
    suffixes = [suffix.lower() for suffix in path.suffixes]
    ending = next((suffix for suffix in reversed(suffixes) if suffix != ".gz"), "")
    if head.startswith(PARQUET_START):
        if _starts(path, GZIP_START):
            raise DataError(f"{path}: it is Parquet inside of gzip; unpack it first")
        return PARQUET
    if ending in FORMATS:
        if FORMATS[ending] == PARQUET:
            raise DataError(f"{path}: it is not a Parquet file; give its true ending")
        return FORMATS[ending]
    return JSONL if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else CSV


def _starts(path, mark):
    with open(path, "rb") as file:
        return file.read(len(mark)) == mark


def _lines(source, progress=None):
    blocks = read_blocks(source.path, progress)
    return split_lines(utf8_blocks(blocks, source.encoding, source.mark))


def _first_lines(source):
    lines, size = [], 0
    for line in islice(_lines(source), SAMPLE):
        lines.append(line)
        size += len(line)
        if size > SAMPLE_BYTES:
            break
    return lines


# Layouts ------------------------------------------------------------------------------------


def _open_table(source, lines, wanted, delimiter):
    n_marks = 0
    if lines and (first := lines[0].strip().lower()).startswith(b"sep=") and len(first) == 5:
        delimiter, n_marks = delimiter or first[4:].decode(), 1
    lines = lines[n_marks:]
    if not any(line.strip() for line in lines):
        raise DataError(f"{source.path}: the file holds no rows; give one with rows")
    while not lines[0].strip():  # the first line shows which delimiters there are
        lines = lines[1:]
    delimiter = _delimiter(delimiter)
    if delimiter and not any(delimiter.encode() in line for line in lines):
        raise DataError(
            f"{source.path}: the delimiter {shown(delimiter)} is not in its first {len(lines):,} "
            "lines; name another one, or none to have it found"
        )
    source.format, table = _find_layout(source.format, lines, wanted, delimiter)
    has_header = _is_header(table.first, wanted)
    source.dialect, source.kinds, source.n_fields = table.dialect, table.kinds, len(table.first)
    source.skip = n_marks + has_header
    names = [name.strip() for name in table.first] if has_header else _numbered(source.n_fields)
    values = table.sample if has_header else (table.first, *table.sample)
    _choose(source, names, list(zip(*values, strict=True)) or [()] * len(names), wanted)
    source.places = tuple(
        None if (name := source.columns[role]) is None else names.index(name) for role in ROLES
    )
    return source


def _find_layout(format, lines, wanted, delimiter):
    """A table; or lines of text where the name of the file, or what is in it, says so."""
    table = find_table(lines, delimiter)
    if delimiter is not None:
        return CSV, table
    names_text = any(name in (wanted["text"], *TEXT_NAMES) for name in map(_key, table.first))
    if format == TEXT and (len(table.first) == 1 or not names_text or table.whole < 0.5):
        return TEXT, lines_as_table(lines)
    if table.whole < 0.5 and not _is_header(table.first, wanted):
        return CSV, one_column(lines)
    return CSV, table


def _numbered(n_fields):
    return ["text"] if n_fields == 1 else [str(number) for number in range(1, n_fields + 1)]


def _delimiter(delimiter):
    delimiter = {"\\t": "\t", "tab": "\t"}.get(delimiter, delimiter)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in "\r\n\"'\0"):
        raise DataError(
            f"delimiter {shown(delimiter)} is not usable; give one character that is no quote "
            "or line end, or tab"
        )
    return delimiter


def _key(name):
    """A name as the lists of known names have it.

    >>> _key("Published at") == _key("snippet.publishedAt") == "published_at"
    True
    """
    name = re.sub(r"^\S*\.", "", name.strip())
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[\s_-]+", "_", name).lower()


def _is_header(fields, wanted):
    """Whether the first record names columns: by a name that is known, or by how it looks."""
    known = {*TEXT_NAMES, *(name for names in OTHER_NAMES.values() for name in names)}
    named = {name for name in wanted.values() if name}
    keys = [_key(name) for name in fields]
    if len(fields) == 1:
        return fields[0].strip() in named or keys[0] in TEXT_NAMES
    if known & set(keys) or named & {name.strip() for name in fields}:
        return True
    # A column without a name is the index that many tools write.
    given = [name for name in fields if name.strip()]
    return (
        len(given) >= len(fields) - 1
        and len(set(given)) == len(given)
        and all(
            len(name) <= LONGEST_NAME
            and len(name.split()) <= MOST_WORDS_OF_NAME
            and any(map(str.isalpha, name))
            and '"' not in name
            and seconds(name) is None
            for name in given
        )
    )


def _open_jsonl(source, lines, wanted):
    if lines and lines[0].lstrip().startswith(b"["):
        raise DataError(
            f"{source.path}: it is one JSON list; write one object on every line (JSONL), for "
            "example with jq -c '.[]'"
        )
    rows = []
    for line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise DataError(
            f"{source.path}: none of its first {len(lines):,} lines is a JSON object; write one "
            "object on every line (JSONL)"
        )
    if not _has_text(names, rows) or {*filter(None, wanted.values())} - {*names}:
        names = list(dict.fromkeys(path for row in rows for path in _paths(row)))
    columns = [[_if_text(value_at(row, name)) for row in rows] for name in names]
    _choose(source, names, columns, wanted)
    source.places = tuple(source.columns[role] for role in ROLES)
    return source


def _has_text(names, rows):
    """Whether a key of the rows themselves, and not of objects in them, can be the text."""
    return any(
        _key(name) in TEXT_NAMES or _looks_like_text([_if_text(row.get(name)) for row in rows])
        for name in names
    )


def _paths(row, before=""):
    """Keys of an object and of those in it, as in snippet.textOriginal."""
    for name, value in row.items():
        if isinstance(value, dict) and before.count(".") < DEEPEST:
            yield from _paths(value, f"{before}{name}.")
        else:
            yield f"{before}{name}"


def value_at(row, path, default=None):
    """The value of a key, or of a key in the objects that the path names."""
    if path in row:
        return row[path]
    first, _, rest = path.partition(".")
    inner = row.get(first)
    return value_at(inner, rest, default) if rest and isinstance(inner, dict) else default


def _if_text(value):
    return value if isinstance(value, str) else ""


def as_text(value):
    """A value of JSON as text; None stays, and 12.0 is 12, as tools write numbers with gaps."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def _open_parquet(path, wanted):
    import pyarrow.parquet

    source = Source(path, PARQUET)
    with naming(path), whole_parquet(), pyarrow.parquet.ParquetFile(path) as file:
        schema = file.schema_arrow
        names = [name for name in schema.names if is_plain(schema.field(name).type)]
        if len(set(schema.names)) < len(schema.names):
            raise DataError(f"{path}: two of its columns have the same name; rename one")
        batch = next(file.iter_batches(SAMPLE, columns=names), None) if names else None
        columns = [_texts(batch.column(name)) for name in names] if batch else [()] * len(names)
    columns = [[value or "" for value in column if value is not NOT_TEXT] for column in columns]
    _choose(source, names, columns, wanted)
    source.places = tuple(source.columns[role] for role in ROLES)
    return source


# A value of a Parquet file that should be text and is not UTF-8.
NOT_TEXT = b""


def _texts(column):
    """Values of an Arrow column as text, None or NOT_TEXT."""
    import pyarrow
    from pyarrow import types

    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not (types.is_string(column.type) or types.is_large_string(column.type)):
        column = column.cast(pyarrow.large_string())
    try:
        return column.to_pylist()
    except UnicodeDecodeError:
        return [_decoded(value) for value in column.cast(pyarrow.large_binary()).to_pylist()]


def _decoded(value):
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return NOT_TEXT


# Columns ------------------------------------------------------------------------------------


def _choose(source, names, columns, wanted):
    """Fill in the columns of a source, by the names that are wanted or else by what fits."""
    for role in ROLES:
        if wanted[role] and wanted[role] not in names:
            raise DataError(
                f"{source.path}: there is no column {shown(wanted[role])} for {role}; it has "
                f"{_listed(names)}; name one of these with `{role}_column`, and where files differ "
                "give the columns one name, or explore the files apart"
            )
    text = wanted["text"] or _find_text(source.path, names, columns)
    taken = {text, *filter(None, wanted.values())}
    source.columns = {"text": text}
    for role, known in OTHER_NAMES.items():
        source.columns[role] = wanted[role] or None
        if wanted[role] is None:
            free = {_key(name): name for name in reversed(names) if name not in taken}
            fits = [free[key] for key in known if key in free]
            if role == "date":  # rather a column with dates than one with "2 years ago"
                fits.sort(key=lambda name: not any(map(seconds, columns[names.index(name)][:100])))
                fits = fits or _find_dates(names, columns, taken)
            source.columns[role] = next(iter(fits), None)
    if not wanted["group"] and (name := source.columns["group"]) is not None:
        values = columns[names.index(name)]
        if len(set(values)) > max(FEW_GROUPS, len(values) // 2):
            source.columns["group"] = None
    for name in filter(None, source.columns.values()):
        if names.count(name) > 1:
            raise DataError(f"{source.path}: two columns are named {shown(name)}; rename one")
    if (name := source.columns["date"]) is not None:
        source.month_first = is_month_first(columns[names.index(name)])


def _find_text(path, names, columns):
    """The column that is named like text, or else the only one whose values look like it."""
    if len(names) == 1:
        return names[0]
    named = [name for name in names if _key(name) in TEXT_NAMES]
    if len(named) == 1:
        return named[0]
    looks = [name for name, values in zip(names, columns, strict=True) if _looks_like_text(values)]
    fits = [name for name in named if name in looks] if named else looks
    if len(fits) == 1:
        return fits[0]
    if fits or named:
        problem = f"the columns {_listed(fits or named)} could each be the text"
    else:
        problem = f"none of the columns {_listed(names)} looks like text"
    raise DataError(f"{path}: {problem}; name one with `text_column`")


def _find_dates(names, columns, taken):
    """The column, if it is the only one, of whose first values most are dates."""
    found = [name for name, values in zip(names, columns, strict=True) if _are_dates(values[:100])]
    return [name for name in found if name not in taken] if len(found) == 1 else []


def _are_dates(values):
    values = [value for value in values if value.strip()]
    # A number could mean anything.
    return 2 * sum(not _is_number(v) and seconds(v) is not None for v in values) > len(values)


def _is_number(value):
    return value.strip().replace(".", "", 1).isdecimal()


def _looks_like_text(values):
    """Whether values are, on average, some words long, and most of them are different."""
    values = [value for value in values if value.strip()]
    n_words = sum(any(map(str.isalpha, word)) for value in values for word in value.split())
    return (
        bool(values)
        and n_words >= WORDS_OF_TEXT * len(values)
        and (2 * len(set(values)) > len(values))
    )


def _listed(names):
    shown_names = ", ".join(map(shown, names[:20]))
    return f"{shown_names}, ..." if len(names) > 20 else shown_names or "none"


# Portions -----------------------------------------------------------------------------------


def read_portions(source, progress=None):
    """The records of a file in portions: bytes of text formats, cells of Parquet."""
    with readable(source.path):
        if source.format == PARQUET:
            yield from _parquet_portions(source, progress)
        else:
            yield from _text_portions(source, progress)


def _text_portions(source, progress):
    records = Records(source.dialect, source.n_fields, source.kinds)
    if source.format == JSONL:
        records = Records(ONE_COLUMN, 1)
    found = islice(records.read(_lines(source, progress)), source.skip, None)
    lines, texts, size = [], [], 0
    for line, record in found:
        lines.append(line)
        texts.append(record)
        size += len(record)
        if len(lines) == PORTION or size > PORTION_BYTES:
            yield Portion(source, lines, texts)
            lines, texts, size = [], [], 0
    source.blank = records.blank
    if lines:
        yield Portion(source, lines, texts)


def _parquet_portions(source, progress):
    import pyarrow.parquet

    path, names = source.path, [name for name in dict.fromkeys(source.places) if name is not None]
    with naming(path), whole_parquet(), pyarrow.parquet.ParquetFile(path) as file:
        n_rows, size, row = file.metadata.num_rows, path.stat().st_size, 1
        for batch in file.iter_batches(PORTION, columns=names):
            cells = {name: _texts(batch.column(name)) for name in names}
            nothing = [None] * len(batch)
            columns = [nothing if name is None else cells[name] for name in source.places]
            yield Portion(
                source, list(range(row, row + len(batch))), list(zip(*columns, strict=True))
            )
            row += len(batch)
            if progress is not None:
                progress.step(size * len(batch) / n_rows)
