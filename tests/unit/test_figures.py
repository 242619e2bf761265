"""Every figure shows its table, and the same table gives the same bytes."""

import importlib
import itertools
import re
import warnings
import xml.etree.ElementTree as ET

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.transforms import Bbox

from minority_topics.report.catalogue import FIGURES, SWEEP_TITLES
from minority_topics.report.figures.drawing import draw
from minority_topics.report.figures.style import (
    COLUMN,
    CONTROL,
    GREY,
    GUIDED,
    INK,
    KINDS,
    OUR_SHADES,
    OURS,
    PAGE,
    SMALLEST,
    STYLE,
    UNGUIDED,
    looks_of,
)  # fmt: skip
from minority_topics.scores.cards import CARDS
from minority_topics.scores.matches import TOPIC_COLUMNS
from minority_topics.scores.statistics import summarise
from minority_topics.scores.tables import read_frame, write_frame
from minority_topics.study.registry import read_methods

# Every figure is drawn several times.
pytestmark = pytest.mark.slow

METHODS = {"constrained_nmf": ["ok"] * 3, "nmf": ["ok"] * 3, "lda": ["ok", "failed", "ok"]}


def scores_of(methods, settings=((20, 7), (30, 10)), **varied):
    """A table of scores with made-up numbers, a row per repetition and point of what is varied."""
    rng = np.random.default_rng(0)
    rows = []
    points = [
        dict(zip(varied, values, strict=True)) for values in itertools.product(*varied.values())
    ]
    for point, (n_topics, n_minority), (method, statuses) in itertools.product(
        points, settings, methods.items()
    ):
        for repetition, status in enumerate(statuses):
            row = {"dataset": "simulated", "method": method, **point, "n_topics": n_topics}
            row |= {"n_minority": n_minority, "repetition": repetition, "corpus": repetition}
            row["status"] = status
            row["reason"] = "" if status == "ok" else "no compiler"
            names = [*CARDS, "stability", "objective", "least_seed_share", "largest_free_weight"]
            row |= {name: rng.random() if status == "ok" else np.nan for name in names}
            rows.append(row | {"feasible": status == "ok"})
    return pd.DataFrame(rows)


def table_for(name, methods):
    """The table that a figure is drawn from."""
    source = FIGURES[name].table if name in FIGURES else name
    first = [(20, 7)]
    repetitions = range(3)
    if source in SWEEP_TITLES:
        values = [500, 5000] if source == "n_documents" else [0.5, 1.0]
        return scores_of(methods, first, **{source: values})
    if source == "constraints":
        return scores_of(methods, first, w_max=[0, 1e-9], theta_min=[0.2, 0.4])
    if source == "decomposition":
        options = {"solver": ["exact", "paper"], "start": ["block", "random"], "n_init": [1, 8]}
        options |= {"w_max": [1e-9, 1e9], "theta_min": [0.4, 0]}
        return scores_of({"constrained_nmf": ["ok"] * 3}, first, **options)
    if source == "learning_rate":
        fits = {"constrained_nmf_paper": ["ok", "ok", "failed"]}
        return scores_of(fits, first, eta=[0.1, 1], w_max=[1e-3], theta_min=[0.2])
    if source == "trajectory":
        rows = itertools.product(["constrained_nmf"], repetitions, range(5))
        table = pd.DataFrame(rows, columns=["method", "repetition", "iteration"])
        return table.assign(objective=100 / (1 + table["iteration"]) + table["repetition"])
    if source == "topics":
        words = [("sana", "word", True), ("toinen", np.nan, False)]
        known = (1, "minority", 3, "Suru", "Grief", 0.5)
        rows = [(*known, rank, *word) for rank, word in enumerate(words)]
        rows.append((2, "majority", 4, np.nan, np.nan, np.nan, 1, "kolmas", np.nan, False))
        return pd.DataFrame(rows, columns=TOPIC_COLUMNS)
    if source == "summary":
        return summary_of(scores_of(methods))
    table = scores_of(methods)
    return table.assign(seconds=1.0, peak_memory_mb=100.0) if source == "resources" else table


