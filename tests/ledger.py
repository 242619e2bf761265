"""Faults that tests inject, counted by kind, and the table of them at the end of a run.

FAULT_MOMENTS says how many moments are tried of each kind, FAULT_TABLE where the table goes as CSV.
"""

import os
from collections import Counter
from contextlib import contextmanager

import pytest

from minority_topics.base.files import write_csv

MOMENTS = int(os.environ.get("FAULT_MOMENTS", 1))
HEADER = ("fault", "injected", "survived", "defects")

at_moments = pytest.mark.parametrize("moment", range(MOMENTS))


@pytest.fixture
def fault(record_property):
    """`with fault(kind):` is one fault that is injected, and survived if the block ends well."""

    @contextmanager
    def inject(kind):
        record_property("injected", kind)
        yield
        record_property("survived", kind)

    return inject


def count(reports):
    """Rows of the table: each kind of fault, in the order of the tests, and their sum."""
    found = [pair for report in reports for pair in report.user_properties]
    injected, survived = (
        Counter(kind for name, kind in found if name == what) for what in ("injected", "survived")
    )
    rows = [(kind, n, survived[kind], n - survived[kind]) for kind, n in injected.items()]
    return [*rows, ("all", *(sum(row[i] for row in rows) for i in (1, 2, 3)))] if rows else []


def pytest_terminal_summary(terminalreporter):
    reports = [
        report
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        if report.when == "call"
    ]
    rows = count(reports)
    if not rows:
        return
    terminalreporter.section("faults")
    for row in (HEADER, *rows):
        terminalreporter.write_line("{:<45} {:>9} {:>9} {:>9}".format(*row))
    if path := os.environ.get("FAULT_TABLE"):
        write_csv(path, HEADER, rows)
