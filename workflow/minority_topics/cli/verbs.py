"""The table of verbs: a function, what it does in one sentence, and its arguments."""

import argparse
import json
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


def verb(summary, *arguments, extra="study"):
    """Make a function a verb of the command line, under its own name."""

    def register(function):
        VERBS[function.__name__] = Verb(function, summary, arguments, extra)
        return function

    return register
