"""Comments from files: each row is kept with the forms of its words, or listed with its reason.

A row is a record of a CSV (a line, or several within quotes), a line of JSONL or of a text file
that is not blank, or a row of Parquet; the header does not count. For every file, rows read = rows
kept + rows in `input_report.csv`.
"""

import math
from collections import Counter, deque
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..base.files import replacing, write_csv, write_json
from ..base.manifest import MANIFEST, describe_step, write_manifest
from ..base.processes import pool_of
from ..base.text import counted, listed, shown
from ..corpus.readers import DataError
from .dialects import encoding_name
from .folders import COMMENTS, FORM_NUMBERS, FORMS, INPUT_REPORT, OF_FORMS, OFFSETS, READING
from .privacy import read_secret
from .progress import Progress
from .rows import (
    BROKEN_QUOTES,
    EMPTY,
    FEW_FIELDS,
    FEW_WORDS,
    LANGUAGE,
    LONG,
    LONGEST_COMMENT,
    MANY_FIELDS,
    NO_TEXT,
    NOT_JSON,
    REPEATED_ROW,
    REPEATED_TEXT,
    UNCLOSED_QUOTE,
    WRONG_ENCODING,
    Rules,
    understand,
)
from .sources import (
    CSV,
    FEW_GROUPS,
    JSONL,
    PARQUET,
    ROLES,
    TEXT,
    all_files,
    open_source,
    read_portions,
)

# Files that are smaller together are read by one process: a second takes half a second to start.
SMALL_BYTES = 20_000_000
ROW_GROUP = 50_000
REPORT_HEADER = ["file", "line", "reason", "detail"]
SECRET = ".id_secret"
FORMAT_NAMES = {CSV: "CSV", JSONL: "JSONL", PARQUET: "Parquet", TEXT: "text"}


def read_comments(
    files,
    out,
    *,
    text_column=None,
    id_column=None,
    date_column=None,
    group_column=None,
    encoding=None,
    delimiter=None,
    duplicates="keep",
    min_words=1,
    languages=None,
    ids="hash",
    hash_groups=False,
    redact=True,
    keep_texts=True,
    secret=None,
    forms=None,
    threads=1,
):
    """Read comments from files or patterns into the folder `out`; returns what reading.json has.

    Columns that are not named are found, the text by its name or its values and the others by
    their names; "" stands for no such column. A row that is not kept is listed with file, line and
    reason: malformed, in another encoding, empty, of fewer than `min_words` words, of more than
    200,000 characters, in none of the `languages` (codes such as fi; recognised by py3langid,
    which is slow and unsure of short texts), or a repeated id and text; and with
    duplicates="skip" any repeated text.

    `ids` are hashed with the secret in the file `secret` (by default beside `out`, made on first
    use), kept, or dropped for the numbers of rows; with `hash_groups` groups are hashed too.
    `redact` takes handles, addresses and phone numbers out of the texts; without `keep_texts` there
    are none. Words in their order, which the matrices are made of, go to the folder `forms`, by
    default `out`: it can be removed after that.
    """
    _check_choice("duplicates", duplicates, ("keep", "skip"))
    _check_choice("ids", ids, ("hash", "keep", "drop"))
    if isinstance(min_words, bool) or not isinstance(min_words, int) or min_words < 0:
        raise DataError(f"min_words {shown(min_words)} is not usable; give a whole number from 0")
    out = Path(out)
    wanted = dict(zip(ROLES, (text_column, id_column, date_column, group_column), strict=True))
    sources = _open_sources(all_files(files), wanted, encoding, delimiter)
    hashes_ids = ids == "hash" and _has("id", sources)
    hashes_groups = hash_groups and _has("group", sources)
    key = None
    if hashes_ids or hashes_groups:
        key = read_secret(secret or out.parent / SECRET)
    rules = Rules(
        min_words=min_words,
        languages=_check_languages(languages),
        secret=key if hashes_ids else None,
        group_secret=key if hashes_groups else None,
        redact=redact,
        keep_texts=keep_texts,
    )
    settings = {
        "encoding": encoding, "delimiter": delimiter, "duplicates": duplicates,
        "min_words": min_words, "languages": rules.languages, "ids": ids,
        "hash_groups": hash_groups, "redact": redact, "keep_texts": keep_texts,
    }  # fmt: skip
    forms = Path(forms or out)
    for folder in (out, forms):
        folder.mkdir(parents=True, exist_ok=True)
        for name in (MANIFEST, *OF_FORMS):
            (folder / name).unlink(missing_ok=True)
    tally = Tally([_entry(source) for source in sources])
    numbers_rows = ids == "drop" or not _has("id", sources)
    with Output(out, forms, keep_texts, numbers_rows) as output:
        rows = _keep(sources, rules, duplicates == "skip", threads, output, tally)
        write_csv(out / INPUT_REPORT, REPORT_HEADER, rows)
        if not tally.kept:
            raise DataError(_nothing_kept(sources, tally))
    reading = tally.facts(sources) | {"settings": settings}
    write_json(out / READING, reading)
    made_by = describe_step(settings | wanted, [source.path for source in sources])
    for folder in {out, forms}:
        write_manifest(folder, made_by=made_by)
    return reading


