"""Hand the one undivided list of seed words to tools that want a list for each guided topic."""

from ..contract import UnusableProblem


def seed_lists(problem, how):
    """The seed words of the vocabulary, each once, as `n_minority` lists in list order.

    "same": every topic gets the whole list, which leaves the division to the model.
    "dealt": word i goes to topic i mod n_minority, for tools that tie a word to one topic only.
    With fewer words than topics the last lists are empty.
    """
    known = set(problem.vocabulary)
    words = [word for word in dict.fromkeys(problem.seed_words) if word in known]
    topics = range(problem.n_minority)
    if how == "same":
        return [words[:] for _ in topics]
    if how == "dealt":
        return [words[topic :: len(topics)] for topic in topics]
    raise UnusableProblem(f"option seeds={how!r} must be 'same' or 'dealt'")
