"""Words that tell comments of minority topics from others: further seed words, suggested.

Log odds ratio with an informative prior (Monroe, Colaresi and Quinn 2008), of numbers of comments
that hold a word: a_v of those with a minority topic as main topic, b_v of the others with words,

    d_v = log (a_v + p_v) / (A + P - a_v - p_v) - log (b_v + p_v) / (B + P - b_v - p_v)
    z_v = d_v / sqrt(1 / (a_v + p_v) + 1 / (b_v + p_v))

with A and B the sums over all words, and the prior p_v = P (a_v + b_v) / (A + B), which pulls the
difference of rare words to 0; P is 1000, or a tenth of A + B where that is less. The words with the
largest z_v are suggested.
"""

from dataclasses import dataclass

import numpy as np

# P, the size of the prior in pairs of a comment and a word, and its largest share of all pairs.
PRIOR = 1_000.0
MOST_PRIOR = 0.1
# A suggested word has at least these odds in minority comments against others.
LEAST_ODDS = 2.0
N_SUGGESTED = 100


@dataclass(frozen=True)
class Suggested:
    """Suggested words, best first, by column."""

    columns: np.ndarray
    score: np.ndarray
    log_odds: np.ndarray
    documents: np.ndarray
    documents_minority: np.ndarray


def log_odds(inside, outside):
    """(d, z) of words held by `inside` and `outside` comments."""
    inside, outside = np.asarray(inside, float), np.asarray(outside, float)
    n_inside, n_outside = inside.sum(), outside.sum()
    prior = min(PRIOR, MOST_PRIOR * (n_inside + n_outside))
    shared = prior * (inside + outside) / max(n_inside + n_outside, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ours, theirs = inside + shared, outside + shared
        ratio = np.log(ours / (n_inside + prior - ours)) - np.log(
            theirs / (n_outside + prior - theirs)
        )
        score = ratio / np.sqrt(1 / ours + 1 / theirs)
    # A word that no comment holds says nothing.
    return np.nan_to_num(ratio), np.nan_to_num(score)


def suggest(material, is_minority, least_count, n=N_SUGGESTED):
    """Words of minority comments (mask of rows) that are not on the list yet.

    A suggested word stands in at least `least_count` comments of minority topics.
    """
    inside = material.words.documents(is_minority)
    outside = material.words.documents(material.has_words & ~is_minority)
    ratio, score = log_odds(inside, outside)
    may = (inside >= max(least_count, 1)) & (ratio > np.log(LEAST_ODDS))
    may[material.seed_columns] = False
    columns = np.flatnonzero(may)
    columns = columns[np.argsort(-score[columns], kind="stable")[:n]]
    return Suggested(
        columns,
        score[columns],
        ratio[columns],
        inside[columns] + outside[columns],
        inside[columns],
    )


# Comments that the list of seed words misses.


@dataclass(frozen=True)
class SeedFree:
    """Rows of comments without a seed word: at random, and those that hold suggested words."""

    random: np.ndarray
    enriched: np.ndarray


def sample_seed_free(material, suggested, n, random_state):
    """n seed-free comments at random, and n others by weight: how many suggested words they hold.

    The first sample tells how often the list misses something; the second shows what.
    """
    rng = np.random.default_rng(random_state)
    seed_free = material.has_words & (material.words.held(material.seed_columns) == 0)
    rows = np.flatnonzero(seed_free)
    random = np.sort(rng.choice(rows, min(n, len(rows)), replace=False))
    held = material.words.held(suggested.columns)
    held[~seed_free] = 0
    held[random] = 0
    rows = np.flatnonzero(held)
    # The n largest keys u^(1 / w) are a sample without replacement by weights w.
    keys = np.log(rng.random(len(rows))) / held[rows]
    enriched = np.sort(rows[np.argsort(-keys, kind="stable")[:n]])
    return SeedFree(random, enriched)
