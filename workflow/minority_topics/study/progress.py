"""What a run reports. Only the standard library, since the Snakefile imports it."""

import logging
import re
import sys
import time
from pathlib import Path

from ..base.times import duration

# A log can be long, and its last line is wanted.
TAIL_BYTES = 10_000
# The handler of Snakemake that writes to the terminal; another writes all to a file.
TERMINAL = "DefaultStreamHandler"
# The first jobs of a run prepare the others and tell nothing of their time.
LEAST_DONE = 10


def follow(logger, is_stopping=lambda: False):
    """Have Snakemake's logger tell the time that is left and why jobs fail, each once.

    What it tells of a failure itself, thousands of characters of inputs and the command, is left to
    the file of its log and to --verbose. Jobs that fail since the run `is_stopping` are no news.
    """
    for kind in (TimeLeft, Failures):
        if not any(isinstance(handler, kind) for handler in logger.handlers):
            logger.addHandler(kind())
    for handler in logger.handlers:
        if handler.name == TERMINAL or isinstance(handler, Failures):
            handler.addFilter(lambda record: not (is_stopping() and is_error(record)))
        is_brief = handler.name == TERMINAL and not logger.isEnabledFor(logging.DEBUG)
        if is_brief and is_news not in handler.filters:
            handler.addFilter(is_news)


def is_error(record):
    return str(getattr(record, "event", "")) in ("job_error", "error")


def is_news(record):
    """Whether a record says more than what `Failures` says of it."""
    event = str(getattr(record, "event", ""))
    if event == "job_error":
        return not reason_of(record)
    # The command and its exit code, which stand in the record of the job's error too.
    return not (event == "error" and "\nCalledProcessError in file " in record.getMessage())


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

    Jobs are counted alike, so the guess is rough while long and short ones are unevenly done, and
    there is none before LEAST_DONE of them are done.
    """

    def __init__(self, stream=None, clock=time.monotonic):
        super().__init__(stream)
        self.clock = clock
        self.begin = clock()

    def line(self, record, event):
        if event != "progress" or not record.done:
            return ""
        gone = self.clock() - self.begin
        said = f"{record.done} of {record.total} jobs done, {duration(gone)} gone"
        if record.done < LEAST_DONE:
            return said
        left = gone * (record.total - record.done) / record.done
        return f"{said}, about {duration(left)} left"


class Failures(Listener):
    """Says why a job failed: the last line of its log, and where that is."""

    def line(self, record, event):
        if event != "job_error":
            return ""
        if reason := reason_of(record):
            return f"{record.rule_name} failed: {reason}"
        return f"{record.rule_name} failed, and its log says nothing of it"


def reason_of(record):
    """The last line of the first log of a job that has one, and where that is; "" without any."""
    for log in map(Path, getattr(record, "log", None) or []):
        if reason := last_line(log):
            return f"{reason} (log: {log})"
    return ""


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
