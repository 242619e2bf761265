"""`python -m minority_topics VERB ...`: every step of the study, one verb each.

A rule of the workflow is one such call, so each step can be run and looked at by hand. Modules are
imported where they are used: a verb needs only what its own environment holds.
"""

import argparse
import csv
import json
import signal
import sys
from pathlib import Path

from . import __version__
from .contract import BACKGROUND, digest, write_documents


def main(arguments=None):
    parser = build_parser()
    options = parser.parse_args(arguments)
    # A cluster ends a job with SIGTERM: leave in good order, and take the workers along.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        options.run(options)
    except (ValueError, FileNotFoundError) as error:
        # Errors of the library are sentences already; anything else keeps its traceback.
        sys.exit(f"{parser.prog} {options.verb}: {error}")
    except KeyboardInterrupt:
        sys.exit(f"{parser.prog} {options.verb}: interrupted")


def build_parser():
    parser = argparse.ArgumentParser(
        prog="minority_topics", description="Guided discovery of minority topics, step by step."
    )
    parser.add_argument("--version", action="version", version=__version__)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")

    def verb(function, summary):
        name = function.__name__
        command = verbs.add_parser(name, help=summary, description=summary)
        command.set_defaults(run=function)
        return command.add_argument

    add = verb(check, "Check a config file and print it with its defaults.")
    add("config", type=Path)

    add = verb(methods, "Print the table of methods.")
    add("--methods-file", default="config/methods.tsv")

    add = verb(build_env, "Build a tool's environment with uv.")
    add("definition", type=Path, help="conda environment file, envs/NAME.yaml")
    add(
        "--record",
        type=Path,
        required=True,
        help="NAME.json, which says how it went; the environment is the folder NAME beside it",
    )
    add("--required", action="store_true", help="a failure is an error, not a record")

    add = verb(background, "Make the background documents: simulated, or drawn from a file.")
    add("--source", default="simulated", help="`simulated`, or a CSV, JSONL or Parquet file")
    add("--n-documents", type=int, default=500)
    add("--random-state", type=int, required=True)
    _add_cleaning(add)
    add("--out", type=Path, required=True, help="documents.csv to write")

    add = verb(inject, "Put words of known topics into background documents.")
    add("--documents", type=Path, required=True)
    add("--topics", type=Path, required=True)
    add("--rate", type=float, default=0.1)
    add("--n-words", type=int, default=4)
    add("--random-state", type=int, required=True)
    add("--out", type=Path, required=True, help="documents.csv to write")

    add = verb(read_labelled, "Read a labelled file as it is.")
    add("file", type=Path)
    add("--label-column", help="without it every document is background")
    add("--background-label", default="-1")
    _add_cleaning(add)
    add("--out", type=Path, required=True, help="documents.csv to write")

    add = verb(vectorise, "Make counts, TF-IDF and ground truth of documents.csv, beside it.")
    add("documents", type=Path)
    add("--seed-words", type=Path, required=True)
    add("--topics", type=Path, help="the injected topics; without it the truth is estimated")
    add("--min-df", type=_count_or_share, default=1)
    add("--max-df", type=_count_or_share, default=1.0)

    add = verb(fit, "Fit a method, once per repetition.")
    add("method")
    add("--corpus", type=Path, nargs="+", required=True, help="repetition r takes the (r mod n)th")
    add("--n-topics", type=int, default=20)
    add("--n-minority", type=int, default=7)
    add("--repetitions", type=int, nargs="+", default=[0])
    add("--random-state", type=int, default=1, help="master random state")
    add("--axes", default="", help="what else the random states derive from, such as the dataset")
    add("--options", type=json.loads, default={}, help="JSON, over those of the methods table")
    add("--methods-file", default="config/methods.tsv")
    add("--python", type=Path, default=Path(sys.executable), help="of the tool's environment")
    add("--environment", type=Path, help="record of that environment, as build_env wrote it")
    add("--out", type=Path, required=True, help="folder; a subfolder per repetition")

    add = verb(score, "Score fits against their corpora: a row each.")
    add("fits", type=Path, help="folder that `fit` wrote")
    add("--corpus", type=Path, nargs="+", required=True)
    add("--out", type=Path, required=True)

    add = verb(tabulate, "Join tables of scores into one.")
    add("scores", type=Path, nargs="+")
    add("--dataset", required=True)
    add("--out", type=Path, required=True)

    add = verb(figure, "Draw a figure from the table of scores.")
    add("name")
    add("--scores", type=Path, required=True)
    add("--methods-file", default="config/methods.tsv")
    add("--out", type=Path, required=True, help="the PNG; a PDF and a CSV are made beside it")
    return parser


def _add_cleaning(add):
    add("--text-column", default="text")
    add("--stop-words", default="none", help="a language such as fi, or none")
    add("--lemmas", choices=["none", "simplemma"], default="none")


def _count_or_share(text):
    return int(text) if text.lstrip("+-").isdigit() else float(text)


def check(options):
    import yaml

    from .config import complete

    config = complete(yaml.safe_load(options.config.read_text(encoding="utf-8")) or {})
    print(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), end="")


