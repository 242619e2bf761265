"""What a run reports. Only the standard library, since the Snakefile imports it."""

import logging
import re
import sys
import time
from pathlib import Path

from ..base.times import duration

# A log can be long, and its last line is wanted.
TAIL_BYTES = 10_000


def follow(logger):
    """Have Snakemake's logger tell the time that is left and why jobs fail, each once."""
    for kind in (TimeLeft, Failures):
        if not any(isinstance(handler, kind) for handler in logger.handlers):
            logger.addHandler(kind())


class Listener(logging.Handler):
    """Prints a line for events of Snakemake; `line` makes it, or "" for nothing to say."""

    def __init__(self, stream=None):
        super().__init__()
        self.stream = stream or sys.stderr

    def emit(self, record):
        if line := self.line(record, str(getattr(record, "event", ""))):
            print(line, file=self.stream, flush=True)

    def line(self, record, event):
        raise NotImplementedError


class TimeLeft(Listener):
    """Listens to Snakemake's reports of progress and adds the time that is left.

    Jobs are counted alike, so the guess is rough while long and short ones are unevenly done.
    """

    def __init__(self, stream=None, clock=time.monotonic):
        super().__init__(stream)
        self.clock = clock
        self.begin = clock()

    def line(self, record, event):
        if event != "progress" or not record.done:
            return ""
        gone = self.clock() - self.begin
        left = gone * (record.total - record.done) / record.done
        return (
            f"{record.done} of {record.total} jobs done, {duration(gone)} gone, about "
            f"{duration(left)} left"
        )


class Failures(Listener):
    """Says why a job failed: the last line of its log, and where that is."""

    def line(self, record, event):
        if event != "job_error":
            return ""
        for log in map(Path, getattr(record, "log", None) or []):
            if reason := last_line(log):
                return f"{record.rule_name} failed: {reason} (log: {log})"
        return f"{record.rule_name} failed, and its log says nothing of it"


def last_line(path):
    """The last line of a log that is not empty, without the program's name; "" without any."""
    try:
        with open(path, "rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - TAIL_BYTES))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return re.sub(r"^minority_topics \w+: ", "", lines[-1]) if lines else ""
