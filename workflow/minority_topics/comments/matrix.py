"""From the forms of comments to counts and TF-IDF over a vocabulary, with the seed words in it."""

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ..base.files import read_lines, replacing, write_csv, write_json, write_lines
from ..base.manifest import check_manifest, write_manifest
from ..base.processes import pool_of
from ..base.text import counted, listed, shown
from ..corpus.cleaning import has_stop_words, read_word_list, stop_words_of
from ..corpus.forms import forms
from ..corpus.lemmas import make_lemmatiser
from ..corpus.readers import DataError
from .dialects import read_whole_text
from .encoding import NO_WORD, ROWS_AT_A_TIME, WordRule, count_words, tabulate, weigh
from .folders import (
    CLEANING,
    COUNTS,
    ENCODER,
    FORM_NUMBERS,
    FORMS,
    IDF,
    OF_FORMS,
    OFFSETS,
    SEED_COLUMNS,
    SEED_FORMS,
    SEED_WORDS,
    TFIDF,
    VOCABULARY,
)
from .progress import Progress
from .seed_table import HEADER, closest_words, frequency_of, seed_table
from .seeds import SeedRule, read_seed_entries

# Forms that a process takes at a time, and how many in all are worth a second process.
FORMS_AT_A_TIME = 20_000
FORMS_FOR_PROCESSES = 200_000
# Tokens that show the language: stop words are a third or more of most texts.
TOKENS_OF_LANGUAGE, LEAST_STOPPED = 1_000_000, 0.2
# A smaller share of comments with words gets a warning.
LEAST_WITH_WORDS = 0.5
rule_of_process: WordRule


def vectorise_comments(
    comments_folder, seed_words_file, out, *, language, lemmas="auto", stop_words=None, min_df=5,
    max_df=0.5, compounds=False, threads=1,
):  # fmt: skip
    """Write the matrices of the comments, and what became of the seed words, to the folder `out`.

    `comments_folder` is where `read_comments` left the forms of words.
    `stop_words` is a file of words to leave out beside those of the language. `min_df` and
    `max_df` bound the comments that a word occurs in: a whole number is a count, a fraction a share
    of all comments. Seed words are exempt from both, and from stop words. Gives what cleaning.json
    holds.
    """
    comments_folder = Path(comments_folder)
    check_manifest(comments_folder, *OF_FORMS)
    lemmatiser = make_lemmatiser(language, lemmas)
    entries, encoding = read_seed_entries(seed_words_file, lemmatiser)
    stopped, warnings = _stop_words(lemmatiser.language, stop_words)
    rule = WordRule(lemmatiser, stopped, SeedRule.of(entries, compounds, lemmatiser))
    numbers, offsets = comments_folder / FORM_NUMBERS, np.load(comments_folder / OFFSETS)
    bounds = _bounds(min_df, max_df, len(offsets) - 1)

    all_forms = read_lines(comments_folder / FORMS)
    first = np.load(numbers, mmap_mode="r")[:TOKENS_OF_LANGUAGE]
    warnings += _other_language(lemmatiser.language, all_forms, first)
    words = Words.of(all_forms, rule, threads)
    del all_forms
    n_documents = words.count_documents(numbers, offsets)

    def closest_to(some):
        return closest_words(some, words.spelled, n_documents)

    def documents_of(word):
        return frequency_of(word, words.spelled, n_documents)

    n_comments = counted(len(offsets) - 1, "comment")
    is_found = words.is_seed & (n_documents > 0)
    is_common = (n_documents >= max(bounds[0], 1)) & (n_documents <= bounds[1]) & ~words.is_seed
    if not n_documents.any():
        raise DataError(
            f"{comments_folder}: none of its {n_comments} holds a word that is no stop word; give "
            "comments with words, or correct the language"
        )
    if not is_found.any():
        raise DataError(_no_match(seed_words_file, entries, closest_to(entries), language))
    if not is_common.any():
        raise DataError(
            f"min_df={min_df!r} and max_df={max_df!r} leave no word of {n_comments} beside the "
            "seed words; lower min_df or raise max_df (a fraction is a share of the comments, a "
            "whole number a count)"
        )
    is_kept = is_found | is_common
    counts = words.count(numbers, offsets, is_kept, int(n_documents[is_kept].sum()))
    vocabulary = [words.spelled[number] for number in np.flatnonzero(is_kept)]
    seed_columns = np.flatnonzero(words.is_seed[is_kept]).astype(np.int32)
    by_word = {vocabulary[column]: int(column) for column in seed_columns}
    rows = seed_table(entries, rule, counts, by_word, closest_to, documents_of)

    out = Path(out)
    _write_matrices(
        out, counts, inverse_document_frequencies(n_documents[is_kept], counts.shape[0])
    )
    _write_array(out / SEED_COLUMNS, seed_columns)
    write_lines(out / VOCABULARY, vocabulary)
    write_lines(out / SEED_FORMS, words.seed_forms())
    write_csv(out / SEED_WORDS, HEADER, rows)
    write_json(out / ENCODER, _only_found(rule.settings, by_word))
    facts = {
        **_facts(counts, seed_columns, rows),
        "forms": len(words.table.columns),
        "tokens": int(offsets[-1]),
        "language": lemmatiser.language,
        "lemmas": lemmatiser.name,
        "lemmas_version": lemmatiser.version,
        "seed_words_encoding": encoding,
        "stop_words": len(stopped),
        "min_df": min_df,
        "max_df": max_df,
        "compounds": compounds,
        "warnings": [*warnings, *filter(None, [lemmatiser.warning])],
    }
    facts["warnings"] += _few_with_words(facts)
    write_json(out / CLEANING, facts)
    settings = [language, lemmas, min_df, max_df, compounds]
    given = [comments_folder, seed_words_file, *filter(None, [stop_words])]
    write_manifest(out, settings, given)
    return facts


