"""What a page is made from: the files of one dataset, read once, and names for what is in them."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..base.files import read_json
from ..base.manifest import check_file
from ..base.strict_yaml import read_yaml
from ..corpus.storage import read_facts
from ..scores.cards import CARDS
from ..scores.statistics import SETTING
from ..scores.tables import read_frame, read_rows
from ..study.provenance import facts
from ..study.registry import first_model, full_label


@dataclass(frozen=True)
class Sources:
    """Files that a page is made from: tables by name, PNGs in the order to appear, corpora."""

    tables: dict[str, Path]
    figures: list[Path]
    corpora: Path
    versions: Path
    config: Path
    provenance: Path | None = None

    def frame(self, name):
        """A table as a data frame, None where the configuration has none or it is empty."""
        frame = read_frame(self.tables[name]) if self._has(name) else None
        return None if frame is None or frame.empty else frame

    def rows(self, name):
        """A table as rows of text, none where there is no such table."""
        return read_rows(self.tables[name]) if self._has(name) else []

    def _has(self, name):
        path = self.tables.get(name)
        return path is not None and bool(path.read_text(encoding="utf-8").strip())


class Material:
    """The tables of a dataset with what all sections ask of them.

    `names` are the methods of all settings, `extras` those of the first setting alone: variants
    and peers. `ours` is the model that every rival is compared with.
    """

    def __init__(self, sources, methods):
        self.sources = sources
        self.methods = methods
        scores = sources.frame("scores")
        if scores is None:
            raise ValueError("a report needs scores.csv among its tables; `score` writes it")
        self.scores = scores
        self.dataset = scores["dataset"].iloc[0]
        self.settings = [tuple(map(int, pair)) for pair in _distinct(scores[SETTING])]
        self.first = self.settings[0]
        self.names = list(dict.fromkeys(scores["method"]))
        self.summary = sources.frame("summary")
        variants = sources.frame("variants")
        found = [] if variants is None else dict.fromkeys(variants["method"])
        self.extras = [name for name in found if name not in self.names]
        self.ours = first_model(methods, self.names)
        self.comparisons = sources.frame("comparisons")
        self.parts = sources.frame("parts")
        self.numbers = sources.frame("paper_vs_ours")
        self.claims = sources.rows("claims")
        self.repetitions = int(scores["repetition"].max()) + 1

    @cached_property
    def labels(self):
        return {name: full_label(self.methods, name) for name in [*self.names, *self.extras]}

    @cached_property
    def config(self):
        """The effective configuration."""
        check_file(self.sources.config)
        return read_yaml(self.sources.config)

    @cached_property
    def facts(self):
        """Facts of every corpus, in order."""
        folders = (path.parent for path in self.sources.corpora.glob("*/corpus.json"))
        return [read_facts(folder) for folder in sorted(folders, key=lambda path: int(path.name))]

    @cached_property
    def provenance(self):
        path = self.sources.provenance
        if not path:
            return None
        check_file(path)
        return facts(read_json(path))

    @cached_property
    def metrics(self):
        """Cards of the metrics that any method has a value of, those of the paper first."""
        known = [] if self.summary is None else self.summary.columns[self.summary.notna().any()]
        cards = [card for name, card in CARDS.items() if name in known]
        return sorted(cards, key=lambda card: not card.in_paper)

    def is_control(self, name):
        return self.methods[name].kind == "control"

    def is_other_model(self, name):
        """Neither a control nor another solver of our model."""
        return not self.is_control(name) and not self.methods[name].ours

    def is_keyword_control(self, name):
        """A control that our model must be ahead of to show more than its seed words do."""
        return self.is_control(name) and self.methods[name].is_rival

    def apart(self, name):
        """What a method beyond the main ones is: "variant", "peer", or "" for a main one."""
        if name in self.names:
            return ""
        return "variant" if self.methods[name].is_variant else "peer"

    def options(self, name):
        """The options a method ran with: those of its row, and over them the configuration's."""
        return {**self.methods[name].options, **self.config.get("options", {}).get(name, {})}


def _distinct(frame):
    return frame.drop_duplicates().to_numpy().tolist()
