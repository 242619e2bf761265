"""Put words of known topics into documents: the ground truth of the study."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..base.manifest import write_manifest
from ..base.strict_yaml import YamlError, read_yaml
from ..base.text import composed, folded, is_line, shown, stands_twice
from .readers import DataError, naming, require_file
from .storage import BACKGROUND, read_documents, write_documents


@dataclass(frozen=True)
class Topic:
    """A topic: its name, the name in English, and its words, each with an English gloss."""

    name: str
    gloss: str
    words: dict[str, str]


def read_topics(path):
    """The topics of a YAML file: a list of `name`, `gloss` and `words` (word to gloss)."""
    try:
        content = read_yaml(require_file(path))
    except YamlError as error:
        raise DataError(str(error)) from error
    with naming(path):
        if not isinstance(content, list) or not content:
            raise DataError("must be a list of topics, each with name, gloss and words")
        topics = [_topic(number, entry) for number, entry in enumerate(content, start=1)]
        twice = stands_twice(topic.name for topic in topics)
        if twice:
            raise DataError(f"two topics are named {shown(twice)}; rename one")
    return topics


def _topic(number, entry):
    if not isinstance(entry, dict) or set(entry) != {"name", "gloss", "words"}:
        raise DataError(f"topic {number} must have the keys name, gloss and words, and no other")
    for key in ("name", "gloss"):
        if not isinstance(entry[key], str):
            raise DataError(f"{key} of topic {number} is {shown(entry[key])}, not text; quote it")
    name = folded(composed(entry["name"]))
    if not is_line(name) or name == BACKGROUND:
        raise DataError(f"name of topic {number} is {shown(entry['name'])}; give it a name")
    words = entry["words"]
    if not isinstance(words, dict) or not words:
        raise DataError(f"words of topic {number} must map each word to its gloss; correct it")
    for word, gloss in words.items():
        for text in (word, gloss):
            if not isinstance(text, str):
                raise DataError(
                    f"words of topic {number}: {shown(text)} of {shown(word)} is not text; quote it"
                )
        if word.split() != [word] or not is_line(word):
            raise DataError(f"{shown(word)} of topic {number} is not one word; write one word")
    words = {composed(word): gloss for word, gloss in words.items()}
    if len(words) < len(entry["words"]):
        twice = stands_twice(map(composed, entry["words"]))
        raise DataError(f"{shown(twice)} of topic {number} appears twice; remove one")
    return Topic(name, entry["gloss"], words)


def inject_folder(documents, topics, rate, n_words, overlap, random_states, out):
    """Inject the topics of a file into 0.csv, 1.csv, ... of a folder, one for each random state."""
    known = read_topics(topics)
    for number, random_state in enumerate(random_states):
        rows = read_documents(Path(documents) / f"{number}.csv")
        tokens = [row["text"].split() for row in rows]
        with naming(topics):
            injected, labels = inject(tokens, known, rate, n_words, overlap, random_state)
        names = [BACKGROUND if label < 0 else known[label].name for label in labels]
        ids = [row["id"] for row in rows]
        write_documents(Path(out) / f"{number}.csv", ids, injected, names)
    write_manifest(out, [rate, n_words, overlap, random_states], [documents, topics])


def inject(documents, topics, rate=0.1, n_words=4, overlap=0, random_state=None):
    """Documents with topics put in, and labels (M,): the topic's index, or -1 for background.

    Each document, with probability `rate`, receives `n_words` distinct words of one topic drawn
    uniformly, each at a random spot; its own words keep their order. Each of the others, with
    probability `overlap`, receives one word of a topic and stays background: words of a topic are
    used for other things, too.
    """
    for name, probability in (("rate", rate), ("overlap", overlap)):
        if not 0 <= probability <= 1:
            raise ValueError(f"{name}={probability!r} must be a probability from 0 to 1")
    for topic in topics:
        if len(topic.words) < n_words:
            raise DataError(
                f"topic {topic.name!r} has {len(topic.words)} words, and n_words={n_words} are to "
                "be injected; lower n_words or add words"
            )
    rng = np.random.default_rng(random_state)
    chosen = rng.random(len(documents)) < rate
    labels = np.where(chosen, rng.integers(len(topics), size=len(documents)), -1)
    injected = [list(document) for document in documents]

    def receive(document, topic, n_words):
        for word in rng.choice(list(topics[topic].words), n_words, replace=False):
            document.insert(rng.integers(len(document) + 1), str(word))

    for document, label in zip(injected, labels, strict=True):
        if label >= 0:
            receive(document, label, n_words)
    # Drawn last, so that injected documents are the same whatever the overlap.
    in_passing = (rng.random(len(documents)) < overlap) & (labels < 0)
    for number in np.flatnonzero(in_passing):
        receive(injected[number], rng.integers(len(topics)), 1)
    return injected, labels


def topic_word_truth(topics, vocabulary):
    """Word distribution of each topic (T x N): uniform over its words that the vocabulary holds."""
    columns = {word: column for column, word in enumerate(vocabulary)}
    truth = np.zeros((len(topics), len(vocabulary)))
    for row, topic in zip(truth, topics, strict=True):
        found = [columns[word] for word in topic.words if word in columns]
        row[found] = 1 / max(len(found), 1)
    return truth


def spoil_seed_words(seed_words, background, share, wrong_share, random_state):
    """A worse list of seed words: a random `share` of them, and `wrong_share` as many wrong ones.

    A wrong seed word is a word of the background documents that is none of the list, drawn in
    proportion to the number of documents it occurs in: a common word is the likelier mistake.
    """
    rng = np.random.default_rng(random_state)
    n_kept = max(1, round(share * len(seed_words)))
    kept = sorted(rng.choice(len(seed_words), n_kept, replace=False))
    known = set(seed_words)
    frequency = Counter(word for document in background for word in set(document) - known)
    words = sorted(frequency)
    weights = np.array([frequency[word] for word in words], dtype=float)
    n_wrong = min(round(wrong_share * len(seed_words)), len(words))
    wrong = rng.choice(words, n_wrong, replace=False, p=weights / weights.sum()) if n_wrong else []
    return [seed_words[number] for number in kept] + [str(word) for word in wrong]
