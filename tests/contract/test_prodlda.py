"""ProdLDA in its own environment: that it learns, what could break a batch, and options."""

import numpy as np
import pytest
from helpers import WORDS, corpus_of, job_of, planted

from minority_topics.methods.contract import read_fit
from minority_topics.study.fitting import Limits, run_jobs

LEARNT = planted(160, n_words=10)
# Name: documents, options.
CASES = {
    "learns": (LEARNT, {"epochs": 80, "learning_rate": 0.01}),
    "first epoch": (LEARNT, {"epochs": 1, "learning_rate": 0.01}),
    "one left over": (planted(33), {"epochs": 2}),
    "three documents": (planted(3), {"epochs": 2, "batch_size": 2}),
    "unknown option": (planted(30), {"layers": 3}),
    "no epochs": (planted(30), {"epochs": 0}),
}
REFUSED = {"unknown option": "layers", "no epochs": "epochs=0"}


@pytest.fixture(scope="module")
def fitted(python_of, tmp_path_factory):
    """Every case, fitted by one worker: status and folder by name."""
    folder = tmp_path_factory.mktemp("prodlda")
    jobs = []
    for name, (documents, options) in CASES.items():
        corpus = corpus_of(folder / name / "corpus", documents, vocabulary=WORDS)
        jobs.append(job_of("prodlda", corpus, folder / name / "fit", random_state=3, **options))
    statuses = run_jobs(jobs, Limits(), python_of("prodlda"))
    return dict(zip(CASES, statuses, strict=True)), folder


@pytest.mark.parametrize("name", CASES)
def test_gives_a_fit_or_refuses_in_a_sentence(fitted, name):
    statuses, _ = fitted
    if name in REFUSED:
        assert REFUSED[name] in statuses[name]["reason"]
    else:
        assert (statuses[name]["status"], statuses[name]["reason"]) == ("ok", "")


def test_tells_planted_topics_apart(fitted):
    statuses, folder = fitted
    fit = read_fit(folder / "learns" / "fit")
    table = np.zeros((4, 4))
    np.add.at(table, (fit.doc_topic.argmax(axis=1), np.arange(160) % 4), 1)
    assert table.max(axis=1).sum() > 0.9 * 160
    # The heaviest words of a topic are of the planted topic whose documents it has.
    for topic in np.flatnonzero(table.sum(axis=1)):
        heaviest = np.argsort(-fit.topic_word[topic])[:5]
        assert (heaviest // 8 == table[topic].argmax()).mean() > 0.5
    losses = [statuses[name]["notes"]["objective"] for name in ("learns", "first epoch")]
    assert losses[0] < 0.9 * losses[1]
