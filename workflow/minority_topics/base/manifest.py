"""Manifests: what a folder held when it was complete, and what that was made from.

`manifest.json` is written last. It lists the size and the SHA-256 of every file of its folder, but
not of subfolders, and says what they were made by: a hash of the settings, the modules of the
library that were at work, the lock of the environment, and the inputs. An input that is a folder is
known by its own manifest. So damage is seen, and so is what was made from something else than what
is there now. Hidden files belong to the workflow, or to the system, and are not listed.

The manifest of a dataset also has `parts`: the folders below it that are its results. Where several
steps fill a folder, its files are `separate`: one can be made again without the others.

Only the standard library, since the Snakefile looks at results before it runs.
"""

import hashlib
import json
import os
import shutil
import sys
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .. import __version__
from .files import MANIFEST, read_json, write_json
from .places import DEFINITIONS, ENVIRONMENTS, PACKAGE, REPOSITORY

# Snakemake leaves it in a folder that is the output of a rule.
RULE_OUTPUT = ".snakemake_timestamp"
UNLISTED = f"is not listed in {MANIFEST}"
# Rooms of the library that make nothing, but ask others to.
ASKING = ("__main__.py", "cli", "study")
# Problems of a folder that are told one by one before a run.
MOST_TOLD = 5


class DamagedFolder(ValueError):
    """A folder that is not as it was written; the message names folder, file and remedy."""


class Problem(NamedTuple):
    """What is wrong with a file: `kind` is damaged, missing, stale or foreign."""

    folder: Path
    name: str
    text: str
    kind: str


# Writing.


def write_manifest(folder, settings=None, inputs=(), *, made_by=None, names=None, **more):
    """List the files of a folder that is complete, or of these `names`.

    `settings` and `inputs` are those of the step that made them; `made_by` is what `describe_step`
    gave, where a step does it by itself. `more` are further entries: `separate`, `parts`, and
    `varying`, the names of files that tell times.
    """
    folder = Path(folder)
    files = {name: _entry(folder / name) for name in sorted(names or _files(folder))}
    made_by = made_by or describe_step(settings, inputs)
    write_json(folder / MANIFEST, {"files": files, "made_by": made_by, **more})


def describe_step(settings=None, inputs=(), modules=None, prefix=sys.prefix):
    """What files were made by; nothing in it depends on time or machine.

    `modules` are files of the library, by default those that are loaded; `prefix` is the folder of
    the environment.
    """
    text = json.dumps(settings or {}, sort_keys=True, default=str)
    modules = sorted(loaded_modules() if modules is None else modules)
    lock = lock_of(prefix)
    return {
        "configuration": hashlib.sha256(text.encode()).hexdigest(),
        "code": {"version": __version__, "modules": modules, "sha256": code_state(tuple(modules))},
        "environment": {_name(lock): state(lock)} if lock else {},
        "inputs": {_name(path): state(path) for path in inputs},
    }


def loaded_modules():
    """Modules of the library that are at work here, as paths in it.

    Those of the command line and of the study only say what to do, which the settings tell as well.
    """
    ours = (PACKAGE.name, "__main__")
    loaded = (module for name, module in [*sys.modules.items()] if name.split(".")[0] in ours)
    files = (getattr(module, "__file__", None) for module in loaded)
    found = (Path(file).resolve() for file in files if file and file.endswith(".py"))
    names = (path.relative_to(PACKAGE) for path in found if PACKAGE in path.parents)
    return [name.as_posix() for name in names if name.parts[0] not in ASKING]


@cache
def code_state(modules):
    """One SHA-256 for modules of the library; None if one is not there."""
    states = [state(PACKAGE / name) for name in modules]
    return None if None in states else hashlib.sha256("".join(states).encode()).hexdigest()


def lock_of(prefix):
    """The file that pins the packages of an environment, None if there is none."""
    prefix = Path(prefix)
    if prefix.parent.name == ENVIRONMENTS:
        lock = prefix.parents[1] / DEFINITIONS / f"{prefix.name}.lock"
    elif prefix.name == ".venv":
        lock = prefix.with_name("requirements.lock")
    else:  # an environment of conda, which Snakemake keeps beside its definition
        lock = Path(f"{prefix}.yaml")
    return lock if lock.is_file() else None


def state(path):
    """The SHA-256 of a file, or of a folder's manifest; None if it is not there.

    A folder without a manifest is known by all manifests below it. Files that differ from run to
    run, since they tell times, are left out: what is made from the folder does not depend on them.
    """
    path = Path(path)
    if path.is_file():
        return _sha256(path)
    if (path / MANIFEST).is_file():
        return _state_of_manifest(path)
    below = sorted(path.rglob(MANIFEST))
    lines = (f"{f.relative_to(path).as_posix()} {_state_of_manifest(f.parent)}\n" for f in below)
    return hashlib.sha256("".join(lines).encode()).hexdigest() if below else None


