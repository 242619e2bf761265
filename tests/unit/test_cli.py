"""The command line: every verb explains itself, and errors are sentences."""

import csv

import pytest

from minority_topics.cli import build_parser, main
from minority_topics.contract import read_corpus, read_documents
from minority_topics.registry import ROOT

VERBS = sorted(build_parser()._subparsers._group_actions[0].choices)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb, capsys):
    with pytest.raises(SystemExit) as ended:
        main([verb, "--help"])
    assert ended.value.code == 0
    assert "usage: minority_topics" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["read_labelled", "gone.csv", "--out", "out.csv"], "gone.csv: no such file"),
        (["fit", "nfm", "--corpus", ".", "--out", "out"], "no method 'nfm'; there are"),
        (["check", "gone.yaml"], "gone.yaml"),
    ],
)
def test_errors_are_sentences(arguments, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert sentence in str(ended.value.code)
    assert str(ended.value.code).startswith(f"minority_topics {arguments[0]}: ")


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
