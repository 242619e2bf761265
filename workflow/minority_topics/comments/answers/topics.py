"""Topics after names, merges and drops: their words, how exclusive these are, and their likeness.

With h the components, (topics x words), and each row divided by its sum:

    phi_kv = h_kv / sum_u h_ku                      weight of word v in topic k
    e_kv   = phi_kv / sum_j phi_jv                  exclusivity: the topic's share of the word

Exclusive words are ordered by FREX (Bischof and Airoldi 2012), the harmonic mean of a word's rank
by exclusivity and its rank by weight, as shares, among the heaviest words of the topic.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata

from .material import Shares, blocks

# Words of a topic among which the exclusive ones are looked for.
HEAVY = 200
NAME_WORDS = 3
# Of a topic's weight, for a seed word to be one of the topic.
LEAST_OF_SEED = 1e-3
# Columns of `phi` that are taken at a time.
COLUMNS = 50_000


@dataclass(frozen=True)
class Topics:
    """Topics that the tables show, in order of their numbers; rows of phi (topics x words)."""

    numbers: list
    names: list
    is_named: list
    is_minority: np.ndarray
    is_merged: np.ndarray
    phi: np.ndarray
    vocabulary: list
    seed_columns: np.ndarray
    counting_columns: np.ndarray

    def __len__(self):
        return len(self.numbers)

    @cached_property
    def seeds(self):
        return {int(column) for column in self.seed_columns}

    @cached_property
    def exclusivity(self):
        """Columns of words that some topic may show, with the share of the word in each topic."""
        return {
            int(column): self.phi[:, column] / max(float(self.phi[:, column].sum()), 1e-30)
            for k in range(len(self))
            for column in self.heavy(k)
        }

    def heavy(self, k, n=HEAVY):
        """Columns of the n <= HEAVY heaviest words of topic k, heaviest first, none of weight 0."""
        return self._heavy[k][:n]

    @cached_property
    def _heavy(self):
        return [_largest(row, HEAVY) for row in self.phi]

    def exclusive(self, k, n):
        """Columns of the n words of topic k with the largest FREX."""
        heavy = self.heavy(k)
        if not len(heavy):
            return heavy
        shares = np.array([self.exclusivity[int(column)][k] for column in heavy])
        by_share = rankdata(shares, "max") / len(heavy)
        by_weight = rankdata(self.phi[k, heavy], "max") / len(heavy)
        frex = 2 / (1 / by_share + 1 / by_weight)
        return heavy[np.argsort(-frex, kind="stable")[:n]]

    def words(self, columns):
        return [self.vocabulary[column] for column in columns]

    def seed_words(self, k, n):
        """The heaviest seed words of topic k, without those of no account."""
        weights = self.phi[k, self.seed_columns]
        return self.seed_columns[_largest(np.where(weights < LEAST_OF_SEED, 0, weights), n)]

    def seed_share(self):
        """Share of the weight of each topic that words have which count as seed words."""
        return self.phi[:, self.counting_columns].sum(axis=1, dtype=float)

    @cached_property
    def similarity(self):
        """Bhattacharyya's coefficient of each two topics, 0 to 1: sum_v sqrt(phi_kv phi_jv)."""
        gram = np.zeros((len(self), len(self)))
        for start in range(0, self.phi.shape[1], COLUMNS):
            roots = np.sqrt(self.phi[:, start : start + COLUMNS], dtype=np.float64)
            gram += roots @ roots.T
        return np.clip(gram, 0, 1)

    def places(self):
        """(x, y) of each topic: classical scaling of Hellinger's distance, sqrt(1 - similarity)."""
        n = len(self)
        centring = np.eye(n) - 1 / max(n, 1)
        values, vectors = np.linalg.eigh(centring @ self.similarity @ centring)
        places = np.zeros((n, 2))
        for axis, column in enumerate(range(n - 1, max(n - 3, -1), -1)):
            vector = vectors[:, column] * np.sqrt(max(values[column], 0))
            # The sign of an eigenvector means nothing: the farthest topic is right, or above.
            places[:, axis] = vector * (np.sign(vector[np.abs(vector).argmax()]) or 1)
        return places

    def nearest(self):
        """(index, similarity) of the most similar other topic of each, (-1, nan) of a lone one."""
        others = self.similarity.copy()
        np.fill_diagonal(others, -1)
        if len(self) < 2:
            return [(-1, np.nan)] * len(self)
        best = others.argmax(axis=1)
        return [(int(j), float(others[k, j])) for k, j in enumerate(best)]


