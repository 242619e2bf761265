"""A fitted model on disk: `model.json`, `model.npz` and a manifest, and no pickle.

JSON holds the parameters and what can be read, the archive holds the arrays. All that a fit learnt
is kept but what is as long as the corpus, `lambda_` and the attributes of documents: a loaded model
transforms, and goes on with `partial_fit`, as the saved one would. A `random_state` that is a
generator, and `word_vectors`, which a fit has used, are kept as None.
"""

import math
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import __version__
from ..base.files import is_fault_of_machine, read_json, replacing, write_json
from ..base.manifest import check_manifest, refuse_foreign_manifest, write_manifest
from .checks import is_whole
from .guidance import NUMBERS, SHARES, Learnt, Listed
from .model import Batches, ConstrainedNMF

MODEL = "model.json"
ARRAYS = "model.npz"
KIND = "ConstrainedNMF"
# Of the files, not of the library: it grows when an older library could not read them.
FORMAT = 2
# Attributes of a model by where they are kept; those that a model does not have are left out.
AS_ARRAYS = ("components_", "mu_", "objective_history_")
AS_NUMBERS = ("n_features_in_", "n_iter_", "feasible_")
AS_FLOATS = ("objective_", "least_denominator_")


def save_model(model, folder):
    """Write a fitted model into a folder, which may hold other files, and its manifest last."""
    check_is_fitted(model)
    folder = Path(folder)
    refuse_foreign_manifest(folder)
    parameters = model.get_params(deep=False) | {"word_vectors": None}
    parameters = {name: _plain(value) for name, value in parameters.items()}
    arrays = {name.rstrip("_"): getattr(model, name) for name in AS_ARRAYS if hasattr(model, name)}
    if not isinstance(model.start, str):
        parameters["start"] = None
        arrays |= {"start_W": np.asarray(model.start[0]), "start_H": np.asarray(model.start[1])}
    seen, guidance = model._batches, model._guidance
    arrays["batches_use"] = seen.use
    arrays["listed"] = guidance.listed
    learnt_guidance = None
    if isinstance(guidance, Learnt):
        arrays |= {"word_probability": guidance.word_probability, "prior": guidance.prior}
        learnt_guidance = {name: _plain(getattr(guidance, name)) for name in NUMBERS}
    learnt = {name: _plain(getattr(model, name)) for name in AS_NUMBERS if hasattr(model, name)}
    learnt |= {name: _text(getattr(model, name)) for name in AS_FLOATS if hasattr(model, name)}
    if hasattr(model, "kkt_"):
        learnt["kkt_"] = {name: _text(value) for name, value in model.kkt_.items()}
    if hasattr(model, "feature_names_in_"):
        learnt["feature_names_in_"] = list(model.feature_names_in_)
    with replacing(folder / ARRAYS, "wb") as file:
        np.savez_compressed(file, **arrays)
    write_json(
        folder / MODEL,
        {
            "kind": KIND,
            "format": FORMAT,
            "library": __version__,
            "parameters": parameters,
            "learnt": learnt,
            "batches": {"number": seen.number, "n_documents": seen.n_documents},
            "n_minority": model._n_minority,
            "guidance": learnt_guidance,
        },
    )
    write_manifest(folder, names=[MODEL, ARRAYS])


def load_model(folder, kind=ConstrainedNMF):
    """The model of a folder; refuses files that are damaged, or of a later format."""
    folder = Path(folder)
    if not (folder / MODEL).is_file():
        raise ValueError(f"{folder / MODEL}: no such file; name a folder that a model was saved to")
    check_manifest(folder, MODEL, ARRAYS, remedy="save the model again, or fit it again")
    try:
        facts = read_json(folder / MODEL)
        form = facts["format"] if facts["kind"] == KIND else None
    except (ValueError, KeyError):
        form = None
    if not is_whole(form, 1):
        raise ValueError(f"{folder / MODEL}: it is not the file of a {KIND}; save the model again")
    if form > FORMAT:
        raise ValueError(
            f"{folder / MODEL}: a later version of this library, {facts.get('library')}, wrote it "
            f"in format {form}, and {__version__} reads formats up to {FORMAT}; update the library"
        )
    try:
        return _restored(kind, facts, _read_arrays(folder / ARRAYS))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(
            f"{folder}: {MODEL} and {ARRAYS} are not those of one model "
            f"({type(error).__name__}: {error}); save the model again"
        ) from error


def _restored(kind, facts, arrays):
    parameters = dict(facts["parameters"])
    parameters["w_max"] = float(parameters["w_max"])
    if parameters["start"] is None:
        parameters["start"] = arrays["start_W"], arrays["start_H"]
    model = kind(**parameters)
    for name in AS_ARRAYS:
        if name.rstrip("_") in arrays:
            setattr(model, name, arrays[name.rstrip("_")])
    for name, value in facts["learnt"].items():
        if name in AS_FLOATS:
            value = None if value is None else float(value)
        elif name == "kkt_":
            value = {key: float(number) for key, number in value.items()}
        elif name == "feature_names_in_":
            value = np.array(value, dtype=object)
        elif name not in AS_NUMBERS:
            raise KeyError(name)
        setattr(model, name, value)
    model._n_minority = facts["n_minority"]
    model._follow(_guidance(facts, arrays, model.components_.shape[-1]))
    model._batches = Batches(arrays["batches_use"], **facts["batches"])
    _check(model)
    return model


def _guidance(facts, arrays, n_words):
    """Of format 1, in which the list was the law, the columns have another name."""
    listed = arrays["listed"] if facts["format"] > 1 else arrays["seed_columns"]
    if listed.ndim != 1 or not ((listed >= 0) & (listed < n_words)).all():
        raise ValueError("a seed column is outside of the components")
    if facts.get("guidance") is None:
        return Listed(listed, n_words)
    word_probability, prior = arrays["word_probability"], arrays["prior"]
    if word_probability.shape != (n_words,) or prior.shape != (len(SHARES) + 1,):
        raise ValueError("the guidance is not that of the components")
    if not all(((array >= 0) & (array <= 1)).all() for array in (word_probability, prior)):
        raise ValueError("a probability is not one")
    guidance = Learnt(listed, word_probability, prior, **facts["guidance"])
    if not 0 < guidance.rbar < 1:
        raise ValueError("the share of the domain is not between 0 and 1")
    return guidance


def _check(model):
    """Refuse arrays that do not fit together: compiled code trusts them."""
    H = model.components_
    if H.ndim != 2 or H.shape[1] != model.n_features_in_ or H.dtype.kind != "f":
        raise ValueError(f"components of shape {H.shape} for {model.n_features_in_} words")
    if not np.isfinite(H).all() or (H < 0).any():
        raise ValueError("components are negative or not finite")
    model._check_topics()


def _read_arrays(path):
    try:
        with np.load(path, allow_pickle=False) as saved:
            return {name: saved[name] for name in saved.files}
    except Exception as error:  # a damaged archive raises anything
        if is_fault_of_machine(error):
            raise
        raise ValueError(f"{path.name} cannot be read") from error


def _plain(value):
    """A parameter as JSON has it."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else _text(value)
    if is_whole(value, least=-math.inf):
        return int(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, np.random.RandomState):
        return None
    if isinstance(value, Mapping):  # a vocabulary: the column of each word
        return sorted(value, key=value.__getitem__)
    return [_plain(item) for item in value]


def _text(number):
    """A number that JSON cannot hold as text, others as they are."""
    if number is None or math.isfinite(number):
        return number if number is None else float(number)
    return str(float(number))
