"""Build a tool's environment from the pip section of its conda file, with uv.

`envs/<name>.yaml` serves both ways: Snakemake gives it to conda (`--sdm conda`), and here its pins
go into `.venvs/<name>`, with all that they depend on as `envs/<name>.lock` lists it. A build that
fails is recorded, not raised: the fits that need it say so, and the next run builds it and repeats
them.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ..base.files import digest, write_json
from ..base.processes import signal_name
from .paths import ROOT, environment_files
from .uv import find_uv, uv_settings

BUILD_MINUTES = 60
# Why a fit failed whose tool is not there: the name of the environment, and what went wrong.
NOT_BUILT = "environment {}: {}"
# What packages that come as sources are built with.
BUILD_LOCK = ROOT / "envs" / "build.lock"


class BuildError(OSError):
    """An environment could not be built; the message is the tool's own last word."""


class RecordError(ValueError):
    """The record of an environment that cannot be read; the message says what to do."""


def read_pins(path: str | Path) -> list[str]:
    """The pip requirements of a conda environment file."""
    import yaml

    content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    sections = [entry["pip"] for entry in content["dependencies"] if isinstance(entry, dict)]
    return [pin for section in sections for pin in section]


def lock(definition: str | Path) -> None:
    """Write `NAME.lock` beside `NAME.yaml`: all its packages, with versions and hashes.

    torch is left out: its builds are locked in `torch.lock`, by hand.
    """
    definition = Path(definition).resolve()
    command = ["pip", "compile", "-", "--output-file", str(definition.with_suffix(".lock"))]
    command += ["--quiet", "--upgrade", "--universal", "--python-version", "3.11"]
    command += ["--generate-hashes", "--no-annotate", "--no-header", "--no-emit-package", "torch"]
    # A local mirror may lack other platforms' files, and so their hashes: ask only the main index.
    environ = {**uv_settings(), "UV_EXTRA_INDEX_URL": "", "UV_FIND_LINKS": ""}
    environ.pop("UV_TORCH_BACKEND", None)
    try:
        _run([_uv(), *command], environ, "\n".join(read_pins(definition)))
    except BuildError as error:
        raise BuildError(f"{definition}: {error}; mend that, and lock again") from error


def build(definition: str | Path, record: str | Path) -> dict:
    """Make a virtual environment as `definition` says, and write how it went to `record`.

    The environment of the record `NAME.json` is the folder `NAME` beside it. The record is
    deleted first and written last, so that an interrupted build has none.
    """
    definition, record = Path(definition).resolve(), Path(record).resolve()
    folder = record.with_suffix("")
    record.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    files = environment_files(definition)
    outcome = {
        "environment": definition.stem,
        "digest": digest(*files),
        "status": "ok",
        "reason": "",
    }
    try:
        uv = _uv()
        _run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)])
        install = [uv, "pip", "install", "--quiet", "--python", str(folder / "bin" / "python")]
        install += ["--build-constraints", str(BUILD_LOCK)]
        _run(install + _requirements(definition, files))
        for script in (path for path in files if path.suffix == ".sh"):
            _run(["bash", str(script)], _activated(folder, uv))
        outcome["entries"] = len(_entries(folder))
    except BuildError as error:
        outcome.update(status="failed", reason=str(error))
    record.parent.mkdir(parents=True, exist_ok=True)
    write_json(record, outcome)
    return outcome


def _requirements(definition, files):
    """Words that tell uv what to install: the locks, by hashes, or the pins where there is none."""
    pins = read_pins(definition)
    locks = [path for path in files if path.suffix == ".lock"]
    if not locks:
        return pins
    text = "".join(path.read_text(encoding="utf-8") for path in locks)
    for pin in pins:
        if not re.search(rf"^{re.escape(pin)}[\s;]", text, re.MULTILINE):
            raise BuildError(f"{locks[0].name} does not have {pin}: run make lock")
    return ["--no-deps", "--require-hashes", *(f"--requirement={path}" for path in locks)]


