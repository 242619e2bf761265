"""What a run tells: the time left, from the share of jobs that are done, and why a job failed."""

import io
import logging
from types import SimpleNamespace

import pytest

from minority_topics.base.times import duration
from minority_topics.study.progress import Failures, TimeLeft, follow


def test_time_left_follows_from_the_share_done():
    now = iter([0.0, 120.0])
    stream = io.StringIO()
    handler = TimeLeft(stream, lambda: next(now))
    handler.emit(SimpleNamespace(event="progress", done=10, total=40))
    assert stream.getvalue() == "10 of 40 jobs done, 2 min gone, about 6 min left\n"


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


@pytest.mark.parametrize(
    ("seconds", "text"), [(5.2, "5 s"), (61, "1 min"), (3599, "1 h 0 min"), (4000, "1 h 7 min")]
)
def test_durations_read_well(seconds, text):
    assert duration(seconds) == text
