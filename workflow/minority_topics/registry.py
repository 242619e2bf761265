"""The table of methods, random states, and where files are. Needs the standard library alone."""

import csv
import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("guided", "unguided", "control")


class ConfigError(ValueError):
    """A setting that cannot work; the message names key, value and remedy."""


@dataclass(frozen=True)
class Method:
    """A row of methods.tsv. `environment` is a file of envs/, without its ending."""

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

    @property
    def ours(self):
        """Whether it is constrained NMF, by whichever solver."""
        return self.module == "constrained_nmf"

    @property
    def is_variant(self):
        """Whether it is a variant of the model above it, whose label it goes on from."""
        return self.label.startswith("–")


def full_label(methods, name):
    """The label of a method where its model's does not stand above it."""
    method = methods[name]
    if not method.is_variant:
        return method.label
    model = next(row.label for row in methods.values() if row.module == method.module)
    return f"{model} {method.label.strip('– ')}"


def resolve(path):
    """Where a file named in the config is: absolute, or relative to the repository."""
    return Path(path) if Path(path).is_absolute() else ROOT / path


def read_methods(path="config/methods.tsv"):
    """Rows of the table of methods, by name, in its order."""
    path = resolve(path)
    if not path.exists():
        raise ConfigError(f"methods_file: {path} does not exist; give the path of a methods table.")
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    methods = {}
    for number, row in enumerate(rows, start=2):
        try:
            method = Method(
                name=row["method"],
                label=row["label"],
                module=row["module"],
                environment=row["environment"],
                package=row["package"],
                kind=row["kind"],
                options=json.loads(row["options"] or "{}"),
                threads=int(row["threads"]),
                minutes=float(row["minutes"]),
                memory_mb=float(row["memory_mb"]),
                citation=row["citation"],
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError(
                f"{path}, line {number}: {type(error).__name__} {error}; every row needs the "
                "columns of the first line, numbers in threads, minutes and memory_mb, and JSON in "
                "options."
            ) from error
        if method.kind not in KINDS:
            raise ConfigError(
                f"{path}, line {number}: kind {method.kind!r} must be one of {', '.join(KINDS)}."
            )
        if method.name in methods:
            raise ConfigError(f"{path}, line {number}: method {method.name!r} stands twice.")
        methods[method.name] = method
    return methods


def variant(name, changes):
    """Name of a dataset or a method with some of its settings changed: `name/key=value,...`."""
    parts = (f"{key}={json.dumps(value)}" for key, value in changes.items())
    return "/".join([name, ",".join(parts)] if changes else [name])


def parse_variant(name):
    """The name and the changes that `variant` put together."""
    base, _, changes = name.partition("/")
    pairs = (part.partition("=") for part in changes.split(",") if part)
    return base, {key: json.loads(value) for key, _, value in pairs}


def find_method(methods, name):
    """The row of a method or of a variant of it, whose options are the row's with its changes."""
    base, changes = parse_variant(name)
    if base not in methods:
        raise ConfigError(f"no method {base!r}; there are {', '.join(methods)}")
    row = methods[base]
    return replace(row, name=name, options={**row.options, **changes})


def environment_files(definition):
    """What an environment is made from: its conda file, lock and script to run after, if any."""
    paths = (Path(definition).with_suffix(end) for end in (".yaml", ".lock", ".post-deploy.sh"))
    return [path for path in paths if path.exists()]


def derive_random_state(master, *axes):
    """A random state for one point of the study: the same axes give the same state, 1 to 2^31 - 1.

    Never 0, which some tools take for "no state".
    """
    text = "/".join(str(part) for part in (master, *axes))
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % (2**31 - 1) + 1
