"""What a configuration asks for: the tables of the study, and the fits that each is made of.

A *cell* is one method on one dataset in one setting, fitted `repetitions` times; a table is a list
of cells. Datasets and methods with changed settings are variants, named by `paths.variant`. A
variant that changes nothing is the original, so no fit is made twice. Only the standard library.
"""

import hashlib
import itertools
from dataclasses import dataclass, field

from .paths import (
    BACKGROUND,
    CORPUS,
    DOCUMENTS,
    FITS,
    batch_name,
    parse_variant,
    setting_name,
    variant,
)

# The kind of a dataset of own comments, which has keys, steps and results of its own.
COMMENTS = "comments"
# Keys of a dataset that do not touch what is in a folder: a variant in them alone has no folder of
# its own, and uses the original's.
NOT_OF_DOCUMENTS = frozenset({"seed_share", "wrong_seed_share"})
UNTOUCHED = {
    BACKGROUND: NOT_OF_DOCUMENTS | {"rate", "n_words", "overlap"},
    DOCUMENTS: NOT_OF_DOCUMENTS,
}
# What an ablation of constrained NMF is judged by, so that its table tells them.
BOUNDS = ("w_max", "theta_min")
# Characters of names on one command line: Linux takes 131,072 with all that stands around them.
LONGEST_COMMAND = 100_000
QUOTES = 3  # around a name, and the space after it


@dataclass(frozen=True)
class Cell:
    """One method on one dataset in one setting, as they are named in paths."""

    dataset: str
    method: str
    setting: str


@dataclass(frozen=True)
class Table:
    """Cells of a table. `varied` are the settings that it has columns of, and the originals."""

    cells: list[Cell]
    varied: dict = field(default_factory=dict)