def _facts(counts, seed_columns, rows):
    """What the matrix and the rows of the table of seed words tell in numbers."""
    missing = [entry for entry, _, found, *_ in rows if not found]
    return {
        "documents": counts.shape[0],
        "documents_with_words": int(np.count_nonzero(np.diff(counts.indptr))),
        "documents_with_seed": int(np.count_nonzero(np.diff(counts[:, seed_columns].indptr))),
        "words": counts.shape[1],
        "seed_words": len(seed_columns),
        "seed_entries": len(rows),
        "seed_entries_found": len(rows) - len(missing),
        "seed_entries_missing": missing,
        "seed_entries_with_warning": sum(bool(row[-1]) for row in rows),
    }


def _few_with_words(facts):
    """A warning if most comments have no word that is frequent enough."""
    n_with_words, n_documents = facts["documents_with_words"], facts["documents"]
    if n_with_words >= LEAST_WITH_WORDS * n_documents:
        return []
    return [
        f"Only {n_with_words:,} of {counted(n_documents, 'comment has', 'comments have')} words "
        f"and so topics: words of fewer comments than min_df={facts['min_df']} are left out; lower "
        "it."
    ]


def _only_found(settings, seed_words):
    """Settings of an encoder: phrases that never occurred have no column to be counted in."""
    phrases = [parts for parts in settings["phrases"] if " ".join(parts) in seed_words]
    return settings | {"phrases": phrases}


def _stop_words(language, file):
    """Stop words of the language and of an own list, and warnings in words."""
    stopped, warnings = set(), []
    if has_stop_words(language):
        stopped = stop_words_of(language)
    elif language != "none":
        warnings.append(
            f"There are no stop words for the language {language!r}: give a file of your own."
        )
    if file is not None:
        text, _ = read_whole_text(file)
        for entry in read_word_list(file, text.split("\n")):
            stopped.update(forms(entry))
    return stopped, warnings


