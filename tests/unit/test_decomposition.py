"""The figure of what each part brings: every mark in its place, readable by everybody."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from minority_topics.report.catalogue import FIGURES
from minority_topics.report.figures import decomposition
from minority_topics.report.figures.decomposition import METRICS, SETS
from minority_topics.report.figures.style import STYLE
from minority_topics.scores.parts import OPTIONS, OURS, PUBLISHED

GRID = (["exact", "projected", "paper"], ["block", "random"], [1, 8], [1e-9, 1e9], [0.4, 0])
# Machado, Oliveira and Fernandes 2009, in linear RGB.
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
)
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175],
     [0.0193339, 0.119192, 0.9503041]]
)  # fmt: skip


def scores_of(grid=GRID, repetitions=6, status="ok"):
    """Made-up scores of every point of a grid; a failed fit has none."""
    rng = np.random.default_rng(0)
    rows = []
    for values, repetition in itertools.product(itertools.product(*grid), range(repetitions)):
        row = {"dataset": "toy", "method": "constrained_nmf"}
        row |= dict(zip(OPTIONS, values, strict=True))
        row |= {"n_topics": 20, "n_minority": 7, "repetition": repetition, "corpus": 0}
        row |= {"status": status, "reason": "" if status == "ok" else "no memory"}
        rows.append(row | {name: rng.random() if status == "ok" else np.nan for name in METRICS})
    return pd.DataFrame(rows)


def mean_at(scores, point, metric):
    chosen = (scores[OPTIONS] == [point[name] for name in OPTIONS]).all(axis=1)
    return scores.loc[chosen, metric].mean()


@pytest.fixture
def scores():
    return scores_of()


@pytest.fixture
def figure(scores):
    with plt.rc_context(STYLE):
        figure = decomposition.plot(decomposition.table(scores), {})
        figure.draw_without_rendering()
        yield figure
        plt.close(figure)


def texts(figure):
    return [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]


def test_every_combination_has_its_mark_in_its_row(scores, figure):
    for panel, metric in zip(figure.axes, METRICS, strict=True):
        rows = dict(zip(panel.get_yticks(), figure.axes[0].get_yticklabels(), strict=True))
        drawn = {}
        for label, *_ in SETS.values():
            (marks,) = (line for line in panel.lines if line.get_label() == label)
            for x, y in marks.get_xydata():
                place = min(rows, key=lambda row, y=y: abs(row - y))
                assert abs(place - y) < 0.4, "the mark is within its row"
                drawn[place, label] = x
        assert len(drawn) == 48
        first, last = min(rows), max(rows)
        assert rows[first].get_text() == "block, 8 starts"
        assert rows[last].get_text() == "random, 1 start"
        assert drawn[first, "both constraints"] == pytest.approx(mean_at(scores, OURS, metric))
        published = mean_at(scores, PUBLISHED, metric)
        assert drawn[last, "both constraints"] == pytest.approx(published)
        free = mean_at(scores, {**PUBLISHED, "w_max": 1e9, "theta_min": 0}, metric)
        assert drawn[last, "no constraint"] == pytest.approx(free)
        alone = mean_at(scores, {**OURS, "theta_min": 0}, metric)
        assert drawn[first, r"$W_{\max}$ alone"] == pytest.approx(alone)


def test_both_models_are_named_where_they_are(scores, figure):
    for panel, metric in zip(figure.axes, METRICS, strict=True):
        named = {text.get_text(): text.get_position() for text in panel.texts}
        assert named["ours"][0] == pytest.approx(mean_at(scores, OURS, metric))
        assert named["as published"][0] == pytest.approx(mean_at(scores, PUBLISHED, metric))
        assert named["ours"][1] < named["as published"][1], "the axis grows downwards"


def test_it_reads_in_a_paper(figure):
    assert figure.get_figwidth() <= 7
    assert min(text.get_fontsize() for text in texts(figure)) >= 8
    assert min(contrast(text.get_color()) for text in texts(figure)) >= 4.5


def test_marks_are_apart_for_colour_blind_readers():
    colours, markers = ([look[at] for look in SETS.values()] for at in (1, 2))
    assert len(set(markers)) == len(SETS)
    for pair in itertools.combinations(colours, 2):
        first, second = (lab(DEUTERANOPIA @ linear(colour)) for colour in pair)
        assert np.linalg.norm(first - second) > 20
    assert min(map(contrast, colours)) >= 3


def linear(colour):
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIELAB, in which a distance of 10 is plain to see."""
    x, y, z = np.cbrt(XYZ @ np.clip(rgb, 0.01, 1) / XYZ.sum(axis=1))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(colour):
    """Contrast to white, as WCAG has it."""
    return 1.05 / (XYZ[1] @ linear(colour) + 0.05)


def test_the_description_has_the_main_numbers(scores):
    text = decomposition.describe(decomposition.table(scores), {})
    assert text.startswith("Means of 48 combinations")
    for point in (OURS, PUBLISHED, {**OURS, "start": "random"}, {**OURS, "n_init": 1}):
        purity, nmi = (mean_at(scores, point, metric) for metric in ("purity", "nmi"))
        assert f"{purity:.3f} and {nmi:.3f}" in text


@pytest.mark.parametrize(
    ("table", "note"),
    [
        (scores_of(repetitions=2), "mean of 2 repetitions; lines are the range of the fits"),
        (scores_of(status="failed"), "no fit came out"),
        (scores_of((["exact"], ["block"], [1], [1e-9], [0.4])), "95% intervals over random states"),
    ],
    ids=["few repetitions", "failures", "one point"],
)
def test_less_than_everything_is_still_drawn(table, note):
    shown = decomposition.table(table)
    figure = decomposition.plot(shown, {})
    figure.draw_without_rendering()
    words = " ".join(figure.get_supxlabel().split())
    assert words.startswith("The dataset toy, 20 topics, 7 of them minority; ")
    assert note in words
    plt.close(figure)
    assert "nan" not in decomposition.describe(shown, {})


def test_the_catalogue_has_it_beyond_the_paper():
    entry = FIGURES["decomposition"]
    assert entry.table == "decomposition"
    assert entry.paper == ""
