"""What a step found, in plain words for a terminal; what was read is told by `reading`."""

from ..base.text import counted, listed, shown
from ..base.times import duration
from .dialects import encoding_name
from .folders import SEED_WORDS
from .guidance import sentences

# Entries and topics that a summary names.
MOST_NAMED = 10


def of_words(facts):
    """Lines about words and seed words, from the content of cleaning.json."""
    lemmas = facts["lemmas"]
    lines = [
        f"{counted(facts['words'], 'word')} of {counted(facts['forms'], 'form')}; "
        + (f"lemmas by {lemmas}" if lemmas != "none" else "no lemmas")
        + f", {counted(facts['stop_words'], 'stop word')}. {facts['documents_with_words']:,} of "
        f"{counted(facts['documents'], 'comment has', 'comments have')} words.",
        f"Seed words: {facts['seed_entries_found']:,} of "
        f"{counted(facts['seed_entries'], 'entry', 'entries')} found, as "
        f"{counted(facts['seed_words'], 'word')}; "
        f"{counted(facts['documents_with_seed'], 'comment holds', 'comments hold')} one.",
    ]
    if (encoding := facts["seed_words_encoding"]) != "utf-8":
        lines.append(
            f"The list of seed words is in {encoding_name(encoding)}; save it as UTF-8 if letters "
            "look wrong."
        )
    missing = facts["seed_entries_missing"]
    if missing:
        named = [*map(shown, missing[:MOST_NAMED])]
        if len(missing) > MOST_NAMED:
            named.append(f"{len(missing) - MOST_NAMED:,} more")
        lines.append(f"Not found: {listed(named)}. {SEED_WORDS} has the closest words.")
    if facts["seed_entries_with_warning"]:
        count = facts["seed_entries_with_warning"]
        lines.append(f"{SEED_WORDS} warns about {count:,} of the entries: read it.")
    return lines + facts["warnings"]


def of_fit(facts):
    """Lines about a fit, from the content of fit.json."""
    ended = "converged" if facts["converged"] else "not converged"
    lines = [
        f"{counted(facts['n_topics'], 'topic')}, {facts['n_minority']} of them minority: "
        f"{counted(facts['iterations'], 'iteration')} in {duration(facts['seconds'])}, {ended}; "
        f"the constraints are {'met' if facts['feasible'] else 'not met'}."
    ]
    if facts["agreement"]:
        lines.append(
            f"{facts['agreement']['fits']} fits: the lowest objective is kept; their main topics "
            f"agree with a mean AMI of {facts['agreement']['mean_ami']:.2f} (1 is the same)."
        )
    return lines + sentences(facts) + facts["warnings"]


def of_answers(facts):
    """Lines about what the tables show, from the content of summary.json."""
    lines = [f"{counted(facts['topics_shown'], 'topic is', 'topics are')} in the tables."]
    missing = facts["topics_without_comment_to_code"]
    if missing:
        named = listed(map(str, missing[:MOST_NAMED])) + (", ..." if missing[MOST_NAMED:] else "")
        which = f"topic {named}" if len(missing) == 1 else f"topics {named}"
        lines.append(
            f"topic_intrusion.csv has no comment of {which}: it takes one of five words or more "
            "with at least two topics, that lacks another topic."
        )
    return lines
