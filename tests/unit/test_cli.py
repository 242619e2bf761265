"""The command line: every verb explains itself, and errors are sentences."""

import csv
import os
import subprocess
import sys

import pytest
from helpers import corpus_of, planted

from minority_topics.base.processes import pool_of
from minority_topics.cli import main
from minority_topics.cli.verbs import VERBS, Verb, count_or_share
from minority_topics.corpus.storage import read_corpus, read_documents
from minority_topics.study.paths import ROOT


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_has_help(verb, capsys):
    with pytest.raises(SystemExit) as ended:
        main([verb, "--help"])
    assert ended.value.code == 0
    assert "usage: minority_topics" in capsys.readouterr().out


def test_help_lists_every_verb_with_its_summary(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    printed = " ".join(capsys.readouterr().out.split())
    for name, verb in VERBS.items():
        assert f"{name} {' '.join(verb.summary.split())}" in printed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["read_labelled", "gone.csv", "--out", "out.csv"], "gone.csv: no such file"),
        (["fit", "nfm", "--corpus", ".", "--out", "out"], "no method 'nfm'; there are"),
        (["check", "gone.yaml"], "gone.yaml"),
        (["check", "."], "is a directory"),
        (
            [
                "report",
                "--tables",
                "scores.csv",
                "--corpora",
                ".",
                "--versions",
                "v.csv",
                "--config",
                "c.yaml",
                "--out",
                "out.html",
            ],
            "scores.csv: no such file or directory",
        ),
    ],
)
def test_errors_are_sentences(arguments, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert sentence in str(ended.value.code)
    assert str(ended.value.code).startswith(f"minority_topics {arguments[0]}: ")


@pytest.mark.parametrize(
    ("value", "sentence"), [("{", "'{' is not JSON"), ("[1]", "must be a JSON object")]
)
def test_bad_json_is_explained(value, sentence, capsys):
    with pytest.raises(SystemExit):
        main(["fit", "nmf", "--corpus", ".", "--out", "out", "--options", value])
    assert sentence in capsys.readouterr().err


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    """As where the library was installed for the model alone."""
    (tmp_path / "scores.csv").write_text("method\n")
    monkeypatch.setitem(sys.modules, "pandas", None)
    arguments = ["compare", str(tmp_path / "scores.csv"), "--summary", "a", "--comparisons", "b"]
    with pytest.raises(SystemExit, match=r'pandas .*pip install "minority-topics\[study\]"'):
        main(arguments)


def test_a_missing_package_without_a_name_is_a_sentence(monkeypatch):
    def incomplete(options):
        raise ModuleNotFoundError("gone")

    monkeypatch.setitem(VERBS, "methods", Verb(incomplete, "", ()))
    with pytest.raises(SystemExit, match="methods: a package is not installed; pip install"):
        main(["methods"])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "No columns to parse from file; make the table anew"),
        ("a,b\n1,2\n1,2,3\n", "Expected 2 fields in line 3, saw 3; make the table anew"),
        ("dataset,method\nsim,nmf\n", "there is no column 'n_topics'; make the table anew"),
    ],
)
@pytest.mark.parametrize("verb", ["compare", "verdicts"])
def test_a_damaged_table_is_named(tmp_path, verb, content, sentence):
    path = tmp_path / "scores.csv"
    path.write_text(content)
    outputs = {"compare": ["--summary", "--comparisons"], "verdicts": ["--numbers", "--claims"]}
    out = [word for name in outputs[verb] for word in (name, str(tmp_path / "out.csv"))]
    with pytest.raises(SystemExit) as ended:
        main([verb, str(path), *out])
    assert str(ended.value.code).startswith(f"minority_topics {verb}: {path}: ")
    assert str(ended.value.code).endswith(sentence)
    assert "\n" not in str(ended.value.code)


def test_a_defect_of_ours_keeps_its_traceback(monkeypatch):
    def defect(options):
        raise KeyError("a defect")

    monkeypatch.setitem(VERBS, "methods", Verb(defect, "", ()))
    with pytest.raises(KeyError):
        main(["methods"])


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "memory ran out; make some free"),
        (MemoryError("8 GiB for an array"), r"memory ran out \(8 GiB for an array\); make some"),
    ],
)
def test_memory_that_runs_out_is_told_in_a_sentence(monkeypatch, error, sentence):
    def large(options):
        raise error

    monkeypatch.setitem(VERBS, "methods", Verb(large, "", ()))
    with pytest.raises(SystemExit, match=f"^minority_topics methods: {sentence}"):
        main(["methods"])


