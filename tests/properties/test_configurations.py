"""Whatever is done to a configuration, it is accepted whole or refused in one sentence."""

import copy
import datetime
import json
import os
import string
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from mutations import changed_bytes

from minority_topics.base.text import shown
from minority_topics.report.catalogue import FIGURES
from minority_topics.study.config import complete, read_config
from minority_topics.study.paths import ROOT, parse_variant, variant
from minority_topics.study.plan import Plan
from minority_topics.study.registry import ConfigError, read_methods

SHIPPED = ["config.yaml", "quick.yaml", "beyond.yaml", "guidance.yaml", "authors_data.yaml"]
METHODS = (ROOT / "config" / "methods.tsv").read_bytes()

ODD_TEXT = st.sampled_from(
    ["", " ", "a\n", "../x", "a/b", "a,b", "a=b", "..", "none", "simulated", "nmf", "logs", "fi",
     "none; touch x", "config", "config/topics_fi.yaml", "\0", "\ud800", "a" * 300, "1", "-1", "é"]
)  # fmt: skip
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 40),
    st.sampled_from([0.0, 0.5, 1.0, 2.0, -0.0, 1e-9, 1e300, 10**6, 10**30, 2**63]),
    st.floats(),
    ODD_TEXT,
    st.text(max_size=5),
    st.sampled_from([datetime.date(2001, 1, 1), b"bytes", (1, 2), {1, 2}, 1j]),
)
KEYS = st.one_of(
    ODD_TEXT,
    st.sampled_from([1, None, True, 2.5, "rate", "kind", "file", "options", "method", "key"]),
    st.text(string.ascii_lowercase + "_", min_size=1, max_size=8),
)
ODD = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
)


# Keys that may be missing.
REQUIRED = {
    "datasets", "settings", "methods", "kind", "seed_words", "file", "n_topics", "n_minority",
    "method", "options", "key", "values", "vary",
}  # fmt: skip


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """The shipped configurations, complete with files of the authors' data."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "data.csv").write_text("Sentence,Label\na b,-1\n")
    (folder / "seeds.txt").write_text("a\n")
    configs = [read_config(ROOT / "config" / name) for name in SHIPPED]
    configs[-1]["datasets"]["authors"] |= {
        "file": str(folder / "data.csv"), "seed_words": str(folder / "seeds.txt"),
    }  # fmt: skip
    ours = {"x": [1, 2.5, True, "a-b"], "y": ["one", "two"]}
    configs[1]["ablations"] = {"mine": {"method": "nmf", "options": ours}}
    return configs


def places(value, place=()):
    """Keys that lead to every value inside, outermost first."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, entry in inner:
        yield (*place, key)
        if isinstance(entry, dict | list):
            yield from places(entry, (*place, key))


def change(config, draw):
    """Change one thing, somewhere."""
    place = draw(st.sampled_from(list(places(config)) or [None]))
    if place is None:
        return
    parent = config
    for key in place[:-1]:
        parent = parent[key]
    key, value = place[-1], parent[place[-1]]
    how = draw(st.sampled_from(["delete", "replace", "retype", "nest", "add", "repeat"]))
    if how == "delete":
        del parent[key]
    elif how == "replace":
        parent[key] = draw(ODD)
    elif how == "retype":
        kind = draw(st.sampled_from([str, repr, bool, lambda value: [value], lambda value: 2.0]))
        parent[key] = kind(value)
    elif how == "nest":
        parent[key] = {draw(KEYS): value}
    elif how == "add" and isinstance(parent, dict):
        parent[draw(KEYS)] = draw(ODD | st.just(copy.deepcopy(value)))
    elif isinstance(parent, list):
        parent.append(copy.deepcopy(value))


