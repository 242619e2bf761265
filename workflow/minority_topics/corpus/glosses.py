"""English glosses of words and of topics' names, to be shown beside them."""

from dataclasses import dataclass, field
from pathlib import Path

from ..base.text import find_control, folded, lowered, shown
from .injection import read_topics
from .readers import DataError, naming, read_plain_lines

HEADER = "word\tgloss"


@dataclass(frozen=True)
class Glosses:
    """Gloss of each word, and of each topic by its name."""

    words: dict[str, str] = field(default_factory=dict)
    topics: dict[str, str] = field(default_factory=dict)


def read_glosses(paths):
    """Glosses of some files, .yaml of topics or .tsv of words; the first that has one counts."""
    words: dict[str, str] = {}
    topics: dict[str, str] = {}
    for path in map(Path, paths):
        ending = path.suffix.lower()
        if ending in (".yaml", ".yml"):
            found = read_topics(path)
            topics = {topic.name: topic.gloss for topic in found} | topics
            for topic in found:
                words = topic.words | words
        elif ending == ".tsv":
            words = _read_words(path) | words
        else:
            raise DataError(f"{path}: the name must end in .tsv or .yaml; rename it")
    return Glosses(words, topics)


def _read_words(path):
    """Words and glosses of a file of two columns, separated by a tab, under the line HEADER."""
    lines = read_plain_lines(path)
    with naming(path):
        if lines[0] != HEADER:
            raise DataError(f"line 1 is {shown(lines[0])}; write the header word, a tab, gloss")
        words: dict[str, str] = {}
        for number, line in enumerate(lines[1:], start=2):
            if line.strip():
                word, gloss = _word(number, line)
                if word in words:
                    raise DataError(f"line {number} has {shown(word)} a second time; remove one")
                words[word] = gloss
    return words


def _word(number, line):
    fields = [folded(part) for part in line.split("\t")]
    if len(fields) != 2 or not all(fields):
        raise DataError(f"line {number} is {shown(line)}; write a word, one tab and its gloss")
    word, gloss = fields
    if " " in word:
        raise DataError(f"line {number} has {shown(word)}, which is not one word; write one word")
    if find_control(word + gloss):
        raise DataError(f"line {number} holds {find_control(word + gloss)!r}; take it out")
    return lowered(word), gloss
