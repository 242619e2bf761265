"""KeyATM: pykeyatm against what R's keyATM computed, and the calls of R."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import yaml
from helpers import corpus_of, job_of
from scipy.stats import ttest_ind

from minority_topics.corpus.storage import read_corpus
from minority_topics.methods.contract import read_fit
from minority_topics.study.environments import build, failure
from minority_topics.study.fitting import Limits, run_jobs
from minority_topics.study.paths import ROOT

REFERENCE = ROOT.parent / "shared" / "reference" / "keyatm"
HERE = Path(__file__).parent
RPY2 = "rpy2==3.5.17"


def job(corpus, out, random_state=1, n_topics=4, n_minority=2, **options):
    options = {"iterations": 30, **options}
    return job_of("keyatm", corpus, out, n_topics, n_minority, random_state, **options)


@pytest.fixture(scope="module")
def probe(python_of, tmp_path_factory):
    """Runs keyatm_probe.py on a file of the reference; returns what it computed, and the file."""
    if not REFERENCE.exists():
        pytest.skip("the reference is not here: put it at ../shared/reference/keyatm")

    def run(verb, name, *arguments):
        out = tmp_path_factory.mktemp("probe") / "out.npz"
        command = [HERE / "keyatm_probe.py", verb, REFERENCE / name, out, *arguments]
        environ = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
        subprocess.run([python_of("keyatm"), *map(str, command)], env=environ, check=True)
        return np.load(out), np.load(REFERENCE / name)

    return run


@pytest.mark.parametrize("seeds", ["same", "fixed"])
def test_pykeyatm_derives_from_a_state_of_r_what_r_does(probe, seeds):
    ours, theirs = probe("state", f"paper_{seeds}_state_seed1.npz")
    np.testing.assert_array_equal(ours["topics"], theirs["Z"])
    np.testing.assert_array_equal(ours["switches"], theirs["S"])
    for name in ("theta", "pi", "weights"):
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-13)
    np.testing.assert_allclose(ours["log_likelihood"], theirs["ll"][1], rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("weights", ["inf", "noweights"])
def test_chains_of_pykeyatm_are_those_of_r(probe, weights):
    ours, _ = probe("chains", "ident_inf.npz", weights, "24")
    theirs = np.load(REFERENCE / f"ident24_{weights}.npz")["rows"]
    assert ours["rows"].shape == theirs.shape == (24, 9)
    assert np.abs(ttest_ind(ours["rows"], theirs, equal_var=False).statistic).max() < 3.5


def test_keywords_are_those_that_occur_and_words_that_do_not_stay_out(python_of, tmp_path):
    documents = [["yö", "päivä"], ["kuu", "meri"], []] * 10
    corpus = corpus_of(
        tmp_path, documents, ["kuu", "x", "kuu"], ["kuu", "meri", "never", "päivä", "yö"]
    )
    fit_job = job(corpus, tmp_path / "fit", n_minority=3, seeds="dealt")
    (status,) = run_jobs([fit_job], Limits(minutes=1), python_of("keyatm"))
    assert (status["status"], status["notes"]["engine"]) == ("ok", "pykeyatm 0.1.1")
    fit = read_fit(tmp_path / "fit")
    assert fit.minority.tolist() == [0]
    assert not fit.topic_word[:, 2].any()
    np.testing.assert_array_equal(fit.doc_topic.any(axis=1), [True, True, False] * 10)


def test_keyword_topics_hold_the_keywords(corpus_folder, python_of, tmp_path):
    states = range(1, 6)
    jobs = [job(corpus_folder, tmp_path / str(s), s, iterations=300) for s in states]
    assert all(s["status"] == "ok" for s in run_jobs(jobs, Limits(), python_of("keyatm")))
    columns = read_corpus(corpus_folder).seed_columns
    share = np.mean(
        [read_fit(tmp_path / str(s)).topic_word[:, columns].sum(axis=1) for s in states], axis=0
    )
    assert share[:2].mean() > 3 * share[2:].mean()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"n_iter": 3}, "unknown options ['n_iter']; keyatm has engine, seeds"),
        ({"engine": "c"}, "engine='c' must be"),
        ({"seeds": "all"}, "seeds='all' must be"),
        ({"iterations": 0}, "iterations=0 must be"),
        ({"engine": "r"}, "engine 'r' cannot run: rpy2 and R do not start"),
    ],
)
def test_wrong_options_are_clear_errors(corpus_folder, python_of, tmp_path, options, reason):
    (status,) = run_jobs([job(corpus_folder, tmp_path, **options)], Limits(), python_of("keyatm"))
    assert status["status"] == "failed"
    assert reason in status["reason"]


@pytest.fixture(scope="module")
def python_with_r(tmp_path_factory):
    """Python of an environment with rpy2, which only builds where R is."""
    if not shutil.which("R"):
        reason = "R is not installed (Debian: apt-get install r-base-core)"
        pytest.fail(reason) if "CI" in os.environ else pytest.skip(reason)
    folder = tmp_path_factory.mktemp("r")
    definition = yaml.safe_load((ROOT / "envs" / "keyatm.yaml").read_text())
    definition["dependencies"][-1]["pip"].append(RPY2)
    (folder / "keyatm.yaml").write_text(yaml.safe_dump(definition))
    build(folder / "keyatm.yaml", folder / "env.json")
    assert not failure(folder / "env.json"), failure(folder / "env.json")
    return folder / "env" / "bin" / "python"


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """Puts the stand-in in R's library; the folder in which it writes down its calls."""
    for name in ("library", "calls"):
        (tmp_path / name).mkdir()
    stub = HERE / "rstub" / "keyATM"
    install = ["R", "CMD", "INSTALL", "-l", str(tmp_path / "library"), str(stub)]
    subprocess.run(install, check=True, capture_output=True)
    monkeypatch.setenv("R_LIBS", str(tmp_path / "library"))
    monkeypatch.setenv("KEYATM_CALLS", str(tmp_path / "calls"))
    return tmp_path / "calls"


