"""From forms to rows over a vocabulary: the same way for a corpus and for new comments."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ..base.files import read_json, read_lines
from ..corpus.forms import forms
from ..corpus.lemmas import make_lemmatiser
from ..corpus.readers import DataError
from .folders import ENCODER, IDF, VOCABULARY
from .seeds import SeedRule

VERSION = 1
# Comments that are encoded at a time, which bounds the memory.
ROWS_AT_A_TIME = 200_000
# Stands for no word: a stop word, or a word that the vocabulary does not hold.
NO_WORD = -1


class WordRule:
    """The word that a form counts as: a seed word, else its first lemma unless that is stopped.

    Stop words are compared with the form and with the lemma. The rule depends on its settings
    alone, which are what encoder.json holds, and on no corpus.
    """

    def __init__(self, lemmatiser, stop_words, seeds):
        self.lemmatiser = lemmatiser
        self.stop_words = frozenset(stop_words)
        self.seeds = seeds

    @classmethod
    def from_settings(cls, settings):
        lemmatiser = make_lemmatiser(settings["language"], settings["lemmas"])
        seeds = SeedRule(
            settings["seed_words"], settings["wildcards"], settings["phrases"],
            settings["compounds"], lemmatiser,
        )  # fmt: skip
        return cls(lemmatiser, settings["stop_words"], seeds)

    @property
    def settings(self):
        return {
            "version": VERSION,
            "language": self.lemmatiser.language,
            "lemmas": self.lemmatiser.name,
            "lemmas_version": self.lemmatiser.version,
            "stop_words": sorted(self.stop_words),
            "seed_words": sorted(self.seeds.words),
            "wildcards": list(self.seeds.wildcards),
            "phrases": list(map(list, self.seeds.phrases)),
            "compounds": self.seeds.compounds,
        }

    def __call__(self, form):
        """(word, whether it is a seed word, parts of phrases that it can be); no word is ""."""
        lemmas = self.lemmatiser.lemmas(form)
        parts = self.seeds.parts(form, lemmas)
        seed_word = self.seeds.word(form, lemmas)
        if seed_word:
            return seed_word, True, parts
        word = lemmas[0]
        is_stopped = form in self.stop_words or word in self.stop_words
        return "" if is_stopped else word, False, parts


@dataclass
class FormTable:
    """What the forms of some comments count as.

    `columns` (F,) is the column of each form, NO_WORD for none, and `is_seed` (F,) whether it is a
    seed word. Each of `phrases` is a column and, for each part, which forms (F,) it can be.
    """

    columns: np.ndarray
    is_seed: np.ndarray
    phrases: list[tuple[int, list[np.ndarray]]]
    n_columns: int

    def keep(self, is_kept):
        """The table of the columns (N,) that are kept, in order; their places move up."""
        place = np.where(is_kept, np.cumsum(is_kept) - 1, NO_WORD)
        place = np.append(place, NO_WORD).astype(np.int32)  # of NO_WORD, which is -1
        phrases = [(int(place[c]), parts) for c, parts in self.phrases if is_kept[c]]
        return FormTable(place[self.columns], self.is_seed, phrases, int(is_kept.sum()))


def tabulate(columns, is_seed, parts, phrases, n_columns):
    """A FormTable, of `parts`: numbers of forms by part, and `phrases`: columns by parts."""
    can_be = {}
    for part, numbers in parts.items():
        can_be[part] = np.zeros(len(columns), dtype=bool)
        can_be[part][numbers] = True
    found = [
        (column, [can_be[part] for part in phrase])
        for phrase, column in phrases.items()
        if all(part in can_be for part in phrase)
    ]
    return FormTable(columns, is_seed, found, n_columns)


def count_words(numbers, offsets, table, on_phrase=None):
    """Counts (M x N, CSR int32) of comments whose forms are numbers[offsets[i]:offsets[i + 1]].

    A phrase is one word, counted wherever it occurs. The words in it are not counted for
    themselves, unless they are seed words too. `on_phrase(forms)` is told the forms (n x length)
    of the phrases that were found.
    """
    columns = table.columns[numbers]
    phrases = list(_find_phrases(numbers, offsets, table.phrases))
    for _, places in phrases:
        columns[places[~table.is_seed[numbers[places]]]] = NO_WORD
    counts = _tally(columns, offsets, table.n_columns)
    if phrases:
        begins = np.concatenate([places[:, 0] for _, places in phrases])
        of_phrases = np.repeat([column for column, _ in phrases], [len(p) for _, p in phrases])
        rows = np.searchsorted(offsets, begins, side="right") - 1
        ones = np.ones(len(rows), dtype=np.int32)
        counts += sp.csr_matrix((ones, (rows, of_phrases)), shape=counts.shape)
    for _, places in phrases if on_phrase is not None else ():
        on_phrase(numbers[places])
    return counts


def _tally(columns, offsets, n_columns):
    is_kept = columns != NO_WORD
    n_before = np.zeros(len(columns) + 1, dtype=np.int32)
    np.cumsum(is_kept, out=n_before[1:])
    columns = columns[is_kept]
    counts = sp.csr_matrix(
        (np.ones(len(columns), dtype=np.int32), columns, n_before[offsets]),
        shape=(len(offsets) - 1, n_columns),
    )
    counts.sum_duplicates()
    return counts


def _find_phrases(numbers, offsets, phrases):
    """(column, places of its parts (n x length)) of the phrases that occur."""
    if not phrases:
        return
    can_begin = np.logical_or.reduce([parts[0] for _, parts in phrases])
    candidates = np.flatnonzero(can_begin[numbers])
    ends = offsets[np.searchsorted(offsets, candidates, side="right")]
    for column, parts in phrases:
        begins = candidates[candidates + len(parts) <= ends]
        for place, can_be in enumerate(parts):
            begins = begins[can_be[numbers[begins + place]]]
        if len(begins):
            yield column, _apart(begins, len(parts))[:, None] + np.arange(len(parts))


def _apart(begins, length):
    """Those of ascending places that are at least `length` behind the last one kept.

    Of "very very very", the phrase "very very" is there once.
    """
    if not (np.diff(begins) < length).any():
        return begins
    kept, end = [], -1
    for begin in begins.tolist():
        if begin >= end:
            kept.append(begin)
            end = begin + length
    return np.array(kept, dtype=begins.dtype)


def weigh(counts, idf):
    """TF-IDF (M x N, CSR float32) of counts: their rows times `idf`, of length one.

    It shares the places of its entries with the counts.
    """
    weights = np.empty(len(counts.data), dtype=np.float32)
    for first in range(0, counts.shape[0], ROWS_AT_A_TIME):  # in doubles, some rows at a time
        ends = counts.indptr[first : first + ROWS_AT_A_TIME + 1]
        part = slice(ends[0], ends[-1])
        row = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        products = counts.data[part] * idf[counts.indices[part]].astype(np.float64)
        weights[part] = products / np.sqrt(np.bincount(row, products**2))[row]
    return sp.csr_matrix((weights, counts.indices, counts.indptr), shape=counts.shape, copy=False)


class Encoder:
    """Turns new comments into rows over the vocabulary of a corpus, as its own rows were made."""

    def __init__(self, rule, vocabulary, idf):
        self.rule = rule
        self.vocabulary = vocabulary
        self.idf = idf
        self._column = {word: column for column, word in enumerate(vocabulary)}

    @classmethod
    def load(cls, folder):
        """The encoder of a folder of matrices, or of a model made from them."""
        folder = Path(folder)
        path = folder / ENCODER
        try:
            settings = read_json(path)
        except FileNotFoundError as error:
            raise DataError(f"{path}: no such file; give the folder of a fitted model") from error
        if settings.get("version") != VERSION:
            raise DataError(
                f"{path}: it is of version {settings.get('version')!r}, and this program reads "
                f"version {VERSION}; fit the model again"
            )
        with open(folder / IDF, "rb") as file:
            idf = np.load(file, allow_pickle=False)
        return cls(WordRule.from_settings(settings), read_lines(folder / VOCABULARY), idf)

    def encode(self, texts):
        """TF-IDF of some comments (M x N, CSR float32); a row without a known word is empty."""
        return weigh(self.count(texts), self.idf)

    def count(self, texts):
        """Counts of some comments (M x N, CSR int32)."""
        parts, batch = [], []
        for text in texts:
            batch.append(text)
            if len(batch) == ROWS_AT_A_TIME:
                parts.append(self._count_batch(batch))
                batch = []
        if batch or not parts:
            parts.append(self._count_batch(batch))
        return parts[0] if len(parts) == 1 else sp.vstack(parts, format="csr")

    def _count_batch(self, texts):
        known: dict[str, int] = {}
        rows = [[known.setdefault(form, len(known)) for form in forms(text)] for text in texts]
        numbers = np.fromiter((number for row in rows for number in row), dtype=np.int32)
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return count_words(numbers, offsets, self._table(known))

    def _table(self, known):
        columns = np.full(len(known), NO_WORD, dtype=np.int32)
        is_seed = np.zeros(len(known), dtype=bool)
        parts: dict[str, list[int]] = {}
        for number, form in enumerate(known):
            word, is_seed[number], parts_of_form = self.rule(form)
            columns[number] = self._column.get(word, NO_WORD)
            for part in parts_of_form:
                parts.setdefault(part, []).append(number)
        phrases = {phrase: self._column[" ".join(phrase)] for phrase in self.rule.seeds.phrases}
        return tabulate(columns, is_seed, parts, phrases, len(self.vocabulary))
