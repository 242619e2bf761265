"""Verbs that make tables of fits: scores, what else fits have left, comparisons and verdicts."""

from pathlib import Path

from .studies import METHODS_FILE
from .verbs import argument, count, json_object, verb

FITS = argument("fits", type=Path, nargs="+", help="folders that `fit` wrote")
SHOWN = argument("fits", type=Path, help="folder of `fit`; the first successful fit in it is used")
GLOSSES = argument(
    "--glosses", type=Path, nargs="*", default=[], help=".tsv of words, or .yaml of topics"
)
OUT = argument("--out", type=Path, required=True)


@verb(
    "Score fits against their corpora: a table, a row each.",
    FITS,
    argument(
        "--varied", type=json_object, default={}, help="JSON, settings that differ: original values"
    ),
    argument("--processes", type=count, default=1),
    OUT,
)
def score(options):
    from ..scores.scoring import score_fits
    from ..scores.tables import write_rows

    write_rows(options.out, score_fits(options.fits, options.varied, options.processes))


@verb(
    "Score fits of one corpus again, under 200 resamples of its documents.",
    FITS,
    argument("--processes", type=count, default=1),
    OUT,
)
def resample(options):
    from ..scores.resampling import resample_fits
    from ..scores.statistics import RESAMPLE_COLUMNS
    from ..scores.tables import write_rows

    write_rows(options.out, resample_fits(options.fits, options.processes), RESAMPLE_COLUMNS)


@verb(
    "Join tables of equal columns into one.",
    argument("tables", type=Path, nargs="+"),
    OUT,
)
def join(options):
    from ..scores.tables import read_rows, write_rows

    write_rows(options.out, [row for path in options.tables for row in read_rows(path)])


@verb("Collect the objective of every iteration of fits of constrained NMF.", FITS, OUT)
def trajectory(options):
    from ..scores.tables import TRAJECTORY_COLUMNS, trajectory, write_rows

    write_rows(options.out, trajectory(options.fits), TRAJECTORY_COLUMNS)


@verb(
    "List the top words of the fit that is shown, with glosses and the closest true topics.",
    SHOWN,
    GLOSSES,
    OUT,
)
def topics(options):
    from ..corpus.glosses import read_glosses
    from ..scores.matches import TOPIC_COLUMNS, read_shown, topics
    from ..scores.tables import write_rows

    rows = topics(read_shown(options.fits), read_glosses(options.glosses))
    write_rows(options.out, rows, TOPIC_COLUMNS)


@verb(
    "Set true topics beside the nearest learned ones of the fit that is shown, with examples.",
    SHOWN,
    GLOSSES,
    argument("--true-topics", type=Path, required=True),
    argument("--examples", type=Path, required=True),
)
def matches(options):
    from ..corpus.glosses import read_glosses
    from ..scores.matches import (
        EXAMPLE_COLUMNS,
        TRUE_TOPIC_COLUMNS,
        examples,
        read_shown,
        true_topics,
    )
    from ..scores.tables import write_rows

    shown = read_shown(options.fits)
    rows = true_topics(shown, read_glosses(options.glosses))
    write_rows(options.true_topics, rows, TRUE_TOPIC_COLUMNS)
    write_rows(options.examples, examples(shown), EXAMPLE_COLUMNS)


@verb("Collect time and memory of fits.", FITS, OUT)
def resources(options):
    from ..scores.tables import resources, write_rows

    write_rows(options.out, resources(options.fits))


@verb(
    "Add up the time of fits, for each part of a study.",
    argument(
        "--part", nargs="+", action="append", required=True, metavar=("NAME", "FOLDER"),
        help="name of a part, and folders of its methods and settings",
    ),
    argument("--batches", nargs="+", required=True, help="subfolders of each that `fit` wrote"),
    OUT,
)  # fmt: skip
def cost(options):
    from ..scores.tables import cost, write_rows

    parts = {
        name: [Path(folder) / batch for folder in folders for batch in options.batches]
        for name, *folders in options.part
    }
    write_rows(options.out, cost(parts))


@verb("Collect the versions that methods ran in.", FITS, OUT)
def versions(options):
    from ..scores.tables import VERSION_COLUMNS, versions, write_rows

    write_rows(options.out, versions(options.fits), VERSION_COLUMNS)


# Tables that not every study has: the option may stand without a path.
VARIANTS = argument("--variants", type=Path, nargs="?", help="scores of variants and peers")
RESAMPLES = argument("--resamples", type=Path, nargs="?", help="table that `resample` wrote")


@verb(
    "Means with 95% intervals, and paired comparisons of our model with every rival.",
    argument("scores", type=Path, help="table that `score` wrote: methods in all settings"),
    VARIANTS,
    RESAMPLES,
    METHODS_FILE,
    argument("--summary", type=Path, required=True, help="CSV: a row per method and setting"),
    argument("--comparisons", type=Path, required=True, help="CSV: a row per rival and metric"),
)
def compare(options):
    from ..scores.evidence import read_study
    from ..scores.statistics import compare_with_first, summarise_study
    from ..scores.tables import write_frame
    from ..study.registry import read_methods

    study = read_study(
        read_methods(options.methods_file),
        scores=options.scores, variants=options.variants, resamples=options.resamples,
    )  # fmt: skip
    summary = summarise_study(study.scores, study.variants, study.resamples)
    write_frame(options.summary, summary)
    compared = compare_with_first(study.attempts, study.methods, study.resamples)
    write_frame(options.comparisons, compared)


@verb(
    "What solver, start, restarts and constraints bring, each by itself.",
    argument("scores", type=Path, help="scores of the ablation `decomposition`"),
    OUT,
)
def parts(options):
    from ..scores.parts import OPTIONS, parts
    from ..scores.tables import SCORE_COLUMNS, read_frame, write_frame

    write_frame(options.out, parts(read_frame(options.scores, [*SCORE_COLUMNS, *OPTIONS])))


@verb(
    "Set the paper's numbers and claims beside ours.",
    argument("scores", type=Path),
    VARIANTS,
    RESAMPLES,
    argument(
        "--constraints", type=Path, nargs="?", help="scores of the ablation of W_max and theta_min"
    ),
    argument("--trajectory", type=Path, nargs="?", help="table that `trajectory` wrote"),
    argument("--parts", type=Path, nargs="?", help="table that `parts` wrote"),
    argument("--published", type=Path, help="(default: config/published_scores.tsv)"),
    METHODS_FILE,
    argument("--numbers", type=Path, required=True),
    argument("--claims", type=Path, required=True),
)
def verdicts(options):
    from ..scores.evidence import read_study
    from ..scores.tables import write_frame
    from ..scores.verdicts import claims, numbers
    from ..study.paths import resolve
    from ..study.registry import read_methods

    study = read_study(
        read_methods(options.methods_file),
        scores=options.scores, variants=options.variants, resamples=options.resamples,
        constraints=options.constraints, trajectory=options.trajectory, parts=options.parts,
        published=options.published or resolve("config/published_scores.tsv"),
    )  # fmt: skip
    write_frame(options.numbers, numbers(study))
    write_frame(options.claims, claims(study))
