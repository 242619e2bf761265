"""What the project's files say of it agrees: versions, Pythons, what CI runs."""

import inspect
import re
import tomllib

import yaml

from minority_topics import ConstrainedNMF, __version__
from minority_topics.study.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = [name.split()[-1] for name in PROJECT["classifiers"] if ":: Python :: 3." in name]
WORKFLOW = (ROOT / ".github" / "workflows" / "tests.yaml").read_text(encoding="utf-8")


def test_citation_has_the_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert [author["name"] for author in citation["authors"]] == [
        author["name"] for author in PROJECT["authors"]
    ]


def test_the_oldest_and_newest_python_are_tested():
    assert f">={PYTHONS[0]}" == PROJECT["requires-python"]
    tested = yaml.safe_load(WORKFLOW)["jobs"]["model"]["strategy"]["matrix"]["python"]
    assert tested == [PYTHONS[0], PYTHONS[-1]]


def test_readme_names_the_pythons_of_the_package():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    oldest, newest = PYTHONS[0], PYTHONS[-1]
    assert f"the study itself runs in Python {oldest} to {newest}," in readme
    assert f"on Linux, macOS and Windows, for Python {oldest} or newer" in readme


def test_workflow_names_files_that_are_there():
    files = re.findall(r"tests/\w+/\w+\.py", WORKFLOW)
    assert files
    assert [path for path in files if not (ROOT / path).is_file()] == []


def test_uv_is_locked_with_hashes_for_the_bootstrap():
    """The Makefile cuts it out of requirements.lock."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entry = re.search(r"^uv==\S+ \\\n(?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+", lock, re.M)
    assert entry
    assert entry.group().count("--hash") > 10


def test_the_models_own_methods_have_types():
    """py.typed promises them."""
    own = {name: member for name, member in vars(ConstrainedNMF).items() if name[0] != "_"}
    methods = {name: member for name, member in own.items() if inspect.isfunction(member)}
    assert {"fit", "fit_transform", "partial_fit", "transform"} <= set(methods)
    for name, method in {**methods, "__init__": ConstrainedNMF.__init__}.items():
        signature = inspect.signature(method)
        parameters = [p for p in signature.parameters.values() if p.name != "self"]
        untyped = [p.name for p in parameters if p.annotation is inspect.Parameter.empty]
        assert not untyped, f"{name}: {untyped}"
        assert name == "__init__" or signature.return_annotation is not inspect.Signature.empty, (
            name
        )
