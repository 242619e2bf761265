"""What verdicts rest on: the tables of a study, who is compared with whom, and how it is told.

Every verdict on a lead is decided by paired differences: the same repetitions, the same corpora.
"""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from ..study.registry import Method, full_label
from .cards import CARDS
from .parts import COLUMNS as PART_COLUMNS
from .statistics import (
    BEHIND,
    CLEAR,
    LEAST_FOR_VERDICT,
    RESAMPLE_COLUMNS,
    SETTING,
    TOO_FEW,
    UNCLEAR,
    compare,
    in_setting,
    summarise,
    with_variants,
)
from .tables import SCORE_COLUMNS, TRAJECTORY_COLUMNS, read_frame

PAPER_SETTING = (20, 7)
# Metrics that the paper gives numbers of.
NUMBERS = ("purity", "nmi")
HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"
NOT_TESTED = "not tested"
# From weak to strong. Where one lead of several is undecided, so are they all, unless one is lost.
STRENGTH = {BEHIND: 0, TOO_FEW: 1, UNCLEAR: 2, CLEAR: 3}
# What claims are about, and how sentences call it.
WORDS = {
    "purity": "purity",
    "nmi": "NMI",
    "jsd_mean": "mean JSD",
    "purity_adjusted": "adjusted purity",
    "ami": "AMI",
    "ami_injected": "AMI of the injected documents",
    "f1": "F1",
    "seed_words_on_top": "share of seed words",
}
# What the paper claims leads in, and what we look at beside.
JUDGED = ("purity", "nmi", "jsd_mean")
LEADS = (*JUDGED, "ami_injected", "f1")


@dataclass(frozen=True)
class Study:
    """Tables of a study, as data frames, and the methods they name. Only `scores` must be there."""

    scores: pd.DataFrame
    methods: dict[str, Method]
    variants: pd.DataFrame | None = None
    resamples: pd.DataFrame | None = None
    constraints: pd.DataFrame | None = None
    trajectory: pd.DataFrame | None = None
    parts: pd.DataFrame | None = None
    published: pd.DataFrame | None = None

    @cached_property
    def attempts(self):
        """All fits, those of tunings and peers included."""
        return with_variants(self.scores, self.variants)

    @cached_property
    def fits(self):
        """Fits that came out."""
        return self.attempts[self.attempts["status"] == "ok"]

    @cached_property
    def settings(self):
        """Topics and minority topics of each setting, fewest topics first."""
        return sorted({(int(k), int(m)) for k, m in self.scores[SETTING].to_numpy()})

    @cached_property
    def setting(self):
        """The paper's, where the study has it, else the study's first."""
        first = tuple(map(int, self.scores[SETTING].iloc[0]))
        return PAPER_SETTING if PAPER_SETTING in self.settings else first

    @cached_property
    def solvers(self):
        return [name for name in self._names(self.scores) if self.methods[name].ours]

    @cached_property
    def baselines(self):
        """Models that are run in every setting."""
        return [name for name in self._names(self.scores) if self._is_model(name)]

    @cached_property
    def models(self):
        """Whom the model must beat to be the best of all: baselines, their tunings, and peers."""
        return [name for name in self._names(self.attempts) if self._is_model(name)]

    @cached_property
    def controls(self):
        """Those that need no model, and see no labels."""
        known = self.methods
        return [
            name
            for name in self._names(self.fits)
            if known[name].kind == "control" and known[name].is_rival
        ]

    def _is_model(self, name):
        return self.methods[name].kind != "control" and not self.methods[name].ours

    @staticmethod
    def _names(table):
        return list(dict.fromkeys(table["method"]))

    def label(self, name):
        return full_label(self.methods, name)

    @cached_property
    def comparisons(self):
        """Each solver against every rival, in all settings: as comparisons.csv has the first."""
        rivals = [name for name in self._names(self.fits) if self.methods[name].is_rival]
        return pd.concat(
            compare(
                self.fits,
                solver,
                [name for name in rivals if name != solver],
                self.resamples,
                LEADS,
            )
            for solver in self.solvers
        )

    def against(self, solver, metric, others, setting=None):
        """A solver's differences to others in one metric, in the setting of the claims."""
        rows = in_setting(self.comparisons, setting or self.setting)
        return rows[
            (rows["ours"] == solver) & (rows["metric"] == metric) & rows["other"].isin(others)
        ]

    def unmatched(self, rows, setting=None):
        """Models of a setting without a graded difference: too few of their fits came out."""
        graded = rows.loc[rows["grade"] != TOO_FEW, "other"]
        present = in_setting(self.attempts, setting or self.setting)["method"]
        return [name for name in self.models if name in set(present) - set(graded)]

    def means(self, metric):
        """Means, methods x settings; none where there are too few repetitions for a verdict."""
        summary = self.summary[self.summary["units"] >= LEAST_FOR_VERDICT]
        named = _settings_named(summary.dropna(subset=[metric]))
        means = named.pivot(index="method", columns="setting", values=metric)
        return means.reindex(columns=[setting_text(setting) for setting in self.settings])

    @cached_property
    def summary(self):
        return summarise(self.fits, WORDS)

    def has_scores(self, method, metric):
        """Whether a method has any score at all."""
        return self.fits.loc[self.fits["method"] == method, metric].notna().any()

    def change(self, method, metric):
        """Paired difference of a method between the most and the fewest topics; None without."""
        first, last = self.settings[0], self.settings[-1]
        tables = [
            None if table is None else _settings_as_methods(table[table["method"] == method])
            for table in (self.fits, self.resamples)
        ]
        names = setting_text(last), [setting_text(first)]
        rows = compare(tables[0], *names, tables[1], [metric])
        return None if rows.empty else rows.iloc[0]


