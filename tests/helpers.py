"""Small corpora and jobs on them, small studies and runs of them."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
import yaml

from minority_topics.corpus.lemmas import has_voikko
from minority_topics.corpus.storage import write_corpus, write_documents
from minority_topics.scores.tables import SCORE_COLUMNS
from minority_topics.study.fitting import Job
from minority_topics.study.paths import ROOT
from minority_topics.study.registry import read_methods

METHODS = read_methods()
needs_voikko = pytest.mark.skipif(
    not has_voikko(), reason="Voikko is not here: Debian packages libvoikko1 and voikko-fi"
)
# Before `no_cluster` of conftest.py changes it.
REAL_PATH = os.environ["PATH"]
STEMS = ("kissa", "vero", "auto", "pilvi")
WORDS = [stem + letter for stem in STEMS for letter in "abcdefgh"]
SEED_WORDS = ["kissaa", "veroa", "kissab", "verob"]  # dealt to two topics: of cats, and of taxes


def planted(n_documents, n_words=5):
    """Documents of words with one of four stems, in turn."""
    letters = np.random.default_rng(0).integers(8, size=(n_documents, n_words))
    return [[WORDS[8 * (d % 4) + letter] for letter in row] for d, row in enumerate(letters)]


def corpus_of(folder, documents, seed_words=SEED_WORDS, vocabulary=None, labels=None, truth=None):
    """Write a corpus of the given documents: lists of words. `truth` has rows by name of label."""
    if vocabulary is None:
        vocabulary = sorted({word for document in documents for word in document})
    column = {word: number for number, word in enumerate(vocabulary)}
    counts = np.zeros((len(documents), len(vocabulary)), dtype=np.int64)
    for row, document in zip(counts, documents, strict=True):
        np.add.at(row, [column[word] for word in document if word in column], 1)
    labels = labels or ["-1"] * len(documents)
    truth = truth or {}
    write_documents(folder / "documents.csv", range(len(documents)), documents, labels)
    write_corpus(
        folder,
        counts=sp.csr_matrix(counts),
        tfidf=sp.csr_matrix(counts / np.linalg.norm(counts, axis=1, keepdims=True).clip(1)),
        vocabulary=vocabulary,
        seed_words=seed_words,
        topic_names=list(truth),
        truth=np.array(list(truth.values())).reshape(len(truth), len(vocabulary)),
        facts={},
    )
    return folder


def with_all_columns(scores):
    """A table of scores with every column that `score` writes, empty where it was not there."""
    return scores.reindex(columns=[*dict.fromkeys([*SCORE_COLUMNS, *scores])])


def job_of(name, corpus, out, n_topics=4, n_minority=2, random_state=1, **options):
    """A job of a row of the table of methods; `options` go over the row's."""
    method = METHODS[name]
    return Job(
        method=name,
        module=method.module,
        corpus=str(corpus),
        out=str(out),
        n_topics=n_topics,
        n_minority=n_minority,
        random_state=random_state,
        options=method.options | options,
        control=method.kind == "control",
        package=method.package,
    )


def snakemake_command(*arguments, folder, root=ROOT, cores=2, program=("-m", "snakemake")):
    """Words that run Snakemake on the workflow at `root` in `folder`."""
    command = [sys.executable, *program, "--snakefile", root / "Snakefile"]
    command += ["--workflow-profile", root / "profiles" / "default", "--directory", folder]
    return list(map(str, [*command, "--cores", cores, "--nocolor", *arguments]))


def snakemake(*arguments, folder, expect=0, **options):
    """Run Snakemake, as `snakemake_command` does; its output."""
    command = snakemake_command(*arguments, folder=folder, **options)
    ran = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    output = ran.stdout + ran.stderr
    assert ran.returncode == expect, output[-4000:]
    return output


def tiny(folder, **changes):
    """A config small enough for a test: two methods, two repetitions of 60 documents."""
    config = yaml.safe_load((ROOT / "config" / "quick.yaml").read_text(encoding="utf-8"))
    dataset = config["datasets"].pop("quick")
    config["datasets"] = {"simulated": {**dataset, "n_documents": 60, "rate": 0.3}}
    config["settings"] = [{"n_topics": 4, "n_minority": 2}]
    config["methods"] = ["constrained_nmf", "nmf", "truth"]
    config["variants"] = []
    config["figures"] = ["purity_nmi", "jsd"]
    config.update(changes)
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path
