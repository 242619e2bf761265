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


def test_the_notes_of_a_list_are_about_its_words_and_documents(counts):
    notes = notes_of(counts, theta_min=0.4, w_max=1e-9)
    assert (notes["trusted_seeds"], notes["distrusted_seeds"], notes["discovered_words"]) == (
        2,
        0,
        0,
    )
    assert notes["free_documents"] == 10
    assert notes["least_seed_share"] >= 0.4 - 1e-9
    assert notes["largest_free_weight"] <= 1e-9
    assert notes["feasible"]


@pytest.fixture
def noisy():
    """Documents of a domain, of which column 2 is missing from the list of columns 0, 1 and 11.

    Of 2,000 documents 100 are of the domain. They hold two or three of columns 0 to 2; column 11,
    a wrong seed word, is in 200 of the others.
    """
    rng = np.random.default_rng(1)
    counts = np.zeros((2000, 12))
    for row in counts:
        row[rng.choice(np.arange(3, 11), 5)] += 1
    for row in counts[:100]:
        row[rng.permutation(3)[: rng.integers(2, 4)]] += 1
    counts[100:300, 11] = 1
    return csr_matrix(counts)


def test_the_notes_of_learnt_guidance_are_about_what_it_has_learnt(noisy):
    words = [f"word{column}" for column in range(12)]
    listed = [words[column] for column in (0, 1, 11)]
    options = {"guidance": "learnt", "theta_min": 0.4, "w_max": 1e-9}
    problem = Problem(noisy, noisy, [], words, listed, 4, 2, random_state=0, options=options)
    found = constrained_nmf.fit(problem)
    model = ConstrainedNMF(4, 2, seed_words=[0, 1, 11], random_state=0, **options)
    W, H = model.fit_transform(noisy), model.components_
    assert model.seed_columns_.tolist() == [0, 1], "one seed is wrong"
    assert model.discovered_words_.tolist() == [2], "and one was missing"
    notes = plain_notes(found.notes)
    counted = ("trusted_seeds", "distrusted_seeds", "discovered_words", "free_documents")
    assert [notes[name] for name in counted] == [2, 1, 1, model.free_documents_.sum()]
    share = H[:2, :2].sum(axis=1) / H[:2].sum(axis=1)
    assert notes["least_seed_share"] == pytest.approx(share.min())
    assert notes["least_seed_share"] >= 0.4 - 1e-9
    assert notes["largest_free_weight"] == W[~model.free_documents_, :2].max() <= 1e-9
    # Not so for the list: it has a word that none of the topics needs, and documents without it.
    holds = noisy[:, [0, 1, 11]].sum(axis=1).A1 > 0
    assert not np.array_equal(holds, model.free_documents_)
