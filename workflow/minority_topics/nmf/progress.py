"""How far a fit is: iterations, objective, time gone and, roughly, time left."""

import itertools
import json
import logging
import math
import sys
import time
from contextlib import contextmanager
from contextvars import ContextVar

from ..base.times import gone_and_left, seconds_left

# A line of progress is shown at most this often.
SECONDS_BETWEEN = 2.0


# Who is told of the parts of a fit that are no iterations of it; each thread has its own.
_listener: ContextVar = ContextVar("listener", default=None)


class FitStopped(Exception):
    """Raised by a callback to end a fit; where it was is saved at its checkpoint, if it has one."""


class FitProgress:
    """A line of a terminal that follows a long fit: iteration, objective, change, time left.

    Off a terminal it is silent. The same facts go to the log `minority_topics`, as JSON, and are
    printed every `verbose` iterations.
    """

    def __init__(self, max_iter, tol, verbose=0, stream=None, clock=time.monotonic):
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.stream = sys.stderr if stream is None else stream
        self.clock = clock
        self.begin = self.told = clock()
        self.shown = False

    def __call__(self, descent):
        history = descent.history
        iteration, objective = len(history) - 1, history[-1]
        if self.verbose and iteration % self.verbose == 0:
            print(f"iteration {iteration}: objective {objective:.6g}", flush=True)
        now = self.clock()
        over = is_over(history, self.max_iter, self.tol)
        if iteration and (now - self.told >= SECONDS_BETWEEN or (over and self.told > self.begin)):
            self.told = now
            self._tell(iteration, objective, history, now - self.begin)
        if over and self.shown:
            print(file=self.stream, flush=True)

    def _tell(self, iteration, objective, history, gone):
        change = abs(history[-2] - objective) / abs(history[-2]) if history[-2] else 0.0
        rest = iterations_left(history, self.max_iter, self.tol)
        left = seconds_left(gone, iteration, rest)
        facts = {
            "iteration": iteration,
            "objective": round(objective, 3),
            "change": float(f"{change:.3g}"),
            "seconds": round(gone, 1),
            "seconds_left": round(left, 1),
        }
        logging.getLogger("minority_topics").info(json.dumps(facts))
        # sys.stderr is None in a program without a console, such as pythonw on Windows.
        if self.stream is not None and self.stream.isatty():
            self.shown = True
            text = (
                f"iteration {iteration}, objective {objective:.6g}, change {change:.1e}, "
                f"{gone_and_left(gone, left)}"
            )
            print(f"\r{text:<79}", end="", file=self.stream, flush=True)


@contextmanager
def listening(listener):
    """Let `listener(what, done, total)` hear of the start of a fit, and of what follows its end.

    `total` counts the same as `done` and may be a guess.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(what, done, total):
    """Tell who listens that so much of a part of a fit is done."""
    if (listener := _listener.get()) is not None:
        listener(what, done, total)


def telling(what, max_iter, tol):
    """A callback that tells of the iterations of a part of a fit."""

    def callback(descent):
        done = len(descent.history) - 1
        tell(what, done, done + iterations_left(descent.history, max_iter, tol))

    return callback


def iterations_left(history, max_iter, tol, window=5):
    """A guess: the change falls on as it did in the last iterations, until it is below tol."""
    most = max_iter - len(history) + 1
    changes = [abs(a - b) / abs(a) for a, b in itertools.pairwise(history) if a]
    recent = changes[-window - 1 :]
    if tol <= 0 or len(recent) <= window or not 0 < recent[-1] < recent[0]:
        return most
    rate = math.log(recent[-1] / recent[0]) / window
    return min(max(math.log(tol / recent[-1]) / rate, 0), most)


def is_over(history, max_iter, tol):
    if not history:
        return False
    return len(history) > max_iter or settled(history, tol) or not math.isfinite(history[-1])


def settled(history, tol):
    """Whether the last iteration changed the objective by no more than tol of itself."""
    return len(history) > 1 and abs(history[-2] - history[-1]) <= tol * abs(history[-2])
