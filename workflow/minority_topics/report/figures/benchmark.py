"""Time of the exact solver and of its peers, by the number of documents."""

import matplotlib.pyplot as plt

from .labels import label_ends, plain_decades
from .style import COLUMN, GREY, INK, MARKERS, OURS
from .words import listed, note

PANELS = {
    "seconds_per_iteration": "Seconds per iteration",
    "seconds_to_0.1%": "Seconds to within 0.1%",
    "peak_memory_mb": "Peak memory, MB",
}
EXACT = "exact"
PANEL = 1.8  # inches


def table(cases):
    """Cases of the number of topics that every solver was asked for, with most threads."""
    shown = cases[~cases["solver"].isin(["exact, start", "exact, whole fit", "exact, passes"])]
    peers = shown[shown["solver"] != EXACT]
    main = (peers if len(peers) else shown)["n_topics"].iloc[0]
    shown = shown[(shown["n_topics"] == main) & (shown["threads"] == shown["threads"].max())]
    return shown[["solver", "n_documents", "n_topics", "threads", "status", *PANELS]]


def plot(table, looks):
    figure, panels = plt.subplots(
        len(PANELS), 1, figsize=(COLUMN, PANEL * len(PANELS) + 0.5), layout="constrained"
    )
    for panel, (column, title) in zip(panels, PANELS.items(), strict=True):
        ends = []
        for number, solver in enumerate(dict.fromkeys(table["solver"])):
            part = table[(table["solver"] == solver) & table[column].notna()]
            ours = solver == EXACT
            panel.plot(
                part["n_documents"], part[column], marker=MARKERS[number % len(MARKERS)],
                color=OURS if ours else GREY, linewidth=1.8 if ours else 1,
                markeredgecolor=INK, markeredgewidth=0.4, zorder=3 if ours else 2,
            )  # fmt: skip
            if len(part):
                ends.append((*part[["n_documents", column]].iloc[-1], solver, ours))
        panel.set_title(title)
        panel.grid(True, axis="both")
        if ends:
            panel.set(xscale="log", yscale="log")
            plain_decades(panel.xaxis)
            plain_decades(panel.yaxis)
        label_ends(panel, ends, PANEL - 0.5)
    panels[-1].set_xlabel("Documents")
    note(figure, f"{_words(table)}; a point is missing where a solver ran out of time.")
    return figure


def _words(table):
    first = table.iloc[0]
    return f"{first['n_topics']} topics, {first['threads']} threads, all from the same start"


def describe(table, looks):
    column = "seconds_per_iteration"
    most = table[table["n_documents"] == table["n_documents"].max()].dropna(subset=[column])
    named = [f"{row['solver']} {row[column]:.3g}" for _, row in most.sort_values(column).iterrows()]
    numbers = (
        f" Seconds per iteration with {table['n_documents'].max():,} documents: {listed(named)}."
        if named
        else ""
    )
    return f"Time and memory of solvers by the number of documents; {_words(table)}.{numbers}"
