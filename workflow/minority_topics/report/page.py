"""One page that reads like a results section: verdicts, figures, tables, methods, configuration.

Everything is inside the page, so that it opens from disk without a network.
"""

import base64
import json
from pathlib import Path

import jinja2
import pandas as pd
import yaml

from .cards import CARDS
from .catalogue import FIGURES, sweep_figure
from .registry import full_label
from .statistics import SETTING, feasible, in_setting, summarise
from .tables import read_statuses

TEMPLATES = Path(__file__).parent
COMPARED = ("purity", "nmi", "jsd_mean")


def write_report(folder, figures, methods, out):
    """Write the report of the results in `folder`. `figures` are PNGs, in the order to appear."""
    folder = Path(folder)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = _number
    page = environment.get_template("report.html.jinja").render(_content(folder, figures, methods))
    Path(out).write_text(page, encoding="utf-8")


def _content(folder, figures, methods):
    scores = _table(folder, "scores")
    settings = scores[SETTING].drop_duplicates().to_numpy().tolist()
    first = in_setting(scores, settings[0])
    names = list(dict.fromkeys(scores["method"]))
    config = (folder / "config.yaml").read_text(encoding="utf-8")
    variants = _table(folder, "variants") if yaml.safe_load(config).get("variants") else None
    used = names if variants is None else list(dict.fromkeys(variants["method"]))
    facts = json.loads((folder / "corpus" / "0" / "corpus.json").read_text(encoding="utf-8"))
    return {
        "dataset": scores["dataset"].iloc[0],
        "facts": facts,
        "n_corpora": len(list((folder / "corpus").glob("*/corpus.json"))),
        "settings": settings,
        "n_fits": len(scores),
        "n_methods": len(names),
        "repetitions": int(scores["repetition"].max()) + 1,
        "failures": _failures(scores),
        "labels": {name: full_label(methods, name) for name in used},
        "cards": {name: CARDS[name] for name in COMPARED},
        "claims": _rows(_table(folder, "claims")),
        "numbers": _rows(_table(folder, "paper_vs_ours")),
        "comparisons": _comparisons(folder, settings[0]),
        "solvers": _solvers(first, methods),
        "variants": _variants(variants, methods),
        "figures": [_figure(path) for path in figures],
        "methods": [_method(folder, methods[name], name) for name in used],
        "config": config,
    }


def _table(folder, name):
    """A table of the study, None where the configuration has none or it is empty."""
    path = folder / "tables" / f"{name}.csv"
    if not path.exists() or not path.read_text(encoding="utf-8").strip():
        return None
    return pd.read_csv(path)


def _rows(table):
    return [] if table is None else table.to_dict("records")


def _failures(scores):
    """Fits that did not come out, by method and reason."""
    bad = scores[scores["status"] != "ok"]
    groups = bad.groupby(["method", "status", "reason"], sort=False).size()
    return [(*key, count) for key, count in groups.items()]


def _comparisons(folder, setting):
    table = _table(folder, "comparisons")
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
    """Named variants of baselines beside the first method, and on what each is ahead of it."""
    if table is None:
        return []
    summary = summarise(table, COMPARED)
    ours = summary.iloc[0]
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

    return key_of(pd.read_csv(path.with_suffix(".csv")))


def _method(folder, method, name):
    """A method with the versions it ran in, and what its fits say of themselves."""
    batches = (folder / "fits" / name).glob("[0-9]*-[0-9]*/[0-9]*-[0-9]*")
    statuses = [status for _, status in read_statuses(sorted(batches))]
    versions = next((status["versions"] for status in statuses if status["versions"]), {})
    engine = next((s["notes"]["engine"] for s in statuses if "engine" in s["notes"]), "")
    return {"row": method, "name": name, "versions": versions, "engine": engine}


def _number(value, digits=3):
    """A number for reading; nothing for one that is undefined."""
    if value is None or value != value:
        return "–"
    if value and abs(value) < 10**-digits:
        return f"{value:.1e}"
    return f"{value:.{digits}f}"
