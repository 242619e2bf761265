import pytest
import scipy.sparse as sp

from minority_topics.methods.contract import Problem, UnusableProblem
from minority_topics.methods.shared.seed_lists import seed_lists


def problem_of(seed_words, n_minority, vocabulary="abcdefgh"):
    nothing = sp.csr_matrix((1, len(vocabulary)))
    return Problem(nothing, nothing, [[]], list(vocabulary), list(seed_words), 5, n_minority, 1)


def test_same_gives_every_topic_the_whole_list():
    assert seed_lists(problem_of("cab", 2), "same") == [["c", "a", "b"]] * 2


def test_dealt_goes_round_the_topics_in_list_order():
    lists = seed_lists(problem_of("cabgd", 3), "dealt")
    assert lists == [["c", "g"], ["a", "d"], ["b"]]


@pytest.mark.parametrize("how", ["same", "dealt"])
def test_unknown_words_and_repeats_leave_no_gap(how):
    clean = seed_lists(problem_of("cab", 2), how)
    assert seed_lists(problem_of(["x", "c", "c", "a b", "a", "c", "b"], 2), how) == clean


def test_fewer_words_than_topics_leave_the_last_topics_empty():
    assert seed_lists(problem_of("ca", 4), "dealt") == [["c"], ["a"], [], []]


@pytest.mark.parametrize("how", ["same", "dealt"])
def test_nothing_to_guide_or_to_guide_with(how):
    assert seed_lists(problem_of("cab", 0), how) == []
    assert seed_lists(problem_of("xyz", 2), how) == [[], []]


def test_lists_are_independent():
    first, second = seed_lists(problem_of("cab", 2), "same")
    first.clear()
    assert second == ["c", "a", "b"]


def test_an_unknown_way_is_named():
    with pytest.raises(UnusableProblem, match=r"seeds='random'.*'same' or 'dealt'"):
        seed_lists(problem_of("cab", 2), "random")
