"""Vectors of words from a text file of fastText, GloVe or word2vec."""

import gzip
import zlib
from contextlib import suppress

import numpy as np

from ..base.text import counted
from .readers import DataError, require_file


def read_word_vectors(path, vocabulary):
    """Vectors (N x d, single precision) of the words of a vocabulary; zeros for the others.

    Each line is a word and its numbers, with blanks between them; a first line of two numbers, how
    many words and how long, is passed over. The file may be compressed by gzip. Lines of other
    words are not parsed, so that a file of two million words takes a minute.
    """
    path = require_file(path)
    row_of = {word.encode(): row for row, word in enumerate(vocabulary)}
    vectors = None
    found = 0
    try:
        with open(path, "rb") as file, _unpacked(file) as lines:
            for number, line in enumerate(lines, start=1):
                word, _, rest = line.strip().partition(b" ")
                if word not in row_of or (number == 1 and len(rest.split()) == 1):
                    continue
                vector = _numbers(rest)
                if vectors is None and len(vector):
                    vectors = np.zeros((len(row_of), len(vector)), dtype=np.float32)
                if vectors is None or len(vector) != vectors.shape[1]:
                    raise DataError(
                        f"{path}, line {number}: there must be a word and as many numbers as on "
                        "other lines; give a text file of vectors, such as cc.fi.300.vec.gz"
                    )
                found += not vectors[row_of[word]].any()
                vectors[row_of[word]] = vector
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path}: its gzip data are damaged; fetch the file anew") from error
    if vectors is None:
        raise DataError(
            f"{path}: it has no vector for any of {counted(len(row_of), 'word')}; give vectors of "
            "the language of the documents, as text"
        )
    return vectors, found


def _unpacked(file):
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    return gzip.GzipFile(fileobj=file) if packed else file


def _numbers(text):
    """The numbers of a line, none if one of them is not a finite number."""
    with suppress(ValueError):
        vector = np.array(text.split(), dtype=np.float32)
        if np.isfinite(vector).all():
            return vector
    return np.empty(0, dtype=np.float32)
