"""The sampler against an enumerated posterior, hand-computed numbers, and another's LDA."""

import itertools
from fractions import Fraction
from functools import cache
from math import lgamma, log

import lda
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.sparse import csr_matrix
from scipy.stats import beta as beta_distribution

from minority_topics.methods import seededlda
from minority_topics.methods.contract import Problem, check_fit
from minority_topics.methods.shared.seeded_lda import SeededLDA, fit
from minority_topics.methods.worker import fit_method


def planted(rng, n_documents=120, n_topics=4, words_each=10, length=8):
    """Documents of one topic each, and the topic of each; a topic's words are its own."""
    topics = rng.integers(n_topics, size=n_documents)
    columns = topics[:, None] * words_each + rng.integers(words_each, size=(n_documents, length))
    counts = np.zeros((n_documents, n_topics * words_each))
    np.add.at(counts, (np.arange(n_documents)[:, None], columns), 1)
    return csr_matrix(counts), topics


def log_dirichlet_multinomial(counts, prior):
    counts, prior = np.asarray(counts, dtype=float), np.asarray(prior, dtype=float)
    rising = sum(lgamma(n + a) - lgamma(a) for n, a in zip(counts, prior, strict=True))
    return rising + lgamma(prior.sum()) - lgamma(prior.sum() + counts.sum())


class TestHandComputed:
    """Two documents, "a b" and "b"; three topics, of which 0 has the seed set {a} and 1 {a, b}."""

    @pytest.fixture
    def model(self):
        counts = csr_matrix([[1.0, 1.0], [0.0, 1.0]])
        model = SeededLDA(counts, [[0], [0, 1]], 3, 1, beta=0.5, mu=0.25, pi=0.75, concentration=3)
        state = model.state
        for array in (state.topics, state.regular, state.seeded):
            array[:] = 0
        # a of the first document: seeds of topic 1; its b: topic 2; the other b: topic 1.
        state.source[:] = [4, 2, 1]
        state.topics[:] = [[0, 1, 1], [0, 1, 0]]
        state.regular[1] = [0, 1, 1]
        state.regular_total[:] = [0, 1, 1]
        state.seeded[0] = [0, 1]
        state.seeded_total[:] = [0, 1]
        state.group[:] = [0, 1]
        state.prior[:2] = [[1.5, 1.0, 0.5], [0.5, 2.0, 0.5]]
        return model

    def test_conditional_of_a_word_of_both_sets(self, model):
        # Without it the first document has one token, of topic 2, and no token is a or a seed.
        weights = [
            Fraction(3, 2) * Fraction(1, 4) * Fraction(1, 2),
            1 * Fraction(1, 4) * Fraction(1, 4),
            Fraction(3, 2) * 1 * Fraction(1, 4),
            Fraction(3, 2) * Fraction(3, 4) * 1,
            1 * Fraction(3, 4) * Fraction(1, 2),
        ]
        expected = [float(weight / sum(weights)) for weight in weights]
        np.testing.assert_allclose(model.conditional(0, 0), expected, rtol=1e-14)

    def test_conditional_of_a_word_of_one_set(self, model):
        # Without it: no token of phi_0 and phi_2, one b of phi_1, one a of sigma_1.
        weights = [
            Fraction(3, 2) * Fraction(1, 4) * Fraction(1, 2),
            2 * Fraction(1, 4) * Fraction(3, 4),
            Fraction(1, 2) * 1 * Fraction(1, 2),
            0,
            2 * Fraction(3, 4) * Fraction(1, 6),
        ]
        expected = [float(weight / sum(weights)) for weight in weights]
        np.testing.assert_allclose(model.conditional(0, 1), expected, rtol=1e-14)

    def test_estimates(self, model):
        np.testing.assert_allclose(model.doc_topic(), [[0.3, 0.4, 0.3], [0.125, 0.75, 0.125]])
        # 3/4 of topics 0 and 1 is of their seed sets: (1, 0) and (5/6, 1/6).
        expected = [[0.875, 0.125], [0.6875, 0.3125], [0.25, 0.75]]
        np.testing.assert_allclose(model.topic_word(), expected)

    def test_conditional_leaves_the_state_as_it_was(self, model):
        before = [array.copy() for array in model.state]
        model.conditional(0, 0)
        for array, old in zip(model.state, before, strict=True):
            np.testing.assert_array_equal(array, old)


