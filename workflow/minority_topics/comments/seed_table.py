"""What became of every entry of the seed list, and what to do about it."""

import bisect
import heapq
import itertools

import numpy as np
import scipy.sparse as sp

from ..base.text import counted, shown
from .seeds import PHRASE

HEADER = ["entry", "kind", "words", "documents", "share", "occurs_with", "closest", "warning"]
# An entry in a larger share of the comments does not mark a minority topic.
TOO_FREQUENT = 0.05
# An entry is lonely if it never occurs with another one, though chance alone would bring so many
# such comments. An entry that has nothing to do with others is so with probability 5% (exp(-3)).
EXPECTED_TOGETHER = 3.0
N_TOGETHER, N_CLOSEST = 5, 5
# Closest words are looked for among so many of the most frequent words.
N_FREQUENT = 200_000
# An inflected form or a compound shares at least so many letters with the entry.
LEAST_SHARED = 4


def seed_table(entries, rule, counts, columns, closest_to, documents_of):
    """Rows of seed_words.csv, under HEADER, one for each entry.

    `columns` are the columns of the seed words in `counts` (M x N) by word. `closest_to(entries)`
    gives the closest words of each entry, `documents_of(word)` the comments that hold a word.
    """
    words = [rule.seeds.words_of(entry, columns) for entry in entries]
    held = _held(counts, [[columns[word] for word in found] for found in words])
    documents = np.asarray(held.sum(axis=0)).ravel()
    together = (held.T @ held).toarray()
    n_with_others = _with_others(held)
    closest = closest_to([entry for entry, found in zip(entries, words, strict=True) if not found])
    same = {}
    rows = []
    for number, (entry, found) in enumerate(zip(entries, words, strict=True)):
        share = documents[number] / counts.shape[0]
        others = _others(number, together[number], entries, words)
        warnings = []
        if not found:
            warnings.append(_absence(entry, closest[entry]))
        if share > TOO_FREQUENT:
            warnings.append(
                f"It occurs in {share:.0%} of the comments, more than {TOO_FREQUENT:.0%}: too many "
                "to mark a minority; take a rarer word or a phrase."
            )
        expected = share * n_with_others[number]
        if found and not others and expected >= EXPECTED_TOGETHER:
            warnings.append(
                f"It never occurs with another entry, though {expected:.0f} times would be chance: "
                "it may belong to another theme."
            )
        if found and (first := same.setdefault(tuple(found), entry)) is not entry:
            warnings.append(f"It matches the same words as {shown(first.text)}.")
        for other in entry.others:
            if (n_comments := documents_of(other)) > documents[number]:
                warnings.append(
                    f"It counts as a word of its own, but may be a form of {shown(other)}, which "
                    f"{counted(n_comments, 'comment holds', 'comments hold')}: write the base form "
                    "that you mean."
                )
        if found and entry.name in rule.stop_words:
            warnings.append("It is a stop word, and is kept since it is on the list.")
        rows.append(
            [
                entry.text,
                entry.kind,
                ", ".join(found),
                int(documents[number]),
                f"{share:.6g}",
                ", ".join(others),
                ", ".join(closest.get(entry, ())),
                " ".join(warnings),
            ]
        )
    return rows


def _held(counts, columns):
    """Which comments hold which entries (M x E, CSR of 0 and 1)."""
    all_columns = sorted(set(itertools.chain(*columns)))
    place = {column: number for number, column in enumerate(all_columns)}
    belongs = np.zeros((len(all_columns), len(columns)), dtype=np.int32)
    for entry, of_entry in enumerate(columns):
        belongs[[place[column] for column in of_entry], entry] = 1
    held = (counts[:, all_columns] @ sp.csr_matrix(belongs)).tocsr()
    held.data[:] = 1
    return held


def _with_others(held):
    """For each entry (E,), the number of comments that hold another one."""
    n_entries = np.diff(held.indptr)
    is_alone = held[n_entries == 1]
    return np.count_nonzero(n_entries) - np.asarray(is_alone.sum(axis=0)).ravel()


