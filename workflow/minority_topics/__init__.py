"""Guided discovery of minority topics by constrained non-negative matrix factorisation."""

from typing import TYPE_CHECKING

__version__ = "0.1.0"
__all__ = ["ConstrainedNMF", "ConstraintWarning", "ObjectiveWarning"]

if TYPE_CHECKING:
    from .nmf.model import ConstrainedNMF, ConstraintWarning, ObjectiveWarning


def __getattr__(name: str):
    # Loaded on demand: a tool's environment runs the command line without scikit-learn or numba.
    if name in __all__:
        from .nmf import model

        return getattr(model, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
