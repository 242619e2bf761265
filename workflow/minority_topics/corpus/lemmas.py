"""Base forms of words: by Voikko for Finnish where it is installed, else by simplemma."""

import functools
import re

from ..base.text import lowered
from .readers import DataError

WAYS = ("auto", "voikko", "simplemma", "none")
# Languages that simplemma has under another code.
SIMPLEMMA_CODES = {"no": "nb", "hr": "hbs", "sr": "hbs", "bs": "hbs"}
# Languages in which an apostrophe is a letter of a word, and joins no two words.
APOSTROPHE_IS_LETTER = {"be", "sw", "uk"}
NO_VOIKKO = (
    "Voikko cannot be loaded; install the Debian packages libvoikko1 and voikko-fi and the Python "
    "package libvoikko"
)


def language_code(language):
    """A language as its short code: fi of FI, fi-FI and fi_FI."""
    code = re.split("[-_]", str(language).strip().lower())[0]
    if code != "none" and not (code.isascii() and code.isalpha() and len(code) in (2, 3)):
        raise DataError(
            f"language: {language!r} is no code of a language; write two letters, such as fi or "
            "en, or none"
        )
    return code


def make_lemmatiser(language, lemmas="auto"):
    """The lemmatiser of a language: of the given kind, or with "auto" the best there is."""
    language = language_code(language)
    if lemmas not in WAYS:
        raise DataError(f"lemmas: {lemmas!r} must be one of {', '.join(WAYS)}; correct it")
    if lemmas == "auto":
        return _best(language)
    if lemmas == "voikko":
        if language != "fi":
            raise DataError(f"lemmas: voikko is for Finnish, not {language!r}; write simplemma")
        if not has_voikko():
            raise DataError(f"lemmas: {NO_VOIKKO}, or write simplemma")
        return Voikko()
    if lemmas == "simplemma":
        if not _is_known(language):
            raise DataError(
                f"lemmas: simplemma does not know the language {language!r}; write none"
            )
        return Simplemma(language)
    return Lemmatiser(language)


def _best(language):
    if language == "fi" and has_voikko():
        return Voikko()
    if _is_known(language):
        return Simplemma(language)
    plain = Lemmatiser(language)
    if language != "none":
        plain.warning = (
            f"There are no lemmas for the language {language!r}: every inflected form is a word "
            "of its own, so add the forms of each seed word, or a wildcard such as word*."
        )
    return plain


def has_voikko():
    """Whether Voikko's library and its Finnish dictionary are there."""
    return _voikko() is not None


@functools.cache
def _voikko():
    try:
        import libvoikko

        # A Voikko without its library would complain at the terminal when it is deleted.
        libvoikko.VoikkoLibrary.open()
        return libvoikko.Voikko("fi")
    except Exception:  # of its own kind where the dictionary is missing, OSError for the library
        return None


def _is_known(language):
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    return SIMPLEMMA_CODES.get(language, language) in SUPPORTED_LANGUAGES


class Lemmatiser:
    """Every form is its own lemma; the others differ in what they know.

    `name` says which one it is, `version` of what, `warning` what a user should know, and
    `knows_parts` whether it knows the parts of compounds.
    """

    name = "none"
    version = ""
    warning = ""
    knows_parts = False

    def __init__(self, language):
        self.language = language

    def lemmas(self, form):
        """Base forms of a form in lower case, at least one; itself first if it is a base form.

        Voikko's first analysis of psykoosi is a form of psyko. A form with an apostrophe that is
        not known has the lemmas of its longest part: brien of o'brien.
        """
        found = [lemma for lemma in self.known(form) if lemma.split() == [lemma]]
        if found:
            return tuple(dict.fromkeys([form, *found] if form in found else found))
        if "'" in form and self.language not in APOSTROPHE_IS_LETTER:
            return self.lemmas(max(form.split("'"), key=len))
        return (form,)

    def known(self, form):
        """Base forms of a form in lower case; none if it is not known."""
        return [] if "'" in form else [form]

    def parts(self, lemma):
        """First and last parts of a compound word, as base forms too."""
        return ()


class Simplemma(Lemmatiser):
    """simplemma's dictionaries and rules of some fifty languages."""

    name = "simplemma"

    def __init__(self, language):
        import simplemma

        super().__init__(language)
        self.version = simplemma.__version__
        self._lemmatise = functools.partial(
            simplemma.lemmatize, lang=SIMPLEMMA_CODES.get(language, language)
        )

    def known(self, form):
        lemma = lowered(self._lemmatise(form))
        return [] if lemma == form and "'" in form else [lemma]


class Voikko(Lemmatiser):
    """Voikko's morphology of Finnish, which gives every analysis of an ambiguous form."""

    name = "voikko"
    knows_parts = True

    def __init__(self, language="fi"):
        super().__init__(language)
        self._voikko = _voikko()
        self.version = self._voikko.getVersion()
        self._parts = functools.cache(self._find_parts)

    def known(self, form):
        analyses = self._voikko.analyze(form)
        return [lowered(analysis["BASEFORM"]) for analysis in analyses if "BASEFORM" in analysis]

    def parts(self, lemma):
        return self._parts(lemma)

    def _find_parts(self, lemma):
        """masennus and lääke of masennuslääke; lapsen, lapsi and murha of lapsenmurha.

        STRUCTURE of an analysis has "=" before each part: =pppp=ppppp=pppppp of itsemurhayritys,
        whose parts are itse, itsemurha, murhayritys and yritys.
        """
        found = {}
        for analysis in self._voikko.analyze(lemma):
            lengths = [len(part) for part in analysis.get("STRUCTURE", "").split("=")[1:]]
            if sum(lengths) != len(lemma):
                continue
            for number in range(1, len(lengths)):
                cut = sum(lengths[:number])
                for part in (lemma[:cut], lemma[cut:]):
                    found |= dict.fromkeys((part, *self.lemmas(part)))
        return tuple(found)
