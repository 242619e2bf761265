"""What the page says about a run, from its summary: what was read, how topics were made."""

import re
from pathlib import PurePath

from ..comments.guidance import follows
from .marking import clipped
from .numbers import counted, number, percent, precise

LONGEST_NAME = 120
MOST_FILES = 50
# Slopes of weights that are zero, as shares of what a weight costs, are explained above this.
NOTED_DUAL = 0.1


def key_figures(summary, topics):
    """The numbers on top: (number, what it counts, more about it)."""
    cleaning = summary.get("cleaning") or {}
    read, kept = summary.get("rows_read"), summary.get("rows_kept")
    with_words = summary.get("documents_with_words")
    with_seed = summary.get("documents_with_seed")
    n_minority = sum(topic["kind"] == "minority" for topic in topics)
    found, entries = cleaning.get("seed_entries_found"), summary.get("seed_entries")
    return [
        (_count(read), "comments read", None),
        (_count(kept), "kept", _of(kept, read)),
        (_count(with_words), "with words", _of(with_words, kept)),
        (_count(with_seed), "with a seed word", _of(with_seed, kept)),
        (_count(found), "seed entries found", None if entries is None else f"of {entries:,}"),
        (_count(len(topics)), "topics", f"{n_minority} minority"),
    ]


def notices(summary):
    """What a reader must know before the topics: sentences."""
    fit, cleaning = summary.get("fit") or {}, summary.get("cleaning") or {}
    missing = cleaning.get("seed_entries_missing") or []
    found = []
    if not has_texts(summary):
        found.append("The texts of comments were left out of all outputs, so this page has none.")
    if missing:
        first = ", ".join(clipped(entry, 40)[0] for entry in missing[:8])
        more = f" and {len(missing) - 8:,} more" if len(missing) > 8 else ""
        verb = "matches" if len(missing) == 1 else "match"
        found.append(
            f"{counted(len(missing), 'seed entry', 'seed entries')} {verb} no "
            f"comment: {first}{more}. The seed table shows the closest words."
        )
    for warning in [*(cleaning.get("warnings") or []), *(fit.get("warnings") or [])]:
        found.append(clipped(str(warning))[0])
    if fit.get("converged") is False:
        found.append("The fit stopped before it converged: topics may still change.")
    if fit.get("feasible") is False:
        found.append("The fit does not meet its constraints: do not rely on minority topics.")
    return found


