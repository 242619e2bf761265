"""What a configuration asks for: names of variants, tables, and no fit twice."""

import copy

import pytest
import yaml

from minority_topics.config import complete
from minority_topics.plan import Cell, Plan
from minority_topics.registry import (
    ROOT,
    ConfigError,
    find_method,
    parse_variant,
    read_methods,
    variant,
)

METHODS = read_methods()
SMALL = {
    "datasets": {"sim": {"kind": "injected", "seed_words": "config/seed_words_fi.txt", "draws": 3}},
    "settings": [{"n_topics": 20, "n_minority": 7}, {"n_topics": 30, "n_minority": 10}],
    "methods": ["constrained_nmf", "nmf"],
    "figures": [],
}


def plan_of(**changes):
    config = complete({**copy.deepcopy(SMALL), **changes})
    return Plan(config, METHODS)


def test_names_of_variants_tell_what_was_changed():
    name = variant("nmf", {"w_max": 1e-9, "start": "random", "n": 5})
    assert name == 'nmf/w_max=1e-09,start="random",n=5'
    assert parse_variant(name) == ("nmf", {"w_max": 1e-9, "start": "random", "n": 5})
    assert variant("nmf", {}) == "nmf"
    assert parse_variant("nmf") == ("nmf", {})


def test_a_variant_of_a_method_has_the_options_of_its_row_with_changes():
    row = find_method(METHODS, "constrained_nmf_paper/eta=10")
    assert row.options == {"solver": "paper", "start": "random", "eta": 10}
    assert row.module == "constrained_nmf"
    with pytest.raises(ConfigError, match="no method 'nfm'"):
        find_method(METHODS, "nfm/eta=1")


def test_scores_are_every_method_in_every_setting():
    plan = plan_of()
    assert list(plan.tables) == [("sim", "scores")]
    assert len(plan.cells) == 4
    assert plan.cells[0] == Cell("sim", "constrained_nmf", "20-7")


def test_ablation_is_a_grid_whose_original_is_not_fitted_twice():
    grid = {"w_max": [1e-9, 0.1], "theta_min": [0.2, 0.4]}
    plan = plan_of(ablations={"constraints": {"method": "constrained_nmf", "options": grid}})
    table = plan.tables["sim", "constraints"]
    assert table.varied == {"w_max": 1e-9, "theta_min": 0.4}
    assert [cell.method for cell in table.cells] == [
        "constrained_nmf/theta_min=0.2",
        "constrained_nmf",
        "constrained_nmf/w_max=0.1,theta_min=0.2",
        "constrained_nmf/w_max=0.1",
    ]
    assert {cell.setting for cell in table.cells} == {"20-7"}
    assert len(plan.cells) == 4 + 3


def test_sweep_varies_the_dataset_and_nothing_else():
    sweep = {"key": "rate", "values": [0.1, 0.2], "methods": ["nmf"]}
    plan = plan_of(sweeps={"rates": sweep})
    cells = plan.tables["sim", "rates"].cells
    assert [cell.dataset for cell in cells] == ["sim", "sim/rate=0.2"]
    changed = {**plan.datasets["sim"], "rate": 0.2}
    assert plan.datasets["sim/rate=0.2"] == changed


def test_random_states_are_studied_on_one_corpus():
    plan = plan_of(figures=["stability"])
    assert {cell.dataset for cell in plan.tables["sim", "random_states"].cells} == {"sim/draws=1"}
    one = copy.deepcopy(SMALL["datasets"])
    one["sim"]["draws"] = 1
    plan = plan_of(figures=["error_bar"], datasets=one)
    assert {cell.dataset for cell in plan.tables["sim", "random_states"].cells} == {"sim"}


def test_shipped_configurations_hold_the_paper():
    config = complete(yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8")))
    plan = Plan(config, METHODS)
    models = {METHODS[name].module for name in config["methods"]} - {"controls"}
    assert len(models) == 12
    assert plan.settings == ["20-7", "30-10", "50-15", "80-20"]
    points = plan.tables["simulated", "constraints"].cells
    assert len({cell.method for cell in points}) >= 25
    assert "constrained_nmf" in {cell.method for cell in points}  # the paper's 1e-9 and 0.4


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"variants": ["corex_9"]}, "variants: 'corex_9' is not a method"),
        (
            {"ablations": {"a": {"method": "nfm", "options": {"x": [1]}}}},
            "ablations.a.method: 'nfm' is not a method",
        ),
        (
            {"sweeps": {"a": {"key": "rate", "values": [1], "methods": ["nfm"]}}},
            "sweeps.a.methods: 'nfm' is not a method",
        ),
        (
            {"sweeps": {"a": {"key": "kind", "values": [1], "methods": ["nmf"]}}},
            "sweeps.a.key='kind' must be one of",
        ),
        (
            {"sweeps": {"scores": {"key": "rate", "values": [1], "methods": ["nmf"]}}},
            "'scores' is the name of another table",
        ),
        ({"figures": ["pie"]}, "figures: 'pie' is not a figure"),
        ({"methods": ["truth", "random"]}, "methods: name at least one that is not a control"),
        (
            {"sweeps": {"a": {"key": "rate", "values": [2], "methods": ["nmf"]}}},
            "sweeps.a.values: rate=2 must be at most 1",
        ),
        (
            {
                "ablations": {
                    "constraints": {"method": "constrained_nmf", "options": {"w_max": [0]}}
                }
            },
            "ablations.constraints is drawn against theta_min, w_max",
        ),
    ],
)
def test_wrong_parts_are_refused_by_name(changes, sentence):
    with pytest.raises(ConfigError, match=sentence):
        plan_of(**changes)
