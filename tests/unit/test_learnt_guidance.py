"""Learnt guidance: messages by hand and by brute force, and what it does to a noisy list."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp
from numba import get_num_threads, set_num_threads
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from minority_topics import ConstrainedNMF, ConstraintWarning
from minority_topics.nmf import guidance
from minority_topics.nmf.guidance import (
    Beliefs,
    Graph,
    Learnt,
    WholeBeliefs,
    learn_guidance,
    log_likeness,
    odds,
    shares,
)
from minority_topics.nmf.kernels import Passes

N_WORDS = 400
# Words 0 to 29 are of the domain, ten for each of three topics; the others are of the background.
DOMAIN = np.arange(30).reshape(3, 10)
COMMON = 40  # of the background, the commonest word


def planted(n_documents=1200, rate=0.06, seed=0, dtype=np.float64):
    """Documents of ten words, and which of them hold four words of a topic of the domain."""
    rng = np.random.default_rng(seed)
    frequency = np.r_[np.full(30, 1e-4), 1 / np.arange(1.0, N_WORDS - 29)]
    frequency[COMMON] = frequency.max()
    of_domain = rng.random(n_documents) < rate
    rows = []
    for inside in of_domain:
        own = rng.choice(N_WORDS, 10 - 4 * inside, replace=False, p=frequency / frequency.sum())
        injected = rng.choice(DOMAIN[rng.integers(3)], 4, replace=False) if inside else []
        rows.append(np.union1d(own, injected).astype(int))
    indptr = np.r_[0, np.cumsum([len(row) for row in rows])]
    data = np.ones(indptr[-1], dtype=dtype)
    return sp.csr_matrix((data, np.concatenate(rows), indptr), (n_documents, N_WORDS)), of_domain


def f1(found, right):
    return 2 * (found & right).sum() / (found.sum() + right.sum())


def learn(V, listed):
    return learn_guidance(Passes(V), np.asarray(listed))


def fitted(V, listed, **parameters):
    parameters = {"guidance": "learnt", "random_state": 0, "max_iter": 60} | parameters
    model = ConstrainedNMF(8, 3, seed_words=list(listed), **parameters)
    return model, model.fit_transform(V)


# Messages.


def test_the_odds_of_a_word():
    # r s / rbar + (1 - r)(1 - s)/(1 - rbar) = 0.2*0.9/0.1 + 0.8*0.1/0.9
    assert odds(0.2, 0.9, 0.1) == pytest.approx(1.8 + 0.08 / 0.9)
    assert odds(0.1, 0.3, 0.1) == pytest.approx(0.3 + 0.7)  # as the corpus is: nothing is said


def small(S):
    """Beliefs about documents S (M x listed words) of which each has three more words."""
    S = sp.csr_matrix(np.asarray(S, dtype=float))
    length = np.diff(S.indptr) + 3
    return Beliefs(Graph.of(S), length, np.diff(S.tocsc().indptr))


def test_a_document_with_one_word_by_hand():
    beliefs = small([[1], [0]])
    s, rest, rbar = beliefs.s[0], beliefs.share_of_the_rest(), beliefs.rbar
    prior, r = np.exp(beliefs.log_prior), shares()
    beliefs.update()
    expected = prior * odds(r, s, rbar) * odds(r, rest, rbar) ** 3
    np.testing.assert_allclose(beliefs.posterior[0], expected / expected.sum())
    silent = prior * odds(r, rest, rbar) ** 3
    np.testing.assert_allclose(beliefs.silent[0], silent / silent.sum())


def test_on_a_tree_beliefs_are_the_true_marginals(monkeypatch):
    """Two documents share a word: summed over all states of documents and words."""
    monkeypatch.setattr(Beliefs, "learn_levels", lambda *args: None)
    monkeypatch.setattr(Beliefs, "learn_documents", lambda *args: None)
    monkeypatch.setattr(Beliefs, "share_of_the_rest", lambda self: 0.001)
    monkeypatch.setattr(guidance, "DAMPING", 0)
    beliefs = small([[1, 1, 0], [0, 1, 1], [0, 0, 0]])
    levels, rbar, r = beliefs.levels(beliefs.count), beliefs.rbar, shares()
    for _ in range(10):
        beliefs.update()
    others = odds(r, 0.001, rbar) ** 3
    prior = np.exp(beliefs.log_prior)
    marginal = np.zeros((2, len(r)))
    s_weight, s_sum = 0.0, np.zeros(3)
    states = range(levels.shape[1])
    for words in itertools.product(states, states, states):
        p_words = np.prod(guidance.LISTED[list(words)])
        s = levels[np.arange(3), list(words)]
        first = prior * others * odds(r, s[0], rbar) * odds(r, s[1], rbar)
        second = prior * others * odds(r, s[1], rbar) * odds(r, s[2], rbar)
        weight = p_words * first.sum() * second.sum()
        marginal[0] += p_words * second.sum() * first
        marginal[1] += p_words * first.sum() * second
        s_weight += weight
        s_sum += weight * s
    np.testing.assert_allclose(beliefs.posterior, marginal / marginal.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(beliefs.s, s_sum / s_weight)


def whole(V, listed):
    """Beliefs of all words of V, from listed ones that have been asked once."""
    V = sp.csr_matrix(np.asarray(V, dtype=float))
    count = np.diff(V.tocsc().indptr)
    beliefs = Beliefs(Graph.of(V[:, listed]), np.diff(V.indptr), count[listed])
    beliefs.update()
    return WholeBeliefs(Passes(V), beliefs, np.array(listed), count, np.zeros(V.shape[1]))


def test_on_a_tree_beliefs_of_all_words_are_the_true_marginals(monkeypatch):
    """A listed word in one document, and another word that this one shares with a second."""
    beliefs = whole([[1, 1], [0, 1], [0, 0]], [0])
    seen = []
    monkeypatch.setattr(beliefs, "judge", seen.append)
    monkeypatch.setattr(Beliefs, "learn_documents", lambda *args: None)
    for _ in range(5):
        beliefs.update()
    prior, r, rbar = np.exp(beliefs.beliefs.log_prior), shares(), beliefs.beliefs.rbar
    states = np.exp(beliefs.log_prior())
    marginal = np.zeros(states.shape)
    for first, second in itertools.product(range(states.shape[1]), repeat=2):
        s = beliefs.levels[0, first], beliefs.levels[1, second]
        both = prior * odds(r, s[0], rbar) * odds(r, s[1], rbar)
        weight = states[0, first] * states[1, second] * both.sum()
        weight *= (prior * odds(r, s[1], rbar)).sum()
        marginal[0, first] += weight
        marginal[1, second] += weight
    # Messages are of single precision.
    np.testing.assert_allclose(seen[-1], marginal / marginal.sum(axis=1, keepdims=True), rtol=1e-5)


def test_what_documents_teach():
    """Ten of a hundred documents, and thirty of their thousand words, are of the domain."""
    beliefs = small(np.zeros((100, 1)) + (np.arange(100) < 10)[:, None])
    beliefs.length, beliefs.total = np.full(100, 10), 1000
    beliefs.learn_documents(np.array([90, 5, 3, 2]), 30)
    assert beliefs.pi == pytest.approx((10 + 2 * 0.02) / (100 + 2))
    np.testing.assert_allclose(beliefs.omega, [6 / 13, 4 / 13, 3 / 13])
    assert beliefs.rbar == pytest.approx(0.03)
    beliefs.learn_documents(np.array([0, 0, 0, 100]), 900)
    assert beliefs.pi == beliefs.rbar == 0.5  # the domain is no majority


def test_the_list_covers_its_part_of_a_domain_of_few_documents(monkeypatch):
    """Two documents of four and three words; the listed word occurs once."""
    beliefs = small([[1], [0]])
    beliefs.posterior = np.array([[0.5, 0, 0.5, 0]])  # r = 0.2 with even odds: 4 * 0.1 words
    beliefs.silent = np.array([[0.5, 0, 0, 0.5]])  # r = 0.4 with even odds: 3 * 0.2 words
    beliefs.s = np.array([0.9])
    assert beliefs.domain_mass() == pytest.approx(0.4 + 0.6)  # the list could cover 0.9 / 0.6
    beliefs.s = np.array([0.3])
    assert beliefs.domain_mass() == pytest.approx(0.3 / 0.6)
    monkeypatch.setattr(guidance, "FEW_DOCUMENTS", 0.4)  # half a document is of the domain
    assert beliefs.domain_mass() == pytest.approx(0.3 / 0.6 * 0.5 / 0.4)


def test_all_words_teach_how_large_the_domain_is():
    """Documents with words that go with the listed ones count, though they hold none of them."""
    V, _ = planted()
    listed = DOMAIN[:, :3].ravel()
    count = np.diff(V.tocsc().indptr)
    beliefs = Beliefs(Graph.of(V[:, listed]), np.diff(V.indptr), count[listed])
    for _ in range(20):
        beliefs.update()
    by_list = beliefs.rbar
    everybody = WholeBeliefs(Passes(V), beliefs, listed, count, np.zeros(V.shape[1]))
    everybody.update()
    assert beliefs.rbar > 1.2 * by_list


def test_what_is_heard_counts_apart_from_the_prior_it_met():
    """The same evidence on two priors leads to the same beliefs."""
    V = [[1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 1, 0], [0, 0, 1]]
    evidence = np.array([[0, 0, 0, 0, 0, 0], [0, 1, 2, 3, 2, 1], [0, 0, 0, -1, -2, -3]])
    found = []
    for prior in (0.01, 0.3):
        beliefs = whole(V, [0])
        beliefs.found, beliefs.mass = prior, math.inf
        weights = np.exp(beliefs.log_prior() + evidence)
        beliefs.judge(weights / weights.sum(axis=1, keepdims=True))
        found.append((beliefs.s.copy(), beliefs.found))
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=0.1)
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=0.1)


def test_what_is_not_listed_grows_no_faster_than_it_may():
    V, _ = planted()
    listed = DOMAIN[:, 0]  # three words of thirty: much is missing
    count = np.diff(V.tocsc().indptr)
    beliefs = Beliefs(Graph.of(V[:, listed]), np.diff(V.indptr), count[listed])
    for _ in range(20):
        beliefs.update()
    everybody = WholeBeliefs(Passes(V), beliefs, listed, count, np.zeros(V.shape[1]))
    n_domain = beliefs.pi * V.shape[0]
    by_number, by_share = guidance.GROWTH / np.sqrt(n_domain), 10 * beliefs.pi
    assert everybody.growth == pytest.approx(1 + min(by_number, by_share))
    assert everybody.mass <= 100 * beliefs.pi * (beliefs.s @ count[listed])
    everybody.growth = 1.02  # less than it would grow by itself
    everybody.most = 1.02 * everybody.mass
    unlisted = np.setdiff1d(np.arange(V.shape[1]), listed)
    grew = []
    for _ in range(4):
        before = everybody.mass
        everybody.update()
        grew.append(everybody.mass / before)
        of_words = everybody.s[unlisted] @ count[unlisted]
        assert of_words == pytest.approx(everybody.mass, rel=1e-3)
    assert max(grew) == pytest.approx(1.02)


# What it finds.


def test_a_common_wrong_word_is_distrusted_and_right_words_are_not():
    V, of_domain = planted()
    right = DOMAIN[:, :6].ravel()
    model, _ = fitted(V, [*right, COMMON])
    assert model.distrusted_seeds_.tolist() == [COMMON]
    assert set(model.trusted_seeds_) == set(right)
    by_list = (V[:, [*right, COMMON]] > 0).sum(axis=1).A1 > 0
    assert f1(by_list, of_domain) < 0.3
    assert f1(model.free_documents_, of_domain) > 0.9


def test_a_common_word_on_its_list_does_not_cost_a_small_topic():
    """The third topic has five documents; a tenth of the others use one of its listed words."""
    V, of_domain = planted(4000)
    of_third = (V[:, DOMAIN[2]] > 0).sum(axis=1).A1 >= 4
    keep = ~of_third | (np.cumsum(of_third) <= 5)
    V, of_domain, of_third = V[keep].tolil(), of_domain[keep], of_third[keep]
    polluted, *others = DOMAIN[2, :6]
    V[np.flatnonzero(~of_domain)[:400], polluted] = 1
    V = V.tocsr()
    model, _ = fitted(V, DOMAIN[:, :6].ravel())
    assert polluted in model.distrusted_seeds_
    assert set(others) <= set(model.trusted_seeds_)
    assert model.free_documents_[of_third].all()
    assert model.free_documents_[~of_domain].mean() < 0.02  # the list frees a tenth of them


def test_missing_words_are_discovered_and_their_documents_released():
    V, of_domain = planted(4000)
    listed = DOMAIN[:, :5].ravel()
    model, _ = fitted(V, listed)
    assert set(model.discovered_words_) <= set(DOMAIN.ravel())
    assert len(model.discovered_words_) >= 12  # of 15
    seedless = (V[:, listed] > 0).sum(axis=1).A1 == 0
    released = model.free_documents_ & seedless
    assert (of_domain & released).sum() >= 5
    assert of_domain[released].mean() > 0.4  # six in a hundred documents are
    assert set(model.seed_columns_) == set(model.trusted_seeds_)


def test_a_corpus_divided_by_something_else_does_not_lead_astray():
    """A third of the documents is written in other words; none of them is of the domain."""
    V, of_domain = planted(1500)
    rng = np.random.default_rng(1)
    other = np.flatnonzero(~of_domain & (rng.random(len(of_domain)) < 0.4))
    V = V.tolil()
    for i in other:
        V[i] = 0
        V[i, 200 + rng.choice(40, 9, replace=False)] = 1
        if rng.random() < 0.05:
            V[i, 0] = 1  # the odd seed word
    model, _ = fitted(V.tocsr(), DOMAIN[:, :6].ravel())
    assert not set(model.discovered_words_) & set(range(200, 240))
    assert model.free_documents_[other].mean() < 0.1


def test_probabilities_are_probabilities_and_follow_the_rows():
    V, _ = planted(500)
    learnt = learn(V, DOMAIN[:, :6].ravel())
    p = learnt.document_probability(V)
    assert ((p >= 0) & (p <= 1)).all()
    assert ((learnt.word_probability >= 0) & (learnt.word_probability <= 1)).all()
    order = np.random.default_rng(0).permutation(V.shape[0])
    again = learn(V[order], DOMAIN[:, :6].ravel())
    np.testing.assert_allclose(again.document_probability(V[order]), p[order], atol=1e-5)


def test_how_often_a_word_occurs_in_a_document_does_not_matter():
    V, _ = planted(300)
    tripled = V.copy()
    tripled.data[::2] *= 3
    for name in ("word_probability", "prior"):
        ours, others = (getattr(learn(X, range(20)), name) for X in (V, tripled))
        np.testing.assert_array_equal(ours, others)


def alike(n_words=N_WORDS, dimensions=20, seed=0):
    """Vectors in which the words of the domain are alike, and others are not."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(n_words, dimensions))
    vectors[DOMAIN.ravel()] += 2 * rng.normal(size=dimensions)
    return vectors


