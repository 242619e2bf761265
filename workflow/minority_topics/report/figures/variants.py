"""Tunings of models and newer peers beside the models, in purity and NMI, in the first setting."""

import matplotlib.pyplot as plt

from .rows import best_of, height_of, name_rows, spread, write_numbers
from .style import COLUMN, FAINT, GREY, OURS
from .summaries import columns_of, first_setting
from .words import data_words, leaders, note, rivals, spread_words

METRICS = {"purity": "Purity", "nmi": "NMI"}
GAP = 0.5
DASHES = ("--", ":", "-.")


def table(summary):
    return columns_of(first_setting(summary), METRICS)


def plot(table, looks):
    models = table[[not looks[method].control for method in table["method"]]]
    places, peers = _places(models, looks)
    figure, panels = plt.subplots(
        1, len(METRICS), figsize=(COLUMN, height_of(places, 1.1)), layout="constrained",
        sharey=True,
    )  # fmt: skip
    name_rows(panels[0], places, looks)
    for panel, (metric, label) in zip(panels, METRICS.items(), strict=True):
        panel.set_title(label)
        panel.tick_params(axis="y", length=0)
        for _, row in models[models[metric].notna()].iterrows():
            y, look = places[row["method"]], looks[row["method"]]
            spread(panel, row, metric, y, GREY)
            tuned = look.model != row["method"]
            panel.plot(
                row[metric], y, "o", color=look.colour, markersize=4,
                markerfacecolor="white" if tuned else look.colour, zorder=4,
                gid=f"point-{metric}-{row['method']}",
            )  # fmt: skip
        write_numbers(panel, models, metric, places, best_of(table, metric, looks))
        _refer(panel, table, metric, looks)
        panel.set_xlim(0, None)
        panel.locator_params(axis="x", nbins=3)
        if peers:
            panel.axhline(min(places[peer] for peer in peers) - 1, color=FAINT, linewidth=0.6)
    words = f"{data_words(table)}; {spread_words(models, 'purity')}. Open circles are variants"
    words += ", the last rows newer models beyond the paper." if peers else "."
    note(figure, words)
    handles, labels = panels[0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside upper left", ncols=2, handlelength=1.8)
    return figure


def _places(models, looks):
    """The y of every row, variants below their models and peers last; and the peers."""
    known = dict(zip(models["method"], models["table"], strict=True))
    # A model that the main table lacks is no baseline of the study.
    peers = [name for name in known if looks[name].model == name and known[name] != "scores"]
    families: dict[str, list[str]] = {}
    for name in sorted(known, key=lambda name: name in peers):
        families.setdefault(looks[name].model, []).append(name)
    places: dict[str, float] = {}
    row = 0.0
    for model, family in families.items():
        row += GAP if peers and model == peers[0] else 0
        for name in sorted(family, key=lambda name: name != model):
            places[name] = row
            row += 1
    return places, peers


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
    n_models = sum(not looks[method].control for method in table["method"])
    return (
        f"Purity and NMI of {n_models} models, their variants and newer peers on "
        f"{data_words(table)}. Highest {'. Highest '.join(best)}."
    )
