"""The paper's claims, each with the test that decides it. Claims without a place are ours.

A test gets the study and the name of a solver, "" where the claim is of none. It gives a verdict
and a sentence of evidence, or None where the study has nothing to decide it by.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from ..base.text import listed
from .evidence import (
    FAILS,
    JUDGED,
    PAPER_SETTING,
    STRENGTH,
    UNDECIDED,
    WORDS,
    Study,
    capital,
    decisive,
    difference_text,
    metric_text,
    p_text,
    setting_text,
    signed,
    verdict_of,
)
from .parts import BASES, OFF
from .statistics import (
    ALPHA,
    BEHIND,
    CLEAR,
    LEAST_FOR_VERDICT,
    SETTING,
    TOO_FEW,
    compare,
    feasible,
    grade,
    holm,
    in_setting,
)

CLUSTERING = ("purity", "nmi")
ADJUSTED = ("purity_adjusted", "ami")
GRID = ["w_max", "theta_min"]
# Objectives are recorded to nine digits.
RISE = 1e-8
EARLY, MOST_OF_FALL = 20, 0.9
# As the paper names them: beside its own the best three in JSD, and those that force seed words.
BEST_IN_JSD = ("nmf", "keyatm")
FORCING = ("corex", "guidedlda", "seededlda")
# The fewest models whose order says something.
LEAST_IN_ORDER = 6
N_SHUFFLES = 9999


@dataclass(frozen=True)
class Claim:
    """`paper` is where the paper says it, "" if the claim is this study's own.

    `missing` is what is said where nothing can be tested.
    """

    name: str
    statement: str
    paper: str
    test: Callable[[Study, str], tuple[str, str] | None]
    missing: str = "The study has no scores to test it by."
    per_solver: bool = True


# Best of all.


def best(metric):
    """Test of a claim to be ahead of every model in a metric."""

    def test(study, solver):
        rows = study.against(solver, metric, study.models)
        if rows.empty:
            return None
        row = decisive(rows)
        if row["grade"] == TOO_FEW:
            return UNDECIDED
        controls = study.against(solver, metric, study.controls)
        sentences = [
            f"{capital(metric_text(metric))} is {row['ours_mean']:.3f} on average. The hardest "
            f"rival among the models ({len(rows)}) is {study.label(row['other'])}, with "
            f"{row['other_mean']:.3f}: a difference of {difference_text(row)}.",
            *(
                f"The control {study.label(control['other'])} has {control['other_mean']:.3f}: "
                f"a difference of {difference_text(control)}."
                for _, control in controls.iterrows()
            ),
            *_left_out(study, study.unmatched(rows)),
        ]
        return _with_controls(study, row["grade"], controls), " ".join(sentences)

    return test


def _with_controls(study, verdict, controls):
    """A verdict on models, and beside it the control that is not clearly beaten."""
    if controls.empty:
        return verdict
    row = decisive(controls)
    if row["grade"] == CLEAR:
        return verdict
    control = f"the control {study.label(row['other'])}"
    if row["grade"] != BEHIND:
        return f"{verdict}, not clear of {control}"
    return f"behind models and {control}" if verdict == BEHIND else f"{verdict}, behind {control}"


def _left_out(study, names):
    """Models with too few repetitions to be compared with."""
    labels = [study.label(name) for name in dict.fromkeys(names)]
    return [f"Too few repetitions to compare with {listed(labels)}."] if labels else []


def best_three_jsd(study, solver):
    means = study.means("jsd_mean")[setting_text(study.setting)].dropna()
    models = [name for name in (solver, *study.baselines) if name in means.index]
    if solver not in models:
        return UNDECIDED if study.has_scores(solver, "jsd_mean") else None
    if not set(BEST_IN_JSD) <= set(models):
        return None
    ranked = means[models].sort_values(kind="stable")
    place = list(ranked.index).index(solver) + 1
    three = set(ranked.index[:3])
    verdict = verdict_of(len(three & {solver, *BEST_IN_JSD}), 3)
    shown = [f"{study.label(name)} {ranked[name]:.3f}" for name in ranked.index[:3]]
    others = [
        f"{study.label(name)} {ranked[name]:.3f} in place {list(ranked.index).index(name) + 1}"
        for name in (solver, *BEST_IN_JSD)
        if name not in three
    ]
    text = f"The least mean JSDs of {len(ranked)} models are {listed(shown)}"
    text += f"; {listed(others)}." if others else "."
    tuned = [name for name in study.models if name in means.index and name not in models]
    ahead = [
        f"{study.label(name)} {means[name]:.3f}" for name in tuned if means[name] < ranked.iloc[2]
    ]
    text += f" Of tunings and newer models, {listed(ahead)} would be among them." if ahead else ""
    return (verdict if place <= 3 else FAILS), text


# More topics.


def all_settings(study, solver):
    """The weakest grade over all settings, purity and NMI."""
    if len(study.settings) < 2:
        return None
    cells, controls, parts, unmatched = [], [], [], []
    for setting in study.settings:
        told = []
        for metric in CLUSTERING:
            rows = study.against(solver, metric, study.models, setting)
            if rows.empty:
                return None
            row = decisive(rows)
            cells.append(row)
            unmatched += study.unmatched(rows, setting)
            told.append(
                f"{WORDS[metric]} {row['grade']} ({signed(row['difference'])} against "
                f"{study.label(row['other'])})"
            )
            controls.append(study.against(solver, metric, study.controls, setting))
        parts.append(f"At {setting_text(setting)}: {listed(told)}.")
    weakest = min((row["grade"] for row in cells), key=STRENGTH.__getitem__)
    if weakest == TOO_FEW:
        return UNDECIDED
    controls = pd.concat(controls)
    over = listed(dict.fromkeys(row["interval_over"] for row in cells if row["interval_over"]))
    parts += [f"The differences are over {over}.", *_unbeaten(study, controls)]
    parts += _left_out(study, unmatched)
    return _with_controls(study, weakest, controls), " ".join(parts)


def _unbeaten(study, controls):
    """Where a control is not clearly beaten."""
    if controls.empty:
        return []
    cells = [
        f"{WORDS[row['metric']]} at {setting_text(row[SETTING].to_numpy())} "
        f"({signed(row['difference'])} against {study.label(row['other'])})"
        for _, row in controls[controls["grade"] != CLEAR].iterrows()
    ]
    return [f"Not clearly ahead of a keyword control in {listed(cells)}."] if cells else []


def rising(metrics):
    """Test of a claim to rise with the number of topics in each of some metrics."""

    def test(study, solver):
        if len(study.settings) < 2:
            return None
        changes = [study.change(solver, metric) for metric in metrics]
        if any(change is None for change in changes):
            return None
        curves = [study.means(metric).reindex([solver]).loc[solver] for metric in metrics]
        undecided = any(change["grade"] == TOO_FEW for change in changes)
        if undecided or any(curve.isna().any() for curve in curves):
            return UNDECIDED
        risen = [
            (np.diff(curve) > 0).all() and change["grade"] == CLEAR
            for curve, change in zip(curves, changes, strict=True)
        ]
        steps = listed([setting_text(setting) for setting in study.settings])
        sentences = [
            f"{capital(WORDS[metric])} is {listed([f'{value:.3f}' for value in curve])} at "
            f"{steps}: a change of {difference_text(change, corrected=False)}."
            for metric, curve, change in zip(metrics, curves, changes, strict=True)
        ]
        return verdict_of(sum(risen), len(metrics)), " ".join(
            [*sentences, *_chance(study, metrics)]
        )

    return test


def _chance(study, metrics):
    """By how much random labels change."""
    sentences = []
    for name in dict.fromkeys(study.fits["method"]):
        method = study.methods[name]
        if method.kind == "control" and method.options.get("labels") == "random":
            changes = [(metric, study.change(name, metric)) for metric in metrics]
            told = [
                f"{signed(change['difference'])} in {WORDS[metric]}"
                for metric, change in changes
                if change is not None
            ]
            if told:
                sentences.append(f"{study.label(name)} change by {listed(told)}.")
    return sentences


def baselines_fall(study, _):
    """Whether more than half of the baselines are clearly lower at the most topics."""
    if len(study.settings) < 2:
        return None
    first, last = (setting_text(study.settings[place]) for place in (0, -1))
    met, told = [], []
    for metric in CLUSTERING:
        changes = {name: study.change(name, metric) for name in study.baselines}
        changes = {name: change for name, change in changes.items() if change is not None}
        if not changes:
            return None
        decided = {name: row for name, row in changes.items() if row["grade"] != TOO_FEW}
        if not decided:
            return UNDECIDED
        corrected = holm([row["p_holm"] for row in decided.values()])
        fallen = [
            study.label(name)
            for (name, row), p in zip(decided.items(), corrected, strict=True)
            if grade(row["difference"], "lower", p, row["units"]) == CLEAR
        ]
        met.append(2 * len(fallen) > len(decided))
        names = f" ({', '.join(fallen)})" if fallen else ""
        told.append(
            f"{len(fallen)} of {len(decided)} baselines fall clearly in {WORDS[metric]}{names}"
        )
    return verdict_of(sum(met), len(met)), f"From {first} to {last}, {listed(told)}."


# The grid of W_max and theta_min.


def robust(study, solver):
    """Clearly ahead of every model, in purity and NMI, at every point of the grid?"""
    table = study.constraints
    if table is None:
        return None
    table = table[(table["method"] == solver) & (table["status"] == "ok")]
    points = [_at_point(study, solver, fits) for _, fits in table.groupby(GRID, sort=False)]
    grades = _weakest_grades(points, study.models)
    if grades.empty:
        return None
    if (grades == TOO_FEW).all(axis=None):
        return UNDECIDED
    means = table.groupby(GRID)[list(grades)].mean()
    axes = [f"{key} {_bound(table[key].min())} to {_bound(table[key].max())}" for key in GRID]
    ranges = [f"{WORDS[m]} {means[m].min():.3f} to {means[m].max():.3f}" for m in grades]
    sentences = [
        f"Over {len(grades)} points ({listed(axes)}): {listed(ranges)}.",
        f"Clearly ahead of every model at {_points_ahead(grades)}.",
    ]
    controls = _weakest_grades(points, study.controls)
    if not controls.empty:
        sentences.append(f"Clearly ahead of every keyword control at {_points_ahead(controls)}.")
    over = listed(dict.fromkeys(over for rows in points for over in rows["interval_over"] if over))
    sentences.append(f"The differences are over {over}.")
    met = (grades[list(CLUSTERING)] == CLEAR).all(axis=1)
    return verdict_of(int(met.sum()), len(met)), " ".join(sentences)


def _bound(value):
    """A bound as it is written; one beyond every weight is none."""
    return "no bound" if value >= OFF["w_max"] else f"{value:g}"


def _at_point(study, solver, fits):
    """Differences of a point's fits to all rivals: models and keyword controls."""
    rivals = [*study.models, *study.controls]
    others = in_setting(study.fits, fits[SETTING].iloc[0])
    others = others[others["method"].isin(rivals)]
    # No documents are resampled for the points of an ablation.
    return compare(pd.concat([fits, others]), solver, rivals, metrics=JUDGED)


