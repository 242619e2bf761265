import json
import os
import re
import shlex
import sys
from functools import cache
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError
from snakemake.settings.types import DeploymentMethod

# Of this file, not of the workflow that runs: another may use ours as a module.
ROOT = Path(workflow.snakefile).parents[2]
LIBRARY = ROOT / "workflow"
sys.path.insert(0, str(LIBRARY))

from minority_topics.base.manifest import bring_to_present, forget_spoilt
from minority_topics.base.processes import STOP_WITH_PARENT, stop_with_parent
from minority_topics.base.strict_yaml import YamlError, read_yaml
from minority_topics.comments import keys
from minority_topics.report.catalogue import FIGURES, sweep_figure
from minority_topics.study.config import complete, read_config
from minority_topics.study.environments import forget_broken, forget_unbuilt
from minority_topics.study.paths import (
    ALL_VERDICTS,
    BACKGROUND,
    CONFIGURATION,
    CORPORA,
    CORPUS,
    COST,
    DATASET,
    DOCUMENTS,
    EXPLORER,
    FIGURE,
    FITS,
    LOGS,
    OWN_COMMENTS,
    OWN_FORMS,
    OWN_MATRIX,
    OWN_MODEL,
    OWN_TABLES,
    OWN_TOPICS,
    PROVENANCE,
    REPORT,
    RESOURCES,
    SEAL,
    SEAL_OF_VERDICTS,
    TABLE,
    VERSIONS,
    dataset_folder,
    environment_definition,
    environment_files,
    environment_python,
    environment_record,
    find_files,
    parse_batch,
    parse_setting,
    parse_variant,
    resolve,
)
from minority_topics.study.plan import (
    Plan,
    check_command,
    derive_random_state,
    split_datasets,
    sweeps_of,
    values_of,
)
from minority_topics.study.progress import follow
from minority_topics.study.sealing import MAKERS
from minority_topics.study.registry import find_method, first_model, read_methods
from minority_topics.study.runs import cannot_write, guard
from minority_topics.study.sources import modules


def dump_config(dataset):
    """The configuration with its defaults, and of its datasets only this one."""
    if dataset in OWN:
        return yaml.safe_dump(
            {"datasets": {dataset: OWN[dataset]}}, sort_keys=False, allow_unicode=True
        )
    sweeps = {
        name: {**sweep, "datasets": [dataset]} if "datasets" in sweep else sweep
        for name, sweep in sweeps_of(CONFIG, dataset).items()
    }
    datasets = {dataset: CONFIG["datasets"][dataset]}
    effective = {**CONFIG, "datasets": datasets, "sweeps": sweeps}
    return yaml.safe_dump(effective, sort_keys=False, allow_unicode=True)


try:
    # Snakemake has read them already, and passes over keys that appear twice.
    for path in workflow.config_settings.configfiles:
        if path.suffix != ".json":
            read_config(path)
    CONFIG = complete(config, FIGURES)
    STUDY, OWN = split_datasets(CONFIG)
    METHODS = read_methods(CONFIG["methods_file"])
    PLAN = Plan({**CONFIG, "datasets": STUDY}, METHODS)
    PLAN.check_commands()
    for dataset in CONFIG["datasets"]:
        check_command(
            f"datasets.{dataset}: the configuration with its defaults",
            len(shlex.quote(dump_config(dataset)).encode()),
            "give fewer or shorter values",
        )
except ValueError as error:
    raise WorkflowError(f"Configuration: {error}")

METHODS_FILE = str(resolve(CONFIG["methods_file"]))
DATASETS = PLAN.datasets
INJECTED = [name for name, dataset in DATASETS.items() if dataset["kind"] == "injected"]
LABELLED = [name for name in DATASETS if name not in INJECTED]
USES_CONDA = DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method
CATALOGUE = {
    **{name: FIGURES[name] for name in CONFIG["figures"]},
    **{name: sweep_figure(name, values_of(sweep)) for name, sweep in CONFIG["sweeps"].items()},
}

if workflow.is_main_process:
    stop = guard(workflow, logger)
    follow(logger, lambda: stop.number)
    if os.environ.pop(STOP_WITH_PARENT, ""):
        stop_with_parent(kills=False)

    onstart:
        stop.listen()