def test_word_vectors_find_what_few_documents_cannot():
    V, of_domain = planted(400)
    listed = DOMAIN[:, :5].ravel()
    plain, _ = fitted(V, listed)
    helped, _ = fitted(V, listed, word_vectors=alike())
    misled, _ = fitted(V, listed, word_vectors=np.random.default_rng(1).normal(size=(N_WORDS, 20)))
    missing = set(DOMAIN[:, 5:].ravel())
    assert len(missing & set(helped.discovered_words_)) > len(
        missing & set(plain.discovered_words_)
    )
    assert f1(helped.free_documents_, of_domain) >= f1(plain.free_documents_, of_domain)
    # Vectors that know nothing change next to nothing.
    np.testing.assert_allclose(misled.word_probability_, plain.word_probability_, atol=0.15)


def test_likeness_by_hand():
    # Words 0 to 4 lie in one direction, 5 to 7 across it; 8 has no vector, and 9 is a listed word
    # that is like the others.
    vectors = np.zeros((10, 2), dtype=np.float32)
    vectors[:5, 0], vectors[5:8, 1], vectors[9, 0] = 1, 1, 2
    log_odds = guidance.log_likeness(vectors, np.array([0, 1, 2, 3]))
    assert log_odds[9] == log_odds[4] > 0 > log_odds[5]
    assert log_odds[8] == 0
    # Too few listed words to be like.
    assert not guidance.log_likeness(vectors, np.array([0, 1, 2])).any()


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.ones((3, 2)), r"shape \(3, 2\) must be \(400, d\)"),
        (np.ones(N_WORDS), "must be"),
        (np.full((N_WORDS, 2), np.nan), "finite"),
        ([["a"]] * N_WORDS, "array of numbers"),
    ],
)
def test_vectors_that_cannot_be_used_are_refused(vectors, message):
    with pytest.raises(ValueError, match=f"word_vectors.*{message}"):
        fitted(planted(50)[0], [0, 1], word_vectors=vectors)


