"""Bad configuration stops in one sentence that names key, value and remedy."""

import copy
import datetime
import json
import re

import pytest
import yaml

from minority_topics.report.catalogue import FIGURES
from minority_topics.study.config import (
    COMMENTS_SCHEMA,
    MOST_TOPICS,
    SCHEMA,
    complete,
    complete_comments,
    load_schema,
    read_config,
)
from minority_topics.study.paths import ROOT
from minority_topics.study.plan import split_datasets
from minority_topics.study.registry import ConfigError, full_label, read_methods

# Those of topics and of simulated comments are data.
CONFIGS = sorted(
    path
    for path in (ROOT / "config").glob("*.yaml")
    if not path.name.startswith(("topics_", "example_"))
)


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
        (["methods"], ["nmf", "nmf"], r"must not hold an entry twice"),
        (["options"], {"constrained_nmf": {"theta_min": 1}}, r"theta_min=1 must be less than 1"),
        (["options"], {"constrained_nmf": {"theta_min": -1}}, r"theta_min=-1 must be at least 0"),
        (["options"], {"constrained_nmf": {"w_max": -1e-9}}, r"w_max=-1e-09 must be at least 0"),
        (["options"], {"constraind_nmf": {}}, r"options: 'constraind_nmf' is not a method"),
        (["figures"], ["purty"], r"figures: 'purty' is not a figure; did you mean 'purity_nmi'"),
        (["methods_file"], "none.tsv", r"methods_file: .*none\.tsv does not exist"),
        (["methods_file"], "config", r"methods_file: .*config is a folder"),
        (["repetitions"], 2.0, r"repetitions=2\.0 must be of type integer"),
        (["repetitions"], True, r"repetitions=True must be of type integer"),
        (["repetitions"], 10**9, r"repetitions=1000000000 must be at most 10000"),
        (["random_state"], 10**400, r"random_state=1000\d*\.\.\. is too large"),
        (["settings", 0, "n_topics"], 20.0, r"settings\[0\]\.n_topics=20\.0 must be of type"),
        (["settings", 0, "n_topics"], True, r"n_topics=True must be of type integer"),
        (["datasets", 1], {}, r"datasets: the key 1 is not text; quote it"),
        ([None], {}, r"config: the key None is not text"),
        (["datasets", "a\n"], {}, r"datasets: the key 'a\\n' holds '\\n'; rename it"),
        (["datasets", "a" * 65], {}, r"datasets: 'aaa.* must be a name of small letters"),
        (
            ["datasets", "logs"],
            {"kind": "injected", "seed_words": "x"},
            r"datasets\.logs: this name",
        ),
        (["datasets", "simulated", "max_df"], float("nan"), r"max_df=nan is not a finite number"),
        (["datasets", "simulated", "min_df"], 2.0, r"min_df=2\.0: give a whole number"),
        (["datasets", "simulated", "rate"], float("inf"), r"rate=inf is not a finite number"),
        (["datasets", "simulated", "rate"], True, r"rate=True must be of type number"),
        (["datasets", "simulated", "seed_words"], "config", r"='config': it is a folder"),
        (
            ["datasets", "simulated", "seed_words"],
            "a" * 5000,
            r"seed_words='aaa.*: file name too l",
        ),
        (["datasets", "simulated", "seed_words"], "a\0", r"seed_words='a\\x00' holds '\\x00'"),
        (["datasets", "simulated", "seed_words"], "", r"seed_words='' must not be empty"),
        (["datasets", "simulated", "text_column"], "a\nb", r"text_column='a\\nb' holds '\\n'"),
        (["datasets", "simulated", "text_column"], "\ud800", r"text_column='\\ud800' holds"),
        (["datasets", "simulated", "stop_words"], "none; touch x; echo", r"must be `none` or the"),
        (["datasets", "simulated", "stop_words"], "fi\n", r"stop_words='fi\\n' holds"),
        (["datasets", "simulated", "lemmas"], "best", r"lemmas='best' must be one of"),
        (["datasets", "simulated", "topics"], datetime.date(2001, 1, 1), r"is a date; put it in q"),
        (["options"], {"nmf": {"a b": 1}}, r"options\.nmf: 'a b' must be a name of letters"),
        (["options"], {"nmf": {"tol": float("inf")}}, r"options\.nmf\.tol=inf is not a finite"),
        (["options"], {"nmf": {"tol": [{1: 2}]}}, r"options\.nmf\.tol\[0\]: the key 1 is not t"),
        (["ablations", "../x"], {}, r"ablations: '\.\./x' must be a name"),
    ],
)
def test_says_what_is_wrong(config, path, value, sentence):
    with pytest.raises(ConfigError, match=sentence) as caught:
        complete(with_change(config, path, value), FIGURES)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"../x": [1]}, r"'\.\./x' must be a name of letters"),
        ({"x": ["../y"]}, r"options\.x\[0\]='\.\./y' must be a number, true, false, or text"),
        ({"x": [".."]}, r"options\.x\[0\]='\.\.' must be"),
        ({"x": ["a,b"]}, r"options\.x\[0\]='a,b' must be"),
        ({"x": ["a=b"]}, r"options\.x\[0\]='a=b' must be"),
        ({"x": ['"']}, r"must be a number"),
        ({"x": ["a b"]}, r"must be a number"),
        ({"x": [""]}, r"must be a number"),
        ({"x": [[1]]}, r"options\.x\[0\]=\[1\] must be of type"),
        ({"x": [float("nan")]}, r"options\.x\[0\]=nan is not a finite number"),
        ({"x": [1, 2, 1.0]}, r"ablations\.mine\.options\.x: 1\.0 appears twice"),
        ({"x": [True, 1]}, r"options\.x: 1 appears twice"),
        ({"x": ["a", "A"]}, r"options\.x: 'a' appears twice"),
        ({"x": []}, r"options\.x=\[\] must not be empty"),
        ({}, r"options=\{\} must not be empty"),
        ({name: list(range(30)) for name in "abc"}, r"more than 10000 combinations"),
        ({name * 60: [1] for name in "abcd"}, r"name would have more than 200 characters"),
    ],
)
def test_points_of_an_ablation_have_folders_of_their_own(config, options, sentence):
    config["ablations"] = {"mine": {"method": "nmf", "options": options}}
    with pytest.raises(ConfigError, match=sentence) as caught:
        complete(config, FIGURES)
    assert "\n" not in str(caught.value)
    config["ablations"]["mine"]["options"] = {"x": [-2.5, 1e-9, True, "a-b_c.d+e"]}
    assert complete(config, FIGURES)["ablations"] == config["ablations"]


