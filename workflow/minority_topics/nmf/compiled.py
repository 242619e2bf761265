"""How kernels are compiled, kept on disk and run by threads.

numba keeps machine code by the file of a function, but a kernel holds code of other files too: a
digest of all of them is part of its name, so that an edit of any compiles it anew.
"""

import os
import threading
from contextlib import nullcontext
from pathlib import Path
from types import FunctionType

from numba import get_num_threads, njit, set_num_threads, threading_layer

from ..base.files import digest

SOURCES = ("compiled.py", "factors.py", "guidance.py", "kernels.py", "registers.py")
DIGEST = digest(*(Path(__file__).with_name(name) for name in SOURCES))
# Work on fewer numbers is done by one thread: to wake the others would take longer.
SMALL = 50_000
# Layers of threads that several threads may call at once.
THREADSAFE = ("omp", "tbb")

_lock = threading.Lock()
_forked = False


class Kernel:
    """A compiled function: parallel, or serial in a process forked after threads had started."""

    def __init__(self, function, **options):
        self.by_threads = njit(parallel=True, cache=True, **options)(_named(function, DIGEST))
        self.alone = njit(cache=True, **options)(_named(function, f"alone_{DIGEST}"))

    def __call__(self, size, *arguments):
        """Run on arguments of which the largest has `size` numbers."""
        if _forked:
            self.alone(*arguments)
            return
        with nullcontext() if _layer() in THREADSAFE else _lock:
            threads = get_num_threads()
            if size < SMALL:
                set_num_threads(1)
            try:
                self.by_threads(*arguments)
            finally:
                set_num_threads(threads)


def kernel(**options):
    """Decorator: a function of arrays with a loop over `prange`, as a `Kernel`."""
    return lambda function: Kernel(function, **options)


def _named(function, suffix):
    """The same function under a name of its own, by which numba keeps it."""
    named = FunctionType(function.__code__, function.__globals__, function.__name__)
    named.__qualname__ = f"{function.__qualname__}_{suffix}"
    named.__module__ = function.__module__
    return named


def _layer():
    """The threads in use; None before the first of them have been started."""
    try:
        return threading_layer()
    except ValueError:
        return None


def _after_fork():
    # The parent's threads do not live on here, and its lock may be held by one of them. GNU OpenMP
    # would end this process at the next parallel loop.
    global _lock, _forked
    _lock = threading.Lock()
    _forked = _forked or _layer() is not None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
