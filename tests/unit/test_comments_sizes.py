"""Numbers of topics by default, what is refused, and when a small basis is told."""

import pytest

from minority_topics.comments.sizes import Basis, refuse_too_many, topic_numbers, warnings_of
from minority_topics.corpus.readers import DataError


def basis(documents=1000, with_seed=1000, words=1000, seeds=50):
    return Basis(documents, with_seed, words, seeds)


@pytest.mark.parametrize(
    ("there", "given", "expected"),
    [
        (basis(500), ("auto", "auto"), (20, 7)),
        (basis(4_999), ("auto", "auto"), (20, 7)),
        (basis(5_000), ("auto", "auto"), (30, 10)),
        (basis(5_000_000), ("auto", "auto"), (50, 15)),
        (basis(5_000_000, seeds=4), ("auto", "auto"), (50, 4)),
        (basis(5_000_000, with_seed=39), ("auto", "auto"), (50, 3)),
        (basis(5_000_000, with_seed=2), ("auto", "auto"), (50, 1)),
        (basis(500, words=12), ("auto", "auto"), (12, 4)),
        (basis(60), ("auto", "auto"), (6, 2)),
        (basis(60), (10, "auto"), (10, 3)),
        (basis(60, with_seed=2), (10, 9), (10, 9)),
    ],
)
def test_numbers_of_topics(there, given, expected):
    assert tuple(topic_numbers(there, *given).values()) == expected


def test_more_minority_topics_than_topics_are_refused():
    with pytest.raises(ValueError, match="n_minority=9 exceeds n_topics=6"):
        topic_numbers(basis(60), "auto", 9)


@pytest.mark.parametrize(("documents", "words"), [(59, 1000), (1000, 12), (1, 1)])
def test_more_topics_than_comments_or_words_are_refused(documents, words):
    there = basis(documents, words=words)
    fewest = min(documents, words)
    refuse_too_many("matrix", there, fewest, 1)
    with pytest.raises(DataError, match=f"^matrix: n_topics={fewest + 1} is too many for"):
        refuse_too_many("matrix", there, fewest + 1, 1)


def test_ten_comments_a_topic_are_enough():
    assert warnings_of(basis(200, with_seed=70, seeds=7), 20, 7) == []
    assert warnings_of(basis(200, with_seed=0, seeds=0), 20, 0) == []
    (few,) = warnings_of(basis(199, with_seed=70, seeds=7), 20, 7)
    assert few.startswith(
        "Only 199 comments have words, fewer than 10 for each topic (n_topics=20)"
    )
    (few,) = warnings_of(basis(200, with_seed=69, seeds=7), 20, 7)
    assert few.startswith("Only 69 comments hold a seed word, fewer than 10 for each minority")
    (few,) = warnings_of(basis(200, with_seed=1, seeds=7), 20, 1)
    assert few.startswith("Only 1 comment holds a seed word, fewer than 10 for each minority")
    assert "lower n_minority" not in few
    (few,) = warnings_of(basis(200, with_seed=70, seeds=6), 20, 7)
    assert few.startswith("6 seed words for 7 minority topics")