def enumerated_posterior(documents, sets, n_words, alpha, beta, mu, pi, concentration):
    """p(sources, groups | documents) of two topics with seed sets, psi integrated numerically."""
    held = [[s for s in range(2) if set(words) & set(sets[s])] for words in documents]
    words = [word for document in documents for word in document]
    sources = [[t for t in range(4) if t < 2 or word in sets[t - 2]] for word in words]
    logs = {}
    for source in itertools.product(*sources):
        emission = 0
        for topic in range(2):
            drawn = [word for word, s in zip(words, source, strict=True) if s == topic]
            emission += len(drawn) * log(1 - pi) + log_dirichlet_multinomial(
                np.bincount(drawn, minlength=n_words), np.full(n_words, beta)
            )
            drawn = [word for word, s in zip(words, source, strict=True) if s == topic + 2]
            emission += len(drawn) * log(pi) + log_dirichlet_multinomial(
                [drawn.count(word) for word in sets[topic]], np.full(len(sets[topic]), mu)
            )
        topics, rest = [], iter(source)
        for document in documents:
            found = [next(rest) % 2 for _ in document]
            topics.append((found.count(0), found.count(1)))
        for group in itertools.product(*(sets_held or [None] for sets_held in held)):
            total = emission
            for s in (0, 1, None):
                members = (topics[d] for d in range(len(documents)) if group[d] == s)
                total += log_group(tuple(sorted(members)), s is None, alpha, concentration)
            logs[source, group] = total
    mass = np.exp(np.array(list(logs.values())))
    return dict(zip(logs, mass / mass.sum(), strict=True))


@cache
def log_group(members, flat, alpha, concentration):
    """log p(numbers of tokens of both topics in the documents of a group); psi is (p, 1 - p)."""

    def given(p):
        prior = [concentration * p, concentration * (1 - p)]
        return sum(log_dirichlet_multinomial(member, prior) for member in members)

    if flat:
        return given(0.5)
    density = beta_distribution(alpha, alpha).pdf
    return log(quad(lambda p: density(p) * np.exp(given(p)), 0, 1)[0])


def test_samples_the_enumerated_posterior():
    """Every word, group and prior takes part: a wrong factor anywhere moves a probability."""
    documents, sets = [[0, 1], [0, 0, 2], [1], [2]], [[0], [0, 1]]
    priors = {"alpha": 1.5, "beta": 0.3, "mu": 0.4, "pi": 0.35, "concentration": 0.8}
    counts = csr_matrix([np.bincount(words, minlength=3) for words in documents], dtype=float)
    expected = enumerated_posterior(documents, sets, 3, **priors)

    model = SeededLDA(counts, sets, 2, 5, **priors)
    n_sweeps = 30_000
    sources = np.empty((n_sweeps, len(model.tokens.words)), dtype=int)
    groups = np.empty((n_sweeps, len(documents)), dtype=int)
    model.sweep(100)
    for sweep in range(n_sweeps):
        model.sweep()
        sources[sweep], groups[sweep] = model.state.source, model.state.group
    assert set(groups[:, 3]) == {2}, "a document without seed words is in no group"

    def probability(what):
        return sum(mass for (source, group), mass in expected.items() if what(source, group))

    for token, choice in itertools.product(range(sources.shape[1]), range(4)):
        sampled = (sources[:, token] == choice).mean()
        exact = probability(lambda s, g, token=token, choice=choice: s[token] == choice)
        assert sampled == pytest.approx(exact, abs=0.012), (token, choice)
    for pair in itertools.combinations(range(sources.shape[1]), 2):
        sampled = (sources[:, pair[0]] % 2 == sources[:, pair[1]] % 2).mean()
        exact = probability(lambda s, g, pair=pair: s[pair[0]] % 2 == s[pair[1]] % 2)
        assert sampled == pytest.approx(exact, abs=0.012), pair
    sampled = (groups[:, 0] == groups[:, 1]).mean()
    assert sampled == pytest.approx(probability(lambda s, g: g[0] == g[1]), abs=0.012)


