"""Forms of words as they stand in comments, before lemmas and stop words."""

import html
import re
import sys
import unicodedata

from ..base.text import lowered

# Scripts above U+FFFF whose vowel signs have no composed form, such as Chakma and Adlam: by block,
# since a long list of ranges would be tried at every blank.
HIGH_SCRIPTS = "\U00010a00-\U00011fff\U00016a00-\U00016fff\U0001e000-\U0001e95f"
# Signs that make a letter or a digit an emoji (U+FE0F, U+20E3) are no part of a word.
SYMBOL_MARKS = {*range(0x20D0, 0x2100), *range(0xFE00, 0xFE10)}


def _marks():
    """Combining marks of the scripts up to U+FFFF, as ranges of a character class."""
    marks = [
        code
        for code in range(0x300, min(sys.maxunicode, 0xFFFF))
        if unicodedata.category(chr(code)) in ("Mn", "Mc") and code not in SYMBOL_MARKS
    ]
    ranges = []
    for code in marks:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


# Every part begins where a run of its characters begins, so that a long text costs linear time.
NO_WORDS = re.compile(
    r"(?:https?|ftp)://\S+|\bwww\.\S+"
    r"|(?<![\w.+-])[\w.+-]+[@＠][\w-]+(?:\.[\w-]+)*"  # e-mail addresses, before handles
    r"|[@＠][\w.-]+|(?<![\w/.])/?u/[\w-]{3,20}"  # and Reddit's u/name
    r"|(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?:(?:com|org|fi)\b|[a-z]{2,}/)(?:(?<=/)\S*|/\S*)?"
    r"|</?[a-z][^<>]*>"  # tags of HTML
)
# Most comments hold none of these, and need not be searched.
MARKS_OF_NO_WORDS = ("@", "＠", "/", "www.", ".com", ".org", ".fi", "<")
LETTERS = rf"\w[\w{_marks()}{HIGH_SCRIPTS}]*"
# An apostrophe joins (don't, vaa'an), and so do the joiners of Persian and of Indian scripts.
FORM = re.compile(rf"{LETTERS}(?:['\u200c\u200d]{LETTERS})*")
# Nobody writes longer words; strings of code and of one key held down are longer.
LONGEST = 64


def forms(text):
    """The forms of a comment in order: lower case, composed letters (NFC), two characters or more.

    Addresses of pages, e-mail addresses, handles and tags of HTML are left out, and so are numbers
    (of telephones too) and forms of more than 64 characters. A contraction is one form: don't.
    """
    if "&" in text:
        text = html.unescape(text)
    bare = lowered(text).replace("’", "'").replace("\xad", "")
    if any(mark in bare for mark in MARKS_OF_NO_WORDS):
        bare = NO_WORDS.sub(" ", bare)
    return [
        form
        for form in FORM.findall(bare.replace("_", " "))
        if 1 < len(form) <= LONGEST and not form.isnumeric()
    ]
