"""The paper's numbers and claims, each beside what this study finds.

A published number is one figure without an interval. It is set beside our mean, its bootstrap
interval and the range of our repetitions. A claim is tested for each solver of constrained NMF by
itself, since the published algorithm, its projected form and the exact solver differ.
"""

import numpy as np
import pandas as pd

from .statistics import SETTING, feasible, in_setting, summarise

PAPER_SETTING = [20, 7]
NUMBERS = ("purity", "nmi")
# Objectives are recorded to nine digits.
RISE = 1e-8

CLAIMS = {
    "best_purity": "The model has the highest purity of all models.",
    "best_nmi": "The model has the highest NMI of all models.",
    "best_jsd": "The model has the smallest JSD of all models.",
    "all_settings": "The model is ahead in purity and NMI at every number of topics.",
    "rising": "Its purity and NMI rise with the number of topics.",
    "robust": "It performs consistently well whatever W_max and theta_min.",
    "monotone": "The objective decreases monotonically.",
    "constraints": "The constraints on W and H are satisfied.",
}


def name_rivals(scores, methods):
    """What evidence calls our solvers and the baselines, each by name of method."""
    solvers, baselines = {}, {}
    for name in dict.fromkeys(scores["method"]):
        if methods[name].ours:
            solver = methods[name].options.get("solver", "exact")
            solvers[name] = "as published" if solver == "paper" else solver
        elif methods[name].kind != "control":
            baselines[name] = methods[name].short_label
    return solvers, baselines


def numbers(scores, published, solvers):
    """Every published number with ours: a row per method and metric.

    The paper's own model is compared with each of our solvers.
    """
    summary = summarise(_at_paper_setting(scores), NUMBERS)
    rows = []
    for _, found in summary.iterrows():
        method = found["method"]
        source = "constrained_nmf" if method in solvers else method
        if source not in published.index:
            continue
        for metric in NUMBERS:
            number = published.loc[source, metric]
            low, high = found[f"{metric}_low"], found[f"{metric}_high"]
            least, most = found[f"{metric}_min"], found[f"{metric}_max"]
            rows.append(
                {
                    "dataset": found["dataset"],
                    "method": method,
                    "metric": metric,
                    "published": number,
                    "ours": found[metric],
                    "low": low,
                    "high": high,
                    "least": least,
                    "most": most,
                    "repetitions": found["repetitions"],
                    "in_interval": low <= number <= high,
                    "in_range": least <= number <= most,
                }
            )
    return pd.DataFrame(rows)


def claims(scores, constraints, trajectory, solvers, baselines):
    """Every claim with a verdict and its evidence.

    `solvers` and `baselines` map names of methods to what the evidence calls them.
    """
    summary = summarise(scores, ("purity", "nmi", "jsd_mean"))
    paper = _at_paper_setting(summary)
    found = {
        "best_purity": _best(paper, "purity", solvers, baselines),
        "best_nmi": _best(paper, "nmi", solvers, baselines),
        "best_jsd": _best(paper, "jsd_mean", solvers, baselines, sign=-1),
        "all_settings": _all_settings(summary, solvers, baselines),
        "rising": _rising(summary, solvers),
        "robust": _robust(constraints, paper, solvers, baselines),
        "monotone": _monotone(trajectory, solvers),
        "constraints": _feasible(scores, solvers),
    }
    return pd.DataFrame(
        {
            "claim": name,
            "statement": CLAIMS[name],
            "verdict": _verdict(results, solvers),
            "evidence": "; ".join(
                f"{solvers[solver]}: {text}" for solver, (_, text) in results.items()
            ),
        }
        for name, results in found.items()
    )


def _verdict(results, solvers):
    holding = [solvers[solver] for solver, (holds, _) in results.items() if holds]
    if not results:
        return "not tested"
    if len(holding) == len(results) == len(solvers):
        return "holds"
    return f"holds for {', '.join(holding)}" if holding else "does not hold"


def _at_paper_setting(table):
    """Rows of 20 topics, 7 minority; of the first setting where the study has no such."""
    chosen = in_setting(table, PAPER_SETTING)
    return chosen if len(chosen) else in_setting(table, table[SETTING].iloc[0])


