"""Injected topics: where they come from, and what they leave alone."""

import numpy as np
import pytest

from minority_topics.base.files import read_lines
from minority_topics.corpus.background import simulate_background
from minority_topics.corpus.injection import (
    Topic,
    inject,
    read_topics,
    spoil_seed_words,
    topic_word_truth,
)
from minority_topics.study.paths import ROOT

TOPICS = [
    Topic("one", "1", dict.fromkeys("abcde", "")),
    Topic("two", "2", dict.fromkeys("defgh", "")),
]
DOCUMENTS = [[f"w{number}", "x", "y", "x"] for number in range(200)]


@pytest.fixture(scope="module")
def shipped():
    return read_topics(ROOT / "config" / "topics_fi.yaml")


@pytest.fixture(scope="module")
def seed_words():
    return read_lines(ROOT / "config" / "seed_words_fi.txt")


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(word in rest for word in part)


def test_injected_documents_gain_distinct_words_of_their_topic_and_keep_their_own():
    documents, labels = inject(DOCUMENTS, TOPICS, rate=1, n_words=4, random_state=1)
    assert set(labels) == {0, 1}
    for before, after, label in zip(DOCUMENTS, documents, labels, strict=True):
        added = [word for word in after if word in "abcdefgh"]
        assert len(added) == len(set(added)) == 4
        assert set(added) <= set(TOPICS[label].words)
        assert is_subsequence(before, after)
        assert len(after) == len(before) + 4


def test_words_land_at_every_spot():
    documents, _ = inject([["x"] * 3] * 500, TOPICS, rate=1, n_words=1, random_state=1)
    spots = [next(at for at, word in enumerate(document) if word != "x") for document in documents]
    assert np.bincount(spots).min() > 90  # 125 each, expected


def test_rate_is_the_probability():
    many = [["x"]] * 20_000
    _, labels = inject(many, TOPICS, rate=0.1, random_state=3)
    assert (labels >= 0).mean() == pytest.approx(0.1, abs=0.01)
    documents, labels = inject(DOCUMENTS, TOPICS, rate=0, random_state=3)
    assert documents == DOCUMENTS
    assert (labels == -1).all()


def test_words_of_topics_in_passing_leave_labels_and_injected_documents_alone():
    many = [["x"]] * 4000
    plain, labels = inject(many, TOPICS, rate=0.1, random_state=3)
    mixed, same_labels = inject(many, TOPICS, rate=0.1, overlap=0.3, random_state=3)
    np.testing.assert_array_equal(same_labels, labels)
    known = {word for topic in TOPICS for word in topic.words}
    received = np.array([len(document) - 1 for document in mixed])
    background = labels < 0
    assert set(received[background]) == {0, 1}
    assert received[background].mean() == pytest.approx(0.3, abs=0.03)
    for number in np.flatnonzero(background & (received == 1)):
        assert set(mixed[number]) - {"x"} <= known
    for number in np.flatnonzero(~background):
        assert mixed[number] == plain[number]


def test_input_is_left_alone_and_random_states_decide():
    copy = [list(document) for document in DOCUMENTS]
    first, again, other = (inject(DOCUMENTS, TOPICS, random_state=state)[0] for state in (1, 1, 2))
    assert copy == DOCUMENTS
    assert first == again != other


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"rate": 1.1}, "rate=1.1"),
        ({"rate": -0.1}, "rate=-0.1"),
        ({"overlap": 1.1}, "overlap=1.1"),
        ({"n_words": 6}, "has 5 words"),
    ],
)
def test_impossible_requests_are_refused(change, complaint):
    with pytest.raises(ValueError, match=complaint):
        inject(DOCUMENTS, TOPICS, **change)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("name: a", "must be a list of topics"),
        ("- {name: a, words: {b: c}}", "topic 1 must have the keys"),
        ("- {name: a, gloss: b, words: [c]}", "must map each word"),
        ("- {name: a, gloss: b, words: {two words: c}}", "'two words' of topic 1 is not one word"),
        ("- &t {name: a, gloss: b, words: {c: d}}\n- *t", "two topics are named 'a'"),
    ],
)
def test_malformed_topic_files_are_refused(tmp_path, text, complaint):
    (tmp_path / "topics.yaml").write_text(text)
    with pytest.raises(ValueError, match=complaint) as caught:
        read_topics(tmp_path / "topics.yaml")
    assert "topics.yaml" in str(caught.value)


def test_truth_is_uniform_over_the_words_in_the_vocabulary():
    truth = topic_word_truth([*TOPICS, Topic("gone", "", {"zz": ""})], ["a", "d", "q", "e"])
    assert truth.tolist() == [[1 / 3, 1 / 3, 0, 1 / 3], [0, 0.5, 0, 0.5], [0, 0, 0, 0]]


def test_eighteen_topics_of_a_dozen_lemmas_overlap_between_neighbours(shipped):
    assert len(shipped) == 18
    assert all(10 <= len(topic.words) <= 14 for topic in shipped)
    listed = [word for topic in shipped for word in topic.words]
    assert all(word == word.lower() and word.isalpha() for word in listed)
    assert 0.7 < len(set(listed)) / len(listed) < 0.95
    assert all(topic.gloss and all(topic.words.values()) for topic in shipped)


def test_seed_list_is_no_copy_of_the_topics(shipped, seed_words):
    topic_words = {word for topic in shipped for word in topic.words}
    assert seed_words == sorted(set(seed_words))
    assert 0.5 < len(topic_words & set(seed_words)) / len(topic_words) < 0.65
    assert len(set(seed_words) - topic_words) >= 40


@pytest.mark.parametrize("random_state", [1, 2, 3])
def test_seed_words_mark_nearly_all_injected_and_few_background_documents(
    shipped, seed_words, random_state
):
    background = simulate_background(500, random_state).documents()
    documents, labels = inject(list(background), shipped, rate=0.5, random_state=random_state)
    holds = np.array([not set(seed_words).isdisjoint(document) for document in documents])
    assert holds[labels >= 0].mean() > 0.95  # published data: 64 of 66
    assert 0.03 < holds[labels < 0].mean() < 0.1  # published data: 28 of 434


class TestSpoiltSeedWords:
    seeds = tuple(f"seed{n}" for n in range(20))
    background = (("yö", "seed1", "yö"), ("yö", "kuu"), ("yö",))

    def spoil(self, share, wrong, state=1):
        return spoil_seed_words(list(self.seeds), self.background, share, wrong, state)

    def test_nothing_spoilt_is_the_list(self):
        assert self.spoil(1.0, 0.0) == list(self.seeds)

    def test_a_share_is_kept_in_order(self):
        kept = self.spoil(0.25, 0.0)
        assert len(kept) == 5
        assert kept == [word for word in self.seeds if word in kept]
        assert kept != self.spoil(0.25, 0.0, state=2)
        assert len(self.spoil(0.001, 0.0)) == 1

    def test_wrong_words_are_of_the_background_and_never_seeds(self):
        words = self.spoil(1.0, 1.0)
        assert words[:20] == list(self.seeds)
        assert sorted(words[20:]) == ["kuu", "yö"]

    def test_common_words_are_the_likelier_mistakes(self):
        firsts = [self.spoil(1.0, 0.05, state)[20] for state in range(200)]
        assert 0.65 < firsts.count("yö") / 200 < 0.85  # three documents of four