def summary_of(scores, variants=()):
    """A table `summary`; `variants` are the methods that the main table lacks."""
    summary = summarise(scores, CARDS)
    is_variant = summary["method"].isin(variants)
    return summary.assign(table=np.where(is_variant, "variants", "scores"))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FIGURES, *SWEEP_TITLES])
def test_figure_is_drawn_twice_alike_even_with_gaps(name, tmp_path):
    methods = METHODS
    if "constraints" in getattr(FIGURES.get(name), "table", ""):
        methods = {"constrained_nmf": ["ok", "ok"]}
    table_for(name, methods).to_csv(tmp_path / "table.csv", index=False)
    for copy in ("a", "b"):
        draw(name, tmp_path / "table.csv", read_methods(), tmp_path / copy / f"{name}.png")
    for ending in ("png", "pdf", "svg", "csv", "txt"):
        first, second = (tmp_path / copy / f"{name}.{ending}" for copy in ("a", "b"))
        assert first.read_bytes() == second.read_bytes()
        assert first.stat().st_size > 30


@pytest.mark.parametrize(
    "name",
    [name for name, figure in FIGURES.items() if figure.table in ("summary", "random_states")],
)
def test_figure_of_nothing_but_failures_is_still_drawn(name, tmp_path):
    table = table_for(name, {"constrained_nmf": ["failed"]})
    table.to_csv(tmp_path / "table.csv", index=False)
    draw(name, tmp_path / "table.csv", read_methods(), tmp_path / f"{name}.png")
    assert (tmp_path / f"{name}.png").exists()


def test_colours_tell_kinds_apart_and_variants_share_their_models_look():
    methods = read_methods()
    looks = looks_of(methods)
    for name, row in methods.items():
        if not row.ours:
            assert looks[name].colour == KINDS[row.kind]
    assert looks["keyword_kmeans"].rival
    assert not looks["truth"].rival
    assert looks["corex_strength8"].colour == looks["corex"].colour
    assert looks["corex_strength8"].name == "Corex (strength 8)"
    assert looks["constrained_nmf"].ours
    assert not looks["nmf"].ours


def test_heat_map_has_the_papers_choice_in_its_table(tmp_path):
    table = table_for("kl_sensitivity", {"constrained_nmf": ["ok", "ok"]})
    table.to_csv(tmp_path / "table.csv", index=False)
    draw("kl_sensitivity", tmp_path / "table.csv", read_methods(), tmp_path / "out.png")
    shown = pd.read_csv(tmp_path / "out.csv").set_index(["w_max", "theta_min"])
    chosen = table[(table["w_max"] == 1e-9) & (table["theta_min"] == 0.4)]
    assert shown.loc[(1e-9, 0.4), "objective"] == pytest.approx(
        chosen["objective"].mean(), rel=1e-5
    )


def test_converged_fits_keep_their_last_objective():
    from minority_topics.report.figures.error_bar import table

    rows = [
        ("m", 0, 0, 9.0),
        ("m", 0, 1, 5.0),
        ("m", 1, 0, 9.0),
        ("m", 1, 1, 7.0),
        ("m", 1, 2, 3.0),
    ]
    columns = ["method", "repetition", "iteration", "objective"]
    shown = table(pd.DataFrame(rows, columns=columns))
    assert shown["mean"].tolist() == [9.0, 6.0, 4.0]
    assert shown["sd"].tolist() == pytest.approx([0, np.sqrt(2), np.sqrt(2)])


WORDS = ["null", "nan", "-ness", "=1+1", "NA", "'-x", "true"]


@pytest.mark.parametrize("name", ["null", "nan", "true", "inf"])
def test_a_dataset_may_have_any_name(name, tmp_path):
    scores = scores_of(METHODS).assign(dataset=name)
    write_frame(tmp_path / "table.csv", summary_of(scores))
    draw("purity_nmi", tmp_path / "table.csv", read_methods(), tmp_path / "out.png")
    assert set(read_frame(tmp_path / "out.csv")["dataset"]) == {name}


