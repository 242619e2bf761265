"""One page that reads like a results section: verdicts, figures, tables, methods, configuration.

Everything is inside the page, so that it opens from disk without a network.
"""

import base64
import json
from dataclasses import dataclass
from pathlib import Path

import jinja2

from ..base.files import read_csv, write_text
from ..corpus.storage import read_facts
from ..scores.cards import CARDS
from ..scores.statistics import SETTING, feasible, in_setting, summarise
from ..scores.tables import read_frame
from ..study.registry import first_model, full_label
from .catalogue import FIGURES, sweep_figure

TEMPLATES = Path(__file__).with_name("templates")
COMPARED = ("purity", "nmi", "jsd_mean")


@dataclass(frozen=True)
class Sources:
    """Files that a page is made from: tables by name, PNGs in the order to appear, corpora."""

    tables: dict[str, Path]
    figures: list[Path]
    corpora: Path
    versions: Path
    config: Path

    def table(self, name):
        """A table of the study, None where the configuration has none or it is empty."""
        path = self.tables.get(name)
        if path is None or not path.read_text(encoding="utf-8").strip():
            return None
        return read_frame(path)


def write_report(sources, methods, out):
    """Write the report of a dataset."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = _number
    page = environment.get_template("report.html.jinja").render(_content(sources, methods))
    write_text(out, page)


def _content(sources, methods):
    scores, variants = sources.table("scores"), sources.table("variants")
    if scores is None:
        raise ValueError("a report needs scores.csv among its tables; `score` writes it")
    settings = scores[SETTING].drop_duplicates().to_numpy().tolist()
    first = in_setting(scores, settings[0])
    names = list(dict.fromkeys(scores["method"]))
    used = names if variants is None else list(dict.fromkeys(variants["method"]))
    return {
        "dataset": scores["dataset"].iloc[0],
        "facts": read_facts(sources.corpora / "0"),
        "n_corpora": len(list(sources.corpora.glob("*/corpus.json"))),
        "settings": settings,
        "n_fits": len(scores),
        "n_methods": len(names),
        "repetitions": int(scores["repetition"].max()) + 1,
        "failures": _failures(scores),
        "labels": {name: full_label(methods, name) for name in used},
        "cards": {name: CARDS[name] for name in COMPARED},
        "claims": _rows(sources.table("claims")),
        "numbers": _rows(sources.table("paper_vs_ours")),
        "comparisons": _comparisons(sources.table("comparisons"), settings[0]),
        "solvers": _solvers(first, methods),
        "variants": _variants(variants, methods),
        "figures": [_figure(path) for path in sources.figures],
        "methods": _methods(used, methods, read_csv(sources.versions)),
        "config": sources.config.read_text(encoding="utf-8"),
    }


def _rows(table):
    return [] if table is None else table.to_dict("records")


def _failures(scores):
    """Fits that did not come out, by method and reason."""
    bad = scores[scores["status"] != "ok"]
    groups = bad.groupby(["method", "status", "reason"], sort=False).size()
    return [(*key, count) for key, count in groups.items()]


def _comparisons(table, setting):
    if table is None:
        return []
    chosen = in_setting(table, setting)
    chosen = chosen[chosen["metric"].isin(COMPARED)]
    return chosen.to_dict("records")


def _solvers(first, methods):
    """Means of what the solvers of constrained NMF have left, in the first setting."""
    rows = []
    for name, fits in first[first["status"] == "ok"].groupby("method", sort=False):
        if methods[name].ours:
            row = {"method": name, "fits": len(fits)}
            row["met"] = int(feasible(fits).sum())
            columns = ("least_seed_share", "largest_free_weight", "objective", "purity", "nmi")
            rows.append(row | {column: fits[column].mean() for column in columns})
    return rows


def _variants(table, methods):
    """Named variants of baselines beside the first model, and on what each is ahead of it."""
    if table is None:
        return []
    summary = summarise(table, COMPARED)
    ours = summary.set_index("method").loc[first_model(methods, summary["method"])]
    rows = []
    for row in summary.to_dict("records"):
        method = methods[row["method"]]
        if method.is_variant and not method.ours:
            row["ahead"] = [
                CARDS[metric].label
                for metric in COMPARED
                if (row[metric] - ours[metric]) * (1 if CARDS[metric].direction == "higher" else -1)
                > 0
            ]
            rows.append(row)
    return rows


def _figure(path):
    path = Path(path)
    known = FIGURES.get(path.stem) or sweep_figure(path.stem, _sweep_key(path))
    image = base64.b64encode(path.read_bytes()).decode()
    return {"figure": known, "source": f"data:image/png;base64,{image}"}


def _sweep_key(path):
    from .figures.sweep import key_of

    return key_of(read_frame(path.with_suffix(".csv")))


def _methods(used, methods, versions):
    """Methods with the versions they ran in, and what their fits say of themselves."""
    known = {row["method"]: row for row in versions}
    return [
        {
            "row": methods[name],
            "name": name,
            "versions": json.loads(known[name]["versions"] or "{}"),
            "engine": known[name]["engine"],
        }
        for name in used
    ]


def _number(value, digits=3):
    """A number for reading; nothing for one that is undefined."""
    if value is None or value != value:
        return "–"
    if value and abs(value) < 10**-digits:
        return f"{value:.1e}"
    return f"{value:.{digits}f}"
