"""Scores under resampled documents: how far does a score move with the documents it is counted on?

Where there is one corpus, repetitions differ in their random state alone and say nothing of the
luck of its documents. So the documents are drawn anew, with replacement, and the clusters that a
fit gave them are scored again: a document's weight is how often it was drawn. All fits share the
draws, so that methods can be compared draw by draw. The fits stay as they are: what other documents
would do to them is not counted.

Shapes: B resamples, M documents, T labels, K clusters.
"""

from functools import cache
from itertools import groupby
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from scipy.special import gammaln, xlogy

from ..base.processes import pool_of
from ..corpus.storage import read_corpus
from ..methods.contract import minority_by_seed_share, read_fit
from .metrics import RANDOM_STATE, assign, purity_of_counts
from .scoring import number_text
from .statistics import N_RESAMPLES, RESAMPLED, SETTING
from .tables import read_statuses

# Exponent of the chance of what is left out of a sum.
TAIL = 40
ROUNDING = 1e-12
CELL = ("dataset", "method", *SETTING)


def resample_fits(folders, processes=1):
    """Rows of all cells in folders that `fit` wrote, in their order: one per cell and resample.

    A score is the mean over the fits of the cell that came out; a cell without any has no rows.
    """
    batches = [list(group) for _, group in groupby(map(Path, folders), lambda path: path.parent)]
    _check_one_corpus(folders)
    with pool_of(processes, forks=True) as pool:
        return [row for cell in pool.map(_resample_cell, batches) for row in cell]


def _check_one_corpus(folders):
    corpora = {status["corpus"] for _, status in read_statuses(folders)}
    if len(corpora) > 1:
        first, second = sorted(corpora)[:2]
        raise ValueError(
            f"fits of more than one corpus, {first} and {second}: their documents differ anyhow; "
            "resample only fits of a dataset with one corpus"
        )


def _resample_cell(folders):
    """Rows of a method in a setting, whose batches are `folders`."""
    found = [
        _resample_fit(path, status)
        for path, status in read_statuses(folders)
        if status["status"] == "ok"
    ]
    if not found:
        return []
    _, status = next(read_statuses(folders))
    axes = {name: status[name] for name in CELL}
    means = {name: np.mean([scores[name] for scores in found], axis=0) for name in RESAMPLED}
    return [
        {**axes, "resample": number}
        | {name: number_text(float(values[number])) for name, values in means.items()}
        for number in range(N_RESAMPLES)
    ]


def _resample_fit(path, status):
    corpus, fit = _corpus(status["corpus"]), read_fit(path)
    minority = fit.minority
    if minority is None:
        minority = minority_by_seed_share(fit.topic_word, corpus.seed_columns, status["n_minority"])
    weights = draw_weights(len(corpus.labels))
    return weighted_scores(corpus.labels, assign(fit.doc_topic), minority, weights)


@cache
def _corpus(folder):
    return read_corpus(folder)


@cache
def draw_weights(n_documents):
    """How often each resample holds each document, (B, M), with a fixed random state."""
    shares = np.full(n_documents, 1 / n_documents)
    return np.random.default_rng(RANDOM_STATE).multinomial(n_documents, shares, size=N_RESAMPLES)


def weighted_scores(labels, assignments, minority, weights):
    """Scores of `RESAMPLED` of documents with whole-number weights (B, M): (B,) each.

    With all weights one they are those of `metrics`. NaN where a score is undefined.
    """
    topics, rows = np.unique(labels, return_inverse=True)
    clusters, columns = np.unique(assignments, return_inverse=True)
    cells = rows * len(clusters) + columns
    shape = len(cells), len(topics) * len(clusters)
    in_cell = csr_array((np.ones(len(cells), dtype=np.int64), (range(len(cells)), cells)), shape)
    count = (weights @ in_cell).reshape(len(weights), len(topics), len(clusters))
    injected = topics > -1
    of_injected = count[:, injected]
    n_injected = of_injected.sum(axis=(1, 2))
    found = np.isin(clusters, minority)
    n_right, n_found = of_injected[..., found].sum(axis=(1, 2)), count[..., found].sum(axis=(1, 2))
    some = n_injected > 0
    nmi, ami = mutual_information(count)
    _, ami_injected = mutual_information(of_injected)
    several = np.count_nonzero(of_injected.sum(axis=2), axis=1) > 1
    with np.errstate(invalid="ignore"):
        f1 = 2 * n_right / (n_found + n_injected)
    return {
        "purity": purity_of_counts(of_injected, count.sum(axis=1)),
        "nmi": np.where(some, nmi, np.nan),
        "ami": np.where(some, ami, np.nan),
        "ami_injected": np.where(several, ami_injected, np.nan),
        "f1": np.where(some, f1, np.nan),
    }


