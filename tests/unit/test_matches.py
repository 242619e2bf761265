"""Learned topics beside true ones: a corpus and a fit whose tables are computed by hand."""

from math import log2

import numpy as np
import pytest
from helpers import corpus_of

from minority_topics.base.files import read_csv, write_json
from minority_topics.base.manifest import write_manifest
from minority_topics.cli import main
from minority_topics.corpus.glosses import Glosses
from minority_topics.corpus.storage import read_corpus
from minority_topics.methods.contract import Fit, write_fit
from minority_topics.scores.matches import (
    EXAMPLE_COLUMNS,
    N_EXAMPLES,
    TOPIC_COLUMNS,
    TRUE_TOPIC_COLUMNS,
    examples,
    read_shown,
    topics,
    true_topics,
)
from minority_topics.scores.tables import read_frame

TEXTS = ["a b", "a a", "b d", "c", "c c d", "d", "a"]
LABELS = ["X", "X", "X", "Y", "Y", "-1", "X"]
TRUTH = {"X": [0.5, 0.5, 0, 0], "Y": [0, 0, 1, 0]}
DOC_TOPIC = [[0.2, 0.8], [0, 1], [0.9, 0.1], [0.6, 0.4], [0.6, 0.4], [1, 0], [0, 0]]
TOPIC_WORD = [[0, 0, 0.5, 0.5], [0.5, 0.5, 0, 0]]
GLOSSES = Glosses({"a": "first"}, {"X": "Ex"})
# Of (1, 0) to (1/2, 1/2), whose mean is (3/4, 1/4).
HALF = (log2(4 / 3) + 0.5 * log2(2 / 3) + 0.5) / 2


def write_fits(folder, corpus, statuses=("ok",), doc_topic=DOC_TOPIC, topic_word=TOPIC_WORD):
    """Fits of a corpus as `fit` leaves them; their second topic is the minority topic."""
    fit = Fit(np.array(doc_topic, float), np.array(topic_word, float), minority=[1])
    for repetition, status in enumerate(statuses):
        path = folder / str(repetition)
        path.mkdir(parents=True)
        write_json(path / "status.json", {"status": status, "corpus": str(corpus)})
        if status == "ok":
            write_fit(path, fit, read_corpus(corpus))
        write_manifest(path)
    return folder


@pytest.fixture
def make(tmp_path):
    """Fits of a corpus of the given documents."""

    def fits(texts=TEXTS, labels=LABELS, truth=TRUTH, **options):
        documents = [text.split() for text in texts]
        corpus = corpus_of(tmp_path / "corpus", documents, ["a"], list("abcd"), labels, truth)
        return write_fits(tmp_path / "fits", corpus, **options)

    return fits


def test_topics_name_the_closest_true_topic_and_what_is_known_of_words(make):
    rows = topics(read_shown(make()), GLOSSES)
    assert [(row["topic"], row["rank"], row["word"]) for row in rows] == [
        (1, 1, "c"), (1, 2, "d"), (2, 1, "a"), (2, 2, "b"),
    ]  # fmt: skip
    assert [row["kind"] for row in rows] == ["majority"] * 2 + ["minority"] * 2
    assert [row["documents"] for row in rows] == ["4", "4", "2", "2"]
    assert [row["closest"] for row in rows] == ["Y", "Y", "X", "X"]
    assert [row["closest_gloss"] for row in rows] == ["", "", "Ex", "Ex"]
    assert [float(row["closest_jsd"]) for row in rows] == pytest.approx([HALF] * 2 + [0] * 2, 1e-5)
    assert [row["gloss"] for row in rows] == ["", "", "first", ""]
    assert [row["seed"] for row in rows] == [False, False, True, False]
    assert list(rows[0]) == TOPIC_COLUMNS


def test_true_topics_stand_beside_their_nearest(make):
    first, second = true_topics(read_shown(make()), GLOSSES)
    assert first == {
        "topic": "X", "gloss": "Ex", "words": "a, b", "documents": 4, "nearest": 2,
        "nearest_kind": "minority", "nearest_words": "a, b", "jsd": "0", "found": 2, "share": "0.5",
    }  # fmt: skip
    assert (second["topic"], second["nearest"], second["nearest_words"]) == ("Y", 1, "c, d")
    assert (second["documents"], second["found"], second["share"]) == (2, 2, "1")
    assert float(second["jsd"]) == pytest.approx(HALF, rel=1e-5)
    assert list(first) == TRUE_TOPIC_COLUMNS


