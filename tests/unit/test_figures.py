"""Every figure shows its table, and the same table gives the same bytes."""

import itertools

import numpy as np
import pandas as pd
import pytest

from minority_topics.report.catalogue import FIGURES, SWEEP_TITLES
from minority_topics.report.figures import draw, looks_of
from minority_topics.scores.cards import CARDS
from minority_topics.scores.matches import TOPIC_COLUMNS
from minority_topics.scores.tables import read_frame, write_frame
from minority_topics.study.registry import read_methods

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
            row |= {"n_minority": n_minority, "repetition": repetition, "status": status}
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
    table = scores_of(methods)
    return table.assign(seconds=1.0, peak_memory_mb=100.0) if source == "resources" else table


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FIGURES, *SWEEP_TITLES])
def test_figure_is_drawn_twice_alike_even_with_gaps(name, tmp_path):
    methods = METHODS
    if "constraints" in getattr(FIGURES.get(name), "table", ""):
        methods = {"constrained_nmf": ["ok", "ok"]}
    table_for(name, methods).to_csv(tmp_path / "table.csv", index=False)
    for copy in ("a", "b"):
        draw(name, tmp_path / "table.csv", read_methods(), tmp_path / copy / f"{name}.png")
    for ending in ("png", "pdf", "csv"):
        first, second = (tmp_path / copy / f"{name}.{ending}" for copy in ("a", "b"))
        assert first.read_bytes() == second.read_bytes()
        assert first.stat().st_size > 30


@pytest.mark.parametrize(
    "name",
    [name for name, figure in FIGURES.items() if figure.table in ("scores", "random_states")],
)
def test_figure_of_nothing_but_failures_is_still_drawn(name, tmp_path):
    scores_of({"constrained_nmf": ["failed"]}).to_csv(tmp_path / "table.csv", index=False)
    draw(name, tmp_path / "table.csv", read_methods(), tmp_path / f"{name}.png")
    assert (tmp_path / f"{name}.png").exists()


def test_every_model_has_a_look_of_its_own():
    methods = read_methods()
    looks = looks_of(methods)
    models = {row.module: looks[name] for name, row in methods.items() if row.kind != "control"}
    assert len({(look.colour, look.marker) for look in models.values()}) == len(models)
    assert looks["corex_strength8"].colour == looks["corex"].colour
    assert looks["corex_strength8"].name == "Corex strength 8"
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
    write_frame(tmp_path / "table.csv", scores)
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
