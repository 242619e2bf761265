"""Which files of the library a step depends on: edit one of them, and the step runs again.

Standard library alone, since the rules call it.
"""

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def modules(*names, package=PACKAGE):
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


@cache
def _imported(package, path):
    """Files that the relative imports of a file lead to, and the packages that it lies in."""
    found = [
        folder / "__init__.py"
        for folder in path.parents
        if package in folder.parents and (folder / "__init__.py").is_file()
    ]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for alias in node.names:
                found.append(_module(base / alias.name) or _module(base) or _missing(path, node))
    return [file for file in found if file != package / "__init__.py"]


def _module(path):
    """The file of a module or of a package, None if there is neither."""
    candidates = path.with_suffix(".py"), path / "__init__.py"
    return next((file for file in candidates if file.is_file()), None)


def _missing(path, node):
    raise ValueError(
        f"{path}, line {node.lineno}: it imports {node.module!r}, which the library does not have"
    )
