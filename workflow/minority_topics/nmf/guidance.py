"""Learnt guidance: which documents speak of the domain, and which listed words can be believed.

A list of seed words is noisy evidence. Hidden are, for each document i, the share r_i of its words
that are of the domain, 0 for most documents, and, for each word j, how common it is within the
domain. A word of a document is of the domain with probability r_i, so that, relative to how common
word j is in the corpus, document i holds it with odds

    T(r, s) = r s / rbar + (1 - r) (1 - s) / (1 - rbar)

where rbar is the domain's share of all words, and s_j the share of word j's occurrences that are of
the domain. What listed words have in common is not s, but how much of the domain's words they make
up, phi_j: s_j = rbar phi_j D / n_j for a word with n_j of D occurrences. So a common word is known
by its numbers to speak mostly of other things, and a rare one is believed.

The posterior is found by belief propagation, in which a message leaves its addressee out, so that
no message counts as evidence for itself; pi, omega and rbar are learnt (EM). At first documents and
listed words speak alone, until they have settled. Then all words take part, for a few rounds, in
which the part of the domain that is not listed may grow only so much: without that bound, words
would lead from the list to whatever else a corpus is divided by. T is linear in r and in s, so that
a message is one number. A round costs O(nonzeros of listed words) at first, and O(nonzeros) at the
end.
"""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit, prange
from scipy.optimize import brentq
from scipy.sparse import csr_matrix
from scipy.special import expit, logit

from .compiled import kernel
from .kernels import Matrix, batches, matrix_of

# Share of the domain's words in a document of the domain; each is as likely as the others at first.
SHARES = np.array([0.1, 0.2, 0.4])
# phi_j in units of the mean of the listed words, and how likely each is for a listed word: before
# words are seen, as many words as LISTED_WEIGHT say so.
LEVELS = np.array([0, 0.1, 0.3, 1, 3, 10])
LISTED = np.array([0.01, 0.005, 0.005, 0.23, 0.5, 0.25])
LISTED_WEIGHT = 50
# The part of the domain's words that the list is taken to cover. While listed words speak alone it
# covers no less, if at most FEW_DOCUMENTS documents with a listed word are of the domain.
COVER, FEW_DOCUMENTS = 0.6, 50
# No word is of the domain alone: at most this share of its occurrences is.
PUREST = 0.99
# A word that is not listed is one of the domain with this probability; so many words it weighs.
UNLISTED, UNLISTED_WEIGHT = 0.01, 100
# From a word of one document nothing is learnt: only that document would speak for it.
FEWEST = 2
# Share of documents of the domain to begin with, how many documents that weighs, and the most.
MINORITY, MINORITY_WEIGHT, MOST = 0.02, 2, 0.5
LEAST = 1e-7
TINY = np.finfo(np.float64).tiny
# Logarithms of odds beyond this are as good as certain, and can be taken to the exponent.
CERTAIN = 300
# Of how many trusted words a likeness is the mean, and the most that it can say.
NEAREST, MOST_LIKE = 3, 4
DAMPING = 0.3
# So many odds are multiplied before a logarithm is taken; none is above 1 / LEAST.
AT_ONCE = 16
# Messages by document: they are kept in the order of the documents.
IN_ORDER = np.empty(0, dtype=np.int32)
MAX_ROUNDS, TOLERANCE = 40, 0.01
FEW_ROUNDS = 10
# Rounds of all words. In each, the words that are not listed may gain GROWTH over the root of the
# number of documents of the domain, for so little is known of it; the rarer the domain, the more
# background there is to be drawn into it, and they may gain GROWTH_BY_SHARE times its share of the
# documents at most. At first they make up no more than FIRST_BY_SHARE times that share of what the
# listed words make up.
WHOLE_ROUNDS, GROWTH, GROWTH_BY_SHARE, FIRST_BY_SHARE = 2, 6, 10, 100
# A listed word is trusted, and another one discovered, if more than this share of its occurrences
# is of the domain: the list is believed until it is known to be wrong.
TRUST, DISCOVERY = 0.35, 0.5
# A document is free above RELEASE; one with a trusted word has the benefit of the doubt: it is free
# above DOUBT.
RELEASE, DOUBT = 0.95, 0.45