def how_made(summary):
    """How the topics were made: title of a part, and its (name, value) pairs."""
    fit, cleaning = summary.get("fit") or {}, summary.get("cleaning") or {}
    reading = summary.get("reading") or {}
    columns = {key: name for key, name in (reading.get("columns") or {}).items() if name}
    agreement = fit.get("agreement") or {}
    dates = summary.get("dates") or [None, None]
    theta = fit.get("theta_min")
    kkt = fit.get("kkt") or {}
    edited = summary.get("topics_file") or {}
    parts = {
        "Reading": [
            ("Columns", ", ".join(f"{key}: {name}" for key, name in columns.items())),
            ("First and last date", " to ".join(str(day)[:10] for day in dates if day)),
            ("Comments without a date", _count(reading.get("undated"))),
            ("Groups", _count(reading.get("groups"))),
            ("Texts that repeat another", _count(reading.get("repeated_texts"))),
            *((key.replace("_", " ").capitalize(), _setting(value))
              for key, value in (reading.get("settings") or {}).items() if value is not None),
        ],
        "Cleaning": [
            ("Language", cleaning.get("language")),
            ("Lemmas", cleaning.get("lemmas")),
            ("Stop words", _count(cleaning.get("stop_words"))),
            ("A word is in at least (min_df)", _setting(cleaning.get("min_df"))),
            ("A word is in at most (max_df)", _setting(cleaning.get("max_df"))),
            ("Tokens", _count(cleaning.get("tokens"))),
            ("Distinct forms", _count(cleaning.get("forms"))),
            ("Words of the vocabulary", _count(cleaning.get("words"))),
            ("Seed words among them", _count(cleaning.get("seed_words"))),
        ],
        "Fit": [
            ("Topics", _count(fit.get("n_topics"))),
            ("Minority topics", _count(fit.get("n_minority"))),
            ("Guidance", fit.get("guidance")),
            ("Seed words in a minority topic (theta_min)",
             None if theta is None else f"at least {percent(theta)}"),
            (f"Minority topic in a comment {_bounded(fit)} (w_max)",
             None if fit.get("w_max") is None else f"at most {_setting(fit['w_max'])}"),
            ("Constraints met", _setting(fit.get("feasible"))),
            ("Converged", _setting(fit.get("converged"))),
            ("Iterations", _count(fit.get("iterations"))),
            ("Objective", None if fit.get("objective") is None else number(fit["objective"], 1)),
            *_conditions(kkt),
            ("Random state", _setting(fit.get("random_state"))),
            ("Time", None if fit.get("seconds") is None else f"{fit['seconds']:,.0f} s"),
            ("Memory", None if fit.get("peak_mb") is None else f"{fit['peak_mb']:,.0f} MB"),
        ],
        "Agreement of fits": [
            ("Fits", _count(agreement.get("fits"))),
            ("Mean adjusted mutual information of two fits",
             None if agreement.get("mean_ami") is None else number(agreement["mean_ami"], 2)),
        ] if agreement else [("Fits", "one, so that nothing can be said about agreement")],
        "Names of topics": [
            ("Topics named, merged or dropped", _setting(edited.get("applied") or None)),
            ("Taken over from an earlier fit", _count(len(edited.get("carried") or []) or None)),
            ("Lost with an earlier fit", _count(len(edited.get("not_carried") or []) or None)),
        ] if edited.get("file") else [],
    }  # fmt: skip
    return {
        title: [(name, clipped(str(value))[0]) for name, value in pairs if value not in (None, "")]
        for title, pairs in parts.items()
    }


def _conditions(kkt):
    """How near the fit is to an optimum, weights that are zero for themselves.

    Their residual is a slope, not a distance: a word that multiplicative updates have brought to
    zero in a topic stays there, also where the objective would fall a little if it came back.
    """
    others = [value for name, value in kkt.items() if name != "dual"]
    pairs = [("Largest violation of the conditions of an optimum (KKT)", max(others, default=None))]
    pairs.append(("The same, of weights that are zero", kkt.get("dual")))
    pairs = [(name, precise(value)) for name, value in pairs if value is not None]
    if kkt.get("dual", 0) > NOTED_DUAL:
        name, value = pairs.pop()
        pairs.append((name, f"{value}: a word may lack a small weight in some topic"))
    return pairs


def files_read(summary):
    """What was read, file by file."""
    rows = (summary.get("reading") or {}).get("files") or []
    keys = ("file", "format", "encoding", "delimiter", "rows", "kept")
    shown = [{key: row.get(key) for key in keys} for row in rows[:MOST_FILES]]
    for row in shown:
        row["file"] = file_name(row["file"])
        row["delimiter"] = {"\t": "tab", None: ""}.get(row["delimiter"], row["delimiter"])
    return {"all": len(rows), "rows": shown}


def file_name(path):
    """The name of a file without its folders, which may name the person who made the page."""
    return clipped(PurePath(str(path)).name, LONGEST_NAME)[0]


def has_texts(summary):
    return summary.get("texts") is not False


def language(summary):
    """The language of the comments for the page's elements, "" where it is not known."""
    code = (summary.get("cleaning") or {}).get("language")
    is_code = isinstance(code, str) and code != "none" and re.fullmatch("[a-z]{2,3}", code)
    return code if is_code else ""


def _setting(value):
    """A value of a setting as a reader would say it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _bounded(fit):
    """Which comments `w_max` is a bound for."""
    return "that is not free" if follows(fit) else "without a seed word"


def _count(value):
    return None if value is None else f"{value:,}"


def _of(part, whole):
    """A part in per cent; what is less than all does not read as 100%."""
    if not whole or part is None:
        return None
    share = part / whole
    return "> 99.9%" if 0.9995 <= share < 1 else percent(share)
