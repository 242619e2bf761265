"""From raw comments to tokens: lower case, symbols out, lemmas, stop words out."""

import functools
import re
from collections.abc import Callable

from ..base.text import composed, find_control, folded, lowered, shown
from .lemmas import Simplemma
from .readers import DataError, read_plain_lines

# A word is two or more letters or digits: symbols and lone characters are dropped.
TOKEN = re.compile(r"\b\w\w+\b")
# Languages that stopwordsiso has under another code.
STOP_WORD_CODES = {"nb": "no", "nn": "no"}
# Pieces of a line: quoted text, a comment, a separator, plain text, any other sign.
PIECE = re.compile(r'"[^"]*"|(?:^|(?<=[\s,;]))#.*|[,;\t]|[^",;\t#]+|.')
QUOTES = str.maketrans(dict.fromkeys("“”„‟«»", '"'))


def clean(texts, stop_words="none", lemmas="none"):
    """Tokens of each text: lower case, symbols out, then lemmas, then stop words out.

    `stop_words` is "none" or a language of stopwordsiso ("fi"); `lemmas` is "none" or "simplemma",
    which is Finnish here.
    """
    ways: dict[str, Callable[[str], str]] = {"none": str, "simplemma": _simplemma}
    if lemmas not in ways:
        raise DataError(f"lemmas: {lemmas!r} must be one of {', '.join(ways)}")
    lemmatise = ways[lemmas]
    dropped = set() if stop_words == "none" else stop_words_of(stop_words)
    cleaned = functools.cache(
        lambda form: "" if form in dropped else _unless(lemmatise(form), dropped)
    )
    documents = []
    for text in texts:
        tokens = (cleaned(form) for form in TOKEN.findall(lowered(text)))
        documents.append([token for token in tokens if token])
    return documents


def _unless(word, dropped):
    return "" if word in dropped else word


@functools.cache
def _finnish():
    return Simplemma("fi")


def _simplemma(form):
    return _finnish().known(form)[0]


def has_stop_words(language):
    import stopwordsiso

    return stopwordsiso.has_lang(STOP_WORD_CODES.get(language, language))


def stop_words_of(language):
    """The stop words of a language, composed."""
    import stopwordsiso

    if not has_stop_words(language):
        known = ", ".join(sorted(stopwordsiso.langs()))
        raise DataError(f"stop_words: no list for {language!r}; there are {known}, or 'none'")
    return set(map(composed, stopwordsiso.stopwords(STOP_WORD_CODES.get(language, language))))


def read_word_list(path, lines=None):
    """Entries of a file of words and phrases, in order, each once.

    They stand on lines, or between commas, semicolons or tabs. A phrase may stand in quotes. What
    follows a # at the start of a line, or after a blank, is a comment. `lines` are those of
    the file where it may be in another encoding than UTF-8.
    """
    lines = read_plain_lines(path) if lines is None else lines
    entries: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        if find_control(line.replace("\t", " ")):
            raise DataError(f"{path}, line {number}: {shown(line)}; save it as plain text")
        for entry in filter(None, _entries(composed(line).translate(QUOTES))):
            entries.setdefault(lowered(entry), entry)
    return list(entries.values())


def _entries(line):
    """Entries of a line, without quotes around them; some may be empty."""
    begun = ""
    for piece in PIECE.findall(line.strip()):
        if piece.startswith("#") and (not begun or begun[-1].isspace()):
            break
        if piece in (",", ";", "\t"):
            yield folded(begun).strip("'‘’")
            begun = ""
        else:
            begun += piece.strip('"')
    yield folded(begun).strip("'‘’")