# What `Learnt` has beside its arrays, for those who keep it in a file.
NUMBERS = ("rbar", "n_rounds", "converged")
# What a fit says of an `Unlearnable` error.
FALLS_BACK = "Learnt guidance falls back to the list of seed words: {}."


class Unlearnable(ValueError):
    """There is nothing to learn guidance from, for the reason that it tells."""


class Guidance:
    """Which documents are free to hold minority topics, and which seed words are trusted.

    `listed` are the columns of the seed words, `word_probability` (N,) is how much of each word's
    occurrences is of the domain.
    """

    listed: np.ndarray
    word_probability: np.ndarray

    @property
    def trusted(self):
        return self.listed[self.word_probability[self.listed] > TRUST]

    @property
    def distrusted(self):
        return np.setdiff1d(self.listed, self.trusted)

    @property
    def discovered(self):
        return np.setdiff1d(np.flatnonzero(self.word_probability > DISCOVERY), self.listed)

    def trusted_in(self, V):
        """Documents (M,) of V (M x N) with a trusted word."""
        believed = np.zeros(V.shape[1], dtype=V.dtype)
        believed[self.trusted] = 1
        return V @ believed > 0


class Listed(Guidance):
    """The list is the law: a document is free if it holds a listed word."""

    def __init__(self, listed, n_words):
        self.listed = listed
        self.word_probability = np.zeros(n_words, dtype=np.float32)
        self.word_probability[listed] = 1

    def document_probability(self, V):
        return self.trusted_in(V).astype(np.float32)

    def free(self, V, probability):
        return probability > 0


@dataclass(frozen=True)
class Learnt(Guidance):
    """What belief propagation has found: `prior` (G + 1,) of the shares of a document, and rbar."""

    listed: np.ndarray
    word_probability: np.ndarray
    prior: np.ndarray
    rbar: float
    n_rounds: int
    converged: bool

    def document_probability(self, V):
        """p(r_i > 0) of documents V (M x N, CSR), whether they were there to learn from or not."""
        s = self.word_probability[:, None].astype(np.float64)
        says = np.log(odds(shares(), s, self.rbar)).astype(np.float32)
        probability = np.empty(V.shape[0], dtype=np.float32)
        score_documents(V.nnz, matrix_of(V), says, np.log(self.prior), probability)
        return probability

    def free(self, V, probability):
        """Documents (M,) that may hold minority topics, given their `probability` (M,)."""
        return (probability > RELEASE) | (self.trusted_in(V) & (probability > DOUBT))


def shares():
    return np.concatenate([[0.0], SHARES])


def odds(r, s, rbar):
    """T(r, s)."""
    return r * s / rbar + (1 - r) * (1 - s) / (1 - rbar)


def learn_guidance(passes, listed, vectors=None):
    """Guidance from the documents of `passes` and the columns of the seed words.

    `vectors` (N x d) of words, if there are any, say which words are like the listed ones.
    """
    V = passes.V
    length = np.diff(V.indptr)
    count = np.diff(passes.by_column.indptr)
    if not count[listed].any():
        raise Unlearnable("no seed word is in the documents")
    everywhere = listed[count[listed] == V.shape[0]]  # they tell no document from another
    known = np.setdiff1d(listed[count[listed] > 0], everywhere)
    graph = Graph.of(V[:, known])
    if graph.speaking.all() or not len(known):
        raise Unlearnable("every document holds a seed word")

    beliefs = Beliefs(graph, length, count[known])
    n_rounds, change = 0, math.inf
    while change >= TOLERANCE and n_rounds < MAX_ROUNDS:
        change = beliefs.update()
        n_rounds += 1
    likeness = np.zeros(V.shape[1], dtype=np.float32)
    if vectors is not None:
        likeness = log_likeness(vectors, known[beliefs.s > TRUST])
    whole = WholeBeliefs(passes, beliefs, known, count, likeness)
    for _ in range(WHOLE_ROUNDS):
        whole.update()
    absent = listed[count[listed] == 0]  # nothing speaks against them
    whole.s[absent] = beliefs.levels(count[absent]) @ beliefs.alpha
    whole.s[everywhere] = beliefs.rbar
    guidance = Learnt(
        listed, whole.s.astype(np.float32), np.exp(beliefs.log_prior), beliefs.rbar, n_rounds,
        change < TOLERANCE,
    )  # fmt: skip
    if not count[guidance.trusted].any():
        raise Unlearnable("no seed word can be trusted")
    if not guidance.free(V, guidance.document_probability(V)).any():
        raise Unlearnable("no document is probably of the domain")
    return guidance


