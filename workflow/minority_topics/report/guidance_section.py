"""What learnt guidance thinks of the list of seed words, as the explorer shows it.

Entries get its opinion, and an analyst can read the words it discovered, the comments it releases
with the words that spoke for them, and comments that it would cap.
"""

from ..comments import folders
from ..comments.guidance import follows, sentences
from ..nmf.guidance import DISCOVERY, PUREST, TRUST
from .marking import SEED, WORD, Phrases, clipped, segments
from .numbers import percent
from .run_facts import LONGEST_NAME

TABLES = (folders.DISCOVERED_WORDS, folders.RELEASED, folders.CAPPED)
# What the page shows at most.
MOST_DISCOVERED = 200
MOST_COMMENTS = 50  # released, and capped
TRUSTED = {"yes": "trusted", "no": "distrusted", "partly": "partly trusted"}


def section(tables, topic_names, seeds, lemma_of, about):
    """What the template shows; `about(row)` tells where a comment comes from."""
    fit = tables.summary.get("fit") or {}
    found = fit.get("learnt_guidance") or {}
    return {
        "there": bool(found) and not found["reason"],
        "follows": follows(fit),
        "sentences": [clipped(sentence)[0] for sentence in sentences(fit)],
        "trust": f"{TRUST:.0%}",
        "discovery": f"{DISCOVERY:.0%}",
        "discovered": _discovered(tables),
        "released": _comments(
            tables.rows(folders.RELEASED), topic_names, about,
            lambda words: {WORD: Phrases(words, lemma_of)},
        ),
        "capped": _comments(
            tables.rows(folders.CAPPED), topic_names, about, lambda words: {SEED: seeds}
        ),
    }  # fmt: skip


def opinion(row):
    """Of a row of seed_words.csv: share about the theme, and whether it is trusted, in words."""
    share = row.get("probability") or None
    return {
        "probability": None if share is None else float(share),
        "probability_text": word_share(None if share is None else float(share)),
        "trusted": TRUSTED.get(row.get("trusted") or "", ""),
        "distrusted_words": clipped(row.get("distrusted_words") or "", LONGEST_NAME)
        if row.get("trusted") == "partly" else ("", False),
    }  # fmt: skip


def probability(share):
    """In per cent; nothing is sure, and what rounds to 1 does not read as 100%."""
    return "> 99.9%" if share is not None and share >= 0.9995 else percent(share)


def word_share(share):
    """Per cent of a word's occurrences that are about the theme; learning stops at PUREST."""
    purest = share is not None and share >= PUREST - 0.0005
    return f"≥ {PUREST:.0%}" if purest else percent(share)


def _discovered(tables):
    rows = tables.rows(folders.DISCOVERED_WORDS)
    return {
        "all": len(rows),
        "rows": [
            {
                "word": clipped(row["word"], LONGEST_NAME)[0],
                "probability": float(row["probability"]),
                "probability_text": word_share(float(row["probability"])),
                "documents": int(row["documents"]),
                "occurs_with": clipped(row["occurs_with"] or "", LONGEST_NAME),
            }
            for row in rows[:MOST_DISCOVERED]
        ],
    }


def _comments(rows, topic_names, about, marks_of):
    """Comments of a table, with the words that are to be marked in each."""
    shown = []
    for row in rows[:MOST_COMMENTS]:
        words = [word for word in (row["words"] or "").split(", ") if word]
        topic = int(row["main_topic"]) if row["main_topic"] else None
        shown.append(
            about(row)
            | {
                "probability": probability(float(row["probability"])),
                "topic": topic if topic in topic_names else None,
                "title": topic_names.get(topic),
                "words": [clipped(word, LONGEST_NAME)[0] for word in words],
                "text": segments(row["text"] or "", marks_of(words)),
            }
        )
    return {"all": len(rows), "rows": shown}
