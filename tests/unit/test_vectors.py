"""Word vectors from a text file."""

import gzip

import numpy as np
import pytest

from minority_topics.corpus.readers import DataError
from minority_topics.corpus.vectors import read_word_vectors

WORDS = ["ahdistus", "kissa", "tuntematon"]
TEXT = "3 2\nkissa 1 -0.5\nmuu ei lueta\nahdistus 0.25 2e-1\n"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("header", [True, False])
def test_words_of_the_vocabulary_get_their_vectors(tmp_path, packed, header):
    text = TEXT if header else TEXT.split("\n", 1)[1]
    path = tmp_path / "fi.vec"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    vectors, found = read_word_vectors(path, WORDS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [[0.25, 0.2], [1, -0.5], [0, 0]])
    assert found == 2


def test_a_word_that_is_a_number_is_no_header(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("7 0.5 0.25\n")
    np.testing.assert_array_equal(read_word_vectors(path, ["7"])[0], [[0.5, 0.25]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"kissa 1 2\nahdistus 1\n", "line 2: there must be a word and as many numbers"),
        (b"kissa yksi kaksi\n", "line 1: there must be a word"),
        (b"kissa 1 nan\n", "line 1: there must be a word"),
        (b"kissa\n", "line 1: there must be a word"),
        (b"koira 1 2\n", "no vector for any of 3 words"),
        (b"", "no vector for any of 3 words"),
        (gzip.compress(b"kissa 1 2\n" * 99, mtime=0)[:-9], "gzip data are damaged"),
        (b"\x00\xff\xfe", "no vector for any"),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path, content, message):
    path = tmp_path / "v.vec"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_word_vectors(path, WORDS)


def test_no_file(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_word_vectors(tmp_path / "v.vec", WORDS)