OURS, N_WORDS = "constrained_nmf", "exceeds 12, the number of words of the smallest topic of config"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"ablations": {"a": {"method": OURS, "options": {"theta_min": [0.2, 1]}}}},
            r"ablations\.a\.options: theta_min=1 must be less than 1",
        ),
        (
            {"ablations": {"a": {"method": OURS, "options": {"w_max": [-1]}}}},
            r"ablations\.a\.options: w_max=-1 must be at least 0",
        ),
        (
            {"ablations": {"a": {"method": OURS, "options": {"w_max": ["x"]}}}},
            r"ablations\.a\.options: w_max='x' must be of type number",
        ),
        (
            {"ablations": {"learning_rate": {"method": "nmf", "options": {"eta": [1]}}}},
            r"ablations\.learning_rate\.method='nmf': .* constrained NMF; name a method of it",
        ),
        (
            {"sweeps": {"a": {"key": "n_words", "values": [4, 13], "methods": ["nmf"]}}},
            rf"sweeps\.a\.values: n_words=13 {N_WORDS}",
        ),
        (
            {"settings": [{"n_topics": 20, "n_minority": 7}, {"n_topics": 801, "n_minority": 7}]},
            r"settings\[1\]\.n_topics=801: constrained_nmf of methods fits at most 800 topics",
        ),
        (
            {
                "settings": [{"n_topics": 801, "n_minority": 7}],
                "methods": ["nmf"],
                "variants": ["constrained_nmf_paper"],
            },
            r"settings\[0\]\.n_topics=801: constrained_nmf_paper of variants fits at most 800",
        ),
    ],
)
def test_what_no_fit_could_use_is_told_before_the_run(config, changes, sentence):
    with pytest.raises(ConfigError, match=sentence):
        complete({**config, "ablations": {}, "sweeps": {}, **changes}, FIGURES)


