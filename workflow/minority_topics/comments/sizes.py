"""How many topics comments can bear: numbers by default, refusals, and warnings of a small basis.

A topic of fewer than LEAST_PER_TOPIC comments is a matter of chance, and what minority topics are
about is known from comments with a seed word alone, also where learnt guidance frees others.
"""

from dataclasses import dataclass

from ..base.text import counted
from ..corpus.readers import DataError

# Numbers of topics by numbers of comments, as in the paper: 20 of 500 comments, 50 of millions.
SIZES = ((0, 20, 7), (5_000, 30, 10), (50_000, 50, 15))
LEAST_PER_TOPIC = 10


@dataclass(frozen=True)
class Basis:
    """What there is to learn topics from, as cleaning.json counts it."""

    documents_with_words: int
    documents_with_seed: int
    words: int
    seed_words: int

    @classmethod
    def of(cls, facts):
        return cls(**{name: facts[name] for name in cls.__dataclass_fields__})


def topic_numbers(basis, n_topics, n_minority):
    """n_topics and n_minority; where they are "auto", by the number of comments."""
    if n_topics == "auto":
        n_documents = basis.documents_with_words
        n_topics = next(size for least, size, _ in reversed(SIZES) if n_documents >= least)
        n_topics = max(2, min(n_topics, n_documents // LEAST_PER_TOPIC, basis.words))
    if n_minority == "auto":
        known = {size: minority for _, size, minority in SIZES}
        n_minority = known.get(n_topics, round(0.3 * n_topics))
        of_seeds = basis.documents_with_seed // LEAST_PER_TOPIC
        n_minority = max(1, min(n_minority, basis.seed_words, of_seeds))
    if n_minority > n_topics:
        raise ValueError(
            f"n_minority={n_minority} exceeds n_topics={n_topics}: minority topics are among the "
            "topics, so lower n_minority or raise n_topics"
        )
    return {"n_topics": n_topics, "n_minority": n_minority}


def refuse_too_many(place, basis, n_topics, n_minority):
    """Refuse more topics than there are comments or words: some would have to be empty or equal."""
    comments = counted(basis.documents_with_words, "comment with words", "comments with words")
    words = counted(basis.words, "word")
    if n_topics > min(basis.documents_with_words, basis.words):
        raise DataError(
            f"{place}: n_topics={n_topics} is too many for {comments} and a vocabulary of {words}; "
            "lower n_topics or min_df, or give more comments"
        )
    if n_minority and not basis.seed_words:
        raise DataError(
            f"{place}: no seed word is in the comments, so nothing guides the minority topics; "
            "give other seed words, or n_minority: 0"
        )


def warnings_of(basis, n_topics, n_minority):
    """Sentences about topics that have fewer comments or seed words than they need."""
    said = []
    if basis.documents_with_words < LEAST_PER_TOPIC * n_topics:
        has = counted(basis.documents_with_words, "comment has", "comments have")
        said.append(
            f"Only {has} words, fewer than {LEAST_PER_TOPIC} for each topic (n_topics={n_topics}): "
            "topics are a matter of chance; lower n_topics or min_df, or give more comments."
        )
    if basis.documents_with_seed < LEAST_PER_TOPIC * n_minority:
        holds = counted(basis.documents_with_seed, "comment holds", "comments hold")
        said.append(
            f"Only {holds} a seed word, fewer than {LEAST_PER_TOPIC} for each minority topic "
            f"(n_minority={n_minority}): such topics are a matter of chance; "
            f"{'lower n_minority, ' * (n_minority > 1)}add seed words, or give more comments."
        )
    if basis.seed_words < n_minority:
        said.append(
            f"{counted(basis.seed_words, 'seed word')} for {n_minority} minority topics: some "
            "topics share a seed word or stay empty; add seed words or lower n_minority."
        )
    return said
