"""Time left, from the share of jobs that are done."""

import io
import logging
from types import SimpleNamespace

import pytest

from minority_topics.progress import TimeLeft, duration


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


@pytest.mark.parametrize(
    ("seconds", "text"), [(5.2, "5 s"), (61, "1 min"), (3599, "1 h 0 min"), (4000, "1 h 7 min")]
)
def test_durations_read_well(seconds, text):
    assert duration(seconds) == text
