"""A folder like `results/<dataset>`, made up: every table, figure and fact that a page can show.

Texts are hostile: markup, templates, quotes, marks that turn the direction of writing, emoji.
"""

import json

import numpy as np
import pandas as pd
import yaml
from helpers import corpus_of, planted

from minority_topics.base.files import write_json
from minority_topics.base.manifest import write_manifest
from minority_topics.report.catalogue import FIGURES
from minority_topics.report.material import Sources
from minority_topics.scores.cards import CARDS
from minority_topics.scores.tables import write_frame, write_rows
from minority_topics.study.registry import COLUMNS, read_methods

HOSTILE = (
    "<script>alert('x')</script> \"quoted\" {{ 7 * 7 }} {% if %} \u202eright to left\u202c 🦊 &amp;"
)
# Method, label, module, kind, options, the model it is a variant of, mean purity.
ROWS = (
    ("constrained_nmf", "Constrained NMF", "constrained_nmf", "guided",
     {"w_max": 1e-9, "theta_min": 0.4}, "", 0.264),
    ("constrained_nmf_paper", "as published", "constrained_nmf", "guided",
     {"solver": "paper", "start": "random", "w_max": 1e-9, "theta_min": 0.4}, "constrained_nmf",
     0.068),
    ("nmf", "NMF", "nmf", "unguided", {}, "", 0.092),
    ("corex", f"Corex {HOSTILE}", "corex", "guided", {"note": HOSTILE}, "", 0.101),
    ("keyatm", "KeyATM", "keyatm", "guided", {}, "", None),
    ("truth", "True labels", "controls", "control", {"labels": "truth"}, "", 1.0),
    ("random", "Random labels", "controls", "control", {"labels": "random"}, "", 0.02),
    ("keyword_kmeans", "Keyword k-means", "keywords", "control", {}, "", 0.241),
    ("corex_strength2", "strength 2", "corex", "guided", {"anchor_strength": 2}, "corex", 0.111),
    ("bertopic", "Gibbs LDA", "bertopic", "unguided", {}, "", 0.301),
)  # fmt: skip
EXTRAS = ("corex_strength2", "bertopic")
FIGURE_NAMES = ("purity_nmi", "jsd", "topics")
# In points, as figures are: two for one column, one for two.
FIGURE_WIDTHS = (252, 252, 504)
SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 180.5">
<title>Bars</title><rect width="{width}" height="180" fill="#fff"/>
<text x="20" y="40" font-size="7">A bar for each model</text></svg>
"""


def write_study(folder, full=True, seed=0):
    """Write such a folder; its Sources and its table of methods.

    A study that is not full is like that of `make quick`: two repetitions in one setting, no
    variants, no parts, no published setting and no labels.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    rows = [row for row in ROWS if full or row[0] not in EXTRAS]
    methods = _methods(folder / "methods.tsv", rows)
    settings = [(20, 7), (30, 10)] if full else [(4, 2)]
    repetitions = 10 if full else 2
    names = [row[0] for row in rows if row[0] not in EXTRAS]
    scores = _scores(rng, rows, names, settings, repetitions, labelled=full)
    extras = [row[0] for row in rows]
    variants = _scores(rng, rows, extras, settings[:1], repetitions, labelled=full)
    summary = pd.concat([_summary(scores), _summary(variants[variants["method"].isin(EXTRAS)])])
    tables = {"scores": scores, "summary": summary, "claims": _claims(full)}
    comparisons = _comparisons(summary, methods, repetitions)
    tables["comparisons"] = comparisons if full else comparisons.iloc[:0]
    tables["paper_vs_ours"] = _published(summary) if full else pd.DataFrame()
    if full:
        tables |= {"variants": variants, "parts": _parts(), **_topics()}
    for name, table in tables.items():
        (folder / "tables").mkdir(exist_ok=True)
        write_frame(folder / "tables" / f"{name}.csv", table)
    paths = {name: folder / "tables" / f"{name}.csv" for name in tables}
    sources = Sources(
        paths, _figures(folder / "figures"), _corpora(folder / "corpus", full),
        folder / "resources" / "versions.csv", folder / "config.yaml",
        folder / "provenance.json",
    )  # fmt: skip
    write_rows(
        sources.versions,
        [{"method": row[0], "versions": json.dumps({"tool": "1.2"}), "engine": ""} for row in rows],
    )
    _config(sources.config, full)
    write_json(sources.provenance, _provenance())
    return sources, methods


def _provenance():
    """What the report shows of a crate that `provenance` made."""
    machine = {"system": "Linux 6", "processor": HOSTILE, "cores": 2, "memory_gb": 7.5}
    machine["python"] = "3.11.2"
    hashes = {"configuration": "ab" * 32, "envs/study.lock": "cd" * 32}
    inputs = [{"@id": f"#{name}", "name": name, "sha256": sha} for name, sha in hashes.items()]
    here = [{"@id": f"#m/{name}", "name": name, "value": value} for name, value in machine.items()]
    code = {"@id": "#code", "version": "0.1.0", "identifier": "0123456789abcdef+changes"}
    run = {
        "@id": "#run",
        "endTime": "2026-01-01T00:00:00+00:00",
        "object": [{"@id": thing["@id"]} for thing in inputs],
        "additionalProperty": [{"@id": thing["@id"]} for thing in here],
    }
    return {"@graph": [code, run, *inputs, *here]}


