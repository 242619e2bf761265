"""Tables of a benchmark: times and their ratios, how they grow, and what the machine allows."""

from pathlib import Path

import numpy as np
import pandas as pd

from ..scores.tables import write_frame
from .cases import OURS

# Cases without iterations of their own.
ONE_LAP = ("exact, start", "exact, whole fit")


def write(folder, found, rates):
    """Write all tables into a folder; returns those worth reading at once."""
    cases = summarise(found)
    tables = {
        "cases": cases,
        "exponents": exponents(cases),
        "passes": pass_shares(found, rates),
        "machine": pd.DataFrame([rates]),
    }
    for name, table in tables.items():
        write_frame(Path(folder) / f"{name}.csv", table)
    return [tables["exponents"], tables["passes"]]


def summarise(found):
    """One row a case: time per iteration, time to 1% and 0.1% above the best, ratios to ours.

    A solver that does not come so low in its time has no time to it, and the ratio of all its time
    instead, of which `at_least` tells.
    """
    rows = []
    for case in found:
        row = {k: case.get(k) for k in ("solver", "n_documents", "nnz", "n_topics", "threads")}
        row |= {"status": case["status"], "peak_memory_mb": case.get("peak_memory_mb")}
        laps = case.get("laps") or []
        if case["solver"] != "exact, passes" and laps:
            seconds = np.array([lap[0] for lap in laps])
            objective = np.array([np.nan if lap[1] is None else lap[1] for lap in laps])
            n = min(len(laps) - 1, 50 if case["solver"].startswith("exact") else 10)
            row["iterations"] = len(laps) - (case["solver"] not in ONE_LAP)
            row["seconds"] = seconds[-1]
            if n > 0:
                row["seconds_per_iteration"] = (seconds[n] - seconds[0]) / n
            row["objective"] = objective[-1]
            best = np.nan if case["solver"] in ONE_LAP else _best(found, case)
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
        name = column.removeprefix("seconds_")
        seconds = table[column]
        if name.startswith("to_"):
            missed = seconds.isna() & table["objective"].notna() & ~table["solver"].isin(ONE_LAP)
            seconds = seconds.where(~missed, table["seconds"])
            table[f"at_least: {name}"] = missed
        table[f"times_ours: {name}"] = seconds / base
    return table


def _best(found, case):
    """The lowest objective of any solver on the same problem; the whole fit has constraints."""
    ends = [
        min(lap[1] for lap in other["laps"] if lap[1] is not None)
        for other in found
        if (other["n_documents"], other["n_topics"]) == (case["n_documents"], case["n_topics"])
        and other["solver"] not in ("exact, passes", *ONE_LAP)
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
    """For the first and the later iterations: seconds of the passes, and their shares of a bound.

    The bound is the time that the bytes a pass moves, or its multiply-adds, take at the measured
    rates, whichever is longer. Rows that lie anywhere come slower than a stream of memory: the
    share of the `gather bound` takes the measured rate of such rows for those a pass gathers, and
    is above 1 where caches hold most of them.
    """
    rows = []
    for case in found:
        if case["solver"] != "exact, passes" or case["status"] != "ok":
            continue
        passes = {name: [lap[1:] for lap in case["laps"] if lap[0] == name] for name in "WH"}
        passes["W and H"] = np.add(
            *(lap[: len(passes["H"])] for lap in map(np.array, passes.values()))
        )
        for name, laps in passes.items():
            for when, part in (("first 5", laps[:5]), ("from 20", laps[20:])):
                seconds, gathered, streamed, adds = np.mean(part, axis=0)
                adding = adds / machine["multiply_adds"]
                moving = (gathered + streamed) / machine["bytes"]
                gathering = gathered / machine["gathered_bytes"] + streamed / machine["bytes"]
                rows.append({
                    "n_documents": case["n_documents"], "n_topics": case["n_topics"], "pass": name,
                    "iterations": when, "seconds": seconds,
                    "share_of_bound": max(moving, adding) / seconds,
                    "share_of_gather_bound": max(gathering, adding) / seconds,
                })  # fmt: skip
    return pd.DataFrame(rows)
