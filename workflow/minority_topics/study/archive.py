"""Archives: results with all that is needed to make them again, in one file for deposit.

An archive is a zip file with the code in `code/`, results in `results/<dataset>/`, and
`ro-crate-metadata.json`, which names every file with its hash. The same results give the same
bytes. Texts of others are not in it, neither the files of the user nor results that quote them:
they are named with their hashes.
"""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ..base.files import copy_file, digest, is_fault_of_machine, read_json, replacing
from ..base.manifest import MANIFEST, check_manifest, state
from ..base.places import DEFINITIONS
from ..base.strict_yaml import read_yaml
from .environments import RecordError, read_record
from .paths import (
    CONFIGURATION,
    OWN_TOPICS,
    PROVENANCE,
    ROOT,
    SEAL,
    dataset_folder,
    environment_files,
    environment_record,
)
from .provenance import METADATA, RUN, commit, crate, data_entity, entities

RESULTS = ("tables", "figures", "resources")
# What a run must give again; time and memory of `resources` differ from run to run.
COMPARED = ("tables", "figures")
VARYING = ("summary.json",)
# Tables and pages that quote texts, or hold something of every single comment.
QUOTING = (
    "capped_comments.csv", "documents.parquet", "examples.csv", "explorer.html", "input_report.csv",
    "released_comments.csv", "report.html", "seed_free_sample.csv",
)  # fmt: skip
# The code, where git does not know it.
CODE_FOLDERS = ("config", "envs", "profiles", "workflow")
# A run of an archive: what was deposited lies here, and all else is made around it.
DEPOSITED = "deposited"
EARLIEST = (1980, 1, 1, 0, 0, 0)


class ArchiveError(ValueError):
    """An archive that cannot be made or run; the message says what to do."""


# Packing.


def complete_datasets():
    """Names of the datasets below the working folder whose results are complete."""
    found = sorted(path.parent.name for path in Path().glob(PROVENANCE.format(dataset="*")))
    if not found:
        raise ArchiveError("results: there is no complete dataset; run the study first")
    return found


def pack(datasets, out, root=ROOT):
    """Write the archive of datasets; what is named in it and must come from elsewhere."""
    files = {f"code/{name}": root / name for name in code_files(root)}
    needed, things, dates = [], [], []
    for dataset in datasets:
        found, quoting = _result_files(dataset)
        files |= {path.as_posix(): path for path in found}
        content = read_json(PROVENANCE.format(dataset=dataset))
        needed += [thing["url"] for thing in outside(content, files)] + quoting
        dates.append(entities(content)[RUN]["endTime"])
        things += _of_dataset(dataset, content, files)
    known = {thing["@id"] for thing in things}
    things += [data_entity(files[name], name) for name in sorted(files.keys() - known)]
    parts = [thing for thing in things if thing["@id"] in files]
    title = f"Results of {', '.join(datasets)}"
    described = crate(title, "Results, and the code that makes them.", max(dates), parts, things)
    with replacing(out, "wb") as file, zipfile.ZipFile(file, "w") as archive:
        _add(archive, METADATA, (json.dumps(described, indent=2, sort_keys=True) + "\n").encode())
        for name in sorted(files):
            _add(archive, name, files[name].read_bytes())
    return needed


def _add(archive, name, content):
    # No time and no owner: the same files give the same archive.
    entry = zipfile.ZipInfo(name, EARLIEST)
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def code_files(root):
    """Files of the code as they are on the disk: those that git knows, or all of the folders.

    New modules are part of it, and no other file that git does not know: it may be private.
    """
    if commit(root):
        new = _git_files(root, "--others", "--exclude-standard", "workflow")
        return sorted(name for name in _git_files(root) + new if (root / name).is_file())
    below = [path for folder in CODE_FOLDERS for path in (root / folder).rglob("*")]
    found = [path.relative_to(root) for path in (*root.iterdir(), *below) if path.is_file()]
    return sorted(path.as_posix() for path in found if not any(map(_is_left_out, path.parts)))


def _git_files(root, *words):
    command = ["git", "-C", str(root), "ls-files", "-z", *words]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return listed.split("\0")[:-1]


