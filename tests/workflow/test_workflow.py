"""The workflow itself: dry runs, small real runs, reruns, and failures that stay rows."""

import csv
import os
import re
import shutil
import subprocess

import pytest
import yaml
from helpers import snakemake, snakemake_command, tiny

from minority_topics.comments.example import write_example
from minority_topics.report.catalogue import FIGURES
from minority_topics.study.paths import ROOT

# Of a whole study, where no more is looked at.
SCORES = "results/simulated/tables/scores.csv"
MAIN_FIGURE = "results/simulated/figures/purity_nmi.png"

STUDIES = ("config", "quick", "beyond", "guidance", "authors_data")
CONFIGS = [ROOT / "config" / f"{name}.yaml" for name in STUDIES]


def read_table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def planned(output):
    """Rule names and counts of a dry run's table."""
    return {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", output, re.M)}


@pytest.fixture
def labelled_file(tmp_path):
    path = tmp_path / "data.csv"
    rows = ["pelko paniikki yö,Ahdistus", "video peli kanava,-1", "hyvä video,-1"] * 10
    path.write_text("Sentence,Label\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "seeds.txt").write_text("pelko\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.name)
def test_dry_run_of_every_config(config, labelled_file, tmp_path):
    arguments = ["--configfile", config, "--dry-run"]
    if "authors" in config.name:
        paths = f"{{file: {labelled_file}, seed_words: {tmp_path / 'seeds.txt'}}}"
        arguments += ["--config", f"datasets={{authors: {paths}}}"]
    jobs = planned(snakemake(*arguments, folder=tmp_path))
    content = yaml.safe_load(config.read_text(encoding="utf-8"))
    assert jobs["fit"] >= len(content["methods"])
    assert jobs["figure"] >= 5
    assert jobs["report"] == jobs["verdicts"] == len(content["datasets"])


def test_dry_run_of_the_case_study(tmp_path):
    for language in ("fi", "en"):
        write_example(tmp_path / "results" / f"example_{language}", language, 20)
    config = ROOT / "config" / "case_study.yaml"
    jobs = planned(snakemake("--configfile", config, "--dry-run", folder=tmp_path))
    steps = ("read_comments", "vectorise_comments", "fit_comments", "answer", "explorer")
    assert {step: jobs[step] for step in steps} == dict.fromkeys(steps, 2)
    assert "report" not in jobs


CONDA = """#!/bin/sh
case "$*" in
  "info --json") echo '{"conda_prefix": "/", "root_prefix": "/", "platform": "linux-64"}' ;;
  *version*) echo "conda 24.7.1" ;;
  *) echo '{"get": {"channel_priority": "strict"}}' ;;
esac
"""


def test_with_conda_every_method_has_its_own_environment(tmp_path, monkeypatch):
    """A dry run plans them; making them needs a real conda, this one only answers questions."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "conda").write_text(CONDA)
    (tmp_path / "bin" / "conda").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    arguments = ["--configfile", tiny(tmp_path), "--sdm", "conda", "--dry-run"]
    output = snakemake(*arguments, folder=tmp_path)
    found = set(re.findall(r"Conda environment \S*envs/(\w+)\.yaml will be created", output))
    assert found == {"study", "constrained_nmf", "nmf"}
    assert "build_env" not in planned(output)


def test_plain_dry_run_takes_the_default_config(tmp_path):
    jobs = planned(snakemake("--dry-run", folder=tmp_path))
    # 19 methods in 4 settings and on one corpus, variants, peers, further points of ablations.
    assert jobs["fit"] == 19 * 4 + 19 + 15 + 3 + 34 + 48 + 6
    assert jobs["figure"] == len(FIGURES)


def test_bad_config_stops_before_any_job(tmp_path):
    path = tiny(tmp_path, settings=[{"n_topics": 2, "n_minority": 3}])
    output = snakemake("--configfile", path, folder=tmp_path, expect=1)
    assert "settings[0].n_minority=3 exceeds n_topics=2" in output
    assert "Traceback" not in output
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"repetitions": 5000, "batch_size": 1}, "table scores: 15000 folders of fits of dataset"),
        (
            {"options": {"nmf": {"init": "x" * 100_000}}},
            "datasets.simulated: the configuration with its defaults would put 100",
        ),
    ],
)
def test_what_no_command_can_hold_stops_before_any_job(tmp_path, changes, sentence):
    path = tiny(tmp_path, **changes)
    output = snakemake("--configfile", path, folder=tmp_path, expect=1)
    assert f"Configuration: {sentence}" in output
    assert not (tmp_path / "results").exists()


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A tiny study, run to its end on two cores."""
    folder = tmp_path_factory.mktemp("study")
    path = tiny(folder)
    snakemake("--configfile", path, folder=folder)
    return folder, path


def test_run_leaves_figures_tables_and_topics(finished):
    folder, _ = finished
    results = folder / "results" / "simulated"
    for name in ("purity_nmi", "jsd"):
        for ending in ("png", "pdf", "csv"):
            assert (results / "figures" / f"{name}.{ending}").stat().st_size > 100
    rows = read_table(results / "tables" / "scores.csv")
    assert [row["method"] for row in rows] == [
        name for name in ("constrained_nmf", "nmf", "truth") for _ in range(2)
    ]
    assert all(row["status"] == "ok" for row in rows)
    truth = [row for row in rows if row["method"] == "truth"]
    assert all(float(row["purity"]) == float(row["nmi"]) == 1 for row in truth)
    assert all(row["feasible"] == "True" for row in rows if row["method"] == "constrained_nmf")
    saved = yaml.safe_load((results / "config.yaml").read_text(encoding="utf-8"))
    assert saved["datasets"]["simulated"]["n_documents"] == 60
    topics = read_table(
        results / "fits" / "constrained_nmf" / "4-2" / "0-1" / "1" / "top_words.csv"
    )
    assert [row["kind"] for row in topics] == ["minority"] * 2 + ["majority"] * 2


def test_repetitions_have_corpora_and_random_states_of_their_own(finished):
    folder, _ = finished
    corpora = folder / "results" / "simulated" / "corpus"
    first, second = (corpora / draw / "documents.csv" for draw in "01")
    assert first.read_bytes() != second.read_bytes()
    rows = read_table(folder / "results" / "simulated" / "tables" / "scores.csv")
    assert len({row["random_state"] for row in rows}) == len(rows)


def test_second_run_is_idle(finished):
    folder, path = finished
    assert "Nothing to be done" in snakemake("--configfile", path, folder=folder)


def test_one_core_gives_the_same_bytes(finished, tmp_path):
    folder, path = finished
    snakemake("--configfile", path, folder=tmp_path, cores=1)
    assert_same_results(folder, tmp_path)


def assert_same_results(folder, other):
    for part in ("tables", "figures"):
        for expected in sorted((folder / "results" / "simulated" / part).iterdir()):
            found = other / "results" / "simulated" / part / expected.name
            assert found.read_bytes() == expected.read_bytes(), expected.name


def test_any_name_of_a_folder_gives_the_same_bytes(finished, copy_project, tmp_path):
    home = tmp_path / "täs tä; $(touch pwned) 'a'"
    home.mkdir()
    snakemake("--configfile", finished[1], folder=home, root=copy_project(home))
    assert_same_results(finished[0], home)
    assert (home / "results" / "simulated" / "report.html").exists()
    assert not list(tmp_path.rglob("pwned"))


def test_an_edited_library_file_reruns_its_fits(clone, tmp_path):
    path = tiny(tmp_path)
    snakemake(SCORES, "--configfile", path, folder=tmp_path, root=clone)
    with open(clone / "workflow" / "minority_topics" / "nmf" / "solvers.py", "a") as file:
        file.write("\n# edited\n")
    output = snakemake(SCORES, "--configfile", path, "--dry-run", folder=tmp_path, root=clone)
    assert planned(output)["fit"] == 1
    assert "constrained_nmf on simulated" in output
    assert "background" not in planned(output)


def test_a_corrected_label_runs_no_fit_again_and_another_limit_does(clone, tmp_path):
    table = clone / "config" / "methods.tsv"
    arguments = [SCORES, "--configfile", tiny(tmp_path, methods=["nmf"], repetitions=1)]
    snakemake(*arguments, folder=tmp_path, root=clone)
    for column, value, runs in ((1, "Corrected", 0), (10, "Corrected", 0), (8, "7.5", 1)):
        text = table.read_text()
        (row,) = re.findall(r"^nmf\t.*$", text, re.MULTILINE)
        cells = row.split("\t")
        cells[column] = value
        table.write_text(text.replace(row, "\t".join(cells)))
        output = snakemake(*arguments, "--dry-run", folder=tmp_path, root=clone)
        assert planned(output).get("fit", 0) == runs


def test_an_edited_figure_is_drawn_again_and_no_other(clone, tmp_path):
    path = tiny(tmp_path, methods=["nmf", "truth"], repetitions=1)
    snakemake("--configfile", path, folder=tmp_path, root=clone)
    figures = clone / "workflow" / "minority_topics" / "report" / "figures"
    with open(figures / "jsd.py", "a") as file:
        file.write("\n# edited\n")
    jobs = planned(snakemake("--configfile", path, "--dry-run", folder=tmp_path, root=clone))
    assert {rule: jobs[rule] for rule in jobs if rule != "total"} == {
        "all": 1, "figure": 1, "manifest": 1, "manifest_of_verdicts": 1, "provenance": 1,
        "report": 1,
    }  # fmt: skip


IMPOSSIBLE = "channels: [conda-forge]\ndependencies:\n  - pip:\n      - numpy==0.0.0.1\n"
HOMELESS = "homeless\tHomeless\tnmf\timpossible\tnumpy\tunguided\t{}\t1\t1\t1000\tnone"


def test_methods_that_fail_leave_rows_and_do_not_stop_the_rest(clone, tmp_path):
    (clone / "envs" / "impossible.yaml").write_text(IMPOSSIBLE)
    table = clone / "config" / "methods.tsv"
    rows = [
        'broken\tBroken\tnmf\tnmf\tnumpy\tunguided\t{"nonsense": 1}\t1\t1\t1000\tnone',
        HOMELESS,
    ]
    table.write_text(table.read_text(encoding="utf-8") + "\n".join(rows) + "\n", encoding="utf-8")
    path = tiny(tmp_path, methods=["nmf", "broken", "homeless"])
    snakemake(SCORES, MAIN_FIGURE, "--configfile", path, folder=tmp_path, root=clone)
    scores = read_table(tmp_path / "results" / "simulated" / "tables" / "scores.csv")
    found = {row["method"]: (row["status"], row["reason"]) for row in scores}
    assert found["nmf"] == ("ok", "")
    assert found["broken"][0] == found["homeless"][0] == "failed"
    assert "nonsense" in found["broken"][1]
    assert found["homeless"][1].startswith("environment impossible: uv failed")
    assert (tmp_path / "results" / "simulated" / "figures" / "purity_nmi.png").exists()
    assert not (tmp_path / ".venvs").exists()


def test_an_environment_that_can_be_built_at_last_has_its_fits_made_again(clone, tmp_path):
    (clone / "envs" / "impossible.yaml").write_text(IMPOSSIBLE)
    with open(clone / "config" / "methods.tsv", "a", encoding="utf-8") as table:
        table.write(HOMELESS + "\n")
    path = tiny(tmp_path, methods=["homeless"], repetitions=1)
    arguments = [SCORES, "--configfile", path]
    for status in ("failed", "ok"):
        snakemake(*arguments, folder=tmp_path, root=clone)
        (row,) = read_table(tmp_path / SCORES)
        assert row["status"] == status
        for ending in ("yaml", "lock"):
            shutil.copy(clone / "envs" / f"nmf.{ending}", clone / "envs" / f"impossible.{ending}")


@pytest.mark.parametrize("content", ['{"status": "ok"', '{"status": "failed", "reason": "no uv"}'])
def test_a_run_builds_again_what_is_broken_and_a_dry_run_changes_nothing(clone, tmp_path, content):
    record = clone / ".venvs" / "nmf.json"
    record.write_text(content)
    arguments = ["--configfile", tiny(tmp_path, methods=["nmf"], repetitions=1)]
    for flag in ("--dry-run", "--touch", "--unlock", "--lint", "--rulegraph", "--summary"):
        command = snakemake_command(SCORES, *arguments, flag, folder=tmp_path, root=clone)
        subprocess.run(command, capture_output=True, cwd=tmp_path, check=False)
        assert record.read_text() == content, flag
    (clone / ".venvs" / "nmf").unlink()  # a link to that of the project, which must stay
    output = snakemake(SCORES, *arguments, folder=tmp_path, root=clone)
    assert planned(output)["build_env"] == 1
    told = re.findall(r"nmf\.json .*: the environment is built again", output)
    assert len(told) == ("failed" not in content)
    assert read_table(tmp_path / SCORES)[0]["status"] == "ok"


FLAKY = """
import pathlib

from . import nmf


def fit(problem):
    pathlib.Path({marker!r}).read_text()
    return nmf.fit(problem)
"""


def test_a_fault_of_the_machine_fails_the_job_and_the_next_run_repeats_it(clone, tmp_path):
    marker = tmp_path / "marker"
    code = FLAKY.format(marker=str(marker))
    (clone / "workflow" / "minority_topics" / "methods" / "flaky.py").write_text(code)
    with open(clone / "config" / "methods.tsv", "a", encoding="utf-8") as table:
        table.write("flaky\tFlaky\tflaky\tnmf\tnumpy\tunguided\t{}\t1\t20\t500\tnobody\n")
    arguments = [SCORES, "--configfile", tiny(tmp_path, methods=["flaky"], repetitions=1)]
    output = snakemake(*arguments, folder=tmp_path, root=clone, expect=1)
    assert re.search(
        "fit failed: flaky, repetition 0: FileNotFoundError: .*; nothing was recorded, the next "
        r"run repeats it \(log: results/logs/fit/simulated\.flaky\.4-2\.0-0\.log\)",
        output,
    )
    assert not (tmp_path / "results" / "simulated" / "fits" / "flaky" / "4-2" / "0-0").exists()
    marker.touch()
    snakemake(*arguments, folder=tmp_path, root=clone)
    assert read_table(tmp_path / SCORES)[0]["status"] == "ok"


def test_a_deleted_environment_is_built_again(clone, tmp_path):
    (clone / ".venvs" / "nmf").unlink()
    path = tiny(tmp_path, methods=["nmf", "truth"])
    jobs = planned(snakemake(SCORES, "--configfile", path, folder=tmp_path, root=clone))
    assert (clone / ".venvs" / "nmf" / "bin" / "python").exists()
    assert (jobs["build_env"], jobs["fit"]) == (1, 2)


def test_a_method_is_added_in_three_steps(clone, tmp_path):
    """As config/README.md tells: a file, an environment, a row."""
    (clone / "workflow" / "minority_topics" / "methods" / "toy.py").write_text(
        "import numpy as np\n"
        "from .contract import Fit, normalise_rows\n\n\n"
        "def fit(problem):\n"
        "    import iniconfig\n\n"
        "    rng = np.random.default_rng(problem.random_state)\n"
        "    n_documents, n_words = problem.counts.shape\n"
        "    doc_topic = normalise_rows(rng.random((n_documents, problem.n_topics)))\n"
        "    topic_word = normalise_rows(rng.random((problem.n_topics, n_words)))\n"
        "    return Fit(doc_topic, topic_word, notes={'tool': iniconfig.__name__})\n"
    )
    (clone / "envs" / "toy.yaml").write_text(
        "channels: [conda-forge]\ndependencies:\n  - pip:\n"
        "      - numpy==2.4.6\n      - scipy==1.17.1\n      - iniconfig==2.0.0\n"
    )
    with open(clone / "config" / "methods.tsv", "a", encoding="utf-8") as table:
        table.write("toy\tToy\ttoy\ttoy\tiniconfig\tunguided\t{}\t1\t1\t1000\tnobody\n")
    path = tiny(tmp_path, methods=["truth", "toy"])
    snakemake(SCORES, MAIN_FIGURE, "--configfile", path, folder=tmp_path, root=clone)
    scores = read_table(tmp_path / "results" / "simulated" / "tables" / "scores.csv")
    assert [row["status"] for row in scores] == ["ok"] * 4
    summary = read_table(tmp_path / "results" / "simulated" / "figures" / "purity_nmi.csv")
    purity = {row["method"]: float(row["purity"]) for row in summary}
    assert purity["toy"] < purity["truth"] == 1


def test_a_labelled_file_runs_as_it_is(labelled_file, tmp_path):
    dataset = {
        "kind": "labelled", "file": str(labelled_file), "text_column": "Sentence",
        "label_column": "Label", "seed_words": str(tmp_path / "seeds.txt"),
    }  # fmt: skip
    path = tiny(tmp_path, datasets={"mine": dataset}, repetitions=1)
    snakemake("results/mine/corpus", "--configfile", path, folder=tmp_path)
    facts = yaml.safe_load(
        (tmp_path / "results" / "mine" / "corpus" / "0" / "corpus.json").read_text()
    )
    assert facts["ground_truth"] == "estimated from labels"
    assert (facts["documents"], facts["injected_documents"]) == (30, 10)


def test_comments_without_labels_give_topics(labelled_file, tmp_path):
    dataset = {
        "kind": "labelled", "file": str(labelled_file), "text_column": "Sentence",
        "label_column": None, "seed_words": str(tmp_path / "seeds.txt"),
    }  # fmt: skip
    path = tiny(tmp_path, datasets={"mine": dataset}, methods=["constrained_nmf"], repetitions=1)
    snakemake("--configfile", path, "--config", "figures=[]", folder=tmp_path)
    folder = tmp_path / "results" / "mine" / "fits" / "constrained_nmf" / "4-2" / "0-0" / "0"
    topics = read_table(folder / "top_words.csv")
    assert "pelko" in topics[0].values()
    assert (tmp_path / "results" / "mine" / "report.html").exists()