def _check_choice(name, value, choices):
    if value not in choices:
        raise DataError(f"{name} {shown(value)} is not usable; give one of {', '.join(choices)}")


def _check_languages(languages):
    if not languages:
        return None
    from py3langid import rank

    known = sorted(language for language, _ in rank("any text"))
    languages = (languages,) if isinstance(languages, str) else tuple(languages)
    for language in languages:
        _check_choice("languages", language, known)
    return languages


def _open_sources(paths, wanted, encoding, delimiter):
    """The layouts of the files; the column of the text has the same name in all of them."""
    sources = []
    for path in paths:
        sources.append(open_source(path, wanted, encoding, delimiter))
        if not sources[0].columns["text"].isdigit():
            wanted = wanted | {"text": sources[0].columns["text"]}
    return sources


def _has(role, sources):
    return any(source.columns[role] for source in sources)


def _entry(source):
    return {"file": str(source.path), "format": source.format, "rows": 0, "kept": 0}


# The run ------------------------------------------------------------------------------------


def _keep(sources, rules, skip_repeated, threads, output, tally):
    """Write the comments that are kept; yields the rows that are not, for `input_report.csv`."""
    seen_texts, seen_pairs = Seen(), Seen()
    size = sum(source.path.stat().st_size for source in sources)
    with Progress("reading comments", size) as progress:
        portions = (
            (place, portion)
            for place, source in enumerate(sources)
            for portion in read_portions(source, progress)
        )
        n_processes = threads if size > SMALL_BYTES else 1
        for place, found in _in_order(portions, rules, n_processes):
            repeats_text = ~seen_texts.first(found.keys)
            repeats_row = np.zeros(len(repeats_text), bool)
            repeats_row[found.has_id] = ~seen_pairs.first(found.pairs[found.has_id])
            skipped = repeats_row | (repeats_text & skip_repeated)
            for number in np.flatnonzero(skipped):
                reason = REPEATED_ROW if repeats_row[number] else REPEATED_TEXT
                found.listed.append((found.lines[number], reason, ""))
            tally.repeated_texts += int((repeats_text & ~repeats_row).sum())
            keep = ~skipped
            output.add(found, keep)
            tally.add(place, found, keep)
            for line, reason, detail in sorted(found.listed):
                yield str(found.source.path), line, reason, detail


def _in_order(portions, rules, n_processes):
    """The portions as comments, in order, made by one or several processes."""
    if n_processes <= 1:
        for place, portion in portions:
            yield place, understand(portion, rules)
        return
    with pool_of(n_processes) as pool:
        waiting: deque = deque()
        for place, portion in portions:
            waiting.append((place, pool.submit(understand, portion, rules)))
            if len(waiting) > 2 * n_processes:
                place, task = waiting.popleft()
                yield place, task.result()
        while waiting:
            place, task = waiting.popleft()
            yield place, task.result()


