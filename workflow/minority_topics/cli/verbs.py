"""The table of verbs: a function, what it does in one sentence, and its arguments."""

import argparse
import json
import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Verb:
    run: Callable
    summary: str
    arguments: tuple
    extra: str = "study"  # of pyproject.toml: what brings the packages that it needs


VERBS: dict[str, Verb] = {}


def argument(*names, **options):
    """An argument of a verb, as `argparse` takes it."""
    return names, options


def json_object(text):
    """The value of an argument that is a JSON object."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"{text!r} must be a JSON object, such as {{}}")
    return value


def whole_number(least):
    """The type of an argument that is a whole number of at least `least`."""

    def parse(text):
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(f"{text!r} must be a whole number of at least {least}")
        return value

    return parse


count = whole_number(1)


def number(text):
    """The value of an argument that is a number of at least 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number of at least 0")
    return value


def share(text):
    """The value of an argument that is a number from 0 to 1."""
    value = number(text)
    if value > 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a share from 0 to 1")
    return value


def count_or_share(text):
    """The value of an argument that is a number of documents if it is whole, and else a share."""
    return int(text) if text.isdecimal() else share(text)


def verb(summary, *arguments, extra="study"):
    """Make a function a verb of the command line, under its own name."""

    def register(function):
        VERBS[function.__name__] = Verb(function, summary, arguments, extra)
        return function

    return register
