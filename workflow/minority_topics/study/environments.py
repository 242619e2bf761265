"""Build a tool's environment from the pip section of its conda file, with uv.

`envs/<name>.yaml` serves both ways: Snakemake gives it to conda (`--sdm conda`), and here its pins
go into `.venvs/<name>`, with all that they depend on as `envs/<name>.lock` lists it. A build that
fails is recorded, not raised: the fits that need it say so.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from .contract import digest, write_json
from .registry import ROOT, environment_files
from .uv import find_uv, uv_settings


class BuildError(RuntimeError):
    """An environment could not be built; the message is the tool's own last word."""


def read_pins(path):
    """The pip requirements of a conda environment file."""
    content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    sections = [entry["pip"] for entry in content["dependencies"] if isinstance(entry, dict)]
    return [pin for section in sections for pin in section]


def lock(definition):
    """Write `NAME.lock` beside `NAME.yaml`: all its packages, with versions and hashes.

    torch is left out: its build, and so its hash, is the machine's choice (see `uv.uv_settings`),
    its version the definition's.
    """
    definition = Path(definition).resolve()
    command = [_uv(), "pip", "compile", "-", "--output-file", str(definition.with_suffix(".lock"))]
    command += ["--quiet", "--upgrade", "--universal", "--python-version", "3.11"]
    command += ["--generate-hashes", "--no-annotate", "--no-header", "--no-emit-package", "torch"]
    # A local mirror may lack other platforms' files, and so their hashes: ask the main index alone.
    environ = {**uv_settings(), "UV_EXTRA_INDEX_URL": "", "UV_FIND_LINKS": ""}
    environ.pop("UV_TORCH_BACKEND", None)
    _run(command, environ, "\n".join(read_pins(definition)))


def build(definition, record):
    """Make a virtual environment as `definition` says, and write how it went to `record`.

    The environment of the record `NAME.json` is the folder `NAME` beside it.
    """
    definition, record = Path(definition).resolve(), Path(record).resolve()
    folder = record.with_suffix("")
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
        install += read_pins(definition)
        for locked in (path for path in files if path.suffix == ".lock"):
            install += ["--no-deps", "--requirement", str(locked)]
        _run(install)
        for script in (path for path in files if path.suffix == ".sh"):
            _run(["bash", str(script)], _activated(folder, uv))
    except BuildError as error:
        outcome.update(status="failed", reason=str(error))
    record.parent.mkdir(parents=True, exist_ok=True)
    write_json(record, outcome)
    return outcome


def failure(record):
    """Why an environment could not be built, or "" if it could."""
    outcome = json.loads(Path(record).read_text(encoding="utf-8"))
    return "" if outcome["status"] == "ok" else outcome["reason"]


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
    ran = subprocess.run(
        command, input=text, capture_output=True, text=True, cwd=ROOT,
        env=environ or uv_settings(), check=False,
    )  # fmt: skip
    sys.stderr.write(ran.stdout + ran.stderr)
    if ran.returncode:
        lines = [line.strip() for line in ran.stderr.splitlines() if line.strip()]
        cause = next(
            (line for line in lines if "error" in line.lower()), (lines or ["no output"])[-1]
        )
        raise BuildError(f"{Path(command[0]).name} failed: {cause}")
