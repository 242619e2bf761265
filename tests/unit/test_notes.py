"""What the constrained NMF notes of a fit, beside its topics."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from minority_topics import ConstrainedNMF
from minority_topics.methods import constrained_nmf
from minority_topics.methods.contract import Problem, plain_notes


@pytest.fixture
def counts():
    """Counts of 30 documents, the last 20 of which hold no seed word."""
    counts = np.random.default_rng(1).poisson(1, (30, 12)).astype(float)
    counts[:10, 0] += 1
    counts[10:, :2] = 0
    return csr_matrix(counts)


def notes_of(counts, **options):
    words = [f"word{column}" for column in range(12)]
    problem = Problem(counts, counts, [], words, words[:2], 4, 2, random_state=0, options=options)
    return plain_notes(constrained_nmf.fit(problem).notes)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("solver", ["paper", "projected"])
@pytest.mark.parametrize("eta", [1e-3, 1e3])
def test_the_least_denominator_is_noted(counts, solver, eta):
    options = {"solver": solver, "start": "random", "theta_min": 0.9, "eta": eta}
    model = ConstrainedNMF(4, 2, seed_words=[0, 1], random_state=0, **options).fit(counts)
    noted = notes_of(counts, **options)["least_denominator"]
    assert noted == model.least_denominator_
    assert (noted > 0) == (eta < 1), "a large multiplier makes a denominator negative"


def test_the_exact_solver_has_no_denominators(counts):
    assert notes_of(counts)["least_denominator"] is None
