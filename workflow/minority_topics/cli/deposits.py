"""Verbs for what is given away: archives of results, and runs that make them again."""

import sys
from pathlib import Path

from .verbs import argument, verb


@verb(
    "Pack results with code, configuration, locks and provenance into one file for deposit.",
    argument("datasets", nargs="*", help="(default: all that are complete)"),
    argument("--out", type=Path, default=Path("results/archive.zip"), help="the zip file"),
)
def archive(options):
    from ..study.archive import pack
    from ..study.paths import PROVENANCE

    found = sorted(path.parent.name for path in Path().glob(PROVENANCE.format(dataset="*")))
    if not (datasets := options.datasets or found):
        raise ValueError("results: there is no complete dataset; run the study first")
    for name in pack(datasets, options.out):
        print(f"{name} is named with its hash, and not packed: it is not ours to publish")
    print(f"{options.out} holds {', '.join(datasets)}.")


@verb(
    "Run an archive again in a fresh folder, and compare its tables and figures byte for byte.",
    argument("archive", type=Path, help="zip file that `archive` wrote"),
    argument("--out", type=Path, default=Path("reproduced"), help="folder (default: reproduced)"),
    argument("--cores", default="all", help="(default: all)"),
    extra="workflow",
)
def reproduce(options):
    from ..study.archive import bring_inputs, compare, lend_environments, run_again, unpack

    datasets = unpack(options.archive, options.out)
    for dataset in datasets:
        bring_inputs(options.out, dataset)
    lend_environments(options.out)
    for dataset in datasets:
        run_again(options.out, dataset, options.cores)
    compared = [pair for dataset in datasets for pair in compare(options.out, dataset)]
    for name, verdict in compared:
        print(f"{name}: {verdict}")
    unequal = sum(verdict != "equal" for _, verdict in compared)
    print(f"{len(compared) - unequal} of {len(compared)} files are equal, byte for byte.")
    if unequal or not compared:
        sys.exit(1)
