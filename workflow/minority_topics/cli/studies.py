"""Verbs of the study itself: its configuration, its environments, and its fits."""

import sys
from pathlib import Path

from .verbs import argument, count, json_object, verb, whole_number

METHODS_FILE = argument("--methods-file", default="config/methods.tsv")


@verb(
    "Check a config file and print it with its defaults.",
    argument("config", type=Path),
)
def check(options):
    import yaml

    from ..report.catalogue import FIGURES
    from ..study.config import complete, read_config
    from ..study.plan import Plan
    from ..study.registry import read_methods

    config = complete(read_config(options.config), FIGURES)
    Plan(config, read_methods(config["methods_file"])).check_commands()
    print(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), end="")


@verb("Print the table of methods.", METHODS_FILE)
def methods(options):
    from ..study.registry import list_methods

    rows = list_methods(options.methods_file)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


@verb(
    "Build a tool's environment with uv.",
    argument("definition", type=Path, help="conda environment file, envs/NAME.yaml"),
    argument(
        "--record",
        type=Path,
        required=True,
        help="NAME.json, which says how it went; the environment is the folder NAME beside it",
    ),
    argument("--required", action="store_true", help="a failure is an error, not a record"),
)
def build_env(options):
    from ..study.environments import BuildError, build

    outcome = build(options.definition, options.record)
    reason = f": {outcome['reason']}" if outcome["reason"] else ""
    said = f"environment {outcome['environment']}: {outcome['status']}{reason}"
    if options.required and outcome["status"] != "ok":
        raise BuildError(said)
    print(said)


@verb(
    "Renew the locks of environments: every package, version and hash.",
    argument("definitions", type=Path, nargs="+", help="conda environment files, envs/NAME.yaml"),
)
def lock_env(options):
    from ..study.environments import lock

    for definition in options.definitions:
        print(f"locking {definition.stem}", flush=True)
        lock(definition)


@verb(
    "Write the bill of materials: every package that is installed, with version and hashes.",
    argument("--out", type=Path, required=True, help="JSON, in the form of CycloneDX"),
    extra="dev",
)
def sbom(options):
    from ..study.materials import write_materials

    print(f"{options.out}: {write_materials(options.out)} packages")


@verb(
    "Fit a method, once per repetition.",
    argument("method"),
    argument(
        "--corpus", type=Path, nargs="+", required=True, help="repetition r takes the (r mod n)th"
    ),
    argument("--n-topics", type=count, default=20),
    argument("--n-minority", type=whole_number(0), default=7),
    argument("--repetitions", type=whole_number(0), nargs="+", default=[0]),
    argument("--random-state", type=whole_number(0), default=1, help="master random state"),
    argument("--dataset", default="", help="name in tables; the random states derive from it too"),
    argument(
        "--options", type=json_object, default={}, help="JSON, over those of the methods table"
    ),
    METHODS_FILE,
    argument("--python", type=Path, default=Path(sys.executable), help="of the tool's environment"),
    argument("--environment", type=Path, help="record of that environment, as build_env wrote it"),
    argument("--out", type=Path, required=True, help="folder; a subfolder per repetition"),
)
def fit(options):
    from ..study.fitting import fit_repetitions
    from ..study.registry import find_method, read_methods

    fit_repetitions(
        find_method(read_methods(options.methods_file), options.method),
        options.corpus,
        options.out,
        n_topics=options.n_topics,
        n_minority=options.n_minority,
        repetitions=options.repetitions,
        random_state=options.random_state,
        dataset=options.dataset,
        options=options.options,
        python=options.python,
        record=options.environment,
    )


@verb(
    "Write the effective configuration of a dataset.",
    argument("text", help="as `check` prints it"),
    argument("--out", type=Path, required=True),
)
def configuration(options):
    from ..base.files import write_text

    write_text(options.out, options.text)


@verb(
    "List results that are complete in the manifests of their folders.",
    argument("files", type=Path, nargs="+", help="files of a dataset, in the folders to list"),
    argument("--config", type=Path, help="its effective configuration; without it, files alone"),
    METHODS_FILE,
)
def manifest(options):
    from ..base.strict_yaml import read_yaml
    from ..study.paths import resolve
    from ..study.registry import read_methods
    from ..study.sealing import dataset_parts, seal, sources_of

    if not options.config:
        seal(options.files)
        return
    config, methods_file = read_yaml(options.config), resolve(options.methods_file)
    parts = dataset_parts(config, read_methods(methods_file))
    seal(options.files, config, [methods_file, *sources_of(parts)], parts)


@verb(
    "Name damaged, missing, stale and foreign files of results.",
    argument("folder", type=Path, nargs="?", default=Path("results"), help="(default: results)"),
    argument(
        "--repair",
        action="store_true",
        help="remove what is damaged, incomplete or stale, so that the next run makes it again",
    ),
)
def verify(options):
    from ..base.manifest import repair
    from ..base.text import counted
    from ..study.verifying import find_problems

    found = []
    for problem in find_problems(options.folder):
        print(f"{problem.folder / problem.name} {problem.text}", flush=True)
        found.append(problem)
    told = ""
    if found and options.repair:
        removed = repair(found, options.folder)
        kept = sum(problem.kind == "foreign" for problem in found)
        told = f", {counted(len(removed), 'output')} removed"
        told += f", {kept} foreign kept" if kept else ""
    print(f"{counted(len(found), 'problem')} found{told}")
    if found and not options.repair:
        sys.exit(1)