def _weakest_grades(points, others):
    """Grades by point and metric, each that of the rival that decides."""
    rivals = (rows[rows["other"].isin(others)] for rows in points)
    return pd.DataFrame(
        {metric: decisive(cell)["grade"] for metric, cell in rows.groupby("metric", sort=False)}
        for rows in rivals
        if len(rows)
    )


def _points_ahead(grades):
    counts = {WORDS[metric]: (grades[metric] == CLEAR).sum() for metric in grades}
    return listed([f"{count} of {len(grades)} points in {word}" for word, count in counts.items()])


# The algorithm.


def _curves(study, solver):
    """The objective across iterations of each fit."""
    if study.trajectory is None:
        return []
    fits = study.trajectory[study.trajectory["method"] == solver]
    return [curve["objective"].to_numpy() for _, curve in fits.groupby("repetition")]


def monotone(study, solver):
    curves = _curves(study, solver)
    if len(curves) < LEAST_FOR_VERDICT:
        return UNDECIDED if curves else None
    largest = np.array([_largest_rise(curve) for curve in curves])
    risen = int((largest > RISE).sum())
    text = f"The objective rises in some iteration in {risen} of {len(curves)} fits"
    text += f", by {largest.max():.2g} of itself at most." if risen else "."
    return verdict_of(len(curves) - risen, len(curves)), text


