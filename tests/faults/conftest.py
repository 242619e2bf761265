"""The undisturbed runs, which all faults are measured by."""

import pytest
from studies import tiny_comments, tiny_study


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    return tiny_study(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="session")
def own(tmp_path_factory):
    return tiny_comments(tmp_path_factory.mktemp("own"))


@pytest.fixture
def copy(study, tmp_path):
    return study.copy(tmp_path)
