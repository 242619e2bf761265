"""Scores of fits, a row each, whether it came out or not."""

import math
from functools import cache
from itertools import groupby
from pathlib import Path

from ..base.processes import pool_of
from ..corpus.storage import read_corpus
from ..methods.contract import read_fit
from ..study.paths import parse_variant
from .cards import CARDS
from .metrics import ami, assign, score
from .tables import FIT_COLUMNS, NOTE_COLUMNS, read_statuses


def score_fits(folders, varied=None, processes=1):
    """Rows of all fits in folders that `fit` wrote, in their order.

    `varied` are the settings that differ between them, with their original values: each has a
    column, and datasets and methods the names of their originals.
    """
    batches = [list(group) for _, group in groupby(map(Path, folders), lambda path: path.parent)]
    with pool_of(processes, forks=True) as pool:
        rows = [row for cell in pool.map(_score_cell, batches) for row in cell]
    return [_named(row, varied or {}) for row in rows]


def _named(row, varied):
    dataset, changed_data = parse_variant(row.pop("dataset"))
    method, changed_method = parse_variant(row.pop("method"))
    changes = {**changed_data, **changed_method}
    point = {key: changes.get(key, original) for key, original in varied.items()}
    # What was varied comes last as well: a note of the fit may have its name.
    return {"dataset": dataset, "method": method, **point, **row, **point}


def _score_cell(folders):
    """Rows of all fits of a method in a setting, whose batches are `folders`."""
    rows, assigned = [], {}
    for path, status in read_statuses(folders):
        row = {name: status[name] for name in ("dataset", "method", *FIT_COLUMNS)}
        row["corpus"] = Path(status["corpus"]).name
        row |= dict.fromkeys([*CARDS, "stability"], math.nan)
        row |= {name: status["notes"].get(name, "") for name in NOTE_COLUMNS}
        if status["status"] == "ok":
            corpus, fit = _corpus(status["corpus"]), read_fit(path)
            row |= score(
                fit.doc_topic,
                fit.topic_word,
                corpus.labels,
                corpus.truth,
                corpus.counts,
                corpus.seed_columns,
                status["n_minority"],
                fit.minority,
            )
            assigned[row["repetition"]] = status["corpus"], assign(fit.doc_topic)
        rows.append(row)
    for row in rows:
        row["stability"] = _stability(row["repetition"], assigned)
    return [{name: number_text(value) for name, value in row.items()} for row in rows]


@cache
def _corpus(folder):
    return read_corpus(folder)


def _stability(repetition, assigned):
    """Mean agreement (AMI) of a fit's clusters with those of the other fits of its corpus."""
    if repetition not in assigned:
        return math.nan
    corpus, mine = assigned[repetition]
    others = [
        clusters
        for other, (used, clusters) in assigned.items()
        if used == corpus and other != repetition
    ]
    return sum(ami(mine, other) for other in others) / len(others) if others else math.nan


def number_text(value):
    """Numbers to nine digits, and nothing for a score that is undefined."""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.9g}"
    return value
