"""Files that a step depends on: none is lost without a word."""

import ast
from pathlib import Path

import pytest

from minority_topics.study.sources import PACKAGE, modules, relative_imports


def names(*wanted, package=PACKAGE):
    return {str(Path(path).relative_to(package)) for path in modules(*wanted, package=package)}


def test_imports_are_followed_through_packages():
    found = names("methods.bertopic")
    assert {"methods/bertopic.py", "methods/contract.py", "methods/shared/embeddings.py"} <= found
    assert "methods/shared/__init__.py" in found
    assert not any(name.startswith("nmf/") for name in found)


def imports_by_the_parser(text):
    return [
        (node.lineno, node.level, node.module or "", [alias.name for alias in node.names])
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.level
    ]


HARD = """\
from . import one
from .a import x as y, z  # (from .no import way
from ..b.c import (
    first,  # from here
    second as other,
)
from os import path
def lazily():
    if True:
        from ...d import deep
    return lazily
from .e import (f)
"""


def test_imports_are_those_that_python_sees():
    texts = [path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))]
    for text in [*texts, HARD]:
        assert sorted(relative_imports(text)) == sorted(imports_by_the_parser(text))
    assert len(list(relative_imports(HARD))) == 5


def test_a_package_means_its_files():
    assert "report/templates/report.html.jinja" in names("report.templates")
    assert {"nmf/model.py", "nmf/kernels.py"} <= names("nmf")


@pytest.mark.parametrize("name", ["metods.nmf", "methods.nfm", "nothing"])
def test_an_unknown_name_is_an_error(name):
    with pytest.raises(ValueError, match=f"no module or package '{name}'"):
        modules(name)


def test_an_import_of_what_is_not_there_is_an_error(tmp_path):
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "one.py").write_text("from .gone import it\n")
    with pytest.raises(ValueError, match="line 1: it imports 'gone'"):
        modules("room.one", package=tmp_path)


def test_a_package_of_packages_is_imported_by_its_parts(tmp_path):
    for folder in (tmp_path, tmp_path / "room"):
        folder.mkdir(exist_ok=True)
        (folder / "__init__.py").write_text("")
    (tmp_path / "room" / "part.py").write_text("")
    (tmp_path / "top.py").write_text("from .room import part\n")
    assert names("top", package=tmp_path) == {"top.py", "room/part.py", "room/__init__.py"}
