"""What a worker says of a fit: the versions of what did the work."""

from dataclasses import asdict, replace

import pytest
from helpers import job_of

from minority_topics.methods import controls, worker

COMMON = {"python", "numpy", "scipy"}


@pytest.mark.parametrize(
    ("told", "versions"),
    [
        ({}, {"scikit-learn"}),
        ({"versions": {"R": "4.3.3", "keyATM": "0.5.4"}}, {"R", "keyATM"}),
    ],
)
def test_versions_are_those_of_the_package_or_of_what_ran_in_its_place(
    corpus_folder, tmp_path, monkeypatch, told, versions
):
    plain = controls.fit
    monkeypatch.setattr(controls, "fit", lambda problem: replace(plain(problem), notes=told))
    job = replace(job_of("single", corpus_folder, tmp_path), package="scikit-learn")
    answer = worker.attempt(asdict(job))
    assert (answer["status"], answer["reason"]) == ("ok", "")
    assert answer["versions"].keys() == COMMON | versions
    assert answer["versions"].items() >= told.get("versions", {}).items()
    assert "versions" not in answer["notes"]
