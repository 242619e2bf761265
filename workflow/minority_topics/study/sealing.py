"""The manifests of a dataset once all of it is made.

Tables, figures and resources are folders that many steps fill, so no step can tell when one of them
is complete. What comes last lists them, and then all folders of the dataset.
"""

from collections import defaultdict
from pathlib import Path

from ..base.manifest import MANIFEST, describe_step, state, write_manifest
from ..base.places import PACKAGE
from .paths import (
    ALL_FITS,
    BACKGROUND,
    CORPORA,
    CORPUS,
    DATASET,
    DOCUMENTS,
    FITS,
    OWN_COMMENTS,
    OWN_FORMS,
    OWN_MATRIX,
    OWN_MODEL,
    OWN_TABLES,
    parse_batch,
)
from .plan import Plan, split_datasets
from .sources import modules

# What makes files that lie together: change it, and they are made again.
MAKERS = ("scores", "report", "report.figures", "report.templates", "comments.answers")
OWN_FOLDERS = (OWN_COMMENTS, OWN_FORMS, OWN_MATRIX, OWN_MODEL, OWN_TABLES)


def seal(files, settings=None, inputs=(), parts=()):
    """Write the manifests of the folders of `files`, those of subfolders first.

    The uppermost folder is that of the dataset, and has the folders `parts` below it as well.
    """
    code = [Path(path).relative_to(PACKAGE).as_posix() for path in modules(*MAKERS)]
    made_by = describe_step(settings, inputs, code)
    names = defaultdict(list)
    for path in map(Path, files):
        names[path.parent].append(path.name)
    root = min(names, key=lambda folder: len(folder.parts))
    for folder in names.keys() - {root}:
        write_manifest(folder, made_by=made_by, names=names[folder], separate=True)
    below = sorted({*names.keys(), *map(Path, parts)} - {root})
    states = {folder.relative_to(root).as_posix(): state(folder) for folder in below}
    write_manifest(root, made_by=made_by, names=names[root], separate=True, parts=states)


def dataset_parts(config, methods):
    """Folders with manifests that the datasets of a configuration consist of, where they are."""
    study, own = split_datasets(config)
    found = [pattern.format(dataset=dataset) for dataset in own for pattern in OWN_FOLDERS]
    found += _planned(Plan({**config, "datasets": study}, methods)) if study else []
    folders = map(Path, dict.fromkeys(found))
    return [folder for folder in folders if (folder / MANIFEST).exists()]


def _planned(plan):
    for dataset in plan.datasets:
        yield from (plan.folder(pattern, dataset) for pattern in (BACKGROUND, DOCUMENTS))
        for draw in range(plan.draws(dataset)):
            yield CORPUS.format(dataset=dataset, draw=draw)
    for cell in plan.cells:
        for batch in plan.batches:
            fits = FITS.format(**vars(cell), batch=batch)
            yield from (f"{fits}/{repetition}" for repetition in parse_batch(batch))


def sources_of(parts):
    """Corpora and fits of a study, each kind as one folder: what its tables are made from."""
    tops = {Path(CORPORA).name, Path(ALL_FITS).name}
    # A dataset may have the name of one of them.
    n_parts = len(Path(DATASET).parts)
    places = {place for folder in parts for place in (folder, *folder.parents)}
    return sorted(p for p in places if p.name in tops and len(p.parts) > n_parts)
