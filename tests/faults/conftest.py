"""The undisturbed runs, which all faults are measured by."""

import shutil

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


@pytest.fixture
def own_folder(own, tmp_path):
    """The folder itself, since tables name the path of the comments; it is put back at the end."""
    kept = own.copy(tmp_path)
    yield own.folder
    shutil.rmtree(own.folder)
    shutil.copytree(kept, own.folder, symlinks=True)
