"""An installed wheel works where there is no repository: the model, the steps of a study, and own
comments.
"""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from minority_topics.cli import VERBS
from minority_topics.study.paths import PACKAGE, ROOT
from minority_topics.study.uv import find_uv, uv_settings


@pytest.fixture(scope="module")
def wheel(tmp_path_factory, copy_project):
    """The wheel, built from the source distribution, as `python -m build` does."""
    project = copy_project(tmp_path_factory.mktemp("source"))
    dist = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", dist, project]
    ran = subprocess.run(build, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-3000:]
    assert "Package would be ignored" not in ran.stdout + ran.stderr
    (path,) = dist.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def install(wheel, tmp_path_factory):
    """Installs the wheel with an extra into a new environment; the folder of its programs."""

    def install(extra=""):
        folder = tmp_path_factory.mktemp("environment")
        python, lock = folder / "bin" / "python", ROOT / "requirements.lock"
        pip = ["pip", "install", "--quiet", "--python", python, "--constraint", lock]
        for arguments in (
            ["venv", "--quiet", "--clear", "--python", sys.executable, folder],
            [*pip, f"{wheel}{extra}"],
        ):
            subprocess.run([find_uv(), *arguments], env=uv_settings(), cwd=folder, check=True)
        return folder / "bin"

    return install


@pytest.fixture(scope="module")
def core(install):
    return install()


@pytest.fixture(scope="module")
def study(install):
    return install("[study]")


@pytest.fixture(scope="module")
def comments(install):
    return install("[comments]")


def run(program, *arguments, folder, expect=0):
    """Run a program in a folder outside the repository; what it prints."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(
        list(map(str, [program, *arguments])), cwd=folder, env=environ, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == expect, ran.stderr
    return ran.stdout + ran.stderr


def test_wheel_holds_every_file_of_the_library_and_nothing_else(wheel):
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard",
         "workflow/minority_topics", "config", "envs"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    expected = set()
    for path in filter(lambda path: (ROOT / path).is_file(), listed.stdout.splitlines()):
        inside = Path(path).parts[0] == "workflow"
        expected.add(path.removeprefix("workflow/") if inside else f"{PACKAGE.name}/project/{path}")
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == expected


def test_model_needs_the_core_alone(core, tmp_path):
    code = """
from minority_topics import ConstrainedNMF
words = ["fear", "panic", "game", "video"]
V = [[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 3, 1], [0, 0, 1, 2], [1, 0, 2, 0]]
print(ConstrainedNMF(2, 1, seed_words=["fear"], vocabulary=words, random_state=0).fit(V).feasible_)
"""
    assert run(core / "python", "-c", code, folder=tmp_path) == "True\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["background", "--random-state", "1", "--out", "background"],
        ["check", "config.yaml"],
        ["compare", "scores.csv", "--summary", "summary.csv", "--comparisons", "comparisons.csv"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_verb_of_the_study_names_the_extra_that_it_needs(core, tmp_path, arguments):
    said = run(core / "minority_topics", *arguments, folder=tmp_path, expect=1)
    assert said.count("\n") == 1, said
    assert 'pip install "minority-topics[study]"' in said


def test_every_step_of_a_study_runs(study, tmp_path):
    def verb(name, *arguments):
        return run(study / "minority_topics", name, *arguments, folder=tmp_path)

    code = "from minority_topics.study.paths import ROOT; print(ROOT)"
    project = Path(run(study / "python", "-c", code, folder=tmp_path).strip())
    assert study.parent in project.parents
    topics, seed_words = project / "config/topics_fi.yaml", project / "config/seed_words_fi.txt"

    shutil.copy(project / "config" / "quick.yaml", tmp_path / "mine.yaml")
    assert "methods_file: config/methods.tsv" in verb("check", "mine.yaml")
    assert "Ebrahimi and Peltonen 2025" in verb("methods")

    verb("background", "--n-documents", 80, "--random-state", 1, "--out", "background")
    verb("inject", "--documents", "background", "--topics", topics, "--rate", 0.3,
         "--random-state", 2, "--out", "documents")  # fmt: skip
    verb("vectorise", "documents", "--seed-words", seed_words, "--topics", topics,
         "--out", "corpora")  # fmt: skip
    for method in ("constrained_nmf", "nmf"):
        said = verb("fit", method, "--corpus", "corpora/0", "--n-topics", 4, "--n-minority", 2,
                    "--repetitions", 0, 1, "--out", f"fits/{method}")  # fmt: skip
        assert said.count("ok") == 2, said
    verb("score", "fits/constrained_nmf", "fits/nmf", "--out", "scores.csv")
    verb("compare", "scores.csv", "--summary", "summary.csv", "--comparisons", "comparisons.csv")
    verb("figure", "purity_nmi", "--table", "summary.csv", "--out", "purity_nmi.png")
    tables = [f"{name}.csv" for name in ("scores", "summary", "comparisons")]
    for made in (*tables, "purity_nmi.png", "purity_nmi.svg", "purity_nmi.txt"):
        assert (tmp_path / made).stat().st_size


def test_every_verb_of_own_comments_runs(comments, tmp_path):
    ran = []

    def verb(name, *arguments):
        ran.append(name)
        return run(comments / "minority_topics", name, *arguments, folder=tmp_path)

    # Its steps are verbs, too.
    verb("bench_comments", "--sizes", 400, "--language", "en", "--out", "bench")
    ran += ["read_comments", "vectorise_comments", "fit_comments", "answer", "explorer"]
    verb("simulate_comments", "--language", "en", "--n-comments", 400, "--out", "example")
    own = ["example/comments.csv", "--seed-words", "example/seed_words.txt", "--language", "en"]
    verb("configure_comments", *own, "--out", "own.yaml")
    verb("explore", *own, "--name", "own", "--set", "n_topics=6", "--set", "n_minority=2",
         "--set", "guidance=learnt")  # fmt: skip
    made = Path("results") / "own"
    verb("choose", "--matrix", made / "matrix", "--n-topics", 4, "--n-minority", 2,
         "--theta-min", 0.4, "--n-states", 1, "--out", "choose")  # fmt: skip
    verb("apply", "example/comments.csv", "--model", made / "model", "--out", "later")
    verb("score_intrusion", made / "coding" / "word_intrusion.csv",
         "--key", made / "coding" / "key.csv")  # fmt: skip
    verb("draw_sample", "--tables", made / "tables", "--comments", made / "comments", "--n", 30,
         "--out", "sample.csv")  # fmt: skip
    sheet = tmp_path / "sample.csv"
    sheet.write_text(re.sub(r",$", ",1", sheet.read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert "prevalence: 1" in verb("correct_prevalence", "sample.csv")
    for path in (
        "own.yaml",
        made / "explorer.html",
        "choose/choices.png",
        "later/documents.parquet",
    ):
        assert (tmp_path / path).stat().st_size
    assert {*ran} == {name for name, one in VERBS.items() if one.extra == "comments"}
