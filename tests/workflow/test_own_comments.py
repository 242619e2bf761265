"""Own comments through the workflow: every step, what runs again, and what is told."""

import pytest
import yaml
from helpers import snakemake

from minority_topics.base.files import read_csv, write_csv
from minority_topics.comments.example import write_example

SETTINGS = {"n_topics": 6, "n_minority": 3, "lemmas": "simplemma"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with 1,500 simulated comments, after a run on them."""
    folder = tmp_path_factory.mktemp("own")
    write_example(folder, "en", 1_500)
    dataset = {"kind": "comments", "files": "comments.csv", "language": "en"} | SETTINGS
    config = {"datasets": {"mine": dataset | {"seed_words": "seed_words.txt"}}}
    (folder / "mine.yaml").write_text(yaml.safe_dump(config))
    (folder / "said.txt").write_text(run(folder))
    return folder


def run(folder, *arguments, **options):
    return snakemake("--configfile", "mine.yaml", *arguments, folder=folder, **options)


def test_summaries_are_told_on_the_terminal(folder):
    said = (folder / "said.txt").read_text()
    for words in ("Read 1,500 rows", "entries found", "comments hold one", "constraints are met"):
        assert words in said
    assert "explorer.html in a browser" in said


def test_page_and_tables_are_there(folder):
    results = folder / "results" / "mine"
    assert (results / "forms" / "forms.npy").exists()
    assert (results / "explorer.html").stat().st_size > 10_000
    topics = read_csv(results / "tables" / "topics.csv")
    assert [row["kind"] for row in topics] == ["minority"] * 3 + ["majority"] * 3
    assert {row["prevalence"] for row in read_csv(results / "tables" / "trends.csv")}


def test_a_second_run_has_nothing_to_do(folder):
    assert "Nothing to be done" in run(folder)


def test_an_edit_of_names_repeats_the_answers_alone(folder):
    path = folder / "results" / "mine" / "topics.yaml"
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace("name: null", "name: Sleepless nights", 1), encoding="utf-8")
    said = run(folder)
    assert "Tables of mine" in said
    assert "Topics of mine" not in said
    topics = read_csv(folder / "results" / "mine" / "tables" / "topics.csv")
    assert topics[0]["name"] == "Sleepless nights"
    assert "Nothing to be done" in run(folder)


def test_without_texts_words_in_their_order_go_and_reruns_work(folder):
    config = yaml.safe_load((folder / "mine.yaml").read_text())
    config["datasets"] = {"quiet": config["datasets"]["mine"] | {"keep_texts": False}}
    config["datasets"]["quiet"]["seed_words"] = "own_seeds.txt"
    seeds = (folder / "seed_words.txt").read_text(encoding="utf-8")
    (folder / "own_seeds.txt").write_text(seeds, encoding="utf-8")
    (folder / "quiet.yaml").write_text(yaml.safe_dump(config))
    results = folder / "results" / "quiet"

    def run_quietly():
        said = snakemake("--configfile", "quiet.yaml", folder=folder)
        assert [*results.rglob("forms.npy"), *results.rglob("forms.txt")] == []
        return said

    run_quietly()
    assert (results / "explorer.html").exists()
    assert "Nothing to be done" in run_quietly()
    names = results / "topics.yaml"
    text = names.read_text(encoding="utf-8").replace("name: null", "name: Nights", 1)
    names.write_text(text, encoding="utf-8")
    said = run_quietly()
    assert "Tables of quiet" in said
    assert "Reading the comments" not in said
    assert "Words and seed words" not in said
    # Words are looked up again: the comments are read again.
    (folder / "own_seeds.txt").write_text(f"{seeds}\nanother\n", encoding="utf-8")
    said = run_quietly()
    assert "Reading the comments of quiet" in said
    assert "Words and seed words of quiet" in said
    assert "Nothing to be done" in run_quietly()


def test_a_step_that_fails_says_why(folder):
    write_csv(folder / "other.csv", ["text"], [["the weather is nice today"]] * 20)
    config = yaml.safe_load((folder / "mine.yaml").read_text())
    config["datasets"]["other"] = config["datasets"].pop("mine") | {"files": "other.csv"}
    (folder / "other.yaml").write_text(yaml.safe_dump(config))
    said = snakemake("--configfile", "other.yaml", folder=folder, expect=1)
    assert "vectorise_comments failed: " in said
    assert "seed_words.txt" in said.split("vectorise_comments failed: ")[1].splitlines()[0]
    # No command, no list of the library's files.
    assert "exec env" not in said
    assert "comments/matrix.py" not in said
