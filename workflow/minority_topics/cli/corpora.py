"""Verbs that make corpora. Corpora are numbered from 0, one for each random state."""

from pathlib import Path

from .verbs import argument, count, count_or_share, number, share, verb, whole_number

STATES = argument(
    "--random-state", type=whole_number(0), nargs="+", required=True, help="one for each corpus"
)
OUT = argument("--out", type=Path, required=True, help="folder; 0.csv, 1.csv, ... are written")
CLEANING = (
    argument("--text-column", default="text"),
    argument("--stop-words", default="none", help="a language such as fi, or none"),
    argument("--lemmas", choices=["none", "simplemma"], default="none"),
)


def _cleaning(options):
    return {name: getattr(options, name) for name in ("text_column", "stop_words", "lemmas")}


@verb(
    "Make the background documents: simulated, or drawn from a file.",
    argument("--source", default="simulated", help="`simulated`, or a CSV, JSONL or Parquet file"),
    argument("--n-documents", type=count, default=500),
    STATES,
    *CLEANING,
    OUT,
)
def background(options):
    from ..corpus.drawing import draw_background

    cleaning = _cleaning(options)
    draw_background(
        options.source, options.n_documents, options.random_state, options.out, **cleaning
    )


@verb(
    "Put words of known topics into background documents.",
    argument("--documents", type=Path, required=True, help="folder that `background` wrote"),
    argument("--topics", type=Path, required=True),
    argument("--rate", type=share, default=0.1),
    argument("--n-words", type=count, default=4),
    argument("--overlap", type=share, default=0.0),
    STATES,
    OUT,
)
def inject(options):
    from ..corpus.injection import inject_folder

    inject_folder(
        options.documents, options.topics, options.rate, options.n_words, options.overlap,
        options.random_state, options.out,
    )  # fmt: skip


@verb(
    "Read a labelled file as it is.",
    argument("file", type=Path),
    argument("--label-column", help="without it every document is background"),
    argument("--background-label", default="-1"),
    *CLEANING,
    argument("--out", type=Path, required=True, help="folder; 0.csv is written"),
)
def read_labelled(options):
    from ..corpus.labelled import read_labelled

    read_labelled(
        options.file, options.out, label_column=options.label_column,
        background_label=options.background_label, **_cleaning(options),
    )  # fmt: skip


@verb(
    "Make counts, TF-IDF and ground truth of documents: a corpus each.",
    argument("documents", type=Path, help="folder that `inject` or `read_labelled` wrote"),
    argument("--seed-words", type=Path, required=True),
    argument("--topics", type=Path, help="the injected topics; without it the truth is estimated"),
    argument("--min-df", type=count_or_share, default=1),
    argument("--max-df", type=count_or_share, default=1.0),
    argument("--seed-share", type=share, default=1.0, help="share of the seed words that is kept"),
    argument(
        "--wrong-seed-share", type=number, default=0.0, help="wrong words added, for each seed word"
    ),
    argument(
        "--random-state", type=whole_number(0), nargs="+",
        help="one for each corpus, if a share is given",
    ),
    argument("--out", type=Path, required=True, help="folder; a subfolder per corpus"),
)  # fmt: skip
def vectorise(options):
    from ..corpus.vectorise import make_corpora

    make_corpora(
        options.documents, options.seed_words, options.out, topics=options.topics,
        min_df=options.min_df, max_df=options.max_df, seed_share=options.seed_share,
        wrong_seed_share=options.wrong_seed_share, random_states=options.random_state,
    )  # fmt: skip
