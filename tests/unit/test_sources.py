"""Files that a step depends on: none is lost without a word."""

from pathlib import Path

import pytest

from minority_topics.study.sources import PACKAGE, modules


def names(*wanted, package=PACKAGE):
    return {str(Path(path).relative_to(package)) for path in modules(*wanted, package=package)}


def test_imports_are_followed_through_packages():
    found = names("methods.bertopic")
    assert {"methods/bertopic.py", "methods/contract.py", "methods/shared/embeddings.py"} <= found
    assert "methods/shared/__init__.py" in found
    assert not any(name.startswith("nmf/") for name in found)


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
