"""Comments that show a topic: with a high share of it, long enough, and unlike one another."""

from collections import Counter

import numpy as np

# Examples have at least so many distinct words, if there are enough such comments.
LEAST_WORDS = 5
# Comments that are looked at for each example that is wanted.
CANDIDATES = 20
# Two comments are the same in other words if they have this share of their words in common.
LIKE = 0.5
# Of a topic's examples, the share that one group may have while others have any.
MOST_OF_GROUP = 1 / 3


def choose_examples(shares, words, group_numbers, n):
    """For each topic, the rows and shares of its n examples, best first.

    Candidates are the comments whose main topic it is; if there are none, all that have it. The
    largest share comes first, and of equal shares the longer comment; comments of few words come
    last. A comment is left out if one like it was taken (Jaccard's coefficient of their words). A
    group that has its part waits until the others had their turn.
    """
    return [
        _spread(rows, values, words, group_numbers, n)
        for rows, values in _candidates(shares, words.lengths, max(CANDIDATES * n, 1))
    ]


def _candidates(shares, lengths, n):
    """For each topic, the (rows, shares) of the best n."""
    is_main = np.bincount(shares.main + 1, minlength=shares.n_shown + 1)[1:] > 0
    best = [(np.zeros(0, np.int64), np.zeros(0, np.float32))] * shares.n_shown
    for block, dense in shares.blocks():
        for topic, (rows, values) in enumerate(best):
            mine = shares.main[block] == topic if is_main[topic] else dense[:, topic] > 0
            new = np.flatnonzero(mine)
            rows = np.concatenate([rows, new + block.start])
            values = np.concatenate([values, dense[new, topic]])
            first = _best(values, lengths[rows], n)
            best[topic] = rows[first], values[first]
    return best


def _best(values, lengths, n):
    enough = lengths >= LEAST_WORDS
    # A cheap cut first: sorting all comments of a topic for some hundreds would take long.
    rank = values + 2 * enough
    if len(rank) > n:
        cut = np.partition(rank, len(rank) - n)[len(rank) - n]
        places = np.flatnonzero(rank >= cut)
    else:
        places = np.arange(len(rank))
    order = np.lexsort((-lengths[places], -values[places], ~enough[places]))
    return places[order[:n]]


def _spread(rows, values, words, group_numbers, n):
    limit = max(1, int(n * MOST_OF_GROUP)) if group_numbers is not None else n
    taken, waiting, seen, per_group = [], [], [], Counter()
    for place, row in enumerate(rows):
        if len(taken) == n:
            break
        if group_numbers is not None and per_group[group_numbers[row]] >= limit:
            waiting.append(place)
        elif _is_new(words.of(row), seen):
            taken.append(place)
            if group_numbers is not None:
                per_group[group_numbers[row]] += 1
    for place in waiting:
        if len(taken) == n:
            break
        if _is_new(words.of(rows[place]), seen):
            taken.append(place)
    taken.sort()
    return rows[taken], values[taken]


def _is_new(words, seen):
    """Whether no comment like this was seen before; notes that this one now was."""
    mine = frozenset(words.tolist())
    if any(len(mine & other) >= LIKE * len(mine | other) for other in seen):
        return False
    seen.append(mine)
    return True
