import ast
import json
import re
import shlex
import sys
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError
from snakemake.settings.types import DeploymentMethod

ROOT = Path(workflow.basedir)
LIBRARY = ROOT / "workflow"
sys.path.insert(0, str(LIBRARY))

from minority_topics.catalogue import FIGURES, sweep_figure
from minority_topics.config import complete
from minority_topics.plan import Plan
from minority_topics.progress import TimeLeft
from minority_topics.registry import (
    ConfigError,
    derive_random_state,
    environment_files,
    find_method,
    parse_variant,
    read_methods,
    resolve,
)

try:
    CONFIG = complete(config)
except ConfigError as error:
    raise WorkflowError(f"Configuration: {error}")

METHODS = read_methods(CONFIG["methods_file"])
PLAN = Plan(CONFIG, METHODS)
DATASETS = PLAN.datasets
INJECTED = [name for name, dataset in DATASETS.items() if dataset["kind"] == "injected"]
LABELLED = [name for name in DATASETS if name not in INJECTED]
USES_CONDA = DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method
ENVIRONMENTS = ROOT / ".venvs"
CATALOGUE = {
    **{name: FIGURES[name] for name in CONFIG["figures"]},
    **{name: sweep_figure(name, sweep["key"]) for name, sweep in CONFIG["sweeps"].items()},
}

if workflow.is_main_process:
    logger.addHandler(TimeLeft())

shell.prefix(f"export PYTHONPATH={shlex.quote(str(LIBRARY))}; ")


def any_of(names):
    """A regular expression for some names alone."""
    return "|".join(map(re.escape, names)) or "none"


wildcard_constraints:
    dataset=any_of(DATASETS),
    method=any_of({cell.method for cell in PLAN.cells}),
    setting=r"\d+-\d+",
    batch=r"\d+-\d+",
    table=any_of({table for _, table in PLAN.tables}),
    figure=any_of(CATALOGUE),


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


def fits_of(cells):
    """Folders of the fits of cells, one for each batch."""
    return [
        f"results/{cell.dataset}/fits/{cell.method}/{cell.setting}/{batch}"
        for cell in cells
        for batch in batches()
    ]


def all_fits():
    return fits_of(PLAN.cells)


def table_fits(wildcards):
    return fits_of(PLAN.tables[wildcards.dataset, wildcards.table].cells)


def table_corpora(wildcards):
    cells = PLAN.tables[wildcards.dataset, wildcards.table].cells
    return sorted({f"results/{cell.dataset}/corpus" for cell in cells})


def varied(wildcards):
    """The settings that differ within a table, with their original values."""
    return json.dumps(PLAN.tables[wildcards.dataset, wildcards.table].varied)


def solver_cells(dataset):
    """Cells of constrained NMF on one corpus, by whose fits the objective is followed."""
    table = PLAN.tables.get((dataset, "random_states"))
    cells = table.cells if table else []
    return [cell for cell in cells if METHODS[cell.method].ours]


def solver_fits(wildcards):
    return fits_of(solver_cells(wildcards.dataset))


def shown_cell(dataset):
    """The cell whose topics are shown: the first method in the first setting."""
    return PLAN.tables[dataset, "scores"].cells[0]


def shown_fits(wildcards):
    return fits_of([shown_cell(wildcards.dataset)])[0]


def timed_fits(wildcards):
    return fits_of(PLAN.tables[wildcards.dataset, "scores"].cells)


def has_table(dataset, name):
    derived = {"topics": True, "resources": True, "trajectory": bool(solver_cells(dataset))}
    return derived.get(name, (dataset, name) in PLAN.tables)


def table_file(dataset, name):
    if name == "resources":  # differs from run to run, as no table must
        return f"results/{dataset}/resources/fits.csv"
    return f"results/{dataset}/tables/{name}.csv"


def figure_table(wildcards):
    return table_file(wildcards.dataset, CATALOGUE[wildcards.figure].table)


def tables_of(dataset):
    """Every table of a dataset but `resources`."""
    names = [name for owner, name in PLAN.tables if owner == dataset]
    names += ["topics", "summary", "comparisons", "paper_vs_ours", "claims"]
    names += ["trajectory"] if solver_cells(dataset) else []
    return [table_file(dataset, name) for name in names]


def figures_of(dataset):
    return [
        f"results/{dataset}/{'resources' if name == 'resources' else 'figures'}/{name}.png"
        for name, figure in CATALOGUE.items()
        if has_table(dataset, figure.table)
    ]


def all_results():
    found = ["results/tables/paper_vs_ours.csv"]
    for dataset in CONFIG["datasets"]:
        found += [*tables_of(dataset), *figures_of(dataset), f"results/{dataset}/report.html"]
    return found


