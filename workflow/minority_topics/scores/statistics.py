"""Means with intervals, and paired comparisons of our model with every other.

What an interval is over. Where data is generated, each repetition has a corpus and a random state
of its own, and an interval tells how far the mean would move if both were drawn anew. Where there
is one corpus, repetitions differ in their random state alone, so the documents that a fit is scored
on are resampled too (`resampling`), and their variance is added to that of random states. The fits
themselves stay as they are. Scores that do not count documents, such as JSD, have no such share:
their intervals are over random states alone.

All methods share the corpus of a repetition, so differences are taken within repetitions.
"""

import numpy as np
import pandas as pd
from scipy.stats import t as student

from ..study.registry import first_model
from .cards import CARDS

LEVEL = 0.95
# With fewer values an interval is too wide to tell anything, and rests on the normal law alone.
LEAST_FOR_INTERVAL = 5
LEAST_FOR_VERDICT = 6
ALPHA = 0.05
# Grades of a difference.
CLEAR, UNCLEAR, BEHIND = "clearly ahead", "ahead but not clear", "behind"
TOO_FEW = "too few repetitions"
# Draws of the documents of a single corpus.
N_RESAMPLES = 200
# Scores that count documents, which resamples move.
RESAMPLED = ("purity", "nmi", "ami", "ami_injected", "f1")
COMPARED = ("purity", "nmi", "ami", "ami_injected", "jsd_mean", "f1")
SETTING = ["n_topics", "n_minority"]
RESAMPLE_COLUMNS = ("dataset", "method", *SETTING, "resample", *RESAMPLED)
COMPARISON_COLUMNS = [
    "dataset", *SETTING, "metric", "better", "ours", "other", "repetitions", "units", "ours_mean",
    "other_mean", "difference", "low", "high", "effect", "p", "p_holm", "grade", "interval_over",
]  # fmt: skip

OVER_CORPORA = "corpora and random states"
OVER_DOCUMENTS = "random states and documents"
OVER_RANDOM_STATES = "random states"


def in_setting(table, setting):
    """The rows of a setting: topics, minority topics."""
    return table[(table[SETTING] == list(setting)).all(axis=1)]


def feasible(scores):
    """Of each fit, whether it met both constraints; empty cells are no."""
    return scores["feasible"].astype(str) == "True"


def with_variants(scores, variants=None):
    """Scores of methods in all settings, and of what `variants` has beside them.

    The table `variants` repeats the methods in the first setting: these rows are left out.
    """
    if variants is None:
        return scores
    added = variants[~variants["method"].isin(scores["method"])]
    return pd.concat([scores, added], ignore_index=True)


def t_interval(values, extra_variance=0.0):
    """95% interval of a mean: mean -+ t_f sqrt(s^2 / n + extra_variance), ends (low, high).

    `extra_variance` is that of the mean for a reason that the values share, such as the documents
    of their only corpus. f are the degrees of freedom (`_error`), n - 1 without it. NaN below
    `LEAST_FOR_INTERVAL` values.
    """
    values = _known(values)
    if len(values) < LEAST_FOR_INTERVAL:
        return np.nan, np.nan
    error, freedom = _error(values, extra_variance)
    half = student.ppf((1 + LEVEL) / 2, freedom) * error
    return float(values.mean() - half), float(values.mean() + half)


def paired_p(differences, extra_variance=0.0):
    """Two-sided p-value of a mean difference of zero, by the paired t-test.

    NaN below two differences. Where they are all equal and there is no other variance, 1 if they
    are zero and 0 otherwise.
    """
    differences = _known(differences)
    if len(differences) < 2:
        return np.nan
    mean, (error, freedom) = differences.mean(), _error(differences, extra_variance)
    if error == 0:
        return float(mean == 0)
    return float(2 * student.sf(abs(mean) / error, freedom))


def _known(values):
    values = np.asarray(values, dtype=float)
    return values[~np.isnan(values)]


def _error(values, extra_variance):
    """Standard error of a mean, and its degrees of freedom by Welch and Satterthwaite.

    f = (v + e)^2 / (v^2 / (n - 1) + e^2 / (B - 1)), where v = s^2 / n is the variance of the mean
    and e the extra variance, which comes from B resamples.
    """
    own = values.var(ddof=1) / len(values)
    parts = own**2 / (len(values) - 1) + extra_variance**2 / (N_RESAMPLES - 1)
    freedom = (own + extra_variance) ** 2 / parts if parts else len(values) - 1
    return np.sqrt(own + extra_variance), freedom


def holm(p_values):
    """p-values corrected for their number (Holm 1979). NaN stays NaN and does not count."""
    p_values = np.asarray(p_values, dtype=float)
    order = np.argsort(p_values)  # NaN last
    factors = np.count_nonzero(~np.isnan(p_values)) - np.arange(len(p_values))
    corrected = np.minimum(1, np.maximum.accumulate(p_values[order] * factors))
    return corrected[np.argsort(order)]


def rank_biserial(differences):
    """Effect size of paired differences, -1 to 1: their ranks above zero less those below."""
    differences = np.asarray(differences, dtype=float)
    ranks = pd.Series(np.abs(differences)).rank().to_numpy() * (differences != 0)
    total = ranks.sum()
    return float((ranks * np.sign(differences)).sum() / total) if total else 0.0


def grade(difference, better, p_holm, repetitions):
    """A paired difference in words. `better` is "higher" or "lower"; who is level is behind."""
    if repetitions < LEAST_FOR_VERDICT:
        return TOO_FEW
    if not (difference > 0 if better == "higher" else difference < 0):
        return BEHIND
    return CLEAR if p_holm < ALPHA else UNCLEAR