def _is_left_out(name):
    return name.startswith(".") or name == "__pycache__"


def _result_files(dataset):
    """Files of a dataset to pack, checked, and those that quote texts and are left out."""
    folder = dataset_folder(dataset)
    if not all(Path(path.format(dataset=dataset)).is_file() for path in (SEAL, PROVENANCE)):
        raise ArchiveError(f"{folder} is not complete; run the study to its end first")
    check_manifest(folder)
    listed = [folder / name for name in read_json(folder / MANIFEST)["files"]]
    for below in (folder / name for name in RESULTS if (folder / name).is_dir()):
        check_manifest(below)
        listed += [below / name for name in read_json(below / MANIFEST)["files"]]
    topics = Path(OWN_TOPICS.format(dataset=dataset))
    listed += [*folder.rglob(MANIFEST), *([topics] if topics.is_file() else [])]
    settings = read_yaml(CONFIGURATION.format(dataset=dataset))["datasets"][dataset]
    if settings["kind"] == "injected" and settings["background"] == "simulated":
        return listed, []
    quoting = [path for path in listed if path.name in QUOTING]
    return [path for path in listed if path not in quoting], [path.as_posix() for path in quoting]


def outside(content, files):
    """Inputs of a dataset that are not among the files of an archive."""
    things = entities(content)
    inputs = (things[link["@id"]] for link in things[RUN]["object"])
    return [thing for thing in inputs if "url" in thing and f"code/{thing['url']}" not in files]


def _of_dataset(dataset, content, files):
    """The things of a dataset's crate, renamed for a crate of several."""

    def name_of(old):
        path = (dataset_folder(dataset) / old).as_posix()
        if old.startswith("#"):
            return f"#{dataset}/{old[1:]}"
        return path if path in files else f"#{path}"

    def renamed(value):
        if isinstance(value, list):
            return [renamed(item) for item in value]
        return {"@id": name_of(value["@id"])} if isinstance(value, dict) else value

    for thing in content["@graph"]:
        if thing["@id"] in (METADATA, "./", "#licence"):
            continue
        new = {key: renamed(value) for key, value in thing.items()}
        new["@id"] = name_of(thing["@id"])
        if thing["@type"] == "File":
            new["name"] = new["@id"]
            new["@type"] = "DigitalDocument" if new["@id"].startswith("#") else "File"
        yield new


# Running again.


def reproduce(archive, folder, cores="all") -> Iterator[tuple[str, str]]:
    """Run an archive again in a folder, and compare as `compare` does."""
    datasets = unpack(archive, folder)
    for dataset in datasets:
        bring_inputs(folder, dataset)
    lend_environments(folder)
    for dataset in datasets:
        run_again(folder, dataset, cores)
    for dataset in datasets:
        yield from compare(folder, dataset)


def unpack(archive, folder):
    """Put an archive into a folder, as a project that can run; its datasets.

    What was deposited goes into a subfolder of its own. If the folder already holds this archive,
    the run continues; any other folder must be empty.
    """
    archive, folder = Path(archive), Path(folder)
    kept = folder / DEPOSITED
    known = kept / METADATA
    try:
        with zipfile.ZipFile(archive) as packed:
            described = packed.read(METADATA)
            if not known.is_file() or known.read_bytes() != described:
                if folder.exists() and any(folder.iterdir()):
                    raise ArchiveError(f"{folder} is not empty; remove it, or name another folder")
                _extract(archive, packed, folder)
                _check(archive, folder, json.loads(described))
                # Last: it says that the folder holds all of the archive.
                with replacing(known, "wb") as file:
                    file.write(described)
    except ArchiveError:
        raise
    except Exception as error:  # whatever a damaged file leads to
        if is_fault_of_machine(error):
            raise
        raise ArchiveError(
            f"{archive} is damaged, or no archive of results; get it again"
        ) from error
    return _datasets(kept)


def _extract(archive, packed, folder):
    """Write the files of an archive, but for its description."""
    names = (name for name in packed.namelist() if name != METADATA)
    # Manifests last: writing a file removes the manifest beside it.
    for name in sorted(names, key=lambda name: name.endswith(MANIFEST)):
        place = _place(archive, name, folder)
        with packed.open(name) as content, replacing(place, "wb") as file:
            shutil.copyfileobj(content, file)
        # As old as it says: environments that are built already are no older.
        os.utime(place, (0, 0))


