"""The configuration: read, completed with defaults, and checked before anything runs.

Every complaint is one sentence that names the key, its value and the remedy. This module needs
only what Snakemake itself brings (PyYAML, jsonschema), since the Snakefile imports it.
"""

import copy
import difflib
import functools
import itertools
import json
import math
import re
from collections.abc import Collection
from pathlib import Path

import jsonschema
import yaml

from ..base.strict_yaml import DEEPEST, MOST_NODES, YamlError, read_yaml
from ..base.text import find_control, listed, shown, stands_twice
from .paths import LONGEST, ROOT, find_files, resolve
from .plan import COMMENTS, sweeps_of, values_of
from .registry import ConfigError, first_model, read_methods

SCHEMA = Path(__file__).with_name("config.schema.yaml")
COMMENTS_SCHEMA = Path(__file__).with_name("comments.schema.yaml")
# Keys of a configuration of nothing but own comments.
WITHOUT_STUDY = {"datasets", "random_state"}
# Keys that only one kind of dataset has, and must not be given to the other.
ONLY = {
    "injected": {"background", "topics", "n_documents", "rate", "n_words", "overlap", "draws"},
    "labelled": {"file", "label_column", "background_label"},
}
# Folders of results/ that are no datasets; and what a rule without datasets is bound to.
NO_DATASETS = {"logs", "tables", "benchmarks", "none"}
# Tables that the study makes itself.
TABLES = {
    "scores", "random_states", "variants", "summary", "comparisons", "paper_vs_ours", "claims",
    "resamples", "parts", "true_topics", "examples", "trajectory", "sweep",
}  # fmt: skip
# Ablations with figures of their own, and the options those show.
SHOWN_ABLATIONS = {
    "constraints": {"w_max", "theta_min"},
    "learning_rate": {"eta"},
    "decomposition": {"solver", "start", "n_init", "w_max", "theta_min"},
}
# Keys that a message shows without quotes.
WORD = re.compile(r"[\w-]{1,60}")
# Points of one ablation.
MOST_POINTS = 10_000
# Topics that constrained NMF can fit; its own bound, but nothing here imports numpy.
MOST_TOPICS = 800


def _is_whole(_, value):
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(_, value):
    return isinstance(value, int | float) and not isinstance(value, bool)


# To JSON Schema 2.0 is an integer, but in paths and on command lines it is none.
Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_whole, "number": _is_number}
    ),
)


def load_schema(path: Path = SCHEMA) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def read_config(path: str | Path) -> dict:
    """A configuration as its file has it."""
    try:
        content = read_yaml(path)
    except YamlError as error:
        raise ConfigError(f"{error}.") from error
    except OSError as error:
        raise ConfigError(f"{path}: {(error.strerror or '').lower()}; correct the path.") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: must hold keys with values, as config/README.md shows.")
    return content


def complete(config: dict, figures: Collection[str]) -> dict:
    """The config with defaults filled in, checked; raises ConfigError.

    `figures` are the names of all figures that can be drawn.
    """
    schema = load_schema()
    if not isinstance(config, dict):
        raise ConfigError(f"config={shown(config)} must hold keys with values; write some.")
    config = _plain(config, (), itertools.count())
    comments = _take_comments(config, schema)
    if comments and not config["datasets"]:
        for key in sorted(config.keys() - WITHOUT_STUDY):
            raise ConfigError(
                f"{key}={shown(config[key])}: datasets of kind {COMMENTS!r} have no such key; "
                "remove it, or add a dataset of another kind."
            )
        config |= {"settings": [], "methods": [], "figures": []}
        _fill(config, schema)
        return config | {"datasets": comments}
    errors = Validator(schema).iter_errors(config)
    for error in sorted(errors, key=lambda error: [str(part) for part in error.absolute_path]):
        raise ConfigError(_sentence(error))
    dataset_schema = schema["properties"]["datasets"]["additionalProperties"]
    for name, dataset in config["datasets"].items():
        _check_dataset(name, dataset)
        _fill(dataset, dataset_schema, skip=ONLY[_other(dataset["kind"])])
        _check_files(name, dataset)
    _fill(config, schema)
    _check_settings(config["settings"])
    config.setdefault("figures", list(figures))
    for name in config["figures"]:
        if name not in figures:
            raise ConfigError(f"figures: {shown(name)} is not a figure{_suggest(name, figures)}.")
    methods = _check_methods(config)
    _check_sizes(config, methods)
    _check_studies(config, schema, figures, methods)
    _check_n_words(config)
    config["datasets"] |= comments
    return config