def _largest(row, n):
    """Places of the n largest positive numbers of a row, largest first; of equals the first."""
    places = np.flatnonzero(row > 0)
    if n < len(places):
        cut = np.partition(row[places], len(places) - n)[len(places) - n]
        # All that tie with the last one stay, so that which of them is first is no accident.
        places = places[row[places] >= cut]
    return places[np.argsort(-row[places], kind="stable")[:n]]


def top_words(components, vocabulary, n):
    """The n heaviest words of each topic of a model, as lists."""
    return [[vocabulary[column] for column in _largest(row, n)] for row in components]


@dataclass(frozen=True)
class Arrangement:
    """Which topics of a model are shown, all from 0.

    `target` (K,) is the topic that each becomes a part of, mostly itself; `kept` are those that are
    shown; `place` (K,) is where the shares of each go, those of dropped topics last.
    """

    target: np.ndarray
    kept: list
    place: np.ndarray

    @classmethod
    def of(cls, naming, n_topics):
        target, dropped = np.arange(n_topics), []
        for number, edit in naming.entries.items():
            if edit.merge:
                target[number - 1] = edit.merge - 1
            if edit.drop:
                dropped.append(number - 1)
        own = [k for k in range(n_topics) if target[k] == k]
        kept = [k for k in own if k not in dropped]
        order = {k: place for place, k in enumerate([*kept, *sorted(dropped)])}
        return cls(target, kept, np.array([order[k] for k in target.tolist()], np.int32))

    def shares(self, doc_topic):
        """The shares of a model's topics (M x K, CSR) as those of the topics that are shown.

        A merged topic has the sum of the shares. A comment whose main topic was dropped has no main
        topic, and its other shares stay.
        """
        matrix = sp.csr_matrix(
            (doc_topic.data, self.place[doc_topic.indices], doc_topic.indptr),
            shape=(doc_topic.shape[0], int(self.place.max()) + 1),
        )
        return Shares(matrix, len(self.kept))


def arrange(material, naming, n_minority):
    """(Topics, Shares) as they are shown: names given, merged topics added up, dropped ones out."""
    arrangement = Arrangement.of(naming, len(material.components))
    topics = describe(material, naming, arrangement, n_minority)
    return topics, arrangement.shares(material.doc_topic)


def describe(material, naming, arrangement, n_minority):
    """The topics that are shown; weights of words of a merged one are the mean of phi by mass."""
    kept = arrangement.kept
    phi = _merged(material, arrangement)
    given = [found.name if (found := naming.entries.get(k + 1)) else None for k in kept]
    names = []
    for row, k in enumerate(kept):
        words = [material.vocabulary[column] for column in _largest(phi[row], NAME_WORDS)]
        names.append(given[row] or ", ".join(words) or f"Topic {k + 1}")
    sizes = np.bincount(arrangement.target, minlength=len(arrangement.target))
    return Topics(
        numbers=[k + 1 for k in kept],
        names=names,
        is_named=[bool(name) for name in given],
        is_minority=np.array(kept, int) < n_minority,
        is_merged=sizes[kept] > 1,
        phi=phi,
        vocabulary=material.vocabulary,
        seed_columns=np.asarray(material.seed_columns, np.int64),
        counting_columns=np.asarray(material.counting_columns, np.int64),
    )


def _merged(material, arrangement):
    target, kept = arrangement.target, arrangement.kept
    mass = np.ones(len(target))
    if len({*target.tolist()}) < len(target):  # alone, a topic needs no weight
        mass = _masses(material.doc_topic)
    phi = np.empty((len(kept), material.components.shape[1]), np.float32)
    for row, k in enumerate(kept):
        parts = np.flatnonzero(target == k)
        weights = mass[parts] if mass[parts].any() else np.ones(len(parts))
        phi[row] = 0
        for part, weight in zip(parts, weights / weights.sum(), strict=True):
            component = material.components[part]
            total = max(float(component.sum(dtype=float)), 1e-30)
            phi[row] += component * np.float32(weight / total)
    return phi


def _masses(doc_topic):
    """The sum (K,) of the shares of each topic."""
    mass = np.zeros(doc_topic.shape[1])
    for rows in blocks(doc_topic.shape[0]):
        mass += doc_topic[rows].sum(axis=0, dtype=float).A1
    return mass
