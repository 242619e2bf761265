"""What the page says about how it was made."""

import pytest

from minority_topics.report.run_facts import how_made

OTHERS = {"stationarity_H": 0.0047, "primal_W": 0.0}
ZERO = "The same, of weights that are zero"


@pytest.mark.parametrize(
    ("dual", "said"),
    [
        (0.0, "0.000"),
        (0.1, "0.100"),
        (3.127, "3.127: a word may lack a small weight in some topic"),
    ],
)
def test_a_pull_on_weights_that_are_zero_is_told_for_itself(dual, said):
    made = dict(how_made({"fit": {"kkt": {"dual": dual, **OTHERS}}})["Fit"])
    assert made["Largest violation of the conditions of an optimum (KKT)"] == "0.005"
    assert made[ZERO] == said


def test_a_fit_without_conditions_tells_none():
    assert ZERO not in dict(how_made({"fit": {"n_topics": 3}})["Fit"])