def any_of(names):
    """A regular expression for only these names."""
    return "|".join(map(re.escape, names)) or "none"


wildcard_constraints:
    dataset=any_of([*DATASETS, *OWN]),
    method=any_of({cell.method for cell in PLAN.cells}),
    setting=any_of({cell.setting for cell in PLAN.cells}),
    batch=any_of(PLAN.batches),
    table=any_of({table for _, table in PLAN.tables}),
    figure=any_of(CATALOGUE),


def draws(dataset):
    """Numbers of the corpora of a dataset."""
    return list(range(PLAN.draws(dataset)))


def batch_repetitions(wildcards):
    return parse_batch(wildcards.batch)


def corpora(wildcards):
    return expand(CORPUS, dataset=wildcards.dataset, draw=draws(wildcards.dataset))


def fits_of(cells):
    """Folders of the fits of cells, one for each batch."""
    return [FITS.format(**vars(cell), batch=batch) for cell in cells for batch in PLAN.batches]


def all_fits():
    return fits_of(PLAN.cells)


def table_fits(wildcards):
    return fits_of(PLAN.tables[wildcards.dataset, wildcards.table].cells)


def table_corpora(wildcards):
    cells = PLAN.tables[wildcards.dataset, wildcards.table].cells
    return sorted({CORPORA.format(dataset=cell.dataset) for cell in cells})


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
    """The cell whose topics are shown: the first model in the first setting."""
    model = first_model(METHODS, CONFIG["methods"])
    return next(cell for cell in PLAN.tables[dataset, "scores"].cells if cell.method == model)


def shown_fits(wildcards):
    return fits_of([shown_cell(wildcards.dataset)])[0]


def timed_fits(wildcards):
    return fits_of(PLAN.tables[wildcards.dataset, "scores"].cells)


def parts_of(dataset):
    """Cells of a dataset, each in the first table that has it; `scores` by its settings."""
    parts, seen = {}, set()
    for (owner, name), table in PLAN.tables.items():
        for cell in table.cells if owner == dataset else []:
            if cell not in seen:
                seen.add(cell)
                part = f"{name} {cell.setting}" if name == "scores" else name
                parts.setdefault(part, []).append(cell)
    return parts


def dataset_fits(wildcards):
    return [fit for cells in parts_of(wildcards.dataset).values() for fit in fits_of(cells)]


def cost_options(wildcards):
    """Parts with their cells, and the batches of each by themselves: a command line holds no more."""
    words = ["--batches", *PLAN.batches]
    for part, cells in parts_of(wildcards.dataset).items():
        words += ["--part", part, *(FITS.format(**vars(cell), batch="") for cell in cells)]
    return words


def used_fits(wildcards):
    """Fits of every method that the report names."""
    tables = (PLAN.tables.get((wildcards.dataset, name)) for name in ("variants", "scores"))
    return fits_of(next(table for table in tables if table).cells)


def compared_fits(wildcards):
    return fits_of(PLAN.compared_cells(wildcards.dataset))


def has_one_corpus(dataset):
    """Whether documents must be resampled to tell how far their luck goes."""
    return PLAN.draws(dataset) == 1


def has_table(dataset, name):
    derived = {
        "topics": True,
        "resources": True,
        "summary": True,
        "trajectory": bool(solver_cells(dataset)),
        "resamples": has_one_corpus(dataset),
        "parts": (dataset, "decomposition") in PLAN.tables,
    }
    return derived.get(name, (dataset, name) in PLAN.tables)


def log_file(rule, name):
    """Where a rule's output goes; `name` has the rule's wildcards."""
    return LOGS.format(rule=rule, name=name)


def table_pattern(name):
    """A table of any dataset."""
    return TABLE.replace("{table}", name)


def table_file(dataset, name):
    pattern = RESOURCES if name == "resources" else TABLE
    return pattern.format(dataset=dataset, table=name)


def figure_table(wildcards):
    return table_file(wildcards.dataset, CATALOGUE[wildcards.figure].table)


def figure_published(wildcards):
    shows = CATALOGUE[wildcards.figure].published
    return [str(ROOT / "config/published_scores.tsv")] if shows else []