class Seen:
    """64-bit keys that were met: sorted runs, each less than half as long as the one before.

    Five million keys are 40 MB, where a set of Python has half a gigabyte.
    """

    def __init__(self):
        self.runs = []

    def first(self, keys):
        """Of each key, whether it is met for the first time."""
        distinct, places = np.unique(keys, return_index=True)
        is_new = np.ones(len(distinct), bool)
        for run in self.runs:
            at = np.minimum(np.searchsorted(run, distinct), len(run) - 1)
            is_new &= run[at] != distinct
        first = np.zeros(len(keys), bool)
        first[places[is_new]] = True
        self._add(distinct[is_new])
        return first

    def _add(self, run):
        while self.runs and len(self.runs[-1]) < 2 * len(run):
            run = np.sort(np.concatenate([self.runs.pop(), run]), kind="stable")
        if len(run):
            self.runs.append(run)


class Output:
    """The files of comments and forms, written portion by portion."""

    def __init__(self, folder, forms_folder, keep_texts, numbers_rows):
        import pyarrow

        self.folder, self.forms_folder = folder, forms_folder
        self.numbers_rows = numbers_rows
        columns = [
            ("id", pyarrow.string()),
            ("date", pyarrow.timestamp("s")),
            ("group", pyarrow.string()),
            ("text", pyarrow.string()),
        ]
        self.schema = pyarrow.schema(columns if keep_texts else columns[:-1])
        self.n_rows = 0
        self.known: dict = {}
        self.ends = [np.zeros(1, np.int64)]
        self.files = ExitStack()

    def __enter__(self):
        from pyarrow.parquet import ParquetWriter

        with self.files:  # closes what is open if one of these fails
            enter = self.files.enter_context
            self.forms = enter(replacing(self.forms_folder / FORMS))
            self.numbers = enter(replacing(self.forms_folder / FORM_NUMBERS, "wb"))
            comments = enter(replacing(self.folder / COMMENTS, "wb"))
            self.comments = enter(ParquetWriter(comments, self.schema, compression="zstd"))
            self._write_header(0)
            self.files = self.files.pop_all()
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            offsets = np.concatenate(self.ends)
            self.numbers.seek(0)
            self._write_header(int(offsets[-1]))
            with replacing(self.forms_folder / OFFSETS, "wb") as file:
                np.save(file, offsets)
        return self.files.__exit__(kind, error, trace)

    def _write_header(self, length):
        # numpy leaves room for the length to grow.
        facts = {"descr": "<i4", "fortran_order": False, "shape": (length,)}
        np.lib.format.write_array_header_1_0(self.numbers, facts)

    def add(self, found, keep):
        """Append the comments of a portion that are kept."""
        import pyarrow

        n_kept = int(keep.sum())
        if not n_kept:
            return
        ids = found.ids
        if self.numbers_rows:
            ids = np.empty(len(keep), object)
            ids[keep] = [str(self.n_rows + number) for number in range(1, n_kept + 1)]
        columns = [ids, found.dates, found.groups, found.texts][: len(self.schema)]
        batch = pyarrow.RecordBatch.from_arrays(
            [
                pyarrow.array(column, field.type)
                for column, field in zip(columns, self.schema, strict=True)
            ],
            schema=self.schema,
        )
        self.comments.write_batch(batch.filter(pyarrow.array(keep)), ROW_GROUP)
        self._add_forms(found, keep)
        self.n_rows += n_kept

    def _add_forms(self, found, keep):
        numbers, lengths = found.numbers, found.lengths[keep]
        forms = found.forms
        if not keep.all():
            numbers = numbers[np.repeat(keep, found.lengths)]
            used, places = np.unique(numbers, return_index=True)
            used = used[np.argsort(places)]
            forms = [found.forms[number] for number in used]
            renumbered = np.zeros(len(found.forms), np.int32)
            renumbered[used] = np.arange(len(used), dtype=np.int32)
            numbers = renumbered[numbers]
        known, before = self.known, len(self.known)
        own = np.array([known.setdefault(form, len(known)) for form in forms], np.int32)
        new = [form for form, number in zip(forms, own.tolist(), strict=True) if number >= before]
        self.forms.write("".join(f"{form}\n" for form in new))
        self.numbers.write(own[numbers].astype("<i4").tobytes())
        self.ends.append(self.ends[-1][-1] + np.cumsum(lengths))