def test_frames_are_read_as_they_were_written(tmp_path):
    columns = {"word": WORDS, "=x": [0.5, np.nan, -1.0, 1e-9, 0, 1, 2]}
    frame = pd.DataFrame({**columns, "n": range(7), "reason": ["-1", "", *"abcde"]})
    write_frame(tmp_path / "a.csv", frame)
    again = read_frame(tmp_path / "a.csv")
    assert list(again) == list(frame)
    assert again["word"].tolist() == WORDS
    assert again["=x"].dtype == float
    assert again["=x"].isna().tolist() == [False, True, *[False] * 5]
    assert again["n"].tolist() == list(range(7))
    assert again["reason"][0] == "-1"
    assert again["reason"].isna().sum() == 1


def test_captions_are_true_of_labelled_data_too():
    for figure in FIGURES.values():
        words = f"{figure.title} {figure.caption}".lower()
        assert "synthetic" not in words
        assert "injected" not in words
    assert "first repetition that came out" in FIGURES["topics"].caption


# Properties of what is drawn, found by the names that figures give to their parts.

ALL = [
    "constrained_nmf", "constrained_nmf_projected", "nmf", "corex", "lda", "truth", "single",
    "keyword_kmeans",
]  # fmt: skip
OF_SUMMARY = [name for name, figure in FIGURES.items() if figure.table == "summary"]
LOOKS = looks_of(read_methods())


def plotted(name, table, *others):
    """The figure and what it shows of a table, without files."""
    module = importlib.import_module(f"minority_topics.report.figures.{name}")
    shown = module.table(table, *others)
    with plt.rc_context(STYLE):
        figure = module.plot(shown, LOOKS)
    figure.canvas.draw()
    plt.close(figure)
    return figure, shown


def parts(figure, start):
    """Drawn parts whose names begin so, by the rest of their names."""
    found = (part for axes in figure.axes for part in axes.get_children())
    named = ((part.get_gid() or "", part) for part in found)
    return {gid.removeprefix(start): part for gid, part in named if gid.startswith(start)}


def rows_by_label(axes):
    return dict(zip((t.get_text() for t in axes.get_yticklabels()), axes.get_yticks(), strict=True))


def full_summary(n=6, settings=((20, 7), (30, 10)), **changes):
    scores = scores_of({method: ["ok"] * n for method in ALL}, settings)
    for metric in ("purity", "nmi", "jsd_mean"):
        scores[metric] = 0.1 + 0.2 * scores[metric]
        scores.loc[scores["method"] == "truth", metric] = 1.0
    scores["clusters"] = scores["n_topics"]
    return summary_of(scores.assign(**changes))


def test_bars_stand_in_the_row_of_their_method_even_if_a_setting_lacks_one():
    summary = full_summary()
    figure, shown = plotted("purity_nmi", summary)
    rows = rows_by_label(figure.axes[0])
    means = shown.set_index("method")
    for method, bar in parts(figure, "bar-nmi-").items():
        assert bar.get_y() + bar.get_height() / 2 == pytest.approx(rows[LOOKS[method].label])
        assert bar.get_width() == pytest.approx(means.loc[method, "nmi"])

    larger = full_summary(settings=((20, 7), (30, 10), (50, 15)))
    gone = (larger["method"] == "nmf") & (larger["n_topics"] == 50)
    figure, shown = plotted("nmi_scores", larger[~gone])
    rows = rows_by_label(figure.axes[0])
    marks = {**parts(figure, "mark-"), **parts(figure, "beyond-")}
    assert "nmf-50" not in marks
    for name, mark in marks.items():
        method, _ = name.rsplit("-", 1)
        assert abs(mark.get_ydata()[0] - rows[LOOKS[method].label]) < 0.5


