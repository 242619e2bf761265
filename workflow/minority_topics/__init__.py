"""Guided discovery of minority topics by constrained non-negative matrix factorisation."""

__version__ = "0.1.0"
__all__ = ["ConstrainedNMF"]


def __getattr__(name):
    # Loaded on demand: a tool's environment runs the command line without scikit-learn or numba.
    if name == "ConstrainedNMF":
        from .model import ConstrainedNMF

        return ConstrainedNMF
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