class Plan:
    """Tables by dataset and name, and the settings of every dataset, variants included.

    `scores`: all methods in all settings. `random_states`: all methods in the first setting on one
    corpus, so that nothing but the random state differs. `variants`: named tunings of methods and
    peers, beside the methods. And one for each ablation (options of a method) and each sweep (a key
    of the dataset).
    """

    def __init__(self, config, methods):
        self.config = config
        self.methods = methods
        self.settings = [setting_name(**setting) for setting in config["settings"]]
        self.datasets = dict(config["datasets"])
        self.tables = {}
        for dataset in config["datasets"]:
            self._add_tables(dataset)
        count, size = config["repetitions"], config["batch_size"]
        self.batches = [
            batch_name(first, min(first + size, count) - 1) for first in range(0, count, size)
        ]

    def draws(self, dataset: str) -> int:
        """Number of corpora of a dataset: a labelled file has one, generated data as asked."""
        return min(self.datasets[dataset].get("draws", 1), self.config["repetitions"])

    def folder(self, pattern: str, dataset: str) -> str:
        """The folder of the background or of the documents of a dataset."""
        original, changes = parse_variant(dataset)
        return pattern.format(dataset=original if changes.keys() <= UNTOUCHED[pattern] else dataset)

    @property
    def cells(self) -> list[Cell]:
        """Every cell of every table, once."""
        tables = self.tables.values()
        return list(dict.fromkeys(cell for table in tables for cell in table.cells))

    def compared_cells(self, dataset: str) -> list[Cell]:
        """Cells of every method that is compared: those of `scores` and `variants`, each once."""
        tables = (self.tables.get((dataset, name)) for name in ("scores", "variants"))
        return list(dict.fromkeys(cell for table in tables if table for cell in table.cells))

    def _add_tables(self, dataset):
        config, first = self.config, self.settings[:1]
        self._add(dataset, "scores", [dataset], config["methods"], self.settings)
        needed = {"stability", "error_bar"} & set(config["figures"])
        if needed:
            one_corpus = self._variant_of_dataset(dataset, {"draws": 1})
            self._add(dataset, "random_states", [one_corpus], config["methods"], first)
        if config["variants"] or config["peers"]:
            names = dict.fromkeys([*config["methods"], *config["variants"], *config["peers"]])
            self._add(dataset, "variants", [dataset], names, first)
        for name, ablation in config["ablations"].items():
            grid, method = ablation["options"], ablation["method"]
            points = [
                dict(zip(grid, point, strict=True)) for point in itertools.product(*grid.values())
            ]
            points = [self._variant_of_method(method, point) for point in points]
            options = self._options(method)
            shown = [*grid, *(key for key in BOUNDS if key in options and key not in grid)]
            originals = {key: options.get(key) for key in shown}
            self._add(dataset, name, [dataset], points, first, originals)
        known = config["datasets"][dataset]
        for name, sweep in sweeps_of(config, dataset).items():
            varied = {key: values for key, values in values_of(sweep).items() if key in known}
            swept = [
                self._variant_of_dataset(dataset, {key: value})
                for key, values in varied.items()
                for value in values
            ]
            originals = {key: known[key] for key in varied}
            if swept:
                # Keys that are varied by themselves have the original in common.
                self._add(dataset, name, dict.fromkeys(swept), sweep["methods"], first, originals)

    def _add(self, dataset, name, datasets, methods, settings, varied=None):
        cells = [Cell(*axes) for axes in itertools.product(datasets, methods, settings)]
        self.tables[dataset, name] = Table(cells, varied or {})

    def check_commands(self) -> None:
        """Raise ValueError where a rule would name more files than a command line can hold."""
        batches = self.batches
        listed = {key: table.cells for key, table in self.tables.items()}
        for dataset in self.config["datasets"]:
            if self.draws(dataset) == 1:
                listed[dataset, "resamples"] = self.compared_cells(dataset)
        for (dataset, name), cells in listed.items():
            folders = (FITS.format(**vars(cell), batch="") for cell in cells)
            length = len(batches) * sum(len(folder) + QUOTES for folder in folders)
            length += len(cells) * sum(map(len, batches))
            check_command(
                f"{self._origin(name)}: {len(cells) * len(batches)} folders of fits of "
                f"dataset {dataset}",
                length,
                "raise batch_size, or give fewer values or repetitions",
            )
        largest = min(self.config["batch_size"], self.config["repetitions"])
        for dataset in self.datasets:
            draws = self.draws(dataset)
            path = CORPUS.format(dataset=dataset, draw=draws)
            check_command(
                f"datasets.{dataset}: {draws} corpora and {largest} repetitions",
                draws * (len(path) + QUOTES) + largest * len(f"{self.config['repetitions']} "),
                "give fewer draws, or a smaller batch_size",
            )

    def _origin(self, table):
        """The part of the configuration that asks for a table."""
        parts = (part for part in ("ablations", "sweeps") if table in self.config[part])
        return next((f"{part}.{table}" for part in parts), f"table {table}")

    def _options(self, method):
        return {**self.methods[method].options, **self.config["options"].get(method, {})}

    def _variant_of_method(self, method, changes):
        return variant(method, _new(changes, self._options(method)))

    def _variant_of_dataset(self, dataset, changes):
        known = self.config["datasets"][dataset]
        changes = {key: value for key, value in changes.items() if key in known}
        name = variant(dataset, _new(changes, known))
        self.datasets[name] = {**known, **changes}
        return name


def split_datasets(config: dict) -> tuple[dict, dict]:
    """The datasets of the study, and those of own comments, by name."""
    study, comments = {}, {}
    for name, dataset in config["datasets"].items():
        (comments if dataset["kind"] == COMMENTS else study)[name] = dataset
    return study, comments


def sweeps_of(config: dict, dataset: str) -> dict[str, dict]:
    """The sweeps of a dataset, by name: those that name it, or no dataset."""
    return {
        name: sweep
        for name, sweep in config["sweeps"].items()
        if dataset in sweep.get("datasets", [dataset])
    }


def values_of(sweep: dict) -> dict[str, list]:
    """The values of every key that a sweep varies."""
    return sweep["vary"] if "vary" in sweep else {sweep["key"]: sweep["values"]}


def check_command(what: str, length: int, remedy: str) -> None:
    """Raise ValueError if `what` has too many characters for a command line."""
    if length > LONGEST_COMMAND:
        raise ValueError(
            f"{what} would put {length} characters on one command line, and {LONGEST_COMMAND} is "
            f"the most; {remedy}."
        )


def _new(changes, known):
    """The changes that change something."""
    return {key: value for key, value in changes.items() if known.get(key) != value}


def derive_random_state(master: int, *axes: object) -> int:
    """A random state for one point of the study: the same axes give the same state, 1 to 2^31 - 1.

    Never 0, which some tools take for "no state".
    """
    text = "/".join(str(part) for part in (master, *axes))
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % (2**31 - 1) + 1
