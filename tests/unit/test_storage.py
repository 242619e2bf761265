"""A corpus whose files do not agree is refused, never read askew."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import corpus_of

from minority_topics.base.files import read_csv, write_csv
from minority_topics.base.manifest import write_manifest
from minority_topics.corpus.storage import FILES, CorpusError, read_corpus, read_facts

DOCUMENTS = [["a", "b"], ["b"], ["c", "c"]]


@pytest.fixture
def folder(tmp_path):
    truth = {"one": [0.5, 0.5, 0], "two": [0, 0, 1]}
    return corpus_of(
        tmp_path / "corpus", DOCUMENTS, ["a"], labels=["one", "-1", "two"], truth=truth
    )


def write_npz(path, matrix):
    with open(path, "wb") as file:
        sp.save_npz(file, sp.csr_matrix(matrix))


def beyond_the_columns(path):
    matrix = sp.csr_matrix(np.ones((3, 3)))
    matrix.indices[0] = 1000
    with open(path, "wb") as file:
        sp.save_npz(file, matrix)


def change_label(path, label):
    rows = read_csv(path)
    rows[0]["label"] = label
    write_csv(path, list(rows[0]), [row.values() for row in rows])


def test_labels_stand_for_the_topics_of_their_names(folder):
    corpus = read_corpus(folder)
    assert corpus.labels.tolist() == [0, -1, 1]
    assert corpus.topic_names == ["one", "two"]
    assert corpus.counts.toarray().tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 2]]


def test_what_is_no_corpus_is_told(tmp_path):
    with pytest.raises(CorpusError, match=r"is not a corpus: .*counts\.npz is missing; make it"):
        read_corpus(tmp_path)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("how", ["edit", "truncate", "empty", "delete"])
def test_every_damaged_file_is_seen(folder, name, how):
    content = (folder / name).read_bytes()
    changed = {"edit": content[:-1] + bytes([content[-1] ^ 1]), "truncate": content[:-5]}
    (folder / name).unlink() if how == "delete" else (folder / name).write_bytes(
        changed.get(how, b"")
    )
    with pytest.raises(CorpusError, match=f"{name} is (damaged|missing).*remove .* and run again"):
        read_corpus(folder)


def test_facts_are_checked_too(folder):
    (folder / "corpus.json").write_text('{"documents": 5}')
    with pytest.raises(ValueError, match=r"corpus\.json is damaged"):
        read_facts(folder)


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("topics.txt", lambda path: path.write_text("two\n"), "label 'one' is no topic"),
        ("topics.txt", lambda path: path.write_text("one\ntwo\nsix\n"), "must be (3, 3)"),
        ("topics.txt", lambda path: path.write_text("one\ntwo\none\n"), "a line appears twice"),
        ("topics.txt", lambda path: path.write_text("one\ntwo\n-1\n"), "the label of background"),
        ("vocabulary.txt", lambda path: path.write_text("a\nb\n"), "and must be (3, 2)"),
        ("vocabulary.txt", lambda path: path.write_text("a\nb\nb\n"), "a line appears twice"),
        ("vocabulary.txt", lambda path: path.write_bytes(b"a\n\xff\nb\n"), "cannot be read"),
        ("counts.npz", lambda path: write_npz(path, np.ones((2, 3))), "it is (2, 3)"),
        ("counts.npz", lambda path: write_npz(path, -np.ones((3, 3))), "negative"),
        ("counts.npz", lambda path: path.write_bytes(b"PK nonsense"), "cannot be read"),
        ("counts.npz", beyond_the_columns, "cannot be read"),
        ("tfidf.npz", lambda path: write_npz(path, np.full((3, 3), np.nan)), "non-finite"),
        ("truth.npz", lambda path: np.savez(path, truth=np.ones((1, 3))), "it is (1, 3)"),
        ("truth.npz", lambda path: np.savez(path, other=np.ones((2, 3))), "cannot be read"),
        ("documents.csv", lambda path: change_label(path, "six"), "label 'six' is no topic"),
        ("documents.csv", lambda path: path.write_text("id,label\n0,one\n"), "row 1 has no text"),
        ("documents.csv", lambda path: path.write_text("id,label,text\n0,one,a"), "must be (1, 3)"),
    ],
)  # fmt: skip
def test_files_that_do_not_agree_are_refused(folder, name, change, problem):
    """Even where the manifest is right: whoever wrote the folder may have been wrong."""
    change(folder / name)
    write_manifest(folder)
    with pytest.raises(CorpusError) as caught:
        read_corpus(folder)
    assert problem in str(caught.value)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["", "one\ntwo", "one\r"])
def test_a_name_that_would_shift_the_topics_is_never_written(tmp_path, name):
    with pytest.raises(ValueError, match=r"entry .* (is empty|holds a line break)"):
        corpus_of(tmp_path, DOCUMENTS, ["a"], labels=[name, "-1", "-1"], truth={name: [1, 0, 0]})