def evidence(name):
    """An input function: a table that verdicts rest on, where the configuration has it."""

    def path(wildcards):
        dataset = wildcards.dataset
        return [table_file(dataset, name)] if has_table(dataset, name) else []

    return path


def report_tables(wildcards):
    return tables_of(wildcards.dataset)


def report_figures(wildcards):
    return figures_of(wildcards.dataset)


def effective_config(dataset):
    effective = {**CONFIG, "datasets": {dataset: CONFIG["datasets"][dataset]}}
    return yaml.safe_dump(effective, sort_keys=False, allow_unicode=True)


def save_config(dataset):
    """The effective configuration, beside the results it leads to."""
    path = Path("results", dataset, "config.yaml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(effective_config(dataset), encoding="utf-8")


def report_config(wildcards):
    return effective_config(wildcards.dataset)


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


def states_for(purpose):
    """A param function: random states of a step, one for each corpus of a dataset."""

    def states(wildcards):
        # Variants of a dataset differ in what was varied alone.
        axes = parse_variant(wildcards.dataset)[0], purpose
        return [
            derive_random_state(CONFIG["random_state"], *axes, draw)
            for draw in draws(wildcards.dataset)
        ]

    return states


def environment_extras(wildcards):
    """Lock and script of an environment, beside its definition."""
    return [str(path) for path in environment_files(ROOT / "envs" / f"{wildcards.env}.yaml")[1:]]


def required_flag(wildcards):
    # Without the study's own environment nothing can run; a tool's failure is a row of the tables.
    return "--required" if wildcards.env == "study" else ""


def forget_failed_environments():
    """An environment that could not be built, or was deleted, is built by the next run."""
    for record in ENVIRONMENTS.glob("*.json"):
        outcome = json.loads(record.read_text(encoding="utf-8"))
        if outcome["status"] != "ok" or not Path(python_of(record.stem)).exists():
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
    return " ".join(f"--topics {shlex.quote(path)}" for path in topics_file(wildcards))


def glosses_file(wildcards):
    dataset = DATASETS[wildcards.dataset]
    path = dataset.get("glosses") or dataset.get("topics")
    return [str(resolve(path))] if path else []


def glosses_option(wildcards):
    return " ".join(f"--glosses {shlex.quote(path)}" for path in glosses_file(wildcards))


def topics_file(wildcards):
    dataset = DATASETS[wildcards.dataset]
    return [str(resolve(dataset["topics"]))] if "topics" in dataset else []


def method_library(wildcards):
    return modules("fitting", "worker", f"methods.{find_method(METHODS, wildcards.method).module}")


def method_environments(wildcards):
    """The method's own; the study's, which runs the fits and makes none, must only be there."""
    own = find_method(METHODS, wildcards.method).environment
    return [*map(ancient, environments("study")), *environments(own)]


def method_conda(wildcards):
    return str(ROOT / "envs" / f"{find_method(METHODS, wildcards.method).environment}.yaml")


def method_options(wildcards):
    """Options of the configuration; those of a variant stand in its name, and go over them."""
    base, changes = parse_variant(wildcards.method)
    return json.dumps({**CONFIG["options"].get(base, {}), **changes}, sort_keys=True)


def method_row(wildcards):
    return repr(find_method(METHODS, wildcards.method))


def method_threads(wildcards):
    return find_method(METHODS, wildcards.method).threads


def method_memory(wildcards, attempt):
    """Megabytes to ask of a cluster: the limit of a fit, room for what runs it, more for each attempt."""
    return attempt * (int(find_method(METHODS, wildcards.method).memory_mb) + 1000)


def method_runtime(wildcards, attempt):
    """Minutes that a whole batch may take, more for each attempt."""
    minutes = find_method(METHODS, wildcards.method).minutes * len(batch_repetitions(wildcards))
    return attempt * (int(minutes) + 5)


def tool_options(wildcards):
    """Where the method's own python is; with conda it is the job's."""
    if USES_CONDA:
        return ""
    name = find_method(METHODS, wildcards.method).environment
    return f"--python {shlex.quote(python_of(name))} --environment {shlex.quote(environment_record(name))}"


def n_topics(wildcards):
    return wildcards.setting.split("-")[0]


def n_minority(wildcards):
    return wildcards.setting.split("-")[1]


def seed_options(wildcards):
    dataset = DATASETS[wildcards.dataset]
    shares = dataset["seed_share"], dataset["wrong_seed_share"]
    if shares == (1, 0):
        return ""
    states = " ".join(map(str, states_for("seed words")(wildcards)))
    return f"--seed-share {shares[0]} --wrong-seed-share {shares[1]} --random-state {states}"


def figure_library(wildcards):
    name = "sweep" if wildcards.figure in CONFIG["sweeps"] else wildcards.figure
    return modules("figures.__init__", f"figures.{name}")
