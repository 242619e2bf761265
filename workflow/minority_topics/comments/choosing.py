"""Choose n_topics, n_minority and theta_min without labels: a grid of fits on a sample.

A share of the sample is held out. Of each held-out comment, half of the words tell its topics, and
the topics are asked for the other half:

    KL_i = sum_j q_ij log(q_ij / ((1 - e) p_ij + e b_j))

with q_i the TF-IDF mass of the second half, p_i = w_i H the prediction from the first half (both
sum to one), and b that of the sample that was fitted. The share e of b is one number for a fit, the
one that predicts best (Jelinek and Mercer 1980): words that no topic has cost a finite amount, and
rows differ by what topics know and not by how boldly they say it. One seed word of a comment stays
in its first half, so that the comment may still hold minority topics.
"""

import itertools
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ..base.files import write_csv, write_json
from ..base.manifest import check_manifest, write_manifest
from ..base.text import counted, listed, shown
from ..corpus.readers import DataError, naming
from ..nmf.checks import is_whole
from ..nmf.model import ConstrainedNMF
from . import folders
from .encoding import weigh
from .fitting import (
    agreements,
    basis_of,
    fit_quietly,
    main_topics,
    needed_bytes,
    shares,
    topic_stability,
)
from .guidance import falls_back
from .limits import MB, check_memory, limited_threads
from .progress import Progress
from .sizes import refuse_too_many

CHOICES = "choices.csv"
CHOICE = "choices.json"
SETTING = ("n_topics", "n_minority", "theta_min")
COLUMNS = (
    *SETTING, "heldout_kl", "heldout_kl_se", "stability", "agreement",
    "seed_share", "least_seed_share", "smallest", "largest", "small_topics", "empty_minority",
    "converged", "seconds", "recommended",
)  # fmt: skip
HELD_OUT = 0.2
# A topic with fewer comments of the sample is counted as small.
SMALL = 10
RULE = (
    "Of the settings in which every minority topic is the main topic of some comment, those within "
    "one standard error of the lowest held-out KL are as good as it. Of these, the most stable is "
    "recommended, and of equals the one with fewer topics."
)


def choose(
    matrix_folder,
    out,
    *,
    n_topics=(20, 35, 50),
    n_minority=(5, 10, 15),
    theta_min=(0.2, 0.4, 0.6),
    n_states=2,
    n_comments=50_000,
    w_max=1e-9,
    guidance="learnt",
    random_state=1,
    max_iter=200,
    tol=1e-5,
    threads=None,
    memory_mb=None,
):
    """Fit every setting of the grid on a random sample, and recommend one.

    Settings without a majority topic are passed over: a comment that is not free to hold minority
    topics would have no topic. Each is fitted with `n_states` random states. Writes `choices.csv`,
    a row a setting, and `choices.json`, which it returns.
    """
    for name, value in (("n_states", n_states), ("n_comments", n_comments)):
        if not is_whole(value, 1):
            raise ValueError(f"{name}={shown(value)} must be a whole number from 1.")
    grid = [row for row in itertools.product(n_topics, n_minority, theta_min) if row[1] < row[0]]
    if not grid:
        raise ValueError(
            f"n_topics={shown(n_topics)}, n_minority={shown(n_minority)}, "
            f"theta_min={shown(theta_min)}: no setting has n_minority below n_topics; give lists "
            "of numbers that have one."
        )
    sample = read_sample(Path(matrix_folder), n_comments, random_state, max(n_topics), memory_mb)
    if any(n_minority) and not len(sample.seed_columns):
        raise DataError(
            f"{matrix_folder}: no seed word is in the {counted(sample.V.shape[0], 'comment')} to "
            "fit; raise n_comments, or give other seed words"
        )
    basis = basis_of(sample.V, sample.seed_columns)
    refuse_too_many(matrix_folder, basis, max(n_topics), max(n_minority))
    learns = guidance == "learnt" and any(n_minority)
    warnings = falls_back(sample.V, sample.seed_columns) if learns else []
    states = range(random_state, random_state + n_states)
    rows = []
    with (
        limited_threads(threads) as n_threads,
        Progress("trying settings", sum(row[0] for row in grid)) as progress,
    ):
        for setting in grid:
            rows.append(_try(sample, setting, states, w_max, guidance, max_iter, tol))
            progress.step(setting[0])
    number, reason = recommend(rows)
    for place, row in enumerate(rows):
        row["recommended"] = int(place == number)
    out = Path(out)
    chosen = {name: rows[number][name] for name in SETTING}
    facts = {
        "recommended": chosen,
        "reason": reason,
        "rule": RULE,
        "comments_fitted": sample.V.shape[0],
        "comments_held_out": sample.first.shape[0],
        "comments_with_words": sample.n_with_words,
        "n_states": n_states,
        "random_state": random_state,
        "w_max": w_max,
        "guidance": guidance,
        "warnings": warnings,
        "threads": n_threads,
        "small": SMALL,
        "seconds": round(sum(row["seconds"] for row in rows), 1),
    }
    write_csv(out / CHOICES, COLUMNS, ([_cell(row[name]) for name in COLUMNS] for row in rows))
    write_json(out / CHOICE, facts)
    settings = [grid, n_states, n_comments, w_max, guidance, random_state, max_iter, tol]
    write_manifest(out, settings, [matrix_folder])
    return facts


