"""The paper's numbers and claims, each beside what this study finds: two tables.

A claim is tested for each solver of constrained NMF by itself, since the published algorithm, its
projected form and the exact solver differ.
"""

import numpy as np
import pandas as pd

from .claims import CLAIMS
from .evidence import NOT_TESTED, NUMBERS, PAPER_SETTING
from .statistics import in_setting, summarise

NUMBER_COLUMNS = [
    "dataset", "method", "metric", "published", "ours", "low", "high", "least", "most",
    "repetitions", "in_interval", "in_range",
]  # fmt: skip


def claims(study):
    """Every claim with verdict and evidence, a row for each solver that it is about."""
    rows = [
        {
            "claim": claim.name,
            "statement": claim.statement,
            "paper": claim.paper,
            "method": method,
            "verdict": verdict,
            "evidence": evidence,
        }
        for claim in CLAIMS
        for method, (verdict, evidence) in judge(study, claim).items()
    ]
    return pd.DataFrame(rows)


def judge(study, claim):
    """Verdict and evidence by method; one row that says why where there is nothing to judge by."""
    methods = study.solvers if claim.per_solver else [""]
    found = {method: claim.test(study, method) for method in methods}
    found = {method: result for method, result in found.items() if result is not None}
    return found or {"": (NOT_TESTED, claim.missing)}


def numbers(study):
    """Every published number with ours: a row per method and metric, in the paper's setting alone.

    The paper's own model is compared with each of our solvers. A published number is one figure
    without an interval; it is set beside our mean, its interval and the range of our repetitions.
    """
    scores = in_setting(study.scores, PAPER_SETTING)
    rows = []
    if study.published is not None and len(scores):
        for found in summarise(scores, NUMBERS, resamples=study.resamples).to_dict("records"):
            name = "constrained_nmf" if found["method"] in study.solvers else found["method"]
            if name in study.published.index:
                rows += [_number(found, metric, study.published.loc[name]) for metric in NUMBERS]
    return pd.DataFrame(rows, columns=NUMBER_COLUMNS)


def _number(found, metric, published):
    low, high = found[f"{metric}_low"], found[f"{metric}_high"]
    least, most = found[f"{metric}_min"], found[f"{metric}_max"]
    number = published[metric]
    return {
        "dataset": found["dataset"],
        "method": found["method"],
        "metric": metric,
        "published": number,
        "ours": found[metric],
        "low": low,
        "high": high,
        "least": least,
        "most": most,
        "repetitions": found["repetitions"],
        "in_interval": _between(low, number, high),
        "in_range": _between(least, number, most),
    }


def _between(low, number, high):
    """Nothing where there is no interval or range."""
    return None if np.isnan(low) else bool(low <= number <= high)
