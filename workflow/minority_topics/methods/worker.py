"""The process in a tool's environment that makes fits: `python -m minority_topics.methods.worker`.

Reads jobs from standard input and answers each on standard output, one line of JSON a time. What
the tool itself prints goes to standard error. Needs numpy, scipy and the tool, nothing else.

An answer of status "fault" says that something other than the method failed: it is no result.
"""

import contextlib
import importlib
import importlib.metadata
import json
import logging
import os
import platform
import signal
import sys
import time
import traceback
from pathlib import Path

import numpy as np

from ..base.manifest import loaded_modules
from ..base.processes import when_orphaned
from ..corpus.storage import read_corpus
from .contract import (
    NotApplicable,
    Problem,
    UnusableProblem,
    check_fit,
    check_problem,
    plain_notes,
    write_fit,
)

# Of the machine: memory and disk run out, files and libraries cannot be read.
FAULTS = (OSError, MemoryError, ImportError)


def main():
    # With its children; nobody would read the answers.
    when_orphaned(lambda: os.killpg(0, signal.SIGKILL))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a tool's own prints must not mix with the answers
    logging.basicConfig(format="%(message)s")
    logging.getLogger("minority_topics").setLevel(logging.INFO)
    try:
        ready = dict.fromkeys(("reason", "seconds", "notes", "versions", "modules"))
        _answer(answers, {"status": "ready", **ready})
        for line in sys.stdin:
            _answer(answers, attempt(json.loads(line)))
    except Exception:
        _log_error()
        os._exit(os.EX_OSERR)


def _answer(file, content):
    # On a line of its own, whatever a tool wrote here before.
    file.write("\n" + json.dumps(content, allow_nan=False) + "\n")
    file.flush()


def _log_error():
    with contextlib.suppress(OSError):  # the disk of the log may be full
        traceback.print_exc(file=sys.stderr)


def attempt(job):
    """Fit a job (see `fitting.Job`) and tell how it ended."""
    begin = time.monotonic()
    notes = {}
    try:
        notes = _fit(job)
        status, reason = "ok", ""
    except NotApplicable as error:
        status, reason = "not applicable", _sentence(error)
    except (CorpusUnreadable, *FAULTS) as error:
        _log_error()
        status, reason = "fault", _sentence(error)
    except (Exception, SystemExit) as error:
        _log_error()
        status, reason = "failed", _sentence(error)
    # A method that ran on something else than its package tells the versions of that.
    ran_on = notes.pop("versions", None) or _versions(job["package"])
    return {
        "status": status,
        "reason": reason,
        "seconds": time.monotonic() - begin,
        "notes": notes,
        "versions": {"python": platform.python_version(), **_versions("numpy", "scipy"), **ran_on},
        "modules": loaded_modules(),
    }


def _fit(job):
    corpus = _corpus(job["corpus"])
    sees_labels = job["control"] and job["options"].get("labels") == "truth"
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
        labels=corpus.labels if sees_labels else None,
    )
    fit = fit_method(job["module"], problem, None if job["control"] else problem.n_topics)
    notes = plain_notes(fit.notes)
    write_fit(Path(job["out"]), fit, corpus)
    return {**notes, "corpus": corpus.digest}


def _corpus(folder):
    try:
        return read_corpus(folder)
    except FAULTS:
        raise
    except Exception as error:
        raise CorpusUnreadable(f"{folder} cannot be read: {_sentence(error)}") from error


class CorpusUnreadable(Exception):
    """The corpus is not as it was written."""


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
    if isinstance(error, UnusableProblem | NotApplicable | CorpusUnreadable) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _versions(*packages):
    """Versions of packages, by name; what is no installed package is left out."""
    versions = {}
    for name in packages:
        try:
            versions[name] = importlib.metadata.version(name)
        except (importlib.metadata.PackageNotFoundError, ValueError):
            continue
    return versions


if __name__ == "__main__":
    main()
