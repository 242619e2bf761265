"""Verbs that make tables of fits: scores, what else fits have left, comparisons and verdicts."""

from pathlib import Path

from .studies import METHODS_FILE
from .verbs import argument, json_object, verb

FITS = argument("fits", type=Path, nargs="+", help="folders that `fit` wrote")
SHOWN = argument("fits", type=Path, help="folder that `fit` wrote; its first fit that came out")
GLOSSES = argument(
    "--glosses", type=Path, nargs="*", default=[], help=".tsv of words, or .yaml of topics"
)
OUT = argument("--out", type=Path, required=True)
# Columns of a table of scores, beside those of settings and metrics.
SCORED = ("dataset", "method", "repetition", "corpus", "status", "reason")


@verb(
    "Score fits against their corpora: a table, a row each.",
    FITS,
    argument(
        "--varied", type=json_object, default={}, help="JSON, settings that differ: original values"
    ),
    argument("--processes", type=int, default=1),
    OUT,
)
def score(options):
    from ..scores.scoring import score_fits
    from ..scores.tables import write_rows

    write_rows(options.out, score_fits(options.fits, options.varied, options.processes))


@verb(
    "Score fits of one corpus again, under 200 resamples of its documents.",
    FITS,
    argument("--processes", type=int, default=1),
    OUT,
)
def resample(options):
    from ..scores.resampling import RESAMPLE_COLUMNS, resample_fits
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


@verb(
    "Means with 95% intervals, and paired comparisons of our model with every rival.",
    argument("scores", type=Path, help="table that `score` wrote: methods in all settings"),
    argument(
        "--variants",
        type=Path,
        nargs="*",
        help="table that `score` wrote of variants and newer models, in the first setting",
    ),
    argument(
        "--resamples",
        type=Path,
        nargs="*",
        help="table that `resample` wrote, for a dataset of one corpus",
    ),
    METHODS_FILE,
    argument("--summary", type=Path, required=True, help="CSV: a row per method and setting"),
    argument("--comparisons", type=Path, required=True, help="CSV: a row per rival and metric"),
)
def compare(options):
    from ..scores.cards import CARDS
    from ..scores.resampling import RESAMPLE_COLUMNS
    from ..scores.statistics import SETTING, compare_with_first, summarise_study, with_variants
    from ..scores.tables import read_frame, write_frame
    from ..study.registry import read_methods

    columns = [*SCORED, *SETTING, *CARDS]
    scores = read_frame(options.scores, columns)
    variants = read_frame(options.variants[0], columns) if options.variants else None
    resamples = None
    if options.resamples:
        resamples = read_frame(options.resamples[0], RESAMPLE_COLUMNS)
    methods = read_methods(options.methods_file)
    write_frame(options.summary, summarise_study(scores, variants, resamples))
    everything = with_variants(scores, variants)
    write_frame(options.comparisons, compare_with_first(everything, methods, resamples))


@verb(
    "What solver, start, restarts and constraints bring, each by itself.",
    argument("scores", type=Path, help="scores of the ablation `decomposition`"),
    OUT,
)
def parts(options):
    from ..scores.parts import OPTIONS, parts
    from ..scores.statistics import COMPARED, SETTING
    from ..scores.tables import read_frame, write_frame

    columns = [*SCORED, *OPTIONS, *SETTING, *COMPARED]
    write_frame(options.out, parts(read_frame(options.scores, columns)))


@verb(
    "Set the paper's numbers and claims beside ours.",
    argument("scores", type=Path),
    argument("--variants", type=Path, nargs="*", help="scores of tunings and peers"),
    argument("--resamples", type=Path, nargs="*", help="table that `resample` wrote"),
    argument(
        "--constraints", type=Path, nargs="*", help="scores of the ablation of W_max and theta_min"
    ),
    argument("--trajectory", type=Path, nargs="*", help="table that `trajectory` wrote"),
    argument("--parts", type=Path, nargs="*", help="table that `parts` wrote"),
    argument("--published", type=Path, help="(default: config/published_scores.tsv)"),
    METHODS_FILE,
    argument("--numbers", type=Path, required=True),
    argument("--claims", type=Path, required=True),
)
def verdicts(options):
    from ..scores.evidence import WORDS, Study
    from ..scores.parts import COLUMNS as PART_COLUMNS
    from ..scores.statistics import COMPARED, SETTING
    from ..scores.tables import TRAJECTORY_COLUMNS, read_frame, write_frame
    from ..scores.verdicts import NUMBERS, claims, numbers
    from ..study.paths import resolve
    from ..study.registry import read_methods

    scored = [*SCORED, *SETTING, *WORDS, *COMPARED]
    optional = {
        "variants": scored,
        "resamples": ["method", *SETTING, "resample"],
        "constraints": [*scored, "w_max", "theta_min"],
        "trajectory": TRAJECTORY_COLUMNS,
        "parts": PART_COLUMNS,
    }
    given = {name: getattr(options, name) for name in optional}
    published = options.published or resolve("config/published_scores.tsv")
    study = Study(
        read_frame(options.scores, [*scored, "feasible", "least_denominator"]),
        read_methods(options.methods_file),
        published=read_frame(published, ["method", *NUMBERS], "\t").set_index("method"),
        **{name: read_frame(paths[0], optional[name]) for name, paths in given.items() if paths},
    )
    write_frame(options.numbers, numbers(study))
    write_frame(options.claims, claims(study))
