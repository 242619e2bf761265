"""All steps from own comments to the page in one go, without a workflow.

A step whose settings, inputs, code and files are as they were when it was made is not made again.
"""

import hashlib
import json
import shutil
from pathlib import Path

from .. import __version__
from ..base.files import read_json, write_json
from ..base.manifest import MANIFEST, is_as_made
from ..comments import keys, steps
from ..study.paths import (
    EXPLORER,
    OWN_COMMENTS,
    OWN_FORMS,
    OWN_MATRIX,
    OWN_MODEL,
    OWN_TABLES,
    OWN_TOPICS,
    find_files,
    resolve,
)
from ..study.sealing import seal
from .explorer import write_explorer

# What a step was made from; hidden, so that no manifest lists it.
MADE_FROM = ".made_from.json"


def explore(name, settings, tell=print):
    """Make the tables and the page of a dataset with complete settings; returns the page's path.

    `tell` is given every line of the summaries.
    """
    comments, forms, matrix, model, tables = (
        Path(pattern.format(dataset=name))
        for pattern in (OWN_COMMENTS, OWN_FORMS, OWN_MATRIX, OWN_MODEL, OWN_TABLES)
    )
    topics_file, page = (Path(path.format(dataset=name)) for path in (OWN_TOPICS, EXPLORER))
    files = [path for pattern in settings["files"] for path in find_files(pattern)]
    seed_words = resolve(settings["seed_words"])

    def read():
        _step(
            comments, _part(keys.READING, settings), files,
            lambda chosen: steps.read(files, comments, chosen, forms=forms), tell,
        )  # fmt: skip

    read()
    own_stop_words = [resolve(settings["stop_words"])] if settings["stop_words"] else []
    # The comments are known by when they were read: without texts, other words may leave no trace.
    words = _part(keys.VECTORISING, settings), [comments / MADE_FROM, seed_words, *own_stop_words]
    if not _is_made(matrix, _made_from(*words)) and not (forms / MANIFEST).exists():
        (comments / MADE_FROM).unlink()
        read()
    _step(
        matrix, *words,
        lambda chosen: steps.vectorise(forms, seed_words, matrix, chosen), tell,
    )  # fmt: skip
    if not settings["keep_texts"] and forms.exists():
        shutil.rmtree(forms)  # words in their order are a text
    vectors = [resolve(settings["word_vectors"])] if settings["word_vectors"] else []
    _step(
        model, _part(keys.FITTING, settings), [matrix, *vectors],
        lambda chosen: steps.fit(matrix, model, chosen), tell,
    )  # fmt: skip
    # Seconds, and the file of names may have been edited: always made anew.
    for line in steps.answer(
        comments, matrix, model, tables, _part(keys.ANSWERING, settings), name=name,
        topics_file=topics_file,
    ):  # fmt: skip
        tell(line)
    write_explorer(tables, page, name)
    folders = (comments, forms, matrix, model, tables)
    seal([page], settings, parts=[folder for folder in folders if folder.exists()])
    return page


def _part(step, settings):
    return keys.settings_of(step, settings)


def _step(out, settings, inputs, run, tell):
    made_from = _made_from(settings, inputs)
    if _is_made(out, made_from):
        tell(f"{out} is up to date.")
        return
    record = out / MADE_FROM
    record.unlink(missing_ok=True)
    for line in run(settings):
        tell(line)
    write_json(record, made_from)


def _made_from(settings, inputs):
    return {
        "version": __version__,
        "settings": settings,
        "inputs": [_state(path) for path in inputs],
    }


def _is_made(out, made_from):
    try:
        before = read_json(out / MADE_FROM)
    except (OSError, ValueError):
        return False
    return before == json.loads(json.dumps(made_from)) and is_as_made(out)


def _state(path):
    """A folder is known by its manifest, a file by its size and time."""
    path = Path(path)
    if path.is_dir():
        manifest = (path / MANIFEST).read_bytes()
        return [str(path), hashlib.sha256(manifest).hexdigest()]
    facts = path.stat()
    return [str(path), facts.st_size, facts.st_mtime_ns]
