"""Scores against values computed by hand, plain-loop transcriptions and known properties."""

from math import log, log2

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from scipy.spatial.distance import jensenshannon

from minority_topics.methods.contract import minority_by_seed_share, seed_share
from minority_topics.scores import metrics
from minority_topics.scores.cards import CARDS

# Ten documents in three clusters and the outliers:
#   cluster 0: topics 0 0 1          majority 2 of 3
#   cluster 1: topics 0 1, 2 x bg    a tie: majority 1 of 4
#   cluster 2: 2 x bg                nothing injected: ignored
#   outliers:  topic 1               majority 1 of 1
LABELS = np.array([0, 0, 1, 0, 1, -1, -1, -1, -1, 1])
ASSIGNMENTS = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, -1])


@pytest.fixture
def rng():
    return np.random.default_rng(20240611)


@pytest.fixture
def labels(rng):
    """500 documents, about a fifth of them injected with one of six topics."""
    return np.where(rng.random(500) < 0.2, rng.integers(6, size=500), -1)


def entropy(*shares):
    return -sum(p * log2(p) for p in shares)


# --- assignment ---------------------------------------------------------------------------------


@pytest.mark.parametrize("matrix", [np.array, csr_array, csr_matrix])
def test_assign_takes_the_heaviest_topic_and_marks_outliers(matrix):
    doc_topic = matrix([[0.1, 0.7, 0.2], [0, 0, 0], [0, 0.5, 0.5], [3.0, 0, 0]])
    assignments = metrics.assign(doc_topic)
    assert assignments.shape == (4,)
    assert assignments.tolist() == [1, -1, 1, 0]


def test_assign_sees_an_explicitly_stored_zero_as_zero():
    stored_zero = csr_array((np.array([0.0, 1.0]), np.array([1, 1]), np.array([0, 1, 2])), (2, 3))
    assert metrics.assign(stored_zero).tolist() == [-1, 1]


# --- purity -------------------------------------------------------------------------------------


def test_purity_by_hand():
    assert metrics.focused_purity(LABELS, ASSIGNMENTS) == (2 + 1 + 1) / (3 + 4 + 1)


def test_purity_as_the_equation_in_plain_loops(rng, labels):
    assignments = rng.integers(-1, 80, size=labels.size)
    above = below = 0
    for k in set(assignments):
        in_k = [y for y, t in zip(labels, assignments, strict=True) if t == k]
        majority = max(in_k.count(y) for y in range(6))
        above += majority
        below += len(in_k) if majority > 0 else 0
    assert below < labels.size, "some cluster must be ignored for this test to mean anything"
    assert metrics.focused_purity(labels, assignments) == pytest.approx(above / below)


def test_purity_ignores_pure_background_but_not_background_beside_injected():
    labels = np.array([0, 0, -1, -1])
    assert metrics.focused_purity(labels, np.array([0, 0, 1, 2])) == 1
    assert metrics.focused_purity(labels, np.array([0, 0, 0, 1])) == 2 / 3


def test_purity_of_one_cluster_is_the_largest_topic_over_all_documents():
    labels = np.array([0, 0, 0, 1, 1, 2, -1, -1, -1, -1])
    one_cluster = np.zeros(10, dtype=int)
    assert metrics.focused_purity(labels, one_cluster) == 3 / 10
    all_outliers = one_cluster - 1
    assert metrics.focused_purity(labels, all_outliers) == 3 / 10


def test_purity_without_background_documents():
    assert metrics.focused_purity(np.array([0, 0, 1]), np.array([0, 0, 0])) == 2 / 3


def test_purity_is_nan_if_no_document_is_injected():
    assert np.isnan(metrics.focused_purity(np.full(4, -1), np.array([0, 0, 1, -1])))


def test_adjusted_purity_by_hand():
    # Of the three ways to part two topics of two documents into pairs one is pure, and the other
    # two have purity 1/2: chance gives 2/3 in the mean, and 100 permutations are near to it.
    labels = np.array([0, 0, 1, 1])
    assert metrics.purity_adjusted(labels, np.array([0, 0, 1, 1])) == 1
    mixed = metrics.purity_adjusted(labels, np.array([0, 1, 0, 1]))
    assert mixed == pytest.approx((1 / 2 - 2 / 3) / (1 - 2 / 3), abs=0.25)
    expected = (1 / 2 - mixed) / (1 - mixed)  # solved for E, whose sum is of 100 halves and ones
    assert expected * 200 == pytest.approx(round(expected * 200))