def published_option(wildcards):
    return [f"--published={path}" for path in figure_published(wildcards)]


def tables_of(dataset):
    """Every table of a dataset but `resources`."""
    names = [name for owner, name in PLAN.tables if owner == dataset]
    names += ["topics", "summary", "comparisons", "paper_vs_ours", "claims"]
    names += ["true_topics", "examples"]
    derived = ("trajectory", "parts", "resamples")
    names += [name for name in derived if has_table(dataset, name)]
    return [table_file(dataset, name) for name in names]


def figure_file(dataset, name):
    folder = "resources" if name == "resources" else "figures"
    return f"{FIGURE}.png".format(dataset=dataset, folder=folder, figure=name)


def figures_of(dataset):
    return [
        figure_file(dataset, name)
        for name, figure in CATALOGUE.items()
        if has_table(dataset, figure.table) and has_table(dataset, figure.needs or figure.table)
    ]


def resources_of(dataset):
    """Tables of time, memory and versions, which differ from run to run."""
    names = [COST, VERSIONS] + ([RESOURCES] if "resources" in CATALOGUE else [])
    return [path.format(dataset=dataset) for path in names]


def listed_files(wildcards):
    """Every file of a dataset that lies beside those of other rules."""
    dataset = wildcards.dataset
    page = EXPLORER if dataset in OWN else REPORT
    files = [path.format(dataset=dataset) for path in (CONFIGURATION, PROVENANCE, page)]
    return files + made_files(wildcards)


def made_files(wildcards):
    """Tables, figures and resources of a dataset of the study."""
    if wildcards.dataset in OWN:
        return []
    drawn = [Path(path) for path in figures_of(wildcards.dataset)]
    endings = (".png", ".pdf", ".svg", ".csv", ".txt")
    figures = [str(path.with_suffix(ending)) for path in drawn for ending in endings]
    return tables_of(wildcards.dataset) + figures + resources_of(wildcards.dataset)


def listed_folders(wildcards):
    """Every folder of a dataset that a rule makes as a whole, but for those that do not last."""
    dataset = wildcards.dataset
    if dataset in OWN:
        texts = [OWN_FORMS] if OWN[dataset]["keep_texts"] else []
        patterns = (OWN_COMMENTS, *texts, OWN_MATRIX, OWN_MODEL, OWN_TABLES)
        return [pattern.format(dataset=dataset) for pattern in patterns]
    versions = [name for name in DATASETS if parse_variant(name)[0] == dataset]
    found = [PLAN.folder(BACKGROUND, name) for name in versions if name in INJECTED]
    found += [PLAN.folder(DOCUMENTS, name) for name in versions]
    found += [CORPORA.format(dataset=name) for name in versions]
    return list(dict.fromkeys(found)) + dataset_fits(wildcards)


def all_results():
    found = [ALL_VERDICTS, SEAL_OF_VERDICTS] if STUDY else []
    found += [EXPLORER.format(dataset=dataset) for dataset in OWN]
    for dataset in STUDY:
        found += [*tables_of(dataset), *figures_of(dataset)]
        found += [path.format(dataset=dataset) for path in (COST, REPORT)]
    return found + [SEAL.format(dataset=dataset) for dataset in CONFIG["datasets"]]


def evidence(name):
    """An input function: a table that others rest on, where the configuration has it."""

    def path(wildcards):
        dataset = wildcards.dataset
        return [table_file(dataset, name)] if has_table(dataset, name) else []

    return path


def report_tables(wildcards):
    return tables_of(wildcards.dataset)


def report_figures(wildcards):
    return figures_of(wildcards.dataset)


def dataset_locks(wildcards):
    """Locks of the environments that made the fits of a dataset, and of our own."""
    used = {
        cell.method for cell in PLAN.cells if parse_variant(cell.dataset)[0] == wildcards.dataset
    }
    names = {find_method(METHODS, method).environment for method in used}
    names.add(environment_of(wildcards))
    files = (environment_files(environment_definition(name)) for name in sorted(names))
    return [str(path) for paths in files for path in paths if path.suffix == ".lock"]


def effective_config(wildcards):
    return dump_config(wildcards.dataset)


