"""A long fit on disk: saved every few iterations, found again after a kill."""

import os
from dataclasses import asdict
from pathlib import Path

import numpy as np

from .packed import Packed


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
        arrays = {
            f"{factor}.{name}": value
            for factor in ("W", "H")
            for name, value in asdict(getattr(descent, factor)).items()
        }
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
            for factor in ("W", "H"):
                fields = {
                    name.split(".")[1]: saved[name][()]
                    for name in saved.files
                    if name.startswith(f"{factor}.")
                }
                setattr(descent, factor, Packed(**fields))
            descent.history[:] = saved["history"].tolist()
            descent.reach, descent.reached = float(saved["reach"][0]), bool(saved["reach"][1])
        return descent

    def remove(self):
        if self.path is not None:
            self.path.unlink(missing_ok=True)