def test_adjusted_purity_as_the_mean_over_permutations(rng, labels):
    assignments = np.where(rng.random(500) < 0.5, labels, rng.integers(-1, 9, size=500))
    mixed = [
        metrics.focused_purity(labels, np.random.default_rng(n).permutation(assignments))
        for n in range(300)
    ]
    expected = (metrics.focused_purity(labels, assignments) - np.mean(mixed)) / (1 - np.mean(mixed))
    assert metrics.purity_adjusted(labels, assignments) == pytest.approx(expected, abs=0.005)


def test_chance_raises_purity_with_the_number_of_clusters_but_not_adjusted_purity(rng, labels):
    few, many = rng.integers(2, size=500), rng.integers(200, size=500)
    assert metrics.focused_purity(labels, many) > metrics.focused_purity(labels, few) + 0.2
    assert abs(metrics.purity_adjusted(labels, few)) < 0.02
    assert abs(metrics.purity_adjusted(labels, many)) < 0.05


def test_adjusted_purity_is_undefined_where_chance_is_pure():
    assert np.isnan(metrics.purity_adjusted(np.full(4, -1), np.array([0, 0, 1, -1])))
    assert np.isnan(metrics.purity_adjusted(np.array([0, 1, 1]), np.array([0, 1, 2])))
    assert metrics.purity_adjusted(LABELS, np.zeros(10, dtype=int)) == 0


# --- NMI and AMI --------------------------------------------------------------------------------


def test_nmi_by_hand():
    # Of every four documents, cluster 0 holds both injected and one of the two background ones.
    labels = np.array([0, 0, -1, -1] * 2)
    assignments = np.array([0, 0, 0, 1] * 2)
    information = entropy(1 / 2, 1 / 2) - 3 / 4 * entropy(2 / 3, 1 / 3)
    mean_entropy = (entropy(1 / 2, 1 / 2) + entropy(3 / 4, 1 / 4)) / 2
    assert metrics.nmi(labels, assignments) == pytest.approx(information / mean_entropy)


def test_perfect_clusters_score_one_under_any_names(labels):
    names = np.array([4, 0, 6, 2, 5, 1, 3])
    assignments = names[labels + 1]
    assert metrics.focused_purity(labels, assignments) == 1
    assert metrics.nmi(labels, assignments) == pytest.approx(1)
    assert metrics.ami(labels, assignments) == pytest.approx(1)


@pytest.mark.parametrize("cluster", [0, -1])
def test_one_cluster_for_all_tells_nothing(labels, cluster):
    assignments = np.full(labels.size, cluster)
    assert metrics.nmi(labels, assignments) == pytest.approx(0, abs=1e-12)
    assert metrics.ami(labels, assignments) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", ["focused_purity", "nmi", "ami"])
def test_clustering_scores_ignore_topic_order_and_take_outliers_for_a_cluster(rng, labels, name):
    measure = getattr(metrics, name)
    assignments = np.where(rng.random(500) < 0.7, labels, rng.integers(-1, 9, size=500))
    renamed = rng.permutation(10)[assignments + 1]  # the outliers become an ordinary cluster
    assert measure(labels, renamed) == pytest.approx(measure(labels, assignments))
    merged = np.where(assignments == -1, 0, assignments)
    assert measure(labels, merged) != pytest.approx(measure(labels, assignments))


def test_chance_raises_nmi_with_the_number_of_clusters_but_not_ami(rng, labels):
    few, many = rng.integers(2, size=500), rng.integers(80, size=500)
    assert metrics.nmi(labels, many) > metrics.nmi(labels, few) + 0.05
    assert abs(metrics.ami(labels, few)) < 0.02
    assert abs(metrics.ami(labels, many)) < 0.02


def test_splitting_the_background_lowers_nmi_and_ami_but_not_purity(rng, labels):
    split = np.where(labels == -1, 10 + rng.integers(13, size=500), labels)
    assert metrics.nmi(labels, split) < 0.7
    assert metrics.ami(labels, split) < 0.7
    assert metrics.focused_purity(labels, split) == 1
    assert metrics.ami_injected(labels, split) == pytest.approx(1)


