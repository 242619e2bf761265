"""Manifests: what a folder held when it was complete, so that damage to it is seen.

`manifest.json` is written last and lists the size and the SHA-256 of every file of its folder, but
not of subfolders. Hidden files belong to the workflow, or to the system, and are not listed.
"""

import hashlib
import json
import os
import shutil
from pathlib import Path

from .files import write_json

MANIFEST = "manifest.json"
# Snakemake leaves it in a folder that is the output of a rule.
RULE_OUTPUT = ".snakemake_timestamp"
UNLISTED = f"is not listed in {MANIFEST}"
REPAIR = "`python -m minority_topics verify --repair results`"


class DamagedFolder(ValueError):
    """A folder that is not as it was written; the message names folder, file and remedy."""


def write_manifest(folder):
    """List the files of a folder that is complete."""
    folder = Path(folder)
    write_json(folder / MANIFEST, {name: _entry(folder / name) for name in _files(folder)})


def check_manifest(folder, *names):
    """Raise DamagedFolder unless these files, or all that were listed, are as they were."""
    folder = Path(folder)
    for name, problem, _ in _problems(folder, names):
        raise DamagedFolder(
            f"{folder / name} {problem}; remove {_output(folder)} and run again, or {REPAIR}"
        )


def verify(root, repair=False, marks=(), needed=(), removed=None):
    """Look through all manifests below `root`: yields (folder, file, problem).

    `marks` are names of files that only a folder with a manifest holds: where one lies without it,
    that is a problem too. If a manifest does not list one of these, or of those `needed`, that is
    damage. With `repair` a folder is removed where a file is damaged or
    missing, together with all that the same rule made, so that the next run makes it again; any
    other file that nobody listed is reported and kept. Folders that were removed are appended to
    the list `removed`.
    """
    for place, folders, files in os.walk(root):
        folders.sort()
        folder = Path(place)
        if MANIFEST not in files and not set(marks) & set(files):
            continue
        found = [*_problems(folder), *_foreign(folder, {*marks, *needed})]
        for name, problem, _ in found:
            yield folder, name, problem
        if repair and any(damaged for *_, damaged in found):
            folders.clear()
            output = _output(folder, root)
            shutil.rmtree(output)
            if removed is not None:
                removed.append(output)


def _problems(folder, names=()):
    """(file, problem, whether the folder is damaged) of what is wrong with listed files."""
    listed = _listed(folder)
    if isinstance(listed, str):
        yield MANIFEST, listed, True
        return
    for name in names or listed:
        if name not in listed:
            yield name, UNLISTED, True
        elif not (folder / name).is_file():
            yield name, "is missing", True
        elif _entry(folder / name) != listed[name]:
            yield name, "is damaged: it is not as it was written", True


def _foreign(folder, needed):
    listed = _listed(folder)
    for name in _files(folder) if isinstance(listed, dict) else []:
        if name not in listed:
            yield name, UNLISTED, name in needed


def _listed(folder):
    """The entries of a manifest by name of file, or what is wrong with it."""
    try:
        listed = json.loads((folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        return "is missing"
    except (ValueError, RecursionError):
        return "cannot be read"
    return listed if isinstance(listed, dict) else "is not a manifest"


def _output(folder, root=None):
    """The folder that one rule made, of which this one is a part; itself where no rule made it."""
    for parent in (folder, *folder.parents):
        if (parent / RULE_OUTPUT).exists():
            return parent
        if root is not None and parent == Path(root):
            break
    return folder


def _files(folder):
    return sorted(
        path.name
        for path in folder.iterdir()
        if path.is_file() and path.name != MANIFEST and not path.name.startswith(".")
    )


def _entry(path):
    with open(path, "rb") as file:
        sha = hashlib.file_digest(file, "sha256").hexdigest()
    return {"bytes": os.path.getsize(path), "sha256": sha}
