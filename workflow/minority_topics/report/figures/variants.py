"""Tunings of models and newer peers beside the models, in purity and NMI, in the first setting."""

import textwrap

import matplotlib.pyplot as plt

from .rows import best_of, height_of, name_rows, spread, write_numbers
from .style import COLUMN, FAINT, GREY, OURS
from .summaries import columns_of, first_setting
from .words import data_words, leaders, listed, note, rivals, spread_words

METRICS = {"purity": "Purity", "nmi": "NMI"}
GAP = 0.5
CHARACTERS = 16  # of a name in a line
SECOND_LINE = 0.7  # of a row, for a name of two lines
DASHES = ("--", ":", "-.")


def table(summary):
    return columns_of(first_setting(summary), METRICS)


def plot(table, looks):
    models = table[[not looks[method].control for method in table["method"]]]
    variants, peers = _added(models, looks)
    places = _places(models["method"], peers, looks)
    figure, panels = plt.subplots(
        1, len(METRICS), figsize=(COLUMN, height_of(places, 1.1)), layout="constrained",
        sharey=True,
    )  # fmt: skip
    name_rows(panels[0], places, looks, _name)
    for panel, (metric, label) in zip(panels, METRICS.items(), strict=True):
        panel.set_title(label)
        panel.tick_params(axis="y", length=0)
        for _, row in models[models[metric].notna()].iterrows():
            y, look = places[row["method"]], looks[row["method"]]
            spread(panel, row, metric, y, GREY)
            panel.plot(
                row[metric], y, "o", color=look.colour, markersize=4,
                markerfacecolor="white" if row["method"] in variants else look.colour, zorder=4,
                gid=f"point-{metric}-{row['method']}",
            )  # fmt: skip
        write_numbers(panel, models, metric, places, best_of(table, metric, looks))
        _refer(panel, table, metric, looks)
        panel.set_xlim(0, None)
        panel.locator_params(axis="x", nbins=3)
        if peers:
            panel.axhline(min(places[peer] for peer in peers) - 1, color=FAINT, linewidth=0.6)
    words = f"{data_words(table)}; {spread_words(models, 'purity')}."
    words += " Open circles are variants." if variants else ""
    words += " The last rows are newer models beyond the paper." if peers else ""
    note(figure, words)
    handles, labels = panels[0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside upper left", ncols=2, handlelength=1.8)
    return figure


def _added(models, looks):
    """What the main table lacks: variants of models, and newer peers, which are models."""
    added = list(models.loc[models["table"] != "scores", "method"])
    peers = [name for name in added if looks[name].model == name]
    return [name for name in added if name not in peers], peers


def _name(look):
    """The label, in lines that leave room for the panels."""
    return textwrap.fill(look.label, CHARACTERS)


def _places(methods, peers, looks):
    """The y of every row, variants below their models and peers last."""
    families: dict[str, list[str]] = {}
    for name in sorted(methods, key=lambda name: name in peers):
        families.setdefault(looks[name].model, []).append(name)
    places: dict[str, float] = {}
    row = 0.0
    for model, family in families.items():
        row += GAP if peers and model == peers[0] else 0
        for name in sorted(family, key=lambda name: name != model):
            extra = SECOND_LINE * _name(looks[name]).count("\n")
            places[name] = row + extra / 2
            row += 1 + extra
    return places


def _refer(panel, table, metric, looks):
    """Lines down the panel: the first of ours, and what the seed words alone give."""
    rows = rivals(table, looks).dropna(subset=[metric])
    ours = [row for _, row in rows.iterrows() if looks[row["method"]].ours][:1]
    keywords = [row for _, row in rows.iterrows() if looks[row["method"]].control]
    lines = [(row, OURS, "-") for row in ours]
    lines += [(row, GREY, dash) for row, dash in zip(keywords, DASHES, strict=False)]
    for row, colour, dash in lines:
        panel.axvline(
            row[metric], color=colour, linestyle=dash, linewidth=0.9, zorder=2,
            label=looks[row["method"]].name, gid=f"line-{metric}-{row['method']}",
        )  # fmt: skip


def describe(table, looks):
    best = (f"{label}: {leaders(table, metric, looks)}" for metric, label in METRICS.items())
    models = table[[not looks[method].control for method in table["method"]]]
    variants, peers = _added(models, looks)
    counts = {"model": len(models) - len(variants) - len(peers)}
    counts |= {"variant": len(variants), "newer model": len(peers)}
    shown = [f"{n} {what}{'s' if n > 1 else ''}" for what, n in counts.items() if n]
    return (
        f"Purity and NMI of {listed(shown)} on {data_words(table)}. Highest "
        f"{'. Highest '.join(best)}."
    )