def test_more_words_than_a_topic_has_are_told_before_the_run(config, tmp_path):
    dataset = config["datasets"]["simulated"]
    dataset["n_words"] = 13
    with pytest.raises(ConfigError, match=rf"datasets\.simulated\.n_words=13 {N_WORDS}"):
        complete(config, FIGURES)
    dataset["n_words"] = 12
    complete(config, FIGURES)
    dataset["topics"] = str(tmp_path / "t.yaml")
    for content in ("- {words: 1}", "[1", "a", ""):  # told by the step that reads the topics
        (tmp_path / "t.yaml").write_text(content)
        complete(config, FIGURES)
    (tmp_path / "t.yaml").write_text("- {name: a, gloss: b, words: {c: d}}")
    with pytest.raises(ConfigError, match="n_words=12 exceeds 1, the number"):
        complete(config, FIGURES)


def test_other_methods_may_have_more_topics_than_ours(config):
    config |= {"settings": [{"n_topics": MOST_TOPICS + 1, "n_minority": 7}], "ablations": {}}
    complete({**config, "methods": ["nmf"], "variants": []}, FIGURES)
    config["settings"] = [{"n_topics": MOST_TOPICS, "n_minority": 7}]
    complete(config, FIGURES)


def test_the_bound_on_topics_is_that_of_the_model():
    from minority_topics.nmf.checks import MOST_TOPICS as OF_THE_MODEL

    assert MOST_TOPICS == OF_THE_MODEL


@pytest.mark.parametrize("config", [None, [], "text", 5, [{"datasets": 1}]])
def test_what_is_no_mapping_is_refused(config):
    with pytest.raises(ConfigError, match="must hold keys with values"):
        complete(config, FIGURES)


def test_a_config_that_holds_itself_or_too_much_is_refused(config):
    config["options"] = {"nmf": config}
    with pytest.raises(ConfigError, match="nested more than 50 deep; write it flatter"):
        complete(config, FIGURES)
    many = ["x"] * 10
    for _ in range(20):
        many = [many] * 10
    config["options"] = {"nmf": {"x": many}}
    with pytest.raises(ConfigError, match="more than 100000 values; give fewer"):
        complete(config, FIGURES)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"datasets: [\n", r"a\.yaml, line 2, column 1: "),
        (b"a: !!python/object/apply:os.system [echo]\n", r"a\.yaml, line 1: the tag 'tag:yaml"),
        (b"a: !own b\n", r"a\.yaml, line 1, column 4: could not determine a constructor"),
        (b"a: !!bool b\n", r"a\.yaml, line 1: 'b' cannot be read as a date or number"),
        (b"- a\n", r"a\.yaml: must hold keys with values"),
        (b"text", r"a\.yaml: must hold keys with values"),
        (b"", r"a\.yaml: must hold keys with values"),
        (b"a: 1\nb: 2\na: 3\n", r"a\.yaml, line 3: the key 'a' appears twice; remove one"),
        (b"a: " + b"[" * 5000, r"a\.yaml: it is nested too deeply"),
        (b"a: &a\n  b: *a\n", r"a\.yaml, line \d: an alias is inside"),
        (b"a: &a [1,1,1,1,1,1,1,1,1]\n" + b"".join(
            b"%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n" % (n + 1, n + 1, *[n] * 8)
            for n in range(97, 120)), r"a\.yaml: its aliases stand for more than 100000 v"),
        (b"a: \xff\n", r"a\.yaml: line 1 is not UTF-8"),
        (b"a: 1\nb: \x00\n", r"a\.yaml, line 2: the character 0x0 is not allowed"),
        (b"a: .inf\n", r"a\.yaml, line 1: '\.inf' is not a finite number"),
        (b"a: 2001-01-01\n", r"a\.yaml, line 1: '2001-01-01' would be a date"),
        (b"a: " + b"9" * 5000, r"a\.yaml, line 1: '999.* cannot be read as a date or number"),
        (b"a: 1\n---\nb: 2\n", r"a\.yaml, line 2, column 1: but found another document"),
        (b"? [a]\n: b\n", r"a\.yaml, line 1, column 3: found unhashable key"),
    ],
)  # fmt: skip
def test_bad_yaml_is_told_with_file_and_line(tmp_path, content, sentence):
    (tmp_path / "a.yaml").write_bytes(content)
    with pytest.raises(ConfigError, match=sentence) as caught:
        read_config(tmp_path / "a.yaml")
    assert "\n" not in str(caught.value)


