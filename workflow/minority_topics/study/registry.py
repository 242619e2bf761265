"""The table of methods. Needs the standard library alone, since the rules use it."""

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from ..base.files import read_text
from ..base.places import PACKAGE
from ..base.text import find_control, is_line, refuse_constant, shown, stands_twice
from .paths import environment_python, parse_variant, resolve

KINDS = ("guided", "unguided", "control")
COLUMNS = (
    "method", "label", "module", "environment", "package", "kind", "options", "threads", "minutes",
    "memory_mb", "citation",
)  # fmt: skip
# A name stands in paths, where some systems take capitals for small letters.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)
MODULES = PACKAGE / "methods"


class ConfigError(ValueError):
    """A setting that cannot work; the message names key, value and remedy."""


@dataclass(frozen=True)
class Method:
    """A row of methods.tsv. `environment` is a file of envs/, without its ending.

    A variant is another tuning of the model in the row that `variant_of` names.
    """

    name: str
    label: str
    module: str
    environment: str
    package: str
    kind: str
    options: dict
    threads: int
    minutes: float
    memory_mb: float
    citation: str
    variant_of: str = ""

    @property
    def ours(self) -> bool:
        """Whether it is constrained NMF, by whichever solver."""
        return self.module == "constrained_nmf"

    @property
    def of_fits(self) -> dict[str, object]:
        """The cells that fits depend on: a run with others makes them anew."""
        others = {"name", "label", "citation", "variant_of"}
        return {key: value for key, value in vars(self).items() if key not in others}

    @property
    def is_rival(self) -> bool:
        """Whether our model is compared with it: models, and the controls that see no labels."""
        return self.kind != "control" or self.module == "keywords"

    @property
    def is_variant(self) -> bool:
        return bool(self.variant_of)

    @property
    def short_label(self) -> str:
        """The label where that of its model stands above it."""
        return f"– {self.label}" if self.is_variant else self.label


Methods: TypeAlias = dict[str, Method]


def full_label(methods: Methods, name: str) -> str:
    """The label of a method where its model's does not stand above it."""
    method = methods[name]
    if not method.is_variant:
        return method.label
    return f"{methods[method.variant_of].label} ({method.label})"


def first_model(methods: Methods, names: Iterable[str]) -> str:
    """The first of some methods that is no control: the one that others are compared with."""
    for name in names:
        if methods[name].kind != "control":
            return name
    raise ConfigError("methods: name at least one that is not a control.")


def read_methods(path: str | Path = "config/methods.tsv") -> Methods:
    """Rows of the table of methods, by name, in its order."""
    path = resolve(path)
    header, rows = _read_rows(path)
    methods: Methods = {}
    lines: dict[str, int] = {}
    for line, cells in rows:
        try:
            method = _read_row(dict(zip(header, cells, strict=False)))
        except ConfigError as error:
            raise ConfigError(f"{path}, line {line}: {error}") from error
        # To some disks Nmf and nmf are one name.
        if method.name.casefold() in lines:
            raise ConfigError(
                f"{path}, line {line}: method {method.name!r} appears twice; rename it."
            )
        methods[method.name], lines[method.name.casefold()] = method, line
    for method in methods.values():
        model = methods.get(method.variant_of)
        if method.is_variant and (model is None or model.is_variant):
            line = lines[method.name.casefold()]
            raise ConfigError(
                f"{path}, line {line}: variant_of {shown(method.variant_of)} must name a row that "
                "is not a variant; correct it, or leave it empty."
            )
    return methods


def _read_rows(path):
    """The names of the columns, and (line, cells) of every row."""
    try:
        text = read_text(path)
    except FileNotFoundError as error:
        raise ConfigError(
            f"methods_file: {path} does not exist; give the path of a methods table."
        ) from error
    except IsADirectoryError as error:
        raise ConfigError(f"methods_file: {path} is a folder; give a methods table.") from error
    except ValueError as error:
        raise ConfigError(f"methods_file: {error}.") from error
    rows = [
        (number, line.split("\t"))
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]
    header = rows[0][1] if rows else []
    wrong = next((name for name in COLUMNS if name not in header), stands_twice(header))
    if wrong is not None:
        raise ConfigError(
            f"{path}, line 1: column {shown(wrong)} must be there exactly once; the columns are "
            f"{', '.join(COLUMNS)} and, if wanted, variant_of."
        )
    optional = 1 if header[-1] == "variant_of" else 0
    for number, cells in rows[1:]:
        if not len(header) - optional <= len(cells) <= len(header):
            raise ConfigError(
                f"{path}, line {number}: {len(cells)} cells under {len(header)} columns; separate "
                "them by one tab each."
            )
    return header, rows[1:]


def _read_row(cells):
    return Method(
        name=_cell(cells, "method", _name),
        label=_cell(cells, "label", _line),
        module=_cell(cells, "module", _module),
        environment=_cell(cells, "environment", _name),
        package=_cell(cells, "package", _package),
        kind=_cell(cells, "kind", _kind),
        options=_cell(cells, "options", _options),
        threads=_cell(cells, "threads", _whole),
        minutes=_cell(cells, "minutes", _positive),
        memory_mb=_cell(cells, "memory_mb", _positive),
        citation=_cell(cells, "citation", _shown),
        variant_of=cells.get("variant_of", "").strip(),
    )


def _cell(cells, column, read):
    try:
        return read(cells[column])
    except ValueError as error:
        raise ConfigError(f"{column} {shown(cells[column])} {error}.") from error


def _name(text):
    if not NAME.fullmatch(text):
        raise ValueError("must be a name of letters, digits, _ and -; rename it")
    return text


def _package(text):
    _name(text.replace(".", "-"))
    return text


def _shown(text):
    if find_control(text):
        raise ValueError(f"holds {find_control(text)!r}; take it out")
    return text


def _line(text):
    if not is_line(text):
        raise ValueError("must be a line of text; write one")
    return text


def _module(text):
    if not NAME.fullmatch(text) or not (MODULES / f"{text}.py").is_file():
        raise ValueError(f"has no file {text}.py in {MODULES}; correct it, or write the file")
    return text


def _kind(text):
    if text not in KINDS:
        raise ValueError(f"must be one of {', '.join(KINDS)}; correct it")
    return text


def _options(text):
    try:
        options = json.loads(text or "{}", parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON ({type(error).__name__}); correct it") from error
    if not isinstance(options, dict) or not all(map(str.isidentifier, options)):
        raise ValueError("must be a JSON object whose keys are names of options; correct it")
    return options


def _whole(text):
    if not text.strip().isdecimal() or int(text) < 1:
        raise ValueError("must be a whole number, at least 1; correct it")
    return int(text)


def _positive(text):
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise ValueError("must be a number above 0; correct it")
    return number


def list_methods(path: str | Path = "config/methods.tsv") -> list[tuple[str, ...]]:
    """The table of methods for reading: a header, then a row of text each."""
    rows: list[tuple[str, ...]]
    rows = [("method", "model", "kind", "environment", "installed", "citation")]
    for method in read_methods(path).values():
        installed = "yes" if environment_python(method.environment).exists() else "no"
        names = method.name, method.short_label, method.kind, method.environment
        rows.append((*names, installed, method.citation))
    return rows


def find_method(methods: Methods, name: str) -> Method:
    """The row of a method or of a variant of it, whose options are the row's with its changes."""
    base, changes = parse_variant(name)
    if base not in methods:
        raise ConfigError(f"no method {base!r}; there are {', '.join(methods)}")
    row = methods[base]
    return replace(row, name=name, options={**row.options, **changes})
