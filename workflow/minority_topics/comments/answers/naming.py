"""Names, merges and drops of topics: `topics.yaml`, which an analyst edits.

An entry belongs to a topic by its number, and by its top words: after a new fit, whose topics have
other numbers, each entry goes to the topic that shares most of its words, or to none.

    model: 0f3c2a...            the digest of the model that the file was written for
    topics:
      3:
        words: [fear, panic, ...]
        name: Panic             instead of the three top words
        merge: 1                this topic becomes a part of topic 1
        drop: true              this topic is left out of the tables
"""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import yaml
from scipy.optimize import linear_sum_assignment

from ...base.files import write_text
from ...base.strict_yaml import YamlError, read_yaml
from ...base.text import find_control, folded, is_line, shown
from ...corpus.readers import DataError
from .topics import top_words as heaviest_words

N_WORDS = 10
# An entry is carried over to a topic that has at least this share of its words.
LEAST_LIKE = 0.5
LONGEST_NAME = 100
KEYS = ("words", "name", "merge", "drop")
HEAD = """\
# Names of topics, and which of them belong together or say nothing.
#   name:  what the tables and the page call the topic; null takes its three top words
#   merge: the number of the topic that this one becomes a part of, such as 1
#   drop:  true leaves the topic out
# Save this file and run the command again. Leave `model` and `words` as they are: they tell which
# topic is meant after a new fit. A file with a name, merge or drop is never written over; remove it
# to get a new one.
"""


@dataclass(frozen=True)
class Entry:
    """What an analyst asks for one topic; numbers of topics are from 1."""

    words: tuple
    name: str | None = None
    merge: int | None = None
    drop: bool = False

    @property
    def is_edited(self):
        return bool(self.name or self.merge or self.drop)


@dataclass(frozen=True)
class Naming:
    """Entries by the number of a model's topic, and what became of the file they are from."""

    entries: dict
    record: dict = field(default_factory=dict)


def model_digest(components, vocabulary):
    """A fingerprint of topics: of their weights and words."""
    sha = hashlib.sha256(np.ascontiguousarray(components).data)
    sha.update("\n".join(vocabulary).encode())
    return sha.hexdigest()[:16]


def read_naming(path, digest, top_words, renew=False):
    """Entries of `path` for the topics of a model, whose top words are given as lists.

    With `renew`, a template is written where there is no file, or one of another model in which
    nothing was named, merged or dropped.
    """
    if path is None:
        return Naming({}, {"file": None})
    path = Path(path)
    model, entries = _read(path) if path.exists() or not renew else (None, {})
    if renew and model != digest and not _edited(entries):
        write_text(path, template(digest, {n: Entry(w) for n, w in _numbered(top_words)}))
        return Naming({}, _record(path, written=True))
    if model == digest:
        _check_words(path, entries, top_words)
        _check_merges(path, entries)
        naming = Naming(entries, _record(path, applied=_edited(entries)))
    else:
        naming = _carried(path, entries, top_words)
    gone = [number for number, entry in naming.entries.items() if entry.merge or entry.drop]
    if len(gone) == len(top_words):
        raise DataError(f"{path}: all topics are dropped; leave at least one of them")
    return naming


def names_of(path, components, vocabulary, renew=False):
    """(`Naming` of the topics of a model, the digest of the model, top words of the topics).

    `path` and `renew` as of `read_naming`.
    """
    words = heaviest_words(components, vocabulary, N_WORDS)
    digest = model_digest(components, vocabulary)
    return read_naming(path, digest, words, renew), digest, words


def template(digest, entries):
    """The text of a topics.yaml."""
    lines = [HEAD, f"model: {_scalar(digest)}", "topics:"]
    for number, entry in sorted(entries.items()):
        lines += [
            f"  {number}:",
            f"    words: [{', '.join(map(_scalar, entry.words))}]",
            f"    name: {_scalar(entry.name)}",
            f"    merge: {_scalar(entry.merge)}",
            f"    drop: {_scalar(entry.drop)}",
        ]
    return "\n".join(lines) + "\n"


def _scalar(value):
    """One value as YAML, in quotes where it would be read as something else."""
    # In a list, as the value will stand, commas and brackets need quotes too.
    text = yaml.safe_dump([value], default_flow_style=True, allow_unicode=True, width=10**6)
    return text.strip()[1:-1]


def _numbered(top_words):
    return [(number, tuple(words[:N_WORDS])) for number, words in enumerate(top_words, start=1)]


def _edited(entries):
    return [number for number, entry in sorted(entries.items()) if entry.is_edited]


def _record(path, written=False, applied=(), carried=(), lost=(), same_model=True):
    return {
        "file": path.name,
        "written": written,
        "same_model": same_model,
        "applied": list(applied),
        "carried": list(carried),
        "not_carried": list(lost),
    }


def sentences(record):
    """What to tell about a file of names: that it was written, or what a new fit made of it."""
    if record.get("written"):
        yield f"{record['file']} was written: name, merge or drop topics there, and run again."
    for entry in record.get("carried", ()):
        yield (
            f"{record['file']}: topic {entry['topic']}{_called(entry)} is now topic "
            f"{entry['now']}, which has {entry['likeness']:.0%} of its words."
        )
    for entry in record.get("not_carried", ()):
        yield (
            f"{record['file']}: topic {entry['topic']}{_called(entry)} was not carried over: "
            f"{entry['reason']}."
        )
    if record.get("carried") or record.get("not_carried"):
        yield (
            f"{record['file']} lists the topics of an earlier fit and stays as it is; the one "
            "among the tables lists those of this fit, with the names that were carried over: copy "
            "it over yours to go on naming."
        )


