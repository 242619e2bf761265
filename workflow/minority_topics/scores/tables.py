"""Tables of the study, made of scores and of what fits have left: lists of rows to be written."""

import csv
import json
from pathlib import Path

from .contract import N_TOP_WORDS

TRAJECTORY_COLUMNS = ["method", "repetition", "iteration", "objective", "feasible"]
TOPIC_COLUMNS = ["topic", "kind", "documents", "rank", "word", "gloss", "seed"]


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_rows(path, rows, columns=()):
    """Write rows to a CSV: the columns given, then others of the rows, as they come up."""
    columns = list(dict.fromkeys([*columns, *(key for row in rows for key in row)]))
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_statuses(folders):
    """Folder and status of every fit in some folders of `fit`, in order."""
    for folder in map(Path, folders):
        fits = (path for path in folder.iterdir() if path.is_dir())
        for fit in sorted(fits, key=lambda path: int(path.name)):
            yield fit, json.loads((fit / "status.json").read_text(encoding="utf-8"))


def trajectory(folders):
    """The objective at the start and after every iteration of each fit."""
    return [
        {
            "method": status["method"],
            "repetition": status["repetition"],
            "iteration": iteration,
            "objective": f"{objective:.9g}",
            "feasible": status["notes"]["feasible"],
        }
        for _, status in read_statuses(folders)
        if status["status"] == "ok"
        for iteration, objective in enumerate(status["notes"]["objective_history"])
    ]


def resources(folders):
    """Seconds and megabytes of every fit. They differ from run to run."""
    return [
        {
            "method": status["method"],
            "n_topics": status["n_topics"],
            "n_minority": status["n_minority"],
            "repetition": status["repetition"],
            "status": status["status"],
            "seconds": status["seconds"],
            "peak_memory_mb": status["peak_memory_mb"],
        }
        for _, status in read_statuses(folders)
    ]


def topics(folder, seed_words, glosses):
    """The top words of the first fit in `folder` that came out, with what is known of each word.

    A row per topic and word; none if no fit came out.
    """
    came_out = [fit for fit, status in read_statuses([folder]) if status["status"] == "ok"]
    rows = []
    for row in read_rows(came_out[0] / "top_words.csv") if came_out else []:
        for rank in range(1, N_TOP_WORDS + 1):
            if word := row[f"word_{rank}"]:
                rows.append(
                    {
                        "topic": int(row["topic"]) + 1,
                        "kind": row["kind"],
                        "documents": row["documents"],
                        "rank": rank,
                        "word": word,
                        "gloss": glosses.get(word, ""),
                        "seed": word in seed_words,
                    }
                )
    return rows