# What a fit promises.


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_promises_of_the_exact_solver_stay(dtype):
    V, _ = planted(500, dtype=dtype)
    model, W = fitted(V, [*DOMAIN[:, :6].ravel(), COMMON])
    assert model.feasible_
    assert (W[~model.free_documents_, :3] <= model.w_max * (1 + 1e-6)).all()
    H = model.components_
    assert (H[:3, model.seed_columns_].sum(axis=1) >= 0.4 * (1 - 1e-5)).all()
    assert (np.diff(model.objective_history_) <= 1e-5 * V.sum()).all()
    np.testing.assert_allclose(model.transform(V), W, atol=1e-4 if dtype == np.float32 else 1e-9)
    assert model.document_probability_.dtype == np.float32
    again, W_again = fitted(V, [*DOMAIN[:, :6].ravel(), COMMON])
    assert W.tobytes() == W_again.tobytes()
    assert model.document_probability_.tobytes() == again.document_probability_.tobytes()


def test_the_number_of_threads_does_not_matter(monkeypatch):
    monkeypatch.setattr("minority_topics.nmf.compiled.SMALL", 0)
    V, _ = planted(800)
    threads = get_num_threads()
    found = []
    try:
        for n in (1, threads):
            set_num_threads(n)
            found.append(learn(V, range(20)))
    finally:
        set_num_threads(threads)
    assert found[0].word_probability.tobytes() == found[1].word_probability.tobytes()
    assert found[0].prior.tobytes() == found[1].prior.tobytes()


