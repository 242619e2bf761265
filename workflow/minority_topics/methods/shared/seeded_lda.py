"""SeededLDA, model 3 of Jagarlamudi, Daumé III and Udupa (EACL 2012), by Gibbs sampling.

LDA in which a topic may have a seed set. With T topics, of which the first S have one each:

    topic t      phi_t ~ Dir(beta) over all words, sigma_t ~ Dir(mu) over those of its seed set
    seed set s   psi_s ~ Dir(alpha) over the topics
    document d   g_d drawn evenly from the seed sets that it holds a word of,
                 theta_d ~ Dir(concentration psi_g)
    each token   topic z ~ theta_d; its word from sigma_z with probability pi, else from phi_z

The authors draw g_d from a zeta_d ~ Dir(tau) over those sets; as one g_d is all that comes from it,
zeta_d integrates out to the even draw, and tau with it. They have a seed set for every topic. Here
a topic without one is a topic of LDA (pi = 0), and a document without any seed word has the flat
psi = 1 / T, where their code lets it take any g_d: with no seed words at all, this is LDA.

theta, phi and sigma are integrated out. psi is drawn, given the number of tables of the Chinese
restaurant that the topics of a document form (Teh et al. 2006), so that the sampler is exact.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

# What a gamma draw of a small shape is kept above: it may round to zero.
LEAST = 1e-100


class Priors(NamedTuple):
    """The hyperparameters; `pi` (T,) is 0 for topics without a seed set, `sizes` (S,) are sets'."""

    alpha: float
    beta: float
    mu: float
    concentration: float
    pi: np.ndarray
    sizes: np.ndarray


class Tokens(NamedTuple):
    """The documents: document d has the words `words[starts[d] : starts[d + 1]]`."""

    starts: np.ndarray
    words: np.ndarray
    seeds: np.ndarray  # N x S: is this a word of that set?
    held: np.ndarray  # M x S: does this document hold a word of that set?


class State(NamedTuple):
    """Where the sampler is; the arrays are changed in place.

    `source` of a token is t if its word comes from phi_t, T + s if it comes from sigma_s. `group`
    of a document is its seed set, S if it has none. `prior` (S + 1 x T) is concentration psi.
    """

    source: np.ndarray
    group: np.ndarray
    prior: np.ndarray
    topics: np.ndarray  # M x T: tokens of a document by topic
    regular: np.ndarray  # N x T: tokens of a word by phi
    regular_total: np.ndarray
    seeded: np.ndarray  # N x S: tokens of a word by sigma
    seeded_total: np.ndarray


class SeededLDA:
    """The sampler. `counts` is M x N (CSR), `seed_sets` are the columns of each set's words.

    The defaults are those of the authors' code. There, too, seed words have a fixed pi.
    """

    def __init__(
        self, counts, seed_sets, n_topics, random_state,
        *, alpha=1.0, beta=0.01, mu=1e-7, pi=0.7, concentration=1.0,
    ):  # fmt: skip
        positive = {"alpha": alpha, "beta": beta, "mu": mu, "concentration": concentration}
        for name, value in positive.items():
            if not value > 0:
                raise ValueError(f"{name}={value} must be above 0")
        if not 0 <= pi < 1:
            raise ValueError(f"pi={pi} must be at least 0 and below 1")
        if len(seed_sets) > n_topics:
            raise ValueError(f"{len(seed_sets)} seed sets need as many topics, not {n_topics}")
        n_documents, n_words = counts.shape
        n_sets = len(seed_sets)
        seeds = np.zeros((n_words, n_sets), dtype=np.bool_)
        for number, columns in enumerate(seed_sets):
            seeds[columns, number] = True
        sizes = seeds.sum(axis=0)
        by_topic = np.zeros(n_topics)
        by_topic[:n_sets] = np.where(sizes > 0, pi, 0)
        self.priors = Priors(*map(float, positive.values()), by_topic, sizes)

        times = counts.data.astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(times)])[counts.indptr]
        words = np.repeat(counts.indices, times).astype(np.int64)
        self.tokens = Tokens(starts, words, seeds, (counts @ seeds) > 0)

        self.rng = np.random.default_rng(random_state)
        flat = np.full((n_sets + 1, n_topics), concentration / n_topics)
        self.state = State(
            source=np.empty(len(words), dtype=np.int64),
            group=np.full(n_documents, n_sets),
            prior=flat,
            topics=np.zeros((n_documents, n_topics), dtype=np.int64),
            regular=np.zeros((n_words, n_topics), dtype=np.int64),
            regular_total=np.zeros(n_topics, dtype=np.int64),
            seeded=np.zeros((n_words, n_sets), dtype=np.int64),
            seeded_total=np.zeros(n_sets, dtype=np.int64),
        )
        _start(self.rng, self.tokens, self.priors, self.state)

    def sweep(self, times=1):
        """Draw every variable anew, `times` over."""
        for _ in range(times):
            _sweep(self.rng, self.tokens, self.priors, self.state)

    def conditional(self, document, position):
        """Probabilities (T + S,) of the sources of a token, given all others."""
        token = self.tokens.starts[document] + position
        word, source = self.tokens.words[token], self.state.source[token]
        weights = np.empty(self.state.topics.shape[1] + self.tokens.seeds.shape[1])
        _count(self.state, document, word, source, -1)
        _weigh(self.tokens, self.priors, self.state, document, word, weights)
        _count(self.state, document, word, source, 1)
        return weights / weights.sum()

    def doc_topic(self):
        """E[theta] given the present assignments, M x T."""
        mass = self.state.topics + self.state.prior[self.state.group]
        return mass / mass.sum(axis=1, keepdims=True)

    def topic_word(self):
        """E[pi sigma + (1 - pi) phi] given the present assignments, T x N."""
        priors, state = self.priors, self.state
        n_words = len(state.regular)
        regular = (state.regular + priors.beta) / (state.regular_total + n_words * priors.beta)
        mixture = (1 - priors.pi) * regular
        filled = np.flatnonzero(priors.sizes)
        total = state.seeded_total[filled] + priors.sizes[filled] * priors.mu
        sigma = (state.seeded[:, filled] + priors.mu * self.tokens.seeds[:, filled]) / total
        mixture[:, filled] += priors.pi[filled] * sigma
        return mixture.T


