"""Scores of a topic model against the injected ground truth, and of its topics in themselves.

Shapes: M documents, N words, K learned topics, T ground-truth topics.

Conventions, the same in every function:

- ``labels`` (M,) int: the topic injected into a document, 0, 1, ...; -1 is background.
- ``assignments`` (M,) int: the learned topic a document is assigned to; -1 is an outlier, a
  document to which the model gave no topic at all. Outliers together form one further cluster
  in purity, NMI and AMI, so that a model gains nothing by refusing to answer.
- ``topic_word`` (K, N) and ``truth`` (T, N): dense, non-negative weights, rows of any scale.
- A score that is undefined for its input is NaN, never a number that looks like a result.

`cards.CARDS` describes every score that ``score`` returns.
"""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.special import rel_entr
from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from ..methods.contract import N_TOP_WORDS, minority_by_seed_share

N_PERMUTATIONS = 100
# Of no corpus and no fit: draws from their stream would not be independent of them.
RANDOM_STATE = 1_618_033


def assign(doc_topic) -> np.ndarray:
    """Assign each document to its heaviest topic: (M, K) dense or sparse -> (M,) int.

    Ties go to the first topic; a document whose row is all zero is an outlier, -1.
    """
    heaviest = np.asarray(doc_topic.argmax(axis=1)).ravel()
    n_topics_held = np.asarray((doc_topic != 0).sum(axis=1)).ravel()
    return np.where(n_topics_held > 0, heaviest, -1)


def focused_purity(labels: np.ndarray, assignments: np.ndarray) -> float:
    """Purity that looks at the injected topics only.

    ::

        purity = sum_k count(y^k, k) / sum_k [count(y^k, k) > 0] count(k)
        y^k    = argmax_{y > -1} count(y, k)

    ``count(k)`` counts all documents of cluster k, background included, so background in an
    injected cluster costs purity, while a cluster without injected documents is ignored. If two
    topics tie for the majority, only one of them counts. NaN if no document is injected.
    """
    count = contingency_matrix(labels, assignments)
    return float(purity_of_counts(count[np.unique(labels) > -1], count.sum(axis=0)))