def test_a_config_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ConfigError, match=r"gone\.yaml: no such file"):
        read_config(tmp_path / "gone.yaml")
    with pytest.raises(ConfigError, match="is a directory"):
        read_config(tmp_path)


def test_a_labelled_dataset_needs_its_file(config):
    seeds = config["datasets"]["simulated"]["seed_words"]
    config["datasets"] = {"mine": {"kind": "labelled", "seed_words": seeds}}
    with pytest.raises(ConfigError, match=r"datasets\.mine\.file is missing: give the path"):
        complete(config, FIGURES)


def test_defaults_are_filled_in_and_the_input_is_left_alone(config):
    del config["repetitions"]
    before = copy.deepcopy(config)
    filled = complete(config, FIGURES)
    assert config == before
    assert filled["repetitions"] == 10
    assert filled["datasets"]["simulated"]["max_df"] == 1.0
    assert "file" not in filled["datasets"]["simulated"]
    assert complete(filled, FIGURES) == filled


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_shipped_configs_are_valid(path, tmp_path):
    config = read_config(path)
    assert config == yaml.safe_load(path.read_text(encoding="utf-8"))
    for dataset in config["datasets"].values():
        # Of the authors' data and of `make case-study`, which are not part of the repository.
        for key in {"file", "files"} & dataset.keys():
            (tmp_path / "data.csv").write_text("Sentence,Label\na b,-1\n")
            dataset[key] = dataset["seed_words"] = str(tmp_path / "data.csv")
    complete(config, FIGURES)


def schema_keys(schema):
    for key, rule in schema.get("properties", {}).items():
        yield key, rule
        yield from schema_keys(rule)
        for nested in ("items", "additionalProperties"):
            if isinstance(rule.get(nested), dict):
                yield from schema_keys(rule[nested])


MANUAL = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
STUDY_MANUAL = MANUAL.split("## The table of methods")[0]
COMMENTS_MANUAL = MANUAL.split("## A dataset of own comments")[1]


@pytest.mark.parametrize(
    ("manual", "path", "elsewhere"),
    [
        (STUDY_MANUAL, SCHEMA, {"w_max", "theta_min"}),
        (COMMENTS_MANUAL, COMMENTS_SCHEMA, set()),
    ],
)
def test_manual_and_schema_name_the_same_keys(manual, path, elsewhere):
    documented = set(re.findall(r"^\| `(\w+)` \|", manual, flags=re.MULTILINE))
    named = dict(schema_keys(load_schema(path)))
    assert documented == named.keys() - elsewhere
    assert all(f"`{key}`" in manual for key in elsewhere)
    assert all("description" in rule for rule in named.values())


@pytest.mark.parametrize(
    ("manual", "path"), [(STUDY_MANUAL, SCHEMA), (COMMENTS_MANUAL, COMMENTS_SCHEMA)]
)
def test_manual_gives_the_defaults(manual, path):
    for key, rule in schema_keys(load_schema(path)):
        if isinstance(rule.get("default"), int | float | str):
            default = json.dumps(rule["default"]).strip('"').replace("e-0", "e-")
            row = re.search(rf"^\| `{key}` \|.*$", manual, flags=re.MULTILINE).group()
            assert re.search(rf"\| [`\"]*{re.escape(default)}[`\"]* \|", row), row


