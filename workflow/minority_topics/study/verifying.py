"""Problems of results: files that are damaged, missing, stale or foreign."""

from pathlib import Path

from ..base.manifest import verify
from ..corpus.storage import FILES
from ..methods.contract import FIT_FILES
from .paths import OWN_TOPICS

# Of documents, a corpus and a fit: where one lies without a manifest, that is missing.
MARKS = ("0.csv", "corpus.json", "status.json")


def find_problems(folder):
    """All problems of the results below a folder."""
    if not Path(folder).is_dir():
        raise ValueError(f"{folder}: no such folder; name one with results")
    return verify(folder, MARKS, (*FILES, *FIT_FILES), own=[Path(OWN_TOPICS).name])
