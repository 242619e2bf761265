"""The simulated background: its words, its statistics, and how they are measured."""

import csv
from collections import Counter

import numpy as np
import pytest
from stopwordsiso import stopwords

from minority_topics.corpus import background as corpus
from minority_topics.corpus.background import corpus_statistics, simulate_background

PUBLISHED = {
    "tokens_mean": 9.60,
    "tokens_sd": 7.94,
    "tokens_q25": 4,
    "tokens_q50": 7,
    "tokens_q75": 12,
    "tokens_q90": 20,
    "tokens_q99": 37,
    "vocabulary_2000": 1392,
    "vocabulary_4000": 2408,
    "heaps_exponent": 0.864,
    "seen_once": 0.736,
    "top_10": 0.054,
    "top_100": 0.222,
    "repeated": 0.058,
    "cooccurrence_excess": 1.36,
}


@pytest.fixture(scope="module")
def large():
    return simulate_background(20_000, random_state=0)


def test_statistics_of_three_documents():
    statistics = corpus_statistics([["a", "b", "a"], ["a", "b"], ["c"]])
    assert statistics["tokens_mean"] == 2
    assert statistics["tokens_sd"] == pytest.approx((2 / 3) ** 0.5)
    assert [statistics[f"tokens_q{q}"] for q in (25, 50, 75, 90, 99)] == pytest.approx(
        [1.5, 2, 2.5, 2.8, 2.98]
    )
    assert statistics["seen_once"] == pytest.approx(1 / 3)  # c, of a, b and c
    assert statistics["top_10"] == statistics["top_100"] == 1
    assert statistics["repeated"] == pytest.approx(1 / 6)  # the second a, of six tokens
    for needs_more_tokens in ("vocabulary_2000", "vocabulary_4000", "heaps_exponent"):
        assert np.isnan(statistics[needs_more_tokens])
    assert set(statistics) == set(PUBLISHED)


def test_top_shares_count_the_most_frequent_words():
    documents = [[f"w{number}"] * (20 if number < 10 else 1) for number in range(210)]
    statistics = corpus_statistics(documents)
    assert statistics["top_10"] == 200 / 400
    assert statistics["top_100"] == 290 / 400


def test_vocabulary_of_new_words_only_grows_with_exponent_one():
    statistics = corpus_statistics([[f"{d}-{i}" for i in range(5)] for d in range(1000)])
    assert statistics["vocabulary_2000"] == 2000
    assert statistics["vocabulary_4000"] == 4000
    assert statistics["heaps_exponent"] == pytest.approx(1)
    assert np.isnan(statistics["cooccurrence_excess"])


def test_trading_reaches_every_arrangement_alike():
    # Sizes 2, 2, 1 and words a, a, b, b, c allow five arrangements: c alone in the last document,
    # or beside a or b in one of the other two.
    document, words = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 2])
    rng = np.random.default_rng(0)
    seen = Counter()
    for _ in range(2000):
        document = corpus._trade_words(document, words, rng)
        assert np.bincount(document).tolist() == [2, 2, 1]
        seen[frozenset(zip(document.tolist(), words.tolist(), strict=True))] += 1
    assert all(len(arrangement) == 5 for arrangement in seen)
    assert len(seen) == 5
    assert min(seen.values()) > 300
    # Only the first of the five has a pair, (a, b), in two documents.
    excess = corpus_statistics([["a", "b"], ["a", "b"], ["c"]])["cooccurrence_excess"]
    assert 2.5 < excess < 10


def test_excess_is_one_where_nothing_can_be_traded():
    assert corpus_statistics([["a", "b"]] * 3)["cooccurrence_excess"] == 1


