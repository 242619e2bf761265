"""Verbs of own comments: the steps one by one, all of them, and what comes after."""

import argparse
import functools
import json
from pathlib import Path

from .verbs import argument, count, json_object, share, whole_number
from .verbs import verb as any_verb

verb = functools.partial(any_verb, extra="comments")

SETTINGS = argument(
    "--settings", type=json_object, default={},
    help="JSON: keys of a dataset of kind comments (config/README.md), over the defaults",
)  # fmt: skip
FOLDER = argument("--out", type=Path, required=True, help="folder")
COMMENTS = argument(
    "--comments", type=Path, required=True, help="folder that `read_comments` wrote"
)
MATRIX = argument(
    "--matrix", type=Path, required=True, help="folder that `vectorise_comments` wrote"
)
MODEL = argument("--model", type=Path, required=True, help="folder that `fit_comments` wrote")


def _key_value(text):
    """KEY=VALUE, the value in JSON or as it stands."""
    key, found, value = text.partition("=")
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def _chosen(step, given):
    from ..study.config import check_comments_keys, comments_defaults

    check_comments_keys(given)
    return {key: given.get(key, default) for key, default in comments_defaults(step).items()}


def _print(lines):
    for line in lines:
        print(line, flush=True)


OWN = (
    argument("files", nargs="+", help="CSV, JSONL, Parquet or text, also gzip; patterns too"),
    argument("--seed-words", required=True, help="file, by lines or commas"),
    argument("--language", required=True, help="code of a language, such as fi or en"),
    argument("--name", default="comments", help="results go to results/NAME (default: comments)"),
    argument(
        "--set", type=_key_value, action="append", default=[], metavar="KEY=VALUE", dest="keys",
        help="any other key of a dataset of kind comments, such as --set n_topics=50",
    ),
)  # fmt: skip


def _own(options):
    """The dataset that the arguments of OWN describe, complete."""
    from ..study.config import complete_comments

    given = {"files": options.files, "seed_words": options.seed_words, "language": options.language}
    return complete_comments(options.name, given | dict(options.keys))


@verb(
    "From files of comments and a list of seed words to topics, tables and a page to explore.",
    *OWN,
)
def explore(options):
    from ..report.exploring import explore

    page = explore(options.name, _own(options), tell=lambda line: print(line, flush=True))
    print(f"Open {page} in a browser; the tables are in {page.parent / 'tables'}.")


@verb(
    "Write the configuration of own comments, which the workflow runs.",
    *OWN,
    argument("--out", type=Path, required=True, help="the YAML file"),
)
def configure_comments(options):
    import yaml

    from ..base.files import refuse_unwritable, write_text
    from ..study.paths import EXPLORER, LOGS

    config = {"datasets": {options.name: _own(options)}}
    for path in (EXPLORER.format(dataset=options.name), LOGS):
        refuse_unwritable(path)  # where Snakemake would end in a traceback
    write_text(options.out, yaml.safe_dump(config, sort_keys=False, allow_unicode=True))


@verb(
    "Write simulated comments with planted topics, their seed words and the truth.",
    argument("--language", choices=["fi", "en"], default="fi"),
    argument("--n-comments", type=count, default=50_000),
    argument("--random-state", type=whole_number(0), default=1),
    FOLDER,
)
def simulate_comments(options):
    from ..comments.example import write_example

    write_example(options.out, options.language, options.n_comments, options.random_state)


@verb(
    "Read comments: keep each row, or list it with file, line and reason.",
    argument("files", nargs="+"),
    SETTINGS,
    FOLDER,
    argument("--forms", type=Path, help="folder of the words in their order (default: --out)"),
)
def read_comments(options):
    from ..comments import keys, steps

    chosen = _chosen(keys.READING, options.settings)
    _print(steps.read(options.files, options.out, chosen, forms=options.forms))


@verb(
    "Make counts and TF-IDF of comments, and look up the seed words.",
    argument("--comments", type=Path, required=True, help="--out or --forms of `read_comments`"),
    argument("--seed-words", type=Path, required=True),
    SETTINGS,
    FOLDER,
)
def vectorise_comments(options):
    from ..comments import keys, steps

    chosen = _chosen(keys.VECTORISING, options.settings)
    _print(steps.vectorise(options.comments, options.seed_words, options.out, chosen))


@verb("Fit constrained NMF to comments.", MATRIX, SETTINGS, FOLDER)
def fit_comments(options):
    from ..comments import keys, steps

    _print(steps.fit(options.matrix, options.out, _chosen(keys.FITTING, options.settings)))


@verb(
    "Answer: topics, example comments, trends, groups, further seed words, sheets for coders.",
    COMMENTS,
    MATRIX,
    MODEL,
    argument("--topics", type=Path, help="topics.yaml with names, merges and drops"),
    argument("--name", default="comments"),
    SETTINGS,
    FOLDER,
)
def answer(options):
    from ..comments import keys, steps

    _print(
        steps.answer(
            options.comments, options.matrix, options.model, options.out,
            _chosen(keys.ANSWERING, options.settings), name=options.name,
            topics_file=options.topics,
        )
    )  # fmt: skip


