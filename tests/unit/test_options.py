"""The manual's table of options against the signatures of the methods."""

import importlib
import inspect
import re

import pytest

from minority_topics.methods import keyatm, prodlda, seededlda
from minority_topics.methods.shared import seeded_lda
from minority_topics.nmf.model import ConstrainedNMF
from minority_topics.study.paths import ROOT
from minority_topics.study.registry import read_methods

# Where options are handed on to other functions; all else is a function named like its module.
FUNCTIONS = {
    "constrained_nmf": [ConstrainedNMF],
    "prodlda": [prodlda._train],
    "seededlda": [seededlda.seededlda, seeded_lda.fit, seeded_lda.SeededLDA],
}
# Modules that read options from a mapping.
MAPPINGS = {"keyatm": keyatm.DEFAULTS, "controls": {"labels": None}}


def manual_rows():
    """Of each module of the table: the text of its options."""
    manual = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    section = manual.split("## The options of the methods")[1].split("\n## ")[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| `")]
    assert all(len(row) == 5 for row in rows)
    return {row[1].strip(" `"): row[2] for row in rows}


ROWS = manual_rows()


def options_of(module):
    """The options that a method takes, and their defaults."""
    if module in MAPPINGS:
        return MAPPINGS[module]
    code = importlib.import_module(f"minority_topics.methods.{module}")
    functions = FUNCTIONS.get(module) or [getattr(code, module)]
    return {
        parameter.name: parameter.default
        for function in functions
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is not parameter.empty
    }


def same(text, default):
    """Whether the manual's text is this value."""
    if isinstance(default, bool | str):
        return text == str(default).lower()
    return float(text) == default


def test_the_manual_has_every_module():
    assert ROWS.keys() == {method.module for method in read_methods().values()}


@pytest.mark.parametrize("module", ROWS)
def test_options_of_the_manual_are_those_of_the_code(module):
    options = options_of(module)
    listed = dict(re.findall(r"`(\w+)(?:: ([^`]+))?`", ROWS[module]))
    assert listed
    assert listed.keys() <= options.keys()
    if "..." not in ROWS[module]:
        assert listed.keys() == options.keys()
    # Only a default that is worked out in the code has no value here.
    assert {name for name in listed if options[name] is None} == {
        name for name, text in listed.items() if not text
    }
    for name, text in listed.items():
        assert not text or same(text, options[name]), (name, text, options[name])


@pytest.mark.parametrize("method", read_methods().values(), ids=read_methods())
def test_options_of_the_table_of_methods_exist(method):
    assert method.options.keys() <= options_of(method.module).keys()