def test_excess_sees_topics():
    rng = np.random.default_rng(0)

    def excess(n_topics):
        documents = [
            [f"{d % n_topics}-{i}" for i in rng.integers(600 // n_topics, size=8)]
            for d in range(300)
        ]
        return corpus_statistics(documents)["cooccurrence_excess"]

    assert excess(n_topics=1) == pytest.approx(1, abs=0.25)
    assert excess(n_topics=6) > 2


def test_statistics_of_the_published_data(authors_data):
    with (authors_data / "synthetic-data.csv").open(encoding="utf-8") as file:
        documents = [
            row["Sentence"].lower().split() for row in csv.DictReader(file) if row["Label"] == "-1"
        ]
    assert len(documents) == 434
    statistics = corpus_statistics(documents)
    # A mean over random corpora, which vary by 8%.
    assert statistics.pop("cooccurrence_excess") == pytest.approx(1.36, rel=0.04)
    assert statistics == {name: pytest.approx(PUBLISHED[name], rel=0.01) for name in statistics}


def test_a_corpus_without_words_is_refused():
    with pytest.raises(ValueError, match="no word"):
        corpus_statistics([[], []])


def test_large_corpora_are_measured_by_a_sample(large):
    statistics = corpus_statistics(large.documents())
    assert statistics["tokens_mean"] == pytest.approx(PUBLISHED["tokens_mean"], rel=0.1)
    assert statistics["repeated"] == pytest.approx(PUBLISHED["repeated"], rel=0.15)


@pytest.mark.parametrize("random_state", [0, 1, 2])
def test_background_has_the_statistics_of_the_published_data(random_state):
    statistics = corpus_statistics(simulate_background(500, random_state).documents())
    assert 1.2 < statistics.pop("cooccurrence_excess") < 1.6
    assert statistics == {name: pytest.approx(PUBLISHED[name], rel=0.15) for name in statistics}


def test_background_is_decided_by_the_random_state():
    first, again, other = (simulate_background(300, random_state) for random_state in (1, 1, 2))
    assert list(first.documents()) == list(again.documents())
    assert list(first.documents()) != list(other.documents())


def test_arrays_agree_with_the_documents(large):
    assert len(large) == 20_000
    assert large.indptr.dtype == np.int64
    assert large.tokens.dtype == np.int32
    assert large.indptr[0] == 0
    assert large.indptr[-1] == len(large.tokens)
    documents = list(large.documents())
    assert [len(words) for words in documents] == np.diff(large.indptr).tolist()
    assert min(map(len, documents)) == corpus.SHORTEST
    last = large.tokens[large.indptr[-2] :]
    assert documents[-1] == [large.words[i] for i in last]


def test_words_are_distinct_lower_case_and_no_stop_words(large):
    assert len(set(large.words)) == len(large.words)
    assert np.bincount(large.tokens, minlength=len(large.words)).min() > 0
    assert all(len(word) > 1 and word.isalpha() and word.islower() for word in large.words)
    assert stopwords("fi").isdisjoint(large.words)


def test_vocabulary_keeps_growing(large):
    ends = [1_000, 5_000, 20_000]
    n_tokens = [large.indptr[end] for end in ends]
    n_words = [len(np.unique(large.tokens[:n])) for n in n_tokens]
    exponents = np.diff(np.log(n_words)) / np.diff(np.log(n_tokens))
    # Between the published samples of 434 and of three million documents it is 0.69 on average.
    assert ((exponents > 0.6) & (exponents < 0.85)).all()


def test_repetition_rises_within_a_document(large):
    seen, repeated = np.zeros(corpus.LONGEST), np.zeros(corpus.LONGEST)
    for words in large.documents():
        for position, word in enumerate(words):
            seen[position] += 1
            repeated[position] += word in words[:position]
    share = [repeated[a:b].sum() / seen[a:b].sum() for a, b in ((0, 4), (4, 8), (8, 16), (16, 30))]
    assert share == sorted(share)
    # Published data: 0.005, 0.040, 0.104 and 0.157; topics make the simulated start repetitive.
    assert share == pytest.approx([0.005, 0.040, 0.104, 0.157], abs=0.03)


def test_documents_may_come_in_blocks(monkeypatch):
    monkeypatch.setattr(corpus, "DOCUMENTS_PER_BLOCK", 64)
    statistics = corpus_statistics(simulate_background(500, random_state=0).documents())
    assert statistics["tokens_q50"] == PUBLISHED["tokens_q50"]
    assert statistics["vocabulary_4000"] == pytest.approx(PUBLISHED["vocabulary_4000"], rel=0.15)
    assert len(simulate_background(1, random_state=0)) == 1


def test_every_pair_of_parts_is_one_compound(monkeypatch):
    monkeypatch.setattr(corpus, "_compound_parts", lambda: ["x", "y", "z"])
    pairs = {first + second for first in "xyz" for second in "xyz"}
    assert {corpus._compound(rank) for rank in range(9)} == pairs


def test_compounds_that_read_alike_are_one_word(monkeypatch):
    monkeypatch.setattr(corpus, "lemma_frequencies", lambda: (["q", "aaa"], None))
    monkeypatch.setattr(corpus, "_compound_parts", lambda: ["a", "aa"])
    # Ranks 0 to 3 behind the two lemmas: a + aa, aa + a, a + a, aa + aa.
    tokens, words = corpus._name_words(np.array([1, 2, 3, 4, 5, 2], dtype=np.int32))
    assert [words[i] for i in tokens] == ["aaa", "aaa", "aaa", "aa", "aaaa", "aaa"]
    assert words == ["aaa", "aa", "aaaa"]


def test_an_empty_background_is_refused():
    with pytest.raises(ValueError, match="n_documents=0"):
        simulate_background(0, random_state=0)
