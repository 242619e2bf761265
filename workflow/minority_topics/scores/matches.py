"""Learned topics beside true ones, with example documents: tables of the fit that is shown.

It is the first fit of a folder that came out, with the corpus that it was fitted on. T true topics,
K learned ones, M documents. Learned topics are numbered from 1 in the tables, as in figures.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..base.files import read_csv
from ..base.manifest import check_manifest
from ..corpus.storage import Corpus, read_corpus
from ..methods.contract import N_TOP_WORDS, Fit, read_fit
from .metrics import assign, jsd_matrix, top_words
from .tables import read_statuses

TOPIC_COLUMNS = [
    "topic", "kind", "documents", "closest", "closest_gloss", "closest_jsd", "rank", "word",
    "gloss", "seed",
]  # fmt: skip
TRUE_TOPIC_COLUMNS = [
    "topic", "gloss", "words", "documents", "nearest", "nearest_kind", "nearest_words", "jsd",
    "found", "share",
]  # fmt: skip
EXAMPLE_COLUMNS = ["topic", "kind", "id", "text", "assigned", "assigned_words", "weight"]
# Documents of a true topic that are shown as assigned well, and as many as assigned badly.
N_EXAMPLES = 3


@dataclass(frozen=True)
class ShownFit:
    """A fit with its corpus, and the rows of its top_words.csv."""

    corpus: Corpus
    fit: Fit
    topics: list[dict]

    @cached_property
    def divergences(self):
        """JSD of each true topic to each learned one (T, K), NaN where one of them is empty."""
        return jsd_matrix(self.corpus.truth, self.fit.topic_word)

    @cached_property
    def assignments(self):
        """The topic of each document (M,), -1 for an outlier."""
        return assign(self.fit.doc_topic)

    def words(self, topic):
        """Top words of a learned topic, heaviest first."""
        row = self.topics[topic]
        return [word for rank in range(1, N_TOP_WORDS + 1) if (word := row[f"word_{rank}"])]


def read_shown(folder):
    """The first fit in `folder` that came out, None if none did."""
    for path, status in read_statuses([folder]):
        if status["status"] == "ok":
            check_manifest(path, "top_words.csv")
            corpus = read_corpus(status["corpus"])
            return ShownFit(corpus, read_fit(path), read_csv(path / "top_words.csv"))
    return None


def topics(shown, glosses):
    """The top words of learned topics with what is known of them; a row per topic and word."""
    rows = []
    for topic, facts in enumerate(shown.topics if shown else []):
        known = {
            "topic": topic + 1,
            "kind": facts["kind"],
            "documents": facts["documents"],
            **_closest(shown, topic, glosses),
        }
        for rank, word in enumerate(shown.words(topic), start=1):
            seed = word in shown.corpus.seed_words
            gloss = glosses.words.get(word, "")
            rows.append({**known, "rank": rank, "word": word, "gloss": gloss, "seed": seed})
    return rows


def _closest(shown, topic, glosses):
    """The true topic that a learned one has the least JSD to, the first of equals."""
    true = _least(shown.divergences[:, topic])
    if true is None:
        return {}
    name = shown.corpus.topic_names[true]
    return {
        "closest": name,
        "closest_gloss": glosses.topics.get(name, ""),
        "closest_jsd": _number(shown.divergences[true, topic]),
    }


def true_topics(shown, glosses):
    """Each true topic beside the learned topic nearest to it; a row per true topic."""
    rows = []
    for true, name in enumerate(shown.corpus.topic_names if shown else []):
        nearest = _least(shown.divergences[true])
        members = shown.corpus.labels == true
        (heaviest,) = top_words(shown.corpus.truth[[true]], N_TOP_WORDS)
        row = {
            "topic": name,
            "gloss": glosses.topics.get(name, ""),
            "words": ", ".join(shown.corpus.vocabulary[column] for column in heaviest),
            "documents": int(members.sum()),
        }
        if nearest is not None:
            found = int((members & (shown.assignments == nearest)).sum())
            row |= {
                "nearest": nearest + 1,
                "nearest_kind": shown.topics[nearest]["kind"],
                "nearest_words": ", ".join(shown.words(nearest)),
                "jsd": _number(shown.divergences[true, nearest]),
                "found": found,
                "share": _number(found / members.sum()) if members.any() else "",
            }
        rows.append(row)
    return rows


def examples(shown):
    """Documents of each true topic that its nearest learned topic has, and some that it has not.

    Of both kinds the ones with the largest weight in the topic that they are assigned to, of equals
    the first.
    """
    rows = []
    for true, name in enumerate(shown.corpus.topic_names if shown else []):
        nearest = _least(shown.divergences[true])
        if nearest is None:
            continue
        members = shown.corpus.labels == true
        well = shown.assignments == nearest
        for kind, documents in (("well", members & well), ("badly", members & ~well)):
            rows += [
                {"topic": name, "kind": kind, **_document(shown, number)}
                for number in _heaviest(shown.fit.doc_topic, documents)
            ]
    return rows


def _heaviest(doc_topic, chosen):
    """Numbers of the chosen documents (M,) with the largest weight, at most N_EXAMPLES."""
    documents = np.flatnonzero(chosen)
    weights = doc_topic[documents].max(axis=1, initial=0)
    return documents[np.argsort(-weights, kind="stable")[:N_EXAMPLES]]


def _document(shown, number):
    """A document and where it is assigned to; an outlier to nothing, with weight 0."""
    topic = shown.assignments[number]
    outlier = topic < 0
    return {
        "id": shown.corpus.ids[number],
        "text": " ".join(shown.corpus.tokens[number]),
        "assigned": "" if outlier else int(topic) + 1,
        "assigned_words": "" if outlier else ", ".join(shown.words(topic)),
        "weight": _number(shown.fit.doc_topic[number].max(initial=0)),
    }


def _least(divergences):
    """The place of the least number, the first of equals; None if there is no number."""
    return None if np.isnan(divergences).all() else int(np.nanargmin(divergences))


def _number(value):
    return f"{value:.6g}"
