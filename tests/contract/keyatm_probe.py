"""What pykeyatm computes from the corpora and states of R's keyATM; run by its own Python.

`python keyatm_probe.py chains|state REFERENCE OUT [ARGUMENTS]` reads a file of the reference and
writes OUT, an npz, for test_keyatm.py to compare.
"""

import sys

import numpy as np
from pykeyatm._core import require_core
from pykeyatm.python.model import keyATM_initialize
from pykeyatm.python.posterior import keyATM_output

from minority_topics.methods.keyatm import run_pykeyatm


def chains(reference, use_weights, n_seeds):
    """Per seed: mean log-likelihood and alphas after iteration 500, last pi of topics 1 to 3."""
    documents = [text.split() for text in reference["W"].tolist()]
    keywords = [text.split() for text in reference["keywords"].tolist()]
    rows = []
    for seed in range(1, int(n_seeds) + 1):
        options = {"seed": seed, "iterations": 1500, "use_weights": use_weights == "inf"}
        output = run_pykeyatm(documents, keywords, 2, options)
        fit, alpha = output["model_fit"], output["values_iter"]["alpha_iter"]
        rows.append(
            [
                fit.loc[fit["Iteration"] > 500, "Log Likelihood"].mean(),
                *alpha[alpha["Iteration"] > 500].groupby("Topic")["alpha"].mean(),
                *output["pi"]["Proportion"][:3],
            ]
        )
    return {"rows": rows}


def state(reference):
    """theta, pi and the log-likelihood that pykeyatm derives from R's last draw."""
    vocabulary = reference["vocab"].tolist()
    keywords = [text.split() for text in reference["keywords"].tolist()]
    ends = np.cumsum(reference["doc_len"])[:-1]
    documents = [[vocabulary[word] for word in part] for part in np.split(reference["W"], ends)]
    n_free = len(reference["alpha"]) - len(keywords)
    named = {str(n): part for n, part in enumerate(keywords)}
    model = keyATM_initialize({"W_raw": documents}, "base", n_free, named)["model"]
    for part in "WZS":
        model[part] = [tokens.tolist() for tokens in np.split(reference[part], ends)]
    model["stored_values"]["alpha_iter"] = [reference["alpha"].tolist()]
    model["class"] = ["keyATM_fitted", "base"]
    output = keyATM_output(dict(model), None, [1])
    # A sweep whose uniforms choose what is there already leaves R's state as it is.
    uniforms = staying_uniforms(reference, keywords, vocabulary)
    alphas = np.tile(reference["alpha"], (len(documents), 1))
    swept = require_core().keyATM_diagnostic_sweep(
        model, "base", alphas, uniforms, 1.0 - reference["S"], {}
    )
    return {
        "theta": output["theta"].to_numpy(),
        "pi": output["pi"].to_numpy(),
        "log_likelihood": swept["log_likelihood"],
        "topics": swept["z_after"],
        "switches": swept["s_after"],
        "weights": swept["model"]["stored_values"]["vocab_weights"],
    }


def staying_uniforms(reference, keywords, vocabulary, beta=0.01, beta_s=0.1, gamma=1.0):
    """Per token, the uniform with which the sampler's conditional of its topic gives that topic."""
    alpha, weights = reference["alpha"], reference["weights"]
    n_topics, n_keyword = len(alpha), len(keywords)
    allowed = np.zeros((n_topics, len(vocabulary)))
    for topic, part in enumerate(keywords):
        allowed[topic, [vocabulary.index(word) for word in part]] = 1
    document = np.repeat(np.arange(len(reference["doc_len"])), reference["doc_len"])
    tokens = list(zip(document, *(reference[part] for part in "WZS"), strict=True))
    n = np.zeros((2, n_topics, len(vocabulary)))
    n_dk = np.zeros((len(reference["doc_len"]), n_topics))
    for d, v, k, s in tokens:
        n[s, k, v] += weights[v]
        n_dk[d, k] += weights[v]
    n_k = n.sum(axis=2)
    uniforms = []
    for d, v, k, s in tokens:
        own = weights[v] * (np.arange(n_topics) == k)
        route = np.where(np.arange(n_topics) < n_keyword, gamma, 0)
        rest = n_k - own * (np.arange(2) == s)[:, None]
        share = (rest[s] + route) / (rest.sum(axis=0) + 2 * route)
        if s == 0:
            word = (n[0, :, v] - own + beta) / (rest[0] + beta * len(vocabulary))
        else:
            word = allowed[:, v] * (n[1, :, v] - own + beta_s)
            word /= rest[1] + np.maximum(allowed.sum(axis=1), 1) * beta_s
        p = word * share * (n_dk[d] - own + alpha)
        uniforms.append((p[:k].sum() + p[k] / 2) / p.sum())
    return uniforms


if __name__ == "__main__":
    verb, path, out, *arguments = sys.argv[1:]
    with np.load(path) as file:
        loaded = dict(file)
    np.savez(out, **{"chains": chains, "state": state}[verb](loaded, *arguments))