def test_the_number_of_threads_of_blas_does_not_matter():
    V, _ = planted(30_000)  # BLAS divides long vectors alone
    found = []
    for n in (1, 2):
        with threadpool_limits(n, user_api="blas"):
            found.append(learn(V, range(20)))
    assert found[0].rbar == found[1].rbar
    assert found[0].word_probability.tobytes() == found[1].word_probability.tobytes()


@pytest.mark.parametrize("solver", ["paper", "projected"])
def test_other_solvers_take_the_same_guidance(solver):
    V, _ = planted(300)
    listed = [*DOMAIN[:, :6].ravel(), COMMON]
    with pytest.warns():  # the published algorithm does not settle
        other, _ = fitted(V, listed, solver=solver, max_iter=5)
    exact, _ = fitted(V, listed, max_iter=300)
    np.testing.assert_array_equal(other.free_documents_, exact.free_documents_)


def test_new_documents_are_judged_by_the_words():
    model, _ = fitted(planted(1200)[0], [*DOMAIN[:, :6].ravel(), COMMON])
    new, new_of_domain = planted(400, seed=5)
    W = model.transform(new)
    held = W[:, :3].sum(axis=1) > 1e-6
    assert f1(held, new_of_domain) > 0.85


def test_a_listed_word_that_no_document_holds_is_believed():
    V, _ = planted(600)
    V = sp.hstack([V, sp.csr_matrix((V.shape[0], 1))]).tocsr()
    model, _ = fitted(V, [*DOMAIN[:, :6].ravel(), N_WORDS])
    assert N_WORDS in model.trusted_seeds_
    new = sp.csr_matrix(([1.0, 1.0], ([0, 0], [N_WORDS, 100])), (1, N_WORDS + 1))
    assert model._guidance.free(new, model._guidance.document_probability(new)).all()


