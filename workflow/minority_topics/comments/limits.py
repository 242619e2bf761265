"""What a step may use: threads, memory and time, by what is given or by what the machine has."""

import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numba
import psutil
from threadpoolctl import threadpool_limits

from ..base.times import duration
from ..nmf.progress import FitStopped, iterations_left
from .progress import SECONDS_IN_LOG

# Of the control group that a container or a cluster puts a process in.
CGROUP = Path("/sys/fs/cgroup")
MB = 2**20


class LimitError(ValueError):
    """More is needed than there is; the message says how much, and what to do."""


@contextmanager
def limited_threads(threads=None):
    """Let compiled code and BLAS use so many threads; gives their number.

    None is as many as the process has processors. No more than numba started with can be used.
    """
    most = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    before = numba.get_num_threads()
    threads = most if threads is None else max(1, min(int(threads), most))
    numba.set_num_threads(threads)
    try:
        with threadpool_limits(threads):
            yield threads
    finally:
        numba.set_num_threads(before)


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
        source = "this computer has free" if memory_mb is None else f"memory_mb={memory_mb} leaves"
        raise LimitError(
            f"{what} needs about {needed_mb:,.0f} MB of memory, and {source} {there:,.0f} MB; "
            f"{remedy}"
        )


class FitLog:
    """A callback that tells a log every ten seconds how far a fit is; a terminal sees it anyway.

    The time is that since the first call: the start of a fit says nothing of its iterations.
    """

    def __init__(self, max_iter, tol, stream=None, clock=time.monotonic):
        self.limits = max_iter, tol
        self.stream = sys.stderr if stream is None else stream
        self.clock = clock
        self.begin = self.told = None

    def __call__(self, descent):
        if self.begin is None:
            self.begin = self.told = self.clock()
        now, done = self.clock(), len(descent.history) - 1
        if self.stream is None or self.stream.isatty() or now - self.told < SECONDS_IN_LOG:
            return
        if not done:  # what nothing is known of takes no guess
            return
        self.told, gone = now, now - self.begin
        left = gone / done * iterations_left(descent.history, *self.limits)
        print(
            f"fitting: iteration {done}, objective {descent.history[-1]:.6g}, "
            f"{duration(gone)} gone, about {duration(left)} left",
            file=self.stream, flush=True,
        )  # fmt: skip


class Deadline:
    """A callback of a fit that ends it between two iterations, once `minutes` are over."""

    def __init__(self, minutes, clock=time.monotonic):
        self.end = None if minutes is None else clock() + 60 * minutes
        self.clock = clock

    def __call__(self, descent):
        # What has made no iteration has nothing to go on from.
        if self.end is not None and len(descent.history) > 1 and self.clock() > self.end:
            late = duration(self.clock() - self.end)
            raise FitStopped(f"{len(descent.history) - 1} iterations, {late} over time")
