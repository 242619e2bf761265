"""Which files of the library a step depends on: edit one of them, and the step runs again.

Standard library alone, since the rules call it.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ..base.places import PACKAGE

# A relative import, with its names in brackets or up to the end of the line. All files are read at
# each start of a run: Python's own parser takes six times as long (a test compares the two).
RELATIVE = re.compile(
    r"^[ \t]*from[ \t]+(?P<dots>\.+)(?P<module>[\w.]*)[ \t]+import[ \t]*"
    r"(?:\((?P<within>[^)]*)\)|(?P<names>[^(#\n]+))",
    re.MULTILINE,
)
NAME = re.compile(r"(?:^|,)\s*(\w+)")
COMMENT = re.compile(r"#.*")


def modules(*names: str, package: Path = PACKAGE) -> list[str]:
    """Files of some modules, named from the library's root, and of all that they import.

    A package means all its files. A name that is neither is an error: a step that depends on
    nothing would never run again.
    """
    found: set[Path] = set()
    waiting = [path for name in names for path in _named(package, name)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imported(package, path) if path.suffix == ".py" else []
    return sorted(map(str, found))


def _named(package, name):
    path = package.joinpath(*name.split("."))
    if path.with_suffix(".py").is_file():
        return [path.with_suffix(".py")]
    files = [file for file in sorted(path.glob("*")) if file.is_file()]
    if not files:
        raise ValueError(f"the library has no module or package {name!r} in {package}")
    return files


def relative_imports(text: str) -> Iterator[tuple[int, int, str, list[str]]]:
    """The relative imports of a file's text: line, level, module and names of each."""
    for found in RELATIVE.finditer(text):
        names = NAME.findall(COMMENT.sub("", found["within"] or found["names"]))
        line = text.count("\n", 0, found.start("dots")) + 1
        yield line, len(found["dots"]), found["module"], names


@cache
def _imported(package, path):
    """Files that the relative imports of a file lead to, and the packages that it lies in."""
    found = [
        folder / "__init__.py"
        for folder in path.parents
        if package in folder.parents and (folder / "__init__.py").is_file()
    ]
    for line, level, module, names in relative_imports(path.read_text(encoding="utf-8")):
        base = path.parents[level - 1].joinpath(*module.split("."))
        for name in names:
            found.append(_module(base / name) or _module(base) or _missing(path, line, module))
    return [file for file in found if file != package / "__init__.py"]


def _module(path):
    """The file of a module or of a package, None if there is neither."""
    candidates = path.with_suffix(".py"), path / "__init__.py"
    return next((file for file in candidates if file.is_file()), None)


def _missing(path, line, module):
    raise ValueError(f"{path}, line {line}: it imports {module!r}, which the library does not have")
