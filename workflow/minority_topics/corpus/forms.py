"""Forms of words as they stand in comments, before lemmas and stop words."""

import re

from ..base.text import lowered

# E-mail addresses come before handles, which begin inside of them.
NO_WORDS = re.compile(r"(?:https?://|www\.)\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|@[\w.-]+")
FORM = re.compile(r"\w\w+")
LETTER = re.compile(r"[^\W\d_]")


def forms(text):
    """The forms of a comment in order: lower case, composed letters (NFC), two characters or more.

    Addresses of pages, handles and e-mail addresses are left out, and so are forms without a
    letter, such as numbers.
    """
    bare = NO_WORDS.sub(" ", lowered(text))
    return [form for form in FORM.findall(bare) if LETTER.search(form)]
