"""Files: written whole or not at all, and read as they were written."""

import csv
import errno
import hashlib
import json
import os
import re
import shutil
import uuid
from contextlib import contextmanager, suppress
from itertools import zip_longest
from pathlib import Path

# What a spreadsheet takes for a formula, and the numbers that begin like one.
FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-](inf|nan)", re.ASCII)
# What numpy says when a disk takes less than it was given.
NUMPY_OF_FULL_DISK = re.compile(r"\d+ requested and \d+ written")
# Characters of a field; the limit must fit into a C long.
LONGEST_FIELD = 2**31 - 1
# What lists the files of a folder that is complete (see `manifest`).
MANIFEST = "manifest.json"


@contextmanager
def replacing(path, mode="w", private=False):
    """A file to write, text or bytes, that takes the place of `path` once it is complete.

    A run that is killed, or a disk that is full, leaves what was there before. An OSError names
    `path`, not the file beside it that is written first. A private file is for its owner alone, and
    is never written over: FileExistsError says that there is one already. The manifest of the
    folder is removed first, because it describes the old files.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.name != MANIFEST and not path.name.startswith("."):
        forget_manifest(path.parent)
    part = _part_file(path)
    is_text = "b" not in mode
    try:
        with open(
            part,
            mode,
            encoding="utf-8" if is_text else None,
            newline="" if is_text else None,
            opener=_open_private if private else None,
        ) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # Unlike a rename, a link replaces nothing that another run has made meanwhile.
        (os.link if private else os.replace)(part, path)
        _keep_name(path.parent)
    except FileExistsError:
        raise
    except OSError as error:
        if error.filename in (None, str(part)) and error.errno is not None:
            raise OSError(error.errno, error.strerror, str(path)) from error
        if NUMPY_OF_FULL_DISK.fullmatch(str(error)):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from error
        raise
    except UnicodeEncodeError as error:
        place = error.object[max(error.start - 20, 0) : error.start + 20]
        raise ValueError(
            f"{path}: {place!r} cannot be written as UTF-8; take the unpaired surrogate out"
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def refuse_unwritable(path):
    """Raise PermissionError if the folders above a file that is still to be made take nothing."""
    folder = next(folder for folder in Path(path).parents if folder.exists())
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


def _open_private(path, flags):
    return os.open(path, flags, 0o600)


def forget_manifest(folder):
    """Remove the manifest of a folder, and that of the folder above if this is a part of it."""
    for place, key in ((folder, "files"), (folder.parent, "parts")):
        path = place / MANIFEST
        if {key, "made_by"} <= _keys_of(path):  # else it is of another program
            path.unlink(missing_ok=True)


def _keys_of(path):
    """The keys of a JSON file; none if it cannot be read."""
    try:
        return read_json(path).keys()
    except (OSError, ValueError):
        return set()


def _part_file(path):
    """A temporary name unique to this process; leftovers of dead processes are deleted.

    It has a fixed length, since the name of the file itself may be as long as the disk allows.
    """
    key = hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]
    for left in path.parent.glob(f".{key}-*.part"):
        writer = re.fullmatch(rf"\.{key}-([0-9]{{1,9}})-[0-9a-f]+\.part", left.name)
        if writer and not _is_alive(int(writer[1])):
            # One who writes on another machine fails at the end, and replaces nothing.
            with suppress(OSError):
                left.unlink()
    return path.with_name(f".{key}-{os.getpid()}-{uuid.uuid4().hex[:8]}.part")


def _is_alive(pid):
    if os.name == "nt":  # where signal 0 is Ctrl-C: nobody is asked, and nothing is swept
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _keep_name(folder):
    """Make the rename survive a crash; not every system can do this."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_text(path, text):
    with replacing(path) as file:
        file.write(text)


def copy_file(source, path):
    with open(source, "rb") as content, replacing(path, "wb") as file:
        shutil.copyfileobj(content, file)


def open_log(path):
    """A file that grows as a process writes its log to it, and so is not replaced."""
    return open(path, "wb")


def open_lock(path):
    """A file for a process to hold locked; not replaced, since the new one would be free.

    It has no buffer, which on a full disk would fail once more when it is closed.
    """
    return open(path, "a+b", buffering=0)


def write_lines(path, lines):
    """Write one a line; refuse what `read_lines` would not give back as it is."""
    lines = list(lines)
    for line in lines:
        if not line or line != line.strip() or re.search("[\n\r\ufeff]", line):
            problem = (
                "is empty"
                if not line
                else "holds a line break or byte order mark, or space at an end"
            )
            raise ValueError(f"{path}: the entry {line!r} {problem}; rename it")
    write_text(path, "".join(f"{line}\n" for line in lines))


def read_text(path):
    """A text file with plain line feeds, without a byte order mark."""
    content = Path(path).read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}: line {line} is not UTF-8 text; save it as UTF-8") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_lines(path):
    """Lines of a text file that hold anything, without space around them."""
    lines = read_text(path).split("\n")
    return [line.strip() for line in lines if line.strip()]


def write_json(path, content):
    text = json.dumps(content, indent=2, ensure_ascii=False, sort_keys=True)
    write_text(path, text + "\n")


def read_json(path):
    """The object that `write_json` wrote; ValueError if there is anything else in the file."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON ({error}); remove it and run again") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path}: not an object of JSON; remove it and run again")
    return content


def is_fault_of_machine(error):
    """Whether memory, a permission or the disk was at fault, and the file read may be whole.

    Of the errors of the system, EINVAL means damage: a damaged archive points to before its start.
    """
    number = getattr(error, "errno", None)  # OSErrors of other origin have none
    return isinstance(error, MemoryError) or number not in (None, errno.EINVAL)


def guard_cell(cell):
    """A cell that no spreadsheet runs: text that would be a formula gets an apostrophe before it.

    So does such text behind apostrophes, so that `bare_cell` can tell which of them is ours.
    """
    return f"'{cell}" if isinstance(cell, str) and _is_formula(cell) else cell


def bare_cell(cell):
    """The cell that `guard_cell` was given."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell[1:]) else cell


def _is_formula(text):
    return bool(FORMULA.match(text)) and not NUMBER.fullmatch(text)


@contextmanager
def long_fields():
    """Let the csv module read fields of any length, for as long as this lasts."""
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


class _UnixLines:
    """Ends rows with a plain line feed: the csv module quotes only what ends its own rows."""

    def __init__(self, file):
        self.file = file

    def write(self, row):
        self.file.write(row.removesuffix("\r\n") + "\n")


def write_csv(path, header, rows):
    """Rows of cells under a header, as `read_csv` reads them back."""
    with replacing(path) as file:
        writer = csv.writer(_UnixLines(file), lineterminator="\r\n")
        writer.writerow(map(guard_cell, header))
        writer.writerows(map(guard_cell, row) for row in rows)


def read_csv(path):
    """Rows of a CSV of the study, as dicts; cells that a short row lacks are None."""
    rows = []
    try:
        with long_fields(), open(path, newline="", encoding="utf-8") as file:
            reader = csv.reader(file, strict=True)
            header = [bare_cell(name) for name in next(reader, [])]
            for row in filter(None, reader):
                if len(row) > len(header):
                    raise csv.Error(f"{len(row)} cells under {len(header)} columns")
                rows.append(dict(zip_longest(header, map(bare_cell, row))))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 (byte {error.start}); make the file anew") from error
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}; make the file anew") from error
    return rows


def digest(*paths):
    """A short fingerprint of the contents of files."""
    sha = hashlib.sha256()
    for path in paths:
        sha.update(Path(path).read_bytes())
    return sha.hexdigest()[:16]