def _largest_rise(curve):
    """Largest rise from one iteration to the next, as a share of the objective."""
    return (np.diff(curve) / np.abs(curve[:-1])).max(initial=0)


def fast_fall(study, solver):
    """Whether each fit has most of its whole fall behind it after a few iterations."""
    curves = _curves(study, solver)
    if len(curves) < LEAST_FOR_VERDICT:
        return UNDECIDED if curves else None
    shares = np.array([_early_share(curve) for curve in curves])
    met = int((shares >= MOST_OF_FALL).sum())
    text = (
        f"After {EARLY} iterations {shares.mean():.1%} of the fall is reached on average, "
        f"{shares.min():.1%} at least; {MOST_OF_FALL:.0%} or more in {met} of {len(curves)} fits."
    )
    return verdict_of(met, len(curves)), text


def _early_share(curve):
    """Share of the fall after the first iteration that the early ones bring.

    The first is left out: from a start far off, it brings nearly everything in any algorithm.
    """
    first, last = curve[min(1, len(curve) - 1)], curve[-1]
    early = curve[min(EARLY, len(curve) - 1)]
    if first <= last:  # nothing was left to fall, or it rose
        return float(first == last)
    return float(np.clip((first - early) / (first - last), 0, 1))


def constraints(study, solver):
    fits = study.fits[study.fits["method"] == solver]
    if len(fits) < LEAST_FOR_VERDICT:
        return UNDECIDED if len(fits) else None
    met = int(feasible(fits).sum())
    return verdict_of(met, len(fits)), f"Both constraints are met in {met} of {len(fits)} fits."