def purity_of_counts(count_injected: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Focused purity of tables of counts: (..., T, K) of injected documents, (..., K) of all."""
    majority = count_injected.max(axis=-2, initial=0)
    counted = np.where(majority > 0, sizes, 0).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return majority.sum(axis=-1) / counted


def purity_adjusted(labels: np.ndarray, assignments: np.ndarray) -> float:
    """Focused purity less what chance gives, (purity - E) / (1 - E).

    E is the mean purity of 100 random permutations of the assignments, with a fixed random state:
    clusters of the same sizes that know nothing of the labels. NaN if no document is injected, and
    where chance is pure as well (E = 1).
    """
    topics, label_codes = np.unique(labels, return_inverse=True)
    _, clusters, sizes = np.unique(assignments, return_inverse=True, return_counts=True)
    injected = labels > -1
    cells = label_codes[injected] * len(sizes)
    rng = np.random.default_rng(RANDOM_STATE)
    shape = len(topics), len(sizes)
    by_chance = [
        purity_of_counts(
            np.bincount(cells + mixed[injected], minlength=shape[0] * shape[1]).reshape(shape),
            sizes,
        )
        for mixed in (rng.permutation(clusters) for _ in range(N_PERMUTATIONS))
    ]
    expected = np.mean(by_chance)
    # Where every permutation is pure, their mean may be off by a rounding.
    if not expected < 1 - 1e-12:
        return np.nan
    return float((focused_purity(labels, assignments) - expected) / (1 - expected))


def nmi(labels: np.ndarray, assignments: np.ndarray) -> float:
    """Normalised mutual information, I(y; t) / mean(H(y), H(t)), over all documents.

    One cluster for everything scores 0, unless all labels are equal too: then 1, as in
    scikit-learn.
    """
    return float(normalized_mutual_info_score(labels, assignments, average_method="arithmetic"))


def ami(labels: np.ndarray, assignments: np.ndarray) -> float:
    """Mutual information adjusted for chance, (I - E[I]) / (mean(H(y), H(t)) - E[I])."""
    return float(adjusted_mutual_info_score(labels, assignments, average_method="arithmetic"))


def ami_injected(labels: np.ndarray, assignments: np.ndarray) -> float:
    """AMI over the injected documents alone: how well the injected topics are told apart.

    NaN if fewer than two topics are injected: then there is nothing to tell apart.
    """
    injected = labels > -1
    if len(np.unique(labels[injected])) < 2:
        return np.nan
    return ami(labels[injected], assignments[injected])


def jsd_per_topic(truth: np.ndarray, topic_word: np.ndarray) -> np.ndarray:
    """Distance of each ground-truth topic to its closest learned topic.

    The Jensen-Shannon divergence in base 2 (not its square root), with P and Q the normalised
    rows and R = (P + Q) / 2::

        JSD(P, Q) = 1/2 sum_n [P_n log2(P_n / R_n) + Q_n log2(Q_n / R_n)],   0 <= JSD <= 1

    Returns min_k JSD(P, Q_k) of each non-zero row of ``truth``, in order; all-zero rows are left
    out. All-zero learned topics are ignored; NaN if there is no other.
    """
    divergences = jsd_matrix(truth, topic_word)[truth.any(axis=1)]
    learned = topic_word.any(axis=1)
    if not learned.any():
        return np.full(len(divergences), np.nan)
    return divergences[:, learned].min(axis=1)


def jsd_matrix(truth: np.ndarray, topic_word: np.ndarray) -> np.ndarray:
    """JSD of each ground-truth topic to each learned topic, (T, K); NaN if either is all zero."""
    divergences = np.full((len(truth), len(topic_word)), np.nan)
    known, learned = truth.any(axis=1), topic_word.any(axis=1)
    Q = _normalised_rows(topic_word)
    for topic, p in zip(np.flatnonzero(known), _normalised_rows(truth), strict=True):
        divergences[topic, learned] = _jsd(p, Q)
    return divergences


def _normalised_rows(weights: np.ndarray) -> np.ndarray:
    filled = weights[weights.any(axis=1)].astype(float)
    return filled / filled.sum(axis=1, keepdims=True)


def _jsd(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """JSD of one distribution (N,) to each row of ``q`` (K, N).

    Where P_n = 0 the summand is Q_n log2(2) = Q_n, so logarithms are needed on the support of P
    only, which for a ground-truth topic is a handful of words out of N.
    """
    support = p > 0
    p, q = p[support], q[:, support]
    r = (p + q) / 2
    on_support = (rel_entr(p, r) + rel_entr(q, r)).sum(axis=1) / np.log(2)
    off_support = 1 - q.sum(axis=1)
    return np.clip((on_support + off_support) / 2, 0, 1)  # rounding may leave [0, 1]


def jsd_summary(divergences: np.ndarray) -> tuple[float, ...]:
    """Mean, SD, min and max over the ground-truth topics; NaN if there are none.

    The SD is the population's (divisor T): the topics are all there are, not a sample.
    """
    if not len(divergences):
        return (np.nan,) * 4
    return tuple(float(f(divergences)) for f in (np.mean, np.std, np.min, np.max))


def detection(
    labels: np.ndarray, assignments: np.ndarray, minority: Sequence[int] | np.ndarray
) -> tuple[float, float, float]:
    """Precision, recall and F1 of "assigned to a minority topic" as a sign of "injected".

    ``minority`` are the indices of the minority topics; which of them, and which injected topic,
    does not matter. If documents are injected but none is assigned to a minority topic, all
    three are 0. If none is injected there is nothing to recall: recall and F1 are NaN, and
    precision is 0, or NaN if no document is assigned to a minority topic either.
    """
    injected = labels > -1
    found = np.isin(assignments, minority)
    n_injected, n_found = injected.sum(), found.sum()
    n_right = (injected & found).sum()
    if not n_injected:
        return (0.0 if n_found else np.nan), np.nan, np.nan
    precision = n_right / n_found if n_found else 0.0
    recall = n_right / n_injected
    f1 = 2 * n_right / (n_found + n_injected)
    return float(precision), float(recall), float(f1)


def top_words(topic_word: np.ndarray, n_top: int) -> list[np.ndarray]:
    """Column indices of each topic's ``n_top`` heaviest words, heaviest first.

    Ties keep the order of the columns. Words of zero weight are no top words, so a topic may
    have fewer than ``n_top``.
    """

    def of_topic(weights):
        # As float, because minus an unsigned count is a large count.
        heaviest = np.argsort(np.negative(weights, dtype=float), kind="stable")[:n_top]
        return heaviest[weights[heaviest] > 0]

    return [of_topic(weights) for weights in topic_word]


def npmi_coherence(topic_word: np.ndarray, counts, n_top: int = 10) -> float:
    """Mean over topics of the mean NPMI over all pairs of the topic's top words.

    With p(.) the share of the documents of ``counts`` (M, N) that hold the word, or both words,
    however often::

        NPMI(a, b) = log[p(a, b) / (p(a) p(b))] / -log p(a, b) = log[p(a) p(b)] / log p(a, b) - 1

    Two words that never occur together have NPMI -1. For two words in every document NPMI is
    0 / 0; it is set to 1, the limit over words that always occur together. Topics with fewer than
    two top words are left out; NaN if none is left.
    """
    tops = [words for words in top_words(topic_word, n_top) if len(words) > 1]
    if not tops:
        return np.nan
    vocabulary = np.unique(np.concatenate(tops))
    present = (csr_array(counts)[:, vocabulary] != 0).astype(float)
    p_both = (present.T @ present).toarray() / present.shape[0]
    p_word = p_both.diagonal()
    with np.errstate(divide="ignore", invalid="ignore"):
        log_p_word = np.log(p_word)
        npmi = np.add.outer(log_p_word, log_p_word) / np.log(p_both) - 1
    npmi[p_both == 0] = -1
    npmi[p_both == 1] = 1

    def mean_over_pairs(words):
        where = np.searchsorted(vocabulary, words)
        first, second = np.triu_indices(len(words), k=1)
        return npmi[where[first], where[second]].mean()

    return float(np.mean([mean_over_pairs(words) for words in tops]))


def topic_diversity(topic_word: np.ndarray, n_top: int = 10) -> float:
    """Share of distinct words among all topics' top words; NaN if no topic has any."""
    words = np.concatenate(top_words(topic_word, n_top))
    return len(np.unique(words)) / len(words) if len(words) else np.nan


def seed_words_on_top(
    topic_word: np.ndarray,
    seed_columns: Sequence[int] | np.ndarray,
    minority: Sequence[int] | np.ndarray,
    n_top: int = N_TOP_WORDS,
) -> float:
    """Share of seed words among the top words of all minority topics together.

    NaN if no minority topic has a word.
    """
    words = np.concatenate([[], *top_words(topic_word[np.asarray(minority, dtype=int)], n_top)])
    return float(np.isin(words, seed_columns).mean()) if len(words) else np.nan


def used_topics(assignments: np.ndarray) -> float:
    """Number of topics to which at least one document is assigned; outliers are no topic."""
    return float(len(np.unique(assignments[assignments > -1])))


def score(
    doc_topic,
    topic_word: np.ndarray,
    labels: np.ndarray,
    truth: np.ndarray,
    counts,
    seed_columns: np.ndarray,
    n_minority: int,
    minority: Sequence[int] | np.ndarray | None = None,
) -> dict[str, float]:
    """All scores of one fitted model, with the keys of ``CARDS`` in their order.

    ``doc_topic`` (M, K) and ``counts`` (M, N) may be sparse. ``minority`` are the indices of the
    model's minority topics; None stands for the ``n_minority`` topics with the largest share of
    their mass on ``seed_columns``.
    """
    _check(doc_topic, topic_word, labels, truth, counts)
    assignments = assign(doc_topic)
    if minority is None:
        minority = minority_by_seed_share(topic_word, seed_columns, n_minority)
    jsd_mean, jsd_sd, jsd_min, jsd_max = jsd_summary(jsd_per_topic(truth, topic_word))
    precision, recall, f1 = detection(labels, assignments, minority)
    unlabelled = np.all(np.asarray(labels) < 0)
    return {
        "purity": focused_purity(labels, assignments),
        "nmi": np.nan if unlabelled else nmi(labels, assignments),
        "jsd_mean": jsd_mean,
        "jsd_sd": jsd_sd,
        "jsd_min": jsd_min,
        "jsd_max": jsd_max,
        "ami": np.nan if unlabelled else ami(labels, assignments),
        "ami_injected": ami_injected(labels, assignments),
        "purity_adjusted": purity_adjusted(labels, assignments),
        "precision": np.nan if unlabelled else precision,
        "recall": recall,
        "f1": f1,
        "npmi": npmi_coherence(topic_word, counts),
        "diversity": topic_diversity(topic_word),
        "seed_words_on_top": seed_words_on_top(topic_word, seed_columns, minority),
        "clusters": used_topics(assignments),
    }


def _check(doc_topic, topic_word, labels, truth, counts) -> None:
    """Refuse matrices that do not belong together, or that a diverged model has left."""
    n_documents, n_words = counts.shape
    n_topics = topic_word.shape[0]
    expected = {
        "doc_topic": (doc_topic, (n_documents, n_topics)),
        "topic_word": (topic_word, (n_topics, n_words)),
        "labels": (labels, (n_documents,)),
        "truth": (truth, (len(truth), n_words)),
    }
    for name, (array, shape) in expected.items():
        if array.shape != shape:
            raise ValueError(
                f"{name} has shape {array.shape}, but {shape} is needed to go with counts "
                f"{counts.shape} and topic_word {topic_word.shape}"
            )
    values = doc_topic.data if issparse(doc_topic) else doc_topic
    if not np.isfinite(values).all():
        raise ValueError("doc_topic holds NaN or infinite values: did the model converge?")
    for name, weights in {"topic_word": topic_word, "truth": truth}.items():
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise ValueError(f"{name} holds NaN, infinite or negative values, which are no weights")
