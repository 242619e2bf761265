"""Put words of known topics into documents: the ground truth of the study."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Topic:
    """A topic: its name, the name in English, and its words, each with an English gloss."""

    name: str
    gloss: str
    words: dict[str, str]


def read_topics(path):
    """The topics of a YAML file: a list of `name`, `gloss` and `words` (word to gloss)."""
    import yaml

    path = Path(path)
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(content, list) or not content:
        raise ValueError(f"{path}: must be a list of topics, each with name, gloss and words")
    topics = []
    for number, entry in enumerate(content, start=1):
        if not isinstance(entry, dict) or set(entry) != {"name", "gloss", "words"}:
            raise ValueError(f"{path}: topic {number} must have the keys name, gloss and words")
        if not isinstance(entry["words"], dict) or not entry["words"]:
            raise ValueError(f"{path}: words of topic {number} must map each word to its gloss")
        split = [word for word in entry["words"] if str(word).split() != [word]]
        if split:
            raise ValueError(f"{path}: {split[0]!r} of topic {number} is not one word")
        topics.append(Topic(entry["name"], entry["gloss"], entry["words"]))
    names = [topic.name for topic in topics]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{path}: two topics are named {name!r}; rename one")
    return topics


def inject(documents, topics, rate=0.1, n_words=4, random_state=None):
    """Documents with topics put in, and labels (M,): the topic's index, or -1 for background.

    Each document, with probability `rate`, receives `n_words` distinct words of one topic drawn
    uniformly, each at a random spot; its own words keep their order.
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"rate={rate!r} must be a probability from 0 to 1")
    for topic in topics:
        if len(topic.words) < n_words:
            raise ValueError(
                f"topic {topic.name!r} has {len(topic.words)} words, and n_words={n_words} are to "
                "be injected; lower n_words or add words"
            )
    rng = np.random.default_rng(random_state)
    chosen = rng.random(len(documents)) < rate
    labels = np.where(chosen, rng.integers(len(topics), size=len(documents)), -1)
    injected = [list(document) for document in documents]
    for document, label in zip(injected, labels, strict=True):
        if label >= 0:
            for word in rng.choice(list(topics[label].words), n_words, replace=False):
                document.insert(rng.integers(len(document) + 1), str(word))
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