# What was read ------------------------------------------------------------------------------


@dataclass
class Tally:
    """Counts of a reading."""

    files: list
    read: int = 0
    kept: int = 0
    skipped: Counter = field(default_factory=Counter)
    repeated_texts: int = 0
    undated: int = 0
    first: float = math.inf
    last: float = -math.inf
    groups: set = field(default_factory=set)
    grouped: int = 0
    example: tuple | None = None

    def add(self, place, found, keep):
        n_kept = int(keep.sum())
        self.read += found.n_rows
        self.kept += n_kept
        self.files[place]["rows"] += found.n_rows
        self.files[place]["kept"] += n_kept
        self.skipped.update(reason for _, reason, _ in found.listed)
        if found.listed and self.example is None:
            self.example = (found.source.path, *min(found.listed))
        dates = np.array([math.nan if date is None else date for date in found.dates])[keep]
        is_dated = ~np.isnan(dates)
        self.undated += int(n_kept - is_dated.sum())
        if is_dated.any():
            self.first = min(self.first, dates[is_dated].min())
            self.last = max(self.last, dates[is_dated].max())
        groups = [group for group, kept in zip(found.groups, keep, strict=True) if kept and group]
        self.groups.update(groups)
        self.grouped += len(groups)

    def has_names_as_groups(self):
        """Whether groups look like persons: about one for each comment, or handles."""
        n_groups, n_handles = len(self.groups), sum(name[0] == "@" for name in self.groups)
        return 2 * n_groups > max(self.grouped, 2 * FEW_GROUPS) or 2 * n_handles > n_groups

    def facts(self, sources):
        """The content of reading.json."""
        for entry, source in zip(self.files, sources, strict=True):
            entry |= {
                "encoding": source.encoding,
                "delimiter": source.dialect.delimiter,
                "quote": source.dialect.quote,
                "escape": source.dialect.escape,
                "blank_lines": source.blank,
                "columns": source.columns,
            }
        columns = {
            role: next((s.columns[role] for s in sources if s.columns[role]), None)
            for role in ROLES
        }
        return {
            "files": self.files,
            "columns": columns,
            "rows_read": self.read,
            "rows_kept": self.kept,
            "skipped": dict(self.skipped.most_common()),
            "repeated_texts": self.repeated_texts,
            "dates": [_iso(self.first), _iso(self.last)] if self.first <= self.last else None,
            "groups": len(self.groups),
            "groups_like_names": self.has_names_as_groups(),
            "undated": self.undated,
        }


def _iso(seconds):
    return str(np.datetime64(int(seconds), "s"))


def _nothing_kept(sources, tally):
    names = listed([str(source.path) for source in sources[:3]])
    names += ", ..." if len(sources) > 3 else ""
    if not tally.read:
        return f"{names}: there are no comments, only a header; give a file with rows"
    reasons = listed([f"{count:,} {reason}" for reason, count in tally.skipped.most_common()])
    path, line, reason, _ = tally.example
    remedy = REMEDIES.get(tally.skipped.most_common(1)[0][0], "correct the rows")
    return (
        f"{names}: none of the {counted(tally.read, 'row')} can be kept ({reasons}; the first is "
        f"line {line} of {path}: {reason}); {remedy}"
    )


