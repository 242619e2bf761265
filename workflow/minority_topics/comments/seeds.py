"""Seed words: read from a list, brought into the form of the text, and found in it."""

import re
from dataclasses import dataclass

from ..base.text import shown
from ..corpus.cleaning import read_word_list
from ..corpus.forms import forms
from ..corpus.readers import DataError
from .dialects import read_whole_text

WORD, WILDCARD, PHRASE = "word", "wildcard", "phrase"
# A letter of no living language, which stands for "*" while an entry goes through `forms`.
STAR = "\ua66e"
# A wildcard of fewer letters would match words of any theme.
LEAST_LETTERS = 2
# Without a dictionary of compounds, a word begins with a seed word of at least so many letters.
LEAST_PREFIX = 4


@dataclass(frozen=True)
class Entry:
    """An entry of the list: `parts` are lemmas, or patterns with "*", of its words in order.

    An entry of numbers and symbols alone has no part, since `forms` leaves them out. `others` are
    further lemmas that an entry of one word can have: salasana of salasanoja, which is taken as a
    base form itself.
    """

    text: str
    parts: tuple[str, ...]
    others: tuple[str, ...] = ()

    @property
    def kind(self):
        if len(self.parts) > 1:
            return PHRASE
        return WILDCARD if "*" in "".join(self.parts) else WORD

    @property
    def name(self):
        """The word of the vocabulary that a word or a phrase is: a phrase has blanks in it."""
        return " ".join(self.parts)


def read_seed_entries(path, lemmatiser):
    """(entries of a seed list, lemmatised as the text is; the encoding of the file)."""
    content, encoding = read_whole_text(path)
    words = read_word_list(path, content.split("\n"))
    if not words:
        raise DataError(f"{path}: there is no seed word in it; write one a line")
    return [_entry(path, text, lemmatiser) for text in words], encoding


def _entry(path, text, lemmatiser):
    found = [form.replace(STAR, "*") for form in forms(text.replace("*", STAR))]
    for part in found:
        if "*" in part and len(part.replace("*", "")) < LEAST_LETTERS:
            raise DataError(
                f"{path}: the wildcard {shown(text)} would match words of any theme; write at "
                f"least {LEAST_LETTERS} letters beside the *"
            )
    lemmas = [(part,) if "*" in part else lemmatiser.lemmas(part) for part in found]
    others = lemmas[0][1:] if len(lemmas) == 1 else ()
    return Entry(text, tuple(first for first, *_ in lemmas), others)


class SeedRule:
    """Which forms count as seed words, and as which word of the vocabulary.

    A form counts if any of its lemmas is a seed word, if one of them or the form itself matches a
    wildcard, or, with `compounds`, if a seed word is the first or last part of one of its lemmas.
    """

    def __init__(self, words, wildcards, phrases, compounds, lemmatiser):
        self.words = frozenset(words)
        self.wildcards = tuple(wildcards)
        self.phrases = tuple(map(tuple, phrases))
        self.compounds = compounds
        self.lemmatiser = lemmatiser
        self._pattern = pattern_of(self.wildcards) if self.wildcards else None
        parts = {part for phrase in self.phrases for part in phrase}
        self._plain_parts = {part for part in parts if "*" not in part}
        self._wild_parts = {part: pattern_of([part]) for part in parts - self._plain_parts}

    @classmethod
    def of(cls, entries, compounds, lemmatiser):
        kinds = {WORD: [], WILDCARD: [], PHRASE: []}
        for entry in entries:
            if entry.parts:
                kinds[entry.kind].append(entry)
        return cls(
            [entry.name for entry in kinds[WORD]],
            [entry.name for entry in kinds[WILDCARD]],
            [entry.parts for entry in kinds[PHRASE]],
            compounds,
            lemmatiser,
        )

    def word(self, form, lemmas):
        """The seed word that a form with these lemmas counts as, "" if it is none."""
        for lemma in lemmas:
            if lemma in self.words:
                return lemma
        if self._pattern:
            for word in (*lemmas, form):
                if self._pattern.fullmatch(word):
                    return word
        if self.compounds:
            for lemma in lemmas:
                if self.heads(lemma):
                    return lemma
        return ""

    def heads(self, lemma):
        """Seed words that are the first or last part of a compound."""
        if self.lemmatiser.knows_parts:
            return self.words.intersection(self.lemmatiser.parts(lemma))
        beginnings = (lemma[:length] for length in range(LEAST_PREFIX, len(lemma)))
        return self.words.intersection(beginnings)

    def parts(self, form, lemmas):
        """Parts of phrases that a form with these lemmas can be."""
        found = [lemma for lemma in lemmas if lemma in self._plain_parts]
        for part, pattern in self._wild_parts.items():
            if any(map(pattern.fullmatch, (*lemmas, form))):
                found.append(part)
        return found

    def words_of(self, entry, seed_words):
        """Those of the seed words that an entry matches."""
        if entry.kind == WILDCARD:
            pattern = pattern_of(entry.parts)
            return [word for word in seed_words if pattern.fullmatch(word)]
        found = [word for word in seed_words if word == entry.name]
        if entry.kind == WORD and self.compounds:
            found += [
                word for word in seed_words if word != entry.name and entry.name in self.heads(word)
            ]
        return found


def pattern_of(wildcards):
    """One pattern for all of some words with "*", which stands for any letters or none."""
    return re.compile(
        "|".join("[^ ]*".join(map(re.escape, wildcard.split("*"))) for wildcard in wildcards)
    )
