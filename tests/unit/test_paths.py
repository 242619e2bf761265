"""Names in paths: what is built is parsed back, and nothing leaves its folder."""

import math
import re
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from minority_topics.base.files import write_text
from minority_topics.base.manifest import lock_of
from minority_topics.study import paths
from minority_topics.study.paths import (
    batch_name,
    parse_batch,
    parse_setting,
    parse_variant,
    setting_name,
    variant,
)

KEYS = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,11}", fullmatch=True)
VALUES = st.one_of(
    st.text(max_size=8),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)


def typed(changes):
    """With types: 1, 1.0 and True are different values of an option."""
    return {key: (type(value), value) for key, value in changes.items()}


def test_a_tilde_is_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a.csv").touch()
    assert paths.resolve("~/a.csv") == tmp_path / "a.csv"
    assert paths.find_files("~/*.csv") == [tmp_path / "a.csv"]
    assert paths.find_files("~nobody-at-all/a.csv") == []


@given(st.dictionaries(KEYS, VALUES, max_size=3))
def test_a_variant_is_parsed_back_and_is_one_folder(changes):
    try:
        name = variant("nmf", changes)
    except ValueError as error:
        assume("characters" not in str(error))
        raise
    base, found = parse_variant(name)
    assert (base, typed(found)) == ("nmf", typed(changes))
    assert len(PurePosixPath(name).parts) == 1 + bool(changes)
    assert ".." not in PurePosixPath(name).parts
    assert re.fullmatch(r'[\w/=,.~%"+-]*', name, re.ASCII)


def test_names_of_variants_stay_as_they_are():
    """Folders of earlier runs have them."""
    assert variant("m", {"w_max": 0.01, "theta_min": 0.8}) == "m/w_max=0.01,theta_min=0.8"
    assert variant("m", {"w_max": 1e-9, "n": -3}) == "m/w_max=1e-09,n=-3"
    assert variant("m", {"start": "random", "warm": True}) == 'm/start="random",warm=true'
    assert variant("sim", {"draws": 1}) == "sim/draws=1"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"../up": 1}, "m: '../up' cannot be varied"),
        ({"a=b": 1}, "m: 'a=b' cannot be varied"),
        ({"": 1}, "m: '' cannot be varied"),
        ({"a": math.nan}, "m: a=nan cannot be varied"),
        ({"a": -math.inf}, "m: a=-inf cannot be varied"),
        ({"a": [1]}, "m: a=[1] cannot be varied"),
        ({"a": None}, "m: a=None cannot be varied"),
        ({"a": "x" * 300}, "a folder's name of 304 characters, and 200 is the most"),
    ],
)
def test_what_cannot_be_a_name_is_refused(changes, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        variant("m", changes)


@given(st.integers(0, 10**6), st.integers(0, 50))
def test_settings_and_batches_are_parsed_back(first, more):
    assert parse_setting(setting_name(first, more)) == (first, more)
    assert parse_batch(batch_name(first, first + more)) == list(range(first, first + more + 1))


@pytest.mark.parametrize("name", ["20", "20-", "-7", "a-b", "1-2-3", "1-2\n", "٣-٤", ""])
def test_other_names_are_refused(name):
    with pytest.raises(ValueError, match="not a name of two numbers"):
        parse_setting(name)


def test_every_result_lies_below_results():
    patterns = [value for name, value in vars(paths).items() if name.isupper()]
    found = [value for value in patterns if isinstance(value, str) and "/" in value]
    assert len(found) > 10
    assert all(value.startswith("results/") for value in found)


@given(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,9}", fullmatch=True))
def test_a_dataset_and_its_variants_lie_in_one_folder(name):
    folder = paths.dataset_folder(name)
    assert Path(paths.SEAL.format(dataset=name)).parent == folder
    assert folder in paths.dataset_folder(variant(name, {"rate": 0.2})).parents


def test_an_environment_is_found_from_its_name_and_its_lock_from_its_folder(tmp_path):
    definition = paths.environment_definition("nmf", tmp_path)
    record = paths.environment_record("nmf", tmp_path)
    assert [path.relative_to(tmp_path).as_posix() for path in (definition, record)] == [
        "envs/nmf.yaml", ".venvs/nmf.json"
    ]  # fmt: skip
    write_text(definition.with_suffix(".lock"), "numpy==2\n")
    assert lock_of(record.with_suffix("")) == definition.with_suffix(".lock")
    ours = paths.environment_python("nmf").relative_to(paths.ROOT)
    assert ours.as_posix() == ".venvs/nmf/bin/python"
