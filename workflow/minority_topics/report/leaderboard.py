"""The leaderboard: every method in every setting, with all its scores and the published ones."""

import math

from ..scores.statistics import COMPARED, in_setting
from .material import PAPER_SETTING, setting_label


def leaderboard(material):
    """Columns, and the rows of each setting; None where no method has any score."""
    if not material.metrics:
        return None
    published = _published(material)
    metrics = [
        {"card": card, "shown": card.name in COMPARED, "published": card.name in published}
        for card in material.metrics
    ]
    return {
        "metrics": metrics,
        "groups": [group for group in _groups(metrics) if group["metrics"]],
        "settings": [_setting(material, pair, published) for pair in material.settings],
        "apart": [kind for kind in ("variant", "peer") if _any_apart(material, kind)],
    }


def _groups(metrics):
    return [
        {
            "title": title,
            "metrics": [column for column in metrics if column["card"].in_paper == own],
        }
        for title, own in (("The paper's metrics", True), ("Others", False))
    ]


def _any_apart(material, kind):
    return any(material.apart(name) == kind for name in material.extras)


def _published(material):
    """The paper's number by metric and method."""
    if material.numbers is None:
        return {}
    numbers = material.numbers.groupby("metric", sort=False)
    return {metric: rows.set_index("method")["published"].to_dict() for metric, rows in numbers}


def _setting(material, pair, published):
    at_paper = pair == PAPER_SETTING
    rows = [
        _row(material, row, published if at_paper else {})
        for row in in_setting(material.summary, pair).to_dict("records")
    ]
    for card in material.metrics:
        _mark_best([row for row in rows if not row["apart"]], card)
    return {"name": setting_label(pair), "topics": pair, "published": at_paper, "rows": rows}


def _row(material, row, published):
    name = row["method"]
    method = material.methods[name]
    return {
        "method": name,
        "label": material.labels[name],
        "kind": method.kind,
        "apart": material.apart(name),
        "ours": method.ours,
        # True labels and random ones are bounds, not competitors.
        "competes": method.is_rival,
        "repetitions": row["repetitions"],
        "reason": row["reason"] if isinstance(row["reason"], str) else "",
        "cells": {
            card.name: {
                "mean": row[card.name],
                "low": row[f"{card.name}_low"],
                "high": row[f"{card.name}_high"],
                "best": False,
            }
            for card in material.metrics
        },
        "published": {metric: numbers.get(name) for metric, numbers in published.items()},
    }


def _mark_best(rows, card):
    """Mark the best of those that compete; equal ones share it."""
    sign = {"higher": 1, "lower": -1}.get(card.direction)
    cells = [row["cells"][card.name] for row in rows if row["competes"]]
    cells = [cell for cell in cells if not math.isnan(cell["mean"])]
    if sign and cells:
        best = max(sign * cell["mean"] for cell in cells)
        for cell in cells:
            cell["best"] = sign * cell["mean"] == best
