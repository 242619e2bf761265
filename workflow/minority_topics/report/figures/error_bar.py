"""The paper's figure of KL divergence across iterations, with error bars of 10 times the sd."""

import matplotlib.pyplot as plt
import pandas as pd

N_BARS = 20
TIMES = 10


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
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for method, curve in table.groupby("method", sort=False):
        look = looks[method]
        curve = curve[curve["iteration"] > 0]  # random starts lie far off any scale of interest
        axes.plot(curve["iteration"], curve["mean"], color=look.colour, label=look.name)
        every = curve.iloc[:: max(1, len(curve) // N_BARS)]
        axes.errorbar(
            every["iteration"],
            every["mean"],
            yerr=TIMES * every["sd"],
            color=look.colour,
            linestyle="",
            elinewidth=1,
            capsize=2,
        )
    axes.set(xlabel="Iteration", ylabel="KL divergence", xlim=(0, None))
    highest = table.loc[table["iteration"] > 0, "mean"].max()
    axes.set_ylim(0, 1.05 * highest if highest > 0 else 1)
    axes.grid(True, axis="both")
    axes.legend(frameon=False)
    figure.supxlabel(
        f"Mean over {table['repetitions'].max()} random states on one corpus; bars: {TIMES} "
        "times the standard deviation",
        fontsize=8,
    )
    return figure
