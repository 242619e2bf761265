"""Every figure of the study: what it shows, from which table, and where the paper has it.

Standard library alone, since the rules and the report read it.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """`table` is the one it is drawn from; `paper` what it mirrors, "" if it goes beyond.

    `needs` is a table without which there is nothing to show. `published`: it shows the paper's
    own numbers beside ours.
    """

    name: str
    table: str
    title: str
    caption: str
    paper: str = ""
    needs: str = ""
    published: bool = False


_LINES = (
    "Lines with caps are 95% intervals of the mean; the line of text below the figure says what "
    "they are over. With fewer than five repetitions there is no interval, and lines without caps "
    "are the range of the fits."
)
_COLOURS = (
    "Orange is constrained NMF, blue are other models that use seed words, green are models "
    "without, grey are controls."
)

FIGURES = {
    figure.name: figure
    for figure in (
        Figure(
            "purity_nmi",
            "summary",
            "Purity and NMI",
            "Focused purity and normalised mutual information of every model, with the means as "
            "numbers and the best in bold. Purity counts only clusters that hold documents of a "
            "known topic, and takes the most frequent such topic of each; NMI is over all "
            "documents, background being one class. A bar with a break goes on beyond the axis. "
            "Open diamonds are the paper's numbers, shown if the setting is the paper's. "
            f"{_COLOURS} {_LINES}",
            "Figure 1",
            published=True,
        ),
        Figure(
            "jsd",
            "summary",
            "Jensen-Shannon divergence",
            "From each ground-truth topic to its closest learned topic, base 2: mean, least, "
            "greatest and standard deviation over the ground-truth topics, each averaged over "
            f"repetitions. Lower is better. {_LINES}",
            "Figure 2 and the JSD figure of the appendix",
        ),
        Figure(
            "nmi_scores",
            "summary",
            "NMI with more topics",
            "NMI of every model at the larger settings (topics/minority topics). An arrow at "
            "the edge is a mean beyond the axis; its number stands beside it. "
            f"{_COLOURS} {_LINES}",
            "NMI scores for topic counts 30, 50 and 80",
        ),
        Figure(
            "purity_scores",
            "summary",
            "Purity with more topics",
            "Focused purity of every model at the larger settings (topics/minority topics). An "
            "arrow at the edge is a mean beyond the axis; its number stands beside it. "
            f"{_COLOURS} {_LINES}",
            "purity scores for topic counts 30, 50 and 80",
        ),
        Figure(
            "purity_nmi_scatter",
            "summary",
            "Purity against NMI",
            "A point is the mean of a method over repetitions, in each setting. Up and to the "
            f"right is better. {_COLOURS} {_LINES}",
            "scatter plot of purity and NMI",
        ),
        Figure(
            "variants",
            "summary",
            "Variants and newer models",
            "Every model in the first setting. Open circles are variants of the model above them; "
            "newer models, which the paper does not have, stand in the last rows. Lines down the "
            "figure are constrained NMF and the controls that use the seed words alone. "
            f"{_COLOURS} {_LINES}",
            needs="variants",
        ),
        Figure(
            "nmi_purity_sensitivity",
            "constraints",
            "Effect of the constraints on NMI and purity",
            "Mean and standard deviation over repetitions for each pair of W_max and theta_min, "
            "both metrics on one scale of colours; the outlined cell is the paper's choice. W_max "
            "none bounds nothing. Exact solver.",
            "figure of the effect of W_max and theta_min on NMI and purity",
        ),
        Figure(
            "decomposition",
            "decomposition",
            "What solver, start, restarts and constraints bring",
            "Every combination of solver, start, number of starts and constraints; of several "
            "starts, the fit with the lowest objective is kept. Marks are means over repetitions. "
            f"{_LINES} Rings show the two models: ours (exact solver, best of eight "
            "block starts, both constraints), and the model as published (one random start, "
            "both constraints). The projected solver is the published one with W cut to its "
            "bound. Compare rows to see what solver, start and restarts bring, and marks of a "
            "row to see what the constraints bring.",
        ),
        Figure(
            "kl_sensitivity",
            "constraints",
            "Effect of the constraints on the objective and on topics",
            "KL divergence at the end of the fit and mean JSD from each ground-truth topic to its "
            "closest learned topic, for each pair of W_max and theta_min: mean and standard "
            "deviation over repetitions; the outlined cell is the paper's choice. W_max none "
            "bounds nothing. Exact solver.",
            "figure of the effect of W_max and theta_min on KL divergence",
        ),
        Figure(
            "error_bar",
            "trajectory",
            "KL divergence across iterations",
            "A panel per solver of constrained NMF, all on one scale: mean over random states on "
            "one corpus; error bars are 10 times the standard deviation, as in the paper. A fit "
            "that has converged keeps its last value.",
            "figure of KL divergence across iterations with error bars",
        ),
        Figure(
            "topics",
            "topics",
            "Topics discovered",
            "The ten heaviest words of each topic, with glosses where the configuration gives "
            "them; seed words are bold. Documents are those assigned to the topic. The closest "
            "true topic, where there are labels, is the one of the least Jensen-Shannon "
            "divergence, which is 1 if the two share no word. Topics of the first model in "
            "the first setting, in its first repetition that came out.",
            "table of topics discovered in the synthetic dataset",
        ),
        Figure(
            "learning_rate",
            "learning_rate",
            "The published algorithm and its learning rate",
            "The multipliers of the published algorithm grow by eta times the violation in each "
            "iteration. Least seed share of a minority topic and largest minority weight of a "
            "document without seed words, against what theta_min and W_max ask for, with KL, "
            "purity and NMI. Fits that end in numbers that are not finite are failures, and "
            "counted.",
        ),
        Figure(
            "stability",
            "random_states",
            "Stability across random states",
            "Left: agreement (adjusted mutual information) between the clusterings of two fits "
            "of one corpus that differ in their random state alone, over all pairs; 1 is the "
            "same clustering. Lines are no intervals, since pairs share fits: they are the range "
            "of how well a fit agrees with all others. Right: standard deviation of purity and of "
            "NMI between such fits.",
        ),
        Figure(
            "resources",
            "resources",
            "Time and memory",
            "Wall time of a fit (median; the first fit of a job, which imports and compiles, is "
            "left out where there are others) and the largest resident memory of its process, by "
            "setting. Both scales are logarithmic.",
        ),
    )
}


def sweep_figure(name, keys):
    """The figure of a sweep over some keys of the dataset."""
    return Figure(
        name,
        name,
        sweep_title(keys),
        "Scores of models as one property of the data is varied and all else is kept: purity, NMI, "
        "AMI, F1 of finding the documents of known topics, and mean JSD, which is better the lower "
        "it is. Only models with minority topics have an F1. "
        f"{_LINES}",
    )


def sweep_title(keys):
    """What a sweep over some keys is about."""
    first, *others = (SWEEP_TITLES[key] for key in keys)
    return " and ".join([first, *(title[0].lower() + title[1:] for title in others)])


SWEEP_TITLES = {
    "rate": "Rarer and more frequent topics",
    "n_words": "Fainter and clearer topics",
    "overlap": "Words of topics in other documents",
    "seed_share": "A shorter list of seed words",
    "wrong_seed_share": "Wrong words among the seed words",
    "n_documents": "Smaller and larger corpora",
}