def test_ami_of_injected_documents_by_hand():
    # The injected documents have topics 0 0 1 1 and clusters 0 0 0 1. Of the four places that the
    # lone document of cluster 1 can have, all give the same information: AMI is 0.
    labels, assignments = np.array([0, 0, 1, 1, -1, -1]), np.array([0, 0, 0, 1, 0, 1])
    assert metrics.ami_injected(labels, assignments) == pytest.approx(0, abs=1e-12)
    # With clusters 0 0 1 1 one way in three is as good, and the others tell nothing: E[I] is a
    # third of one bit, which is also the entropy; clusters 0 1 0 1 have (0 - 1/3) / (1 - 1/3).
    pairs = np.array([0, 1, 0, 1, 5, -1])
    assert metrics.ami_injected(labels, pairs) == pytest.approx(-1 / 2)


def test_ami_of_injected_documents_ignores_the_background(rng, labels):
    assignments = np.where(rng.random(500) < 0.7, labels, rng.integers(-1, 9, size=500))
    found = metrics.ami_injected(labels, assignments)
    assert 0.1 < found < 0.9
    others = np.where(labels == -1, rng.integers(-1, 30, size=500), assignments)
    assert metrics.ami_injected(labels, others) == found
    assert metrics.ami(labels, others) != pytest.approx(metrics.ami(labels, assignments))


def test_ami_of_injected_documents_needs_two_topics():
    assignments = np.array([0, 1, 1, 2])
    for labels in ([-1, -1, -1, -1], [-1, 0, 0, -1], [3, 3, 3, 3]):
        assert np.isnan(metrics.ami_injected(np.array(labels), assignments))
    assert np.isfinite(metrics.ami_injected(np.array([0, 1, -1, -1]), assignments))


# --- JSD ----------------------------------------------------------------------------------------


def jsd_in_plain_loops(p, q):
    p, q = [x / sum(p) for x in p], [x / sum(q) for x in q]
    total = 0.0
    for p_n, q_n in zip(p, q, strict=True):
        r_n = (p_n + q_n) / 2
        total += p_n * log2(p_n / r_n) if p_n > 0 else 0
        total += q_n * log2(q_n / r_n) if q_n > 0 else 0
    return total / 2


def test_jsd_by_hand():
    # P = (1, 0), Q = (1/2, 1/2), R = (3/4, 1/4).
    expected = (log2(4 / 3) + 1 / 2 * log2(2 / 3) + 1 / 2 * log2(2)) / 2
    assert metrics.jsd_per_topic(np.array([[1, 0]]), np.array([[1, 1]])) == pytest.approx(expected)


def test_jsd_is_the_least_over_learned_topics(rng):
    truth = rng.random((4, 30)) * (rng.random((4, 30)) < 0.3)
    truth[3] = rng.random(30)  # one topic with every word
    topic_word = rng.random((7, 30)) * (rng.random((7, 30)) < 0.6)
    divergences = metrics.jsd_per_topic(truth, topic_word)
    in_loops = [min(jsd_in_plain_loops(p, q) for q in topic_word) for p in truth]
    by_scipy = [min(jensenshannon(p, q, base=2) ** 2 for q in topic_word) for p in truth]
    assert divergences == pytest.approx(in_loops, abs=1e-12)
    assert divergences == pytest.approx(by_scipy, abs=1e-12)


def test_jsd_of_equal_topics_is_zero_and_of_disjoint_ones_one():
    truth = np.array([[1, 2, 0, 0], [3, 1, 0, 0]])
    assert metrics.jsd_per_topic(truth, truth) == pytest.approx([0, 0], abs=1e-15)
    assert metrics.jsd_per_topic(truth, np.array([[0, 0, 1, 1]])) == pytest.approx([1, 1])


