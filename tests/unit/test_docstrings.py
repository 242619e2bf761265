"""Examples in docstrings give what they say."""

import doctest
import importlib

import pytest

from minority_topics.study.paths import PACKAGE

WITH_EXAMPLES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


def test_the_model_has_an_example():
    assert "minority_topics.nmf.model" in WITH_EXAMPLES


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_run(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted
    assert not result.failed