def check_accepted(filled):
    """What is accepted is accepted again, can be planned, and stays inside of results/."""
    assert complete(filled, FIGURES) == filled
    assert yaml.safe_load(yaml.safe_dump(filled, allow_unicode=True)) == filled
    json.dumps(filled, allow_nan=False).encode()
    plan = Plan(filled, read_methods(filled["methods_file"]))
    assert len(plan.cells) == len({str(cell).casefold() for cell in plan.cells})
    for cell in plan.cells:
        path = Path("results", cell.dataset, "fits", cell.method, cell.setting, "0-9")
        assert os.path.normpath(path) == str(path)
        assert path.parts[0] == "results"
        assert all(len(os.fsencode(part)) <= 255 for part in path.parts)
        for name in (cell.dataset, cell.method):
            assert variant(*parse_variant(name)) == name
    for dataset, table in plan.tables:
        path = Path("results", dataset, "tables", f"{table}.csv")
        assert os.path.normpath(path) == str(path)


def keys_of(config):
    """How a sentence may call the keys of a configuration, or the whole of it."""
    found = {"config"}
    for place in places(config) if isinstance(config, dict | list) else []:
        found |= {str(place[-1]), shown(place[-1], 60)}
    return found - {"", " "}


def check_refused(error, names):
    """One sentence that names a key or the file."""
    sentence = str(error)
    assert sentence.splitlines() == [sentence]
    assert len(sentence) < 1500
    assert any(name in sentence for name in names)


@given(data=st.data())
def test_a_changed_configuration_is_accepted_or_refused(shipped, data):
    config = copy.deepcopy(data.draw(st.sampled_from(shipped)))
    for _ in range(data.draw(st.integers(0, 3))):
        change(config, data.draw)
    before = repr(config)
    try:
        filled = complete(config, FIGURES)
    except ConfigError as error:
        check_refused(error, keys_of(config) | REQUIRED)
    else:
        check_accepted(filled)
    assert repr(config) == before


@given(config=ODD)
def test_anything_else_is_accepted_or_refused(config):
    try:
        check_accepted(complete(config, FIGURES))
    except ConfigError as error:
        check_refused(error, keys_of(config) | REQUIRED)


SNIPPETS = [
    b"&a ", b"*a", b"*methods", b"!!python/object:os.system ", b"!own ", b"!!set ", b"<<: *methods",
    b"\0", b"\x07", b"\xff", b"\xef\xbb\xbf", b"\t", b"\r", b"\n", b"[", b"]", b"{", b"}", b"- ",
    b": ", b"? ", b"| ", b"> ", b"'", b'"', b"%", b"---\n", b"...\n", b"#", b".inf", b".nan",
    b"1e9", b"2001-01-01", b"2001-99-99", b"0x1f", b"1:30", b"~", b"yes", b"=",
    b"9" * 5000, b"[" * 2000,
]  # fmt: skip


@given(data=st.data())
def test_a_changed_file_is_accepted_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("config") / "changed.yaml"
    name = data.draw(st.sampled_from(SHIPPED))
    content = changed_bytes((ROOT / "config" / name).read_bytes(), data.draw, SNIPPETS)
    path.write_bytes(content)
    try:
        config = read_config(path)
    except ConfigError as error:
        check_refused(error, {str(path)})
        return
    try:
        check_accepted(complete(config, FIGURES))
    except ConfigError as error:
        check_refused(error, keys_of(config) | REQUIRED)
    assert path.read_bytes() == content


@given(data=st.data())
def test_a_changed_table_of_methods_is_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("methods") / "methods.tsv"
    snippets = [
        b"\t",
        b"\n",
        b"\0",
        b"\xff",
        b"../",
        b"-1",
        b"nan",
        b"0",
        b"[]",
        b'"',
        b"  ",
        b"\r",
    ]
    path.write_bytes(changed_bytes(METHODS, data.draw, snippets))
    try:
        methods = read_methods(path)
    except ConfigError as error:
        check_refused(error, {str(path)})
    else:
        for name, method in methods.items():
            assert os.path.normpath(name) == name == method.name
            assert method.threads >= 1
            assert min(method.minutes, method.memory_mb) > 0
            assert method.variant_of in ("", *methods)