def test_jsd_is_symmetric_and_ignores_the_scale_and_order_of_rows(rng):
    truth, topic_word = rng.random((3, 20)), rng.random((5, 20))
    truth[:, :8] = 0
    divergences = metrics.jsd_per_topic(truth, topic_word)
    pair = metrics.jsd_per_topic(truth[:1], topic_word[:1])
    assert metrics.jsd_per_topic(topic_word[:1], truth[:1]) == pytest.approx(pair)
    scaled = metrics.jsd_per_topic(7 * truth, topic_word * rng.uniform(1e-6, 1e6, size=(5, 1)))
    assert scaled == pytest.approx(divergences)
    assert metrics.jsd_per_topic(truth, topic_word[::-1]) == pytest.approx(divergences)
    assert metrics.jsd_per_topic(truth[::-1], topic_word) == pytest.approx(divergences[::-1])


def test_jsd_in_single_precision_is_computed_in_double(rng):
    truth, topic_word = np.ones((1, 5000)), rng.random((1, 5000), dtype=np.float32)
    expected = jensenshannon(truth[0], topic_word[0].astype(float), base=2) ** 2
    assert metrics.jsd_per_topic(truth, topic_word) == pytest.approx([expected], rel=1e-10)


def test_jsd_leaves_out_empty_topics():
    truth = np.array([[1.0, 0, 0], [0, 0, 0], [0, 1, 0]])
    topic_word = np.array([[0.0, 0, 0], [1, 0, 0]])
    assert metrics.jsd_per_topic(truth, topic_word) == pytest.approx([0, 1])
    without_learned_topics = metrics.jsd_per_topic(truth, np.zeros((2, 3)))
    assert without_learned_topics.shape == (2,)
    assert np.isnan(without_learned_topics).all()


def test_jsd_matrix_has_a_place_for_every_pair():
    truth, learned = np.array([[1, 0], [0, 0], [0, 2]]), np.array([[0, 0], [1, 1], [3, 0]])
    # Half of the mass of (1, 1) is on the word of the first topic, as by hand above.
    half = (log2(4 / 3) + 0.5 * log2(2 / 3) + 0.5) / 2
    expected = [[np.nan, half, 0], [np.nan] * 3, [np.nan, half, 1]]
    assert metrics.jsd_matrix(truth, learned) == pytest.approx(np.array(expected), nan_ok=True)
    assert metrics.jsd_matrix(truth[:0], learned).shape == (0, 3)


def test_jsd_summary_by_hand():
    # Deviations from 0.4: -0.3, -0.1, 0.4; the population variance is 0.26 / 3.
    summary = metrics.jsd_summary(np.array([0.1, 0.3, 0.8]))
    assert summary == pytest.approx((0.4, (0.26 / 3) ** 0.5, 0.1, 0.8))


def test_jsd_summary_of_no_topics_is_nan():
    assert len(metrics.jsd_summary(np.array([]))) == 4
    assert np.isnan(metrics.jsd_summary(np.array([]))).all()


# --- detection ----------------------------------------------------------------------------------


def test_detection_by_hand():
    # Topics 0 and 2 hold documents 0 1 2 7 8, of which 0 1 2 are among the six injected ones.
    scores = metrics.detection(LABELS, ASSIGNMENTS, [0, 2])
    assert scores == pytest.approx((3 / 5, 3 / 6, 2 * 3 / (5 + 6)))
    precision, recall, f1 = scores
    assert f1 == pytest.approx(2 / (1 / precision + 1 / recall))


def test_detection_is_zero_if_nothing_is_found():
    assert metrics.detection(LABELS, np.full(10, -1), [0, 1]) == (0, 0, 0)
    assert metrics.detection(LABELS, ASSIGNMENTS, []) == (0, 0, 0)


def test_detection_without_injected_documents():
    background = np.full(3, -1)
    precision, recall, f1 = metrics.detection(background, np.array([0, 1, 1]), [0])
    assert precision == 0
    assert np.isnan([recall, f1]).all()
    assert np.isnan(metrics.detection(background, np.array([1, 1, -1]), [0])).all()


# --- top words, coherence, diversity ------------------------------------------------------------


@pytest.mark.parametrize("dtype", [float, np.float32, int, np.uint8])
def test_top_words_are_the_heaviest_with_ties_in_column_order(dtype):
    topic_word = np.array([[1, 5, 3, 5, 2], [0, 0, 4, 0, 9], [0, 0, 0, 0, 0]], dtype=dtype)
    words = [top.tolist() for top in metrics.top_words(topic_word, 3)]
    assert words == [[1, 3, 2], [4, 2], []]