def test_kept_counts_are_those_of_the_assignments():
    rng = np.random.default_rng(2)
    counts, _ = planted(rng, n_documents=40)
    model = SeededLDA(counts, [[0, 1, 10], [10, 11], []], 5, 3, mu=0.1)
    model.sweep(20)
    tokens, state = model.tokens, model.state
    topics = np.where(state.source < 5, state.source, state.source - 5)
    by_document = np.zeros_like(state.topics)
    documents = np.repeat(np.arange(40), np.diff(tokens.starts))
    np.add.at(by_document, (documents, topics), 1)
    by_source = np.zeros((counts.shape[1], 8), dtype=int)
    np.add.at(by_source, (tokens.words, state.source), 1)
    np.testing.assert_array_equal(state.topics, by_document)
    np.testing.assert_array_equal(state.regular, by_source[:, :5])
    np.testing.assert_array_equal(state.regular_total, by_source[:, :5].sum(axis=0))
    np.testing.assert_array_equal(state.seeded, by_source[:, 5:])
    np.testing.assert_array_equal(state.seeded_total, by_source[:, 5:].sum(axis=0))
    assert state.seeded_total.sum() > 0
    assert not state.seeded[~tokens.seeds].any(), "sigma holds words of its set alone"
    np.testing.assert_allclose(state.prior.sum(axis=1), 1)
    in_group = state.group < 3
    np.testing.assert_array_equal(in_group, tokens.held.any(axis=1))
    assert tokens.held[in_group, state.group[in_group]].all()


def test_finds_planted_topics_where_their_seed_words_are():
    counts, topics = planted(np.random.default_rng(4))
    wanted = [2, 0, 3]
    doc_topic, topic_word = fit(
        counts, [[10 * topic, 10 * topic + 1] for topic in wanted], 4, 1, iterations=300, mu=0.1
    )
    for found, topic in enumerate(wanted):
        assert topic_word[found, 10 * topic : 10 * topic + 10].sum() > 0.9
        np.testing.assert_array_equal(doc_topic.argmax(axis=1) == found, topics == topic)
    np.testing.assert_allclose(doc_topic.sum(axis=1), 1)
    np.testing.assert_allclose(topic_word.sum(axis=1), 1)


def completion(topic_word, prior, documents):
    """Mean log-likelihood of every second token, given the others, by the mean-field theta."""
    logs = []
    for words in documents:
        seen, left = words[::2], words[1::2]
        theta = np.full(len(topic_word), 1 / len(topic_word))
        for _ in range(50):
            share = theta[:, None] * topic_word[:, seen]
            theta = prior + (share / share.sum(axis=0)).sum(axis=1)
            theta /= theta.sum()
        logs += list(np.log(theta @ topic_word[:, left]))
    return np.mean(logs)


def test_without_seed_words_it_predicts_as_an_independent_lda_does():
    rng = np.random.default_rng(6)
    n_topics, n_words, prior, beta = 4, 60, 0.2, 0.1
    truth = rng.dirichlet(np.full(n_words, beta), size=n_topics)
    documents = []
    for _ in range(260):
        mixture = rng.dirichlet(np.full(n_topics, prior)) @ truth
        documents.append(rng.choice(n_words, size=24, p=mixture))
    counts = np.array([np.bincount(words, minlength=n_words) for words in documents[:200]])
    held_out = documents[200:]

    ours, theirs = [], []
    for state in (1, 2, 3):
        _, topic_word = fit(
            csr_matrix(counts, dtype=float), [], n_topics, state,
            iterations=200, samples=1, beta=beta, concentration=n_topics * prior,
        )  # fmt: skip
        ours.append(completion(topic_word, prior, held_out))
        other = lda.LDA(n_topics, n_iter=200, alpha=prior, eta=beta, random_state=state)
        theirs.append(completion(other.fit(counts).components_, prior, held_out))
    unigram = completion(counts.sum(axis=0, keepdims=True) / counts.sum(), prior, held_out)
    assert np.mean(ours) == pytest.approx(np.mean(theirs), abs=0.01)
    assert np.mean(ours) == pytest.approx(completion(truth, prior, held_out), abs=0.1)
    assert np.mean(ours) > unigram + 0.3