def denominators(study, solver):
    """Only of solvers whose fits have the note: the exact one divides by no such thing."""
    if "least_denominator" not in study.fits:
        return None
    least = study.fits.loc[study.fits["method"] == solver, "least_denominator"].dropna()
    if len(least) < LEAST_FOR_VERDICT:
        return UNDECIDED if len(least) else None
    met = int((least > 0).sum())
    text = f"It stays above 0 in {met} of {len(least)} fits; the least is {least.min():.3g}."
    return verdict_of(met, len(least)), text


def h_update_2(study, solver):
    """Neither version clearly ahead of the other, in purity nor in NMI?"""
    other = _second_update(study, solver)
    if other is None:
        return None
    fits = in_setting(study.fits, study.setting)
    rows = compare(fits, other, [solver], study.resamples, CLUSTERING)
    if len(rows) < len(CLUSTERING):
        return None
    if (rows["grade"] == TOO_FEW).any():
        return UNDECIDED
    back = compare(fits, solver, [other], study.resamples, CLUSTERING)
    clear = (rows["grade"] == CLEAR).to_numpy() | (back["grade"] == CLEAR).to_numpy()
    sentences = [
        f"{capital(WORDS[row['metric']])} is {row['ours_mean']:.3f} by version 2 and "
        f"{row['other_mean']:.3f} by version 1, so version 2 is {row['grade']}: a difference of "
        f"{difference_text(row, corrected=False)}."
        for _, row in rows.iterrows()
    ]
    return verdict_of(int((~clear).sum()), len(rows)), " ".join(sentences)


def _second_update(study, solver):
    """The row of the same solver with version 2 of the H update."""
    wanted = {**study.methods[solver].options, "h_update": 2}
    for name in dict.fromkeys(study.fits["method"]):
        if study.methods[name].ours and study.methods[name].options == wanted:
            return name
    return None


# What topics hold, and the published table.


