"""A long fit on disk: saved every few iterations, found again after a kill."""

import errno
import hashlib
import json
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np

from .. import __version__
from ..base.files import replacing
from ..base.text import shown
from .factors import Factor

REMEDY = "name another file, or remove this one."


class Checkpoint:
    """The file of one fit, which `identity` tells from others; without a path it does nothing.

    `identity` is a dict of what the fit is about: another problem's file is refused.
    """

    def __init__(self, path, every, identity):
        self.path = None if path is None else Path(path)
        self.every = every
        self.identity = {"version": __version__, **identity}
        if self.path is not None:
            self._check_place()

    def _check_place(self):
        """Refuse a path that cannot be written to, before the fit and not at its first save."""
        try:
            if self.path.is_dir():
                raise IsADirectoryError
            with suppress(FileNotFoundError):
                self.path.lstat()
            with tempfile.TemporaryFile(dir=self.path.parent):
                pass
        except IsADirectoryError:
            raise ValueError(
                f"checkpoint {str(self.path)!r} is a folder; name a file in it."
            ) from None
        except ValueError as error:
            raise ValueError(
                f"checkpoint {str(self.path)!r} cannot be the name of a file ({error}); take that "
                "character out."
            ) from None
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                raise ValueError(
                    f"checkpoint {shown(str(self.path))} is too long for the name of a file; give "
                    "a shorter one."
                ) from None
            raise ValueError(
                f"checkpoint {str(self.path)!r} cannot be written ({error.strerror}); name a file "
                "in a folder that is there and can be written to."
            ) from None

    def __call__(self, descent):
        n_iterations = len(descent.history) - 1
        if self.path is not None and n_iterations and n_iterations % self.every == 0:
            self.save(descent)

    def exists(self):
        return self.path is not None and self.path.exists()

    def save(self, descent):
        """Write the whole state, and replace the last one once it is complete."""
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
        with replacing(self.path, "wb") as file:
            np.savez(
                file, identity=json.dumps(self.identity), history=descent.history,
                reach=[descent.reach, descent.reached], **arrays,
            )  # fmt: skip

    def restore(self, descent):
        """Put `descent`, which has not begun, where the saved one was."""
        try:
            saved = self._read()
            identity = json.loads(str(saved["identity"]))
        except Exception as error:  # whatever a damaged file leads to
            raise ValueError(
                f"checkpoint {str(self.path)!r} is damaged, or no checkpoint at all "
                f"({type(error).__name__}); {REMEDY}"
            ) from None
        self._check_identity(identity)
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

    def _read(self):
        """All arrays of the file, once every checksum in it is found right."""
        with zipfile.ZipFile(self.path) as archive:
            spoilt = archive.testzip()
        if spoilt is not None:
            raise zipfile.BadZipFile(spoilt)
        with np.load(self.path, allow_pickle=False) as saved:
            return {name: saved[name] for name in saved.files}

    def _check_identity(self, identity):
        for name, ours in self.identity.items():
            theirs = identity.get(name) if isinstance(identity, dict) else None
            if theirs != ours:
                raise ValueError(
                    f"checkpoint {str(self.path)!r} is of another problem: {name} is {theirs} "
                    f"there and {ours} here; {REMEDY}"
                )

    def remove(self):
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def fingerprint(*arrays):
    """A short digest of the contents of arrays."""
    sha = hashlib.sha256()
    for array in arrays:
        array = np.ascontiguousarray(array)
        sha.update(f"{array.dtype.str}{array.shape}".encode())
        sha.update(array.data)
    return sha.hexdigest()[:16]