def test_a_bar_that_leaves_the_axis_has_a_break_and_no_other_has():
    figure, _ = plotted("purity_nmi", full_summary())
    for panel, metric in zip(figure.axes, ("purity", "nmi"), strict=False):
        end = panel.get_xlim()[1]
        broken = {name.rsplit("-", 1)[0] for name in parts(figure, f"break-{metric}-")}
        bars = parts(figure, f"bar-{metric}-")
        assert broken == {name for name, bar in bars.items() if bar.get_width() > end} == {"truth"}
        assert "1.000" in {text.get_text() for text in panel.texts}


def test_no_mark_of_a_rival_lies_outside_its_axes():
    for name in OF_SUMMARY:
        figure, _ = plotted(name, full_summary())
        for panel in figure.axes:
            (left, right), (low, high) = sorted(panel.get_xlim()), sorted(panel.get_ylim())
            for line in panel.lines:
                if line.get_marker() in ("None", "", None) or not line.get_gid():
                    continue
                x, y = (np.asarray(data, dtype=float) for data in line.get_data())
                assert ((x >= left) & (x <= right) & (y >= low) & (y <= high)).all(), name


def test_published_values_are_marked_only_in_the_papers_setting():
    published = pd.DataFrame({"method": ["nmf", "lda"], "purity": [0.09, 0.05], "nmi": [0.18, 0.1]})
    figure, shown = plotted("purity_nmi", full_summary(), published)
    mark = parts(figure, "published-")["purity"]
    rows = rows_by_label(figure.axes[0])
    assert sorted(mark.get_xdata()) == [0.05, 0.09]
    assert sorted(mark.get_ydata()) == sorted([rows["NMF"], rows["LDA"]])
    assert shown.set_index("method")["purity_published"].dropna().to_dict() == {
        "nmf": 0.09, "lda": 0.05,
    }  # fmt: skip
    figure, shown = plotted("purity_nmi", full_summary(settings=((30, 10),)), published)
    assert not parts(figure, "published-")
    assert "purity_published" not in shown


def test_topics_used_are_told_where_they_are_fewer():
    summary = full_summary()
    summary.loc[(summary["method"] == "lda") & (summary["n_topics"] == 20), "clusters"] = 12
    figure, _ = plotted("purity_nmi", summary)
    used = parts(figure, "used-")
    assert {name: text.get_text() for name, text in used.items()} == {"lda": "12 of 20"}
    assert used["lda"].get_position()[1] == rows_by_label(figure.axes[0])["LDA"]


