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
from ..base.files import is_fault_of_machine, replacing
from ..base.text import shown
from .factors import Factor
from .kernels import batches

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
        """Write the whole state, and replace the last one once it is complete.

        A fit without a path, or before its first iteration, leaves nothing.
        """
        if self.path is None or len(descent.history) < 2:
            return
        with replacing(self.path, "wb") as file, zipfile.ZipFile(file, "w") as archive:
            _write(archive, "identity", json.dumps(self.identity))
            _write(archive, "history", descent.history)
            _write(archive, "reach", [descent.reach, descent.reached])
            for name in ("W", "H"):
                factor = getattr(descent, name)
                _write_nonzeros(archive, f"{name}.now", factor.now)
                _write_nonzeros(archive, f"{name}.before", factor.before)
                _write(archive, f"{name}.sums", factor.sums)
                _write(archive, f"{name}.kind", factor.kind)

    def restore(self, descent):
        """Put `descent`, which has not begun, where the saved one was; the file must exist."""
        assert self.path is not None
        try:
            with _open(self.path) as saved:
                identity = json.loads(str(saved["identity"]))
        except Exception as error:  # whatever a damaged file leads to
            if is_fault_of_machine(error):
                raise
            raise ValueError(
                f"checkpoint {str(self.path)!r} is damaged, or no checkpoint at all "
                f"({type(error).__name__}); {REMEDY}"
            ) from None
        self._check_identity(identity)
        # One array at a time: together they are as large as the fit.
        with np.load(self.path, allow_pickle=False) as saved:
            for name in ("W", "H"):
                sums, kind = saved[f"{name}.sums"], saved[f"{name}.kind"]
                factor = Factor(len(kind), sums.shape[1], descent.passes.dtype, kind)
                factor.sums = sums
                for when in ("now", "before"):
                    there = saved[f"{name}.{when}.where"]
                    _fill(getattr(factor, when), saved[f"{name}.{when}"], there)
                setattr(descent, name, factor)
            descent.history[:] = saved["history"].tolist()
            descent.reach, descent.reached = int(saved["reach"][0]), bool(saved["reach"][1])
        return descent

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


def _open(path):
    """The arrays of a file, to be read by name, once every checksum in it is found right."""
    with zipfile.ZipFile(path) as archive:
        spoilt = archive.testzip()
    if spoilt is not None:
        raise zipfile.BadZipFile(spoilt)
    return np.load(path, allow_pickle=False)


def _write(archive, name, array):
    with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
        np.lib.format.write_array(entry, np.asarray(array), allow_pickle=False)


def _write_nonzeros(archive, name, X):
    """The entries of X (R x whole lines) that are not zero, and where they are, as bits.

    Most are zero. Rows are taken in batches: at full size a copy of W is as large as all else.
    """
    parts = [X[rows] for rows in batches(len(X))]
    # Bits of a batch are whole bytes, since a row is a whole number of lines.
    for ending, dtype, size, values in (
        ("", X.dtype, int(sum(map(np.count_nonzero, parts))), lambda part: part[part != 0]),
        (".where", np.dtype(np.uint8), X.size // 8, lambda part: np.packbits(part != 0)),
    ):
        header = {
            "descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (size,),
        }  # fmt: skip
        with archive.open(f"{name}{ending}.npy", "w", force_zip64=True) as entry:
            np.lib.format.write_array_header_1_0(entry, header)
            for part in parts:
                entry.write(values(part).tobytes())


def _fill(X, values, where):
    """Put back what `_write_nonzeros` wrote, into X."""
    begin, bits = 0, X.shape[1] // 8
    for rows in batches(len(X)):
        part = X[rows]
        there = np.unpackbits(where[rows.start * bits : rows.stop * bits]).reshape(part.shape)
        end = begin + int(there.sum(dtype=np.int64))
        part[...] = 0
        part[there.astype(bool)] = values[begin:end]
        begin = end


def fingerprint(*arrays):
    """A short digest of the contents of arrays."""
    sha = hashlib.sha256()
    for array in arrays:
        array = np.ascontiguousarray(array)
        sha.update(f"{array.dtype.str}{array.shape}".encode())
        sha.update(array.data)
    return sha.hexdigest()[:16]