def hear_all(matrix, edges, said, start, states, rbar):
    """Posterior of the states of each row, and what it answers: see the kernel `hear`."""
    posterior, answer = np.empty((matrix.n_rows, start.shape[1])), np.empty_like(said)
    inside, outside = states / rbar, (1 - states) / (1 - rbar)
    hear(len(said), matrix, edges, said, start, states, inside, outside, posterior, answer)
    return posterior, answer


class Beliefs:
    """Belief propagation between documents and listed words, and what is learnt on the way.

    `s` (n,) and `posterior` (documents with listed words x (G + 1)) are beliefs of the last round.
    Documents without a listed word differ in their length alone: there is a row for each length.
    """

    def __init__(self, graph, length, count):
        self.graph, self.length, self.count = graph, length, count
        self.total = int(length.sum())
        self.speaking_length = length[graph.speaking].astype(np.float64)
        self.others = self.speaking_length - np.diff(graph.by_document.indptr)
        self.lengths, self.row, self.n_silent = np.unique(
            length[~graph.speaking], return_inverse=True, return_counts=True
        )
        self.r = shares()
        self.pi, self.omega = MINORITY, np.full(len(SHARES), 1 / len(SHARES))
        self.rbar = self.pi * (SHARES @ self.omega)
        self.alpha = LISTED
        self.s = self.levels(count) @ self.alpha
        self.cavity_s = self.s[graph.by_document.indices]
        self.posterior = np.zeros((len(self.others), len(self.r)))

    @property
    def log_prior(self):
        return np.log(np.concatenate([[1 - self.pi], self.pi * self.omega]))

    def levels(self, count):
        """s (words x levels) of words with so many occurrences, on each level of phi."""
        phi = LEVELS * COVER / len(self.count)
        return np.minimum(np.outer(self.rbar * self.total / np.maximum(count, 1), phi), PUREST)

    def update(self):
        """One round; how far the probability of a document has moved at most."""
        s, before = self.levels(self.count), self.posterior
        log_rest = np.log(odds(self.r, self.share_of_the_rest(), self.rbar))
        start = self.log_prior + np.outer(self.others, log_rest)
        by_document, by_word = self.graph.by_document, self.graph.by_word
        self.posterior, cavity_r = hear_all(
            by_document, IN_ORDER, self.cavity_s, start, self.r[None, :], self.rbar
        )
        self.silent = softmax(self.log_prior + np.outer(self.lengths, log_rest))
        start = np.log(self.alpha)[None, :]
        belief, cavity_s = hear_all(by_word, self.graph.edges, cavity_r, start, s, self.rbar)
        self.s = (belief * s).sum(axis=1)
        self.cavity_s = DAMPING * self.cavity_s + (1 - DAMPING) * cavity_s
        self.learn_levels(belief)
        self.learn_documents(
            self.posterior.sum(axis=0) + self.n_silent @ self.silent, self.domain_mass()
        )
        return np.abs(self.posterior[:, 0] - before[:, 0]).max()

    def domain_mass(self):
        """How many words of all documents are of the domain: sum_i length_i E[r_i].

        Little is known of documents without a listed word. If few documents with one are of the
        domain, the others add no more than what leaves the list its part, COVER, of the domain's
        words; from FEW_DOCUMENTS on, the bound grows with their number.
        """
        mass = dot(self.speaking_length, self.posterior @ self.r)
        mass += dot(self.n_silent * self.lengths, self.silent @ self.r)
        documents = self.posterior[:, 1:].sum()
        most = dot(self.s, self.count) / COVER * max(documents / FEW_DOCUMENTS, 1)
        return min(mass, most)

    def share_of_the_rest(self):
        """s of a word that is not listed, on average: what the listed ones leave to them."""
        left = self.rbar * self.total - dot(self.s, self.count)
        return min(max(left / max(self.total - self.count.sum(), 1), 0), self.rbar)

    def learn_levels(self, belief):
        """alpha from the `belief` (n x levels) of listed words, with a little of the prior."""
        self.alpha = (belief.sum(axis=0) + LISTED_WEIGHT * LISTED) / (len(belief) + LISTED_WEIGHT)

    def learn_documents(self, documents, mass):
        """pi, omega and rbar, with a little of the prior.

        `documents` (G + 1,) says how many there are of each share, `mass` how many words of all
        documents are of the domain.
        """
        domain = documents[1:]
        pi = (domain.sum() + MINORITY_WEIGHT * MINORITY) / (len(self.length) + MINORITY_WEIGHT)
        self.pi = min(pi, MOST)
        self.omega = (domain + 1) / (domain.sum() + len(domain))
        self.learn_size(mass)

    def learn_size(self, mass):
        """rbar, if so many words of all documents are of the domain."""
        self.rbar = min(max(mass / self.total, LEAST), MOST)

    def expected(self):
        """The expected share r (M,) of each document."""
        share = np.empty(len(self.length))
        share[self.graph.speaking] = self.posterior @ self.r
        share[~self.graph.speaking] = (self.silent @ self.r)[self.row]
        return share