def _state_of_manifest(folder):
    content = _read(folder)
    if isinstance(content, str):
        return _sha256(folder / MANIFEST)
    varying = content.get("varying", ())
    files = {name: entry for name, entry in content["files"].items() if name not in varying}
    text = json.dumps({**content, "files": files}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _name(path):
    """How a manifest names a file: from the working folder or the repository, if it lies in one.

    One of the two may lie in the other: the inner one counts.
    """
    path = Path(path).absolute()
    for parent in path.parents:
        if parent in (Path.cwd(), REPOSITORY):
            return path.relative_to(parent).as_posix()
    return str(path)


def _found(name):
    """Where a file is that a manifest names."""
    here = Path.cwd() / name
    return here if here.exists() else REPOSITORY / name


# Reading.


def check_manifest(folder, *names, remedy=None):
    """Raise DamagedFolder unless these files, or all that were listed, are as they were.

    `remedy` is what to do about it where the folder is not one that a run makes again.
    """
    folder = Path(folder)
    for _, name, text, _ in _damage(folder, _read(folder), names):
        made = _output(folder)
        remedy = remedy or (
            f"remove {made} and run again, or `python -m minority_topics verify --repair {made}`"
        )
        raise DamagedFolder(f"{folder / name} {text}; {remedy}")


def refuse_foreign_manifest(folder):
    """Raise ValueError if `write_manifest` would overwrite a file that is not a manifest."""
    path = Path(folder) / MANIFEST
    if path.exists() and isinstance(text := _read(path.parent), str):
        raise ValueError(f"{path} {text} and would be overwritten; save to another folder")


def check_file(path):
    """Raise DamagedFolder if the manifest beside a file lists it otherwise than it is.

    For files of folders that several steps fill: until all is made there is no manifest.
    """
    path = Path(path)
    content = _read(path.parent)
    if isinstance(content, dict) and path.name in content["files"]:
        for _, name, text, _ in _damage(path.parent, content, [path.name]):
            raise DamagedFolder(f"{path.parent / name} {text}; remove it and run again")


def is_as_made(folder):
    """Whether a folder is complete, as it was written, and made by the code that is there now."""
    folder = Path(folder)
    content = _read(folder)
    is_whole = isinstance(content, dict) and not any(_damage(folder, content))
    return is_whole and not _is_of_other_code(content)


# Looking after results.


def verify(root, marks=(), needed=(), own=()):
    """All problems of the folders below `root`, by their manifests.

    `marks` are names of files that only a folder with a manifest holds: where one lies without it,
    that is a problem too. If a manifest does not list one of these, or of those `needed`, that is
    damage; of any other file it is foreign, but for those in `own`, which are the user's.
    """
    manifests = dict(_manifests(root, marks))
    known = cache(state)
    for folder, content in manifests.items():
        yield from _damage(folder, content)
        if isinstance(content, dict):
            yield from _unlisted(folder, content, {*marks, *needed}, own)
            yield from _stale(folder, content, known)
            if parts := content.get("parts"):
                yield from _parts(folder, parts, manifests, known)


def glance(root):
    """Problems that can be seen without reading the files: for a look before every run.

    A file that is missing, or has another size, or was written after its manifest and differs from
    it. Folders that their rule has not finished are left to Snakemake.
    """
    for folder, content in _manifests(root):
        is_finished = (_output(folder, root) / RULE_OUTPUT).exists()
        if isinstance(content, str) or _is_separate(content) or is_finished:
            yield from _damage(folder, content, quick=True)
        for part in content.get("parts", ()) if isinstance(content, dict) else ():
            if not (folder / part / MANIFEST).exists():
                yield Problem(folder / part, MANIFEST, "is missing", "missing")


def forget_spoilt(root):
    """Remove what `glance` finds, for the next run to make; yields a sentence for each problem."""
    problems = list(glance(root))
    repair(problems, root)
    for problem in problems[:MOST_TOLD]:
        yield f"{problem.folder / problem.name} {problem.text}: it is made again"
    if len(problems) > MOST_TOLD:
        yield f"{root}: {len(problems) - MOST_TOLD} more are missing or damaged, and made again"


def bring_to_present(paths):
    """Set times that are still to come to now, since Snakemake would refuse; yields a sentence.

    The clock was set back after they were made, or is behind that of another machine.
    """
    now = time.time_ns()
    late = [path for path in paths if path.lstat().st_mtime_ns > now]
    for path in late:
        os.utime(path, ns=(now, now), follow_symlinks=False)
    if late:
        more = f", like {len(late) - 1} more," if len(late) > 1 else ""
        yield f"{late[0]}{more} has a time in the future; it was set to now"


def repair(problems, root):
    """Remove what is damaged, incomplete or stale, so that the next run makes it; what was removed.

    What a rule made as a whole goes as a whole. Of other folders the files go that are listed or,
    where they are separate, the one file. Foreign files stay: nobody would make them again.
    """
    problems = [problem for problem in problems if problem.kind != "foreign"]
    # All of it before anything goes: manifests tell what belongs together.
    spoilt = dict.fromkeys(path for problem in problems for path in _spoilt(problem, root))
    for folder in {place for problem in problems for place in _above(problem.folder)}:
        (folder / MANIFEST).unlink(missing_ok=True)
    removed = [path for path in spoilt if path.exists()]
    for path in removed:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return removed


def _spoilt(problem, root):
    """What must be made again because of a problem."""
    folder, output, content = problem.folder, _output(problem.folder, root), _read(problem.folder)
    if (output / RULE_OUTPUT).exists():
        return [output]
    if isinstance(content, dict):
        alone = _is_separate(content) and problem.kind != "stale"
        names = [problem.name] if alone else [*content["files"], MANIFEST]
    elif (folder / MANIFEST).exists() or problem.kind == "missing":
        names = [MANIFEST]  # the files are kept; only the manifest is made again
    else:
        names = _files(folder)
    return [folder / name for name in names]


def _above(folder):
    """A folder and those above it whose manifests are renewed when anything is made again."""
    return [place for place in (folder, *folder.parents) if _is_separate(_read(place))]


def _is_separate(content):
    return isinstance(content, dict) and content.get("separate") is True


def _manifests(root, marks=()):
    """Folders that have a manifest, or should have one, with what `_read` gives of it."""
    for place, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if MANIFEST in files or set(marks) & set(files):
            yield Path(place), _read(Path(place))


def _read(folder):
    """What the manifest of a folder says, or what is wrong with it."""
    try:
        content = read_json(folder / MANIFEST)
    except FileNotFoundError:
        return "is missing"
    except ValueError:
        return "cannot be read"
    return content if _is_manifest(content) else "is not a manifest"


def _is_manifest(content):
    try:
        made_by, parts = content["made_by"], content.get("parts", {})
        modules = made_by["code"]["modules"]
        tables = content["files"], made_by["inputs"], made_by["environment"], parts
    except (TypeError, KeyError):
        return False
    are_names = isinstance(modules, list) and all(isinstance(name, str) for name in modules)
    return are_names and all(isinstance(table, dict) for table in tables)


def _damage(folder, content, names=(), quick=False):
    if isinstance(content, str):
        yield Problem(folder, MANIFEST, content, "damaged")
        return
    written = (folder / MANIFEST).stat().st_mtime_ns if quick else None
    if written is not None and written > time.time_ns():
        written = None  # the clock was set back since, and times tell nothing
    for name in names or content["files"]:
        listed, path = content["files"].get(name), folder / name
        if listed is None:
            yield Problem(folder, name, UNLISTED, "damaged")
        elif not path.is_file():
            yield Problem(folder, name, "is missing", "missing")
        elif not _is_as_listed(path, listed, written):
            yield Problem(folder, name, "is damaged: it is not as it was written", "damaged")


def _is_as_listed(path, listed, written):
    """Whether a file is as its manifest says; one that is older than that is believed."""
    if written is not None and isinstance(listed, dict):
        facts = path.stat()
        if facts.st_size == listed.get("bytes") and facts.st_mtime_ns < written:
            return True
    return _entry(path) == listed


def _unlisted(folder, content, needed, own):
    for name in _files(folder):
        if name not in content["files"] and name not in own:
            yield Problem(folder, name, UNLISTED, "damaged" if name in needed else "foreign")


def _stale(folder, content, known):
    """Yield a problem if inputs, environment or code have changed; missing inputs are ignored."""
    made_by = content["made_by"]
    reasons = [
        f"{name} has changed since"
        for kind in ("inputs", "environment")
        for name, before in made_by[kind].items()
        if (now := known(_found(name))) is not None and now != before
    ]
    if _is_of_other_code(content):
        reasons.append("the code that made it has changed since")
    if reasons:
        yield Problem(folder, MANIFEST, f"is stale: {reasons[0]}", "stale")


def _is_of_other_code(content):
    code = content["made_by"]["code"]
    return code_state(tuple(code["modules"])) != code.get("sha256")


def _parts(folder, parts, manifests, known):
    for part, before in parts.items():
        now = known(folder / part)
        if isinstance(manifests.get(folder / part), str):
            continue  # told already
        if now is None:
            yield Problem(folder / part, MANIFEST, "is missing", "missing")
        elif now != before:
            text = f"is stale: {folder / part} has changed since"
            yield Problem(folder, MANIFEST, text, "stale")
    tops = {Path(part).parts[0] for part in parts}
    for other in manifests:
        below = other.relative_to(folder) if folder in other.parents else None
        if below and below.parts[0] in tops and below.as_posix() not in parts:
            text = "is of another configuration than the results of its dataset"
            yield Problem(other, "", text, "foreign")


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
    return {"bytes": os.path.getsize(path), "sha256": _sha256(path)}


def _sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