def _place(archive, name, folder):
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or name.startswith("/") or "\\" in name or ":" in name:
        raise ArchiveError(f"{archive}: {name!r} is no name of a file in it; get it again")
    return folder.joinpath(*parts[1:]) if parts[0] == "code" else folder.joinpath(DEPOSITED, *parts)


def _check(archive, folder, described):
    for thing in described["@graph"]:
        name = thing["@id"]
        if thing["@type"] == "File" and state(_place(archive, name, folder)) != thing["sha256"]:
            raise ArchiveError(f"{archive}: {name} in it is damaged; get it again")


def _datasets(kept):
    return sorted(path.parent.name for path in kept.glob(PROVENANCE.format(dataset="*")))


def bring_inputs(folder, dataset):
    """Have the files that are not in the archive where its run needs them; ArchiveError if not."""
    kept, folder = Path(folder) / DEPOSITED, Path(folder)
    content = read_json(kept / PROVENANCE.format(dataset=dataset))
    for thing in outside(content, entities(read_json(kept / METADATA))):
        place, here = folder / thing["url"], Path(thing["url"])
        if state(place) != thing["sha256"] and state(here) == thing["sha256"]:
            copy_file(here, place)
        if state(place) != thing["sha256"]:
            raise ArchiveError(
                f"{thing['url']} is not in the archive, and the run needs it: put the file with "
                f"SHA-256 {thing['sha256']} at {place} and run again"
            )
    names = kept / OWN_TOPICS.format(dataset=dataset)
    if names.is_file():
        copy_file(names, folder / OWN_TOPICS.format(dataset=dataset))


def lend_environments(folder, root=ROOT):
    """Let a folder use the environments of `root` that are built from the same files."""
    folder = Path(folder)
    for definition in sorted((folder / DEFINITIONS).glob("*.yaml")):
        ours, mine = (environment_record(definition.stem, place) for place in (root, folder))
        if not mine.exists() and _is_built(definition, ours):
            copy_file(ours, mine)
            mine.with_suffix("").symlink_to(ours.resolve().with_suffix(""))


def _is_built(definition, record):
    """Whether an environment is built from the files of a definition, by its record."""
    try:
        outcome = read_record(record)
    except RecordError:
        return False
    is_same = outcome.get("digest") == digest(*environment_files(definition))
    return is_same and outcome["status"] == "ok"


def run_again(folder, dataset, cores="all"):
    """Run the study of an unpacked archive; ArchiveError if it does not come to its end."""
    folder = Path(folder).absolute()
    config = folder / DEPOSITED / CONFIGURATION.format(dataset=dataset)
    command = [sys.executable, "-m", "snakemake", "--snakefile", folder / "Snakefile"]
    command += ["--workflow-profile", folder / "profiles" / "default", "--directory", folder]
    command += ["--configfile", config, "--cores", cores, "--quiet", "host", "reason"]
    if subprocess.run(list(map(str, command)), cwd=folder, check=False).returncode:
        raise ArchiveError(
            f"{folder}: the run failed, see above; the same command goes on from there"
        )


def compare(folder, dataset) -> Iterator[tuple[str, str]]:
    """(file, "equal", "differs", "is missing" or "is new") of every table and figure."""
    folder = Path(folder)
    results = dataset_folder(dataset)
    before, now = (root / results for root in (folder / DEPOSITED, folder))
    for below in (name for name in COMPARED if (before / name).is_dir()):
        listed = read_json(before / below / MANIFEST)["files"]
        made = read_json(now / below / MANIFEST)["files"] if (now / below).is_dir() else {}
        for name in sorted({*listed, *made} - {*VARYING}):
            found = state(now / below / name)
            if name not in listed:
                verdict = "is new"
            elif found is None:
                verdict = "is missing"
            else:
                verdict = "equal" if found == listed[name]["sha256"] else "differs"
            yield (results / below / name).as_posix(), verdict