@verb(
    "Put the answers on one page to explore.",
    argument("--tables", type=Path, required=True, help="folder that `answer` wrote"),
    argument("--title", default="Comments"),
    argument("--out", type=Path, required=True, help="the page, explorer.html"),
)
def explorer(options):
    from ..report.explorer import write_explorer

    write_explorer(options.tables, options.out, options.title)
    print(f"Open {options.out} in a browser.")


@verb(
    "Compare numbers of topics and theta_min on a sample, and recommend one row of a grid.",
    MATRIX,
    argument("--n-topics", type=count, nargs="+", default=[20, 35, 50], metavar="K"),
    argument("--n-minority", type=whole_number(0), nargs="+", default=[5, 10, 15], metavar="K"),
    argument("--theta-min", type=share, nargs="+", default=[0.2, 0.4, 0.6], metavar="SHARE"),
    argument("--n-comments", type=count, default=50_000, help="size of the sample"),
    argument("--n-states", type=count, default=2, help="random states for each row"),
    argument(
        "--guidance", choices=("learnt", "list"), default="learnt", help="as the fit is to have it"
    ),
    argument("--random-state", type=whole_number(0), default=1),
    argument("--threads", type=count),
    FOLDER,
)
def choose(options):
    from ..comments.choosing import choose
    from ..report.choices import draw_choices

    found = choose(
        options.matrix, options.out, n_topics=options.n_topics, n_minority=options.n_minority,
        theta_min=options.theta_min, n_comments=options.n_comments, n_states=options.n_states,
        guidance=options.guidance, random_state=options.random_state, threads=options.threads,
    )  # fmt: skip
    draw_choices(options.out)
    _print([*found["warnings"], found["reason"]])


@verb(
    "Find the topics of a fitted model in new comments.",
    argument("files", nargs="+", help="as for `explore`"),
    MODEL,
    argument("--topics", type=Path, help="names, merges and drops (default: beside the model)"),
    SETTINGS,
    FOLDER,
)
def apply(options):
    from ..comments import keys, steps

    chosen = _chosen(keys.READING, options.settings)
    _print(steps.apply(options.files, options.model, options.out, chosen, options.topics))


@verb(
    "Score the answers of coders to a sheet of word or topic intrusion.",
    argument("sheets", type=Path, nargs="+", help="filled-in sheets, one for each coder"),
    argument("--key", type=Path, required=True, help="key.csv, which `answer` wrote beside them"),
    argument("--out", type=Path, help="CSV of the scores"),
)
def score_intrusion(options):
    from ..base.files import write_csv
    from ..comments.answers.coding import score_intrusion

    rows = score_intrusion(options.sheets, options.key)
    if options.out:
        write_csv(options.out, rows[0], (row.values() for row in rows))
    for row in rows:
        print(", ".join(f"{name} {_short(value)}" for name, value in row.items()))


@verb(
    "Draw comments to code by hand, from those with a topic and those without.",
    argument("--tables", type=Path, required=True, help="folder that `answer` wrote"),
    COMMENTS,
    argument("--topic", default="minority", help="a topic's number, or minority for all of them"),
    # At least one from each of the three strata.
    argument("--n", type=whole_number(3), default=300, help="comments to code (default: 300)"),
    argument("--random-state", type=whole_number(0), default=1),
    argument("--out", type=Path, required=True, help="the sheet, a CSV; its key goes beside it"),
)
def draw_sample(options):
    from ..comments.answers.correcting import draw_sample

    topic = int(options.topic) if options.topic.isdecimal() else options.topic
    sheet = draw_sample(
        options.tables, options.comments, options.out, topic=topic, n=options.n,
        random_state=options.random_state,
    )  # fmt: skip
    print(f"Write 1 or 0 into the column `coded` of {sheet}, then run correct_prevalence.")


@verb(
    "Correct the prevalence of a topic by a sample that was coded by hand.",
    argument("sheet", type=Path, help="coded sheet of `draw_sample`"),
    argument("--key", type=Path, help="its key (default: beside it)"),
)
def correct_prevalence(options):
    from ..comments.answers.correcting import correct_prevalence

    for name, value in correct_prevalence(options.sheet, options.key).items():
        print(f"{name}: {_short(value)}")


def _short(value):
    return f"{value:.4g}" if isinstance(value, float) else value


@verb(
    "Time every step from simulated comments to the page; tables into a folder.",
    argument(
        "--sizes", type=count, nargs="+", metavar="N", help="comments (default: to 5,578,289)"
    ),
    argument("--language", choices=["fi", "en"], default="fi"),
    FOLDER,
)
def bench_comments(options):
    from ..benchmark import comments

    comments.run(options.out, options.sizes or comments.SIZES, options.language)
