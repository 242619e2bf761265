"""Scores of the fits of one method and setting: a row per fit, whether it came out or not."""

import functools
import json
import math
from pathlib import Path

from .contract import read_corpus, read_fit
from .metrics import CARDS, score

FIT_COLUMNS = ["method", "n_topics", "n_minority", "repetition", "random_state", "status", "reason"]
NOTE_COLUMNS = ["objective", "iterations", "feasible"]
SCORE_COLUMNS = [*FIT_COLUMNS, *CARDS, *NOTE_COLUMNS]


def score_fits(folder, corpora):
    """Rows for every fit in `folder`; repetition r was fitted on corpus r modulo their number."""
    corpus_at = functools.cache(read_corpus)
    folders = sorted((path for path in Path(folder).iterdir() if path.is_dir()), key=_repetition)
    return [_row(path, corpus_at(corpora[_repetition(path) % len(corpora)])) for path in folders]


def _repetition(folder):
    return int(folder.name)


def _row(folder, corpus):
    status = json.loads((folder / "status.json").read_text(encoding="utf-8"))
    row = {name: status[name] for name in FIT_COLUMNS if name in status}
    row["repetition"] = _repetition(folder)
    row.update({name: status["notes"].get(name, "") for name in NOTE_COLUMNS})
    if status["status"] == "ok":
        fit = read_fit(folder)
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
    return {name: _text(value) for name, value in row.items()}


def _text(value):
    """Numbers to nine digits, and nothing for a score that is undefined."""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.9g}"
    return value