def test_same_random_state_same_numbers():
    counts, _ = planted(np.random.default_rng(8), n_documents=30)
    first, again, other = (
        fit(counts, [[0], [0, 10]], 4, state, iterations=30, samples=5) for state in (1, 1, 2)
    )
    np.testing.assert_array_equal(first[0], again[0])
    np.testing.assert_array_equal(first[1], again[1])
    assert not np.array_equal(first[1], other[1])


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"pi": 1.0}, "pi=1.0"),
        ({"mu": 0}, "mu=0"),
        ({"samples": 200, "iterations": 100}, "samples=200"),
        ({"seeds": "all"}, "seeds='all'"),
        ({"gamma": 1}, "gamma"),
    ],
)
def test_refuses_impossible_and_unknown_options(options, complaint):
    with pytest.raises((ValueError, TypeError), match=complaint):
        seededlda.fit(problem(options=options))


def problem(rows=None, seed_words=("w0", "w1", "absent", "w0"), n_topics=4, n_minority=2, **more):
    if rows is None:
        rows = planted(np.random.default_rng(9), n_documents=30)[0].toarray()
    counts = csr_matrix(np.asarray(rows, dtype=float))
    vocabulary = [f"w{column}" for column in range(counts.shape[1])]
    options = {"iterations": 30, "samples": 5, **more.pop("options", {})}
    return Problem(
        counts, counts, [], vocabulary, list(seed_words), n_topics, n_minority, 1, options
    )  # fmt: skip


class TestMethod:
    @pytest.mark.parametrize(
        "given",
        [
            problem(),
            problem(options={"seeds": "dealt"}),
            problem(n_topics=50, n_minority=7),
            problem(n_topics=50, n_minority=7, options={"seeds": "dealt"}),
            problem(n_topics=3, n_minority=3),
            problem(n_minority=0),
            problem(n_topics=1, n_minority=1),
            problem(seed_words=["absent"]),
            problem(np.eye(30)),
            problem(np.ones((30, 3))),
            problem([[2, 1, 0], [0, 0, 0], [0, 1, 0]]),
            problem([[1]]),
            problem(options={"alpha": 1e-3}),
        ],
        ids=[
            "thirty documents", "dealt", "many topics", "more topics than words", "all minority",
            "no minority", "one topic", "no seed word", "one-word documents",
            "identical documents", "empty document", "one token", "tiny alpha",
        ],
    )  # fmt: skip
    def test_gives_a_valid_fit(self, given):
        fitted = seededlda.fit(given)
        check_fit(given, fitted, given.n_topics)
        assert len(fitted.topic_word) == given.n_topics
        assert list(fitted.minority) == list(range(given.n_minority))

    def test_an_empty_document_is_an_outlier(self):
        fitted = fit_method("seededlda", problem([[2, 1, 0], [0, 0, 0], [0, 1, 0]]))
        np.testing.assert_allclose(fitted.doc_topic.sum(axis=1), [1, 0, 1])

    def test_minority_topics_alone_draw_seed_words(self):
        """Half of a minority topic is its seed set, which only a minority topic has."""
        given = problem(options={"pi": 0.5, "seeds": "dealt"}, n_topics=4)
        share = seededlda.fit(given).topic_word[:, :2]
        assert share[0, 0] >= 0.5
        assert share[1, 1] >= 0.5
        assert share[2:].max() < 0.5
