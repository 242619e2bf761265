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
    from ..study.archive import complete_datasets, pack

    datasets = options.datasets or complete_datasets()
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
    from ..study.archive import reproduce

    verdicts = []
    for name, verdict in reproduce(options.archive, options.out, options.cores):
        print(f"{name}: {verdict}")
        verdicts.append(verdict)
    equal = verdicts.count("equal")
    print(f"{equal} of {len(verdicts)} files are equal, byte for byte.")
    if set(verdicts) != {"equal"}:
        sys.exit(1)
