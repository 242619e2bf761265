"""The paper's figure of KL divergence across iterations, with error bars of 10 times the sd."""

import math

import matplotlib.pyplot as plt
import pandas as pd

from .style import COLUMN, INK
from .words import note

N_BARS = 20
TIMES = 10
PANEL = 1.45  # inches


def table(trajectory):
    """Mean and sd over repetitions of the objective at every iteration, for each solver."""
    columns = ["method", "repetitions", "iteration", "mean", "sd"]
    rows = [pd.DataFrame(columns=columns)]
    for method, fits in trajectory.groupby("method", sort=False):
        curves = fits.pivot(index="iteration", columns="repetition", values="objective").ffill()
        shown = pd.DataFrame({"mean": curves.mean(axis=1), "sd": curves.std(axis=1).fillna(0)})
        shown.insert(0, "method", method)
        shown.insert(1, "repetitions", curves.shape[1])
        rows.append(shown.reset_index())
    return pd.concat(rows[1:] or rows)[columns]


def plot(table, looks):
    """A panel per solver, all on one scale that holds every bar."""
    methods = list(dict.fromkeys(table["method"]))
    figure, panels = plt.subplots(
        max(1, len(methods)), 1, figsize=(COLUMN, PANEL * max(1, len(methods)) + 0.5),
        layout="constrained", sharex=True, sharey=True, squeeze=False,
    )  # fmt: skip
    for panel, method in zip(panels.flat, methods, strict=False):
        look = looks[method]
        curve = _shown(table[table["method"] == method])
        panel.plot(curve["iteration"], curve["mean"], color=look.colour, linewidth=1.5)
        every = curve.iloc[:: math.ceil(len(curve) / N_BARS) or 1]
        panel.errorbar(
            every["iteration"], every["mean"], yerr=TIMES * every["sd"], color=INK, linestyle="",
            elinewidth=0.8, capsize=1.5,
        )  # fmt: skip
        panel.set_title(look.name)
        panel.set_ylabel("KL divergence")
        panel.grid(True, axis="both")
    # One x axis for all: its end is that of the longest fit.
    panels[-1, 0].set(xlabel="Iteration", xlim=(0, 1.02 * max(1, table["iteration"].max())))
    note(
        figure,
        f"Mean of {table['repetitions'].max() if len(table) else 0} random states on one corpus; "
        f"bars: {TIMES} times the standard deviation. The start is left out.",
    )
    return figure


def _shown(curve):
    """Without the start: a random one lies far off any scale of interest."""
    return curve[curve["iteration"] > 0]


def describe(table, looks):
    parts = []
    for method, curve in table.groupby("method", sort=False):
        shown = _shown(curve) if len(curve) > 1 else curve
        first, last = shown["mean"].iloc[[0, -1]]
        parts.append(
            f"{looks[method].name} falls from {first:.0f} after the first iteration to {last:.0f} "
            f"after {curve['iteration'].max()} (sd {curve['sd'].iloc[-1]:.1f})"
        )
    return f"KL divergence by iteration: {'; '.join(parts) or 'no fit came out'}."
