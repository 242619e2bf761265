"""What a configuration asks for: names of variants, tables, and no fit twice."""

import copy
import shlex

import pytest
import yaml

from minority_topics.report.catalogue import FIGURES
from minority_topics.study import plan as plan_module
from minority_topics.study.config import complete
from minority_topics.study.paths import BACKGROUND, DOCUMENTS, FITS, ROOT
from minority_topics.study.plan import Cell, Plan
from minority_topics.study.registry import ConfigError, find_method, read_methods

METHODS = read_methods()
SMALL = {
    "datasets": {"sim": {"kind": "injected", "seed_words": "config/seed_words_fi.txt", "draws": 3}},
    "settings": [{"n_topics": 20, "n_minority": 7}, {"n_topics": 30, "n_minority": 10}],
    "methods": ["constrained_nmf", "nmf"],
    "figures": [],
}


def plan_of(**changes):
    config = complete({**copy.deepcopy(SMALL), **changes}, FIGURES)
    return Plan(config, METHODS)


def test_a_variant_of_a_method_has_the_options_of_its_row_with_changes():
    row = find_method(METHODS, "constrained_nmf_paper/eta=10")
    assert row.options == {**METHODS["constrained_nmf_paper"].options, "eta": 10}
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


@pytest.mark.parametrize(
    ("key", "value", "background", "documents"),
    [
        ("seed_share", 0.5, "sim", "sim"),
        ("wrong_seed_share", 0.5, "sim", "sim"),
        ("rate", 0.2, "sim", "sim/rate=0.2"),
        ("n_words", 2, "sim", "sim/n_words=2"),
        ("overlap", 0.2, "sim", "sim/overlap=0.2"),
        ("n_documents", 100, "sim/n_documents=100", "sim/n_documents=100"),
    ],
)
def test_a_variant_uses_the_folders_that_its_key_does_not_touch(key, value, background, documents):
    plan = plan_of(sweeps={"points": {"key": key, "values": [value], "methods": ["nmf"]}})
    (cell,) = plan.tables["sim", "points"].cells
    assert plan.folder(BACKGROUND, cell.dataset) == BACKGROUND.format(dataset=background)
    assert plan.folder(DOCUMENTS, cell.dataset) == DOCUMENTS.format(dataset=documents)


def test_the_table_of_an_ablation_tells_the_bounds_that_its_fits_were_asked_for():
    ablation = {"method": "constrained_nmf_paper", "options": {"eta": [0.1]}}
    options = {"constrained_nmf_paper": {"theta_min": 0.2}}
    plan = plan_of(ablations={"learning_rate": ablation}, options=options)
    varied = plan.tables["sim", "learning_rate"].varied
    assert varied == {"eta": 0.001, "w_max": 1e-9, "theta_min": 0.2}


def test_sweep_varies_the_dataset_and_nothing_else():
    sweep = {"key": "rate", "values": [0.1, 0.2], "methods": ["nmf"]}
    plan = plan_of(sweeps={"rates": sweep})
    cells = plan.tables["sim", "rates"].cells
    assert [cell.dataset for cell in cells] == ["sim", "sim/rate=0.2"]
    changed = {**plan.datasets["sim"], "rate": 0.2}
    assert plan.datasets["sim/rate=0.2"] == changed


def test_keys_that_are_varied_by_themselves_share_the_original():
    varied = {"seed_share": [1.0, 0.5], "wrong_seed_share": [0.0, 0.25, 1.0]}
    plan = plan_of(sweeps={"noise": {"vary": varied, "methods": ["nmf"]}})
    table = plan.tables["sim", "noise"]
    assert [cell.dataset for cell in table.cells] == [
        "sim",
        "sim/seed_share=0.5",
        "sim/wrong_seed_share=0.25",
        "sim/wrong_seed_share=1.0",
    ]
    assert table.varied == {"seed_share": 1.0, "wrong_seed_share": 0.0}
    assert plan.datasets["sim/seed_share=0.5"]["wrong_seed_share"] == 0


def test_a_sweep_is_of_the_datasets_that_it_names():
    datasets = {"sim": SMALL["datasets"]["sim"], "large": SMALL["datasets"]["sim"]}
    sweep = {"key": "rate", "values": [0.2], "methods": ["nmf"]}
    sweeps = {"all": sweep, "one": {**sweep, "datasets": ["large"]}}
    plan = plan_of(datasets=datasets, sweeps=sweeps)
    swept = {(dataset, name) for dataset, name in plan.tables if name != "scores"}
    assert swept == {("sim", "all"), ("large", "all"), ("large", "one")}


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"variants": ["corex_strength2"]}, ["corex_strength2"]),
        ({"peers": ["lda"]}, ["lda"]),
        ({"peers": ["lda"], "variants": ["corex_strength2"]}, ["corex_strength2", "lda"]),
    ],
)
def test_variants_and_peers_stand_beside_the_methods_in_the_first_setting(changes, names):
    plan = plan_of(**changes)
    cells = plan.tables["sim", "variants"].cells
    assert [cell.method for cell in cells] == [*SMALL["methods"], *names]
    assert {cell.setting for cell in cells} == {"20-7"}
    assert len(plan.cells) == 4 + len(names)