def _other_language(language, all_forms, numbers):
    """A warning if stop words of another language are more than twice as many of the tokens."""
    from stopwordsiso import langs

    if language == "none" or not len(numbers):
        return []
    used, n_tokens = np.unique(numbers, return_counts=True)
    tokens = {all_forms[number]: n for number, n in zip(used, n_tokens.tolist(), strict=True)}

    def share(code):
        return sum(tokens.get(word, 0) for word in stop_words_of(code)) / len(numbers)

    likely = max(sorted(langs()), key=share)
    own = share(language) if has_stop_words(language) else 0
    if share(likely) < max(LEAST_STOPPED, 2 * own):
        return []
    return [
        f"The comments look like {likely!r}, not {language!r}: {share(likely):.0%} of their tokens "
        f"are stop words of {likely!r}, {own:.0%} of {language!r}; check the language."
    ]


def _bounds(min_df, max_df, n_documents):
    """Bounds of the number of documents, as scikit-learn takes them."""
    bounds = []
    for name, bound in (("min_df", min_df), ("max_df", max_df)):
        is_share = isinstance(bound, float)
        if isinstance(bound, bool) or not bound >= 0 or (is_share and bound > 1):
            raise DataError(
                f"{name}={bound!r} must be a count from 0, or a share from 0.0 to 1.0; correct it"
            )
        bounds.append(bound * n_documents if is_share else bound)
    return bounds


def _no_match(file, entries, closest, language):
    near = dict.fromkeys(word for entry in entries for word in closest[entry])
    hint = f"the closest words are {listed(list(near)[:5])}; " if near else ""
    some = listed([shown(entry.text) for entry in entries[:3]])
    which = f"none of its {len(entries):,} entries, such as {some}, occurs"
    if len(entries) == 1:
        which = f"its only entry, {some}, does not occur"
    return (
        f"{file}: {which} in the comments; {hint}"
        f"correct the list, or the language, which is {language!r} now"
    )


def inverse_document_frequencies(documents, n_documents):
    """log((1 + M) / (1 + documents)) + 1 of each word (N,), as scikit-learn smooths it."""
    return (np.log((1 + n_documents) / (1 + documents)) + 1).astype(np.float32)


class Words:
    """The words of a corpus: `spelled` (N), sorted, and whether each `is_seed` (N,).

    `table` has the number of the word that each form counts as.
    """

    def __init__(self, spelled, is_seed, table, seed_forms, part_forms):
        self.spelled = spelled
        self.is_seed = is_seed
        self.table = table
        self._seed_forms = seed_forms
        self._part_forms = part_forms
        self._phrases_found = set()

    @classmethod
    def of(cls, all_forms, rule, threads=1):
        """The words of all forms, each of which is looked up once."""
        known = {"": NO_WORD}
        part_forms, parts = {}, {}
        columns = np.empty(len(all_forms), dtype=np.int32)
        is_seed_form = np.zeros(len(all_forms), dtype=bool)
        for number, (word, is_seed, of_phrases) in enumerate(_looked_up(all_forms, rule, threads)):
            columns[number] = known.setdefault(word, len(known) - 1)
            is_seed_form[number] = is_seed
            for part in of_phrases:
                parts.setdefault(part, []).append(number)
                part_forms[number] = all_forms[number]
        del known[""]
        names = {phrase: " ".join(phrase) for phrase in rule.seeds.phrases}
        for name in names.values():
            known.setdefault(name, len(known))
        spelled = sorted(known)
        # From the order of first use to alphabetical order, which columns keep from here on.
        place = np.full(len(spelled) + 1, NO_WORD, dtype=np.int32)
        for number, word in enumerate(spelled):
            place[known[word]] = number
        columns = place[columns]
        phrases = {phrase: int(place[known[name]]) for phrase, name in names.items()}
        is_seed = np.zeros(len(spelled), dtype=bool)
        is_seed[columns[is_seed_form]] = True
        is_seed[list(phrases.values())] = True
        seed_forms = [all_forms[number] for number in np.flatnonzero(is_seed_form)]
        table = tabulate(columns, is_seed_form, parts, phrases, len(spelled))
        return cls(spelled, is_seed, table, seed_forms, part_forms)

    def count_documents(self, numbers, offsets):
        """The number of comments (N,) that each word occurs in; also notes the phrases."""
        n_documents = np.zeros(len(self.spelled), dtype=np.int64)
        for part in _count_parts(numbers, offsets, self.table, self._note_phrase):
            n_documents += np.bincount(part.indices, minlength=len(n_documents))
        return n_documents

    def count(self, numbers, offsets, is_kept, n_entries):
        """Counts (M x N', CSR int32) of the words that are kept, with so many entries in all.

        Counting a second time takes seconds; to keep all parts of the first time, of more words,
        would take more memory than the matrix itself.
        """
        table = self.table.keep(is_kept)
        data, indices = np.empty(n_entries, np.int32), np.empty(n_entries, np.int32)
        indptr = np.zeros(len(offsets), np.int32 if n_entries < 2**31 else np.int64)
        row = end = 0
        for part in _count_parts(numbers, offsets, table):
            begin, end = end, end + part.nnz
            data[begin:end], indices[begin:end] = part.data, part.indices
            indptr[row + 1 : row + 1 + part.shape[0]] = begin + part.indptr[1:]
            row += part.shape[0]
        return sp.csr_matrix((data, indices, indptr), shape=(row, table.n_columns), copy=False)

    def _note_phrase(self, found):
        self._phrases_found.update(map(tuple, np.unique(found, axis=0).tolist()))

    def seed_forms(self):
        """Forms that count as seed words, and phrases as their forms joined by a blank."""
        phrases = [" ".join(map(self._part_forms.get, found)) for found in self._phrases_found]
        return sorted({*self._seed_forms, *phrases})


