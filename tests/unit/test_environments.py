"""Environments: pins out of the conda file, pip's settings handed on to uv, failures recorded."""

import json

import pytest

from minority_topics.environments import build, failure, read_pins
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
