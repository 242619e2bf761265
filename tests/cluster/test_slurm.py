"""The study through a real SLURM without a database: its bytes, its jobs, and their limits."""

import re
import subprocess

import pytest
import yaml
from helpers import snakemake, tiny

from minority_topics.comments.example import write_example
from minority_topics.study.paths import ROOT

# method: threads, minutes, memory_mb
LIMITS = {"nmf": (2, 7, 1500), "truth": (1, 2, 800)}


def submit(*arguments, folder, root=ROOT):
    """Run a study through the cluster."""
    # One core here: what a fit may use is for the cluster to say.
    return snakemake(*through_slurm(*arguments, root=root), folder=folder, root=root, cores=1)


def through_slurm(*arguments, root=ROOT):
    """Options that ask after jobs more often than a user would."""
    arguments = ["--profile", root / "profiles" / "slurm", *arguments]
    return [*arguments, "--slurm-init-seconds-before-status-checks", 2, "--latency-wait", 5]


def jobs():
    """What SLURM knows of its jobs, oldest first."""
    lines = subprocess.run(
        ["scontrol", "show", "jobs", "--oneliner"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    fields = [dict(re.findall(r"(\S+?)=(\S*)", line)) for line in lines if "JobId=" in line]
    return sorted(fields, key=lambda job: int(job["JobId"]))


def jobs_of(method, among=None):
    among = jobs() if among is None else among
    return [job for job in among if f"_simulated_{method}_" in job["Comment"]]


def asked(job):
    """Threads, minutes and megabytes."""
    hours, minutes, _ = map(int, job["TimeLimit"].split(":"))
    memory = job["MinMemoryNode"]
    megabytes = float(memory[:-1]) * {"M": 1, "G": 1024}[memory[-1]]
    return int(job["NumCPUs"]), 60 * hours + minutes, megabytes


def methods_file(folder):
    """The table of methods with limits of our own, and with a method that always fails."""
    header, *rows = (ROOT / "config" / "methods.tsv").read_text(encoding="utf-8").splitlines()
    columns = header.split("\t")
    table = {row.split("\t")[0]: dict(zip(columns, row.split("\t"), strict=True)) for row in rows}
    for method, limits in LIMITS.items():
        limits = dict(zip(("threads", "minutes", "memory_mb"), map(str, limits), strict=True))
        table[method].update(limits)
    table["broken"] = {**table["nmf"], "method": "broken", "options": '{"nonsense": 1}'}
    path = folder / "methods.tsv"
    lines = ["\t".join(row.values()) for row in table.values()]
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def both(slurm, tmp_path_factory):
    """One study run here and through SLURM: its two folders, and its jobs."""
    here, there = tmp_path_factory.mktemp("here"), tmp_path_factory.mktemp("there")
    # In neither of the two, or manifests would name it in two ways.
    table = methods_file(tmp_path_factory.mktemp("methods"))
    config = tiny(here, methods=["constrained_nmf", *LIMITS, "broken"], methods_file=str(table))
    snakemake("--configfile", config, folder=here)
    submit("--configfile", config, folder=there)
    return here, there, jobs()


def assert_same_files(here, there, part, dataset="simulated"):
    expected = sorted((here / "results" / dataset / part).iterdir())
    assert expected
    for path in expected:
        found = there / path.relative_to(here)
        assert found.read_bytes() == path.read_bytes(), path.name


@pytest.mark.parametrize("part", ["tables", "figures"])
def test_slurm_gives_the_same_bytes(both, part):
    here, there, _ = both
    assert_same_files(here, there, part)


def test_fits_and_nothing_else_are_jobs(both):
    methods = ["constrained_nmf", *LIMITS, "broken"]
    wanted = [f"rule_fit_wildcards_simulated_{method}_4-2_0-1" for method in sorted(methods)]
    _, _, ran = both
    assert sorted(job["Comment"] for job in ran) == wanted
    assert {job["JobState"] for job in ran} == {"COMPLETED"}


@pytest.mark.parametrize("method", LIMITS)
def test_a_job_asks_for_what_the_table_of_methods_says(both, method):
    threads, minutes, memory = LIMITS[method]
    # A batch of two repetitions; five minutes and 1000 MB are for what runs the fits.
    (job,) = jobs_of(method, among=both[2])
    assert asked(job) == (threads, 2 * minutes + 5, memory + 1000)


def test_a_fit_that_fails_by_itself_is_a_row_and_not_repeated(both):
    _, there, ran = both
    assert len(jobs_of("broken", among=ran)) == 1
    table = (there / "results" / "simulated" / "tables" / "scores.csv").read_text(encoding="utf-8")
    assert len(re.findall(r"broken.*nonsense", table)) == 2


def test_a_job_out_of_time_gets_more_time_and_memory(slurm, waiting, tmp_path):
    # A minute is the least that SLURM can do.
    config = tiny(tmp_path, methods=["waiting"], repetitions=1)
    submit(
        "--configfile", config, "--until", "fit", "--set-resources", "fit:runtime=attempt",
        folder=tmp_path, root=waiting,
    )  # fmt: skip
    first, second = jobs_of("waiting")
    assert (first["JobState"], second["JobState"]) == ("TIMEOUT", "COMPLETED")
    assert (asked(first), asked(second)) == ((1, 1, 1500), (1, 2, 3000))


def test_a_job_out_of_memory_gets_more_memory_and_time(slurm, tmp_path):
    # Less than Snakemake itself needs, then enough.
    memory = "fit:mem_mb=50 if attempt == 1 else 2000"
    config = tiny(tmp_path, methods=["lda"], repetitions=1)
    submit(
        "--configfile", config, "--until", "fit", "--set-resources", memory, folder=tmp_path
    )  # fmt: skip
    first, second = jobs_of("lda")
    (log,) = tmp_path.glob(f".snakemake/slurm_logs/**/{first['JobId']}.log")
    assert "exceeded memory limit" in log.read_text()
    assert second["JobState"] == "COMPLETED"
    assert (asked(first), asked(second)) == ((1, 15, 50), (1, 30, 2000))


def test_environments_are_built_before_fits_are_submitted(slurm, clone, tmp_path):
    (clone / ".venvs" / "nmf").unlink()
    config = tiny(tmp_path, methods=["nmf"], repetitions=1)
    output = submit("--configfile", config, "--until", "fit", folder=tmp_path, root=clone)
    assert (clone / ".venvs" / "nmf" / "bin" / "python").exists()
    assert output.index("Building environment nmf") < output.index("submitted with SLURM jobid")
    assert not any("build_env" in job["Comment"] for job in jobs())


def test_steps_of_own_comments_are_jobs(slurm, tmp_path):
    write_example(tmp_path, "en", 600)
    dataset = {
        "kind": "comments", "files": "comments.csv", "seed_words": "seed_words.txt",
        "language": "en", "lemmas": "simplemma", "n_topics": 4, "n_minority": 2, "threads": 1,
        "memory_mb": 1200, "minutes": 3,
    }  # fmt: skip
    (tmp_path / "own.yaml").write_text(yaml.safe_dump({"datasets": {"own": dataset}}))
    submit("--configfile", "own.yaml", folder=tmp_path)
    assert (tmp_path / "results" / "own" / "explorer.html").exists()
    ran = {job["Comment"]: job for job in jobs() if job["Comment"].endswith("_wildcards_own")}
    steps = ["read_comments", "vectorise_comments", "fit_comments", "answer"]
    assert list(ran) == [f"rule_{step}_wildcards_own" for step in steps]
    assert asked(ran["rule_fit_comments_wildcards_own"]) == (1, 8, 1200)


@pytest.mark.long
def test_the_quick_study_gives_the_same_tables(slurm, tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    config = ROOT / "config" / "quick.yaml"
    snakemake("--configfile", config, folder=here)
    submit("--configfile", config, folder=there)
    assert_same_files(here, there, "tables", dataset="quick")
