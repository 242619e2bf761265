"""How far a run, or a fit, is: what is done, time gone and, roughly, time left."""

import itertools
import json
import logging
import math
import sys
import time

from .solvers import is_over

# A line of progress is worth reading, and writing, so often.
SECONDS_BETWEEN = 2.0


class TimeLeft(logging.Handler):
    """Listens to Snakemake's reports of progress and adds the time that is left.

    Jobs are counted alike, so the guess is rough while long and short ones are unevenly done.
    """

    def __init__(self, stream=None, clock=time.monotonic):
        super().__init__()
        self.stream = stream or sys.stderr
        self.clock = clock
        self.begin = clock()

    def emit(self, record):
        if str(getattr(record, "event", "")) == "progress" and record.done:
            gone = self.clock() - self.begin
            left = gone * (record.total - record.done) / record.done
            print(
                f"{record.done} of {record.total} jobs done, {duration(gone)} gone, about "
                f"{duration(left)} left",
                file=self.stream,
                flush=True,
            )


def duration(seconds):
    """Seconds as a reader would say it: 40 s, 12 min, 1 h 5 min."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


class FitProgress:
    """A line of a terminal that follows a long fit: iteration, objective, change, time left.

    Off a terminal it is silent. The same facts go to the log `minority_topics`, as JSON, and are
    printed every `verbose` iterations.
    """

    def __init__(self, max_iter, tol, verbose=0, stream=None, clock=time.monotonic):
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.stream = stream or sys.stderr
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
        change = abs(history[-2] - objective) / abs(history[-2])
        left = gone / iteration * iterations_left(history, self.max_iter, self.tol)
        facts = {
            "iteration": iteration,
            "objective": round(objective, 3),
            "change": float(f"{change:.3g}"),
            "seconds": round(gone, 1),
            "seconds_left": round(left, 1),
        }
        logging.getLogger("minority_topics").info(json.dumps(facts))
        if self.stream.isatty():
            self.shown = True
            text = (
                f"iteration {iteration}, objective {objective:.6g}, change {change:.1e}, "
                f"{duration(gone)} gone, about {duration(left)} left"
            )
            print(f"\r{text:<79}", end="", file=self.stream, flush=True)


def iterations_left(history, max_iter, tol, window=5):
    """A guess: the change falls on as it did in the last iterations, until it is below tol."""
    most = max_iter - len(history) + 1
    changes = [abs(a - b) / abs(a) for a, b in itertools.pairwise(history) if a]
    recent = changes[-window - 1 :]
    if tol <= 0 or len(recent) <= window or not 0 < recent[-1] < recent[0]:
        return most
    rate = math.log(recent[-1] / recent[0]) / window
    return min(max(math.log(tol / recent[-1]) / rate, 0), most)