# Four documents over four words, so that p(a) = 3/4, p(b) = 1/2, p(c) = 1/4, p(d) = 1:
#   a b . d
#   a b . d
#   a . . d
#   . . c d
A, B, C, D = range(4)
COUNTS = np.array([[1, 3, 0, 1], [2, 1, 0, 1], [1, 0, 0, 5], [0, 0, 1, 1]])
NPMI_AB = log((1 / 2) / (3 / 4 * 1 / 2)) / -log(1 / 2)


def topics(*tops, n_words=4):
    topic_word = np.zeros((len(tops), n_words))
    for row, words in zip(topic_word, tops, strict=True):
        row[words] = 1
    return topic_word


@pytest.mark.parametrize("matrix", [np.array, csr_array, csr_matrix])
def test_npmi_by_hand(matrix):
    coherence = metrics.npmi_coherence(topics([A, B]), matrix(COUNTS))
    assert coherence == pytest.approx(NPMI_AB)


def test_npmi_averages_over_pairs_and_then_over_topics():
    # Topic a b c has the pairs ab, and ac and bc, which never occur together; in topic a d the
    # word d is in every document and so is independent of a.
    expected = np.mean([(NPMI_AB - 1 - 1) / 3, 0])
    assert metrics.npmi_coherence(topics([A, B, C], [A, D]), COUNTS) == pytest.approx(expected)


def test_npmi_of_words_always_together_is_one_up_to_the_limit_of_every_document():
    together = np.array([[1, 1], [1, 1], [0, 0]])
    assert metrics.npmi_coherence(topics([0, 1], n_words=2), together) == 1
    assert metrics.npmi_coherence(topics([0, 1], n_words=2), np.ones((3, 2))) == 1


def test_npmi_of_a_word_the_corpus_lacks_is_minus_one():
    assert metrics.npmi_coherence(topics([0, 1], n_words=2), np.array([[1, 0], [0, 0]])) == -1


def test_npmi_takes_an_explicitly_stored_zero_for_absence():
    counts = csr_array(np.array([[1, 1], [1, 1], [1, 1]]))
    counts.data[[1, 2]] = 0  # leaves the documents a, b, ab
    expected = log((1 / 3) / (2 / 3 * 2 / 3)) / -log(1 / 3)
    assert metrics.npmi_coherence(topics([0, 1], n_words=2), counts) == pytest.approx(expected)


def test_npmi_uses_only_the_top_words():
    topic_word = np.array([[3.0, 2.0, 1.0, 0.5]])
    assert metrics.npmi_coherence(topic_word, COUNTS, n_top=2) == pytest.approx(NPMI_AB)
    assert metrics.npmi_coherence(topic_word, COUNTS) < NPMI_AB


def test_npmi_leaves_out_topics_of_fewer_than_two_words():
    one_word_and_none = topics([A, B], [C], [])
    assert metrics.npmi_coherence(one_word_and_none, COUNTS) == pytest.approx(NPMI_AB)
    assert np.isnan(metrics.npmi_coherence(topics([C], []), COUNTS))


def test_diversity_by_hand():
    # Top words a b and b c: three distinct of four; the empty topic has none.
    topic_word = np.array([[5, 4, 1, 0], [0, 2, 3, 1], [0, 0, 0, 0]])
    assert metrics.topic_diversity(topic_word, n_top=2) == 3 / 4
    assert metrics.topic_diversity(topics([A, B], [C, D])) == 1
    assert metrics.topic_diversity(topics([A, B], [A, B], [A, B])) == 1 / 3


def test_diversity_without_words_is_nan():
    assert np.isnan(metrics.topic_diversity(np.zeros((2, 4))))


def test_seed_words_on_top_by_hand():
    # Of the two heaviest words, topic 0 has a seed word and another; topic 1 has only one word,
    # a seed word; topic 2 has seed words alone, but is no minority topic.
    topic_word = np.array([[5, 4, 1, 0], [0, 0, 9, 0], [3, 0, 2, 0]])
    assert metrics.seed_words_on_top(topic_word, [0, 2], [0, 1], n_top=2) == 2 / 3
    assert metrics.seed_words_on_top(topic_word, [0, 2], [2], n_top=2) == 1
    assert metrics.seed_words_on_top(topic_word, [], [0, 1], n_top=2) == 0
    assert np.isnan(metrics.seed_words_on_top(topic_word, [0, 2], []))
    assert np.isnan(metrics.seed_words_on_top(np.zeros((2, 4)), [0, 2], [0, 1]))


