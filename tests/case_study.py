"""How far topics of simulated comments agree with those that were planted.

`truth` is the content of truth.json, and tables are rows of topics, as `read_csv` gives them. Every
planted topic is compared with all minority topics that are about it: a model may split it in two.
"""

import csv
import json
import re
from collections import defaultdict
from itertools import chain
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

from minority_topics.base.files import read_csv
from minority_topics.comments.folders import GROUPS, TOPIC_WORDS, TRENDS

N_TOP = 10


def vocabulary(planted):
    """All words that stand for a planted topic: its words, their forms, and parts of phrases."""
    words = set(planted["words"]).union(*planted["words"].values())
    return words | {part for word in words for part in word.split()}


def overlaps(topic_words, truth, n_top=N_TOP):
    """Share of the first `n_top` words of each topic that belong to each planted topic.

    `topic_words` has a topic's words, best first, by its number. Returns topics x planted topics.
    """
    vocabularies = [vocabulary(planted) for planted in truth["topics"]]
    return np.array(
        [
            [sum(word in words for word in top[:n_top]) / n_top for words in vocabularies]
            for top in topic_words.values()
        ]
    )


def match_topics(topic_words, truth, n_top=N_TOP):
    """The topic of each planted one, no topic twice, such that the overlaps are largest together.

    Returns (topic, overlap) by the name of the planted topic.
    """
    shares = overlaps(topic_words, truth, n_top)
    rows, columns = linear_sum_assignment(-shares)
    numbers = list(topic_words)
    return {
        truth["topics"][column]["name"]: (numbers[row], float(shares[row, column]))
        for row, column in zip(rows, columns, strict=True)
    }


def topics_about(topic_words, truth, least=0.3, n_top=N_TOP):
    """All topics that are about a planted one, by its name: it has most of their words.

    A topic with an overlap below `least` is about none.
    """
    shares = overlaps(topic_words, truth, n_top)
    found = {planted["name"]: [] for planted in truth["topics"]}
    for number, row in zip(topic_words, shares, strict=True):
        if row.max() >= least:
            found[truth["topics"][int(row.argmax())]["name"]].append(number)
    return found


def month_correlations(trends, about, truth):
    """Pearson's correlation of monthly prevalence with the planted share; NaN without a topic."""
    return {
        planted["name"]: _correlation(
            _summed(trends, "period", about[planted["name"]]), planted["by_month"]
        )
        for planted in truth["topics"]
    }


def total_month_correlation(trends, about, truth):
    """The same of all planted topics together."""
    shares = {
        month: sum(planted["by_month"][month] for planted in truth["topics"])
        for month in truth["comments_by_month"]
    }
    return _correlation(_summed(trends, "period", list(chain(*about.values()))), shares)


def channel_ratios(groups, about, truth):
    """Prevalence on the open channel over that elsewhere: (found, planted) by planted topic.

    Elsewhere is a mean over the other channels, each with the number of its comments as weight.
    """
    weights = truth["comments_by_channel"]
    return {
        planted["name"]: (
            _ratio(_summed(groups, "group", about[planted["name"]]), weights, truth),
            _ratio(planted["by_channel"], weights, truth),
        )
        for planted in truth["topics"]
    }


def comments_found(main_topics, planted_topics, about):
    """(precision, recall) of the comments of each planted topic.

    `main_topics` has the number of a comment's main topic by its id, `planted_topics` the name of
    its planted one. Comments that were not kept do not count.
    """
    scores = {}
    for name, numbers in about.items():
        found = {key for key, topic in main_topics.items() if topic in numbers}
        true = {key for key, topic in planted_topics.items() if topic == name}
        both, kept = len(found & true), len(true & set(main_topics))
        scores[name] = (both / len(found) if found else 0.0, both / kept if kept else 0.0)
    return scores


def compare(tables, example):
    """What the tables of an analysis say against the truth of its example, by planted topic.

    `tables` is the folder that `answer` wrote, `example` the one that `write_example` wrote.
    """
    truth = read_truth(example)
    topic_words = read_topic_words(tables)
    trends, groups = (read_csv(Path(tables) / name) for name in (TRENDS, GROUPS))
    about = topics_about(topic_words, truth)
    matches = match_topics(topic_words, truth)
    correlations = month_correlations(trends, about, truth)
    ratios = channel_ratios(groups, about, truth)
    return {
        name: {
            "topics": about[name],
            "overlap": matches[name][1] if name in matches else 0.0,
            "month_correlation": correlations[name],
            "channel_ratio": ratios[name][0],
            "planted_channel_ratio": ratios[name][1],
        }
        for name in about
    }


def read_truth(example):
    return json.loads((Path(example) / "truth.json").read_text(encoding="utf-8"))


def read_planted_topics(example):
    """The planted topic of each comment that has one, by its id."""
    with open(Path(example) / "truth.csv", newline="", encoding="utf-8") as file:
        return {row["id"]: row["topic"] for row in csv.DictReader(file)}


def read_topic_words(tables):
    """Words of each topic, best first, by its number."""
    words = defaultdict(dict)
    for row in read_csv(Path(tables) / TOPIC_WORDS):
        words[int(row["topic"])][int(row["rank"])] = row["word"]
    return {topic: [ranked[rank] for rank in sorted(ranked)] for topic, ranked in words.items()}


def _summed(rows, key, topics):
    """Prevalence of some topics together, by period or group; suppressed cells are left out."""
    sums = defaultdict(float)
    for row in rows:
        if int(row["topic"]) in topics and re.search(r"\d", row["prevalence"] or ""):
            sums[row[key]] += float(row["prevalence"])
    return sums


def _correlation(found, planted):
    months = [month for month in planted if month in found and planted[month] is not None]
    if len(months) < 3:
        return np.nan
    pair = [[found[month] for month in months], [planted[month] for month in months]]
    return float(np.corrcoef(pair)[0, 1]) if all(map(np.ptp, pair)) else np.nan


def _ratio(prevalence, weights, truth):
    open_channel = truth["open_channel"]
    others = [name for name in weights if name != open_channel and prevalence.get(name) is not None]
    total = sum(weights[name] for name in others)
    elsewhere = sum(weights[name] * prevalence[name] for name in others) / total if total else 0.0
    return prevalence.get(open_channel, 0.0) / elsewhere if elsewhere else np.nan
