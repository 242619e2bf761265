"""The leaderboard: every method in every setting, with all its scores and the published ones."""

import math

from ..scores.evidence import PAPER_SETTING, setting_text
from ..scores.statistics import COMPARED, in_setting

# Compared as well, but shown only when asked for, so that all columns fit a window.
LATER = ("ami",)


def leaderboard(material):
    """Columns, and the rows of each setting; None where no method has any score."""
    if not material.metrics:
        return None
    published = _published(material)
    begin = [card for card in material.metrics if card.name in COMPARED and card.name not in LATER]
    metrics = [
        {
            "card": card,
            # Without labels there is none of these, and all that is known is shown.
            "shown": card in (begin or material.metrics),
            "published": card.name in published,
            "digits": 3 if card.high <= 1 else 1,
        }
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
        _mark_best(rows, card)
    return {"name": setting_text(pair), "topics": pair, "published": at_paper, "rows": rows}


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
    """Mark the best of all that compete, variants and peers too; equal ones share it."""
    sign = {"higher": 1, "lower": -1}.get(card.direction)
    cells = [row["cells"][card.name] for row in rows if row["competes"]]
    cells = [cell for cell in cells if not math.isnan(cell["mean"])]
    if sign and cells:
        best = max(sign * cell["mean"] for cell in cells)
        for cell in cells:
            cell["best"] = sign * cell["mean"] == best