def test_batches_keep_the_guidance_of_the_first():
    model = ConstrainedNMF(
        8, 3, seed_words=[*DOMAIN[:, :6].ravel(), COMMON], guidance="learnt", random_state=0
    )
    model.partial_fit(planted(600)[0])
    before = model.word_probability_.copy()
    second = planted(600, seed=1)[0]
    model.partial_fit(second)
    np.testing.assert_array_equal(model.word_probability_, before)
    assert len(model.document_probability_) == second.shape[0]
    assert model.feasible_


def test_a_saved_model_keeps_its_guidance(tmp_path):
    V, _ = planted(500)
    model, _ = fitted(V, [*DOMAIN[:, :6].ravel(), COMMON])
    model.save(tmp_path)
    again = ConstrainedNMF.load(tmp_path)
    new = planted(100, seed=3)[0]
    assert again.transform(new).tobytes() == model.transform(new).tobytes()
    for name in ("word_probability_", "trusted_seeds_", "distrusted_seeds_", "discovered_words_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    assert isinstance(again._guidance, Learnt)


def test_guidance_comes_from_the_first_batch_with_words():
    V, _ = planted(600)
    listed = [*DOMAIN[:, :6].ravel(), COMMON]
    model = ConstrainedNMF(8, 3, seed_words=listed, guidance="learnt", random_state=0)
    with pytest.warns(ConstraintWarning, match="falls back to the list"):
        model.partial_fit(sp.csr_matrix((5, N_WORDS)))
    model.partial_fit(V)
    assert model.distrusted_seeds_.tolist() == [COMMON]


# Words that tell nothing.


def test_words_of_one_document_free_nothing():
    V, _ = planted(8000, rate=0.005)
    singles = sp.csr_matrix((np.ones(400), np.arange(400), np.arange(0, 401, 10)), (40, 400))
    V = sp.block_diag([V, singles]).tocsr()
    model = learn(V, DOMAIN[:, :6].ravel())
    assert model.word_probability[-400:].max() <= model.rbar * (1 + 1e-6)
    assert not model.free(V, model.document_probability(V))[-40:].any()


def test_a_listed_word_of_every_document_says_nothing():
    V, of_domain = planted()
    V = sp.hstack([V, np.ones((V.shape[0], 1))]).tocsr()
    right = DOMAIN[:, :6].ravel()
    model, _ = fitted(V, [*right, N_WORDS])
    assert model.distrusted_seeds_.tolist() == [N_WORDS]
    assert f1(model.free_documents_, of_domain) > 0.9


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_the_scale_of_word_vectors_does_not_matter(scale):
    vectors = np.random.default_rng(0).normal(size=(40, 5)).astype(np.float32)
    vectors[:8, 0] += 3
    expected = log_likeness(vectors, np.arange(8))
    assert expected.any()
    scaled = log_likeness(vectors * np.float32(scale), np.arange(8))
    np.testing.assert_allclose(scaled, expected, rtol=1e-4, atol=1e-5)


# Where there is nothing to learn.


@pytest.mark.parametrize(
    "listed",
    [
        [31, 57, 89, 99, 140, 194, 218, 220, 304, 327],
        [33, 36, 49, 55, 69, 97, 159, 201, 266, N_WORDS],  # the last is in no document
    ],
)
def test_a_list_of_which_nothing_can_be_believed_is_the_law(listed):
    V = sp.hstack([planted(600)[0], sp.csr_matrix((600, 1))]).tocsr()
    with pytest.warns(ConstraintWarning, match="falls back to the list"):
        model, _ = fitted(V, listed, max_iter=300)
    assert model.feasible_
    assert model.seed_columns_.tolist() == listed


def by_list(V, listed):
    return ConstrainedNMF(4, 2, seed_words=listed, random_state=0).fit(V)


@pytest.mark.parametrize(
    ("rows", "listed", "reason"),
    [
        ([[1, 0, 2], [0, 0, 1]], [1], "no seed word is in the documents"),
        ([[1, 0, 2], [2, 1, 1], [1, 0, 0]], [0], "every document holds a seed word"),
        ([[1, 0, 2]], [0], "every document holds a seed word"),
        ([[1, 0, 2], [0, 0, 1]], [], "no seed word is in the documents"),
    ],
)
def test_it_falls_back_to_the_list_and_says_why(rows, listed, reason):
    V = np.array(rows, dtype=float)
    model = ConstrainedNMF(4, 2, seed_words=listed, guidance="learnt", random_state=0)
    with pytest.warns(ConstraintWarning, match=f"falls back to the list of seed words: {reason}"):
        model.fit(V)
    expected = by_list(V, listed)
    assert model.components_.tobytes() == expected.components_.tobytes()
    np.testing.assert_array_equal(model.free_documents_, expected.free_documents_)
    assert model.distrusted_seeds_.tolist() == []


def test_it_says_when_it_has_not_settled(monkeypatch):
    monkeypatch.setattr(guidance, "MAX_ROUNDS", 2)
    with pytest.warns(ConvergenceWarning, match="has not settled in 2 rounds"):
        fitted(planted(300)[0], DOMAIN[:, :6].ravel(), max_iter=300)


def test_without_minority_topics_nothing_is_learnt():
    model = ConstrainedNMF(4, 0, seed_words=[0, 1], guidance="learnt", random_state=0)
    model.fit(planted(100)[0])
    assert set(np.unique(model.word_probability_)) <= {0, 1}


def test_the_list_is_the_law_unless_asked():
    V, _ = planted(300)
    model = by_list(V, [0, COMMON])
    np.testing.assert_array_equal(model.free_documents_, (V[:, [0, COMMON]] > 0).sum(axis=1).A1 > 0)
    np.testing.assert_array_equal(model.document_probability_, model.free_documents_)
    assert model.trusted_seeds_.tolist() == [0, COMMON]
    assert model.discovered_words_.tolist() == []


@pytest.mark.parametrize("value", ["both", None, 1, ["list"]])
def test_another_guidance_is_refused(value):
    with pytest.raises(ValueError, match=r"guidance=.* must be 'list' or 'learnt'"):
        ConstrainedNMF(4, 2, seed_words=[0], guidance=value).fit(np.eye(4))
