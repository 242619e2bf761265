"""How far a step is, and the time that is left."""

import sys
import time

from ..base.times import duration, gone_and_left, seconds_left

# Nothing is told of work that takes less.
SILENT_SECONDS = 10.0
SECONDS_ON_TERMINAL, SECONDS_IN_LOG = 1.0, 10.0


class Progress:
    """A line of a terminal that is written over, or a plain line of a log every ten seconds.

    `total` counts the same thing as `step`: comments, bytes, iterations; if it is None or too
    small, the time left is not told. Use it in a `with` block, or call `close` at the end.

    >>> with Progress("reading comments", total=3) as progress:
    ...     for _ in range(3):
    ...         progress.step()
    """

    def __init__(self, what, total=None, stream=None, clock=time.monotonic):
        self.what = what
        self.total = total
        self.stream = sys.stderr if stream is None else stream
        self.clock = clock
        self.done = 0
        self.begin = clock()
        self.next = self.begin + SILENT_SECONDS
        self.width = 0
        self.told = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def step(self, n=1):
        """`n` more are done."""
        self.done += n
        now = self.clock()
        is_over_unheard = self.done == self.total and not self.told
        # sys.stderr is None in a program without a console, such as pythonw on Windows.
        if now >= self.next and self.stream is not None and not is_over_unheard:
            self.told = True
            is_terminal = self.stream.isatty()
            self.next = now + (SECONDS_ON_TERMINAL if is_terminal else SECONDS_IN_LOG)
            self._tell(self.line(now - self.begin), is_terminal)

    def line(self, gone):
        """The sentence after `gone` seconds."""
        if not self.total or not 0 < self.done <= self.total:
            return f"{self.what}: {duration(gone)} gone"
        left = seconds_left(gone, self.done, self.total - self.done)
        return f"{self.what}: {self.done / self.total:.0%}, {gone_and_left(gone, left)}"

    def close(self):
        """End the line of the terminal, if there is one."""
        if self.width:
            print(file=self.stream, flush=True)
            self.width = 0

    def _tell(self, line, is_terminal):
        if is_terminal:
            # Blanks hide what a longer line before has left.
            print(f"\r{line:<{self.width}}", end="", file=self.stream, flush=True)
            self.width = len(line)
        else:
            print(line, file=self.stream, flush=True)