def test_a_killed_process_of_a_pool_is_told_in_a_sentence(monkeypatch):
    def shared(options):
        with pool_of(1) as pool:
            pool.submit(os._exit, 9).result()

    monkeypatch.setitem(VERBS, "methods", Verb(shared, "", ()))
    with pytest.raises(SystemExit, match=r"^minority_topics methods: a process that shared the"):
        main(["methods"])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["lock_env", "tool.yaml"], "tool.yaml: uv failed: .*; mend that, and lock again$"),
        (
            ["build_env", "tool.yaml", "--record", "env/tool.json", "--required"],
            "environment tool: failed: uv failed: ",
        ),
    ],
)
def test_uv_without_a_network_is_told_in_a_sentence(tmp_path, monkeypatch, arguments, sentence):
    pins = "dependencies:\n  - pip:\n      - iniconfig==0.0.0.1\n"
    (tmp_path / "tool.yaml").write_text(pins)
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "empty"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=f"^minority_topics {arguments[0]}: .*{sentence}"):
        main(arguments)


LOGGED = """
import signal, sys
from minority_topics.base.processes import pool_of
from minority_topics.cli import main
from minority_topics.cli.verbs import VERBS, Verb

def run(options):
    print("found ä", 1)
    print("a warning", file=sys.stderr, end="")
    assert not sys.stderr.isatty()
    {end}

VERBS["methods"] = Verb(run, "", ())
main(["--log", "run.log", "methods"])
"""


@pytest.mark.parametrize(
    ("end", "last"),
    [
        ("raise ValueError('no word; add one')", "minority_topics methods: no word; add one"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("print('.'), signal.raise_signal(signal.SIGTERM)", "a warning."),
    ],
)
def test_the_log_has_all_that_is_printed_when_the_process_ends(tmp_path, end, last):
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "workflow"), "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-c", LOGGED.format(end=end)]
    ran = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environ, check=False)
    assert ran.returncode != 0
    log = (tmp_path / "run.log").read_text(encoding="utf-8")
    assert log.startswith("found ä 1\na warning")
    assert log.splitlines()[-1].endswith(last)
    assert sorted(log) == sorted((ran.stdout + ran.stderr).decode().replace("?", "ä"))


def test_a_log_that_cannot_be_written_is_named(tmp_path):
    log = str(tmp_path / "gone" / "run.log")
    with pytest.raises(SystemExit, match=f"methods: {log}: no such file"):
        main(["--log", log, "methods"])