def summarise(scores, metrics, by=(), resamples=None):
    """Mean, 95% interval, sd and range of metrics, a row per method, setting and value of `by`.

    `repetitions` counts the fits that came out, `units` those that are independent: one a corpus,
    or all on a single one. A method without any fit keeps its row and says why.
    `interval_over` says what the intervals are over, "" where there are none. `resamples` is the
    table of `resampling`, for a dataset of one corpus.
    """
    spread = _spread(resamples)
    rows = []
    for key, group in scores.groupby([*by, *SETTING, "method"], sort=False):
        good = group[group["status"] == "ok"]
        row = dict(zip([*by, *SETTING, "method"], key, strict=True))
        row = {"dataset": group["dataset"].iloc[0], **row, "repetitions": len(good)}
        row["units"] = len(_units(good["repetition"], good["corpus"]))
        for metric in metrics:
            values = good[metric].dropna()
            units = _units(values, good["corpus"])
            low, high = t_interval(units, spread.get((*key[len(by) :], metric), 0.0))
            row[metric] = units.mean()
            row[f"{metric}_low"], row[f"{metric}_high"] = low, high
            row[f"{metric}_sd"] = values.std(ddof=1)
            row[f"{metric}_min"], row[f"{metric}_max"] = values.min(), values.max()
        known = any(not np.isnan(row[f"{metric}_low"]) for metric in metrics)
        row["interval_over"] = _over(good["corpus"], resamples is not None) if known else ""
        row["reason"] = "" if len(good) else group["reason"].iloc[0]
        rows.append(row)
    return pd.DataFrame(rows)


def summarise_study(scores, variants=None, resamples=None):
    """Every score of a study, as `summarise` has it; `table` tells methods from variants."""
    summary = summarise(with_variants(scores, variants), CARDS, resamples=resamples)
    table = np.where(summary["method"].isin(scores["method"]), "scores", "variants")
    summary.insert(summary.columns.get_loc("method") + 1, "table", table)
    return summary


def _units(values, corpora):
    """Values that are independent of each other: one per corpus; on a single corpus, all.

    Fits of the same corpus share its luck, so they count as one where there are other corpora.
    """
    corpora = corpora.loc[values.index]
    return values.groupby(corpora).mean() if corpora.nunique() > 1 else values


def _over(corpora, documents):
    if corpora.nunique() > 1:
        return OVER_CORPORA
    return OVER_DOCUMENTS if documents else OVER_RANDOM_STATES


def _spread(resamples):
    """Variance of each mean over resampled documents, by (topics, minority, method, metric)."""
    if resamples is None:
        return {}
    metrics = [name for name in resamples if name in CARDS]
    variances = resamples.groupby([*SETTING, "method"])[metrics].var()
    return variances.stack().to_dict()


def compare_with_first(scores, methods, resamples=None):
    """The first model of the scores against each of its rivals."""
    present = list(dict.fromkeys(scores["method"]))
    ours = first_model(methods, present)
    rivals = [name for name in present if methods[name].is_rival and name != ours]
    return compare(scores, ours, rivals, resamples)


def compare(scores, ours, others, resamples=None, metrics=COMPARED):
    """`ours` against each of `others`, paired by repetition, in every setting and metric.

    Differences are ours less theirs, of the repetitions in which both came out. On a single corpus
    the variance that the documents give to the difference is added (`resamples`: the same documents
    for both). p-values are corrected for the number of others in a setting and metric.
    """
    rows = []
    good = scores[scores["status"] == "ok"]
    for setting, group in good.groupby(SETTING, sort=False):
        axes = {"dataset": group["dataset"].iloc[0], **dict(zip(SETTING, setting, strict=True))}
        corpora = group.drop_duplicates("repetition").set_index("repetition")["corpus"]
        for metric in metrics:
            table = group.pivot(index="repetition", columns="method", values=metric)
            if ours not in table:
                continue
            resampled = _resampled(resamples, setting, metric)
            compared = [
                _pair(table, ours, name, corpora, resampled) for name in others if name in table
            ]
            compared = [row for row in compared if row["repetitions"]]
            better = CARDS[metric].direction
            for row, p in zip(compared, holm([row["p"] for row in compared]), strict=True):
                graded = grade(row["difference"], better, p, row["units"])
                facts = {"metric": metric, "better": better, "p_holm": p, "grade": graded}
                rows.append({**axes, **row, **facts})
    return pd.DataFrame(rows, columns=COMPARISON_COLUMNS)


def _resampled(resamples, setting, metric):
    """Means of a metric under resampled documents, resamples x methods; None if there are none."""
    if resamples is None or metric not in resamples:
        return None
    return in_setting(resamples, setting).pivot(index="resample", columns="method", values=metric)


def _pair(table, ours, other, corpora, resampled):
    pairs = table[[ours, other]].dropna()
    corpora = corpora.loc[pairs.index]
    differences = _units(pairs[ours] - pairs[other], corpora)
    documents = 0.0 if resampled is None else _difference_of(resampled, ours, other).var()
    low, high = t_interval(differences, documents)
    return {
        "ours": ours,
        "other": other,
        "repetitions": len(pairs),
        "units": len(differences),
        "ours_mean": _units(pairs[ours], corpora).mean(),
        "other_mean": _units(pairs[other], corpora).mean(),
        "difference": differences.mean(),
        "low": low,
        "high": high,
        "effect": rank_biserial(differences),
        "p": paired_p(differences, documents),
        "interval_over": "" if np.isnan(low) else _over(corpora, resampled is not None),
    }


def _difference_of(resampled, ours, other):
    missing = [name for name in (ours, other) if name not in resampled]
    if missing:
        raise ValueError(
            f"resamples: there is no row of {missing[0]} in this setting; make the table of all "
            "methods that are compared"
        )
    return resampled[ours] - resampled[other]
