"""Tables of the study, made of scores and of what fits have left: lists of rows to be written."""

import json
import re
from pathlib import Path

from ..base.files import bare_cell, guard_cell, read_csv, read_json, replacing, write_csv
from ..base.manifest import check_file, check_manifest
from ..study.paths import parse_batch
from .cards import CARDS

FIT_COLUMNS = ["n_topics", "n_minority", "repetition", "corpus", "random_state", "status", "reason"]
NOTE_COLUMNS = [
    "objective", "iterations", "feasible", "least_seed_share", "largest_free_weight",
    "least_denominator", "trusted_seeds", "distrusted_seeds", "discovered_words", "free_documents",
]  # fmt: skip
# Of every table of scores; what is varied comes on top.
SCORE_COLUMNS = ["dataset", "method", *FIT_COLUMNS, *CARDS, "stability", *NOTE_COLUMNS]
TRAJECTORY_COLUMNS = ["method", "repetition", "iteration", "objective", "feasible"]
VERSION_COLUMNS = ["method", "versions", "engine"]
# Text even where every cell looks like a number or a truth value.
TEXT_COLUMNS = (
    "dataset", "method", "status", "reason", "kind", "word", "gloss", "other", "closest",
    "closest_gloss", "words", "nearest_kind", "nearest_words", "id", "text", "assigned_words",
)  # fmt: skip


def write_rows(path, rows, columns=()):
    """Write rows to a CSV: the columns given, then others of the rows, as they come up."""
    columns = list(dict.fromkeys([*columns, *(key for row in rows for key in row)]))
    write_csv(path, columns, ([row.get(column, "") for column in columns] for row in rows))


def write_frame(path, frame):
    """Write a data frame to a CSV, as `read_frame` reads it back."""
    with replacing(path) as file:
        guarded = _with_cells(frame, guard_cell)
        guarded.to_csv(file, index=False, float_format="%.6g", lineterminator="\n")


def read_rows(path):
    """Rows of a table of the study, as dicts of text."""
    check_file(path)
    return read_csv(path)


def read_frame(path, columns=(), separator=","):
    """A CSV of the study as a data frame, with these columns at least.

    Only an empty cell is missing, and `null` is a word.
    """
    import pandas as pd

    check_file(path)
    try:
        frame = pd.read_csv(
            path,
            sep=separator,
            keep_default_na=False,
            na_values=[""],
            dtype=dict.fromkeys(TEXT_COLUMNS, str),
        )
    except ValueError as error:
        raise ValueError(f"{path}: {' '.join(str(error).split())}; make the table anew") from error
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise ValueError(f"{path}: there is no column {missing[0]!r}; make the table anew")
    return _with_cells(frame, bare_cell)


def _with_cells(frame, change):
    """A copy of a data frame whose text and names of columns went through `change`."""
    import pandas as pd

    frame = frame.rename(columns=change)
    for place, dtype in enumerate(frame.dtypes):
        if not pd.api.types.is_numeric_dtype(dtype):
            cells = frame.iloc[:, place]
            changed = [change(cell) if isinstance(cell, str) else cell for cell in cells]
            frame.isetitem(place, pd.Series(changed, index=frame.index, dtype=dtype))
    return frame


def read_statuses(folders):
    """Folder and status of every fit in some folders of `fit`, in order.

    Where the folder's name says which repetitions it holds, none may be missing. Subfolders whose
    names are not numbers are not fits.
    """
    for folder in map(Path, folders):
        try:
            repetitions = parse_batch(folder.name)
        except ValueError:
            names = (path.name for path in folder.iterdir() if path.is_dir())
            repetitions = sorted(int(name) for name in names if re.fullmatch("[0-9]+", name))
        for fit in (folder / str(repetition) for repetition in repetitions):
            check_manifest(fit, "status.json")
            yield fit, read_json(fit / "status.json")


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


def cost(parts):
    """Minutes by the clock that the fits of each part, {part: folders}, took, and its share."""
    seconds = {
        part: [status["seconds"] or 0 for _, status in read_statuses(folders)]
        for part, folders in parts.items()
    }
    total = sum(map(sum, seconds.values()))
    return [
        {
            "part": part,
            "fits": len(times),
            "minutes": round(sum(times) / 60, 2),
            "share": round(sum(times) / total, 4) if total else 0,
        }
        for part, times in seconds.items()
    ]


def versions(folders):
    """What each method ran in: versions of packages, as JSON, and the engine where it names one."""
    found = {}
    for _, status in read_statuses(folders):
        row = found.setdefault(status["method"], dict.fromkeys(VERSION_COLUMNS, ""))
        row["method"] = status["method"]
        if status["versions"] and not row["versions"]:
            row["versions"] = json.dumps(status["versions"])
        row["engine"] = row["engine"] or status["notes"].get("engine", "")
    return list(found.values())
