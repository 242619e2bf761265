"""Keyword-assisted topic model (Eshima, Imai and Sasaki 2024), the base model.

A keyword topic has two word distributions, one over all words and one over its keywords, and every
token of it comes from the second with the topic's probability pi. Documents mix topics as in LDA,
with an estimated asymmetric prior, and rare words weigh more (information-theory weights). A
collapsed Gibbs sampler draws topics Z and switches S of all tokens; the result is read off the last
draw, as keyATM does.

Two engines run the same sampler: the authors' R package keyATM through rpy2, and its port pykeyatm,
for where R is not to be had. The first n_minority topics are the keyword topics. keyATM accepts one
keyword in many topics, so by default each of them gets the whole undivided list ("same").
"""

import numpy as np
import scipy.sparse as sp

from .contract import Fit, UnusableProblem
from .shared.seed_lists import seed_lists

DEFAULTS = {"engine": "auto", "seeds": "same", "iterations": 1500, "use_weights": True}


def fit(problem):
    """`engine` is "r", "python" or "auto": R if all it needs is installed, else Python."""
    options = {**DEFAULTS, **problem.options}
    if unknown := sorted(set(options) - set(DEFAULTS)):
        raise ValueError(f"unknown options {unknown}; keyatm has {', '.join(DEFAULTS)}")
    if not isinstance(options["iterations"], int) or options["iterations"] < 1:
        raise ValueError(f"iterations={options['iterations']!r} must be a whole number above 0")
    sample = choose_engine(options["engine"])
    counts = sp.csr_matrix(problem.counts, copy=True)
    counts.eliminate_zeros()
    # keyATM fails on empty documents, on keywords that do not occur, and on topics without any.
    filled = np.diff(counts.indptr) > 0
    present = set(counts.indices.tolist())
    columns = {word: column for column, word in enumerate(problem.vocabulary)}
    lists = [[columns[word] for word in words] for words in seed_lists(problem, options["seeds"])]
    keywords = [names(column for column in part if column in present) for part in lists]
    keywords = [words for words in keywords if words]
    if not keywords:
        raise UnusableProblem(
            "keyATM needs a minority topic and a seed word that occurs in the documents: raise "
            "n_minority, or check the seed words"
        )
    theta, phi, words, notes = sample(
        [names(document) for document in token_columns(counts[filled])],
        keywords,
        problem.n_topics - len(keywords),
        {
            "seed": problem.random_state,
            "iterations": options["iterations"],
            "use_weights": options["use_weights"],
        },
    )
    doc_topic = np.zeros((len(filled), problem.n_topics))
    doc_topic[filled] = theta
    topic_word = np.zeros((problem.n_topics, len(columns)))
    topic_word[:, [int(word[1:]) for word in words]] = phi
    return Fit(doc_topic, topic_word, minority=range(len(keywords)), notes=notes)


def names(columns):
    """Stand-ins for words: no encoding, collation or odd character can come in R's way."""
    return [f"w{column}" for column in columns]


def token_columns(counts):
    """The columns of each document's tokens, a column as often as it is counted."""
    tokens = np.repeat(counts.indices, counts.data.astype(int))
    lengths = np.asarray(counts.sum(axis=1), dtype=int).ravel()
    return np.split(tokens, np.cumsum(lengths)[:-1])


def choose_engine(engine):
    if engine not in ("auto", "r", "python"):
        raise ValueError(f"engine={engine!r} must be 'auto', 'r' or 'python'")
    if engine == "python":
        return sample_python
    lacking = lacking_for_r()
    if engine == "r" and lacking:
        raise UnusableProblem(
            f"engine 'r' cannot run: {lacking}; use conda's environment (--sdm conda) or 'python'"
        )
    return sample_python if lacking else sample_r


def lacking_for_r():
    """What the R engine lacks, "" if nothing."""
    try:
        from rpy2.robjects.packages import isinstalled
    except Exception as error:  # rpy2 raises errors of many types where it cannot start R
        return f"rpy2 and R do not start ({error})"
    return "" if isinstalled("keyATM") else "the R package keyATM is not installed"


def sample_r(documents, keywords, n_free, options):
    """Fit by R's keyATM.

    `documents` and `keywords` (a list a topic) are lists of words, `options` those of keyATM.
    Returns theta (documents x topics), phi (topics x words), phi's words, and notes.
    """
    from rpy2.robjects import DataFrame, ListVector, StrVector, r

    texts = DataFrame({"text": StrVector([" ".join(words) for words in documents])})
    output = r("keyATM::keyATM")(
        docs=r("keyATM::keyATM_read")(texts=texts),
        model="base",
        no_keyword_topics=n_free,
        keywords=ListVector({str(n): StrVector(words) for n, words in enumerate(keywords, 1)}),
        options=ListVector(options),
    )
    phi = output.rx2("phi")
    version = r("as.character(packageVersion('keyATM'))")[0]
    notes = {
        "engine": f"R keyATM {version}",
        "versions": {"R": r("as.character(getRversion())")[0], "keyATM": version},
        "log_likelihood": output.rx2("model_fit").rx2("Log Likelihood")[-1],
    }
    return np.array(output.rx2("theta")), np.array(phi), list(phi.colnames), notes


def sample_python(documents, keywords, n_free, options):
    """Fit by pykeyatm; takes and returns what `sample_r` does."""
    import pykeyatm

    output = run_pykeyatm(documents, keywords, n_free, options)
    state = [np.concatenate(output["kept_values"][part]) for part in "WZS"]
    column = {word: index for index, word in enumerate(output["vocab"])}
    phi = topic_word_of_state(
        *state,
        pi=output["pi"]["Proportion"].to_numpy() / 100,
        priors=output["priors"],
        keyword_columns=[column[word] for word in set().union(*keywords)],
        n_words=len(column),
    )
    notes = {
        "engine": f"pykeyatm {pykeyatm.__version__}",
        "log_likelihood": float(output["model_fit"]["Log Likelihood"].iloc[-1]),
    }
    return output["theta"].to_numpy(), phi, output["vocab"], notes


def run_pykeyatm(documents, keywords, n_free, options):
    """pykeyatm's own output, with the last draw of words, topics and switches."""
    from pykeyatm import keyATM

    return keyATM(
        docs={"W_raw": documents},
        model="base",
        no_keyword_topics=n_free,
        keywords={str(n): words for n, words in enumerate(keywords, 1)},
        options=options,
        keep=["W", "Z", "S"],
    )


def topic_word_of_state(words, topics, switches, pi, priors, keyword_columns, n_words):
    """phi (K x N) as R's keyATM derives it from the words, topics and switches of all tokens.

    phi_kv = (1 - pi_k) (n0_kv + beta) / sum_v(n0_kv + beta)
             + pi_k (n1_kv + beta_s) / sum_v(n1_kv + beta_s), the latter over keywords v.

    R smooths over the keywords of all topics, pykeyatm over the topic's own.
    """
    counts = np.zeros((2, len(pi), n_words))
    np.add.at(counts, (switches, topics, words), 1)
    free = counts[0] + priors["beta"]
    keyword = np.zeros_like(free)
    keyword[:, keyword_columns] = counts[1][:, keyword_columns] + priors["beta_s"]
    shares = [part / part.sum(axis=1, keepdims=True) for part in (free, keyword)]
    return (1 - pi)[:, None] * shares[0] + pi[:, None] * shares[1]
