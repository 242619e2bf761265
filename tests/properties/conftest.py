"""How hard properties are tried: 30 fixed cases in `make test`, 10 of them in `make test-fast`.

HYPOTHESIS_PROFILE=fuzz draws new cases each time, FUZZ_EXAMPLES of them for each property, and ends
with how many were tried and how many properties failed.
"""

import os
import re
from datetime import timedelta

from hypothesis import HealthCheck, settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "default")
PATIENT = {
    "database": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
# On a busy machine a first case may compile for long.
FIXED = {"derandomize": True, "deadline": None, **PATIENT}
settings.register_profile("default", max_examples=30, **FIXED)
settings.register_profile("few", max_examples=10, **FIXED)
# A case that takes longer counts as a defect.
settings.register_profile(
    "fuzz",
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", 1000)),
    deadline=timedelta(seconds=10),
    print_blob=True,
    **PATIENT,
)
settings.load_profile(PROFILE)

tried, defects = 0, 0


def pytest_runtest_makereport(item, call):
    global tried, defects
    if call.when == "call":
        text = getattr(item, "hypothesis_statistics", "")
        tried += sum(int(n) for n in re.findall(r"(\d+) (?:passing|failing)\b", text))
    defects += call.excinfo is not None and not _is_skip(call.excinfo)


def _is_skip(excinfo):
    return excinfo.typename == "Skipped"


def pytest_terminal_summary(terminalreporter):
    if PROFILE == "fuzz":
        terminalreporter.write_line(f"fuzz: {tried} cases tried, {defects} defects found")
