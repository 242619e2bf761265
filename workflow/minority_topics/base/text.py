"""Text in messages and names."""

import unicodedata
from collections.abc import Iterable
from typing import NoReturn, TypeVar

Value = TypeVar("Value")

# Controls and halves of characters by their category; line ends and the byte order mark by name.
UNPRINTABLE = ("Cc", "Cs", "\u2028", "\u2029", "\ufeff")


def shown(value: object, width: int = 80) -> str:
    """A value as a message shows it: on one line, and not too long."""
    try:
        text = folded(repr(value))
    except ValueError:  # a whole number of more than 4300 digits
        text = f"a very large {type(value).__name__}"
    return text if len(text) <= width else f"{text[: width - 3]}..."


def folded(text: str) -> str:
    """Text on one line: every stretch of white space is one space, and none is around it."""
    return " ".join(text.split())


def composed(text: str) -> str:
    """Text whose letters are one character each where Unicode has it (NFC): ä, not a and dots.

    macOS and PDF files give the latter, whose dots would end a word.
    """
    return unicodedata.normalize("NFC", text)


def lowered(text: str) -> str:
    """Text in lower case, composed."""
    # Of İ, lower() leaves an i and a dot that nothing composes.
    return composed(text.lower().replace("i\u0307", "i"))


def is_line(text: object) -> bool:
    """Whether this is text that can stand on a line: not empty, and nothing invisible in it."""
    return isinstance(text, str) and bool(text.strip()) and not find_control(text)


def find_control(text: str) -> str:
    """The first character of some text that cannot be shown or written, "" if there is none."""
    for character in text:
        if character in UNPRINTABLE or unicodedata.category(character) in UNPRINTABLE:
            return character
    return ""


def refuse_constant(constant: str) -> NoReturn:
    """For `parse_constant` of json.loads, which would take NaN and Infinity."""
    raise ValueError(f"{constant} is no number of JSON")


def stands_twice(values: Iterable[Value]) -> Value | None:
    """The first value that has appeared before, None if there is none."""
    seen = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """3 rows, 1 row; `plural` where an s is not enough."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def listed(items: Iterable[str], separator: str = ", ") -> str:
    """Items in a sentence: a, b and c; with "; " between them: a; b; and c."""
    items = list(items)
    if len(items) < 2:
        return "".join(items)
    joint = separator if separator.strip() == ";" else " "
    return f"{separator.join(items[:-1])}{joint}and {items[-1]}"
