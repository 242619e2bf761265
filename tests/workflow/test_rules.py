"""The rules: nothing from outside becomes code of a shell, and others can use the workflow."""

import ast
import csv
import json
import re

import pytest
import yaml
from helpers import snakemake, tiny

from minority_topics.base.processes import STOP_WITH_PARENT
from minority_topics.study.paths import PACKAGE, ROOT
from minority_topics.study.sources import modules

RULES = sorted((ROOT / "workflow" / "rules").glob("*.smk"))
EVIL = "$(touch pwned) `touch pwned` '; touch pwned; \" | touch pwned # ä"


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
def test_every_word_of_a_command_is_quoted(path):
    text = path.read_text(encoding="utf-8")
    blocks = re.findall(r"shell:\n((?: +\".*\n)+)", text)
    assert len(blocks) == len(re.findall(r"^ +shell:", text, re.MULTILINE))
    for block in blocks:
        fields = re.findall(r"\{([^}]*)\}", block)
        assert fields
        assert [field for field in fields if not field.endswith(":q")] == []


def imports_of_verbs():
    """Files of the library that each verb imports by itself."""
    found = {}
    for path in (PACKAGE / "cli").glob("*.py"):
        for verb in ast.parse(path.read_text(encoding="utf-8")).body:
            nodes = ast.walk(verb) if isinstance(verb, ast.FunctionDef) else ()
            for node in nodes:
                if isinstance(node, ast.ImportFrom) and node.level:
                    base = path.parents[node.level - 1].joinpath(*node.module.split("."))
                    file = base.with_suffix(".py")
                    file = file if file.exists() else base / "__init__.py"
                    found.setdefault(verb.name, set()).add(str(file))
    return found


def rules_with_library():
    """Rule, verb and the names that its `library` is made of; methods and figures add their own."""
    common = (ROOT / "workflow" / "rules" / "common.smk").read_text(encoding="utf-8")
    for path in RULES:
        for block in path.read_text(encoding="utf-8").split("\nrule ")[1:]:
            library = re.search(r"library=(modules\(.*\)|\w+)", block)
            if library:
                call = library[1]
                if not call.startswith("modules"):
                    call = re.search(rf"def {call}\(.*?(modules\(.*?\))\n", common, re.DOTALL)[1]
                verb = re.search(r"-m minority_topics (?:--log \S+ )?(\w+)", block)[1]
                yield block.partition(":")[0], verb, re.findall(r'(?<!f)"([^"]+)"', call)


def test_a_rule_depends_on_all_that_its_verb_imports():
    imported = imports_of_verbs()
    # What fits need of a method's row is a param: how the table is read changes nothing else.
    passed_over = {"fit": set(modules("study.registry"))}
    missing = {
        rule: imported[verb] - set(modules(*names)) - passed_over.get(rule, set())
        for rule, verb, names in rules_with_library()
    }
    assert len(missing) >= 14
    assert {rule: files for rule, files in missing.items() if files} == {}


@pytest.fixture
def evil(tmp_path):
    """A dataset whose every name would run something if it reached a shell as it is."""
    folder = tmp_path / EVIL
    folder.mkdir()
    text, label = f"text {EVIL}", f"label {EVIL}"
    with open(folder / "data.csv", "w", newline="", encoding="utf-8") as file:
        rows = [["pelko yö", "evil"], ["video peli", EVIL], ["hyvä video", EVIL]] * 5
        csv.writer(file).writerows([[text, label], *rows])
    (folder / "seeds.txt").write_text("pelko\n", encoding="utf-8")
    return {
        "kind": "labelled", "file": str(folder / "data.csv"), "text_column": text,
        "label_column": label, "background_label": EVIL, "seed_words": str(folder / "seeds.txt"),
    }  # fmt: skip


