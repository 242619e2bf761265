"""What learnt guidance thinks of the list, for an analyst to read: words, and comments.

The words that spoke for a comment are those with the largest T(r, s) of `nmf.guidance`, for the
share r > 0 that is the most likely for it.
"""

from dataclasses import dataclass

import numpy as np

from ...base.files import read_csv
from ...nmf.guidance import odds, shares

N_COMMENTS = 100
# At most so many words spoke for a comment: those with at least these odds, and always the first.
N_SPEAKING, LEAST_ODDS = 5, 2.0
# At most so many trusted seed words are shown that a discovered word occurs with.
N_TOGETHER = 5
DISTRUST = (
    "Learnt guidance distrusts {}: most comments that hold it seem to be about something else."
)
COMMENTS_HEADER = ["row", "id", "date", "group", "probability", "main_topic", "words", "text"]


@dataclass(frozen=True)
class Judged:
    """Discovered words by column, the surest first, and rows of comments.

    `documents` (N,) has the number of comments that hold each word, and `together` (discovered x
    trusted words) of those that hold both.
    """

    documents: np.ndarray
    discovered: np.ndarray
    together: np.ndarray
    released: np.ndarray
    capped: np.ndarray

    @property
    def rows(self):
        return np.concatenate([self.released, self.capped])


def look(material, least_count, random_state):
    """What the tables show; words of fewer than `least_count` comments are left out."""
    opinion, documents = material.opinion, material.words.documents(material.has_words)
    if opinion is None:
        none = np.zeros(0, np.int64)
        return Judged(documents, none, np.zeros((0, 0), np.int64), none, none)
    discovered = opinion.guidance.discovered
    discovered = discovered[documents[discovered] >= least_count]
    probability = opinion.guidance.word_probability[discovered]
    discovered = discovered[np.lexsort((-documents[discovered], -probability))]
    holds = material.words.held(material.seed_columns) > 0
    return Judged(
        documents,
        discovered,
        material.words.together(discovered, opinion.guidance.trusted),
        _surest(np.flatnonzero(opinion.free & ~holds), material, N_COMMENTS),
        _sample(np.flatnonzero(holds & ~opinion.free), N_COMMENTS, random_state),
    )


def _surest(rows, material, n):
    """The n rows with the largest probability; one row of those with the same words."""
    probability, seen, taken = material.opinion.probability, set(), []
    for row in rows[np.argsort(-probability[rows], kind="stable")]:
        words = np.sort(material.words.of(row)).tobytes()
        if words not in seen:
            seen.add(words)
            taken.append(row)
        if len(taken) == n:
            break
    return np.array(taken, np.int64)


def _sample(rows, n, random_state):
    rng = np.random.default_rng(random_state)
    return np.sort(rng.choice(rows, min(n, len(rows)), replace=False))


def speaking_words(guidance, columns):
    """Those of a comment's words (columns) that spoke for it, the loudest first."""
    s = guidance.word_probability[columns].astype(float)
    says = np.log(odds(shares(), s[:, None], guidance.rbar))
    r = 1 + np.argmax((np.log(guidance.prior) + says.sum(axis=0))[1:])
    order = np.argsort(-says[:, r], kind="stable")
    spoke = says[order, r] >= np.log(LEAST_ODDS)
    spoke[:1] = True
    return columns[order[spoke][:N_SPEAKING]]


# Tables: (header, rows).


def seed_words(path, material, judged):
    """The table of seed words that was made before the fit, and what was learnt of each entry.

    `probability` is the share of the entry's occurrences that is of the domain, over its words. An
    entry with distrusted words gets a warning.
    """
    rows = read_csv(path)
    judge = _of_entries(material, judged) if material.opinion else lambda words: ("", "", "")
    for row in rows:
        share, trusted, distrusted = judge(row["words"].split(", "))
        if distrusted:
            what = "it" if trusted == "no" else distrusted
            row["warning"] = f"{row['warning']} {DISTRUST.format(what)}".strip()
        row |= {"probability": share, "trusted": trusted, "distrusted_words": distrusted}
    return list(rows[0]), [list(row.values()) for row in rows]


def _of_entries(material, judged):
    guidance, documents = material.opinion.guidance, judged.documents
    column = {material.vocabulary[c]: int(c) for c in guidance.listed}
    distrusted = {int(c) for c in guidance.distrusted}

    def judge(words):
        found = [column[word] for word in words if word in column]
        if not found or not documents[found].any():
            return "", "", ""
        bad = [c for c in found if c in distrusted]
        share = np.average(guidance.word_probability[found], weights=documents[found])
        trusted = "partly" if 0 < len(bad) < len(found) else "no" if bad else "yes"
        return float(share), trusted, ", ".join(material.vocabulary[c] for c in bad)

    return judge


def discovered_words(material, judged):
    rows, vocabulary = [], material.vocabulary
    for column, counts in zip(judged.discovered, judged.together, strict=True):
        guidance = material.opinion.guidance
        most = [i for i in np.argsort(-counts, kind="stable")[:N_TOGETHER] if counts[i]]
        seeds = ", ".join(f"{vocabulary[guidance.trusted[i]]} ({counts[i]})" for i in most)
        probability = float(guidance.word_probability[column])
        rows.append([vocabulary[column], probability, int(judged.documents[column]), seeds])
    return ["word", "probability", "documents", "occurs_with"], rows


def released_comments(material, judged, about):
    """Comments without a seed word that are free; `words` spoke for them.

    `about(row, columns)` gives the cells of a comment, with these of its words.
    """
    return COMMENTS_HEADER, [
        about(row, speaking_words(material.opinion.guidance, material.words.of(row)))
        for row in judged.released.tolist()
    ]


def capped_comments(material, judged, about):
    """Comments with a seed word that are not free; `words` are their seed words."""
    return COMMENTS_HEADER, [
        about(row, np.intersect1d(material.words.of(row), material.seed_columns))
        for row in judged.capped.tolist()
    ]
