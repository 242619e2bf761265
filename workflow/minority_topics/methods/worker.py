"""The process in a tool's environment that makes fits: `python -m minority_topics.worker`.

Reads jobs from standard input and answers each on standard output, one line of JSON a time. What
the tool itself prints goes to standard error. Needs numpy, scipy and the tool, nothing else.
"""

import importlib
import importlib.metadata
import json
import logging
import os
import platform
import sys
import time
import traceback
from pathlib import Path

import numpy as np

from .contract import (
    NotApplicable,
    Problem,
    UnusableProblem,
    check_fit,
    check_problem,
    read_corpus,
    write_fit,
)


def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a tool's own prints must not mix with the answers
    logging.basicConfig(format="%(message)s")
    logging.getLogger("minority_topics").setLevel(logging.INFO)
    _answer(answers, {"ready": True})
    for line in sys.stdin:
        _answer(answers, attempt(json.loads(line)))


def _answer(file, content):
    file.write(json.dumps(content) + "\n")
    file.flush()


def attempt(job):
    """Fit a job (see `fitting.Job`) and tell how it ended."""
    begin = time.monotonic()
    try:
        notes = _fit(job)
        status, reason = "ok", ""
    except NotApplicable as error:
        status, reason, notes = "not applicable", _sentence(error), {}
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        status, reason, notes = "failed", _sentence(error), {}
    return {
        "status": status,
        "reason": reason,
        "seconds": time.monotonic() - begin,
        "notes": notes,
        "versions": _versions(job["package"]),
    }


def _fit(job):
    corpus = read_corpus(job["corpus"])
    problem = Problem(
        counts=corpus.counts,
        tfidf=corpus.tfidf,
        tokens=corpus.tokens,
        vocabulary=corpus.vocabulary,
        seed_words=corpus.seed_words,
        n_topics=job["n_topics"],
        n_minority=job["n_minority"],
        random_state=job["random_state"],
        options=job["options"],
        labels=corpus.labels if job["control"] else None,
    )
    fit = fit_method(job["module"], problem, None if job["control"] else problem.n_topics)
    write_fit(Path(job["out"]), fit, corpus)
    return {**fit.notes, "corpus": corpus.digest}


def fit_method(module, problem, most_topics=None):
    """Fit `problem` with a module of `methods`, and hold both to the contract.

    A document without words is an outlier, whatever topics a tool gave it.
    """
    check_problem(problem)
    fit = importlib.import_module(f"minority_topics.methods.{module}").fit(problem)
    empty = np.asarray(problem.counts.sum(axis=1)).ravel() == 0
    if len(fit.doc_topic) == len(empty):
        fit.doc_topic[empty] = 0
    check_fit(problem, fit, most_topics)
    return fit


def _sentence(error):
    """The error in one line, for a table."""
    lines = str(error).strip().splitlines()
    text = lines[0] if lines else ""
    if isinstance(error, UnusableProblem | NotApplicable) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _versions(package):
    versions = {"python": platform.python_version()}
    for name in ("numpy", "scipy", package):
        try:
            versions[name] = importlib.metadata.version(name)
        except (importlib.metadata.PackageNotFoundError, ValueError):
            continue
    return versions


if __name__ == "__main__":
    main()
