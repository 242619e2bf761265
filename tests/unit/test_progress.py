"""What a run tells: the time left, from the share of jobs that are done, and why a job failed."""

import io
import logging
from types import SimpleNamespace

import pytest

from minority_topics.base.times import duration
from minority_topics.study.progress import LEAST_DONE, Failures, TimeLeft, follow


def test_time_left_follows_from_the_share_done():
    now = iter([0.0, 120.0])
    stream = io.StringIO()
    handler = TimeLeft(stream, lambda: next(now))
    handler.emit(SimpleNamespace(event="progress", done=10, total=40))
    assert stream.getvalue() == "10 of 40 jobs done, 2 min gone, about 6 min left\n"


def test_few_jobs_tell_nothing_of_the_others():
    stream = io.StringIO()
    handler = TimeLeft(stream, iter([0.0, 20.0]).__next__)
    handler.emit(SimpleNamespace(event="progress", done=LEAST_DONE - 1, total=40))
    assert stream.getvalue() == "9 of 40 jobs done, 20 s gone\n"


def test_other_messages_are_passed_over():
    stream = io.StringIO()
    handler = TimeLeft(stream)
    handler.emit(logging.makeLogRecord({"msg": "hello"}))
    handler.emit(SimpleNamespace(event="progress", done=0, total=40))
    assert stream.getvalue() == ""


def failed(*logs):
    stream = io.StringIO()
    Failures(stream).emit(SimpleNamespace(event="job_error", rule_name="fit", log=list(logs)))
    return stream.getvalue()


def test_a_failed_job_gives_the_last_line_of_its_log(tmp_path):
    log = tmp_path / "fit.log"
    log.write_bytes(b"first\n" * 10_000 + b"minority_topics fit: no \xff disk; run again\n\n")
    assert failed(str(log)) == f"fit failed: no \ufffd disk; run again (log: {log})\n"


def test_the_first_log_that_says_anything_is_shown(tmp_path):
    (tmp_path / "empty.log").touch()
    (tmp_path / "slurm.log").write_text("out of memory\n")
    logs = [str(tmp_path / name) for name in ("gone.log", "empty.log", "slurm.log")]
    assert failed(*logs) == f"fit failed: out of memory (log: {logs[2]})\n"
    assert failed(*logs[:2]) == failed() == "fit failed, and its log says nothing of it\n"


def test_a_logger_is_followed_once():
    logger = logging.Logger("test")
    follow(logger)
    follow(logger)
    assert [type(handler) for handler in logger.handlers] == [TimeLeft, Failures]


@pytest.fixture
def terminal():
    """A logger as Snakemake sets it up, followed, and what it writes to the terminal."""
    logger, stream = logging.Logger("test", logging.INFO), io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.name = "DefaultStreamHandler"
    logger.addHandler(handler)
    return logger, stream


COMMAND = (
    "RuleException:\nCalledProcessError in file a.smk, line 7:\nCommand 'exec python' returned 1."
)


def fail(logger, log):
    logger.error(COMMAND, extra={"event": "error", "exception": "RuleException"})
    extra = {"event": "job_error", "rule_name": "fit", "log": [str(log)]}
    logger.error("Error in rule fit: input: a.py, b.py", extra=extra)
    logger.error("disk full", extra={"event": "error", "exception": "WorkflowError"})


def test_a_failure_that_its_log_explains_is_told_once(tmp_path, terminal, capsys):
    logger, stream = terminal
    (tmp_path / "fit.log").write_text("no seed word; add one\n")
    follow(logger)
    follow(logger)
    fail(logger, tmp_path / "fit.log")
    assert stream.getvalue() == "disk full\n"
    fail(logger, tmp_path / "gone.log")
    assert stream.getvalue().splitlines()[1:] == [
        "Error in rule fit: input: a.py, b.py",
        "disk full",
    ]


def test_all_is_told_of_a_failure_to_those_who_want_details(tmp_path, terminal):
    logger, stream = terminal
    logger.setLevel(logging.DEBUG)
    (tmp_path / "fit.log").write_text("no seed word; add one\n")
    follow(logger)
    fail(logger, tmp_path / "fit.log")
    assert stream.getvalue().splitlines()[-2:] == [
        "Error in rule fit: input: a.py, b.py",
        "disk full",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"), [(5.2, "5 s"), (61, "1 min"), (3599, "1 h 0 min"), (4000, "1 h 7 min")]
)
def test_durations_read_well(seconds, text):
    assert duration(seconds) == text