def environments(*names):
    """Records of environments a rule waits for; conda environments are Snakemake's own business."""
    return [] if USES_CONDA else [str(environment_record(name)) for name in names]


def library_with(python):
    """Words of a command that runs Python with the library at hand, and ends with Snakemake.

    `exec` makes it a child of Snakemake, not of a shell in between.
    """
    return ["exec", "env", f"PYTHONPATH={LIBRARY}", f"{STOP_WITH_PARENT}=1", python]


def python_of(name):
    """As `library_with`, for the Python of an environment; with conda it is the job's."""
    return library_with("python" if USES_CONDA else str(environment_python(name)))


def environment_of(wildcards):
    """Which of our own environments makes the results of a dataset."""
    return "comments" if wildcards.dataset in OWN else "study"


def our_environment(wildcards):
    return environments(environment_of(wildcards))


def our_python(wildcards):
    return python_of(environment_of(wildcards))


def our_conda(wildcards):
    return str(environment_definition(environment_of(wildcards)))


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
        # Variants of a dataset differ only in what was varied.
        axes = parse_variant(wildcards.dataset)[0], purpose
        return [
            derive_random_state(CONFIG["random_state"], *axes, draw)
            for draw in draws(wildcards.dataset)
        ]

    return states


@cache
def look_after():
    """Forget environments and results that are not whole, so that this run makes them again."""
    # Input functions are called before Snakemake looks which files are there, and it knows by then
    # whether it will run jobs: --dry-run, --touch, --unlock and the like must change nothing.
    executes = workflow.executor_plugin and not (workflow.dryrun or workflow.touch)
    if not (workflow.is_main_process and executes):
        return
    try:
        records = environment_record("study").parent
        sentences = list(forget_broken(records))
        # Another run is at work here, or was killed: Snakemake refuses to go on.
        if not any(Path(".snakemake/locks").glob("*")):
            for name in STUDY:
                sentences += forget_unbuilt(dataset_folder(name))
            folders = [*map(dataset_folder, CONFIG["datasets"]), Path(SEAL_OF_VERDICTS).parent]
            for folder in folders:
                sentences += forget_spoilt(folder)
            made = [*Path(DATASET).parent.rglob("*"), *records.glob("*.json")]
            sentences += bring_to_present(made)
    except OSError as error:
        raise cannot_write(error.filename, error)
    for sentence in sentences:
        logger.warning(sentence)


def whole_results(wildcards):
    """Files that are there already count only if they are whole."""
    look_after()
    return []


def environment_extras(wildcards):
    """Lock and script of an environment, beside its definition."""
    look_after()
    return [str(path) for path in environment_files(environment_definition(wildcards.env))[1:]]


def required_flag(wildcards):
    # Without our own environments nothing can run; a tool's failure is a row of the tables.
    return ["--required"] if wildcards.env in ("study", "comments") else []


def background_of(wildcards):
    return PLAN.folder(BACKGROUND, wildcards.dataset)


def documents_of(wildcards):
    return PLAN.folder(DOCUMENTS, wildcards.dataset)


def background_file(wildcards):
    source = DATASETS[wildcards.dataset]["background"]
    return [] if source == "simulated" else [str(resolve(source))]


def background_source(wildcards):
    return (background_file(wildcards) or ["simulated"])[0]


# Options are lists of words, which `:q` quotes one by one: no value can end up as code of a shell.
def label_options(wildcards):
    dataset = DATASETS[wildcards.dataset]
    column = dataset["label_column"]
    background = f"--background-label={dataset['background_label']}"
    return [background] if column is None else [f"--label-column={column}", background]


def topics_option(wildcards):
    return [f"--topics={path}" for path in topics_file(wildcards)]


def glosses_files(wildcards):
    """Files of glosses, the injected topics before others."""
    others = DATASETS[wildcards.dataset]["glosses"]
    return topics_file(wildcards) + [str(resolve(path)) for path in others]


def topics_file(wildcards):
    dataset = DATASETS[wildcards.dataset]
    return [str(resolve(dataset["topics"]))] if "topics" in dataset else []


def method_library(wildcards):
    row = find_method(METHODS, wildcards.method)
    return modules("study.fitting", "methods.worker", f"methods.{row.module}")


