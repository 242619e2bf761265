"""A model that is saved and loaded is the same model, and nothing else is loaded."""

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from minority_topics import ConstrainedNMF
from minority_topics.base.manifest import DamagedFolder, write_manifest
from minority_topics.comments import folders
from minority_topics.nmf import storage

WORDS = [f"word{number}" for number in range(12)]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def corpus(n_documents=40, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    return csr_matrix(rng.poisson(0.4, (n_documents, len(WORDS))).astype(dtype))


def fitted(dtype=np.float64, **parameters):
    defaults = {"n_topics": 4, "n_minority": 2, "seed_words": [1, 5], "random_state": 0}
    return ConstrainedNMF(**(defaults | parameters | {"max_iter": 20})).fit(corpus(dtype=dtype))


def rewrite(folder, **changes):
    path = folder / storage.MODEL
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    write_manifest(folder)


def test_the_files_have_the_names_of_the_contract():
    assert (storage.MODEL, storage.ARRAYS) == (folders.MODEL, folders.ARRAYS)


@settings(max_examples=15, deadline=None)
@given(
    n_topics=st.integers(1, 6),
    share=st.floats(0, 1),
    theta_min=st.floats(0, 0.9),
    w_max=st.sampled_from([0.0, 1e-9, 0.3, float("inf")]),
    solver=st.sampled_from(["exact", "paper", "projected"]),
    dtype=st.sampled_from([np.float32, np.float64]),
    state=st.integers(0, 5),
)
def test_a_loaded_model_transforms_to_the_same_bytes(
    tmp_path_factory, n_topics, share, theta_min, w_max, solver, dtype, state
):
    folder = tmp_path_factory.mktemp("model")
    model = fitted(
        dtype, n_topics=n_topics, n_minority=int(share * n_topics), theta_min=theta_min,
        w_max=w_max, solver=solver, random_state=state,
    )  # fmt: skip
    model.save(folder)
    again = ConstrainedNMF.load(folder)
    new = corpus(30, dtype, seed=state + 1)
    assert again.transform(new).tobytes() == model.transform(new).tobytes()
    assert again.get_params() == model.get_params()
    assert again.kkt_ == model.kkt_
    assert again.objective_ == model.objective_
    assert again.n_iter_ == model.n_iter_
    assert again.partial_fit(new).components_.tobytes() == (
        model.partial_fit(new).components_.tobytes()
    )


@pytest.mark.parametrize(
    "parameters",
    [
        {"seed_words": ["word1"], "vocabulary": WORDS},
        {"seed_words": ("word1",), "vocabulary": {word: n for n, word in enumerate(WORDS)}},
        {"seed_words": np.array([1, 5]), "n_topics": np.int64(4), "theta_min": np.float32(0.25)},
        {"start": (np.ones((40, 4)), np.ones((4, 12)))},
        {"random_state": np.random.RandomState(0)},
    ],
)
def test_any_form_of_parameters_comes_back(tmp_path, parameters):
    model = fitted(**parameters)
    model.save(tmp_path)
    again = ConstrainedNMF.load(tmp_path)
    np.testing.assert_array_equal(again.transform(corpus()), model.transform(corpus()))
    np.testing.assert_array_equal(again.seed_columns_, model.seed_columns_)
    again.fit(corpus())  # its parameters are sound


def test_batches_go_on_after_a_load(tmp_path):
    model = ConstrainedNMF(4, 2, seed_words=[1, 5], random_state=0)
    for seed in range(3):
        model.partial_fit(corpus(seed=seed))
    model.save(tmp_path)
    again = ConstrainedNMF.load(tmp_path)
    assert not hasattr(again, "objective_")
    for each in (model, again):
        each.partial_fit(corpus(seed=9))
    np.testing.assert_array_equal(again.components_, model.components_)


def test_a_subclass_loads_itself(tmp_path):
    class Mine(ConstrainedNMF):
        pass

    fitted().save(tmp_path)
    assert type(Mine.load(tmp_path)) is Mine


def test_a_model_that_is_not_fitted_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        ConstrainedNMF(seed_words=[0]).save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_later_format_is_refused_and_says_what_to_do(tmp_path):
    fitted().save(tmp_path)
    rewrite(tmp_path, format=storage.FORMAT + 1, library="9.0")
    with pytest.raises(ValueError, match=r"later version.* 9\.0.*update the library"):
        ConstrainedNMF.load(tmp_path)


def test_a_model_of_the_first_format_is_read(tmp_path):
    """Its list was the law, and nothing was said of guidance."""
    model = fitted()
    model.save(tmp_path)
    facts = json.loads((tmp_path / storage.MODEL).read_text(encoding="utf-8"))
    parameters = facts["parameters"]
    del facts["guidance"], parameters["guidance"], parameters["word_vectors"]
    with np.load(tmp_path / storage.ARRAYS) as saved:
        arrays = dict(saved)
    arrays["seed_columns"] = arrays.pop("listed")
    np.savez_compressed(tmp_path / storage.ARRAYS, **arrays)
    text = json.dumps(facts | {"format": 1})
    (tmp_path / storage.MODEL).write_text(text, encoding="utf-8")
    write_manifest(tmp_path)
    again = ConstrainedNMF.load(tmp_path)
    assert again.transform(corpus()).tobytes() == model.transform(corpus()).tobytes()
    np.testing.assert_array_equal(again.seed_columns_, model.seed_columns_)


@pytest.mark.parametrize("changes", [{"format": "1"}, {"format": True}, {"kind": "NMF"}])
def test_a_file_of_something_else_is_refused(tmp_path, changes):
    fitted().save(tmp_path)
    rewrite(tmp_path, **changes)
    with pytest.raises(ValueError, match="not the file of a ConstrainedNMF"):
        ConstrainedNMF.load(tmp_path)


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no such file; name a folder"):
        ConstrainedNMF.load(tmp_path)


@pytest.mark.parametrize("name", [storage.MODEL, storage.ARRAYS])
def test_a_damaged_file_is_refused(tmp_path, name):
    fitted().save(tmp_path)
    content = bytearray((tmp_path / name).read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DamagedFolder, match=f"{name} is damaged.*; save the model again, or fit"):
        ConstrainedNMF.load(tmp_path)


def test_other_files_of_the_folder_are_left_alone(tmp_path):
    (tmp_path / "data.csv").write_text("a")
    for _ in range(2):  # its own manifest is no hindrance
        fitted().save(tmp_path)
    listed = json.loads((tmp_path / "manifest.json").read_text())["files"]
    assert {*listed} == {storage.MODEL, storage.ARRAYS}
    (tmp_path / "data.csv").write_text("b")
    ConstrainedNMF.load(tmp_path)


@pytest.mark.parametrize("content", ['{"name": "app"}', '{"files": {}}', "no JSON"])
def test_the_manifest_of_another_program_is_not_overwritten(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(ValueError, match=r"manifest\.json .* would be overwritten; save to an"):
        fitted().save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]
    assert (tmp_path / "manifest.json").read_text() == content


@pytest.mark.parametrize("columns", [[12], [-1]])
def test_a_seed_column_that_is_not_there_is_refused(tmp_path, columns):
    model = fitted()
    model._guidance.listed = np.array(columns)
    model.save(tmp_path)
    with pytest.raises(ValueError, match="a seed column is outside"):
        ConstrainedNMF.load(tmp_path)


def test_parts_of_two_models_are_refused(tmp_path):
    fitted().save(tmp_path)
    rewrite(tmp_path, n_minority=1)
    with pytest.raises(ValueError, match="not those of one model"):
        ConstrainedNMF.load(tmp_path)


def test_nothing_in_the_arrays_is_run(tmp_path):
    fitted().save(tmp_path)
    np.savez(tmp_path / storage.ARRAYS, components=np.array({"a": 1}, dtype=object))
    write_manifest(tmp_path)
    with pytest.raises(ValueError, match=r"model\.npz cannot be read"):
        ConstrainedNMF.load(tmp_path)


def test_the_files_hold_no_pickle_and_are_the_same_each_time(tmp_path):
    """The bytes do not depend on time or process, so a manifest can tell a change."""
    for name in ("a", "b"):
        fitted().save(tmp_path / name)
    for name in (storage.MODEL, storage.ARRAYS, "manifest.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    with np.load(tmp_path / "a" / storage.ARRAYS, allow_pickle=False) as saved:
        assert all(saved[name].dtype.kind in "fi" for name in saved.files)


@pytest.mark.slow
def test_another_process_gets_the_same_weights(tmp_path):
    model = fitted(np.float32)
    model.save(tmp_path / "model")
    program = (
        "import sys, numpy as np, scipy.sparse as sp\n"
        "from minority_topics import ConstrainedNMF\n"
        "V = sp.csr_matrix(np.load(sys.argv[2]))\n"
        "np.save(sys.argv[3], ConstrainedNMF.load(sys.argv[1]).transform(V))\n"
    )
    V = corpus(25, np.float32, seed=4)
    np.save(tmp_path / "V.npy", V.toarray())
    arguments = [str(tmp_path / name) for name in ("model", "V.npy", "W.npy")]
    subprocess.run([sys.executable, "-c", program, *arguments], check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "W.npy"), model.transform(V))
