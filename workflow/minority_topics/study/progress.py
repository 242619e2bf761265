"""What a run reports. Only the standard library, since the Snakefile imports it."""

import logging
import re
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from ..base.text import folded
from ..base.times import duration, gone_and_left, seconds_left

# A log can be long, and its last lines are wanted.
TAIL_BYTES = 10_000
# The handler of Snakemake that writes to the terminal; another writes all to a file.
TERMINAL = "DefaultStreamHandler"
# The first jobs of a run prepare the others and tell nothing of their time.
LEAST_DONE = 10
# The message that a verb ends with when it fails.
MESSAGE = re.compile(r"minority_topics \w+: (.+)")
# In what Snakemake says of a command that failed; the record of the job's error has it too.
COMMAND_FAILED = "\nCalledProcessError in file "


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


def is_error(record: logging.LogRecord) -> bool:
    return str(getattr(record, "event", "")) in ("job_error", "error")


def is_news(record: logging.LogRecord) -> bool:
    """Whether a record says more than what `Failures` says of it."""
    event = str(getattr(record, "event", ""))
    return event != "job_error" and not (event == "error" and COMMAND_FAILED in record.getMessage())


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
        done = f"{record.done} of {record.total} jobs done"
        if record.done < LEAST_DONE:
            return f"{done}, {duration(gone)} gone"
        left = seconds_left(gone, record.done, record.total - record.done)
        return f"{done}, {gone_and_left(gone, left)}"


class Failures(Listener):
    """Says why a job failed, and where its log is."""

    def __init__(self, stream=None):
        super().__init__(stream)
        self.commands = []  # what Snakemake says of those that failed, before it names the job

    def line(self, record, event):
        if event == "error" and COMMAND_FAILED in record.getMessage():
            self.commands.append(record.getMessage())
        if event != "job_error":
            return ""
        return why_failed(record.rule_name, getattr(record, "log", None) or [], self.end_of(record))

    def end_of(self, record):
        """How a job's command ended, as the cluster or Snakemake tells it; "" if they do not."""
        if message := getattr(record, "rule_msg", None):
            return folded(message).rstrip(".")
        # As a CalledProcessError has it; a rule that runs no command has none.
        command = f"{getattr(record, 'shellcmd', None)}' "
        said = next((said for said in self.commands if command in said), "")
        if said:
            self.commands.remove(said)
        if found := re.search(r" died with <Signals\.(\w+)", said):
            hint = ", perhaps because memory ran out" if found[1] == "SIGKILL" else ""
            return f"killed by {found[1]}{hint}"
        found = re.search(r" returned non-zero exit status (\d+)\.$", said)
        return f"exit code {found[1]}" if found else ""


def why_failed(step: str, logs: Iterable[str | Path], end: str = "") -> str:
    """Why a step failed, by its logs, and where they are.

    The reason is the message that a verb ends with. Where there is none, since the process was
    killed or met a defect, it is how the process ended, beside the last line of the log.
    """
    found = {log: last_lines(log) for log in logs}
    for log, lines in found.items():
        if messages := [message[1] for line in lines if (message := MESSAGE.match(line))]:
            return f"{step} failed: {messages[-1]} (log: {log})"
    failed = f"{step} failed: {end}" if end else f"{step} failed"
    for log, lines in found.items():
        if lines:
            return f"{failed}; its log ends with: {lines[-1]} (log: {log})"
    return f"{failed}; nothing is in its log ({', '.join(map(str, logs))})"


def last_lines(path: str | Path) -> list[str]:
    """The last lines of a log that are not empty, none where it cannot be read."""
    try:
        with open(path, "rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - TAIL_BYTES))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return []
    return [line.strip() for line in text.splitlines() if line.strip()]
