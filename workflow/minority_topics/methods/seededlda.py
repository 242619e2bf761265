"""SeededLDA (Jagarlamudi, Daumé III and Udupa 2012), the sampler of `seeded_lda`, on counts.

There is no package of it; it runs at the defaults of its authors' code. Seed words guide at two
levels: a minority topic may draw a word from its seed set, and a document that holds a word of the
set shares the set's prior over topics. Majority topics have no seed set.

seededlda_a and seededlda_b of the table are two random samples around the defaults: alpha, beta and
mu times ten to the power of U(-1, 1), pi from U(0.5, 0.9), rounded. With a mu
so small a topic concentrates on few words of its seed set; seededlda_mu01 has 0.1 instead.

`seeds`: "same" (the whole list is the seed set of every minority topic) or "dealt". The model is
defined for overlapping sets, and shares the words out between the topics by itself.
"""

from .contract import Fit
from .shared.seed_lists import seed_lists


def fit(problem):
    return seededlda(problem, **problem.options)


def seededlda(problem, seeds="same", **options):
    """Options are `seeds`, and those of `seeded_lda.fit` and `SeededLDA`."""
    from .shared import seeded_lda

    columns = {word: column for column, word in enumerate(problem.vocabulary)}
    lists = seed_lists(problem, seeds)
    doc_topic, topic_word = seeded_lda.fit(
        problem.counts,
        [[columns[word] for word in words] for words in lists],
        problem.n_topics,
        problem.random_state,
        **options,
    )
    return Fit(doc_topic, topic_word, minority=range(problem.n_minority))