@pytest.mark.parametrize("name", OF_SUMMARY)
def test_below_five_repetitions_there_are_ranges_and_the_note_says_so(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few, _ = plotted(name, full_summary(3))
        one, _ = plotted(name, full_summary(1))
        many, _ = plotted(name, full_summary(6))
    notes = [" ".join(figure.get_supxlabel().split()) for figure in (few, one, many)]
    assert "lines are the range of the fits, too few for an interval" in notes[0]
    assert "one repetition, too few for an interval" in notes[1]
    assert "95% intervals over corpora and random states" in notes[2]
    caps = [
        sum(line.get_marker() in ("|", "_") for axes in figure.axes for line in axes.lines)
        for figure in (few, one, many)
    ]
    assert caps[:2] == [0, 0]
    assert caps[2] > 0


def test_variants_and_peers_are_only_in_their_figure():
    scores = scores_of(
        {name: ["ok"] * 6 for name in [*ALL, "corex_strength8", "keynmf"]}, [(20, 7)]
    )
    summary = summary_of(scores, ["corex_strength8", "keynmf"])
    for name in ("purity_nmi", "jsd", "nmi_scores", "purity_scores", "purity_nmi_scatter"):
        assert not {"corex_strength8", "keynmf"} & set(plotted(name, summary)[1]["method"])
    figure, _ = plotted("variants", summary)
    places = rows_by_label(figure.axes[0])
    assert places["– strength 8"] == places["Corex"] + 1
    assert places["KeyNMF"] == max(places.values()) > places["LDA"] + 1
    assert set(parts(figure, "line-nmi-")) == {"constrained_nmf", "keyword_kmeans"}


def test_variants_are_told_by_their_table_and_counted_apart():
    from minority_topics.report.figures.variants import describe

    added = ["constrained_nmf_paper_h2", "corex_strength8", "keynmf"]
    summary = summary_of(scores_of({name: ["ok"] * 6 for name in [*ALL, *added]}, [(20, 7)]), added)
    figure, shown = plotted("variants", summary)
    marks = parts(figure, "point-purity-")
    empty = {name for name, mark in marks.items() if mark.get_markerfacecolor() == "white"}
    assert empty == {"constrained_nmf_paper_h2", "corex_strength8"}
    start = "Purity and NMI of 5 models, 2 variants and 1 newer model on the dataset simulated, "
    assert describe(shown, LOOKS).startswith(start)
    labels = figure.axes[0].get_yticklabels()
    assert max(len(line) for text in labels for line in text.get_text().split("\n")) <= 16
    boxes = [text.get_window_extent() for text in labels]
    assert not any(first.overlaps(second) for first, second in itertools.combinations(boxes, 2))

    figure, shown = plotted("variants", full_summary())
    assert describe(shown, LOOKS).startswith("Purity and NMI of 5 models on the dataset")
    assert "variants" not in figure.get_supxlabel()


def test_agreement_of_fits_has_a_range_but_no_interval():
    scores = scores_of({"constrained_nmf": ["ok"] * 6, "lda": ["ok"] * 6}, [(20, 7)])
    scores.loc[scores["method"] == "lda", "stability"] = -0.001
    figure, shown = plotted("stability", scores)
    assert shown[["stability_low", "stability_high"]].isna().all(axis=None)
    assert not any(line.get_marker() == "|" for line in figure.axes[0].lines)
    numbers = {text.get_text() for text in figure.axes[0].texts}
    assert "0.00" in numbers
    assert "-0.00" not in numbers
    assert "range over fits" in " ".join(figure.get_supxlabel().split())


def test_a_score_that_is_undefined_is_a_dash():
    summary = full_summary()
    summary.loc[summary["method"] == "nmf", [name for name in summary if "nmi" in name]] = np.nan
    figure, _ = plotted("purity_nmi", summary)
    numbers = [text.get_text() for text in figure.axes[1].texts]
    assert numbers.count("–") == 1
    assert "nan" not in numbers


def test_intervals_of_scores_without_documents_are_over_random_states():
    summary = full_summary().assign(interval_over="random states and documents")
    for name, over in (("purity_nmi", "random states and documents"), ("jsd", "random states")):
        assert set(plotted(name, summary)[1]["interval_over"]) == {over}


def test_labels_of_the_scatter_lie_apart_and_inside():
    figure, _ = plotted("purity_nmi_scatter", full_summary())
    for panel in figure.axes:
        # Of the text alone: an annotation counts its line too.
        boxes = [plt.Text.get_window_extent(text) for text in panel.texts]
        assert len(boxes) == sum(LOOKS[method].rival for method in ALL)
        for first, second in itertools.combinations(boxes, 2):
            assert not first.overlaps(second)
        frame = panel.get_window_extent().padded(1)
        assert all(frame.contains(*corner) for box in boxes for corner in (box.min, box.max))


def test_labels_keep_off_lines_and_points():
    from minority_topics.report.figures.labels import label_points

    figure, axes = plt.subplots(figsize=(COLUMN, 2.2))
    points = [(0.3, 0.5), (0.6, 0.5), (0.75, 0.6)]
    lines = [((x - 0.2, y), (x + 0.2, y)) for x, y in points]
    lines += [((x, y - 0.2), (x, y + 0.2)) for x, y in points]
    axes.set(xlim=(0, 1), ylim=(0, 1))
    label_points(axes, points, ["Constrained NMF", "Keyword k-means", "NMF"], lines=lines)
    boxes = [plt.Text.get_window_extent(text) for text in axes.texts]
    for line, box in itertools.product(lines, boxes):
        ends = axes.transData.transform(line)
        assert not box.overlaps(Bbox([ends.min(axis=0) - 0.5, ends.max(axis=0) + 0.5]))
    plt.close(figure)


def test_ends_of_lines_are_named_apart():
    from minority_topics.report.figures.labels import spread_out

    assert spread_out([0.1, 0.5, 0.9], 0.1).tolist() == pytest.approx([0.1, 0.5, 0.9])
    assert spread_out([0.5, 0.5], 0.1).tolist() == pytest.approx([0.45, 0.55])
    crowded = spread_out([0.98, 0.99, 1.0], 0.1)
    assert np.diff(crowded).min() == pytest.approx(0.1)
    assert crowded.max() == pytest.approx(1.0)


def test_sensitivity_maps_have_one_scale_from_zero_and_the_sd_in_every_cell():
    scores = scores_of({"constrained_nmf": ["ok"] * 3}, [(20, 7)], w_max=[0, 1e-9, 1e9],
                       theta_min=[0.2, 0.4])  # fmt: skip
    figure, shown = plotted("nmi_purity_sensitivity", scores)
    maps = [axes for axes in figure.axes if axes.images]
    top = shown[["nmi", "purity"]].max().max()
    assert [axes.images[0].get_clim() for axes in maps] == [(0, top), (0, top)]
    assert [tick.get_text() for tick in maps[0].get_yticklabels()] == ["0", "1e-09", "none"]
    first = shown.set_index(["w_max", "theta_min"]).loc[(0, 0.2)]
    sd = f"{first['nmi_sd']:.3f}".removeprefix("0")
    assert maps[0].texts[0].get_text() == f"{first['nmi']:.3f}\n±{sd}"
    figure, shown = plotted("kl_sensitivity", scores.assign(feasible=scores["repetition"] > 0))
    assert shown["met"].tolist() == [2] * 6
    note = " ".join(figure.get_supxlabel().split())
    assert "12 of 18 fits met both constraints" in note


def test_error_bars_have_a_panel_a_solver_that_holds_every_bar():
    rows = itertools.product(["constrained_nmf", "constrained_nmf_paper"], range(3), range(9))
    table = pd.DataFrame(rows, columns=["method", "repetition", "iteration"])
    table = table[(table["method"] != "constrained_nmf") | (table["iteration"] < 4)]
    table["objective"] = 100 / (1 + table["iteration"]) + table["repetition"]
    figure, shown = plotted("error_bar", table)
    assert len(figure.axes) == 2
    drawn = shown[shown["iteration"] > 0]
    for panel in figure.axes:
        low, high = panel.get_ylim()
        assert low <= (drawn["mean"] - 10 * drawn["sd"]).min()
        assert high >= (drawn["mean"] + 10 * drawn["sd"]).max()
        assert panel.get_xlim()[1] >= 8


@pytest.mark.parametrize("name", OF_SUMMARY)
def test_description_has_the_best_numbers_of_the_table(name):
    module = importlib.import_module(f"minority_topics.report.figures.{name}")
    shown = module.table(full_summary())
    metric = {"jsd": "jsd_mean", "nmi_scores": "nmi"}.get(name, "purity")
    rivals = shown[[LOOKS[method].rival for method in shown["method"]]]
    best = rivals[metric].min() if metric == "jsd_mean" else rivals[metric].max()
    text = module.describe(shown, LOOKS)
    assert f"{best:.3f}" in text
    assert text.endswith(".")
    assert "nan" not in text


@pytest.mark.parametrize("name", OF_SUMMARY)
def test_figures_fit_a_column_and_no_text_is_too_small(name):
    figure, _ = plotted(name, full_summary())
    # The labels of seventeen points need two columns.
    assert figure.get_figwidth() <= (PAGE if name == "purity_nmi_scatter" else COLUMN)
    found = [text for text in figure.findobj(plt.Text) if text.get_text() and text.get_visible()]
    assert min(text.get_fontsize() for text in found) >= SMALLEST
    box = figure.get_tightbbox()  # of all that is drawn, in inches
    assert min(box.min) >= -0.02
    assert (box.max <= figure.get_size_inches() + 0.02).all()


def test_svg_can_stand_in_a_page_beside_others(tmp_path):
    write_frame(tmp_path / "table.csv", full_summary())
    ids = []
    for name in ("purity_nmi", "jsd"):
        draw(name, tmp_path / "table.csv", read_methods(), tmp_path / f"{name}.png")
        text = (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
        assert len(text) < 150_000
        root = ET.fromstring(text)
        space = "{http://www.w3.org/2000/svg}"
        assert root.find(f"{space}title").text == FIGURES[name].title
        assert root.find(f"{space}desc").text == (tmp_path / f"{name}.txt").read_text().strip()
        assert "width" not in root.attrib
        assert "viewBox" in root.attrib
        own = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
        assert len(set(own)) == len(own)
        ids += own
        referred = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
        assert referred <= set(own)
        assert set(re.findall(r"https?://[^\"]+", text)) == {"http://www.w3.org/2000/svg"}
        assert "style=" not in text
        assert "<style" not in text
        assert "Constrained NMF" in {element.text for element in root.iter(f"{space}text")}
    assert len(set(ids)) == len(ids)


# Colours: what a reader without green cones sees, and how far apart that is.

# Machado, Oliveira and Fernandes 2009, deuteranopia (severity 1), on linear RGB.
DEUTERANOPIA = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
     [0.0193339, 0.1191920, 0.9503041]]
)  # fmt: skip
WHITE = np.array([0.95047, 1.0, 1.08883])


