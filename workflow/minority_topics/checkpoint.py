"""A long fit on disk: saved every few iterations, found again after a kill."""

import os
from pathlib import Path

import numpy as np

from .factors import Factor


class Checkpoint:
    """A file of one fit, told from others by its `identity`; with no path it does nothing."""

    def __init__(self, path, every, identity):
        self.path = None if path is None else Path(path)
        self.every = every
        self.identity = identity

    def __call__(self, descent):
        n_iterations = len(descent.history) - 1
        if self.path is not None and n_iterations and n_iterations % self.every == 0:
            self.save(descent)

    def exists(self):
        return self.path is not None and self.path.exists()

    def save(self, descent):
        """Write the whole state, and put it in place of the last one when it is there."""
        arrays = {}
        for name in ("W", "H"):
            factor = getattr(descent, name)
            for when in ("now", "before"):
                X = getattr(factor, when)
                # Most entries are zero.
                arrays[f"{name}.{when}"] = X[X != 0]
                arrays[f"{name}.{when}.where"] = np.packbits(X != 0)
            arrays[f"{name}.sums"] = factor.sums
            arrays[f"{name}.kind"] = factor.kind
        part = self.path.with_name(self.path.name + ".part")
        with open(part, "wb") as file:
            np.savez(
                file, identity=self.identity, history=descent.history,
                reach=[descent.reach, descent.reached], **arrays,
            )  # fmt: skip
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self.path)

    def restore(self, descent):
        """Put `descent`, which has not begun, where the saved one was."""
        with np.load(self.path) as saved:
            if str(saved["identity"]) != self.identity:
                raise ValueError(
                    f"checkpoint {str(self.path)!r} is of another problem: it was saved with "
                    f"{saved['identity']}. Name another file, or remove this one."
                )
            for name in ("W", "H"):
                sums, kind = saved[f"{name}.sums"], saved[f"{name}.kind"]
                factor = Factor(len(kind), sums.shape[1], saved[f"{name}.now"].dtype, kind)
                factor.sums = sums
                for when in ("now", "before"):
                    X = getattr(factor, when)
                    there = np.unpackbits(saved[f"{name}.{when}.where"], count=X.size)
                    X[...] = 0
                    X[there.reshape(X.shape).astype(bool)] = saved[f"{name}.{when}"]
                setattr(descent, name, factor)
            descent.history[:] = saved["history"].tolist()
            descent.reach, descent.reached = int(saved["reach"][0]), bool(saved["reach"][1])
        return descent

    def remove(self):
        if self.path is not None:
            self.path.unlink(missing_ok=True)