def _methods(path, rows):
    lines = ["\t".join([*COLUMNS, "variant_of"])]
    for name, label, module, kind, options, variant_of, _ in rows:
        text = json.dumps(options, ensure_ascii=False)
        cells = [name, label, module, "study", "numpy", kind, text, "1", "1", "1000"]
        lines.append("\t".join([*cells, "nobody 2020", variant_of]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_methods(path)


def _scores(rng, rows, names, settings, repetitions, labelled):
    means = {row[0]: row[6] for row in rows}
    found = []
    for n_topics, n_minority in settings:
        for name in names:
            for repetition in range(repetitions):
                ok = means[name] is not None
                row = {"dataset": "simulated", "method": name, "n_topics": n_topics}
                row |= {"n_minority": n_minority, "repetition": repetition, "corpus": repetition}
                row |= {"status": "ok" if ok else "failed", "reason": "" if ok else HOSTILE}
                for metric in CARDS:
                    level = (means[name] or 0) + 0.03 * (metric != "purity")
                    value = level + 0.01 * rng.standard_normal()
                    row[metric] = value if ok and labelled else np.nan
                ours = name.startswith("constrained")
                row |= {"feasible": name == "constrained_nmf" if ours else ""}
                row |= {"least_seed_share": 0.4 if ours else np.nan, "objective": 4000.0}
                row |= {"largest_free_weight": 1e-9 if ours else np.nan, "stability": 0.5}
                row |= {"least_denominator": 0.7 if name.endswith("paper") else np.nan}
                found.append(row)
    return pd.DataFrame(found)


def _summary(scores):
    """As `summarise` gives it; the interval is made up."""
    found = []
    for key, group in scores.groupby(["n_topics", "n_minority", "method"], sort=False):
        good = group[group["status"] == "ok"]
        row = {"dataset": group["dataset"].iloc[0], "n_topics": key[0], "n_minority": key[1]}
        row |= {"method": key[2], "repetitions": len(good)}
        row["table"] = "variants" if key[2] in EXTRAS else "scores"
        for metric in CARDS:
            values = good[metric].dropna()
            many = len(values) >= 5
            row[metric] = values.mean()
            row[f"{metric}_low"] = values.mean() - 0.0123 if many else np.nan
            row[f"{metric}_high"] = values.mean() + 0.0123 if many else np.nan
            row[f"{metric}_sd"] = values.std(ddof=1)
            row[f"{metric}_min"], row[f"{metric}_max"] = values.min(), values.max()
        row["reason"] = "" if len(good) else group["reason"].iloc[0]
        row["interval_over"] = "corpora and random states" if len(good) >= 5 else ""
        found.append(row)
    return pd.DataFrame(found)


def _comparisons(summary, methods, repetitions):
    metrics = ("purity", "nmi", "ami", "ami_injected", "jsd_mean", "f1")
    rows = []
    for (n_topics, n_minority), group in summary.groupby(["n_topics", "n_minority"], sort=False):
        means = group.set_index("method")
        for metric in metrics:
            ours = means.loc["constrained_nmf", metric]
            for other in means.index:
                if other == "constrained_nmf" or not methods[other].is_rival:
                    continue
                theirs = means.loc[other, metric]
                if np.isnan(theirs):
                    continue
                sign = 1 if CARDS[metric].direction == "higher" else -1
                difference = ours - theirs
                ahead = sign * difference > 0
                grade = "behind" if not ahead else "clearly ahead"
                if ahead and abs(difference) < 0.05:
                    grade = "ahead but not clear"
                row = {"dataset": "simulated", "n_topics": n_topics, "n_minority": n_minority}
                row |= {"metric": metric, "better": CARDS[metric].direction}
                row |= {"ours": "constrained_nmf", "other": other, "repetitions": repetitions}
                row |= {"ours_mean": ours, "other_mean": theirs, "difference": difference}
                row |= {"low": difference - 0.01, "high": difference + 0.01, "effect": 0.9}
                row |= {"p": 0.0001, "p_holm": 0.0004 if grade == "clearly ahead" else 0.21}
                row |= {"grade": grade, "interval_over": "corpora and random states"}
                rows.append(row)
    return pd.DataFrame(rows)


def _claims(full):
    ours, paper = ("constrained_nmf", "constrained_nmf_paper")
    if not full:
        return pd.DataFrame(
            [["best_purity", "The model has the highest purity.", "Section 5", ours,
              "too few repetitions", "2 repetitions"]],
            columns=["claim", "statement", "paper", "method", "verdict", "evidence"],
        )  # fmt: skip
    best = "best_purity", "The model has the highest purity of all models.", "Section 5, Figure 1"
    met = "constraints", "The constraints are satisfied.", "Section 3"
    rows = [
        (*best, ours, "clearly ahead, not clear of the control Keyword k-means",
         "0.264 against 0.101 of Corex; Keyword k-means 0.241"),
        (*best, paper, "behind", "0.068 against 0.101 of Corex"),
        (*met, ours, "holds", "met in 20 of 20 fits"),
        (*met, paper, "does not hold", HOSTILE),
        ("falling", f"Baselines fall with K {HOSTILE}", "Appendix", "", "holds in part", ""),
        ("fast", "The objective falls fast.", "", ours, "not tested", ""),
        ("jsd", "The best three in JSD.", "Figure 2", ours, "ahead but not clear",
         "0.558 against 0.589"),
    ]  # fmt: skip
    return pd.DataFrame(
        rows, columns=["claim", "statement", "paper", "method", "verdict", "evidence"]
    )


def _published(summary):
    first = summary[(summary["n_topics"] == 20)].set_index("method")
    rows = []
    for method, published in (("constrained_nmf", 0.1765), ("nmf", 0.0969), ("keyatm", 0.0878)):
        for metric in ("purity", "nmi"):
            found = first.loc[method]
            row = {"dataset": "simulated", "method": method, "metric": metric}
            row |= {"published": published, "ours": found[metric]}
            row |= {"low": found[f"{metric}_low"], "high": found[f"{metric}_high"]}
            row |= {"least": found[f"{metric}_min"], "most": found[f"{metric}_max"]}
            row |= {"repetitions": found["repetitions"], "in_interval": False, "in_range": False}
            rows.append(row)
    return pd.DataFrame(rows)


def _parts():
    rows = []
    changes = {
        "ours": {"random start instead of block": -0.131, "one start instead of eight": -0.004},
        "published": {"block start": 0.097, f"W cut {HOSTILE}": 0.072},
    }
    for base, found in changes.items():
        for change, difference in found.items():
            for metric in ("purity", "nmi"):
                mean = 0.264 if base == "ours" else 0.068
                row = {"dataset": "simulated", "base": base, "change": change, "metric": metric}
                row |= {"base_mean": mean, "changed_mean": mean + difference}
                row |= {"difference": difference, "low": difference - 0.02}
                row |= {"high": difference + 0.02, "repetitions": 10}
                rows.append(row | {"p_holm": 0.0002 if abs(difference) > 0.05 else 0.6})
    return pd.DataFrame(rows)


def _topics():
    true = [
        ["Masennus ja Hoito", "depression and treatment", "masennus, hoito, lääke", 5, 2,
         "minority", "masennus, lääke, talo", 0.412, 4, 0.8],
        [HOSTILE, HOSTILE, f"sana, {HOSTILE}", 3, 1, "minority", "sana, muu", 0.7, 0, 0.0],
    ]  # fmt: skip
    examples = [
        ["Masennus ja Hoito", "well", "17", "masennus ja lääke auttaa", 2, "masennus, lääke", 0.91],
        ["Masennus ja Hoito", "badly", "18", HOSTILE, 9, "talo, auto", 0.4],
        [HOSTILE, "badly", HOSTILE, HOSTILE, 9, HOSTILE, 0.4],
    ]
    return {
        "true_topics": pd.DataFrame(
            true,
            columns=[
                "topic", "gloss", "words", "documents", "nearest", "nearest_kind", "nearest_words",
                "jsd", "found", "share",
            ],
        ),
        "examples": pd.DataFrame(
            examples,
            columns=["topic", "kind", "id", "text", "assigned", "assigned_words", "weight"],
        ),
    }  # fmt: skip


def _figures(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, width in zip(FIGURE_NAMES, FIGURE_WIDTHS, strict=True):
        assert name in FIGURES
        (folder / f"{name}.svg").write_text(SVG.format(width=width), encoding="utf-8")
        (folder / f"{name}.txt").write_text(f"Bars of {name}. {HOSTILE}\n", encoding="utf-8")
        for ending in ("png", "pdf", "csv"):
            (folder / f"{name}.{ending}").write_text("made up", encoding="utf-8")
    return [folder / f"{name}.png" for name in FIGURE_NAMES]


def _corpora(folder, full):
    for draw in range(2 if full else 1):
        corpus_of(folder / str(draw), planted(30))
        facts = {"documents": 30, "words": 32, "injected_documents": 5 if full else 0}
        facts |= {"seed_words_found": 4, "injected_documents_with_seed_word": 4 if full else 0}
        facts |= {"background_documents_with_seed_word": 2, "ground_truth": "injected word lists"}
        facts |= {"statistics": {"tokens_mean": 9.6 + draw, "tokens_sd": 7.9, "seen_once": None}}
        write_json(folder / str(draw) / "corpus.json", facts)
        write_manifest(folder / str(draw))
    return folder


def _config(path, full):
    dataset = {
        "kind": "injected",
        "background": "simulated",
        "rate": 0.1,
        "n_words": 4,
        "min_df": 1,
    }
    if not full:
        dataset = {"kind": "labelled", "file": HOSTILE, "min_df": 1}
    config = {"repetitions": 10, "datasets": {"simulated": dataset}, "note": HOSTILE}
    config["options"] = {"nmf": {"max_iter": 321}}
    path.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