def _best(summary, metric, solvers, baselines, sign=1):
    """Whether each solver's mean is ahead of all baselines, and whether its interval is clear."""
    rows = summary.set_index("method")
    others = rows[rows.index.isin(baselines)].dropna(subset=[metric])
    if others.empty:
        return {}
    second = others.loc[(sign * others[metric]).idxmax()]
    results = {}
    for solver in solvers:
        if solver in rows.index and not np.isnan(rows.loc[solver, metric]):
            mine = rows.loc[solver]
            ahead = sign * mine[metric] > sign * second[metric]
            clear = mine[f"{metric}_low"] > second[f"{metric}_high"]
            if sign < 0:
                clear = mine[f"{metric}_high"] < second[f"{metric}_low"]
            rival = f"{_number(second, metric)} of {baselines[second.name]}"
            text = f"{_number(mine, metric)} against {rival}"
            results[solver] = ahead, text + (", intervals apart" if ahead and clear else "")
    return results


def _number(row, metric):
    return f"{row[metric]:.3f} [{row[f'{metric}_low']:.3f}, {row[f'{metric}_high']:.3f}]"


def _by_setting(summary, metric):
    """Means, methods x settings, where a study has more than one."""
    table = summary.copy()
    table["setting"] = [f"{k}/{m}" for k, m in table[SETTING].to_numpy()]
    order = table["setting"].drop_duplicates()
    return table.pivot(index="method", columns="setting", values=metric)[order]


def _complete(tables, method):
    """Whether a method has a score in every setting."""
    return all(
        method in table.index and table.loc[method].notna().all() for table in tables.values()
    )


def _all_settings(summary, solvers, baselines):
    results = {}
    tables = {metric: _by_setting(summary, metric) for metric in NUMBERS}
    settings = tables["purity"].columns
    if len(settings) < 2 or not set(baselines) & set(tables["purity"].index):
        return {}
    for solver in solvers:
        if _complete(tables, solver):
            missed = [
                f"{metric} at {setting} ({table.loc[solver, setting]:.3f} against {best:.3f})"
                for metric, table in tables.items()
                for setting, best in table[table.index.isin(baselines)].max().items()
                if not table.loc[solver, setting] > best
            ]
            text = f"behind in {', '.join(missed)}" if missed else f"ahead at {', '.join(settings)}"
            results[solver] = not missed, text
    return results


def _rising(summary, solvers):
    results = {}
    tables = {metric: _by_setting(summary, metric) for metric in NUMBERS}
    if len(tables["purity"].columns) < 2:
        return {}
    for solver in solvers:
        if _complete(tables, solver):
            curves = {metric: table.loc[solver] for metric, table in tables.items()}
            rises = all((np.diff(curve) > 0).all() for curve in curves.values())
            text = ", ".join(
                f"{metric} {' '.join(f'{value:.3f}' for value in curve)}"
                for metric, curve in curves.items()
            )
            results[solver] = rises, text
    return results


def _robust(constraints, summary, solvers, baselines):
    """Over the grid of W_max and theta_min: ahead of the best baseline at every point?"""
    others = summary[summary["method"].isin(baselines)]
    if constraints is None or others[list(NUMBERS)].isna().all(axis=None):
        return {}
    points = constraints[constraints["status"] == "ok"]
    means = points.groupby(["method", "w_max", "theta_min"], sort=False)[list(NUMBERS)].mean()
    results = {}
    for solver, grid in means.groupby(level="method", sort=False):
        if solver not in solvers:
            continue
        ahead = {metric: grid[metric] > others[metric].max() for metric in NUMBERS}
        text = ", ".join(
            f"{metric} {grid[metric].min():.3f} to {grid[metric].max():.3f} over {len(grid)} "
            f"points, above the best baseline at {int(ahead[metric].sum())}"
            for metric in NUMBERS
        )
        results[solver] = all(above.all() for above in ahead.values()), text
    return results


def _monotone(trajectory, solvers):
    if trajectory is None:
        return {}
    results = {}
    for solver in solvers:
        fits = trajectory[trajectory["method"] == solver].groupby("repetition")["objective"]
        if len(fits):
            rises = [
                (np.diff(curve) > RISE * np.abs(curve.to_numpy()[:-1])).sum() for _, curve in fits
            ]
            n_risen = int(np.count_nonzero(rises))
            text = f"{n_risen} of {len(rises)} fits rise in some iteration"
            results[solver] = n_risen == 0, text
    return results


def _feasible(scores, solvers):
    results = {}
    for solver in solvers:
        fits = scores[(scores["method"] == solver) & (scores["status"] == "ok")]
        if len(fits):
            met = int(feasible(fits).sum())
            results[solver] = met == len(fits), f"met in {met} of {len(fits)} fits"
    return results
