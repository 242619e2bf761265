"""Every command of the README runs: in a copy of the project, with small configurations."""

import os
import re
import subprocess

import pytest
from helpers import tiny

from minority_topics.study.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?:^    .*\n)+", README, flags=re.MULTILINE)
COMMANDS = [
    line.split("#")[0].strip()
    for block in BLOCKS
    for line in block.splitlines()
    if re.match(r"\s+(make|snakemake|source|pip|python)\b", line)
]
# Run by others: this run itself, test_workflow.py (conda needs one to answer), tests/cluster, and
# test_own_comments_doc.py.
ELSEWHERE = {
    "make test",
    "make test-fast",
    "snakemake --sdm conda",
    "snakemake --profile profiles/slurm",
    "make explore COMMENTS=data/comments.csv SEEDS=data/seed_words.txt LANGUAGE=fi",
    "make case-study",
    "make verify",
    "make sbom",
}


def test_readme_has_the_commands():
    names = ("figures", "test", "quick", "beyond", "guidance", "bench")
    by_make = {f"make {name}" for name in names}
    assert by_make | ELSEWHERE <= set(COMMANDS)
    assert len(COMMANDS) == len(set(COMMANDS))


@pytest.fixture(scope="module")
def project(tmp_path_factory, copy_project):
    """A copy whose configurations are small."""
    root = copy_project(tmp_path_factory.mktemp("project"))
    small = tiny(tmp_path_factory.mktemp("config"), repetitions=1, methods=["nmf", "truth"])
    sweeps = {
        "beyond": {"rates": {"key": "rate", "values": [0.2, 0.3], "methods": ["nmf"]}},
        "guidance": {
            "noise": {
                "datasets": ["simulated"],
                "vary": {"seed_share": [1.0, 0.5], "wrong_seed_share": [0.5]},
                "methods": ["nmf"],
            }
        },
    }
    swept = {
        name: tiny(tmp_path_factory.mktemp("config"), repetitions=1, methods=["nmf"], sweeps=sweep)
        for name, sweep in sweeps.items()
    }
    for name, path in {"config": small, "quick": small, **swept}.items():
        (root / "config" / f"{name}.yaml").write_text(path.read_text(encoding="utf-8"))
    return root


def run(command, root):
    """Run a command as a reader would, in a shell; those after `source` need its environment."""
    if command.startswith("snakemake"):
        command = f"source .venv/bin/activate && {command}"
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environ["BENCH"] = "--sizes 300 --n-topics 4 --seconds 5"
    ran = subprocess.run(
        ["bash", "-c", command], cwd=root, env=environ, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-3000:]
    return ran.stdout + ran.stderr


@pytest.mark.parametrize("command", [c for c in COMMANDS if c not in ELSEWHERE])
def test_command_runs(command, project):
    run(command, project)


def test_what_the_commands_leave_is_what_the_readme_names(project):
    assert (project / "results" / "simulated" / "report.html").exists()
    assert (project / "results" / "simulated" / "figures" / "rates.png").exists()
    assert (project / "results" / "simulated" / "figures" / "noise.png").exists()
    assert (project / "results" / "benchmarks" / "benchmark.png").exists()


def test_the_example_prints_what_the_readme_shows(capsys):
    code, shown = (
        re.search(f"```{kind}\\n(.*?)```", README, flags=re.DOTALL)[1]
        for kind in ("python", "text")
    )
    names = {}
    exec(code, names)
    assert capsys.readouterr().out == shown
    assert names["model"].feasible_
