"""Every file goes through the one writer, `base.files.replacing`: whole, or not at all.

The source is read, not run: a module that opens a file for writing, or hands a path to a function
that would, is found whether or not a test comes by.
"""

import ast

import pytest

from minority_topics.study.paths import PACKAGE

WRITER = PACKAGE / "base" / "files.py"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != WRITER)
# Functions and methods that open what they are given, wherever it stands.
SAVERS = {
    "ParquetWriter", "Workbook", "ZipFile", "save_npz", "savefig", "savez", "savez_compressed",
    "to_csv", "to_excel", "to_json", "to_parquet", "tofile",
}  # fmt: skip
# Methods of paths and functions of modules that write, and that no open file could replace.
NEVER = {"write_bytes", "copyfile", "copy2", "copytree", "mkstemp", "NamedTemporaryFile", "fdopen"}
# An answer to the process that started this one, not a file.
PIPES = {("methods/worker.py", "fdopen")}


def name_of(call):
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def owner_of(call):
    """`np` of `np.save(...)`, "" of a plain name."""
    value = getattr(call.func, "value", None)
    return getattr(value, "id", "")


def mode_of(call):
    """The mode that a file is opened with; None where it is told elsewhere."""
    given = [word.value for word in call.keywords if word.arg == "mode"]
    # Path.open has the mode first, the function second.
    place = 0 if isinstance(call.func, ast.Attribute) and owner_of(call) != "io" else 1
    given += call.args[place : place + 1]
    return given[0].value if given and isinstance(given[0], ast.Constant) else ""


def handles(tree):
    """Names that are open files, or memory: from `replacing`, StringIO or BytesIO."""
    found = set()
    for node in ast.walk(tree):
        pairs = []
        if isinstance(node, ast.With):
            pairs = [(item.context_expr, item.optional_vars) for item in node.items]
        elif isinstance(node, ast.Assign):
            pairs = [(node.value, target) for target in node.targets]
        for value, target in pairs:
            names = {name_of(call) for call in ast.walk(value) if isinstance(call, ast.Call)}
            if names & {"replacing", "StringIO", "BytesIO"} and isinstance(target, ast.Name):
                found.add(target.id)
    return found


def faults(path, tree):
    """Line and name of every call that writes a file in another way."""
    open_files = handles(tree)
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name, owner = name_of(call), owner_of(call)
        arguments = {getattr(argument, "id", "") for argument in call.args}
        if name == "open" and owner not in ("archive", "packed"):  # members of a zip file
            if owner == "os" or set(str(mode_of(call))) & set("wax+"):
                yield call.lineno, name
        elif name in SAVERS or (owner, name) == ("np", "save"):
            reads = name == "ZipFile" and len(call.args) == 1
            if not reads and not arguments & open_files:
                yield call.lineno, name
        elif name in NEVER or (isinstance(call.func, ast.Attribute) and name == "write_text"):
            if (path, name) not in PIPES:
                yield call.lineno, name
        elif (owner, name) in {
            ("os", "rename"),
            ("os", "replace"),
            ("os", "link"),
            ("shutil", "move"),
        }:
            yield call.lineno, name


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_writes_by_the_one_writer_alone(module):
    name = module.relative_to(PACKAGE).as_posix()
    assert list(faults(name, ast.parse(module.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    "code",
    [
        "open(path, 'w')",
        "open(path, mode='ab')",
        "path.open('r+')",
        "os.open(path, os.O_RDWR)",
        "Path(path).write_text('a')",
        "path.write_bytes(b'')",
        "np.save(path, array)",
        "sp.save_npz(path, matrix)",
        "frame.to_csv(path)",
        "figure.savefig(path)",
        "pq.ParquetWriter(path, schema)",
        "zipfile.ZipFile(path, 'w')",
        "shutil.copyfile(a, b)",
        "os.replace(a, b)",
    ],
)
def test_another_way_to_write_is_found(code):
    assert list(faults("module.py", ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "open(path)",
        "open(path, 'rb')",
        "path.open('rb')",
        "zipfile.ZipFile(path)",
        "write_text(path, 'a')",
        "with replacing(path, 'wb') as file:\n    np.save(file, array)",
        "text = io.StringIO()\nfigure.savefig(text)",
    ],
)
def test_what_reads_or_goes_through_the_writer_is_not(code):
    assert not list(faults("module.py", ast.parse(code)))
