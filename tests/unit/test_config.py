"""Bad configuration stops in one sentence that names key, value and remedy."""

import copy
import re

import pytest
import yaml

from minority_topics.config import complete, load_schema
from minority_topics.registry import ROOT, ConfigError, read_methods

CONFIGS = sorted(path for path in (ROOT / "config").glob("*.yaml") if "topics" not in path.name)


@pytest.fixture
def config():
    return yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))


def with_change(config, path, value):
    config = copy.deepcopy(config)
    *parents, last = path
    place = config
    for part in parents:
        place = place[part]
    place[last] = value
    return config


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (["repetition"], 3, r"repetition=3: unknown key; did you mean 'repetitions'\?"),
        (["datasets", "simulated", "rat"], 0.1, r"datasets\.simulated\.rat=0\.1: unknown key"),
        (["repetitions"], "ten", r"repetitions='ten' must be of type integer"),
        (["repetitions"], 0, r"repetitions=0 must be at least 1"),
        (["datasets", "simulated", "rate"], 1.5, r"simulated\.rate=1\.5 must be at most 1"),
        (["datasets", "simulated", "rate"], -0.1, r"simulated\.rate=-0\.1 must be at least 0"),
        (["datasets", "simulated", "kind"], "real", r"kind='real' must be one of"),
        (["datasets", "simulated", "topics"], "no.yaml", r"topics='no\.yaml': no such file; give"),
        (["datasets", "simulated", "seed_words"], "no.txt", r"seed_words='no\.txt': no such file"),
        (["datasets", "simulated", "background"], "no.csv", r"background='no\.csv': no such file"),
        (
            ["datasets", "simulated", "file"],
            "a.csv",
            r"file='a\.csv': a dataset of kind 'injected'",
        ),
        (["datasets", "simulated", "min_df"], 2.5, r"min_df=2\.5: give a whole number"),
        (["datasets", "Bad Name"], {}, r"'Bad Name' must be a name of small letters"),
        (["datasets"], {}, r"datasets=\{\} must not be empty"),
        (["settings", 0, "n_minority"], 21, r"n_minority=21 exceeds n_topics=20: .*lower"),
        (["settings", 0, "n_topics"], 0, r"settings\[0\]\.n_topics=0 must be at least 1"),
        (["settings"], [{"n_topics": 2}], r"settings\[0\]\.n_minority is missing: add it"),
        (["methods"], ["nfm"], r"methods: 'nfm' is not a method of .*did you mean 'nmf'\?"),
        (["methods"], ["nmf", "nmf"], r"must not name anything twice"),
        (["options"], {"constrained_nmf": {"theta_min": 1}}, r"theta_min=1 must be less than 1"),
        (["options"], {"constrained_nmf": {"theta_min": -1}}, r"theta_min=-1 must be at least 0"),
        (["options"], {"constrained_nmf": {"w_max": -1e-9}}, r"w_max=-1e-09 must be at least 0"),
        (["options"], {"constraind_nmf": {}}, r"options: 'constraind_nmf' is not a method"),
        (["figures"], ["purty"], r"figures: 'purty' is not a figure; did you mean 'purity_nmi'"),
        (["methods_file"], "none.tsv", r"methods_file: .*none\.tsv does not exist"),
    ],
)
def test_says_what_is_wrong(config, path, value, sentence):
    with pytest.raises(ConfigError, match=sentence) as caught:
        complete(with_change(config, path, value))
    assert "\n" not in str(caught.value)


def test_a_labelled_dataset_needs_its_file(config):
    seeds = config["datasets"]["simulated"]["seed_words"]
    config["datasets"] = {"mine": {"kind": "labelled", "seed_words": seeds}}
    with pytest.raises(ConfigError, match=r"datasets\.mine\.file is missing: give the path"):
        complete(config)


def test_defaults_are_filled_in_and_the_input_is_left_alone(config):
    del config["repetitions"]
    before = copy.deepcopy(config)
    filled = complete(config)
    assert config == before
    assert filled["repetitions"] == 10
    assert filled["datasets"]["simulated"]["max_df"] == 1.0
    assert "file" not in filled["datasets"]["simulated"]
    assert complete(filled) == filled


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_shipped_configs_are_valid(path, tmp_path):
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    for dataset in config["datasets"].values():
        for key in {"file"} & dataset.keys():
            (tmp_path / "data.csv").write_text("Sentence,Label\na b,-1\n")
            dataset[key] = dataset["seed_words"] = str(tmp_path / "data.csv")
    complete(config)


def schema_keys(schema):
    for key, rule in schema.get("properties", {}).items():
        yield key, rule
        yield from schema_keys(rule)
        for nested in ("items", "additionalProperties"):
            if isinstance(rule.get(nested), dict):
                yield from schema_keys(rule[nested])


def test_manual_and_schema_name_the_same_keys():
    manual = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    sections = manual.split("## The table of methods")[0]
    documented = set(re.findall(r"^\| `(\w+)` \|", sections, flags=re.MULTILINE))
    named = dict(schema_keys(load_schema()))
    options = {"w_max", "theta_min"}
    assert documented == named.keys() - options
    assert all(f"`{key}`" in sections for key in options)
    assert all("description" in rule for rule in named.values())


def test_manual_gives_the_defaults():
    manual = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    for key, rule in schema_keys(load_schema()):
        if isinstance(rule.get("default"), int | float | str):
            row = re.search(rf"^\| `{key}` \|.*$", manual, flags=re.MULTILINE).group()
            assert re.search(rf"\| [`\"]*{re.escape(str(rule['default']))}[`\"]* \|", row), row


def test_methods_manual_names_every_column():
    header = (ROOT / "config" / "methods.tsv").read_text(encoding="utf-8").splitlines()[0]
    manual = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    section = manual.split("## The table of methods")[1].split("\n## ")[0]
    assert set(header.split("\t")) <= set(re.findall(r"`(\w+)`", section))


def test_manual_gives_the_options_of_every_method():
    manual = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    section = manual.split("## The options of the methods")[1].split("\n## ")[0]
    for method in read_methods().values():
        if method.kind != "control":
            row = next(line for line in section.splitlines() if f"`{method.module}`" in line)
            assert row.count("|") == 4


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("\tunguided\t", "\tclever\t", "kind 'clever'"),
        ("truth\tTrue", "random\tTrue", "method 'random' stands twice"),
        ('{"labels": "truth"}', "{labels}", "JSONDecodeError"),
        ('"truth"}\t1\t', '"truth"}\tmany\t', "ValueError"),
    ],
)
def test_a_bad_table_of_methods_is_refused_by_line(tmp_path, old, new, sentence):
    text = (ROOT / "config" / "methods.tsv").read_text(encoding="utf-8")
    lines = text[: text.index(old)].count("\n") + 1
    line = lines + ("twice" in sentence)  # the second of the two is at fault
    (tmp_path / "methods.tsv").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigError, match=f"line {line}: {sentence}"):
        read_methods(tmp_path / "methods.tsv")


def test_results_manual_is_the_metric_cards():
    from minority_topics.cards import CARDS

    manual = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
    for card in CARDS.values():
        paper = "yes" if card.in_paper else "no"
        row = f"| `{card.name}` | {card.low:g} to {card.high:g} | {card.direction} | {paper} |"
        assert f"{row} {card.meaning} |" in manual