def test_methods_manual_names_every_column():
    header = (ROOT / "config" / "methods.tsv").read_text(encoding="utf-8").splitlines()[0]
    manual = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    section = manual.split("## The table of methods")[1].split("\n## ")[0]
    assert set(header.split("\t")) <= set(re.findall(r"`(\w+)`", section))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("\tunguided\t", "\tclever\t", "kind 'clever'"),
        ("truth\tTrue", "random\tTrue", "method 'random' appears twice"),
        ('{"labels": "truth"}', "{labels}", r"options '\{labels\}' is not JSON"),
        ('{"labels": "truth"}', "[1]", r"options '\[1\]' must be a JSON object"),
        ('{"labels": "truth"}', '{"a b": 1}', "options .* must be a JSON object whose keys are"),
        ('{"labels": "truth"}', '{"a": NaN}', "options .* is not JSON"),
        ('{"labels": "truth"}', "[" * 100_000, "options .* is not JSON"),
        ('"truth"}\t1\t', '"truth"}\tmany\t', "threads 'many' must be a whole number, at least 1"),
        ('"truth"}\t1\t', '"truth"}\t0\t', "threads '0' must be"),
        ('"truth"}\t1\t1\t', '"truth"}\t1\t-1\t', "minutes '-1' must be a number above 0"),
        ('"truth"}\t1\t1\t', '"truth"}\t1\tinf\t', "minutes 'inf' must be"),
        ('"truth"}\t1\t1\t1000', '"truth"}\t1\t1\tnan', "memory_mb 'nan' must be"),
        ("truth\tTrue", "../truth\tTrue", r"method '\.\./truth' must be a name"),
        ("truth\tTrue labels", "truth\t", "label '' must be a line of text"),
        ("True labels\tcontrols", "True labels\tgone", r"module 'gone' has no file gone\.py"),
        ("controls\tstudy", "controls\t../x", "environment '../x' must be a name"),
        ('\tcontrol\t{"labels": "truth"}\t', "\t", "10 cells under 12 columns"),
        (
            "Gallagher et al. 2017\tcorex",
            "Gallagher et al. 2017\tcorx",
            "variant_of 'corx' must name a row that is not",
        ),
        ("et al. 2017\tcorex\n", "et al. 2017\tcorex_strength8\n", "variant_of 'corex_strength8'"),
    ],
)
def test_a_bad_table_of_methods_is_refused_by_line(tmp_path, old, new, sentence):
    text = (ROOT / "config" / "methods.tsv").read_text(encoding="utf-8")
    lines = text[: text.index(old)].count("\n") + 1
    line = lines + ("twice" in sentence)  # the second of the two is at fault
    (tmp_path / "methods.tsv").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigError, match=f"line {line}: {sentence}") as caught:
        read_methods(tmp_path / "methods.tsv")
    assert str(tmp_path / "methods.tsv") in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "line 1: column 'method' must be there exactly once"),
        (b"method\tlabel\n", "line 1: column 'module' must be there exactly once"),
        (b"\xff\n", "line 1 is not UTF-8"),
    ],
)
def test_what_is_no_table_of_methods_is_refused(tmp_path, content, sentence):
    (tmp_path / "methods.tsv").write_bytes(content)
    with pytest.raises(ConfigError, match=sentence):
        read_methods(tmp_path / "methods.tsv")
    with pytest.raises(ConfigError, match="is a folder"):
        read_methods(tmp_path)


def test_variants_are_rows_that_name_their_model(tmp_path):
    methods = read_methods()
    assert methods["corex_strength2"].short_label == "– strength 2"
    assert full_label(methods, "corex_strength2") == "Corex (strength 2)"
    assert methods["corex"].short_label == full_label(methods, "corex") == "Corex"
    # A table without the column, and a row without the cell.
    header, first, second, *_ = (ROOT / "config" / "methods.tsv").read_text("utf-8").splitlines()
    for width, is_variant in ((12, True), (11, False)):
        lines = ("\t".join(line.split("\t")[:width]) for line in (header, first, second))
        (tmp_path / "methods.tsv").write_text("\n".join(lines), encoding="utf-8")
        row = read_methods(tmp_path / "methods.tsv")["constrained_nmf_projected"]
        assert row.is_variant == is_variant
    (tmp_path / "methods.tsv").write_text(f"{header}\n{first.rstrip()}\n", encoding="utf-8")
    assert not read_methods(tmp_path / "methods.tsv")["constrained_nmf"].is_variant