def complete_comments(name: str, dataset: dict) -> dict:
    """A dataset of own comments with its defaults, checked; raises ConfigError."""
    config = _plain({"datasets": {name: {"kind": COMMENTS, **dataset}}}, (), itertools.count())
    return _take_comments(config, load_schema())[name]


def check_comments_keys(settings: dict) -> None:
    """Raise ConfigError for what is no key, or no value of a key, of a dataset of own comments."""
    rules = load_schema(COMMENTS_SCHEMA)
    rules = {key: rules[key] for key in ("properties", "additionalProperties")}
    for error in Validator(rules).iter_errors(_plain(settings, (), itertools.count())):
        raise ConfigError(_sentence(error))


def comments_defaults(keys: Collection[str]) -> dict:
    """Default values of keys of a dataset of own comments; None for a key without one."""
    rules = load_schema(COMMENTS_SCHEMA)["properties"]
    return {key: rules[key].get("default") for key in keys}


def _take_comments(config, schema):
    """Take the datasets of own comments out of a configuration; they come back complete."""
    datasets = config.get("datasets")
    if not isinstance(datasets, dict):
        return {}
    own = {
        name: datasets.pop(name)
        for name, dataset in list(datasets.items())
        if isinstance(dataset, dict) and dataset.get("kind") == COMMENTS
    }
    rules = load_schema(COMMENTS_SCHEMA)
    names = {"propertyNames": schema["$defs"]["name"], "additionalProperties": rules}
    for error in Validator({"properties": {"datasets": names}}).iter_errors({"datasets": own}):
        raise ConfigError(_sentence(error))
    for name, dataset in own.items():
        _check_name(name)
        _fill(dataset, rules)
        if isinstance(dataset["files"], str):
            dataset["files"] = [dataset["files"]]
        _check_comments(name, dataset)
    return own


def _check_comments(name, dataset):
    for key in ("seed_words", "stop_words", "word_vectors"):
        if dataset[key] is not None:
            _check_file(f"datasets.{name}.{key}", dataset[key])
    for place, pattern in enumerate(dataset["files"]):
        if not find_files(pattern):
            _refuse_several_files(f"datasets.{name}.files[{place}]", pattern)
            _check_file(f"datasets.{name}.files[{place}]", pattern)
    _check_frequencies(name, dataset)
    n_topics, n_minority = dataset["n_topics"], dataset["n_minority"]
    if "auto" not in (n_topics, n_minority) and n_minority > n_topics:
        raise ConfigError(
            f"datasets.{name}.n_minority={n_minority} exceeds n_topics={n_topics}; lower "
            "n_minority, or raise n_topics."
        )


def _refuse_several_files(key, names):
    """A name may hold blanks; names of several files with blanks between them are a mistake."""
    parts = names.split()
    if len(parts) > 1 and all(map(find_files, parts)):
        raise ConfigError(
            f"{key}={shown(names)}: no such file; if these are several files, name each by itself, "
            "or give a pattern that matches them all, such as 'data/*.csv'."
        )


def _plain(value, place, count):
    """A copy of mappings, lists and plain values; anything that YAML or JSON cannot say is refused.

    `place` are the keys that lead to the value, `count` counts values as if aliases were written
    out.
    """
    if len(place) > DEEPEST:
        raise ConfigError(
            f"{_where(place[:5])}: it is nested more than {DEEPEST} deep; write it flatter."
        )
    if next(count) > MOST_NODES:
        raise ConfigError(
            f"{_where(place[:5])}: there are more than {MOST_NODES} values; give fewer of them."
        )
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise ConfigError(f"{_where(place)}: the key {shown(key)} is not text; quote it.")
            if find_control(key):
                raise ConfigError(
                    f"{_where(place)}: the key {shown(key)} holds {find_control(key)!r}; rename it."
                )
        return {key: _plain(entry, (*place, key), count) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry, (*place, number), count) for number, entry in enumerate(value)]
    problem = _problem(value)
    if problem:
        raise ConfigError(f"{_where(place)}={shown(value)} {problem}.")
    return value


