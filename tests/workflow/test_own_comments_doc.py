"""Every command of the tutorial of own comments runs, in its order, and leaves what it names.

What the tutorial asks a reader to do by hand, such as filling in a sheet, is done before the
command that needs it.
"""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml

from minority_topics.comments import dialects, rows, sources
from minority_topics.study.paths import ROOT

DOCS = ROOT / "docs"
TUTORIAL = (DOCS / "own_comments.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?:^    .*\n)+", TUTORIAL, flags=re.MULTILINE)
COMMANDS = [
    line.strip()
    for block in BLOCKS
    for line in block.splitlines()
    if re.match(r"    (make|snakemake|source|python|cp|rm)\b", line)
]
EXPLORE = "make explore COMMENTS=data/comments.csv SEEDS=data/seed_words.txt LANGUAGE=fi"
N_SMALL = 400
# Not run in full: tests/cluster has a SLURM, and the steps of the case study are those of
# `make explore`. What they would run is planned.
PLANNED = {
    "snakemake --profile profiles/slurm --configfile data/mine.yaml": " --dry-run --forceall",
    "make case-study": " SNAKEMAKE='.venv/bin/snakemake --dry-run'",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory, copy_project):
    """A copy of the project that has the environment of these tests for its own."""
    root = copy_project(tmp_path_factory.mktemp("project"))
    environment = root / ".venv"
    environment.mkdir()
    for path in Path(sys.prefix).iterdir():
        if path.name != "ready":
            (environment / path.name).symlink_to(path)
    # A file of the copy: newer than requirements.lock, so that make installs nothing.
    (environment / "ready").touch()
    return root