def test_names_that_a_terminal_cannot_show_do_not_stop_a_verb():
    environ = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": str(ROOT / "workflow")}
    command = [sys.executable, "-m", "minority_topics", "methods"]
    ran = subprocess.run(command, env=environ, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert b"constrained_nmf" in ran.stdout


def test_check_prints_the_config_with_its_defaults(capsys):
    main(["check", str(ROOT / "config" / "quick.yaml")])
    assert "max_df: 1.0" in capsys.readouterr().out


def test_methods_lists_every_row(capsys):
    main(["methods"])
    lines = capsys.readouterr().out.splitlines()
    rows = (ROOT / "config" / "methods.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split()[0] for line in lines] == [row.split("\t")[0] for row in rows]


def test_a_corpus_from_background_to_matrices(tmp_path):
    topics, seeds = ROOT / "config" / "topics_fi.yaml", ROOT / "config" / "seed_words_fi.txt"
    background, documents = tmp_path / "background", tmp_path / "documents"
    main(
        ["background", "--n-documents", "50", "--random-state", "1", "5", "--out", str(background)]
    )
    main(["inject", "--documents", str(background), "--topics", str(topics), "--rate", "1",
          "--random-state", "2", "3", "--out", str(documents)])  # fmt: skip
    main(["vectorise", str(documents), "--seed-words", str(seeds), "--topics", str(topics),
          "--out", str(tmp_path)])  # fmt: skip
    corpus, other = read_corpus(tmp_path / "0"), read_corpus(tmp_path / "1")
    assert corpus.tokens != other.tokens
    before, after = (read_documents(folder / "0.csv") for folder in (background, documents))
    added = [
        len(b["text"].split()) - len(a["text"].split()) for a, b in zip(before, after, strict=True)
    ]
    assert set(added) == {4}
    assert (corpus.labels >= 0).all()
    assert corpus.counts.shape == corpus.tfidf.shape == (50, len(corpus.vocabulary))
    assert len(corpus.topic_names) == len(corpus.truth) == 18
    assert corpus.counts.sum() == sum(map(len, corpus.tokens))


def test_background_is_drawn_from_a_file(tmp_path):
    with open(tmp_path / "comments.csv", "w", newline="") as file:
        csv.writer(file).writerows([["text"], *[[f"sana{n} toinen"] for n in range(20)], ["!?"]])
    arguments = ["background", "--source", str(tmp_path / "comments.csv"), "--random-state", "1"]
    main([*arguments, "--n-documents", "5", "--out", str(tmp_path / "out")])
    rows = read_documents(tmp_path / "out" / "0.csv")
    assert len({row["text"] for row in rows}) == 5
    with pytest.raises(SystemExit, match="20 documents hold a word, and n_documents=21"):
        main([*arguments, "--n-documents", "21", "--out", str(tmp_path / "out")])


def test_verify_names_what_is_damaged_and_repair_removes_it(tmp_path, capsys):
    for name in ("0", "1"):
        corpus_of(tmp_path / "corpus" / name, planted(6))
    main(["verify", str(tmp_path)])
    assert "0 problems found" in capsys.readouterr().out
    words = tmp_path / "corpus" / "1" / "vocabulary.txt"
    words.write_text(words.read_text().replace("a", "b", 1))
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(tmp_path)])
    assert ended.value.code == 1
    printed = capsys.readouterr().out
    assert f"{words} is damaged" in printed
    assert printed.endswith("\n1 problem found\n")
    (tmp_path / "corpus" / "0" / "foreign.txt").touch()
    main(["verify", "--repair", str(tmp_path)])
    # The files of the corpus, and its manifest.
    assert capsys.readouterr().out.endswith(
        "\n2 problems found, 9 outputs removed, 1 foreign kept\n"
    )
    assert not words.exists()
    main(["verify", "--repair", str(tmp_path)])
    assert capsys.readouterr().out.endswith(
        "\n1 problem found, 0 outputs removed, 1 foreign kept\n"
    )
    assert (tmp_path / "corpus" / "0" / "vocabulary.txt").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("draw_sample --tables t --comments c --out s.csv --n -5", "--n: '-5' must be a whole"),
        ("draw_sample --tables t --comments c --out s.csv --n 2", "a whole number of at least 3"),
        ("background --random-state 1 --out o --n-documents -1", "--n-documents: '-1' must be a"),
        ("background --random-state 1 -1 --out o", "--random-state: '-1' must be a whole number"),
        ("inject --documents d --topics t --random-state 1 --out o --n-words -1", "--n-words"),
        ("inject --documents d --topics t --random-state 1 --out o --rate 1.5", "from 0 to 1"),
        ("simulate_comments --out o --random-state -1", "whole number of at least 0"),
        ("simulate_comments --out o --n-comments many", "--n-comments: 'many' must be a whole"),
        ("vectorise d --seed-words s --out o --min-df -3", "--min-df: '-3' must be a number of at"),
        ("vectorise d --seed-words s --out o --max-df nan", "--max-df: 'nan' must be a number"),
        ("choose --matrix m --out o --theta-min 4", "--theta-min: '4' must be a share from 0 to 1"),
        ("choose --matrix m --out o --n-states 0", "--n-states: '0' must be a whole number of"),
        ("fit nmf --corpus c --out o --n-topics 2.5", "--n-topics: '2.5' must be a whole number"),
    ],
)
def test_a_number_that_cannot_be_is_refused_where_it_enters(arguments, sentence, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_number_of_a_verb_has_a_least_value(verb):
    types = {names[0]: options.get("type") for names, options in VERBS[verb].arguments}
    assert not [name for name, kind in types.items() if kind in (int, float)]


def test_counts_are_whole_and_shares_are_not():
    assert [count_or_share(text) for text in ("5", "0.5", "1.0", "0")] == [5, 0.5, 1.0, 0]
    assert [type(count_or_share(text)) for text in ("1", "1.0")] == [int, float]