def method_environments(wildcards):
    """The method's own; the study's, which runs the fits and makes none, must only be there."""
    own = find_method(METHODS, wildcards.method).environment
    return [*map(ancient, environments("study")), *environments(own)]


def method_conda(wildcards):
    return str(environment_definition(find_method(METHODS, wildcards.method).environment))


def method_options(wildcards):
    """Options of the configuration; those of a variant stand in its name, and go over them."""
    base, changes = parse_variant(wildcards.method)
    return json.dumps({**CONFIG["options"].get(base, {}), **changes}, sort_keys=True)


def method_row(wildcards):
    return repr(find_method(METHODS, wildcards.method).of_fits)


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
        return []
    name = find_method(METHODS, wildcards.method).environment
    return [f"--python={environment_python(name)}", f"--environment={environment_record(name)}"]


def n_topics(wildcards):
    return parse_setting(wildcards.setting)[0]


def n_minority(wildcards):
    return parse_setting(wildcards.setting)[1]


def seed_options(wildcards):
    dataset = DATASETS[wildcards.dataset]
    kept, wrong = dataset["seed_share"], dataset["wrong_seed_share"]
    if (kept, wrong) == (1, 0):
        return []
    states = states_for("seed words")(wildcards)
    return [f"--seed-share={kept}", f"--wrong-seed-share={wrong}", "--random-state", *states]


def figure_library(wildcards):
    name = "sweep" if wildcards.figure in CONFIG["sweeps"] else wildcards.figure
    return modules("report.figures.drawing", f"report.figures.{name}")


def own_files(wildcards):
    files = [path for pattern in OWN[wildcards.dataset]["files"] for path in find_files(pattern)]
    return list(map(str, files))


def own_file(key):
    """An input function: the file that own comments name under a key, if they do."""

    def path(wildcards):
        name = OWN[wildcards.dataset][key]
        return [] if name is None else [str(resolve(name))]

    return path


def own_settings(step):
    """A param function: the settings of a step of own comments, as JSON."""

    def settings(wildcards):
        return json.dumps(keys.settings_of(step, OWN[wildcards.dataset]), sort_keys=True)

    return settings


def own_by_texts(keep):
    """Names of own comments whose texts are kept, or are not."""
    return [name for name, settings in OWN.items() if settings["keep_texts"] == keep]


def own_threads(wildcards):
    return OWN[wildcards.dataset]["threads"]


def own_memory(wildcards, attempt):
    """Megabytes to ask of a cluster; five million comments take less than the default."""
    return attempt * (OWN[wildcards.dataset]["memory_mb"] or 8000)


def own_runtime(wildcards, attempt):
    return attempt * (int(OWN[wildcards.dataset]["minutes"] or 115) + 5)


def dataset_sources(wildcards):
    """Files of the user that a dataset is made from."""
    if wildcards.dataset in OWN:
        names = ("seed_words", "stop_words", "word_vectors")
        return own_files(wildcards) + [path for name in names for path in own_file(name)(wildcards)]
    dataset = DATASETS[wildcards.dataset]
    found = [str(resolve(dataset[key])) for key in ("file", "seed_words") if key in dataset]
    if wildcards.dataset in INJECTED:
        found += background_file(wildcards)
    return list(dict.fromkeys(found + glosses_files(wildcards)))


def own_folders(wildcards):
    """The tables of own comments, which are one folder."""
    return [OWN_TABLES.format(dataset=wildcards.dataset)] if wildcards.dataset in OWN else []


def topic_edits(wildcards):
    """Names, merges and drops of topics.yaml; the answers say what is wrong with a file."""
    path = Path(OWN_TOPICS.format(dataset=wildcards.dataset))
    try:
        topics = read_yaml(path)["topics"]
        edits = {
            n: {k: v for k, v in entry.items() if k != "words" and v} for n, entry in topics.items()
        }
        return json.dumps(
            {n: edit for n, edit in edits.items() if edit}, sort_keys=True, default=str
        )
    except FileNotFoundError:
        return "{}"
    except (YamlError, OSError, TypeError, KeyError, AttributeError):
        return f"unreadable, of {path.stat().st_mtime_ns}"