def test_seed_words_on_top_looks_at_ten_words():
    topic_word = np.arange(20, 0, -1)[None]
    assert metrics.seed_words_on_top(topic_word, [0, 9, 10, 19], [0]) == 2 / 10


def test_used_topics_by_hand():
    assert metrics.used_topics(ASSIGNMENTS) == 3
    assert metrics.used_topics(np.array([7, 7, -1])) == 1
    assert metrics.used_topics(np.array([-1, -1])) == 0


# --- minority topics by seed words --------------------------------------------------------------


def test_seed_share_by_hand():
    topic_word = np.array([[1, 1, 2], [0, 3, 1], [0, 0, 0], [4, 0, 0]])
    assert seed_share(topic_word, [0, 2]) == pytest.approx([3 / 4, 1 / 4, 0, 1])
    assert seed_share(topic_word, [0, 2, 2]) == pytest.approx([3 / 4, 1 / 4, 0, 1])


def test_minority_topics_have_the_largest_seed_share_with_ties_in_order():
    topic_word = np.array([[1, 3], [2, 2], [0, 1], [5, 5], [9, 1]])  # 1/4, 1/2, 0, 1/2, 9/10
    assert minority_by_seed_share(topic_word, [0], 3).tolist() == [4, 1, 3]
    assert minority_by_seed_share(topic_word, [0], 2).tolist() == [4, 1]


def test_topics_of_seed_words_alone_tie_whatever_the_rounding(rng):
    topic_word = np.zeros((40, 300))
    seed_columns = np.sort(rng.permutation(300)[:57])
    topic_word[:, seed_columns] = rng.random((40, 57))
    assert minority_by_seed_share(topic_word, seed_columns, 40).tolist() == list(range(40))


# --- cards and the score of a model -------------------------------------------------------------


def random_model(rng, n_documents=120, n_words=60, n_topics=8, n_true=5):
    """Noise in the shape of a fitted model, with outliers and an empty topic."""
    doc_topic = rng.random((n_documents, n_topics)) * (rng.random((n_documents, n_topics)) < 0.4)
    topic_word = rng.random((n_topics, n_words)) * (rng.random((n_topics, n_words)) < 0.5)
    topic_word[2] = 0
    injected = rng.random(n_documents) < 0.3
    return {
        "doc_topic": doc_topic,
        "topic_word": topic_word,
        "labels": np.where(injected, rng.integers(n_true, size=n_documents), -1),
        "truth": rng.random((n_true, n_words)) * (rng.random((n_true, n_words)) < 0.2),
        "counts": csr_array(rng.poisson(0.3, size=(n_documents, n_words))),
        "seed_columns": np.array([3, 14, 15, 9]),
        "n_minority": 3,
    }


def test_cards_cover_exactly_the_scores_in_order(rng):
    assert list(metrics.score(**random_model(rng))) == list(CARDS)
    in_paper = [name for name, card in CARDS.items() if card.in_paper]
    assert in_paper == ["purity", "nmi", "jsd_mean", "jsd_sd", "jsd_min", "jsd_max"]


@pytest.mark.parametrize("name", CARDS)
def test_card_is_complete(name):
    card = CARDS[name]
    assert card.name == name
    assert card.low < card.high
    assert card.direction in {"higher", "lower", "none"}
    assert card.label
    assert card.meaning.endswith(".")


def test_scores_lie_in_the_range_of_their_card(rng):
    for _ in range(20):
        for name, value in metrics.score(**random_model(rng)).items():
            card = CARDS[name]
            assert card.low - 1e-12 <= value <= card.high + 1e-12, name
            assert type(value) is float, name


def test_a_perfect_model_is_at_the_good_end_of_every_card():
    # Topics 0 and 1 are injected, topic 2 is the background; each has two words of its own.
    labels = np.repeat([0, 1, -1], 10)
    topic_word = topics([0, 1], [2, 3], [4, 5], n_words=6)
    doc_topic = np.eye(3)[labels]  # label -1 is the last topic
    counts = csr_array(doc_topic @ topic_word)
    scores = metrics.score(doc_topic, topic_word, labels, topic_word[:2], counts, [0, 2], 2)
    for name, value in scores.items():
        card = CARDS[name]
        if card.direction != "none":
            best = card.high if card.direction == "higher" else card.low
            assert value == pytest.approx(best, abs=1e-12), name
    assert (scores["jsd_sd"], scores["clusters"]) == (0, 3)
    assert scores["seed_words_on_top"] == 2 / 4