REMEDIES = {
    FEW_WORDS: (
        "a word has two letters or more, so numbers and emojis are none; name another text column, "
        "or lower min_words if it is above 1"
    ),
    MANY_FIELDS: ("put quotes around texts that hold the delimiter, or name the right `delimiter`"),
    FEW_FIELDS: "give every row as many fields as the header, or name the right `delimiter`",
    WRONG_ENCODING: "save the file as UTF-8, or name its `encoding`",
    EMPTY: "name another text column",
    LONG: f"a comment has at most {LONGEST_COMMENT:,} characters; split longer texts",
    LANGUAGE: "name the language of the comments in `languages`, or leave it out",
    NOT_JSON: "write one object on every line (JSONL)",
    NO_TEXT: "name the key of the texts with `text_column`",
    UNCLOSED_QUOTE: "close every quote, and double those inside of a quoted field",
    BROKEN_QUOTES: "double the quotes inside of a quoted field",
}


def summary_lines(reading):
    """What was read, in plain words for a terminal, from the content of reading.json."""
    n_skipped = reading["rows_read"] - reading["rows_kept"]
    lines = [
        f"Read {counted(reading['rows_read'], 'row')} of {counted(len(reading['files']), 'file')}: "
        f"{counted(reading['rows_kept'], 'comment')} kept, {counted(n_skipped, 'row')} not kept."
    ]
    lines += [f"  {_file_line(entry)}" for entry in reading["files"][:10]]
    if len(reading["files"]) > 10:
        lines.append(f"  and {counted(len(reading['files']) - 10, 'more file')}")
    columns = [f"{role} in {name!r}" for role, name in reading["columns"].items() if name]
    lines.append(f"Columns: {', '.join(columns)}.")
    if n_skipped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in reading["skipped"].items())
        lines.append(f"Not kept: {reasons}. Each is listed in {INPUT_REPORT} with file and line.")
    repeated = reading["repeated_texts"]
    if repeated and REPEATED_TEXT not in reading["skipped"]:
        lines.append(
            f"{counted(repeated, 'comment repeats', 'comments repeat')} the text of an earlier one "
            f"and {'is' if repeated == 1 else 'are'} kept; duplicates: skip leaves "
            f"{'it' if repeated == 1 else 'them'} out."
        )
    if reading["dates"]:
        first, last = (date[:10] for date in reading["dates"])
        lines.append(
            f"Dates: {first} to {last}, {counted(reading['undated'], 'comment')} without one."
        )
    elif reading["columns"]["date"]:
        lines.append(f"No date of column {reading['columns']['date']!r} could be read.")
    if reading["groups"]:
        lines.append(f"Groups: {reading['groups']:,}.")
    if reading["groups_like_names"] and not reading["settings"]["hash_groups"]:
        lines.append(
            f"Warning: the groups in {reading['columns']['group']!r} look like names of persons; "
            "hash_groups=true hides them, and group_column= leaves them out."
        )
    return lines + _warnings(reading)


def _file_line(entry):
    parts = [FORMAT_NAMES[entry["format"]]]
    if entry["encoding"]:
        parts.append(encoding_name(entry["encoding"]))
    if entry["format"] == CSV:
        parts.append(f"delimiter {entry['delimiter']!r}" if entry["delimiter"] else "one column")
        parts.append(f"quotes {entry['quote']}" if entry["quote"] else "no quotes")
    rows = counted(entry["rows"], "row")
    return f"{entry['file']}: {', '.join(parts)}; {entry['kept']:,} of {rows} kept"


def _warnings(reading):
    """What to do about reasons that hold for more than half of the rows."""
    return [
        f"Warning: most rows are not kept ({reason}); {REMEDIES[reason]}."
        for reason, count in reading["skipped"].items()
        if 2 * count > reading["rows_read"] and reason in REMEDIES
    ]