def _called(entry):
    return f" ({entry['name']})" if entry["name"] else ""


# Reading.


def _read(path):
    try:
        content = read_yaml(path)
    except YamlError as error:
        raise DataError(str(error)) from error
    if not isinstance(content, dict) or set(content) != {"model", "topics"}:
        raise DataError(f"{path}: it must hold the keys model and topics; {_anew(path)}")
    topics = content["topics"]
    if not isinstance(topics, dict):
        raise DataError(f"{path}: topics must hold entries by number; {_anew(path)}")
    return str(content["model"]), {
        _number(path, "a key of topics", number): _entry(path, number, entry)
        for number, entry in topics.items()
    }


def _anew(path):
    return f"correct it, or remove {path.name} to get a new one"


def _number(path, place, value):
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise DataError(f"{path}: {place} is {shown(value)}; give the number of a topic, from 1")
    return value


def _entry(path, number, entry):
    place = f"{path}: topic {shown(number)}"
    if not isinstance(entry, dict):
        raise DataError(f"{place} is {shown(entry)}; {_anew(path)}")
    for key in entry:
        if key not in KEYS:
            raise DataError(f"{place} has the key {shown(key)}; there are {', '.join(KEYS)}")
    words = entry.get("words")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words) or not words:
        raise DataError(f"{place} has no list of words; {_anew(path)}")
    drop, merge = entry.get("drop"), entry.get("merge")
    if drop is not None and not isinstance(drop, bool):
        raise DataError(f"{place}, drop is {shown(drop)}; write true or false")
    if merge is not None:
        _number(path, f"merge of topic {number}", merge)
    if merge and drop:
        raise DataError(f"{place} is both merged and dropped; leave one of the two")
    return Entry(tuple(words), _name(place, entry.get("name")), merge, bool(drop))


def _name(place, name):
    if name is None or name == "":
        return None
    if not is_line(name):
        what = find_control(name) if isinstance(name, str) else name
        raise DataError(f"{place}, name has {shown(what)}; write one line of text, in quotes")
    if len(name) > LONGEST_NAME:
        raise DataError(f"{place}, name is longer than {LONGEST_NAME} characters; shorten it")
    return folded(name)


def _check_words(path, entries, top_words):
    for number, entry in entries.items():
        if number > len(top_words):
            raise DataError(
                f"{path}: topic {number}, but the model has {len(top_words)} topics; remove it"
            )
        words = tuple(top_words[number - 1][:N_WORDS])
        if entry.words != words:
            raise DataError(
                f"{path}: the words of topic {number} are not those of the model, which begin with "
                f"{shown(', '.join(words[:3]))}; put them back, or remove the entry"
            )


def _check_merges(path, entries):
    for number, entry in entries.items():
        if entry.merge is None:
            continue
        place = f"{path}: topic {number}, merge: {entry.merge}"
        target = entries.get(entry.merge)
        if entry.merge == number:
            raise DataError(f"{place} is the topic itself; name another one")
        if target is None:
            raise DataError(f"{place} is not in the file; name a topic that is")
        if target.merge or target.drop:
            what = "merged itself" if target.merge else "dropped"
            raise DataError(f"{place}, which is {what}; name a topic that stays")


# After a new fit.


def _carried(path, entries, top_words):
    """Entries of another model, each at the topic that has most of its words, one to one."""
    _check_merges(path, entries)
    old = sorted(entries)
    likeness = np.array(
        [[_likeness(entries[number].words, words) for words in top_words] for number in old]
    ).reshape(len(old), len(top_words))
    target = {
        old[row]: int(column) + 1  # a number that JSON knows
        for row, column in zip(*linear_sum_assignment(-likeness), strict=True)
        if likeness[row, column] >= LEAST_LIKE
    }
    now, carried, lost = {}, [], []
    for row, number in enumerate(old):
        entry, to = entries[number], target.get(number)
        problem = _problem(entry, to, target)
        if entry.is_edited and problem:
            lost.append({"topic": number, "name": entry.name, "reason": problem})
        if to is None or (problem and not entry.name):
            continue
        merge = target.get(entry.merge) if not problem else None
        words = tuple(top_words[to - 1][:N_WORDS])
        now[to] = Entry(words, entry.name, merge, entry.drop)
        if entry.is_edited:
            like = round(float(likeness[row, to - 1]), 3)
            carried.append({"topic": number, "now": to, "name": entry.name, "likeness": like})
    record = _record(path, False, _edited(now), carried, lost, same_model=False)
    return Naming(now, record)


def _problem(entry, to, target):
    if to is None:
        return f"no topic shares at least {LEAST_LIKE:.0%} of its words: {', '.join(entry.words)}"
    if entry.merge and entry.merge not in target:
        return f"topic {entry.merge}, into which it was merged, has no topic like it"
    return ""


def _likeness(words, others):
    """Share of the words that are among as many top words of another topic."""
    return len({*words} & {*others[: len(words)]}) / len({*words})