def _problem(value):
    """What is wrong with a plain value, "" if nothing is."""
    if not isinstance(value, str | int | float | None):
        return f"is a {type(value).__name__}; put it in quotes"
    if isinstance(value, str) and find_control(value):
        return f"holds {find_control(value)!r}; take it out"
    if isinstance(value, float) and not math.isfinite(value):
        return "is not a finite number; give one"
    if isinstance(value, int) and abs(value) >= 2**63:
        return "is too large a number; give a smaller one"
    return ""


def _where(place):
    """Keys as a reader writes them: settings[0].n_topics."""
    parts = (
        f"[{part}]"
        if isinstance(part, int)
        else f".{part if WORD.fullmatch(part) else shown(part, 60)}"
        for part in place
    )
    return "".join(parts).lstrip(".") or "config"


def _check_methods(config):
    """The table of methods; every method that is named anywhere must be a row of it."""
    methods = read_methods(config["methods_file"])
    for key, names in {**_run(config), "options": config["options"]}.items():
        for name in names:
            if name not in methods:
                raise ConfigError(
                    f"{key}: {shown(name)} is not a method of {config['methods_file']}"
                    f"{_suggest(name, methods)}."
                )
    first_model(methods, config["methods"])
    for name in config["peers"]:
        if methods[name].is_variant:
            raise ConfigError(f"peers: {shown(name)} is a variant; list it under variants.")
        if methods[name].kind == "control":
            raise ConfigError(f"peers: {shown(name)} is a control; list it under methods.")
        if name in config["methods"]:
            raise ConfigError(f"peers: {shown(name)} is listed under methods too; remove one.")
    return methods


def _run(config):
    """Methods that are run, by the key that names them."""
    named = {key: config[key] for key in ("methods", "variants", "peers")}
    for name, ablation in config["ablations"].items():
        named[f"ablations.{name}.method"] = [ablation["method"]]
    for name, sweep in config["sweeps"].items():
        named[f"sweeps.{name}.methods"] = sweep["methods"]
    return named


def _check_sizes(config, methods):
    """Constrained NMF has a bound on topics; all but `methods` run in the first setting only."""
    for key, names in _run(config).items():
        settings = config["settings"] if key == "methods" else config["settings"][:1]
        for position, setting in enumerate(settings):
            ours = [name for name in names if methods[name].ours]
            if ours and setting["n_topics"] > MOST_TOPICS:
                raise ConfigError(
                    f"settings[{position}].n_topics={setting['n_topics']}: {ours[0]} of {key} fits "
                    f"at most {MOST_TOPICS} topics; lower n_topics, or remove the method."
                )


def _check_studies(config, schema, figures, methods):
    """Names, methods and values of ablations and sweeps."""
    for name, sweep in config["sweeps"].items():
        _check_sweep(name, sweep, config["datasets"])
    taken = TABLES | set(figures) - SHOWN_ABLATIONS.keys()
    for name in [*config["ablations"], *config["sweeps"]]:
        if name in taken:
            raise ConfigError(
                f"{name!r} is the name of another table; rename the ablation or sweep."
            )
        taken.add(name)
    for name, options in SHOWN_ABLATIONS.items():
        ablation = config["ablations"].get(name)
        if ablation and not methods[ablation["method"]].ours:
            raise ConfigError(
                f"ablations.{name}.method={shown(ablation['method'])}: the figure of this "
                "ablation shows constrained NMF; name a method of it, or rename the ablation."
            )
        if ablation and set(ablation["options"]) != options:
            raise ConfigError(
                f"ablations.{name}: the figure of this ablation shows {listed(sorted(options))}; "
                "vary exactly these, or rename the ablation."
            )
    options, datasets = (
        schema["properties"][key]["additionalProperties"] for key in ("options", "datasets")
    )
    for name, ablation in config["ablations"].items():
        _check_grid(f"ablations.{name}", ablation["options"])
        for option, values in ablation["options"].items():
            _check_values(f"ablations.{name}.options", option, values, options)
    for name, sweep in config["sweeps"].items():
        for key, values in values_of(sweep).items():
            _check_values(_values_place(name, sweep), key, values, datasets)