def linear(colour):
    channels = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIELAB of linear RGB."""
    ratios = TO_XYZ @ rgb / WHITE
    f = np.where(ratios > 216 / 24389, np.cbrt(ratios), (24389 / 27 * ratios + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def ciede2000(first, second):
    """Distance of two colours of CIELAB (Sharma, Wu and Dalal 2005)."""
    (L1, a1, b1), (L2, a2, b2) = first, second
    c = ((np.hypot(a1, b1) + np.hypot(a2, b2)) / 2) ** 7
    g = 0.5 * (1 - np.sqrt(c / (c + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    dh = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    dH = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(dh / 2))
    mean_l, mean_c = (L1 + L2) / 2, (c1 + c2) / 2
    h = h1 + h2 if not c1 * c2 else (h1 + dh / 2) % 360
    t = (
        1 - 0.17 * np.cos(np.radians(h - 30)) + 0.24 * np.cos(np.radians(2 * h))
        + 0.32 * np.cos(np.radians(3 * h + 6)) - 0.2 * np.cos(np.radians(4 * h - 63))
    )  # fmt: skip
    s_l = 1 + 0.015 * (mean_l - 50) ** 2 / np.sqrt(20 + (mean_l - 50) ** 2)
    s_c, s_h = 1 + 0.045 * mean_c, 1 + 0.015 * mean_c * t
    r = -2 * np.sqrt(mean_c**7 / (mean_c**7 + 25**7))
    r *= np.sin(np.radians(60 * np.exp(-(((h - 275) / 25) ** 2))))
    light, chroma, hue = (L2 - L1) / s_l, (c2 - c1) / s_c, dH / s_h
    return np.sqrt(light**2 + chroma**2 + hue**2 + r * chroma * hue)


def without_green(first, second):
    seen = (np.clip(DEUTERANOPIA @ linear(colour), 0, 1) for colour in (first, second))
    return ciede2000(*map(lab, seen))


def contrast(first, second):
    lighter, darker = sorted((linear(c) @ TO_XYZ[1] for c in (first, second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_colour_distance_agrees_with_published_pairs():
    # The first, seventh and 25th pair of Sharma, Wu and Dalal 2005.
    pairs = [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 0, 0), (50, -1, 2), 2.3669),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ]
    for first, second, distance in pairs:
        assert ciede2000(first, second) == pytest.approx(distance, abs=1e-4)


def test_colours_of_a_figure_are_apart_without_green_cones():
    from minority_topics.report.figures.resources import MARKS

    together = {
        "methods": {*OUR_SHADES, GUIDED, UNGUIDED, CONTROL, "#FFFFFF"},
        "settings": {colour for _, colour in MARKS},
    }
    for colours in together.values():
        for first, second in itertools.combinations(sorted(colours), 2):
            assert without_green(first, second) > 10, (first, second)


def test_text_stands_out_from_its_background():
    for colour in (INK, GREY, OURS):
        assert contrast(colour, "#FFFFFF") >= 4.5
    from matplotlib.colors import to_hex

    from minority_topics.report.figures.heatmap import COLOURS, text_colour

    cells = plt.get_cmap(COLOURS)(np.linspace(0, 1, 256))
    assert min(contrast(to_hex(text_colour(cell)), to_hex(cell)) for cell in cells) >= 4.5


def noisy_lists():
    """Scores by share of the list kept and by share of wrong words, each varied by itself."""
    methods = {"constrained_nmf": ["ok"] * 5, "constrained_nmf_learnt": ["ok"] * 5, "nmf": ["ok"]}
    scores = scores_of(methods, [(20, 7)], seed_share=[0.5, 1.0], wrong_seed_share=[0.0, 0.1, 1.0])
    scores.loc[scores["method"] == "nmf", "f1"] = np.nan
    return scores[(scores["seed_share"] == 1) | (scores["wrong_seed_share"] == 0)]


def test_a_sweep_over_two_keys_has_a_column_of_panels_for_each():
    scores = noisy_lists()
    figure, shown = plotted("sweep", scores)
    assert len(figure.axes) == 5 * 2
    lines = parts(figure, "line-")
    means = scores.groupby(["method", "seed_share", "wrong_seed_share"])["jsd_mean"].mean()
    for method in ("constrained_nmf", "constrained_nmf_learnt", "nmf"):
        kept = lines[f"jsd_mean-seed_share-{method}"].get_xydata()
        expected = [(1.0, means[method, 1.0, 0.0]), (0.5, means[method, 0.5, 0.0])]
        assert kept == pytest.approx(np.array(expected))
        wrong = lines[f"jsd_mean-wrong_seed_share-{method}"].get_xydata()
        expected = [(share, means[method, 1.0, share]) for share in (0.0, 0.1, 1.0)]
        assert wrong == pytest.approx(np.array(expected))
    assert "f1-seed_share-constrained_nmf" in lines
    assert "f1-seed_share-nmf" not in lines, "it has no minority topics"
    left, right = figure.axes[:2]
    assert left.xaxis_inverted(), "the whole list comes first"
    assert not right.xaxis_inverted()
    assert left.get_ylim() == right.get_ylim()
    assert len(shown) == 4 * 3


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("wrong_seed_share", [0.0, 0.1, 0.25, 0.5, 1.0]),
        ("overlap", [0.0, 0.1, 0.2, 0.4]),
        ("rate", [0.005, 0.01, 0.02, 0.05, 0.1]),
    ],
)
def test_numbers_below_a_sweep_stand_apart(key, values):
    methods = {"constrained_nmf": ["ok"], "constrained_nmf_learnt": ["ok"]}  # a long name
    figure, _ = plotted("sweep", scores_of(methods, [(20, 7)], **{key: values}))
    figure.draw_without_rendering()
    panel = figure.axes[-1]
    boxes = [label.get_window_extent() for label in panel.get_xticklabels()]
    assert len(boxes) == len(values)
    gaps = [right.x0 - left.x1 for left, right in itertools.pairwise(boxes)]
    assert min(gaps) > 0.03 * figure.dpi


def test_a_sweep_over_two_keys_tells_the_best_of_each(tmp_path):
    noisy_lists().to_csv(tmp_path / "table.csv", index=False)
    draw("noise", tmp_path / "table.csv", read_methods(), tmp_path / "noise.png")
    told = (tmp_path / "noise.txt").read_text(encoding="utf-8")
    assert told.count("the best are at") == 2
    assert "By share of the seed words kept, the best are at 1: Purity " in told
    assert "By wrong seed words per seed word, the best are at 0: Purity " in told
    title = "A shorter list of seed words and wrong words among the seed words"
    assert title in (tmp_path / "noise.svg").read_text(encoding="utf-8")
