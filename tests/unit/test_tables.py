"""Tables made of what fits leave: scores, objectives, resources and topics."""

import re
import shutil

import numpy as np
import pytest

from minority_topics.base.files import read_csv as read_rows
from minority_topics.base.files import write_json
from minority_topics.base.manifest import DamagedFolder, write_manifest
from minority_topics.corpus.storage import read_corpus
from minority_topics.methods.contract import Fit, write_fit
from minority_topics.scores.matches import read_shown
from minority_topics.scores.scoring import score_fits
from minority_topics.scores.tables import cost, resources, trajectory, write_rows


@pytest.fixture
def fits(corpus_folder, tmp_path):
    """Three fits of one corpus: the labels, the same again, and one that failed."""
    corpus = read_corpus(corpus_folder)
    clusters = np.eye(3)[corpus.labels + 1]
    words = clusters.T @ corpus.counts.toarray()
    fit = Fit(clusters, words / words.sum(axis=1, keepdims=True), minority=[1, 2])
    for repetition, status in enumerate(["ok", "ok", "failed"]):
        folder = tmp_path / "fits" / str(repetition)
        folder.mkdir(parents=True)
        notes = {"objective": 2.5, "feasible": True, "objective_history": [9.0, 2.5]}
        notes["least_denominator"] = 0.25 if repetition == 0 else None
        write_json(
            folder / "status.json",
            {
                "dataset": "sim/rate=0.2", "corpus": str(corpus_folder), "method": "m/eta=10",
                "n_topics": 3, "n_minority": 2, "repetition": repetition, "random_state": 7,
                "status": status, "reason": "" if status == "ok" else "why", "seconds": 1.5,
                "peak_memory_mb": 80.0, "notes": notes if status == "ok" else {},
            },
        )  # fmt: skip
        if status == "ok":
            write_fit(folder, fit, corpus)
        write_manifest(folder)
    return tmp_path / "fits"


def test_every_fit_has_a_row_with_its_scores_or_its_reason(fits, corpus_folder):
    first, second, failed = score_fits([fits])
    assert (first["dataset"], first["method"]) == ("sim", "m")
    assert first["purity"] == first["nmi"] == "1"
    assert first["stability"] == second["stability"] == "1"
    assert first["objective"] == "2.5"
    assert (first["least_denominator"], second["least_denominator"]) == ("0.25", None)
    assert first["corpus"] == failed["corpus"] == corpus_folder.name
    assert first["clusters"] == "3"
    assert (failed["status"], failed["reason"]) == ("failed", "why")
    assert failed["purity"] == failed["stability"] == failed["objective"] == ""
    assert list(first) == list(failed)


@pytest.mark.parametrize("name", ["status.json", "fit.npz", "top_words.csv", "manifest.json"])
def test_a_damaged_fit_is_refused_by_what_reads_it(fits, name):
    path = fits / "1" / name if name != "top_words.csv" else fits / "0" / name
    damages = [
        lambda: path.write_bytes(path.read_bytes()[:-10]),
        lambda: path.write_bytes(b""),
        path.unlink,
    ]
    for damage in damages:
        damage()
        with pytest.raises(DamagedFolder, match=re.escape(str(path))):
            read_shown(fits) if name == "top_words.csv" else score_fits([fits])


def test_a_missing_repetition_is_refused(fits):
    batch = fits.rename(fits.with_name("0-2"))
    assert len(resources([batch])) == 3
    shutil.rmtree(batch / "1")
    with pytest.raises(DamagedFolder, match=r"0-2/1/manifest.json is missing"):
        resources([batch])


@pytest.mark.parametrize("name", [".ipynb_checkpoints", "notes", "1_0", "-1", "\u0661"])
def test_folders_that_are_not_fits_are_passed_over(fits, name):
    (fits / name).mkdir()
    assert [row["repetition"] for row in resources([fits])] == [0, 1, 2]


def test_what_was_varied_has_columns_of_its_own(fits):
    row = score_fits([fits], {"eta": 0.001, "rate": 0.1, "theta_min": 0.4}, processes=2)[0]
    assert (row["eta"], row["rate"], row["theta_min"]) == (10, 0.2, 0.4)


def test_a_note_of_the_fit_does_not_hide_what_was_varied(fits):
    assert score_fits([fits], {"objective": 0.3})[0]["objective"] == 0.3


def test_stability_is_over_all_batches_of_a_cell(fits, tmp_path):
    for name in ("0", "1"):
        (tmp_path / "cell" / name).mkdir(parents=True)
        (fits / name).rename(tmp_path / "cell" / name / name)
    rows = score_fits([tmp_path / "cell" / "0", tmp_path / "cell" / "1"])
    assert [row["stability"] for row in rows] == ["1", "1"]


def test_without_a_fit_there_is_no_trajectory(fits):
    for name in ("0", "1"):
        shutil.rmtree(fits / name)
    assert trajectory([fits]) == []


def test_objectives_and_resources(fits):
    rows = trajectory([fits])
    assert [(row["repetition"], row["iteration"], row["objective"]) for row in rows] == [
        (0, 0, "9"), (0, 1, "2.5"), (1, 0, "9"), (1, 1, "2.5"),
    ]  # fmt: skip
    assert [row["status"] for row in resources([fits])] == ["ok", "ok", "failed"]
    assert resources([fits])[0]["seconds"] == 1.5


def test_rows_are_written_and_read(tmp_path):
    write_rows(tmp_path / "deep" / "table.csv", [{"a": 1}, {"a": 2, "b": "x"}])
    assert read_rows(tmp_path / "deep" / "table.csv") == [{"a": "1", "b": ""}, {"a": "2", "b": "x"}]


def test_cost_of_parts(fits):
    """Each of the three fits took so long as its status says; a part's share is of all."""
    seconds = sum(row["seconds"] for row in resources([fits]))
    rows = cost({"one": [fits], "two": [fits, fits]})
    assert [(row["part"], row["fits"]) for row in rows] == [("one", 3), ("two", 6)]
    assert [row["minutes"] for row in rows] == [
        pytest.approx(seconds / 60, abs=0.005),
        pytest.approx(2 * seconds / 60, abs=0.005),
    ]
    assert [row["share"] for row in rows] == [
        pytest.approx(1 / 3, abs=1e-4),
        pytest.approx(2 / 3, abs=1e-4),
    ]
    assert cost({"none": []}) == [{"part": "none", "fits": 0, "minutes": 0, "share": 0}]