def _count_parts(path, offsets, table, on_phrase=None):
    """Counts of some comments at a time, in order, from a file of the numbers of their forms."""
    n_rows = len(offsets) - 1
    with Progress("counting words", total=n_rows) as progress:
        for first in range(0, n_rows, ROWS_AT_A_TIME):
            own = offsets[first : first + ROWS_AT_A_TIME + 1]
            # Mapped anew each time, so that no more than this part of the file is in memory.
            numbers = np.asarray(np.load(path, mmap_mode="r")[own[0] : own[-1]])
            yield count_words(numbers, own - own[0], table, on_phrase)
            progress.step(len(own) - 1)


def _looked_up(all_forms, rule, threads):
    """What the rule gives for each form, in order."""
    firsts = range(0, len(all_forms), FORMS_AT_A_TIME)
    pieces = [all_forms[first : first + FORMS_AT_A_TIME] for first in firsts]
    if threads > 1 and len(all_forms) >= FORMS_FOR_PROCESSES:
        found = _in_processes(pieces, rule, threads)
    else:
        found = (map(rule, piece) for piece in pieces)
    with Progress("lemmas", total=len(pieces)) as progress:
        for of_piece in found:
            yield from of_piece
            progress.step()


def _in_processes(pieces, rule, threads):
    """The same, shared with `threads - 1` processes: each holds a dictionary of up to 400 MB."""
    with pool_of(threads - 1, initializer=_begin_process, initargs=(rule.settings,)) as pool:
        theirs = (piece for number, piece in enumerate(pieces) if number % threads)
        found = pool.map(_look_up, theirs)
        for number, piece in enumerate(pieces):
            yield next(found) if number % threads else map(rule, piece)


def _begin_process(settings):
    global rule_of_process
    rule_of_process = WordRule.from_settings(settings)


def _look_up(piece):
    return list(map(rule_of_process, piece))


def _write_matrices(out, counts, idf):
    # Compression would take longer than all the rest.
    for name, matrix in ((COUNTS, counts), (TFIDF, weigh(counts, idf))):
        with replacing(out / name, "wb") as file:
            sp.save_npz(file, matrix, compressed=False)
    _write_array(out / IDF, idf)


def _write_array(path, array):
    with replacing(path, "wb") as file:
        np.save(file, array)
