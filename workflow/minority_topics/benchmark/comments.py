"""Time and memory of every step from simulated comments to the page, and how they grow."""

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from ..base.files import open_log, write_csv
from ..base.processes import how_ended
from ..comments.example import write_example
from ..study.fitting import memory_mb
from ..study.progress import why_failed

# The paper's raw comments, a tenth and a hundredth of them.
SIZES = (55_783, 557_829, 5_578_289)
COLUMNS = ("n_comments", "step", "seconds", "peak_memory_mb")
EXPONENT_COLUMNS = ("step", "exponent")
# Seconds between two looks at the memory of a step.
PAUSE = 0.1


def run(folder, sizes=SIZES, language="fi", settings=None, tell=print):
    """Write comments.csv, a row a size and step, and comments_exponents.csv to a folder."""
    folder = Path(folder)
    rows = []
    for size in sizes:
        rows += measure(folder / "comments" / str(size), size, language, settings or {}, tell)
    write_csv(folder / "comments.csv", COLUMNS, rows)
    write_csv(folder / "comments_exponents.csv", EXPONENT_COLUMNS, exponents(rows))
    return rows


def measure(folder, n_comments, language, settings, tell):
    """(n_comments, step, seconds, megabytes) of each step and of all, with what it may use."""
    if not (folder / "comments.csv").exists():
        tell(f"writing {n_comments:,} simulated comments")
        write_example(folder, language, n_comments)
    # Voikko is a matter of its own: 14,000 forms a second.
    chosen = json.dumps({"language": language, "lemmas": "simplemma", **settings})
    read, matrix, model, tables = (folder / name for name in ("read", "matrix", "model", "tables"))
    steps = {
        "read": ["read_comments", folder / "comments.csv", "--out", read],
        "words": [
            "vectorise_comments", "--comments", read, "--seed-words", folder / "seed_words.txt",
            "--out", matrix,
        ],
        "fit": ["fit_comments", "--matrix", matrix, "--out", model],
        "tables": [
            "answer", "--comments", read, "--matrix", matrix, "--model", model, "--out", tables,
        ],
        "page": ["explorer", "--tables", tables, "--out", folder / "explorer.html"],
    }  # fmt: skip
    rows = []
    for step, words in steps.items():
        given = [] if step == "page" else ["--settings", chosen]
        rows.append((n_comments, step, *_watch([*words, *given], folder / f"{step}.log")))
        tell(f"{n_comments:,} comments, {step}: {rows[-1][2]:.1f} s, {rows[-1][3]:.0f} MB")
    rows.append((n_comments, "all", sum(row[2] for row in rows), max(row[3] for row in rows)))
    return rows


def _watch(words, log):
    """Seconds and most megabytes, those of its own processes included, of a verb."""
    command = [sys.executable, "-m", "minority_topics", *map(str, words)]
    begin, peak = time.perf_counter(), 0.0
    with open_log(log) as file, subprocess.Popen(command, stdout=file, stderr=file) as process:
        while process.poll() is None:
            peak = max(peak, memory_mb(process.pid))
            time.sleep(PAUSE)
    if process.returncode:
        raise ValueError(why_failed(words[0], [log], how_ended(process.returncode)))
    return time.perf_counter() - begin, peak


def exponents(rows):
    """(step, a) of seconds growing as comments^a, by least squares of logarithms."""
    found = []
    for step in dict.fromkeys(row[1] for row in rows):
        sizes, seconds = zip(*((row[0], row[2]) for row in rows if row[1] == step), strict=True)
        if len(set(sizes)) > 1:
            slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
            found.append((step, float(slope)))
    return found
