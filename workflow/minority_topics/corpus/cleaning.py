"""From raw comments to tokens: lower case, symbols out, lemmas, stop words out."""

import functools
import re
from collections.abc import Callable

from ..base.text import composed, lowered
from .readers import DataError

# A word is two or more letters or digits: symbols and lone characters are dropped.
TOKEN = re.compile(r"\b\w\w+\b")


def clean(texts, stop_words="none", lemmas="none"):
    """Tokens of each text: lower case, symbols out, then lemmas, then stop words out.

    `stop_words` is "none" or a language of stopwordsiso ("fi"); `lemmas` is "none" or "simplemma".
    """
    ways: dict[str, Callable[[str], str]] = {"none": str, "simplemma": _simplemma}
    if lemmas not in ways:
        raise DataError(f"lemmas: {lemmas!r} must be one of {', '.join(ways)}")
    lemmatise = ways[lemmas]
    dropped = set() if stop_words == "none" else _stop_words(stop_words)
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


def _simplemma(form):
    import simplemma

    return lowered(simplemma.lemmatize(form, lang="fi"))


def _stop_words(language):
    import stopwordsiso

    if not stopwordsiso.has_lang(language):
        known = ", ".join(sorted(stopwordsiso.langs()))
        raise DataError(f"stop_words: no list for {language!r}; there are {known}, or 'none'")
    return set(map(composed, stopwordsiso.stopwords(language)))