def _cell(value):
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else value


# The sample.


class Sample(NamedTuple):
    """TF-IDF (CSR float32) over one vocabulary: of the comments to fit, V (M x N), and of the two
    halves of each comment that is held out, `first` and `second` (L x N)."""

    V: sp.csr_matrix
    first: sp.csr_matrix
    second: sp.csr_matrix
    seed_columns: np.ndarray
    n_with_words: int


def read_sample(folder, n_comments, random_state, n_topics, memory_mb=None):
    """A random sample of the comments with words of a matrix folder."""
    check_manifest(folder, folders.COUNTS, folders.IDF, folders.SEED_COLUMNS)
    path = folder / folders.COUNTS
    with np.load(path, allow_pickle=False) as saved:
        (n_rows, n_words), n_entries = saved["shape"].tolist(), int(saved["indptr"][-1])
    share = min(n_comments / max(n_rows, 1), 1)
    sizes = int(share * n_rows), n_words, int(share * n_entries)
    fit = needed_bytes(*sizes, n_topics, n_topics)
    what, remedy = f"{path}: choosing settings", "give more memory, or lower n_topics or n_comments"
    check_memory((8 * n_entries + fit) / MB, what, remedy, memory_mb)
    counts = sp.csr_matrix(sp.load_npz(path))
    idf = np.load(folder / folders.IDF, allow_pickle=False)
    seed_columns = np.load(folder / folders.SEED_COLUMNS, allow_pickle=False)
    rng = np.random.default_rng(random_state)
    with naming(path):
        return draw_sample(counts, idf, seed_columns, n_comments, rng)


def draw_sample(counts, idf, seed_columns, n_comments, rng):
    """Comments with words, at most `n_comments`, of which HELD_OUT are held out and halved.

    Words that no comment to fit has are left out: no setting could know them.
    """
    with_words = np.flatnonzero(np.diff(counts.indptr))
    rows = rng.permutation(with_words)[:n_comments]
    n_held_out = round(HELD_OUT * len(rows))
    held_out, fitted = (np.sort(part) for part in (rows[:n_held_out], rows[n_held_out:]))
    fitted = counts[fitted]
    known = np.bincount(fitted.indices, minlength=counts.shape[1]) > 0
    is_seed = np.zeros(counts.shape[1], dtype=bool)
    is_seed[seed_columns] = True
    fitted, held_out = fitted[:, known], counts[held_out][:, known]
    is_seed, idf = is_seed[known], idf[known]
    first, second = halves(held_out, is_seed, rng)
    if not first.shape[0]:
        raise DataError("too few comments have two words or more; give more comments")
    V, first, second = (weigh(matrix, idf) for matrix in (fitted, first, second))
    return Sample(V, first, second, np.flatnonzero(is_seed), len(with_words))