class WholeBeliefs:
    """Belief propagation between documents and all words, from where the listed ones have settled.

    `count` (N,) says how many documents hold each word, `likeness` (N,) is what else speaks for a
    word that is not listed, as a logarithm of odds. `s` (N,) are the beliefs of the last round.
    """

    def __init__(self, passes, beliefs, listed, count, likeness):
        self.beliefs, self.count, self.likeness = beliefs, count, likeness
        self.is_listed = np.zeros(len(count), dtype=bool)
        self.is_listed[listed] = True
        # Of a word of one document nothing is learnt: only that document would speak for it.
        self.learns = (count >= FEWEST) & ~self.is_listed
        self.levels = beliefs.levels(count)
        self.shape = beliefs.alpha[1:] / beliefs.alpha[1:].sum()
        evidence = np.zeros(self.levels.shape, dtype=np.float32)
        weigh_words(
            passes.V.nnz, passes.by_column, self.learns, beliefs.expected(), self.levels,
            beliefs.rbar, evidence,
        )  # fmt: skip
        n_domain = max(beliefs.pi * len(beliefs.length), 1)
        self.growth = 1 + min(GROWTH / math.sqrt(n_domain), GROWTH_BY_SHARE * beliefs.pi)
        mass = dot(beliefs.s, count[listed])
        self.found, self.most = UNLISTED, FIRST_BY_SHARE * beliefs.pi * mass
        self.s = np.empty(len(count))
        self.s[listed] = beliefs.s
        self.judge(softmax(self.log_prior() + evidence))
        # The domain is larger than the list: until documents have heard all words, so large.
        beliefs.learn_size(mass + self.mass)

        self.by_document, self.by_word = passes.by_row, passes.by_column
        self.edges = places_by_column(passes.V)
        self.said = self.s.astype(np.float32)[passes.V.indices]

    def update(self):
        """One round."""
        beliefs = self.beliefs
        r, start = beliefs.r[None, :], beliefs.log_prior[None, :]
        posterior, answer = hear_all(self.by_document, IN_ORDER, self.said, start, r, beliefs.rbar)
        belief, self.said = hear_all(
            self.by_word, self.edges, answer, self.log_prior(), self.levels, beliefs.rbar
        )
        beliefs.learn_documents(posterior.sum(axis=0), dot(beliefs.length, posterior @ beliefs.r))
        self.s[self.is_listed] = (belief * self.levels).sum(axis=1)[self.is_listed]
        self.judge(belief)

    def log_prior(self):
        """Logarithms (N x levels) before anything is heard; a row may have any scale."""
        logs = np.empty(self.levels.shape)
        logs[:, 0] = math.log(1 - self.found)
        logs[:, 1:] = np.log(self.found * self.shape) + self.likeness[:, None]
        logs[self.is_listed] = np.log(self.beliefs.alpha)
        return logs

    def judge(self, belief):
        """s of words that are not listed, from their `belief` (N x levels); `found` is learnt.

        They may make up `most` words of the domain, and next time `growth` times what they do now.
        Messages that have been sent are not bounded: with that, fewer missing words are found.
        """
        right = np.maximum(belief[:, 1:].sum(axis=1), TINY)
        weight = (belief[:, 1:] * self.levels[:, 1:]).sum(axis=1) / right
        weight[~self.learns] = (self.levels[:, 1:] @ self.shape)[~self.learns]
        # What was heard, without the prior that it came on top of.
        heard = np.log(right / np.maximum(belief[:, 0], TINY)) - logit(self.found)
        heard = np.clip(heard, -CERTAIN, CERTAIN)
        heard[~self.learns] = self.likeness[~self.learns]
        learns = heard[self.learns]
        mass = (weight * self.count)[self.learns]

        for _ in range(FEW_ROUNDS):
            right = expit(learns + logit(self.found)).sum()
            self.found = (right + UNLISTED * UNLISTED_WEIGHT) / (len(learns) + UNLISTED_WEIGHT)
        self.mass = dot(expit(learns + logit(self.found)), mass)
        if self.mass > self.most:
            least, now, most = -2 * CERTAIN, logit(self.found), self.most
            self.found = expit(brentq(lambda x: dot(expit(learns + x), mass) - most, least, now))
            self.mass = most
        self.most = self.growth * self.mass
        s = expit(heard + logit(self.found)) * weight
        # A word from which nothing is learnt must say nothing, or be against the domain.
        silent = ~self.learns & (self.likeness == 0)
        s[silent] = np.minimum(s[silent], self.beliefs.rbar)
        self.s[~self.is_listed] = s[~self.is_listed]