def methods(options):
    from .registry import ROOT, read_methods

    rows = [("method", "model", "kind", "environment", "installed", "citation")]
    for method in read_methods(options.methods_file).values():
        built = ROOT / ".venvs" / method.environment / "bin" / "python"
        installed = "yes" if built.exists() else "no"
        rows.append(
            (method.name, method.label, method.kind, method.environment, installed, method.citation)
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


def build_env(options):
    from .environments import build

    outcome = build(options.definition, options.record)
    reason = f": {outcome['reason']}" if outcome["reason"] else ""
    print(f"environment {outcome['environment']}: {outcome['status']}{reason}")
    if options.required and outcome["status"] != "ok":
        sys.exit(1)


def background(options):
    import numpy as np

    if options.source == "simulated":
        from .corpus import simulate_background

        documents = list(simulate_background(options.n_documents, options.random_state).documents())
        ids = range(len(documents))
    else:
        from .text import clean, read_table

        rows = read_table(options.source, [options.text_column])
        texts = [row[options.text_column] for row in rows]
        documents = clean(texts, options.stop_words, options.lemmas)
        ids = [number for number, document in enumerate(documents) if document]
        if len(ids) < options.n_documents:
            raise ValueError(
                f"{options.source}: {len(ids)} documents hold a word, and n_documents="
                f"{options.n_documents} are asked for; lower n_documents"
            )
        rng = np.random.default_rng(options.random_state)
        ids = np.sort(rng.choice(ids, options.n_documents, replace=False)).tolist()
        documents = [documents[number] for number in ids]
    write_documents(options.out, ids, documents, [BACKGROUND] * len(documents))


def inject(options):
    from .contract import read_documents
    from .inject import inject as inject_topics
    from .inject import read_topics

    rows = read_documents(options.documents)
    topics = read_topics(options.topics)
    documents, labels = inject_topics(
        [row["text"].split() for row in rows],
        topics,
        rate=options.rate,
        n_words=options.n_words,
        random_state=options.random_state,
    )
    names = [BACKGROUND if label < 0 else topics[label].name for label in labels]
    write_documents(options.out, [row["id"] for row in rows], documents, names)


def read_labelled(options):
    from .text import clean, read_table

    columns = [options.text_column]
    if options.label_column:
        columns.append(options.label_column)
    rows = read_table(options.file, columns)
    documents = clean(
        (row[options.text_column] for row in rows), options.stop_words, options.lemmas
    )
    background = options.background_label
    labels = [row.get(options.label_column, background).strip() for row in rows]
    labels = [BACKGROUND if label == background else label for label in labels]
    write_documents(options.out, range(len(rows)), documents, labels)


def vectorise(options):
    import numpy as np

    from .contract import read_documents, read_lines, write_corpus
    from .corpus import corpus_statistics
    from .text import estimate_truth
    from .text import vectorise as make_matrices

    rows = read_documents(options.documents)
    documents = [row["text"].split() for row in rows]
    counts, tfidf, vocabulary = make_matrices(documents, options.min_df, options.max_df)
    seed_words = [word.lower() for word in read_lines(options.seed_words)]
    if options.topics:
        from .inject import read_topics, topic_word_truth

        topics = read_topics(options.topics)
        names, truth = [topic.name for topic in topics], topic_word_truth(topics, vocabulary)
    else:
        names = sorted({row["label"] for row in rows} - {BACKGROUND})
    index = {name: number for number, name in enumerate(names)}
    labels = np.array([index.get(row["label"], -1) for row in rows])
    if not options.topics:
        truth = estimate_truth(counts, labels, len(names))
    known = set(seed_words) & set(vocabulary)
    seeded = np.array([bool(known.intersection(document)) for document in documents])
    facts = {
        "documents": len(rows),
        "words": len(vocabulary),
        "injected_documents": int((labels >= 0).sum()),
        "seed_words_found": len(known),
        "injected_documents_with_seed_word": int(seeded[labels >= 0].sum()),
        "background_documents_with_seed_word": int(seeded[labels < 0].sum()),
        "ground_truth": "injected word lists" if options.topics else "estimated from labels",
        "statistics": {
            name: None if np.isnan(value) else value
            for name, value in corpus_statistics(filter(None, documents)).items()
        },
    }
    write_corpus(
        options.documents.parent,
        counts=counts,
        tfidf=tfidf,
        vocabulary=vocabulary,
        seed_words=seed_words,
        topic_names=names,
        truth=truth,
        facts=facts,
    )


def fit(options):
    from .fitting import Job, Limits, fail_jobs, run_jobs
    from .registry import ROOT, ConfigError, derive_random_state, environment_files, read_methods

    table = read_methods(options.methods_file)
    if options.method not in table:
        raise ConfigError(f"no method {options.method!r}; there are {', '.join(table)}")
    method = table[options.method]
    setting = f"{options.n_topics}-{options.n_minority}"
    environment = digest(*environment_files(ROOT / "envs" / f"{method.environment}.yaml"))
    jobs = [
        Job(
            method=method.name,
            module=method.module,
            corpus=str(options.corpus[repetition % len(options.corpus)]),
            out=str(options.out / str(repetition)),
            n_topics=options.n_topics,
            n_minority=options.n_minority,
            random_state=derive_random_state(
                options.random_state, options.axes, method.name, setting, repetition
            ),
            options={**method.options, **options.options},
            control=method.kind == "control",
            package=method.package,
            environment=environment,
        )
        for repetition in options.repetitions
    ]
    limits = Limits(method.minutes, method.memory_mb, method.threads)
    if options.environment:
        from .environments import failure

        if reason := failure(options.environment):
            fail_jobs(jobs, limits, f"environment {method.environment}: {reason}")
            return
    run_jobs(jobs, limits, options.python)


def score(options):
    from .scoring import SCORE_COLUMNS, score_fits

    rows = score_fits(options.fits, options.corpus)
    _write_table(options.out, SCORE_COLUMNS, rows)


def tabulate(options):
    rows = []
    for path in options.scores:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            columns = ["dataset", *reader.fieldnames]
            rows += [{"dataset": options.dataset, **row} for row in reader]
    _write_table(options.out, columns, rows)


def figure(options):
    from .figures import draw
    from .registry import read_methods

    draw(options.name, options.scores, read_methods(options.methods_file), options.out)


def _write_table(path, columns, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
