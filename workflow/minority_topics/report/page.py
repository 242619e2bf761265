"""One page that reads like a results section: verdicts, leaderboard, figures, tables, provenance.

Sentences with results come from tables.
"""

import base64
import re
from pathlib import Path

from ..base.manifest import check_file
from ..scores.evidence import PAPER_SETTING, setting_text
from ..scores.statistics import ALPHA, LEAST_FOR_INTERVAL, LEAST_FOR_VERDICT
from . import sections
from .abstract import abstract
from .catalogue import FIGURES, sweep_figure
from .leaderboard import leaderboard
from .material import Material, Sources
from .standalone import link, write_page

__all__ = ["Sources", "write_report"]

# Pixels for each point that a figure is wide, so that letters of 7 points are as large as the text.
PIXELS_PER_POINT = 2
# Figures up to here, in points, are made for one column, and shrink to a phone; others scroll.
COLUMN_POINTS = 300
# From this F1 on, the rule "contains a seed word" finds the documents without any model.
RULE_IS_ENOUGH = 0.8
# Sections in order: the anchor, which is a template's name as well, and the title.
SECTIONS = {
    "verdicts": "Verdicts on the paper's claims",
    "leaderboard": "Leaderboard",
    "figures": "Figures",
    "topics": "True topics and what was found",
    "comparisons": "Our model against every rival",
    "decomposition": "Start, solver and restarts taken apart",
    "published": "Published numbers beside ours",
    "solvers": "The solvers of constrained NMF",
    "variants": "Variants of models",
    "peers": "Newer models beyond the paper",
    "dataset": "The dataset",
    "deviations": "Deviations from the paper",
    "limitations": "Limitations",
    "statistics": "A note on the statistics",
    "methods": "Methods",
    "configuration": "Configuration",
    "provenance": "Provenance",
}


def write_report(sources, methods, out):
    """Write the report of a dataset."""
    material = Material(sources, methods)
    write_page(out, "report.html.jinja", "page", _page(material, Path(out)))


def _page(material, out):
    content = _content(material, out)
    return {
        "sections": {name: title for name, title in SECTIONS.items() if content[name]},
        "content": content,
        "dataset": material.dataset,
        "abstract": abstract(material),
        "settings": material.settings,
        "first": setting_text(material.first),
        "ours": material.labels[material.ours],
        "n_corpora": len(material.facts),
        "repetitions": material.repetitions,
        "resampled": sections.resampled(material),
        "language": _language(material),
        "ground_truth": material.facts[0]["ground_truth"],
        "tables": _links(material.sources.tables, out),
    }


def _content(material, out):
    """What every section shows, by its name; a section that would show nothing has nothing."""
    return {
        "verdicts": sections.claim_cards(material),
        "leaderboard": leaderboard(material),
        "figures": [_figure(path, out) for path in material.sources.figures],
        "topics": sections.true_topics(material),
        "comparisons": sections.comparisons(material),
        "decomposition": sections.parts(material),
        "published": sections.published(material),
        "solvers": sections.solvers(material),
        "variants": sections.extras(material, "variant"),
        "peers": sections.extras(material, "peer"),
        "dataset": sections.datasets(material),
        "deviations": _described(material),
        "limitations": _described(material),
        "statistics": {
            "kinds": sections.interval_kinds(material),
            "clear_p": ALPHA,
            "least_interval": LEAST_FOR_INTERVAL,
            "least_verdict": LEAST_FOR_VERDICT,
        },
        "methods": {
            "rows": sections.methods(material),
            "failures": sections.failures(material),
        },
        "configuration": material.sources.config.read_text(encoding="utf-8"),
        "provenance": material.provenance,
    }


def _language(material):
    """The language of the documents, "" where the configuration does not say."""
    dataset = material.config["datasets"][material.dataset]
    if dataset.get("background") == "simulated":
        return "fi"
    known = dataset.get("stop_words", "none")
    return "" if known == "none" else known


def _described(material):
    """What the sections of plain text ask: of which kind the data is, and what was run on it."""
    dataset = material.config["datasets"][material.dataset]
    modules = {material.methods[name].module for name in material.labels}
    return {
        "dataset": dataset,
        "injected": dataset["kind"] == "injected",
        "simulated": dataset.get("background") == "simulated",
        "modules": modules,
        "options": material.options(material.ours),
        "random_starts": [
            label
            for name, label in material.labels.items()
            if material.methods[name].ours and material.options(name).get("start") == "random"
        ],
        "ours_is_constrained": material.methods[material.ours].ours,
        "facts": material.facts[0],
        "rule_f1": _rule_f1(material.facts[0]),
        "rule_is_enough": RULE_IS_ENOUGH,
        "controls": [
            label for name, label in material.labels.items() if material.is_keyword_control(name)
        ],
        "at_paper_setting": PAPER_SETTING in material.settings,
    }


def _rule_f1(facts):
    """F1 of the rule "contains a seed word" for finding injected documents."""
    right = facts["injected_documents_with_seed_word"]
    found = right + facts["background_documents_with_seed_word"]
    both = found + facts["injected_documents"]
    return 2 * right / both if both else None


def _figure(path, out):
    """A figure with its text; its SVG goes in as an image, where nothing can run or clash."""
    path = Path(path)
    known = FIGURES.get(path.stem) or sweep_figure(path.stem, _sweep_keys(path))
    for ending in (".svg", ".txt"):
        check_file(path.with_suffix(ending))
    drawing = path.with_suffix(".svg").read_text(encoding="utf-8")
    width, height = _size(path.with_suffix(".svg"), drawing)
    image = base64.b64encode(drawing.encode()).decode()
    return {
        "figure": known,
        "width": round(PIXELS_PER_POINT * width),
        "height": round(PIXELS_PER_POINT * height),
        "column": width <= COLUMN_POINTS,
        "source": f"data:image/svg+xml;base64,{image}",
        "text": path.with_suffix(".txt").read_text(encoding="utf-8").strip(),
        "links": {ending: link(path.with_suffix(f".{ending}"), out) for ending in ("csv", "pdf")},
    }


def _size(path, drawing):
    """Width and height of an SVG, in points: those of its view box."""
    box = re.search(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"', drawing)
    if not box:
        raise ValueError(f"{path}: there is no view box in it; draw the figure anew")
    return float(box[1]), float(box[2])


def _sweep_keys(path):
    from ..scores.tables import read_frame
    from .figures.sweep import keys_of

    return keys_of(read_frame(path.with_suffix(".csv")))


def _links(paths, out):
    return {name: link(path, out) for name, path in paths.items()}
