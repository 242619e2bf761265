import ast
import json
import shlex
import sys
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError
from snakemake.settings.types import DeploymentMethod

ROOT = Path(workflow.basedir)
LIBRARY = ROOT / "workflow"
sys.path.insert(0, str(LIBRARY))

from minority_topics.config import complete
from minority_topics.contract import derive_random_state
from minority_topics.registry import ConfigError, read_methods, resolve

try:
    CONFIG = complete(config)
except ConfigError as error:
    raise WorkflowError(f"Configuration: {error}")

METHODS = read_methods(CONFIG["methods_file"])
DATASETS = CONFIG["datasets"]
SETTINGS = [f"{setting['n_topics']}-{setting['n_minority']}" for setting in CONFIG["settings"]]
USES_CONDA = DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method
ENVIRONMENTS = ROOT / ".venvs"

shell.prefix(f"export PYTHONPATH={shlex.quote(str(LIBRARY))}; ")


wildcard_constraints:
    dataset="|".join(DATASETS),
    draw=r"\d+",
    method="|".join(METHODS),
    setting=r"\d+-\d+",
    batch=r"\d+-\d+",
    figure="|".join(CONFIG["figures"]) or "none",


def modules(*names):
    """Files of library modules and of all they import: edit one, and what uses it runs again."""
    package = LIBRARY / "minority_topics"
    found, waiting = set(), [package / f"{name.replace('.', '/')}.py" for name in names]
    while waiting:
        path = waiting.pop()
        if path in found or not path.exists():
            continue
        found.add(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = path.parents[node.level - 1]
                if node.module:
                    waiting.append(base / f"{node.module.replace('.', '/')}.py")
                else:
                    waiting += [base / f"{alias.name}.py" for alias in node.names]
    return sorted(map(str, found))


def draws(dataset):
    """Numbers of the corpora of a dataset: a labelled file has one, generated data as many as asked."""
    count = min(DATASETS[dataset].get("draws", 1), CONFIG["repetitions"])
    return list(range(count))


def batches():
    """Repetitions first-last of each job."""
    count, size = CONFIG["repetitions"], CONFIG["batch_size"]
    return [f"{first}-{min(first + size, count) - 1}" for first in range(0, count, size)]


def batch_repetitions(wildcards):
    first, last = map(int, wildcards.batch.split("-"))
    return list(range(first, last + 1))


def corpora(wildcards):
    return expand(
        "results/{dataset}/corpus/{draw}",
        dataset=wildcards.dataset,
        draw=draws(wildcards.dataset),
    )


def corpus_files(wildcards):
    return expand("{corpus}/corpus.json", corpus=corpora(wildcards))


def all_fits():
    return expand(
        "results/{dataset}/fits/{method}/{setting}/{batch}",
        dataset=DATASETS,
        method=CONFIG["methods"],
        setting=SETTINGS,
        batch=batches(),
    )


def all_tables():
    return expand("results/{dataset}/tables/scores.csv", dataset=DATASETS)


def all_figures():
    return expand(
        "results/{dataset}/figures/{figure}.png", dataset=DATASETS, figure=CONFIG["figures"]
    )


def save_config(dataset):
    """The effective configuration, beside the results it leads to."""
    path = Path("results", dataset, "config.yaml")
    path.parent.mkdir(parents=True, exist_ok=True)
    effective = {**CONFIG, "datasets": {dataset: DATASETS[dataset]}}
    path.write_text(yaml.safe_dump(effective, sort_keys=False, allow_unicode=True))


def environment_record(name):
    return str(ENVIRONMENTS / f"{name}.json")


def environments(*names):
    """Records of environments a rule waits for; conda environments are Snakemake's own business."""
    return [] if USES_CONDA else [environment_record(name) for name in names]


def python_of(name):
    return "python" if USES_CONDA else str(ENVIRONMENTS / name / "bin" / "python")


def of_dataset(key):
    """A param function: the dataset's value of a key."""

    def value(wildcards):
        return DATASETS[wildcards.dataset][key]

    return value


def file_of_dataset(key):
    """An input function: the file a dataset names under a key."""

    def path(wildcards):
        return str(resolve(DATASETS[wildcards.dataset][key]))

    return path


def state_for(purpose):
    """A param function: random state of a step of one corpus."""

    def state(wildcards):
        axes = wildcards.dataset, purpose, wildcards.draw
        return derive_random_state(CONFIG["random_state"], *axes)

    return state
