"""What the machine allows: rates that no solver can exceed."""

import time

import numpy as np
from numba import get_num_threads, njit, prange

from ..nmf.factors import AHEAD
from ..nmf.registers import dot, empty_rows, lines_of, load, prefetch


def measure(seconds=0.5):
    """What all threads reach: bytes/s of a triad, and of gathered rows; multiply-adds/s.

    The rows are those of 64 numbers at random places of half a gigabyte, asked for in good time.
    The multiply-adds are of what lies in the first cache.
    """

    @njit(parallel=True, fastmath=True)
    def triad(a, b, c):
        for i in prange(len(a)):
            a[i] = b[i] + np.float32(2) * c[i]

    @njit(parallel=True)
    def gather(Y, places, lines, out):
        for t in prange(len(out)):
            x, total = load(Y, 0, lines), np.float32(0)
            for i in range(places.shape[1] - AHEAD):
                prefetch(Y, places[t, i + AHEAD] * Y.shape[1], lines)
                total += dot(x, load(Y, places[t, i] * Y.shape[1], lines))
            out[t] = total

    @njit(parallel=True, fastmath=True)
    def multiply_add(X, Y, rounds, out):
        for t in prange(len(out)):
            total = np.float32(0)
            for n in range(rounds):
                x, y = X[t, n % 4], Y[t]
                for i in range(len(y)):
                    total += x[i] * y[i]
            out[t] = total

    threads, rounds = get_num_threads(), 200_000
    a, b, c = (np.ones(2**25, dtype=np.float32) for _ in range(3))
    rows = empty_rows(2**21, 64, np.float32)
    rows[:] = np.arange(64)
    places = np.random.default_rng(0).integers(len(rows), size=(threads, 10**6))
    X, Y = np.ones((threads, 4, 1024), np.float32), np.ones((threads, 1024), np.float32)
    out, lines = np.empty(threads, np.float32), lines_of(64, np.float32)
    best = {}
    for name, work, size in (
        ("bytes", lambda: triad(a, b, c), 3 * a.nbytes),
        ("gathered_bytes", lambda: gather(rows, places, lines, out), places.size * 256),
        ("multiply_adds", lambda: multiply_add(X, Y, rounds, out), threads * rounds * 1024),
    ):
        work()
        end, fastest = time.perf_counter() + seconds, np.inf
        while time.perf_counter() < end:
            begin = time.perf_counter()
            work()
            fastest = min(fastest, time.perf_counter() - begin)
        best[name] = size / fastest
    return best
