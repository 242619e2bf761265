"""keyATM's topic-word formula, by hand and on what R's keyATM derived from its own states."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from minority_topics.methods.keyatm import choose_engine, token_columns, topic_word_of_state
from minority_topics.study.paths import ROOT

REFERENCE = ROOT.parent / "shared" / "reference" / "keyatm"


def test_phi_by_hand():
    # Words 0 and 1 are keywords, of topics 0 and 1; topic 2 has none.
    phi = topic_word_of_state(
        words=[0, 0, 2, 1, 2],
        topics=[0, 0, 0, 1, 2],
        switches=[1, 1, 0, 0, 0],
        pi=np.array([0.5, 0.25, 0.0]),
        priors={"beta": 1.0, "beta_s": 0.5},
        keyword_columns=[1, 0],
        n_words=3,
    )
    expected = [
        0.5 * np.array([1, 1, 2]) / 4 + 0.5 * np.array([2.5, 0.5, 0]) / 3,
        0.75 * np.array([1, 2, 1]) / 4 + 0.25 * np.array([0.5, 0.5, 0]) / 1,
        np.array([1, 1, 2]) / 4,
    ]
    np.testing.assert_allclose(phi, expected, rtol=1e-14)


@pytest.mark.parametrize("seeds", ["same", "fixed"])
def test_phi_is_that_of_r_keyatm(seeds):
    path = REFERENCE / f"paper_{seeds}_state_seed1.npz"
    if not path.exists():
        pytest.skip("the reference is not here: put it at ../shared/reference/keyatm")
    with np.load(path) as file:
        reference = dict(file)
    keywords = set(" ".join(reference["keywords"]).split())
    phi = topic_word_of_state(
        *(reference[part] for part in "WZS"),
        pi=reference["pi"][:, 2] / 100,
        priors={"beta": 0.01, "beta_s": 0.1},
        keyword_columns=np.flatnonzero(np.isin(reference["vocab"], list(keywords))),
        n_words=len(reference["vocab"]),
    )
    np.testing.assert_allclose(phi, reference["phi"], rtol=1e-12)


def test_a_token_for_every_count():
    counts = csr_matrix([[2.0, 0, 1], [0, 0, 3]])
    assert [part.tolist() for part in token_columns(counts)] == [[0, 0, 2], [2, 2, 2]]


def test_an_unknown_engine_is_an_error():
    with pytest.raises(ValueError, match="'fortran' must be 'auto', 'r' or 'python'"):
        choose_engine("fortran")