def read_record(record: str | Path) -> dict:
    """What `build` wrote; raises RecordError."""
    remedy = "remove it, and the next run builds the environment again"
    try:
        outcome = json.loads(Path(record).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise RecordError(f"{record} cannot be read ({type(error).__name__}); {remedy}") from error
    wanted = {"status": str, "reason": str}
    if not isinstance(outcome, dict) or not all(
        isinstance(outcome.get(key), kind) for key, kind in wanted.items()
    ):
        raise RecordError(f"{record} is not the record of an environment; {remedy}")
    return outcome


def failure(record: str | Path) -> str:
    """Why an environment could not be built, or "" if it could."""
    outcome = read_record(record)
    return "" if outcome["status"] == "ok" else outcome["reason"] or "no reason is recorded"


def forget_broken(folder: str | Path) -> Iterator[str]:
    """Remove the records in `folder` of environments that are not whole, so that they are built.

    Yields a sentence for each that was whole once. One that could not be built is forgotten too.
    """
    for record in sorted(Path(folder).glob("*.json")):
        try:
            outcome = read_record(record)
            damage = _damage(record, outcome) if outcome["status"] == "ok" else ""
        except RecordError as error:
            outcome, damage = {"status": "unknown"}, f"{error}".split(";")[0]
        if damage or outcome["status"] != "ok":
            record.unlink()
        if damage:
            yield f"{damage}: the environment is built again"


def forget_unbuilt(root: str | Path) -> Iterator[str]:
    """Remove the batches of fits below `root` whose environment could not be built.

    Yields a sentence for each environment. What is there is not made again otherwise, and a tool
    that the network or a compiler was missing for would stay a row of failures.
    """
    batches = {}
    for status in sorted(Path(root).rglob("status.json")):
        # A damaged file is what manifests are for.
        with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
            reason = json.loads(status.read_bytes())["reason"]
            if match := re.match(NOT_BUILT.format(r"(\S+)", ""), reason):
                batches.setdefault(match[1], set()).add(status.parents[1])
    for name, folders in batches.items():
        for folder in folders:
            shutil.rmtree(folder)
        yield f"{root}: environment {name} could not be built by an earlier run and is tried again"


def _damage(record, outcome):
    """What is missing of an environment that was built, "" if nothing is."""
    folder = record.with_suffix("")
    if not (folder / "bin" / "python").exists():
        return f"{folder} has no Python"
    found, built = len(_entries(folder)), outcome.get("entries", 0)
    if isinstance(built, int) and found < built:
        return f"{folder} has {found} of its {built} packages and files"
    return ""


def _entries(folder):
    """What packages have put into an environment, at its top."""
    found = Path(folder).glob("lib/python*/site-packages/*")
    return [path for path in found if path.name != "__pycache__"]


def _uv():
    uv = find_uv()
    if not uv:
        raise BuildError("uv is not installed: pip install uv, or run with --sdm conda")
    return uv


def _activated(folder, uv):
    settings = uv_settings()
    settings["VIRTUAL_ENV"] = settings["CONDA_PREFIX"] = str(folder)
    settings["PATH"] = os.pathsep.join(
        [str(folder / "bin"), str(Path(uv).parent), settings.get("PATH", "")]
    )
    return settings


def _run(command, environ=None, text=None):
    name = Path(command[0]).name
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, errors="replace", cwd=ROOT,
            env=environ or uv_settings(),
            start_new_session=True,  # so that it can be killed with its children
        )  # fmt: skip
    except OSError as error:
        raise BuildError(f"{name} could not be started: {error}") from error
    try:
        printed, complaints = process.communicate(text or "", timeout=60 * BUILD_MINUTES)
    except BaseException as error:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise BuildError(f"{name} was stopped after {BUILD_MINUTES} minutes") from error
        raise
    sys.stderr.write(printed + complaints)
    code = process.returncode
    if code < 0:
        raise BuildError(f"{name} was killed (signal {signal_name(-code)})")
    if code:
        lines = [line.strip() for line in complaints.splitlines() if line.strip()]
        cause = next(
            (line for line in lines if "error" in line.lower()), (lines or ["no output"])[-1]
        )
        raise BuildError(f"{name} failed: {cause}")
