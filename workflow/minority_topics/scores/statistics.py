"""Means with intervals, and paired comparisons of our model with every other.

Repetitions are the unit: each has a random state of its own and, where data is generated, a corpus
of its own, which all methods share; so differences are taken within repetitions.
"""

import itertools

import numpy as np
import pandas as pd

from ..study.registry import first_model
from .cards import CARDS

LEVEL = 0.95
N_RESAMPLES = 10_000
# Up to here all sign flips of the differences are tried, above so many random ones.
MOST_FLIPS = 2**14
COMPARED = ("purity", "nmi", "ami", "jsd_mean")
SETTING = ["n_topics", "n_minority"]


def in_setting(table, setting):
    """The rows of a setting: topics, minority topics."""
    return table[(table[SETTING] == list(setting)).all(axis=1)]


def feasible(scores):
    """Of each fit, whether it met both constraints; empty cells are no."""
    return scores["feasible"].astype(str) == "True"


def bootstrap_interval(values):
    """95% percentile interval of the mean of `values`, from resamples with a fixed random state."""
    values = np.asarray(values, dtype=float)
    values = values[~np.isnan(values)]
    if not len(values):
        return np.nan, np.nan
    rng = np.random.default_rng(0)
    means = rng.choice(values, (N_RESAMPLES, len(values))).mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def sign_flip_p(differences):
    """Two-sided p-value of a mean difference of zero: how often random signs give one as large."""
    differences = np.asarray(differences, dtype=float)
    n = len(differences)
    if 2**n <= MOST_FLIPS:
        signs = np.array(list(itertools.product([1, -1], repeat=n)))
    else:
        signs = np.random.default_rng(0).choice([1, -1], (MOST_FLIPS, n))
        signs[0] = 1
    means = np.abs(signs @ differences)
    return float((means >= abs(differences.sum()) * (1 - 1e-12)).mean())


def holm(p_values):
    """p-values corrected for their number (Holm 1979)."""
    p_values = np.asarray(p_values, dtype=float)
    order = np.argsort(p_values)
    factors = len(p_values) - np.arange(len(p_values))
    corrected = np.minimum(1, np.maximum.accumulate(p_values[order] * factors))
    return corrected[np.argsort(order)]


def rank_biserial(differences):
    """Effect size of paired differences, -1 to 1: their ranks above zero less those below."""
    differences = np.asarray(differences, dtype=float)
    ranks = pd.Series(np.abs(differences)).rank().to_numpy() * (differences != 0)
    total = ranks.sum()
    return float((ranks * np.sign(differences)).sum() / total) if total else 0.0


def summarise(scores, metrics, by=()):
    """Mean, 95% interval, sd and range of metrics, a row per method, setting and value of `by`.

    `repetitions` counts the fits that came out; a method without any keeps its row and says why.
    """
    rows = []
    for key, group in scores.groupby([*by, *SETTING, "method"], sort=False):
        good = group[group["status"] == "ok"]
        row = dict(zip([*by, *SETTING, "method"], key, strict=True))
        row = {"dataset": group["dataset"].iloc[0], **row, "repetitions": len(good)}
        for metric in metrics:
            values = good[metric].dropna()
            low, high = bootstrap_interval(values)
            row[metric] = values.mean()
            row[f"{metric}_low"], row[f"{metric}_high"] = low, high
            row[f"{metric}_sd"] = values.std(ddof=1)
            row[f"{metric}_min"], row[f"{metric}_max"] = values.min(), values.max()
        row["reason"] = "" if len(good) else group["reason"].iloc[0]
        rows.append(row)
    return pd.DataFrame(rows)


def compare_with_first(scores, methods):
    """The first method of the scores that is no control against each other one."""
    present = list(dict.fromkeys(scores["method"]))
    ours = first_model(methods, present)
    models = (name for name in present if methods[name].kind != "control")
    return compare(scores, ours, [name for name in models if name != ours])


def compare(scores, ours, others):
    """`ours` against each of `others`, paired by repetition, in every setting and metric.

    Differences are ours less theirs. p-values are corrected for the number of others.
    """
    rows = []
    good = scores[scores["status"] == "ok"]
    for setting, group in good.groupby(SETTING, sort=False):
        for metric in COMPARED:
            table = group.pivot(index="repetition", columns="method", values=metric)
            if ours not in table:
                continue
            compared = [_pair(table, ours, name) for name in others if name in table]
            compared = [row for row in compared if row["repetitions"]]
            for row, p in zip(compared, holm([row["p"] for row in compared]), strict=True):
                axes = dict(zip(SETTING, setting, strict=True))
                better = CARDS[metric].direction
                rows.append({**axes, "metric": metric, "better": better, **row, "p_holm": p})
    return pd.DataFrame(rows)


def _pair(table, ours, other):
    pairs = table[[ours, other]].dropna()
    differences = (pairs[ours] - pairs[other]).to_numpy()
    low, high = bootstrap_interval(differences)
    return {
        "ours": ours,
        "other": other,
        "repetitions": len(pairs),
        "ours_mean": pairs[ours].mean(),
        "other_mean": pairs[other].mean(),
        "difference": differences.mean() if len(pairs) else np.nan,
        "low": low,
        "high": high,
        "effect": rank_biserial(differences),
        "p": sign_flip_p(differences) if len(pairs) else np.nan,
    }