@pytest.mark.parametrize("engine", ["auto", "r"])
def test_what_r_is_called_with_and_what_comes_back(python_with_r, calls, tmp_path, engine):
    texts = ["yö kuu yö", "", "meri ranta", "kuu meri"]
    words = ["kuu", "meri", "never", "ranta", "yö"]
    seeds = ["meri", "absent", "kuu", "never", "meri", "yö"]
    corpus = corpus_of(tmp_path, [text.split() for text in texts], seeds, words)
    fit_job = job(corpus, tmp_path / "fit", 7, 3, 2, engine=engine, seeds="dealt")
    (status,) = run_jobs([fit_job], Limits(), python_with_r)
    assert (status["status"], status["reason"]) == ("ok", "")
    assert status["notes"]["engine"] == "R keyATM 0.0.1"
    assert status["notes"]["log_likelihood"] == -100
    asked = subprocess.run(
        ["Rscript", "-e", "cat(as.character(getRversion()))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert status["versions"].keys() == {"python", "numpy", "scipy", "R", "keyATM"}
    assert (status["versions"]["R"], status["versions"]["keyATM"]) == (asked.stdout, "0.0.1")

    call = dict(line.split() for line in (calls / "call.txt").read_text().splitlines())
    assert call == {
        "model": "base", "no_keyword_topics": "1", "seed": "7", "iterations": "30",
        "use_weights": "TRUE",
    }  # fmt: skip
    # meri, never | kuu, yö: "never" is in the vocabulary, but in no document.
    assert (calls / "keywords.txt").read_text().split("\n") == ["w1", "w0 w4", ""]
    documents = [
        sorted(line.split()) for line in (calls / "documents.txt").read_text().splitlines()
    ]
    assert documents == [["w0", "w4", "w4"], ["w1", "w3"], ["w0", "w1"]]

    # The stand-in's theta is 1 + keywords of the topic, its phi the counts + 1 for its keywords.
    fit = read_fit(tmp_path / "fit")
    theta = np.array([[1, 4, 1], [0, 0, 0], [2, 1, 1], [2, 2, 1]])
    phi = np.array([[2, 3, 0, 1, 2], [3, 2, 0, 1, 3], [2, 2, 0, 1, 2]])
    np.testing.assert_allclose(fit.doc_topic, theta / np.maximum(theta.sum(axis=1), 1)[:, None])
    np.testing.assert_allclose(fit.topic_word, phi / phi.sum(axis=1, keepdims=True))
    assert fit.minority.tolist() == [0, 1]


def test_without_the_r_package_python_takes_over(python_with_r, corpus_folder, tmp_path):
    if keyatm_in_r():
        pytest.skip("R's keyATM is installed here")
    jobs = [job(corpus_folder, tmp_path / engine, engine=engine) for engine in ("auto", "r")]
    auto, r = run_jobs(jobs, Limits(), python_with_r)
    assert auto["notes"]["engine"] == "pykeyatm 0.1.1"
    assert auto["versions"].keys() == {"python", "numpy", "scipy", "pykeyatm"}
    assert "the R package keyATM is not installed" in r["reason"]


def test_the_real_keyatm(python_with_r, corpus_folder, tmp_path):
    if not keyatm_in_r():
        pytest.skip("R's keyATM is not installed: install.packages('keyATM')")
    jobs = [
        job(corpus_folder, tmp_path / str(n), state, engine="r", iterations=300)
        for n, state in enumerate([1, 1, 2])
    ]
    for status in run_jobs(jobs, Limits(), python_with_r):
        assert (status["status"], status["reason"]) == ("ok", "")
        assert status["notes"]["engine"].startswith("R keyATM 0.")
    first, again, other = ((tmp_path / str(n) / "fit.npz").read_bytes() for n in range(3))
    assert first == again != other


def keyatm_in_r():
    question = "quit(status = !requireNamespace('keyATM', quietly = TRUE))"
    return subprocess.run(["Rscript", "-e", question], check=False).returncode == 0
