"""The paper's table of topics discovered: ten words each, with glosses."""

import textwrap

import matplotlib.pyplot as plt

from . import OURS

WIDTH = 118
LEAST_KNOWN = 0.3


def table(topics):
    return topics


def plot(table, looks):
    """One line of words a topic, and one of glosses below it where there are any."""
    if table.empty:
        figure, axes = plt.subplots(figsize=(4, 0.6))
        axes.axis("off")
        axes.text(0, 0.5, "No fit came out.")
        return figure
    blocks = [_lines(topic, rows) for topic, rows in table.groupby("topic", sort=False)]
    n_lines = sum(len(words) + len(glosses) + 0.6 for _, words, glosses in blocks)
    figure, axes = plt.subplots(figsize=(9.5, 0.17 * n_lines + 0.5))
    axes.axis("off")
    axes.set(xlim=(0, 1), ylim=(n_lines, 0))
    row = 0.8
    for heading, words, glosses in blocks:
        minority = heading.endswith("minority")
        colour = OURS if minority else "black"
        axes.text(0, row, heading, color=colour, fontweight="bold", fontsize=8, va="center")
        for line in words:
            axes.text(0.16, row, line, fontsize=8, va="center", color=colour)
            row += 1
        for line in glosses:
            axes.text(0.16, row, line, fontsize=7.5, va="center", style="italic", color="#666666")
            row += 1
        axes.axhline(row - 0.25, color="#dddddd", linewidth=0.6)
        row += 0.6
    return figure


def _lines(topic, rows):
    kind = rows["kind"].iloc[0]
    # A star marks a seed word: bold within a line of text would need a layout of its own.
    words = ", ".join(
        f"{w}*" if seed else w for w, seed in zip(rows["word"], rows["seed"], strict=True)
    )
    known = rows["gloss"].notna()
    # A line of little but dashes tells nothing.
    glosses = ", ".join(rows["gloss"].fillna("–")) if known.mean() >= LEAST_KNOWN else ""
    return f"{topic}  {kind}", textwrap.wrap(words, WIDTH), textwrap.wrap(glosses, WIDTH)