def log_likeness(vectors, trusted):
    """Log odds (N,) that a word is one of the domain, by its likeness to the trusted words.

    Likeness is the mean cosine to the NEAREST trusted words other than itself. How far trusted
    words are more alike than others, in units of their spread, says what a likeness is worth: two
    normal distributions of one variance.
    """
    largest = np.abs(vectors).max(axis=1, initial=0, keepdims=True)  # squares stay finite
    scaled = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    unit = np.divide(scaled, length, out=scaled, where=length > 0)
    known = (length > 0).ravel()
    anchors = trusted[known[trusted]]
    others = known.copy()
    others[anchors] = False
    nothing = np.zeros(len(unit), dtype=np.float32)
    if len(anchors) <= NEAREST or not others.any():
        return nothing
    likeness = nothing.copy()
    for rows in batches(len(unit), 2**14):
        cosines = unit[rows] @ unit[anchors].T
        cosines[np.arange(len(unit))[rows, None] == anchors] = -1  # not like itself
        likeness[rows] = np.partition(cosines, -NEAREST, axis=1)[:, -NEAREST:].mean(axis=1)
    inside, outside = likeness[anchors], likeness[others]
    difference = float(inside.mean() - outside.mean())
    spread = float(np.r_[inside - inside.mean(), outside - outside.mean()].var())
    if difference <= 0 or spread == 0:
        return nothing
    log_odds = (likeness - (inside.mean() + outside.mean()) / 2) * difference / spread
    return np.where(known, np.clip(log_odds, -MOST_LIKE, MOST_LIKE), 0).astype(np.float32)


@dataclass(frozen=True)
class Graph:
    """Documents that hold listed words (`speaking`, M), and their nonzeros by document and by word.

    `edges` gives, for the nonzeros by word, their place among those by document.
    """

    by_document: Matrix
    by_word: Matrix
    edges: np.ndarray
    speaking: np.ndarray

    @classmethod
    def of(cls, S):
        speaking = np.diff(S.indptr) > 0
        S = S[speaking]
        return cls(matrix_of(S), matrix_of(S.tocsc()), places_by_column(S), speaking)


def places_by_column(V):
    """Places of the nonzeros of V (CSR) in the order of its columns."""
    in_order = np.arange(V.nnz, dtype=IN_ORDER.dtype if V.nnz < 2**31 else np.int64)
    return csr_matrix((in_order, V.indices, V.indptr), V.shape).tocsc().data


def dot(x, y):
    """The product of two vectors; that of BLAS depends on the number of its threads."""
    return (x * y).sum()


