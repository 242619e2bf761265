"""What a step may use: threads, memory and time, by what is given or by what the machine has."""

import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numba
import psutil
from numba.core.event import Listener, install_listener
from threadpoolctl import threadpool_limits

from ..base.times import duration, gone_and_left, seconds_left
from ..nmf.progress import FitStopped, iterations_left
from .progress import SECONDS_IN_LOG, SILENT_SECONDS, Progress

# Files of the control group that a container or a cluster puts a process in.
CGROUP = Path("/sys/fs/cgroup")
MB = 2**20
COMPILING = "Compiling the solver (once after installation, up to a minute) ..."


class LimitError(ValueError):
    """More is needed than there is; the message says how much, and what to do."""


@contextmanager
def limited_threads(threads=None):
    """Let compiled code and BLAS use so many threads; gives their number.

    None is as many as the process has processors. No more than numba started with can be used. If
    code has to be compiled first, this is told.
    """
    most = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    before = numba.get_num_threads()
    threads = most if threads is None else max(1, min(int(threads), most))
    numba.set_num_threads(threads)
    try:
        with threadpool_limits(threads), install_listener("numba:compile", TellOfCompiling()):
            yield threads
    finally:
        numba.set_num_threads(before)


class TellOfCompiling(Listener):
    """Tells once that code is compiled; numba speaks of it only if it has none on the disk."""

    def __init__(self):
        self.told = False

    def on_start(self, event):
        if not self.told and sys.stderr is not None:
            print(COMPILING, file=sys.stderr, flush=True)
        self.told = True

    def on_end(self, event):
        pass


def available_mb(memory_mb=None):
    """Megabytes that this process may still take: a given limit, or what the machine has free."""
    own = psutil.Process().memory_info().rss
    if memory_mb is not None:
        return max(memory_mb - own / MB, 0)
    free = psutil.virtual_memory().available
    limit = _cgroup("memory.max", "memory/memory.limit_in_bytes")
    used = _cgroup("memory.current", "memory/memory.usage_in_bytes")
    if limit is not None and used is not None:
        free = min(free, max(limit - used, 0))
    return free / MB


def _cgroup(*names):
    """A number of bytes from the first of these files that has one."""
    for name in names:
        try:
            return int((CGROUP / name).read_text())
        except (OSError, ValueError):  # "max" is no limit
            continue
    return None


def check_memory(needed_mb, what, remedy, memory_mb=None):
    """Refuse work for which there is not enough memory, before it begins."""
    there = available_mb(memory_mb)
    if needed_mb > there:
        source = "are free on this computer"
        if memory_mb is not None:
            source = f"are left of memory_mb={memory_mb}"
        raise LimitError(
            f"{what} needs about {needed_mb:,.0f} MB of memory, but only {there:,.0f} MB {source}; "
            f"{remedy}"
        )


class FitLog:
    """Tells how far a fit is: a log every ten seconds, a terminal every second.

    `part` hears of what comes before and after the iterations; the iterations themselves are shown
    on a terminal anyway. Their time counts from the first of them, since the start of a fit says
    nothing about it.
    """

    def __init__(self, max_iter, tol, stream=None, clock=time.monotonic):
        self.limits = max_iter, tol
        self.stream = sys.stderr if stream is None else stream
        self.clock = clock
        self.next = clock() + SILENT_SECONDS
        self.begin = self.progress = None

    def __call__(self, descent):
        self.close()
        now, done = self.clock(), len(descent.history) - 1
        if self.begin is None:
            self.begin = now
        if self.stream is None or self.stream.isatty() or now < self.next:
            return
        if not done:  # no iteration is done yet, so no time can be estimated
            return
        self.next, gone = now + SECONDS_IN_LOG, now - self.begin
        left = seconds_left(gone, done, iterations_left(descent.history, *self.limits))
        print(
            f"fitting: iteration {done}, objective {descent.history[-1]:.6g}, "
            f"{gone_and_left(gone, left)}",
            file=self.stream, flush=True,
        )  # fmt: skip

    def part(self, what, done, total):
        """So much of a part of the fit is done; see `nmf.progress.listening`."""
        what = f"fitting: {what}"
        if self.progress is None or self.progress.what != what:
            self.close()
            self.progress = Progress(what, total, self.stream, self.clock)
            # Several parts of less than ten seconds are not silent together.
            self.progress.next = self.next
        self.progress.total = total
        self.progress.step(done - self.progress.done)
        self.next = self.progress.next

    def close(self):
        """End the line of a terminal, if there is one."""
        if self.progress is not None:
            self.progress.close()
            self.progress = None


class Deadline:
    """A callback of a fit that ends it between two iterations, once `minutes` are over."""

    def __init__(self, minutes, clock=time.monotonic):
        self.end = None if minutes is None else clock() + 60 * minutes
        self.clock = clock

    def __call__(self, descent):
        # Before the first iteration there is no checkpoint to go on from.
        if self.end is not None and len(descent.history) > 1 and self.clock() > self.end:
            late = duration(self.clock() - self.end)
            raise FitStopped(f"{len(descent.history) - 1} iterations, {late} over time")