def seeds_on_top(study, solver):
    """Fewer seed words among the top words than each of those that are said to force them?"""
    guided = [name for name in study.baselines if study.methods[name].kind == "guided"]
    fits = in_setting(study.fits, study.setting)
    rows = compare(fits, solver, guided, metrics=["seed_words_on_top"])
    named = rows[rows["other"].isin(FORCING)]
    if named.empty:
        return None
    if (named["grade"] == TOO_FEW).any():
        return UNDECIDED
    told = [
        f"{study.label(row['other'])} {row['other_mean']:.0%} (difference "
        f"{100 * row['difference']:+.0f} points, corrected {p_text(row['p_holm'])})"
        for _, row in rows.iterrows()
    ]
    text = (
        f"Of the ten top words of minority topics {rows['ours_mean'].iloc[0]:.0%} are seed words; "
        f"of guided models: {listed(told)}."
    )
    # Neither end of this score is good in itself: here the claim makes the lower one good.
    columns = named[["difference", "p_holm", "units"]].to_numpy()
    fewer = [grade(difference, "lower", *rest) == CLEAR for difference, *rest in columns]
    return verdict_of(sum(fewer), len(fewer)), text


def order(study, solver):
    """Rank correlation with the published scores, the paper's own model being this solver."""
    if study.published is None or PAPER_SETTING not in study.settings:
        return None
    met, told = 0, []
    for metric in CLUSTERING:
        means = study.means(metric)[setting_text(PAPER_SETTING)].dropna()
        if solver not in means.index:
            return UNDECIDED if study.has_scores(solver, metric) else None
        ours = means.drop(study.solvers, errors="ignore")
        ours["constrained_nmf"] = means[solver]
        common = [name for name in study.published.index if name in ours.index]
        if len(common) < LEAST_IN_ORDER:
            return None
        rho, p = rank_correlation(ours[common], study.published.loc[common, metric])
        met += rho > 0 and p < ALPHA
        told.append(f"{rho:.2f} in {WORDS[metric]} ({p_text(p)})")
    text = f"Rank correlation with the published scores of {len(common)} models: {listed(told)}."
    return verdict_of(met, len(CLUSTERING)), text


def rank_correlation(first, second):
    """Spearman's rank correlation, and its two-sided p-value by permutation."""
    first, second = (_standardised(rankdata(values)) for values in (first, second))
    found = first @ second
    shuffled = np.random.default_rng(0).permuted(np.tile(first, (N_SHUFFLES, 1)), axis=1) @ second
    as_far = np.count_nonzero(np.abs(shuffled) >= abs(found) - 1e-12)
    return float(found), (1 + as_far) / (1 + N_SHUFFLES)


def _standardised(ranks):
    """Ranks of mean 0 and length 1, so that a product of two is their correlation."""
    centred = ranks - ranks.mean()
    return centred / np.sqrt((centred**2).sum())


# Of our own.


def parts(study, _):
    """Is it the solver that our model would lose most without?

    The solver's part is what the exact one has over the best of the others, since one of them must
    be taken; start and restarts have one alternative each.
    """
    if study.parts is None or study.parts.empty:
        return None
    table = study.parts[study.parts["metric"].isin(CLUSTERING)]
    if table["units"].min() < LEAST_FOR_VERDICT:
        return UNDECIDED
    changes: dict[str, Any] = BASES["ours"][1]
    changed = {name: next(iter(change)) for name, change in changes.items() if len(change) == 1}
    ours = table[(table["base"] == "ours") & table["change"].isin(changed)]
    ours = ours.assign(part=ours["change"].map(changed))
    ours = ours[~ours["part"].isin(OFF)]
    if ours.empty:
        return None
    met = 0
    for _, rows in ours.groupby("metric"):
        solver, others = rows[rows["part"] == "solver"], rows[rows["part"] != "solver"]
        best_other = solver.loc[solver["difference"].idxmax()]
        met += _is_clear_loss(best_other) and best_other["difference"] < others["difference"].min()
    return verdict_of(met, len(CLUSTERING)), _parts_text(table)


def _is_clear_loss(row):
    return grade(row["difference"], "lower", row["p_holm"], row["units"]) == CLEAR


def _parts_text(table):
    sentences = []
    for (base, metric), rows in table.groupby(["base", "metric"], sort=False):
        changes = [
            f"{signed(row['difference'])} by {row['change']}"
            + ("" if row["p_holm"] < ALPHA else " (not clear)")
            for _, row in rows.iterrows()
        ]
        model = "Our model" if base == "ours" else "The published algorithm"
        sentences.append(
            f"{model} has {WORDS[metric]} {rows['base_mean'].iloc[0]:.3f}. It changes by one part "
            f"at a time: {listed(changes)}."
        )
    over = [over for over in table["interval_over"].dropna().unique() if over]
    return " ".join([*sentences, *(f"The differences are over {name}." for name in over)])