def softmax(logs):
    """Rows of `logs` as probabilities."""
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


@kernel(error_model="numpy")
def hear(matrix, edges, said, begin_with, states, inside, outside, posterior, answer):
    """What rows think when they have heard their neighbours, and what they answer each of them.

    A row is a document, in one of the `states` r, and its neighbours say s; or a word, in one of
    the states s, and its neighbours say r. `said` and `answer` have a number for each nonzero, at
    the place that `edges` gives, or in their order where it is empty. A state with T = inside x +
    outside (1 - x) for what is said is the likelier for it. `begin_with` (R x n) are logarithms
    before anything is said; they, states, inside and outside are rows, or one for all. An answer is
    the expected state, without what the one who is answered has said.
    """
    bounds, indptr, _, _, _ = matrix
    n = states.shape[1]
    for block in prange(len(bounds) - 1):
        logs, product, weights = np.empty(n), np.ones(n), np.empty(n)
        for row in range(bounds[block], bounds[block + 1]):
            begin, end = indptr[row], indptr[row + 1]
            k = row if len(states) > 1 else 0
            logs[:] = begin_with[row if len(begin_with) > 1 else 0]
            for p in range(begin, end):
                x = said[edges[p] if len(edges) else p]
                for g in range(n):
                    product[g] *= inside[k, g] * x + outside[k, g] * (1 - x)
                if (p - begin) % AT_ONCE == AT_ONCE - 1:
                    take_logs(product, logs)
            take_logs(product, logs)
            mass = exponentials(logs, weights)
            for g in range(n):
                posterior[row, g] = weights[g] / mass
            for p in range(begin, end):
                place = edges[p] if len(edges) else p
                x = said[place]
                mass = mean = 0.0
                for g in range(n):
                    left = weights[g] / (inside[k, g] * x + outside[k, g] * (1 - x))
                    mass += left
                    mean += states[k, g] * left
                answer[place] = mean / mass


@kernel(error_model="numpy")
def weigh_words(matrix, chosen, expected, s, rbar, evidence):
    """Log likelihood (N x levels) of each chosen word, given the `expected` shares of documents."""
    bounds, indptr, indices, _, _ = matrix
    n = s.shape[1]
    for block in prange(len(bounds) - 1):
        logs, product = np.empty(n), np.ones(n)
        inside, outside = np.empty(n), np.empty(n)
        for j in range(bounds[block], bounds[block + 1]):
            if chosen[j]:
                begin, end = indptr[j], indptr[j + 1]
                for h in range(n):
                    logs[h] = 0
                    inside[h], outside[h] = s[j, h] / rbar, (1 - s[j, h]) / (1 - rbar)
                for p in range(begin, end):
                    r = expected[indices[p]]
                    for h in range(n):
                        product[h] *= inside[h] * r + outside[h] * (1 - r)
                    if (p - begin) % AT_ONCE == AT_ONCE - 1:
                        take_logs(product, logs)
                take_logs(product, logs)
                for h in range(n):
                    evidence[j, h] = logs[h]


@njit(inline="always")
def take_logs(product, logs):
    """Move what has been multiplied so far to its logarithms."""
    for g in range(len(product)):
        logs[g] += math.log(product[g])
        product[g] = 1


@njit(inline="always")
def exponentials(logs, weights):
    """exp(logs) in units of the largest, and their sum."""
    largest = logs.max()
    mass = 0.0
    for g in range(len(logs)):
        weights[g] = math.exp(logs[g] - largest)
        mass += weights[g]
    return mass


@kernel(error_model="numpy")
def score_documents(matrix, logs, log_prior, probability):
    """p(r_i > 0) (M,), from the `logs` (N x (G + 1)) of what each word says."""
    bounds, indptr, indices, _, _ = matrix
    n = len(log_prior)
    for block in prange(len(bounds) - 1):
        total, weights = np.empty(n), np.empty(n)
        for i in range(bounds[block], bounds[block + 1]):
            total[:] = log_prior
            for p in range(indptr[i], indptr[i + 1]):
                for g in range(n):
                    total[g] += logs[indices[p], g]
            exponentials(total, weights)
            inside = weights[1:].sum()
            probability[i] = inside / (weights[0] + inside)
