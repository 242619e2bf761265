"""The configuration: read, completed with defaults, and checked before anything runs.

Every complaint is one sentence that names the key, its value and the remedy. This module needs
only what Snakemake itself brings (PyYAML, jsonschema), since the Snakefile imports it.
"""

import copy
import difflib

import jsonschema
import yaml

from .catalogue import FIGURES
from .registry import ROOT, ConfigError, read_methods, resolve

SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.yaml"
# Keys that only one kind of dataset has, and must not be given to the other.
ONLY = {
    "injected": {"background", "topics", "n_documents", "rate", "n_words", "draws"},
    "labelled": {"file", "label_column", "background_label", "glosses"},
}


# Tables that the study makes itself.
TABLES = {
    "scores", "random_states", "variants", "summary", "comparisons", "paper_vs_ours", "claims",
    "trajectory", "by_setting", "heatmap", "sweep",
}  # fmt: skip
# Ablations with figures of their own, and the options those show.
SHOWN_ABLATIONS = {"constraints": {"w_max", "theta_min"}, "learning_rate": {"eta"}}


def load_schema():
    return yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))


def complete(config):
    """The config with defaults filled in, checked; raises ConfigError."""
    schema = load_schema()
    config = copy.deepcopy(dict(config))
    errors = jsonschema.Draft202012Validator(schema).iter_errors(config)
    for error in sorted(errors, key=lambda error: [str(part) for part in error.absolute_path]):
        raise ConfigError(_sentence(error))
    dataset_schema = schema["properties"]["datasets"]["additionalProperties"]
    for name, dataset in config["datasets"].items():
        _check_dataset(name, dataset)
        _fill(dataset, dataset_schema, skip=ONLY[_other(dataset["kind"])])
        _check_files(name, dataset)
    _fill(config, schema)
    _check_settings(config["settings"])
    config.setdefault("figures", list(FIGURES))
    for name in config["figures"]:
        if name not in FIGURES:
            raise ConfigError(f"figures: {name!r} is not a figure{_suggest(name, FIGURES)}.")
    _check_methods(config)
    _check_studies(config, dataset_schema)
    return config


def _check_methods(config):
    """Every method that is named anywhere must be a row of the table of methods."""
    methods = read_methods(config["methods_file"])
    named = {key: config[key] for key in ("methods", "variants", "options")}
    for name, ablation in config["ablations"].items():
        named[f"ablations.{name}.method"] = [ablation["method"]]
    for name, sweep in config["sweeps"].items():
        named[f"sweeps.{name}.methods"] = sweep["methods"]
    for key, names in named.items():
        for name in names:
            if name not in methods:
                raise ConfigError(
                    f"{key}: {name!r} is not a method of {config['methods_file']}"
                    f"{_suggest(name, methods)}."
                )
    if all(methods[name].kind == "control" for name in config["methods"]):
        raise ConfigError("methods: name at least one that is not a control.")


def _check_studies(config, dataset_schema):
    """Names, methods and values of ablations and sweeps."""
    taken = TABLES | FIGURES.keys() - {"learning_rate"}
    for name in [*config["ablations"], *config["sweeps"]]:
        if name in taken:
            raise ConfigError(
                f"{name!r} is the name of another table; rename the ablation or sweep."
            )
        taken.add(name)
    for name, options in SHOWN_ABLATIONS.items():
        ablation = config["ablations"].get(name)
        if ablation and set(ablation["options"]) != options:
            raise ConfigError(
                f"ablations.{name} is drawn against {', '.join(sorted(options))}, and must vary "
                "those alone; rename it, or correct its options."
            )
    for name, sweep in config["sweeps"].items():
        key = sweep["key"]
        schema = {"properties": {key: dataset_schema["properties"][key]}}
        for value in sweep["values"]:
            for error in jsonschema.Draft202012Validator(schema).iter_errors({key: value}):
                raise ConfigError(f"sweeps.{name}.values: {_sentence(error)}")


def _other(kind):
    return "labelled" if kind == "injected" else "injected"


def _fill(values, schema, skip=()):
    for key, rule in schema["properties"].items():
        if "default" in rule and key not in skip:
            values.setdefault(key, copy.deepcopy(rule["default"]))


def _check_dataset(name, dataset):
    kind = dataset["kind"]
    for key in sorted(dataset.keys() & ONLY[_other(kind)]):
        raise ConfigError(
            f"datasets.{name}.{key}={dataset[key]!r}: a dataset of kind {kind!r} has no such key; "
            f"remove it, or set kind: {_other(kind)}."
        )
    if kind == "labelled" and not dataset.get("file"):
        raise ConfigError(
            f"datasets.{name}.file is missing: give the path of the labelled CSV, JSONL or Parquet "
            f"file, in the config or with --config 'datasets={{{name}: {{file: PATH}}}}'."
        )


def _check_files(name, dataset):
    keys = ["seed_words", "file" if dataset["kind"] == "labelled" else "topics"]
    if dataset.get("background", "simulated") != "simulated":
        keys.append("background")
    keys += ["glosses"] if "glosses" in dataset else []
    for key in keys:
        if not resolve(dataset[key]).is_file():
            raise ConfigError(
                f"datasets.{name}.{key}={dataset[key]!r}: no such file; give a path that is "
                f"absolute or relative to {ROOT}."
            )
    for key in ("min_df", "max_df"):
        value = dataset[key]
        if value > 1 and value != int(value):
            raise ConfigError(
                f"datasets.{name}.{key}={value!r}: give a whole number of documents, or a fraction "
                "up to 1.0 for a share of them."
            )


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
                f"settings[{position}]: {pair[0]}/{pair[1]} stands twice; remove one."
            )
        seen.add(pair)


def _suggest(name, known):
    close = difflib.get_close_matches(str(name), list(known), n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"{hint} Known: {', '.join(known)}" if hint else f"; known: {', '.join(known)}"


def _sentence(error):
    """A jsonschema error as one sentence."""
    path = "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path
    ).lstrip(".")
    where = path or "config"
    value = error.instance
    rule = error.validator_value
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        name = next(key for key in value if key not in known)
        full = f"{path}.{name}".lstrip(".")
        return f"{full}={value[name]!r}: unknown key{_suggest(name, known)}."
    if error.validator == "required":
        name = next(key for key in rule if key not in value)
        return f"{f'{path}.{name}'.lstrip('.')} is missing: add it (config/README.md explains it)."
    if error.validator == "propertyNames" or "propertyNames" in error.absolute_schema_path:
        return f"{where}: {value!r} must be a name of small letters, digits and _; rename it."
    remedies = {
        "type": f"must be of type {rule}",
        "enum": f"must be one of {rule}",
        "minimum": f"must be at least {rule}",
        "exclusiveMinimum": f"must be more than {rule}",
        "maximum": f"must be at most {rule}",
        "exclusiveMaximum": f"must be less than {rule}",
        "minItems": "must not be empty",
        "minProperties": "must not be empty",
        "uniqueItems": "must not name anything twice",
    }
    remedy = remedies.get(error.validator, error.message)
    return f"{where}={value!r} {remedy}; correct it (config/README.md explains it)."