def fit(counts, seed_sets, n_topics, random_state, *, iterations=1000, samples=100, **priors):
    """doc_topic (M x T) and topic_word (T x N): means over the last `samples` of `iterations`.

    The authors take the last state of 100 sweeps. Here documents are short and sweeps cheap: a
    mean of states has less noise than one.
    """
    if not 1 <= samples <= iterations:
        raise ValueError(f"samples={samples} must be from 1 to iterations={iterations}")
    model = SeededLDA(counts, seed_sets, n_topics, random_state, **priors)
    model.sweep(iterations - samples)
    doc_topic, topic_word = 0, 0
    for _ in range(samples):
        model.sweep()
        doc_topic += model.doc_topic() / samples
        topic_word += model.topic_word() / samples
    return doc_topic, topic_word


@njit(cache=True)
def _start(rng, tokens, priors, state):
    """Sources and groups at random: a seed word from a set that has it with probability pi."""
    n_topics = state.topics.shape[1]
    weights = np.empty(n_topics + tokens.seeds.shape[1])
    for document in range(len(state.group)):
        if tokens.held[document].any():
            state.group[document] = _draw(rng, tokens.held[document].astype(np.float64))
        for token in range(tokens.starts[document], tokens.starts[document + 1]):
            word = tokens.words[token]
            weights[:] = 0
            if tokens.seeds[word].any() and rng.random() < priors.pi.max():
                weights[n_topics:] = tokens.seeds[word]
            else:
                weights[:n_topics] = 1
            state.source[token] = _draw(rng, weights)
            _count(state, document, word, state.source[token], 1)


@njit(cache=True)
def _sweep(rng, tokens, priors, state):
    weights = np.empty(state.topics.shape[1] + tokens.seeds.shape[1])
    for document in range(len(state.group)):
        if tokens.held[document].any():
            _draw_group(rng, tokens, state, document)
        for token in range(tokens.starts[document], tokens.starts[document + 1]):
            word = tokens.words[token]
            _count(state, document, word, state.source[token], -1)
            _weigh(tokens, priors, state, document, word, weights)
            state.source[token] = _draw(rng, weights)
            _count(state, document, word, state.source[token], 1)
    _draw_prior(rng, priors, state)


@njit(cache=True)
def _count(state, document, word, source, change):
    n_topics = state.topics.shape[1]
    if source < n_topics:
        state.topics[document, source] += change
        state.regular[word, source] += change
        state.regular_total[source] += change
    else:
        state.topics[document, source - n_topics] += change
        state.seeded[word, source - n_topics] += change
        state.seeded_total[source - n_topics] += change


@njit(cache=True)
def _weigh(tokens, priors, state, document, word, weights):
    """Fill `weights` with p(source | other tokens) up to a factor; this token is not counted."""
    n_words, n_sets = tokens.seeds.shape
    n_topics = state.topics.shape[1]
    prior = state.prior[state.group[document]]
    for topic in range(n_topics):
        weights[topic] = (
            (state.topics[document, topic] + prior[topic])
            * (1 - priors.pi[topic])
            * (state.regular[word, topic] + priors.beta)
            / (state.regular_total[topic] + n_words * priors.beta)
        )
    for topic in range(n_sets):
        weights[n_topics + topic] = 0
        if tokens.seeds[word, topic]:
            weights[n_topics + topic] = (
                (state.topics[document, topic] + prior[topic])
                * priors.pi[topic]
                * (state.seeded[word, topic] + priors.mu)
                / (state.seeded_total[topic] + priors.sizes[topic] * priors.mu)
            )


@njit(cache=True)
def _draw_group(rng, tokens, state, document):
    """g_d: the topics of the document are Dirichlet-multinomial, given its group."""
    n_sets = tokens.seeds.shape[1]
    fits = np.full(n_sets, -np.inf)
    for number in range(n_sets):
        if tokens.held[document, number]:
            fits[number] = 0
            for topic in range(state.topics.shape[1]):
                for already in range(state.topics[document, topic]):
                    fits[number] += np.log(state.prior[number, topic] + already)
    state.group[document] = _draw(rng, np.exp(fits - fits.max()))


@njit(cache=True)
def _draw_prior(rng, priors, state):
    """psi: a token of a document opens a table, and counts for psi, as in a Chinese restaurant."""
    n_sets, n_topics = len(state.prior) - 1, state.prior.shape[1]
    shapes = np.full((n_sets, n_topics), priors.alpha)
    for document in range(len(state.group)):
        group = state.group[document]
        if group < n_sets:
            for topic in range(n_topics):
                own = state.prior[group, topic]
                for already in range(state.topics[document, topic]):
                    if rng.random() * (own + already) < own:
                        shapes[group, topic] += 1
    for group in range(n_sets):
        for topic in range(n_topics):
            state.prior[group, topic] = max(rng.standard_gamma(shapes[group, topic]), LEAST)
        state.prior[group] *= priors.concentration / state.prior[group].sum()


@njit(cache=True)
def _draw(rng, weights):
    left = rng.random() * weights.sum()
    for choice in range(len(weights)):
        left -= weights[choice]
        if left < 0:
            return choice
    return np.argmax(weights)  # rounding has left a rest
