"""What a run tells: the time left, from the share of jobs that are done, and why a job failed."""

import io
import logging
from types import SimpleNamespace

import pytest

from minority_topics.base.times import duration, gone_and_left, seconds_left
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


COMMAND = "exec python -m minority_topics fit"


def command_error(command, end):
    said = f"RuleException:\nCalledProcessError in file a.smk, line 7:\nCommand '{command}' {end}"
    return logging.makeLogRecord({"event": "error", "msg": said, "levelno": logging.ERROR})


def job_error(*logs, message=None):
    record = {"event": "job_error", "rule_name": "fit", "log": list(map(str, logs))}
    record |= {"msg": "Error in rule fit", "levelno": logging.ERROR}
    record |= {"rule_msg": message, "shellcmd": COMMAND}
    return logging.makeLogRecord(record)


def failed(*logs, end="", message=None):
    """What is said of a failed job: its command ended so, and that of another job otherwise."""
    stream = io.StringIO()
    handler = Failures(stream)
    handler.emit(command_error(f"{COMMAND}_comments", "returned non-zero exit status 9."))
    if end:
        handler.emit(command_error(f"set -euo pipefail;  {COMMAND}", end))
    handler.emit(job_error(*logs, message=message))
    return stream.getvalue()


def test_a_failed_job_gives_the_message_in_its_log(tmp_path):
    log = tmp_path / "fit.log"
    message = b"minority_topics fit: no \xff disk; run again\n\n"
    log.write_bytes(b"first\n" * 10_000 + message + b"a library says goodbye\n")
    expected = f"fit failed: no \ufffd disk; run again (log: {log})\n"
    assert failed(log) == failed(log, end="returned non-zero exit status 1.") == expected


def test_a_line_that_is_no_message_is_no_reason(tmp_path):
    """As where the kernel kills a fit, or it has a defect."""
    log = tmp_path / "fit.log"
    log.write_text("fitting: iteration 40, about 3 min left\n")
    last = f"; its log ends with: fitting: iteration 40, about 3 min left (log: {log})\n"
    killed = "fit failed: killed by SIGKILL, perhaps because memory ran out"
    assert failed(log, end="died with <Signals.SIGKILL: 9>.") == killed + last
    ended = failed(log, end="died with <Signals.SIGTERM: 15>.")
    assert ended == "fit failed: killed by SIGTERM" + last
    ended = failed(log, end="returned non-zero exit status 143.")
    assert ended == "fit failed: exit code 143" + last
    status = "SLURM-job '7' failed, SLURM status is: 'OUT_OF_MEMORY'"
    assert failed(log, message=f"{status}.\n") == f"fit failed: {status}{last}"
    assert failed(log) == f"fit failed{last}"


def test_the_first_log_that_says_anything_is_shown(tmp_path):
    (tmp_path / "empty.log").touch()
    (tmp_path / "slurm.log").write_text("oom_kill event\n")
    logs = [str(tmp_path / name) for name in ("gone.log", "empty.log", "slurm.log")]
    assert failed(*logs) == f"fit failed; its log ends with: oom_kill event (log: {logs[2]})\n"


def test_the_log_is_named_though_nothing_is_in_it(tmp_path):
    said = failed(tmp_path / "gone.log", end="returned non-zero exit status 127.")
    gone = tmp_path / "gone.log"
    assert said == f"fit failed: exit code 127; nothing is in its log ({gone})\n"


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


def fail(logger, log):
    for record in (command_error(COMMAND, "returned non-zero exit status 1."), job_error(log)):
        logger.handle(record)
    logger.error("disk full", extra={"event": "error", "exception": "WorkflowError"})


def test_a_failure_is_told_once(tmp_path, terminal, capsys):
    logger, stream = terminal
    follow(logger)
    follow(logger)
    fail(logger, tmp_path / "gone.log")
    assert stream.getvalue() == "disk full\n"
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("fit failed: exit code 1; ")


def test_all_is_told_of_a_failure_to_those_who_want_details(tmp_path, terminal):
    logger, stream = terminal
    logger.setLevel(logging.DEBUG)
    follow(logger)
    fail(logger, tmp_path / "fit.log")
    assert stream.getvalue().splitlines()[-2:] == ["Error in rule fit", "disk full"]


@pytest.mark.parametrize(
    ("seconds", "text"), [(5.2, "5 s"), (61, "1 min"), (3599, "1 h 0 min"), (4000, "1 h 7 min")]
)
def test_durations_read_well(seconds, text):
    assert duration(seconds) == text


def test_what_is_left_goes_on_as_before():
    assert seconds_left(30, 10, 5) == 15
    assert gone_and_left(30, 90) == "30 s gone, about 2 min left"
