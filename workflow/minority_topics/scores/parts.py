"""What each part of the model brings: the solver, the start, the restarts and the two constraints.

The ablation `decomposition` fits every combination. Two of them are models, ours and the published
one; each part is changed in both, all else being kept, and compared in the same repetitions.
"""

import pandas as pd

from .statistics import compare

OPTIONS = ["solver", "start", "n_init", "w_max", "theta_min"]
# A bound that no weight reaches, and a share that every topic has: no constraints.
OFF = {"w_max": 1e9, "theta_min": 0.0}
OURS = {"solver": "exact", "start": "block", "n_init": 8, "w_max": 1e-9, "theta_min": 0.4}
PUBLISHED = {**OURS, "solver": "paper", "start": "random", "n_init": 1}

CONSTRAINTS_OFF = {
    "W_max off": {"w_max": OFF["w_max"]},
    "theta_min off": {"theta_min": OFF["theta_min"]},
    "both constraints off": OFF,
}
# By the name of a model: its point, and what is changed of it, in words.
BASES: dict[str, tuple[dict, dict[str, dict]]] = {
    "ours": (
        OURS,
        {
            "random start instead of block": {"start": "random"},
            "one start instead of eight": {"n_init": 1},
            "one random start instead of eight block starts": {"start": "random", "n_init": 1},
            "projected instead of exact": {"solver": "projected"},
            "published instead of exact": {"solver": "paper"},
            **CONSTRAINTS_OFF,
        },
    ),
    "published": (
        PUBLISHED,
        {
            "W cut to its bound": {"solver": "projected"},
            "exact solver": {"solver": "exact"},
            "block start": {"start": "block"},
            "eight starts": {"n_init": 8},
            "eight block starts": {"start": "block", "n_init": 8},
            **CONSTRAINTS_OFF,
        },
    ),
}
COLUMNS = [
    "dataset", "base", "change", "metric", "base_mean", "changed_mean", "difference", "low", "high",
    "p_holm", "repetitions", "units", "interval_over",
]  # fmt: skip


def at_point(table, point):
    """A mask of the rows of a table whose options are those of `point`."""
    return (table[list(point)] == list(point.values())).all(axis=1)


def parts(scores):
    """Changed less base, a row per base, metric and change; p-values as in `compare`.

    `scores` is the table of the ablation. A change whose point it does not have is left out.
    """
    found = [_changes(scores, base, *rest) for base, rest in BASES.items()]
    return pd.concat(found, ignore_index=True)


def _changes(scores, base, point, changes):
    points = {base: point, **{name: {**point, **change} for name, change in changes.items()}}
    named = [scores[at_point(scores, point)].assign(method=name) for name, point in points.items()]
    compared = compare(pd.concat(named), base, list(changes))
    # `compare` has base less changed; taken from 0, none is written as -0.
    turned = {"difference": 0 - compared["difference"], "low": 0 - compared["high"]}
    turned |= {"high": 0 - compared["low"], "base": base}
    names = {"other": "change", "ours_mean": "base_mean", "other_mean": "changed_mean"}
    return compared.assign(**turned).rename(columns=names)[COLUMNS]