def test_examples_are_the_heaviest_documents_and_outliers_are_bad_ones(make):
    rows = examples(read_shown(make()))
    shown = ("topic", "kind", "id", "assigned", "weight")
    assert [tuple(row[name] for name in shown) for row in rows] == [
        ("X", "well", "1", 2, "1"), ("X", "well", "0", 2, "0.8"),
        ("X", "badly", "2", 1, "0.9"), ("X", "badly", "6", "", "0"),
        ("Y", "well", "3", 1, "0.6"), ("Y", "well", "4", 1, "0.6"),
    ]  # fmt: skip
    assert [row["text"] for row in rows] == ["a a", "a b", "b d", "a", "c", "c c d"]
    assert [row["assigned_words"] for row in rows] == ["a, b", "a, b", "c, d", "", "c, d", "c, d"]
    assert list(rows[0]) == EXAMPLE_COLUMNS


def test_there_are_at_most_three_examples_of_each_kind(make):
    weights = np.linspace(0.5, 0.9, 10)
    right = np.column_stack([1 - weights, weights])
    fits = make(["a"] * 20, ["X"] * 20, doc_topic=np.vstack([right, right[:, ::-1]]))
    rows = examples(read_shown(fits))
    assert [row["id"] for row in rows] == ["9", "8", "7", "19", "18", "17"]
    assert N_EXAMPLES == 3


def test_the_first_fit_that_came_out_is_shown(make):
    fits = make(statuses=("failed", "ok"))
    assert len(true_topics(read_shown(fits), GLOSSES)) == 2
    (fits / "0").rename(fits.parent / "failed")
    assert len(true_topics(read_shown(fits), GLOSSES)) == 2


def test_a_true_topic_whose_words_do_not_occur_has_no_nearest(make):
    truth = {"X": [0.5, 0.5, 0, 0], "Y": [0, 0, 0, 0]}
    shown = read_shown(make(truth=truth))
    row = true_topics(shown, GLOSSES)[1]
    assert row == {"topic": "Y", "gloss": "", "words": "", "documents": 2}
    assert {row["topic"] for row in examples(shown)} == {"X"}
    assert {row["closest"] for row in topics(shown, GLOSSES)} == {"X"}


def test_a_true_topic_without_documents_has_no_share(make):
    labels = ["-1" if label == "Y" else label for label in LABELS]
    row = true_topics(read_shown(make(labels=labels)), GLOSSES)[1]
    assert (row["documents"], row["nearest"], row["found"], row["share"]) == (0, 1, 0, "")


@pytest.mark.parametrize("case", ["no labels", "no fit"])
def test_without_labels_or_fits_there_are_headers_alone(make, tmp_path, case):
    fits = make(labels=None, truth={}) if case == "no labels" else make(statuses=("failed",))
    true, shown, words = (tmp_path / name for name in ("true.csv", "examples.csv", "topics.csv"))
    main(["matches", str(fits), "--true-topics", str(true), "--examples", str(shown)])
    main(["topics", str(fits), "--out", str(words)])
    assert list(read_frame(true)) == TRUE_TOPIC_COLUMNS
    assert list(read_frame(shown)) == EXAMPLE_COLUMNS
    assert read_csv(true) == read_csv(shown) == []
    assert list(read_frame(words)) == TOPIC_COLUMNS
    closest = [row["closest"] for row in read_csv(words)]
    assert closest == ([""] * 4 if case == "no labels" else [])


def test_glosses_of_files_reach_the_tables(make, tmp_path):
    (tmp_path / "w.tsv").write_text("word\tgloss\na\tfirst\n")
    (tmp_path / "t.yaml").write_text("- {name: X, gloss: Ex, words: {b: second}}")
    glosses = ["--glosses", str(tmp_path / "w.tsv"), str(tmp_path / "t.yaml")]
    fits, out = make(), tmp_path / "out"
    main(["topics", str(fits), *glosses, "--out", str(out / "topics.csv")])
    assert [row["gloss"] for row in read_csv(out / "topics.csv")] == ["", "", "first", "second"]
    tables = ["--true-topics", str(out / "true.csv"), "--examples", str(out / "examples.csv")]
    main(["matches", str(fits), *glosses, *tables])
    assert [row["gloss"] for row in read_csv(out / "true.csv")] == ["Ex", ""]
    assert read_frame(out / "examples.csv")["id"].tolist() == ["1", "0", "2", "6", "3", "4"]