def _check_sweep(name, sweep, datasets):
    """A sweep says what it varies in one way, and names datasets that are there."""
    if {"key", "values", "vary"} & sweep.keys() not in ({"key", "values"}, {"vary"}):
        raise ConfigError(
            f"sweeps.{name}: give either both key and values, or vary alone (config/README.md "
            "explains them)."
        )
    for dataset in sweep.get("datasets", ()):
        if dataset not in datasets:
            raise ConfigError(
                f"sweeps.{name}.datasets: {shown(dataset)} is no dataset of the study"
                f"{_suggest(dataset, datasets)}."
            )


def _values_place(name, sweep):
    """Where a sweep has its values."""
    return f"sweeps.{name}.{'vary' if 'vary' in sweep else 'values'}"


def _check_values(where, key, values, schema):
    """Values of a key that is varied must be such as the key itself may have."""
    rules = {"properties": {key: schema["properties"].get(key, {})}}
    for value in values:
        for error in Validator(rules).iter_errors({key: value}):
            raise ConfigError(f"{where}: {_sentence(error)}")


def _check_n_words(config):
    """Every topic must have as many words as are injected, in the datasets and in sweeps."""
    for name, dataset in config["datasets"].items():
        if dataset["kind"] != "injected":
            continue
        asked = {f"datasets.{name}.n_words": dataset["n_words"]}
        for sweep, varied in sweeps_of(config, name).items():
            if "n_words" in values_of(varied):
                place = _values_place(sweep, varied)
                asked[f"{place}: n_words"] = max(values_of(varied)["n_words"])
        path = resolve(dataset["topics"])
        facts = path.stat()
        fewest = _fewest_words(path, facts.st_mtime_ns, facts.st_size)
        for key, n_words in asked.items():
            if n_words > fewest:
                raise ConfigError(
                    f"{key}={n_words} exceeds {fewest}, the number of words of the smallest topic "
                    f"of {dataset['topics']}; lower it, or add words there."
                )


@functools.lru_cache(maxsize=100)
def _fewest_words(path, _time, _size):
    """Words of the smallest topic of a file; one that cannot be used is told by its reader."""
    try:
        topics = read_yaml(path)
    except (YamlError, OSError):
        topics = None
    words = [
        topic["words"]
        for topic in (topics if isinstance(topics, list) else [])
        if isinstance(topic, dict) and isinstance(topic.get("words"), dict)
    ]
    return min(map(len, words), default=math.inf)


def _check_grid(where, grid):
    """Every point of a grid has a folder of its own, and there are not too many."""
    for option, values in grid.items():
        # 1 and 1.0 are one value; a and A are one folder on some disks.
        names = (value.casefold() if isinstance(value, str) else value for value in values)
        twice = stands_twice(names)
        if twice is not None:
            raise ConfigError(
                f"{where}.options.{option}: {shown(twice)} appears twice; remove one."
            )
    if math.prod(map(len, grid.values())) > MOST_POINTS:
        raise ConfigError(
            f"{where}.options: there are more than {MOST_POINTS} combinations; give fewer values."
        )
    parts = (
        max(len(f"{option}={json.dumps(value)},") for value in values)
        for option, values in grid.items()
    )
    if sum(parts) > LONGEST:
        raise ConfigError(
            f"{where}.options: a folder's name would have more than {LONGEST} characters; "
            "vary fewer options, or shorter values."
        )


def _other(kind):
    return "labelled" if kind == "injected" else "injected"


def _fill(values, schema, skip=()):
    for key, rule in schema["properties"].items():
        if "default" in rule and key not in skip:
            values.setdefault(key, copy.deepcopy(rule["default"]))