def test_score_is_put_together_from_the_single_measures(rng):
    model = random_model(rng)
    labels, topic_word = model["labels"], model["topic_word"]
    assignments = metrics.assign(model["doc_topic"])
    minority = minority_by_seed_share(topic_word, model["seed_columns"], 3)
    divergences = metrics.jsd_per_topic(model["truth"], topic_word)
    precision, recall, f1 = metrics.detection(labels, assignments, minority)
    assert metrics.score(**model) == {
        "purity": metrics.focused_purity(labels, assignments),
        "nmi": metrics.nmi(labels, assignments),
        "jsd_mean": divergences.mean(),
        "jsd_sd": divergences.std(),
        "jsd_min": divergences.min(),
        "jsd_max": divergences.max(),
        "ami": metrics.ami(labels, assignments),
        "ami_injected": metrics.ami_injected(labels, assignments),
        "purity_adjusted": metrics.purity_adjusted(labels, assignments),
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "npmi": metrics.npmi_coherence(topic_word, model["counts"], n_top=10),
        "diversity": metrics.topic_diversity(topic_word, n_top=10),
        "seed_words_on_top": metrics.seed_words_on_top(topic_word, model["seed_columns"], minority),
        "clusters": len(set(assignments) - {-1}),
    }


def test_given_minority_topics_go_before_the_seed_share(rng):
    model = random_model(rng)
    by_seed_share = metrics.score(**model)
    given = metrics.score(**model, minority=[])
    assert by_seed_share["recall"] > 0
    assert given["recall"] == 0
    assert given["purity"] == by_seed_share["purity"]


def test_score_ignores_the_order_of_topics_and_documents_and_the_storage(rng):
    model = random_model(rng)
    topic_order = rng.permutation(8)
    document_order = rng.permutation(120)
    reordered = model | {
        "doc_topic": csr_array(model["doc_topic"][document_order][:, topic_order]),
        "topic_word": model["topic_word"][topic_order],
        "labels": model["labels"][document_order],
        "counts": model["counts"].toarray()[document_order],
    }
    before, after = metrics.score(**model), metrics.score(**reordered)
    # Chance is drawn in the order of the documents.
    assert after.pop("purity_adjusted") == pytest.approx(before.pop("purity_adjusted"), abs=0.02)
    assert after == pytest.approx(before)


@pytest.mark.parametrize("name", ["doc_topic", "topic_word", "labels", "truth", "counts"])
def test_score_refuses_matrices_that_do_not_belong_together(rng, name):
    model = random_model(rng)
    model[name] = model[name][:, :-1] if name in {"topic_word", "truth"} else model[name][:-1]
    with pytest.raises(ValueError, match="has shape"):
        metrics.score(**model)


@pytest.mark.parametrize(
    ("name", "value"),
    [("doc_topic", np.nan), ("topic_word", np.nan), ("topic_word", -0.1), ("truth", np.inf)],
)
def test_score_refuses_values_of_a_diverged_model(rng, name, value):
    model = random_model(rng)
    model[name][0, 0] = value
    with pytest.raises(ValueError, match=f"{name} holds"):
        metrics.score(**model)


def test_score_refuses_nan_in_a_sparse_doc_topic(rng):
    model = random_model(rng)
    model["doc_topic"][0, 0] = np.nan
    model["doc_topic"] = csr_array(model["doc_topic"])
    with pytest.raises(ValueError, match="doc_topic holds"):
        metrics.score(**model)


def test_without_labels_no_score_against_labels(rng):
    model = random_model(rng)
    model["labels"] = np.full_like(model["labels"], -1)
    found = metrics.score(**model)
    against_labels = ["purity", "nmi", "ami", "ami_injected", "purity_adjusted", "precision"]
    against_labels += ["recall", "f1"]
    assert np.isnan([found[name] for name in against_labels]).all()
    assert np.isfinite(found["diversity"])