def test_results_manual_is_the_metric_cards():
    from minority_topics.scores.cards import CARDS

    manual = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
    for card in CARDS.values():
        paper = "yes" if card.in_paper else "no"
        row = f"| `{card.name}` | {card.low:g} to {card.high:g} | {card.direction} | {paper} |"
        assert f"{row} {card.meaning} |" in manual


def test_results_manual_names_every_column():
    from minority_topics.comments.choosing import COLUMNS as CHOICES
    from minority_topics.scores import matches, parts, scoring, statistics, tables, verdicts

    manual = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
    columns = (
        *CHOICES, *parts.COLUMNS, *verdicts.NUMBER_COLUMNS, *statistics.COMPARISON_COLUMNS,
        *matches.TOPIC_COLUMNS, *matches.TRUE_TOPIC_COLUMNS, *matches.EXAMPLE_COLUMNS,
        *scoring.FIT_COLUMNS, *scoring.NOTE_COLUMNS, *tables.TRAJECTORY_COLUMNS,
    )  # fmt: skip
    assert [name for name in dict.fromkeys(columns) if f"`{name}`" not in manual] == []


@pytest.mark.parametrize("kind", ["injected", "labelled"])
def test_files_of_glosses_must_be_there_whatever_the_kind(config, tmp_path, kind):
    dataset = config["datasets"]["simulated"]
    if kind == "labelled":
        (tmp_path / "a.csv").write_text("text,label\n")
        dataset = {
            "kind": kind,
            "file": str(tmp_path / "a.csv"),
            "seed_words": dataset["seed_words"],
        }
    dataset["glosses"] = ["config/glosses_fi.tsv"]
    config["datasets"]["simulated"] = dataset
    complete(config, FIGURES)
    dataset["glosses"].append("config/absent.tsv")
    with pytest.raises(ConfigError, match=r"simulated\.glosses='config/absent\.tsv': no such file"):
        complete(config, FIGURES)


@pytest.fixture
def own(tmp_path):
    """The least that a dataset of own comments needs."""
    files, seed_words = tmp_path / "comments.csv", tmp_path / "seeds.txt"
    files.write_text("text\nhello there\n")
    seed_words.write_text("hello\n")
    return {"files": str(files), "seed_words": str(seed_words), "language": "en"}


def test_own_comments_need_no_study(own):
    filled = complete({"datasets": {"mine": {"kind": "comments", **own}}}, FIGURES)
    assert filled["datasets"]["mine"] == complete_comments("mine", own)
    assert filled["datasets"]["mine"]["files"] == [own["files"]]
    assert (filled["settings"], filled["methods"]) == ([], [])
    with pytest.raises(ConfigError, match="repetitions=3: datasets of kind 'comments' have no"):
        complete({"datasets": {"mine": {"kind": "comments", **own}}, "repetitions": 3}, FIGURES)


def test_own_comments_beside_a_study(config, own):
    config["datasets"]["mine"] = {"kind": "comments", **own}
    study, comments = split_datasets(complete(config, FIGURES))
    assert (list(study), list(comments)) == (["simulated"], ["mine"])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"languag": "fi"}, r"datasets\.mine\.languag='fi': unknown key; did you mean 'language'"),
        ({"language": "suomi"}, r"language='suomi' must be the code of a language"),
        ({"files": "no/*.csv"}, r"files\[0\]='no/\*\.csv': no such file; give"),
        ({"files": []}, r"files=\[\] must not be empty"),
        ({"seed_words": "no.txt"}, r"seed_words='no\.txt': no such file"),
        ({"n_topics": "many"}, r"n_topics='many' must be `auto` or a whole number"),
        ({"n_topics": 5, "n_minority": 6}, r"n_minority=6 exceeds n_topics=5"),
        ({"min_df": 2.5}, r"min_df=2\.5: give a whole number"),
        ({"memory_mb": 10}, r"memory_mb=10 must be at least 200"),
    ],
)
def test_wrong_keys_of_own_comments(own, changes, sentence):
    with pytest.raises(ConfigError, match=sentence):
        complete_comments("mine", own | changes)
    with pytest.raises(
        ConfigError, match=r"datasets\.logs: this name is reserved for a folder of the study"
    ):
        complete_comments("logs", own)
