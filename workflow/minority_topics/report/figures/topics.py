"""The paper's table of topics discovered: ten words each, every word above its gloss.

Places and lengths are in inches, from the upper left corner.
"""

import re
import textwrap
from dataclasses import dataclass

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.font_manager import FontProperties

from .style import GREY, PAGE

FONT = 7
LINE = 0.125
PADDING = 0.06
GAP = 0.09  # between words
# Left ends of columns; numbers end at theirs.
TOPIC, DOCUMENTS, CLOSEST, JSD, WORDS = 0.04, 0.98, 1.08, 2.72, 2.82
CLOSEST_CHARACTERS = 27
TINT = "#FBEBDD"  # behind minority topics


@dataclass(frozen=True)
class Word:
    """A word with its gloss, and where its line has it."""

    text: str
    gloss: str
    seed: bool
    x: float = 0


@dataclass(frozen=True)
class Block:
    """A row of the table, a topic: facts, lines about the closest true topic, lines of words."""

    topic: int
    kind: str
    documents: int
    jsd: float
    name: list[str]
    gloss: list[str]
    words: list[list[Word]]
    glossed: bool

    @property
    def height(self):
        about = (len(self.name) + len(self.gloss)) * LINE
        return max(about, len(self.words) * self.line) + 2 * PADDING

    @property
    def line(self):
        """Height of a line of words, with the glosses below it."""
        return 2.2 * LINE if self.glossed else LINE


def table(topics):
    return topics


def plot(table, looks):
    """A row per topic; minority topics on a tint, seed words in bold."""
    if table.empty:
        figure, axes = plt.subplots(figsize=(4, 0.6))
        axes.axis("off")
        axes.text(0, 0.5, "No fit came out.")
        return figure
    figure = plt.figure(figsize=(PAGE, 1))
    glossed, labelled = table["gloss"].notna().any(), table["closest"].notna().any()
    left = WORDS if labelled else CLOSEST
    blocks = [
        _block(rows, PAGE - left, glossed, _ruler(figure))
        for _, rows in table.groupby("topic", sort=False)
    ]
    head = 2 * LINE
    height = head + sum(block.height for block in blocks)
    figure.set_size_inches(PAGE, height)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, PAGE), ylim=(height, 0))
    axes.axis("off")
    _write_head(axes, left, labelled, glossed)
    top = head
    for block in blocks:
        if block.kind == "minority":
            axes.axhspan(top, top + block.height, color=TINT, linewidth=0)
        axes.axhline(top, color="#bbbbbb", linewidth=0.5)
        _write_block(axes, block, top + PADDING, left)
        top += block.height
    axes.axhline(top, color="#bbbbbb", linewidth=0.5)
    return figure


def describe(table, looks):
    """What the table shows, in words: topics, their sizes, seed words and the best match."""
    if table.empty:
        return "No fit came out, so there are no topics to show."
    topics = table.drop_duplicates("topic")
    minority = topics["kind"] == "minority"
    words = table[table["kind"] == "minority"]
    text = (
        f"A table of {len(topics)} topics with their heaviest words, {minority.sum()} of them "
        f"minority topics, which {topics.loc[minority, 'documents'].sum()} of "
        f"{topics['documents'].sum()} documents are assigned to."
    )
    if len(words):
        text += (
            f" Of the {len(words)} words of minority topics {words['seed'].sum()} are seed words."
        )
    if topics["closest"].notna().any():
        best = topics.nsmallest(1, "closest_jsd").iloc[0]
        text += (
            f" Topic {best['topic']} is closest to a true topic, {_full_name(best)}, with a JSD of "
            f"{best['closest_jsd']:.2f}."
        )
    return text


def _full_name(topic):
    gloss = topic["closest_gloss"]
    return topic["closest"] if pd.isna(gloss) else f"{topic['closest']} ({gloss})"


def _block(rows, room, glossed, width_of):
    first = rows.iloc[0]
    name, gloss = (
        [] if pd.isna(text) else textwrap.wrap(text, CLOSEST_CHARACTERS, max_lines=3)
        for text in (first["closest"], first["closest_gloss"])
    )
    words = [
        Word(word, "" if pd.isna(gloss) else _short(gloss), seed)
        for word, gloss, seed in zip(rows["word"], rows["gloss"], rows["seed"], strict=True)
    ]
    lines = _flow(words, room, width_of)
    return Block(
        first["topic"], first["kind"], first["documents"], first["closest_jsd"], name, gloss,
        lines, glossed,
    )  # fmt: skip


def _short(gloss):
    """The first meaning, without a note in brackets: the CSV has all of it."""
    return re.split(r";| \(", gloss)[0]


def _ruler(figure):
    """A function that measures text, in inches."""
    renderer = figure.canvas.get_renderer()

    def width_of(text, **style):
        font = FontProperties(size=FONT, **style)
        width, _, _ = renderer.get_text_width_height_descent(text, font, ismath=False)
        return width / figure.dpi

    return width_of


def _flow(words, room, width_of):
    """Words in lines of at most the width `room`, each as wide as itself or its gloss."""
    lines: list[list[Word]] = [[]]
    x = 0.0
    for word in words:
        text = _cut(word.text, room, width_of, weight="bold")
        gloss = _cut(word.gloss, room, width_of, style="italic")
        width = max(width_of(text, weight="bold"), width_of(gloss, style="italic"))
        if x and x + width > room:
            lines.append([])
            x = 0.0
        lines[-1].append(Word(text, gloss, word.seed, x))
        x += width + GAP
    return lines


def _cut(text, room, width_of, **style):
    """Text that fits into a line, shortened if it must be."""
    kept = text
    while len(kept) > 1 and width_of(kept, **style) > room:
        kept = f"{kept[:-2]}…"
    return kept


def _write_head(axes, left, labelled, glossed):
    heads = [(TOPIC, "Topic", "left"), (DOCUMENTS, "Doc.", "right")]
    if labelled:
        heads += [(CLOSEST, "Closest true topic", "left"), (JSD, "JSD", "right")]
    heads.append(
        (left, "Words, seed words in bold" + (", with glosses" if glossed else ""), "left")
    )
    for x, text, side in heads:
        _write(axes, x, 0.4 * LINE, text, ha=side, weight="bold")


def _write_block(axes, block, top, left):
    _write(axes, TOPIC, top, f"{block.topic}", weight="bold")
    _write(axes, TOPIC + 0.2, top, block.kind)
    _write(axes, DOCUMENTS, top, f"{block.documents}", ha="right")
    if block.name:
        _write(axes, JSD, top, f"{block.jsd:.2f}", ha="right")
    for number, line in enumerate(block.name + block.gloss):
        style = {} if number < len(block.name) else {"style": "italic", "color": GREY}
        _write(axes, CLOSEST, top + number * LINE, line, **style)
    for line in block.words:
        for word in line:
            weight = "bold" if word.seed else "normal"
            _write(axes, left + word.x, top, word.text, weight=weight)
            if block.glossed:
                below = top + LINE
                _write(axes, left + word.x, below, word.gloss, style="italic", color=GREY)
        top += block.line


def _write(axes, x, y, text, **style):
    # A word may hold a dollar sign, which would begin a formula.
    axes.text(x, y, text, fontsize=FONT, va="top", parse_math=False, **style)