CLAIMS = (
    Claim(
        "best_purity",
        "The model has the highest purity of all models.",
        "Section 5.3, Figure 1",
        best("purity"),
    ),
    Claim(
        "best_nmi",
        "The model has the highest NMI of all models.",
        "Section 5.3, Figure 1",
        best("nmi"),
    ),
    Claim(
        "best_jsd",
        "The model has the smallest JSD of all models.",
        "Section 5.3, Figure 2",
        best("jsd_mean"),
    ),
    Claim(
        "best_three_jsd",
        "The model, NMF and KeyATM have the three smallest JSDs.",
        "Appendix C, JSD figure",
        best_three_jsd,
        "The study lacks the JSD of the model, NMF or KeyATM.",
    ),
    Claim(
        "all_settings",
        "The model is ahead in purity and NMI at every number of topics.",
        "Section 5.4; Appendix C, figures of 30, 50 and 80 topics",
        all_settings,
        "The study lacks scores of the model in several settings.",
    ),
    Claim(
        "rising",
        "Purity and NMI of the model rise with the number of topics.",
        "Appendix C, figures of 30, 50 and 80 topics",
        rising(CLUSTERING),
        "The study lacks scores of the model in several settings.",
    ),
    Claim(
        "rising_adjusted",
        "They rise when corrected for chance, too: adjusted purity and AMI.",
        "",
        rising(ADJUSTED),
        "The study lacks scores of the model in several settings.",
    ),
    Claim(
        "baselines_fall",
        "Most baselines fall in purity and NMI when there are more topics.",
        "Appendix C, figures of 30, 50 and 80 topics",
        baselines_fall,
        "The study lacks scores of baselines in several settings.",
        per_solver=False,
    ),
    Claim(
        "robust",
        "The model is ahead of the baselines whatever W_max and theta_min.",
        "Section 5.4; Appendix B",
        robust,
        "The study has no ablation of W_max and theta_min.",
    ),
    Claim(
        "monotone",
        "The objective never rises.",
        "Section 4; Appendix A.13",
        monotone,
        "The study has no table of objectives.",
    ),
    Claim(
        "fast_fall",
        f"The objective falls fast in the first {EARLY} iterations and little after them; we ask "
        f"for {MOST_OF_FALL:.0%} of what falls after the first iteration.",
        "Appendix A.11",
        fast_fall,
        "The study has no table of objectives.",
    ),
    Claim(
        "constraints",
        "The constraints on W and H are satisfied.",
        "Section 4",
        constraints,
        "No fit of the model came out.",
    ),
    Claim(
        "denominators",
        "The denominator of the H update (version 1) stays positive.",
        "Appendix A.8",
        denominators,
        "No fit has a note of its least denominator.",
    ),
    Claim(
        "h_update_2",
        "Version 1 of the H update works well, and version 2 is an alternative to it: neither is "
        "clearly ahead.",
        "Appendix A.8",
        h_update_2,
        "The study lacks scores of a variant with version 2 of the H update.",
    ),
    Claim(
        "seeds_on_top",
        "The model does not force seed words into topics, as Corex, GuidedLDA and SeededLDA do.",
        "Section 5.3",
        seeds_on_top,
        "The study has none of Corex, GuidedLDA and SeededLDA.",
    ),
    Claim(
        "order",
        "The order of the models agrees with the published table: the rank correlation is above "
        f"0, with p < {ALPHA}.",
        "Section 5.3, Figure 1",
        order,
        f"The study has no scores of {LEAST_IN_ORDER} published models at "
        f"{setting_text(PAPER_SETTING)}.",
    ),
    Claim(
        "best_ami_injected",
        "The model tells the injected topics apart best: AMI of the injected documents.",
        "",
        best("ami_injected"),
    ),
    Claim(
        "best_f1",
        "The model finds the injected documents best: F1 of its minority topics.",
        "",
        best("f1"),
    ),
    Claim(
        "parts",
        "The exact solver is what makes the difference.",
        "",
        parts,
        "The study lacks the ablation named decomposition, or points of it.",
        per_solver=False,
    ),
)
