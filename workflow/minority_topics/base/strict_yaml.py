"""YAML that says one thing: no tags, no key twice, no aliases without end. Needs PyYAML."""

import math

from .files import read_text
from .text import folded, shown

# Of values, aliases written out; and of lists and mappings inside one another.
MOST_NODES = 100_000
DEEPEST = 50
MERGE = "tag:yaml.org,2002:merge"
PLAIN = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("map", "seq"))


class YamlError(ValueError):
    """YAML that cannot be used; the message names file, line and remedy."""


def read_yaml(path):
    """What a YAML file holds: mappings, lists, text, finite numbers, booleans and nulls."""
    import yaml

    try:
        text = read_text(path)
    except ValueError as error:
        raise YamlError(str(error)) from error
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            return None
        size, depth = _measure(node, loader, path, {})
        if size > MOST_NODES:
            raise YamlError(
                f"{path}: its aliases stand for more than {MOST_NODES} values; use fewer of them"
            )
        if depth > DEEPEST:
            raise RecursionError
        return loader.construct_document(node)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlError(
            f"{path}, line {line}: the character {error.character:#x} is not allowed in YAML; "
            "take it out"
        ) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = folded(error.problem or error.context or "not YAML")[:200]
        raise YamlError(f"{path}{place}: {problem}; correct it there or just above") from error
    except RecursionError as error:
        raise YamlError(f"{path}: it is nested too deeply; write it flatter") from error


def _measure(node, loader, path, known):
    """(values, depth) of a node with its aliases written out; raises YamlError on what is odd."""
    if id(node) in known:
        if known[id(node)] is None:
            raise _odd(path, node, "an alias is inside what it names; remove the alias")
        return known[id(node)]
    known[id(node)] = None
    if isinstance(node.value, str):
        _check_scalar(node, loader, path)
        children = []
    elif node.tag not in PLAIN:
        raise _odd(path, node, f"the tag {shown(node.tag)} is not allowed; remove it")
    elif node.tag == PLAIN[0]:
        _check_keys(node, path)
        children = [child for pair in node.value for child in pair]
    else:
        children = node.value
    sizes = [_measure(child, loader, path, known) for child in children]
    size = 1 + sum(size for size, _ in sizes)
    depth = 1 + max((depth for _, depth in sizes), default=0)
    known[id(node)] = size, depth
    return size, depth


def _check_scalar(node, loader, path):
    if node.tag == MERGE:
        return
    try:
        value = loader.construct_object(node)
    except (ValueError, KeyError, AttributeError, TypeError, OverflowError) as error:
        problem = f"{shown(node.value)} cannot be read as a date or number; put it in quotes"
        raise _odd(path, node, problem) from error
    if not isinstance(value, str | int | float | None):
        raise _odd(path, node, f"{shown(node.value)} would be a {type(value).__name__}; quote it")
    if isinstance(value, float) and not math.isfinite(value):
        raise _odd(path, node, f"{shown(node.value)} is not a finite number; give one")


def _check_keys(node, path):
    seen = set()
    for key, _ in node.value:
        if isinstance(key.value, str):
            if (key.tag, key.value) in seen:
                raise _odd(path, key, f"the key {shown(key.value)} appears twice; remove one")
            seen.add((key.tag, key.value))


def _odd(path, node, problem):
    return YamlError(f"{path}, line {node.start_mark.line + 1}: {problem}")