def mutual_information(count):
    """NMI and AMI of tables of counts (B, T, K): (B,) each, as `metrics.nmi` and `metrics.ami`."""
    n = count.sum(axis=(1, 2))
    a, b = count.sum(axis=2), count.sum(axis=1)

    def entropy(sizes):
        """n times the entropy is n log n - sum size log size."""
        return np.log(n) - xlogy(sizes, sizes).reshape(len(n), -1).sum(axis=1) / n

    with np.errstate(divide="ignore", invalid="ignore"):
        of_labels, of_clusters = entropy(a), entropy(b)
        mean = (of_labels + of_clusters) / 2
        information = of_labels + of_clusters - entropy(count)
        expected = expected_information(a, b, n)
        nmi, ami = information / mean, (information - expected) / (mean - expected)
    n_labels, n_clusters = np.count_nonzero(a, axis=1), np.count_nonzero(b, axis=1)
    # As scikit-learn has it: where both have one part, or chance tells all, they match; where one
    # of them has one part, it tells nothing.
    cases = [
        (n_labels == 1) & (n_clusters == 1),
        (n_labels == 1) | (n_clusters == 1),
        mean - expected < ROUNDING,
    ]
    return np.select(cases[:2], [1.0, 0.0], nmi), np.select(cases, [1.0, 0.0, 1.0], ami)


def expected_information(a, b, n):
    """Mean information of two labellings with sizes a (B, T) and b (B, K) under permutation.

    ::

        E[I] = sum_{t,k} sum_m m/n log(n m / (a b)) P(m),   P(m) = C(a, m) C(n-a, b-m) / C(n, b)

    (Vinh, Epps and Bailey 2010.) The inner sum depends on (a_t, b_k, n) alone, and few such
    triples occur in all resamples together: each is summed once.
    """
    base = int(n.max(initial=0)) + 1
    keys = (a[:, :, None] * base + b[:, None, :]) * base + n[:, None, None]
    triples, where = np.unique(keys, return_inverse=True)
    sums = _inner_sums(triples // base**2, triples // base % base, triples % base)
    return sums[where].reshape(keys.shape).sum(axis=(1, 2))


def _inner_sums(a, b, n):
    """sum_m m/n log(n m / (a b)) P(m) of each triple of (a, b, n)."""
    log_factorial = gammaln(np.arange(n.max(initial=0) + 1) + 1.0)
    fixed = (
        log_factorial[a] + log_factorial[b] + log_factorial[n - a] + log_factorial[n - b]
        - log_factorial[n]
    )  # fmt: skip
    least, most = _range_of_mass(a, b, n)
    total = np.zeros(len(n))
    for step in range(int((most - least).max(initial=-1)) + 1):
        at = np.flatnonzero(least + step <= most)
        a_m, b_m, n_m, m = a[at], b[at], n[at], least[at] + step
        log_p = fixed[at] - log_factorial[m] - log_factorial[a_m - m] - log_factorial[b_m - m]
        log_p -= log_factorial[n_m - a_m - b_m + m]
        total[at] += m / n_m * np.log(n_m * m / (a_m * b_m)) * np.exp(log_p)
    return total


def _range_of_mass(a, b, n):
    """First and last m above 0 whose P(m) is not lost in rounding.

    By Bernstein's inequality, which holds without replacement too (Hoeffding 1963), m is farther
    from its mean than r with probability at most 2 exp(-r^2 / (2 v + 2 r / 3)), v the binomial
    variance. With exponent `TAIL` that is 1e-17.
    """
    n_or_one = np.maximum(n, 1)
    mean = a * b / n_or_one
    variance = mean * (1 - np.maximum(a, b) / n_or_one)
    radius = TAIL / 3 + np.sqrt((TAIL / 3) ** 2 + 2 * TAIL * variance)
    least = np.maximum.reduce([np.ones_like(a), a + b - n, np.floor(mean - radius).astype(int)])
    return least, np.minimum.reduce([a, b, np.ceil(mean + radius).astype(int)])