def run(command, root):
    """Run a command as a reader would, in a shell with the environment of the copy."""
    environ = os.environ | {"PYTHONPATH": str(root / "workflow")}
    ran = subprocess.run(
        ["bash", "-c", f"PATH={root}/.venv/bin:$PATH; {command}"],
        cwd=root, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, f"{command}\n{(ran.stdout + ran.stderr)[-3000:]}"
    return ran.stdout + ran.stderr


def fill(sheet, column, answer):
    """Write an answer into every row of a sheet."""
    with open(sheet, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows
    with open(sheet, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(row | {column: answer(number)} for number, row in enumerate(rows))


def name_a_topic(root):
    """Edit topics.yaml as the tutorial shows it: by its own keys, in the place of null."""
    path = root / "results" / "comments" / "topics.yaml"
    shown = yaml.safe_load(re.search(r"```yaml\n(.*?)```", TUTORIAL, flags=re.DOTALL)[1])
    name = shown["topics"][4]["name"]
    assert set(shown["topics"][4]) == set(yaml.safe_load(path.read_text("utf-8"))["topics"][1])
    path.write_text(path.read_text("utf-8").replace("name: null", f"name: {name}", 1), "utf-8")


def by_hand(command, root):
    """What a reader does before a command."""
    data = root / "data"
    if "score_intrusion" in command:
        fill(data / "coder_1.csv", "answer", lambda number: 1 + number % 6)
        fill(data / "coder_2.csv", "answer", lambda number: 1)
    elif "correct_prevalence" in command:
        fill(data / "sample.csv", "coded", lambda number: number % 2)
    elif "mine.yaml" in command:
        block = next(block for block in BLOCKS if "kind: comments" in block)
        assert len(block.splitlines()) < 10
        (data / "mine.yaml").write_text(block, encoding="utf-8")
    elif command == "make case-study":
        for language in ("fi", "en"):
            run(
                f"python -m minority_topics simulate_comments --language {language}"
                f" --n-comments {N_SMALL} --out results/example_{language}",
                root,
            )


@pytest.fixture(scope="module")
def said(project):
    """What every command of the tutorial printed, run in the order of the text."""
    printed = {}
    for command in COMMANDS:
        by_hand(command, project)
        printed[command] = run(command + PLANNED.get(command, ""), project)
        if command == EXPLORE:
            name_a_topic(project)
    return printed


def test_tutorial_has_every_verb_that_a_reader_needs():
    text = "\n".join(COMMANDS)
    for verb in ("explore", "choose", "apply", "score_intrusion", "draw_sample"):
        assert f"minority_topics {verb} " in text
    assert {EXPLORE, *PLANNED} <= set(COMMANDS)
    assert len(COMMANDS) == len(set(COMMANDS))


def test_commands_leave_the_files_that_the_tutorial_names(said, project):
    named = set(re.findall(r"`((?:data|results)/[\w./-]+)`", TUTORIAL))
    planned = {f"results/case_study_{language}/explorer.html" for language in ("fi", "en")}
    examples = {"data/stop_words.txt", *planned}
    assert planned <= named
    assert len(named) > 15
    assert [path for path in sorted(named - examples) if not (project / path).exists()] == []
    tables = project / "results" / "comments" / "tables"
    for name in (
        "seed_free_sample.csv", "suggested_words.csv", "trends.csv", "groups.csv",
        "discovered_words.csv", "released_comments.csv", "capped_comments.csv",
    ):  # fmt: skip
        assert f"`{name}`" in TUTORIAL
        assert (tables / name).is_file()
    assert (project / "results" / "comments" / "choose" / "choices.png").exists()
    assert "MINORITY TOPICS" in (project / "results/comments/explorer.html").read_text().upper()


def test_terminal_says_what_the_tutorial_quotes(said):
    """The quoted summary has the sentences of a run; numbers and names differ."""
    quoted = "".join(re.findall(r"```text\n(.*?)```", TUTORIAL, flags=re.DOTALL)).splitlines()
    printed = {_shape(line) for line in said[EXPLORE].splitlines()}
    lines = [line for line in quoted if not line.startswith("Not found")]
    assert len(lines) > 6
    assert [line for line in lines if _shape(line) not in printed] == []


def _shape(line):
    """A line without its numbers, lists, times and names of tools."""
    line = re.sub(r"(by )(voikko|simplemma)", r"\1TOOL", line)
    line = re.sub(r"(Not kept: ).*?\. ", r"\1LIST. ", line)
    line = re.sub(r"\d[\d,.:-]*\d|\d", "N", line)
    return re.sub(r"in N (h|min|s)( N s)?", "in TIME", line)


def test_names_of_topics_and_settings_reach_the_tables(said, project):
    with open(project / "results/comments/tables/topics.csv", encoding="utf-8") as file:
        topics = list(csv.DictReader(file))
    assert len(topics) == 15
    assert all(0 <= float(topic["stability"]) <= 1 for topic in topics)
    notes = yaml.safe_load((project / "results/comments/tables/summary.json").read_text())
    edits = notes["topics_file"]
    # The second run had other numbers of topics: the name went to a like topic, or this is told.
    assert len(edits["carried"]) + len(edits["not_carried"]) == 1


def test_every_file_of_a_run_is_explained(said, project):
    explained = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
    privacy = (DOCS / "privacy.md").read_text(encoding="utf-8")
    run_folder = project / "results" / "comments"
    written = {path.name for path in run_folder.rglob("*") if path.is_file()}
    assert {name for name in written if name not in explained} == set()
    columns = {
        column: path.name
        for path in (*run_folder.rglob("*.csv"), *(project / "data").glob("[is]*.csv"))
        for column in path.read_text(encoding="utf-8-sig").partition("\n")[0].split(",")
        if not re.fullmatch(r"option_\d", column)
    }
    assert {"found", "documents_minority", "similarity", "least_seed_share"} <= columns.keys()
    assert {name: file for name, file in columns.items() if f"`{name}`" not in explained} == {}
    holding_texts = ("comments.parquet", "forms.npy", "examples.csv", "explorer.html", ".id_secret")
    assert all(name in privacy for name in (*holding_texts, "documents.parquet", "coding/"))


def test_reasons_of_skipped_rows_are_explained():
    imported = vars(dialects).keys() | vars(sources).keys()
    named = {name: value for name, value in vars(rows).items() if name.isupper()}
    reasons = {v for name, v in named.items() if isinstance(v, str) and name not in imported}
    section = TUTORIAL.split("## What is skipped, and why")[1].split("\n## ")[0]
    listed = re.findall(r"^\| ([^|]+) \|", section, flags=re.MULTILINE)
    assert len(reasons) > 10
    assert reasons <= {reason for row in listed for reason in row.split("; ")}


def test_files_with_a_row_for_each_comment_are_not_for_sharing(said, project):
    privacy = (DOCS / "privacy.md").read_text(encoding="utf-8")
    advice = re.findall(r"^\| (`.*?) \|.*\| ([^|]+) \|$", privacy, flags=re.MULTILINE)
    found = project / "results" / "comments"
    n_comments = pq.read_metadata(found / "comments" / "comments.parquet").num_rows
    stored = [path for path in found.rglob("*") if path.suffix in (".npy", ".npz", ".parquet")]
    per_comment = {path.name for path in stored if n_comments in _sizes(path)}
    assert {"doc_topic.npz", "guidance.npz", "documents.parquet", "counts.npz"} <= per_comment
    for name in per_comment:
        (shared,) = [
            verdict for files, verdict in advice if f"/{name}`" in files or f"`{name}`" in files
        ]
        assert shared == "**no**", name


def _sizes(path):
    """Lengths of the table or of the arrays of a file, and those of a sparse matrix."""
    if path.suffix == ".parquet":
        return {pq.read_metadata(path).num_rows}
    arrays = np.load(path, allow_pickle=False)
    arrays = dict(arrays) if path.suffix == ".npz" else {"": arrays}
    return {n for array in arrays.values() for n in array.shape} | {*arrays.get("shape", ())}


def test_case_study_and_cluster_plan_every_step(said):
    for command in PLANNED:
        for rule in ("read_comments", "vectorise_comments", "fit_comments", "answer", "explorer"):
            assert re.search(rf"{rule}\s+[12]\b", said[command]), command


def test_commands_of_privacy_hold_back_texts_and_delete(said, project):
    privacy = (DOCS / "privacy.md").read_text(encoding="utf-8")
    careful, *deleting = re.findall(r"^    ((?:make|rm) .*)$", privacy, flags=re.MULTILINE)
    results = project / "results"
    run(f"{careful} SNAKEMAKE=true", project)  # the configuration alone
    settings = yaml.safe_load((results / "comments.yaml").read_text("utf-8"))["datasets"][
        "comments"
    ]
    assert (settings["ids"], settings["keep_texts"], settings["least_count"]) == ("drop", False, 20)
    for command in deleting:
        run(command, project)
    left = [*results.glob("comments*"), *results.glob("logs/*/comments.log")]
    assert left == [results / "comments_later"]
