"""What a configuration asks for: the tables of the study, and the fits that each is made of.

A *cell* is one method on one dataset in one setting, fitted `repetitions` times; a table is a list
of cells. Datasets and methods with changed settings are variants, named by `registry.variant`. A
variant that changes nothing is the original, so no fit is made twice. Standard library alone.
"""

import itertools
from dataclasses import dataclass, field

from .registry import variant


@dataclass(frozen=True)
class Cell:
    """One method on one dataset in one setting, as they are named in paths."""

    dataset: str
    method: str
    setting: str


@dataclass(frozen=True)
class Table:
    """Cells of a table. `varied` are the settings that differ between them, and the originals."""

    cells: list[Cell]
    varied: dict = field(default_factory=dict)


class Plan:
    """Tables by dataset and name, and the settings of every dataset, variants included.

    `scores`: all methods in all settings. `random_states`: all methods in the first setting on one
    corpus, so that nothing but the random state differs. `variants`: named tunings of methods,
    beside the methods. And one for each ablation (options of a method) and each sweep (a key of the
    dataset).
    """

    def __init__(self, config, methods):
        self.config = config
        self.methods = methods
        self.settings = [f"{s['n_topics']}-{s['n_minority']}" for s in config["settings"]]
        self.datasets = dict(config["datasets"])
        self.tables = {}
        for dataset in config["datasets"]:
            self._add_tables(dataset)

    @property
    def cells(self):
        """Every cell of every table, once."""
        tables = self.tables.values()
        return list(dict.fromkeys(cell for table in tables for cell in table.cells))

    def _add_tables(self, dataset):
        config, first = self.config, self.settings[:1]
        self._add(dataset, "scores", [dataset], config["methods"], self.settings)
        needed = {"stability", "error_bar"} & set(config["figures"])
        if needed:
            one_corpus = self._variant_of_dataset(dataset, {"draws": 1})
            self._add(dataset, "random_states", [one_corpus], config["methods"], first)
        if config["variants"]:
            names = dict.fromkeys([*config["methods"], *config["variants"]])
            self._add(dataset, "variants", [dataset], names, first)
        for name, ablation in config["ablations"].items():
            grid, method = ablation["options"], ablation["method"]
            points = [
                dict(zip(grid, point, strict=True)) for point in itertools.product(*grid.values())
            ]
            points = [self._variant_of_method(method, point) for point in points]
            originals = {key: self._options(method).get(key) for key in grid}
            self._add(dataset, name, [dataset], points, first, originals)
        for name, sweep in config["sweeps"].items():
            key = sweep["key"]
            if key in config["datasets"][dataset]:
                points = [self._variant_of_dataset(dataset, {key: v}) for v in sweep["values"]]
                originals = {key: config["datasets"][dataset][key]}
                self._add(dataset, name, points, sweep["methods"], first, originals)

    def _add(self, dataset, name, datasets, methods, settings, varied=None):
        cells = [Cell(*axes) for axes in itertools.product(datasets, methods, settings)]
        self.tables[dataset, name] = Table(cells, varied or {})

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


def _new(changes, known):
    """The changes that change something."""
    return {key: value for key, value in changes.items() if known.get(key) != value}
