"""How near a fit is to a solution: residuals of the Karush-Kuhn-Tucker conditions."""

import numpy as np

from .factors import NEGLIGIBLE_CAP
from .kernels import Passes, batches
from .progress import tell
from .solvers import divide


def kkt_residuals(passes, solver, W, Ht):
    """How far (W, H) is from the Karush-Kuhn-Tucker conditions, and the multipliers.

    With the gradients of the Lagrangian L (on the simplex for `Exact`, as in the paper otherwise),
    each entry is scaled by what it competes with, so that the numbers are shares:
      stationarity_W  sum |W dL/dW| / sum V
      stationarity_H  sum |H dL/dH| / sum V
      primal_W, primal_H   largest g1 and g2, 0 if met
      dual            largest negative part of lambda and mu, and, at entries that are zero, of
                      dL/dW / sum_j H_kj and of dL/dH / sum_i W_ik; there the
                      objective would fall if the entry grew
      slackness       (sum |lambda g1| + sum |mu g2|) / sum V
    A weight of a seed-free document does not count as zero where its cap is zero, or too small to
    be told from it.
    """
    c = solver.constraints
    m = c.n_minority
    word_mass = Ht.sum(axis=0, dtype=np.float64)
    lambda_ = np.empty((len(W), m), dtype=W.dtype)
    stationarity_W = slackness_W = wish = 0.0
    for rows in batches(len(W)):
        explained = Passes(passes.V[rows]).explained_rows(W[rows], Ht)
        A = explained * W[rows]
        lambda_[rows] = solver.multipliers_W(W[rows], A, rows)
        part, multiplier = W[rows].astype(np.float64), lambda_[rows].astype(np.float64)
        pull = part * word_mass - A
        pull[:, :m] += part[:, :m] * multiplier
        zero = part == 0
        capped = c.seed_free[rows] & (c.w_max <= NEGLIGIBLE_CAP * part.sum(axis=1))
        zero[:, :m] &= ~capped[:, None]
        growth = divide(explained, word_mass) - 1
        wish = max(wish, float(growth.max(initial=0, where=zero)))
        stationarity_W += float(np.abs(pull).sum())
        slack = np.where(multiplier > 0, c.w_max - part[:, :m], 0)
        slackness_W += float((multiplier * np.abs(slack)).sum())
        tell("check of the constraints", min(rows.stop, len(W)), len(W))

    explained = passes.explained_columns(W, Ht)
    B = explained * Ht
    mu = solver.multipliers_H(Ht, B)
    share = c.seed_share(Ht)
    topic_mass = W.sum(axis=0, dtype=np.float64)
    level = np.zeros(Ht.shape[1])
    if solver.name == "exact":  # the multiplier of sum_j H_kj = 1; the pulls of mu cancel
        level = topic_mass * word_mass - B.sum(axis=0, dtype=np.float64)
    stationarity_H = 0.0
    for words in batches(len(Ht)):
        part = Ht[words].astype(np.float64)
        price = np.broadcast_to(topic_mass - level, part.shape).copy()
        price[:, :m] += mu * divide(share - c.seed_columns[words, None], word_mass[:m])
        stationarity_H += float(np.abs(part * price - B[words]).sum())
        growth = divide(explained[words] - price, topic_mass)
        wish = max(wish, float(growth.max(initial=0, where=part == 0)))

    primal_W, primal_H = c.violation(W, Ht)
    total = passes.total or 1.0
    residuals = {
        "stationarity_W": stationarity_W / total,
        "stationarity_H": stationarity_H / total,
        "primal_W": primal_W,
        "primal_H": primal_H,
        "dual": float(max(wish, -lambda_.min(initial=0), -mu.min(initial=0))),
        "slackness": (slackness_W + float(mu @ np.abs(share - c.theta_min))) / total,
    }
    return residuals, lambda_, mu
