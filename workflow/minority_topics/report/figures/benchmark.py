"""Time of the exact solver and of its peers, by the number of documents."""

import matplotlib.pyplot as plt

from . import COLOURS, MARKERS, OURS

PANELS = {
    "seconds_per_iteration": "Seconds per iteration",
    "seconds_to_0.1%": "Seconds to 0.1% above the best",
    "peak_memory_mb": "Peak memory, MB",
}


def table(cases):
    """Cases of the number of topics that every solver was asked for, with most threads."""
    shown = cases[~cases["solver"].isin(["exact, start", "exact, whole fit", "exact, passes"])]
    peers = shown[shown["solver"] != "exact"]
    main = (peers if len(peers) else shown)["n_topics"].iloc[0]
    shown = shown[(shown["n_topics"] == main) & (shown["threads"] == shown["threads"].max())]
    return shown[["solver", "n_documents", "n_topics", "threads", "status", *PANELS]]


def plot(table, looks):
    figure, panels = plt.subplots(1, len(PANELS), figsize=(11, 3.8), layout="constrained")
    for panel, (column, title) in zip(panels, PANELS.items(), strict=True):
        for number, solver in enumerate(dict.fromkeys(table["solver"])):
            part = table[(table["solver"] == solver) & table[column].notna()]
            ours = solver == "exact"
            panel.plot(
                part["n_documents"], part[column], marker=MARKERS[number % len(MARKERS)],
                color=OURS if ours else COLOURS[number % len(COLOURS)], label=solver,
                linewidth=2.5 if ours else 1.2, markersize=5, zorder=3 if ours else 2,
            )  # fmt: skip
        panel.set(xscale="log", xlabel="Documents")
        if table[column].notna().any():
            panel.set_yscale("log")
        panel.set_title(title, loc="left")
        panel.grid(axis="both")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False, fontsize=8)
    first = table.iloc[0]
    figure.supxlabel(
        f"{first['n_topics']} topics, {first['threads']} threads, all from the same start; a point "
        "is missing where a solver ran out of time",
        fontsize=8,
    )
    return figure
