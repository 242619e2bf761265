"""Tables of a benchmark: times and their ratios, how they grow, and what the machine allows."""

import numpy as np
import pandas as pd

from .benchmark import OURS


def summarise(found):
    """One row a case: time per iteration, time to 1% and 0.1% above the best, ratios to ours."""
    rows = []
    for case in found:
        row = {k: case.get(k) for k in ("solver", "n_documents", "nnz", "n_topics", "threads")}
        row |= {"status": case["status"], "peak_memory_mb": case.get("peak_memory_mb")}
        laps = case.get("laps") or []
        if case["solver"] != "exact, passes" and laps:
            seconds = np.array([lap[0] for lap in laps])
            objective = np.array([np.nan if lap[1] is None else lap[1] for lap in laps])
            n = min(len(laps) - 1, 50 if case["solver"].startswith("exact") else 10)
            row["iterations"] = len(laps) - (case["solver"] not in ("exact, whole fit",))
            row["seconds"] = seconds[-1]
            if n > 0:
                row["seconds_per_iteration"] = (seconds[n] - seconds[0]) / n
            row["objective"] = objective[-1]
            best = _best(found, case)
            for share in (0.01, 0.001):
                reached = np.flatnonzero(objective <= best * (1 + share))
                name = f"seconds_to_{100 * share:g}%"
                row[name] = seconds[reached[0]] if len(reached) else np.nan
        rows.append(row)
    table = pd.DataFrame(rows)
    keys = ["n_documents", "n_topics", "threads"]
    columns = [c for c in table if c.startswith("seconds_")]
    ours = table[table["solver"] == OURS].set_index(keys)[columns]
    for column in columns:
        base = ours[column].reindex(pd.MultiIndex.from_frame(table[keys])).to_numpy()
        table[f"times_ours: {column.removeprefix('seconds_')}"] = table[column] / base
    return table


def _best(found, case):
    """The lowest objective of any solver on the same problem."""
    ends = [
        min(lap[1] for lap in other["laps"] if lap[1] is not None)
        for other in found
        if (other["n_documents"], other["n_topics"]) == (case["n_documents"], case["n_topics"])
        and other["solver"] != "exact, passes"
        and any(lap[1] is not None for lap in other.get("laps") or [])
    ]
    return min(ends, default=np.nan)


def exponents(table):
    """Growth of our time per iteration: slopes of its log on that of nonzeros, and of topics.

    Below 50,000 documents a pass is too short for its start to be forgotten.
    """
    ours = table[(table["solver"] == OURS) & table["seconds_per_iteration"].notna()]
    rows = []
    for (k, threads), part in ours[ours["n_documents"] >= 50_000].groupby(["n_topics", "threads"]):
        if len(part) > 1:
            rows.append(
                {
                    "in": "nonzeros",
                    "n_topics": k,
                    "threads": threads,
                    "exponent": _slope(part, "nnz"),
                }
            )
    for (n, threads), part in ours.groupby(["n_documents", "threads"]):
        if len(part) > 1:
            slope = np.polyfit(np.log(part["n_topics"]), np.log(part["seconds_per_iteration"]), 1)[
                0
            ]
            rows.append({"in": "topics", "n_documents": n, "threads": threads, "exponent": slope})
    return pd.DataFrame(rows)


def _slope(part, column):
    return np.polyfit(np.log(part[column]), np.log(part["seconds_per_iteration"]), 1)[0]


def pass_shares(found, machine):
    """For the first and the later iterations: seconds of a pass, and its share of the bound.

    The bound is the time that the bytes it moves, or its multiply-adds, take at the measured rates,
    whichever is longer.
    """
    rows = []
    for case in found:
        if case["solver"] != "exact, passes" or case["status"] != "ok":
            continue
        for name in ("W", "H"):
            laps = [lap[1:] for lap in case["laps"] if lap[0] == name]
            for when, part in (("first 5", laps[:5]), ("from 20", laps[20:])):
                seconds, moved, adds = np.mean(part, axis=0)
                bound = max(moved / machine["bytes"], adds / machine["multiply_adds"])
                rows.append({
                    "n_documents": case["n_documents"], "n_topics": case["n_topics"], "pass": name,
                    "iterations": when, "seconds": seconds, "share_of_bound": bound / seconds,
                })  # fmt: skip
    return pd.DataFrame(rows)