def test_rivals_are_models_and_the_controls_that_see_no_labels():
    rivals = {name for name, method in METHODS.items() if method.is_rival}
    assert METHODS.keys() - rivals == {"truth", "random", "single"}


GRID = {"a": list(range(60)), "b": list(range(50))}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"ablations": {"grid": {"method": "nmf", "options": GRID}}},
            "ablations.grid: 3000 folders of fits of dataset sim would put .* and 100000 is the "
            "most; raise batch_size, or give fewer values or repetitions",
        ),
        (
            {"sweeps": {"rates": {"key": "rate", "values": [0.1, 0.2], "methods": ["nmf"]}},
             "repetitions": 2000, "batch_size": 1},
            "table scores: 8000 folders of fits of dataset sim would",
        ),
        (
            {"datasets": {"sim": {**SMALL["datasets"]["sim"], "draws": 10_000}},
             "repetitions": 10_000, "batch_size": 100},
            "datasets.sim: 10000 corpora and 100 repetitions would",
        ),
    ],
)  # fmt: skip
def test_more_names_than_a_command_can_hold_are_refused(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        plan_of(**changes).check_commands()


def test_names_are_counted_as_a_shell_is_given_them():
    grid = {"a": [*range(30)], "init": ["x", "y"]}
    plan = plan_of(ablations={"grid": {"method": "nmf", "options": grid}}, repetitions=25)
    assert plan.batches == ["0-9", "10-19", "20-24"]
    folders = [
        FITS.format(**vars(cell), batch=batch)
        for cell in plan.tables["sim", "grid"].cells
        for batch in plan.batches
    ]
    length = len(shlex.join(folders))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan_module, "LONGEST_COMMAND", length - 1)
        with pytest.raises(ValueError, match=f"{len(folders)} folders"):
            plan.check_commands()
        patch.setattr(plan_module, "LONGEST_COMMAND", 2 * length)
        plan.check_commands()


def test_random_states_are_studied_on_one_corpus():
    plan = plan_of(figures=["stability"])
    assert {cell.dataset for cell in plan.tables["sim", "random_states"].cells} == {"sim/draws=1"}
    one = copy.deepcopy(SMALL["datasets"])
    one["sim"]["draws"] = 1
    plan = plan_of(figures=["error_bar"], datasets=one)
    assert {cell.dataset for cell in plan.tables["sim", "random_states"].cells} == {"sim"}


def test_shipped_configurations_hold_the_paper():
    config = complete(
        yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8")), FIGURES
    )
    plan = Plan(config, METHODS)
    models = {METHODS[name].module for name in config["methods"]} - {"controls", "keywords"}
    assert len(models) == 12
    assert plan.settings == ["20-7", "30-10", "50-15", "80-20"]
    points = plan.tables["simulated", "constraints"].cells
    assert len({cell.method for cell in points}) == 7 * 5
    assert "constrained_nmf" in {cell.method for cell in points}  # the paper's 1e-9 and 0.4


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"variants": ["corex_9"]}, "variants: 'corex_9' is not a method"),
        ({"peers": ["corex_9"]}, "peers: 'corex_9' is not a method"),
        ({"peers": ["truth"]}, "peers: 'truth' is a control; list it under methods."),
        ({"peers": ["nmf"]}, "peers: 'nmf' is listed under methods too; remove one"),
        ({"peers": ["corex_strength2"]}, "peers: 'corex_strength2' is a variant; list it under"),
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
            {"sweeps": {"a": {"key": "rate", "methods": ["nmf"]}}},
            "sweeps.a: give either both key and values",
        ),
        ({"sweeps": {"a": {"methods": ["nmf"]}}}, "sweeps.a: give either both key and values"),
        (
            {"sweeps": {"a": {"key": "rate", "vary": {"rate": [1]}, "methods": ["nmf"]}}},
            "or vary alone",
        ),
        (
            {"sweeps": {"a": {"vary": {"kind": [1]}, "methods": ["nmf"]}}},
            "sweeps.a.vary: 'kind' must be one of rate, n_words",
        ),
        (
            {"sweeps": {"a": {"vary": {"seed_share": [2]}, "methods": ["nmf"]}}},
            "sweeps.a.vary: seed_share=2 must be at most 1",
        ),
        (
            {"sweeps": {"a": {"vary": {"rate": [1]}, "methods": ["nmf"], "datasets": ["smi"]}}},
            "sweeps.a.datasets: 'smi' is no dataset of the study; did you mean 'sim'?",
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
            "ablations.constraints: the figure of this ablation shows theta_min and w_max",
        ),
        (
            {
                "ablations": {
                    "decomposition": {"method": "constrained_nmf", "options": {"n_int": [1, 8]}}
                }
            },
            "ablations.decomposition: the figure of this ablation shows n_init, solver, start,",
        ),
    ],
)
def test_wrong_parts_are_refused_by_name(changes, sentence):
    with pytest.raises(ConfigError, match=sentence):
        plan_of(**changes)
