"""Comments for a page: cut to a length, and cut apart at the words that are to be marked."""

import re
import unicodedata
from collections import defaultdict

from ..base.text import composed, folded, lowered
from ..corpus.forms import FORM, NO_WORDS, forms

LONGEST_TEXT = 600
UNKNOWN = "\N{REPLACEMENT CHARACTER}"
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
# Marks that turn the direction of writing, and what ends each: embeddings, overrides, isolates.
POP_EMBEDDING, POP_ISOLATE = "\u202c", "\u2069"
ENDS = dict.fromkeys("\u202a\u202b\u202d\u202e", POP_EMBEDDING)
ENDS |= dict.fromkeys("\u2066\u2067\u2068", POP_ISOLATE)
DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
# A cut goes back to a space, if there is one so many characters before.
LAST_WORD = 40
SEED, WORD, CUT = "seed", "word", "cut"
ADDRESSES = re.compile(NO_WORDS.pattern, re.IGNORECASE)


def clipped(text, longest=LONGEST_TEXT):
    """The text on one line, fit for a page and no longer than this, and whether it was cut."""
    text = _visible(text[: 4 * longest])
    is_cut = len(text) > longest
    if is_cut:
        end = text.rfind(" ", longest - LAST_WORD, longest)
        text = text[: end if end > 0 else longest].rstrip()
    return _balanced(text), is_cut


def _visible(text):
    """Text without what no page may hold: controls, and halves of characters."""
    return "".join(
        UNKNOWN if unicodedata.category(character) in ("Cc", "Cs") else character
        for character in folded(composed(text))
    )


def _balanced(text):
    """Text whose marks of the direction of writing end within it, so that none turns what follows.

    An element isolates its text, but a mark that is not closed in it would swallow its end.
    """
    if not DIRECTIONS.search(text):
        return text
    kept, open_ = [], []
    for character in text:
        if character in ENDS:
            open_.append(ENDS[character])
        elif character == POP_ISOLATE and POP_ISOLATE in open_:
            # It ends what was opened within the isolate as well.
            while open_.pop() != POP_ISOLATE:
                kept.append(POP_EMBEDDING)
        elif character == POP_EMBEDDING and open_[-1:] == [POP_EMBEDDING]:
            open_.pop()
        elif character in (POP_ISOLATE, POP_EMBEDDING):
            continue
        kept.append(character)
    return "".join(kept + open_[::-1])


def form_spans(text):
    """(start, end, form) of the words of a text, with the form that `corpus.forms` gives each."""
    # One character for one, so that places stay; otherwise as `forms` has it.
    bare = ADDRESSES.sub(lambda found: " " * len(found[0]), text.replace("’", "'"))
    for found in FORM.finditer(bare.replace("_", " ")):
        for form in forms(found[0])[:1]:
            yield found.start(), found.end(), form


class Phrases:
    """Words and phrases to look for in comments; a phrase is its words with spaces between them.

    `word_of` is the word that a form in a comment counts as: its lemma, or the form itself.
    """

    def __init__(self, phrases, word_of=str):
        self.word_of = word_of
        self._by_first = defaultdict(set)
        for phrase in filter(None, (tuple(lowered(phrase).split()) for phrase in phrases)):
            self._by_first[phrase[0]].add(phrase)

    def length_at(self, words, place):
        """How many words the longest phrase has that begins here, 0 if none does."""
        phrases = self._by_first.get(words[place], ())
        lengths = (len(p) for p in phrases if p == tuple(words[place : place + len(p)]))
        return max(lengths, default=0)


def segments(text, kinds, longest=LONGEST_TEXT):
    """The text in order: a plain piece is a string, and one that is marked is [piece, its kind].

    `kinds` are Phrases by the name of their kind. Where several begin, the longest is marked, and
    of equal ones that of the first kind.
    """
    text, is_cut = clipped(text, longest)
    spans = list(form_spans(text))
    words = {kind: [p.word_of(form) for *_, form in spans] for kind, p in kinds.items()}
    pieces, done, place = [], 0, 0
    while place < len(spans):
        lengths = {kind: p.length_at(words[kind], place) for kind, p in kinds.items()}
        kind = max(lengths, key=lambda name: lengths[name], default=None)
        if kind and lengths[kind]:
            start, end = spans[place][0], spans[place + lengths[kind] - 1][1]
            pieces += [text[done:start], [text[start:end], kind]]
            done = end
        place += max(1, lengths.get(kind, 0))
    pieces += [text[done:], [ELLIPSIS, CUT] if is_cut else ""]
    return [piece for piece in pieces if piece]