def halves(counts, is_seed, rng):
    """The words of each row of counts (L x N, CSR) dealt at random into two matrices of counts.

    The first has the larger half, and a seed word if there is one. Rows of fewer than two words are
    left out.
    """
    counts = counts[np.asarray(counts.sum(axis=1)).ravel() >= 2]
    of_entry = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    row, column = (np.repeat(array, counts.data) for array in (of_entry, counts.indices))
    turn = rng.random(len(row))
    order = np.lexsort((turn, row))
    seeds = order[is_seed[column[order]]]
    turn[seeds[np.unique(row[seeds], return_index=True)[1]]] = -1  # the first seed of each row
    order = np.lexsort((turn, row))
    row, column = row[order], column[order]
    lengths = np.bincount(row, minlength=counts.shape[0])
    place = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    in_first = place < np.repeat((lengths + 1) // 2, lengths)
    return tuple(
        sp.csr_matrix((np.ones(part.sum(), np.int32), (row[part], column[part])), counts.shape)
        for part in (in_first, ~in_first)
    )


# One setting.


def _try(sample, setting, states, w_max, guidance, max_iter, tol):
    """A row of the table: held-out KL is the mean over random states, sizes are of the best."""
    n_topics, n_minority, theta_min = setting
    begin, fits = time.monotonic(), []
    for state in states:
        model = ConstrainedNMF(
            n_topics, n_minority, sample.seed_columns.tolist(), w_max=w_max, theta_min=theta_min,
            guidance=guidance, random_state=state, max_iter=max_iter, tol=tol, n_init=1,
        )  # fmt: skip
        W, converged, _ = fit_quietly(model, sample.V)
        fits.append((model, main_topics(shares(W)), held_out_kl(model, sample), converged))
    models, mains, kl, converged = zip(*fits, strict=True)
    best = min(range(len(fits)), key=lambda fit: models[fit].objective_)
    topics = [model.components_ for model in models]
    others = topics[:best] + topics[best + 1 :]
    H, main, kl = topics[best], mains[best], np.mean(kl, axis=0)
    sizes = np.bincount(main[main >= 0], minlength=n_topics)
    seeds = models[best].seed_columns_
    seed_share = H[:n_minority, seeds].sum(axis=1) / H[:n_minority].sum(axis=1)
    return {
        "n_topics": n_topics,
        "n_minority": n_minority,
        "theta_min": theta_min,
        "heldout_kl": float(kl.mean()),
        "heldout_kl_se": float(kl.std() / np.sqrt(len(kl))),
        "stability": float(topic_stability(H, others, n_minority).mean()) if others else None,
        "agreement": float(np.mean(agreements(mains))) if others else None,
        "seed_share": float(seed_share.mean()) if n_minority else None,
        "least_seed_share": float(seed_share.min()) if n_minority else None,
        "smallest": int(sizes.min()),
        "largest": int(sizes.max()),
        "small_topics": int((sizes < SMALL).sum()),
        "empty_minority": int((sizes[:n_minority] == 0).sum()),
        "converged": sum(converged),
        "seconds": round(time.monotonic() - begin, 1),
    }


def held_out_kl(model, sample):
    """KL_i of each held-out comment (L,), as at the head of this module."""
    weight = model.transform(sample.first).astype(np.float64)
    total = weight.sum(axis=1, keepdims=True)
    weight = np.divide(weight, total, out=np.zeros_like(weight), where=total > 0)
    base = np.asarray(sample.V.sum(axis=0), dtype=np.float64).ravel()
    base /= base.sum()
    entries = sample.second.tocoo()
    mass = np.asarray(sample.second.sum(axis=1), dtype=np.float64).ravel()
    q = entries.data / mass[entries.row]
    p, H = np.zeros(len(q)), model.components_
    for topic in range(len(H)):  # no array of entries x topics
        p += weight[entries.row, topic] * H[topic, entries.col]
    b = base[entries.col]
    share = best_mixture(q, p, b)
    kl = q * np.log(q / ((1 - share) * p + share * b))
    return np.bincount(entries.row, kl, minlength=sample.second.shape[0])


def best_mixture(q, p, b, n_iterations=200):
    """The share e in (0, 1) for which sum q log((1 - e) p + e b) is largest, by EM."""
    share = 0.5
    for _ in range(n_iterations):
        part = share * b
        share = float((q * part / ((1 - share) * p + part)).sum() / q.sum())
        share = min(max(share, 1e-6), 1 - 1e-6)
    return share


# The rule.


def recommend(rows):
    """The number of the recommended row, and why, as a sentence; see RULE."""
    numbers = [n for n, row in enumerate(rows) if not row["empty_minority"]]
    everywhere = bool(numbers)
    numbers = numbers or list(range(len(rows)))
    lowest = rows[min(numbers, key=lambda n: rows[n]["heldout_kl"])]
    bound = lowest["heldout_kl"] + lowest["heldout_kl_se"]
    near = [n for n in numbers if rows[n]["heldout_kl"] <= bound]

    def rank(number):
        row = rows[number]
        return -(row["stability"] or 0), row["n_topics"], row["n_minority"], row["theta_min"]

    best = min(near, key=rank)
    row = rows[best]
    setting = (
        f"{row['n_topics']} topics, {row['n_minority']} of them minority, with theta_min "
        f"{row['theta_min']:g}"
    )
    among = (
        f"of {counted(len(numbers), 'setting')} whose minority topics all have comments"
        if everywhere
        else f"in all {len(numbers)} settings some minority topic has no comment, so none was left "
        "out; of them"
    )
    within = (
        f"{len(near)} {'is' if len(near) == 1 else 'are'} within one standard error "
        f"({lowest['heldout_kl_se']:.3g}) of the lowest held-out KL ({lowest['heldout_kl']:.4g})"
    )
    if len(near) == 1:
        why = "it is this one"
    elif row["stability"] is None:
        why = "this one has the fewest topics"
    else:
        why = f"this one is the most stable ({row['stability']:.2f})"
    return best, f"{setting}: {among}, {within}, and {why}.{_edge(row, rows)}"


def _edge(best, rows):
    """A sentence about settings of the recommended row beyond which nothing was tried."""
    at_edge = []
    for name in SETTING:
        tried = {row[name] for row in rows}
        ends = {min(tried): "lowest", max(tried): "highest"}
        if len(tried) > 1 and best[name] in ends:
            at_edge.append(f"{name}={best[name]:g} is the {ends[best[name]]}")
    if not at_edge:
        return ""
    return (
        f" It is at the edge of the grid, where {listed(at_edge)} value tried: try values beyond "
        "before you decide."
    )