def test_names_of_files_columns_and_labels_are_names_alone(evil, tmp_path):
    path = tiny(tmp_path, datasets={"mine": evil}, repetitions=1)
    snakemake("results/mine/corpus", "--configfile", path, folder=tmp_path)
    facts = (tmp_path / "results" / "mine" / "corpus" / "0" / "corpus.json").read_text()
    facts = yaml.safe_load(facts)
    assert (facts["documents"], facts["injected_documents"]) == (15, 5)
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("stop_words", "none; touch pwned; echo"),
        ("text_column", ""),
        ("background_label", "a\ntouch pwned"),
    ],
)
def test_a_value_that_is_none_is_refused_and_runs_nothing(evil, tmp_path, key, value):
    path = tiny(tmp_path, datasets={"mine": {**evil, key: value}}, repetitions=1)
    output = snakemake("results/mine/corpus", "--configfile", path, folder=tmp_path, expect=1)
    assert "read_labelled failed: " in output or f"datasets.mine.{key}=" in output
    assert not list(tmp_path.rglob("pwned"))


TEXT = f"../../{EVIL}"


def test_an_option_of_any_text_reaches_the_method_as_it_is(tmp_path):
    path = tiny(tmp_path, methods=["nmf"], options={"nmf": {"init": TEXT}}, repetitions=1)
    target = "results/simulated/tables/scores.csv"
    snakemake(target, "--configfile", path, folder=tmp_path)
    (status,) = tmp_path.glob("results/simulated/fits/nmf/4-2/0-0/0/status.json")
    assert json.loads(status.read_text(encoding="utf-8"))["options"]["init"] == TEXT
    assert not list(tmp_path.rglob("pwned"))


def test_a_varied_option_of_any_text_is_refused(tmp_path):
    grid = {"init": ["random", TEXT]}
    path = tiny(tmp_path, methods=["nmf"], ablations={"a": {"method": "nmf", "options": grid}})
    output = snakemake("--configfile", path, folder=tmp_path, expect=1)
    assert re.search(
        r"ablations\.a\.options\.init\[1\]=.* must be a number, true, false, or", output
    )
    assert "Traceback" not in output
    assert not list(tmp_path.rglob("pwned"))


def test_a_job_that_fails_says_why_at_the_terminal(evil, tmp_path):
    (tmp_path / "data.csv").write_text("comment\nhello\n")
    dataset = {**evil, "file": str(tmp_path / "data.csv"), "text_column": "text"}
    path = tiny(tmp_path, datasets={"mine": dataset}, repetitions=1)
    output = snakemake("results/mine/corpus", "--configfile", path, folder=tmp_path, expect=1)
    (line,) = re.findall("^read_labelled failed: .*$", output, re.MULTILINE)
    assert "'text'" in line
    assert line.endswith("(log: results/logs/read_labelled/mine.log)")


OUTER = """
configfile: {config!r}

module ours:
    snakefile: {snakefile!r}
    config: config

use rule * from ours as ours_*

rule mine:
    default_target: True
    input: rules.ours_all.input
    output: "mine.txt"
    shell: "echo $PYTHONPATH > {{output}}"
"""


def test_another_workflow_can_use_ours_as_a_module(tmp_path):
    path = tiny(tmp_path, methods=["nmf"], repetitions=1)
    code = OUTER.format(config=str(path), snakefile=str(ROOT / "Snakefile"))
    outer = tmp_path / "outer"
    outer.mkdir()
    (outer / "Snakefile").write_text(code)
    output = snakemake("--dry-run", "--printshellcmds", folder=tmp_path, root=outer)
    assert re.search(r"^ours_fit +1$", output, re.MULTILINE)
    assert re.search(r"^ours_report +1$", output, re.MULTILINE)
    library, python = ROOT / "workflow", ROOT / ".venvs" / "study"
    assert f"PYTHONPATH={library} {STOP_WITH_PARENT}=1 {python}" in output
    snakemake("results/simulated/corpus", folder=tmp_path, root=outer)
    assert (tmp_path / "results" / "simulated" / "corpus" / "0" / "counts.npz").exists()


# Snakemake's own packages, and those of its plugins, are there; then no more can be imported.
LIGHT = """
import sys
from snakemake.cli import main
heavy = ("numba", "numpy", "scipy", "sklearn", "pandas", "matplotlib", "pyarrow")
sys.modules.update(dict.fromkeys(heavy))
main(sys.argv[1:])
"""


def test_the_snakefile_is_read_with_snakemakes_own_packages(tmp_path):
    arguments = ["--configfile", tiny(tmp_path), "--dry-run"]
    output = snakemake(*arguments, folder=tmp_path, program=("-c", LIGHT))
    assert re.search(r"^fit +3$", output, re.MULTILINE)