def read_study(methods, **paths):
    """The study of some files, by the names of their tables in `Study`; None for one without."""
    columns = {
        "scores": SCORE_COLUMNS,
        "variants": SCORE_COLUMNS,
        "resamples": RESAMPLE_COLUMNS,
        "constraints": [*SCORE_COLUMNS, "w_max", "theta_min"],
        "trajectory": TRAJECTORY_COLUMNS,
        "parts": PART_COLUMNS,
        "published": ["method", *NUMBERS],
    }
    tables = {
        name: read_frame(path, columns[name], "\t" if path.suffix == ".tsv" else ",")
        for name, path in paths.items()
        if path
    }
    if "published" in tables:
        tables["published"] = tables["published"].set_index("method")
    return Study(methods=methods, **tables)


def _settings_named(table):
    return table.assign(setting=[setting_text(setting) for setting in table[SETTING].to_numpy()])


def _settings_as_methods(table):
    """Rows of one method, so that its settings can be compared with each other."""
    named = _settings_named(table)
    return named.assign(method=named["setting"], n_topics=0, n_minority=0)


def setting_text(setting):
    """A setting in sentences: 20/7."""
    return f"{int(setting[0])}/{int(setting[1])}"


def decisive(rows):
    """Of some differences, the one that decides: of the weakest grade, and there of the least lead.

    One with too few repetitions decides only where all have too few.
    """
    decided = rows[rows["grade"] != TOO_FEW]
    rows = rows if decided.empty else decided
    lead = rows["difference"].where(rows["better"] == "higher", -rows["difference"])
    ranked = rows.assign(strength=rows["grade"].map(STRENGTH), lead=lead)
    return ranked.sort_values(["strength", "lead"], kind="stable").iloc[0]


UNDECIDED = (
    TOO_FEW,
    f"A verdict needs {LEAST_FOR_VERDICT} repetitions, on different corpora where corpora are "
    "generated, and there are fewer.",
)


def verdict_of(met, total):
    """Whether a claim holds that was met `met` times of `total`."""
    return HOLDS if met == total else IN_PART if met else FAILS


def difference_text(row, corrected=True):
    """A paired difference: +0.047 (95% interval over ... +0.030 to +0.064, corrected p = 0.003).

    Where one difference was tested alone, its p is not `corrected`.
    """
    facts = []
    if pd.notna(row["low"]):
        ends = f"{signed(row['low'])} to {signed(row['high'])}"
        facts.append(f"95% interval over {row['interval_over']} {ends}")
    if pd.notna(row["p_holm"]):
        facts.append(f"{'corrected ' if corrected else ''}{p_text(row['p_holm'])}")
    facts.append(f"{int(row['repetitions'])} repetitions")
    return f"{signed(row['difference'])} ({', '.join(facts)})"


def signed(number):
    """With its sign, but no -0.000."""
    return f"{number:+z.3f}"


def p_text(p):
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def metric_text(metric):
    """The name of a metric, and a reminder where low is good."""
    low = CARDS[metric].direction == "lower"
    return WORDS[metric] + (", where lower is better," if low else "")


def capital(text):
    """A sentence's first letter, the others as they are."""
    return text[:1].upper() + text[1:]