def _others(number, together, entries, words):
    """Entries that occur with this one, the most frequent first, with the number of comments.

    Entries that match the same words are this one by another name.
    """
    found = [
        (int(n_comments), other)
        for other, n_comments in enumerate(together)
        if n_comments and not set(words[other]) & set(words[number])
    ]
    found.sort(key=lambda pair: (-pair[0], pair[1]))
    return [f"{entries[other].text} ({n})" for n, other in found[:N_TOGETHER]]


def _absence(entry, closest):
    if not entry.parts:
        return "It holds no word: numbers, symbols and lone letters are left out of the text too."
    if entry.kind == PHRASE and closest:
        return (
            "Its words never follow one another in the comments; put commas between them if each "
            "is an entry of its own."
        )
    advice = "see the closest words" if closest else "check its spelling and the language"
    return f"It does not occur in the comments; {advice}."


def closest_words(entries, words, documents):
    """For each entry, words of the comments that may be meant, by entry.

    Of a phrase, its parts that occur. Of a word: a typing error (one letter too many, missing,
    wrong or swapped), an inflected form (it begins alike) or a compound (it ends with the entry),
    the most frequent first. `words` are sorted; `documents` has how many comments hold each.
    """
    if not entries:
        return {}
    frequency = _Frequencies(words, documents)
    stems = {e: e.name.replace("*", "") for e in entries if e.kind != PHRASE and e.parts}
    typed = _typing_errors(set(stems.values()), frequency)
    closest = {}
    for entry in entries:
        if entry in stems:
            stem = stems[entry]
            near = [typed.get(stem, ()), frequency.begin_alike(stem), frequency.end_with(stem)]
            names = [word for found in near for word in frequency.first(found)]
        else:
            names = [part for part in entry.parts if frequency.of(part)]
        closest[entry] = list(dict.fromkeys(names))[:N_CLOSEST]
    return closest


def frequency_of(word, words, documents):
    """The entry of `documents` for one of sorted words, 0 for others."""
    place = bisect.bisect_left(words, word)
    return int(documents[place]) if place < len(words) and words[place] == word else 0


class _Frequencies:
    """Sorted words, with the number of comments of each; `frequent` are those to choose from."""

    def __init__(self, words, documents):
        self.words = words
        self.documents = documents
        order = np.argsort(-documents, kind="stable")[:N_FREQUENT]
        numbers = np.sort(order[documents[order] > 0]).tolist()
        self.frequent = [words[number] for number in numbers if " " not in words[number]]
        self._reversed = sorted(word[::-1] for word in self.frequent)

    def of(self, word):
        return frequency_of(word, self.words, self.documents)

    def first(self, words):
        return heapq.nsmallest(N_CLOSEST, words, key=lambda word: (-self.of(word), word))

    def begin_alike(self, word):
        """Words that share the larger part of a word, from its beginning."""
        shared = word[: max(LEAST_SHARED, -(-2 * len(word) // 3))]
        return _beginning_with(self.frequent, shared) if len(word) >= LEAST_SHARED else []

    def end_with(self, word):
        found = _beginning_with(self._reversed, word[::-1]) if len(word) >= LEAST_SHARED else []
        return [other[::-1] for other in found]


def _beginning_with(ordered, beginning):
    """Those of sorted words that begin so."""
    first = bisect.bisect_left(ordered, beginning)
    return ordered[first : bisect.bisect_left(ordered, beginning + chr(0x10FFFF))]


def _typing_errors(wanted, frequency):
    """Words that equal a wanted one after at most one letter is left out of each of the two."""
    shortened: dict[str, set[str]] = {}
    for word in wanted:
        for short in _shortened(word):
            shortened.setdefault(short, set()).add(word)
    found: dict[str, set[str]] = {}
    for word in frequency.frequent if shortened else ():
        for short in _shortened(word):
            for meant in shortened.get(short, ()):
                found.setdefault(meant, set()).add(word)
    return found


def _shortened(word):
    """A word and, unless it is short, the words that are left when one letter is taken out."""
    if len(word) < LEAST_SHARED:
        return {word}
    return {word, *(word[:place] + word[place + 1 :] for place in range(len(word)))}
