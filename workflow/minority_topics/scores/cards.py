"""What every score means. Standard library alone, so that tables and figures need no more."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class MetricCard:
    """What a score means: its range [low, high], and which end of it is good."""

    name: str
    label: str
    low: float
    high: float
    direction: str  # "higher" or "lower" is better; "none": neither
    in_paper: bool
    meaning: str


# fmt: off
CARDS: dict[str, MetricCard] = {
    card.name: card
    for card in (
        MetricCard(
            "purity", "Purity", 0.0, 1.0, "higher", True,
            "Among the documents of all clusters that hold any injected document, the share that "
            "carries its cluster's most frequent injected topic. Background documents in such a "
            "cluster lower it; clusters of background alone do not count. It rewards many small "
            "clusters, and rises with their number for random labels too: see adjusted purity.",
        ),
        MetricCard(
            "nmi", "NMI", 0.0, 1.0, "higher", True,
            "How much the clusters tell about the labels, background being one more label; 1 is a "
            "perfect match. It rewards leaving the background in one cluster, and is above 0 even "
            "for random clusters, the more so the more there are: see AMI.",
        ),
        MetricCard(
            "jsd_mean", "JSD (mean)", 0.0, 1.0, "lower", True,
            "Distance from a true topic's word distribution to the closest learned topic, "
            "averaged over true topics; 0 is identical, 1 is no word in common.",
        ),
        MetricCard(
            "jsd_sd", "JSD (SD)", 0.0, 0.5, "none", True,
            "How unequally well the true topics are recovered: the standard deviation of their "
            "distances. A small value can mean equally good or equally bad.",
        ),
        MetricCard(
            "jsd_min", "JSD (min)", 0.0, 1.0, "lower", True,
            "The distance of the true topic that is recovered best.",
        ),
        MetricCard(
            "jsd_max", "JSD (max)", 0.0, 1.0, "lower", True,
            "The distance of the true topic that is recovered worst.",
        ),
        MetricCard(
            "ami", "AMI", -1.0, 1.0, "higher", False,
            "NMI corrected for chance: random clusters score about 0 however many there are, and "
            "below 0 is worse than chance. It rewards leaving the background in one cluster as "
            "well.",
        ),
        MetricCard(
            "ami_injected", "AMI, injected", -1.0, 1.0, "higher", False,
            "AMI over the injected documents alone: how well the injected topics are told apart. "
            "It ignores the background: neither splitting it nor mixing it with injected "
            "documents changes anything.",
        ),
        MetricCard(
            "purity_adjusted", "Purity, adjusted", -math.inf, 1.0, "higher", False,
            "Purity corrected for chance: 0 is what random clusters of the same sizes reach, below "
            "0 is worse. It takes out the gain in purity that many small clusters bring by "
            "themselves.",
        ),
        MetricCard(
            "precision", "Precision", 0.0, 1.0, "higher", False,
            "Of the documents assigned to a minority topic, the share that was injected.",
        ),
        MetricCard(
            "recall", "Recall", 0.0, 1.0, "higher", False,
            "Of the injected documents, the share that was assigned to a minority topic, whether "
            "or not the right one.",
        ),
        MetricCard(
            "f1", "F1", 0.0, 1.0, "higher", False,
            "The harmonic mean of precision and recall: high only if both are. It rewards finding "
            "injected documents, not telling their topics apart: the rule \"contains a seed word\" "
            "has an F1 as well, without any model.",
        ),
        MetricCard(
            "npmi", "NPMI coherence", -1.0, 1.0, "higher", False,
            "Whether a topic's top words occur in the same documents more often than by chance: "
            "1 is always together, 0 is chance, -1 is never. Unlike JSD it uses no ground truth, "
            "and rare topics make it noisy.",
        ),
        MetricCard(
            "diversity", "Topic diversity", 0.0, 1.0, "higher", False,
            "The share of distinct words among all topics' top words; low if topics repeat one "
            "another.",
        ),
        MetricCard(
            "seed_words_on_top", "Seed words on top", 0.0, 1.0, "none", False,
            "The share of seed words among the ten top words of the minority topics: how strongly "
            "the seed words are forced into them. Neither end is good in itself.",
        ),
        MetricCard(
            "clusters", "Clusters used", 0.0, math.inf, "none", False,
            "The number of topics to which at least one document is assigned; a model may use "
            "fewer than it was asked for.",
        ),
    )
}
# fmt: on