def _check_name(dataset):
    if dataset in NO_DATASETS:
        raise ConfigError(
            f"datasets.{dataset}: this name is reserved for a folder of the study; rename the "
            "dataset."
        )


def _check_dataset(name, dataset):
    kind = dataset["kind"]
    _check_name(name)
    for key in sorted(dataset.keys() & ONLY[_other(kind)]):
        raise ConfigError(
            f"datasets.{name}.{key}={shown(dataset[key])}: a dataset of kind {kind!r} has no such "
            f"key; remove it, or set kind: {_other(kind)}."
        )
    if kind == "labelled" and "file" not in dataset:
        raise ConfigError(
            f"datasets.{name}.file is missing: give the path of the labelled CSV, JSONL or Parquet "
            f"file, in the config or with --config 'datasets={{{name}: {{file: PATH}}}}'."
        )


def _check_files(name, dataset):
    keys = ["seed_words", "file" if dataset["kind"] == "labelled" else "topics"]
    if dataset.get("background", "simulated") != "simulated":
        keys.append("background")
    files = [(key, dataset[key]) for key in keys]
    files += [("glosses", path) for path in dataset["glosses"]]
    for key, path in files:
        _check_file(f"datasets.{name}.{key}", path)
    _check_frequencies(name, dataset)


def _check_file(key, path):
    problem = _file_problem(resolve(path))
    if problem:
        raise ConfigError(
            f"{key}={shown(path)}: {problem}; give a path that is absolute or relative to the "
            f"working directory or {ROOT}."
        )


def _check_frequencies(name, dataset):
    for key in ("min_df", "max_df"):
        value = dataset[key]
        if isinstance(value, float) and value > 1:
            raise ConfigError(
                f"datasets.{name}.{key}={value!r}: give a whole number of documents, or a fraction "
                "up to 1.0 for a share of them."
            )


def _file_problem(path):
    """Why this is not a file to read, "" if it is one."""
    try:
        if path.is_dir():
            return "it is a folder, not a file"
        return "" if path.is_file() else "no such file"
    except OSError as error:
        return (error.strerror or "no such file").lower()


def _check_settings(settings):
    seen = set()
    for position, setting in enumerate(settings):
        pair = setting["n_topics"], setting["n_minority"]
        if pair[1] > pair[0]:
            raise ConfigError(
                f"settings[{position}].n_minority={pair[1]} exceeds n_topics={pair[0]}: minority "
                "topics are among the topics, so lower n_minority or raise n_topics."
            )
        if pair in seen:
            raise ConfigError(
                f"settings[{position}]: {pair[0]}/{pair[1]} appears twice; remove one."
            )
        seen.add(pair)


def _suggest(name, known):
    close = difflib.get_close_matches(str(name)[:80], list(known), n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"{hint} Known: {', '.join(known)}" if hint else f"; known: {', '.join(known)}"


def _sentence(error):
    """A jsonschema error as one sentence."""
    place = tuple(error.absolute_path)
    value = error.instance
    rule = error.validator_value
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        name = next(key for key in value if key not in known)
        return f"{_where((*place, name))}={shown(value[name])}: unknown key{_suggest(name, known)}."
    if error.validator == "required":
        name = next(key for key in rule if key not in value)
        return f"{_where((*place, name))} is missing: add it (config/README.md explains it)."
    if "propertyNames" in error.absolute_schema_path:
        return f"{_where(place)}: {shown(value)} must be {error.schema['remedy']}; rename it."
    remedies = {
        "type": f"must be of type {rule}",
        "enum": f"must be one of {rule}",
        "pattern": f"must be {error.schema.get('remedy')}",
        "minimum": f"must be at least {rule}",
        "exclusiveMinimum": f"must be more than {rule}",
        "maximum": f"must be at most {rule}",
        "exclusiveMaximum": f"must be less than {rule}",
        "minItems": "must not be empty",
        "minLength": "must not be empty",
        "minProperties": "must not be empty",
        "uniqueItems": "must not hold an entry twice",
    }
    remedy = remedies.get(error.validator, error.message)
    return f"{_where(place)}={shown(value)} {remedy}; correct it (config/README.md explains it)."
