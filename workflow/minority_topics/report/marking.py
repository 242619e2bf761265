"""Comments for a page: cut to a length, and cut apart at the words that are to be marked."""

import re
import unicodedata

from ..base.text import composed, folded, lowered
from ..corpus.forms import FORM, LETTER, NO_WORDS

LONGEST_TEXT = 600
# A cut goes back to a space, if there is one so many characters before.
LAST_WORD = 40
SEED, WORD, CUT = "seed", "word", "cut"
ADDRESSES = re.compile(NO_WORDS.pattern, re.IGNORECASE)


def visible(text):
    """Text without characters that no page may hold: controls, and halves of characters."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}"
        if unicodedata.category(character) in ("Cc", "Cs")
        else character
        for character in folded(composed(text))
    )


def clipped(text, longest=LONGEST_TEXT):
    """The text on one line, visible and no longer than this, and whether it was cut."""
    text = visible(text[: 4 * longest])
    if len(text) <= longest:
        return text, False
    end = text.rfind(" ", longest - LAST_WORD, longest)
    return text[: end if end > 0 else longest].rstrip(), True


def form_spans(text):
    """(start, end, form) of the forms of a composed text, which are those of `corpus.forms`."""
    bare = ADDRESSES.sub(lambda found: " " * len(found[0]), text)
    for found in FORM.finditer(bare):
        form = lowered(found[0])
        if LETTER.search(form):
            yield found.start(), found.end(), form


class Marks:
    """Words and phrases to be marked: `Marks({"seed": forms, "word": forms})`, the first kind wins.

    A phrase is its forms with spaces between them. Where several begin at a word, the longest one
    is marked.
    """

    def __init__(self, forms_by_kind):
        self._kinds = {}
        for kind, forms in forms_by_kind.items():
            for form in forms:
                self._kinds.setdefault(tuple(lowered(form).split()), kind)
        self._lengths = {}
        for phrase in filter(None, self._kinds):
            self._lengths.setdefault(phrase[0], set()).add(len(phrase))

    def segments(self, text, longest=LONGEST_TEXT):
        """The text in order: a plain piece is a string, another one is [piece, its kind]."""
        text, is_cut = clipped(text, longest)
        pieces, done = [], 0
        for start, end, kind in self._found(list(form_spans(text))):
            pieces += [text[done:start], [text[start:end], kind]]
            done = end
        pieces += [text[done:], ["\N{HORIZONTAL ELLIPSIS}", CUT] if is_cut else ""]
        return [piece for piece in pieces if piece]

    def _found(self, spans):
        forms = [form for *_, form in spans]
        place = 0
        while place < len(spans):
            for length in sorted(self._lengths.get(forms[place], ()), reverse=True):
                kind = self._kinds.get(tuple(forms[place : place + length]))
                if kind:
                    yield spans[place][0], spans[place + length - 1][1], kind
                    place += length
                    break
            else:
                place += 1
