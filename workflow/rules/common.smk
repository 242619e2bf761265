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
from minority_topics.registry import ConfigError, derive_random_state, read_methods, resolve

try:
    CONFIG = complete(config)
except ConfigError as error:
    raise WorkflowError(f"Configuration: {error}")

METHODS = read_methods(CONFIG["methods_file"])
DATASETS = CONFIG["datasets"]
SETTINGS = [f"{setting['n_topics']}-{setting['n_minority']}" for setting in CONFIG["settings"]]
INJECTED = [name for name, dataset in DATASETS.items() if dataset["kind"] == "injected"]
LABELLED = [name for name in DATASETS if name not in INJECTED]
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


def post_deploy(wildcards):
    script = ROOT / "envs" / f"{wildcards.env}.post-deploy.sh"
    return [str(script)] if script.exists() else []


def required_flag(wildcards):
    # Without the study's own environment nothing can run; a tool's failure is a row of the tables.
    return "--required" if wildcards.env == "study" else ""


def forget_failed_environments():
    """A build that failed is tried again by the next run."""
    for record in ENVIRONMENTS.glob("*.json"):
        if json.loads(record.read_text(encoding="utf-8"))["status"] != "ok":
            record.unlink()


def background_file(wildcards):
    source = DATASETS[wildcards.dataset]["background"]
    return [] if source == "simulated" else [str(resolve(source))]


def background_source(wildcards):
    return (background_file(wildcards) or ["simulated"])[0]


def label_options(wildcards):
    dataset = DATASETS[wildcards.dataset]
    background = f"--background-label={shlex.quote(dataset['background_label'])}"
    if dataset["label_column"] is None:
        return background
    return f"--label-column={shlex.quote(dataset['label_column'])} {background}"


def topics_option(wildcards):
    dataset = DATASETS[wildcards.dataset]
    return f"--topics {shlex.quote(str(resolve(dataset['topics'])))}" if "topics" in dataset else ""


def topics_file(wildcards):
    dataset = DATASETS[wildcards.dataset]
    return [str(resolve(dataset["topics"]))] if "topics" in dataset else []


def method_library(wildcards):
    return modules("fitting", "worker", f"methods.{METHODS[wildcards.method].module}")


def method_environments(wildcards):
    return environments("study", METHODS[wildcards.method].environment)


def method_conda(wildcards):
    return str(ROOT / "envs" / f"{METHODS[wildcards.method].environment}.yaml")


def method_options(wildcards):
    return json.dumps(CONFIG["options"].get(wildcards.method, {}), sort_keys=True)


def method_row(wildcards):
    return repr(METHODS[wildcards.method])


def method_threads(wildcards):
    return METHODS[wildcards.method].threads


def method_memory(wildcards):
    return int(METHODS[wildcards.method].memory_mb)


def method_runtime(wildcards):
    """Minutes that a whole batch may take."""
    return int(METHODS[wildcards.method].minutes * len(batch_repetitions(wildcards))) + 5


def tool_options(wildcards):
    """Where the method's own python is; with conda it is the job's."""
    if USES_CONDA:
        return ""
    name = METHODS[wildcards.method].environment
    return f"--python {shlex.quote(python_of(name))} --environment {shlex.quote(environment_record(name))}"


def n_topics(wildcards):
    return wildcards.setting.split("-")[0]


def n_minority(wildcards):
    return wildcards.setting.split("-")[1]


def all_scores(wildcards):
    return expand(
        "results/{dataset}/scores/{method}/{setting}/{batch}.csv",
        dataset=wildcards.dataset,
        setting=SETTINGS,
        method=CONFIG["methods"],
        batch=batches(),
    )


def figure_library(wildcards):
    return modules("figures.__init__", f"figures.{wildcards.figure}")
