"""`python -m minority_topics VERB ...`: every step of the study, one verb each.

A rule of the workflow is one such call, so each step can be run and looked at by hand. Modules are
imported where they are used: a verb needs only what its own environment holds.
"""

import argparse
import json
import signal
import sys
from pathlib import Path

from . import __version__
from .contract import BACKGROUND, digest, write_documents
from .registry import ROOT


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

    add = verb(lock_env, "Renew the locks of environments: every package, version and hash.")
    add("definitions", type=Path, nargs="+", help="conda environment files, envs/NAME.yaml")

    # Corpora are numbered from 0, one for each random state: 0.csv, 1.csv, ... of a folder.
    add = verb(background, "Make the background documents: simulated, or drawn from a file.")
    add("--source", default="simulated", help="`simulated`, or a CSV, JSONL or Parquet file")
    add("--n-documents", type=int, default=500)
    add("--random-state", type=int, nargs="+", required=True, help="one for each corpus")
    _add_cleaning(add)
    add("--out", type=Path, required=True, help="folder; 0.csv, 1.csv, ... are written")

    add = verb(inject, "Put words of known topics into background documents.")
    add("--documents", type=Path, required=True, help="folder that `background` wrote")
    add("--topics", type=Path, required=True)
    add("--rate", type=float, default=0.1)
    add("--n-words", type=int, default=4)
    add("--random-state", type=int, nargs="+", required=True, help="one for each corpus")
    add("--out", type=Path, required=True, help="folder; 0.csv, 1.csv, ... are written")

    add = verb(read_labelled, "Read a labelled file as it is.")
    add("file", type=Path)
    add("--label-column", help="without it every document is background")
    add("--background-label", default="-1")
    _add_cleaning(add)
    add("--out", type=Path, required=True, help="folder; 0.csv is written")

    add = verb(vectorise, "Make counts, TF-IDF and ground truth of documents: a corpus each.")
    add("documents", type=Path, help="folder that `inject` or `read_labelled` wrote")
    add("--seed-words", type=Path, required=True)
    add("--topics", type=Path, help="the injected topics; without it the truth is estimated")
    add("--min-df", type=_count_or_share, default=1)
    add("--max-df", type=_count_or_share, default=1.0)
    add("--seed-share", type=float, default=1.0, help="share of the seed words that is kept")
    add("--wrong-seed-share", type=float, default=0.0, help="wrong words added, for each seed word")
    add("--random-state", type=int, nargs="+", help="one for each corpus, if a share is given")
    add("--out", type=Path, required=True, help="folder; a subfolder per corpus")

    add = verb(fit, "Fit a method, once per repetition.")
    add("method")
    add("--corpus", type=Path, nargs="+", required=True, help="repetition r takes the (r mod n)th")
    add("--n-topics", type=int, default=20)
    add("--n-minority", type=int, default=7)
    add("--repetitions", type=int, nargs="+", default=[0])
    add("--random-state", type=int, default=1, help="master random state")
    add("--dataset", default="", help="name in tables; the random states derive from it too")
    add("--options", type=json.loads, default={}, help="JSON, over those of the methods table")
    add("--methods-file", default="config/methods.tsv")
    add("--python", type=Path, default=Path(sys.executable), help="of the tool's environment")
    add("--environment", type=Path, help="record of that environment, as build_env wrote it")
    add("--out", type=Path, required=True, help="folder; a subfolder per repetition")

    add = verb(score, "Score fits against their corpora: a table, a row each.")
    add("fits", type=Path, nargs="+", help="folders that `fit` wrote")
    add("--varied", type=json.loads, default={}, help="JSON, settings that differ: original values")
    add("--processes", type=int, default=1)
    add("--out", type=Path, required=True)

    add = verb(join, "Join tables of equal columns into one.")
    add("tables", type=Path, nargs="+")
    add("--out", type=Path, required=True)

    add = verb(trajectory, "Collect the objective of every iteration of fits of constrained NMF.")
    add("fits", type=Path, nargs="+", help="folders that `fit` wrote")
    add("--out", type=Path, required=True)

    add = verb(topics, "List the top words of the first fit, with glosses.")
    add("fits", type=Path, help="folder that `fit` wrote")
    add("--corpora", type=Path, required=True, help="folder that `vectorise` wrote")
    add("--glosses", type=Path, help="file of topics whose words have glosses")
    add("--out", type=Path, required=True)

    add = verb(resources, "Collect time and memory of fits.")
    add("fits", type=Path, nargs="+", help="folders that `fit` wrote")
    add("--out", type=Path, required=True)

    add = verb(compare, "Means with intervals, and our model against every other.")
    add("scores", type=Path)
    add("--methods-file", default="config/methods.tsv")
    add("--summary", type=Path, required=True)
    add("--comparisons", type=Path, required=True)

    add = verb(verdicts, "Set the paper's numbers and claims beside ours.")
    add("scores", type=Path)
    add("--constraints", type=Path, nargs="*", help="scores of the ablation of W_max and theta_min")
    add("--trajectory", type=Path, nargs="*", help="table that `trajectory` wrote")
    add("--published", type=Path, default=ROOT / "config" / "published_scores.tsv")
    add("--methods-file", default="config/methods.tsv")
    add("--numbers", type=Path, required=True)
    add("--claims", type=Path, required=True)

    add = verb(benchmark, "Time the exact solver and its peers; tables and a figure into a folder.")
    add("--sizes", type=int, nargs="+", metavar="N", help="documents (default: 5,000 to 2,979,969)")
    add("--n-topics", type=int, nargs="+", metavar="K", help="(default: 20 50 100)")
    add("--threads", type=int, default=2, help="run ours with one to so many (default: 2)")
    add("--seconds", type=float, default=60, help="that a solver may take (default: 60)")
    add("--out", type=Path, required=True, help="folder; a second run goes on where it ended")

    add = verb(figure, "Draw a figure from its table.")
    add("name")
    add("--table", type=Path, required=True)
    add("--methods-file", default="config/methods.tsv")
    add("--out", type=Path, required=True, help="the PNG; a PDF and a CSV are made beside it")

    add = verb(report, "Put figures, tables and verdicts of a dataset on one page.")
    add("folder", type=Path, help="results of the dataset")
    add("--figures", type=Path, nargs="*", default=[], help="PNGs, in the order they are to appear")
    add("--methods-file", default="config/methods.tsv")
    add("--out", type=Path, required=True)
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
    from .registry import read_methods

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


def lock_env(options):
    from .environments import lock

    for definition in options.definitions:
        print(f"locking {definition.stem}", flush=True)
        lock(definition)


def background(options):
    draw = _simulated if options.source == "simulated" else _drawn_from_file(options)
    for number, random_state in enumerate(options.random_state):
        ids, documents = draw(options.n_documents, random_state)
        labels = [BACKGROUND] * len(documents)
        write_documents(options.out / f"{number}.csv", ids, documents, labels)


def _simulated(n_documents, random_state):
    from .corpus import simulate_background

    documents = list(simulate_background(n_documents, random_state).documents())
    return range(len(documents)), documents


def _drawn_from_file(options):
    import numpy as np

    from .text import clean, read_table

    rows = read_table(options.source, [options.text_column])
    texts = [row[options.text_column] for row in rows]
    documents = clean(texts, options.stop_words, options.lemmas)
    filled = [number for number, document in enumerate(documents) if document]
    if len(filled) < options.n_documents:
        raise ValueError(
            f"{options.source}: {len(filled)} documents hold a word, and n_documents="
            f"{options.n_documents} are asked for; lower n_documents"
        )

    def draw(n_documents, random_state):
        rng = np.random.default_rng(random_state)
        ids = np.sort(rng.choice(filled, n_documents, replace=False)).tolist()
        return ids, [documents[number] for number in ids]

    return draw


def inject(options):
    from .contract import read_documents
    from .inject import inject as inject_topics
    from .inject import read_topics

    topics = read_topics(options.topics)
    for number, random_state in enumerate(options.random_state):
        rows = read_documents(options.documents / f"{number}.csv")
        documents, labels = inject_topics(
            [row["text"].split() for row in rows],
            topics,
            rate=options.rate,
            n_words=options.n_words,
            random_state=random_state,
        )
        names = [BACKGROUND if label < 0 else topics[label].name for label in labels]
        ids = [row["id"] for row in rows]
        write_documents(options.out / f"{number}.csv", ids, documents, names)


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
    write_documents(options.out / "0.csv", range(len(rows)), documents, labels)


def vectorise(options):
    from .contract import read_documents

    paths = sorted(options.documents.glob("*.csv"), key=lambda path: int(path.stem))
    states = options.random_state or [None] * len(paths)
    for path, random_state in zip(paths, states, strict=True):
        _vectorise(read_documents(path), options.out / path.stem, options, random_state)


def _vectorise(rows, folder, options, random_state):
    import numpy as np

    from .contract import read_lines, write_corpus
    from .corpus import corpus_statistics
    from .text import estimate_truth
    from .text import vectorise as make_matrices

    documents = [row["text"].split() for row in rows]
    counts, tfidf, vocabulary = make_matrices(documents, options.min_df, options.max_df)
    seed_words = [word.lower() for word in read_lines(options.seed_words)]
    if random_state is not None:
        from .inject import spoil_seed_words

        seed_words = spoil_seed_words(
            seed_words,
            [row["text"].split() for row in rows if row["label"] == BACKGROUND],
            options.seed_share,
            options.wrong_seed_share,
            random_state,
        )
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
    ids = [row["id"] for row in rows]
    write_documents(folder / "documents.csv", ids, documents, [row["label"] for row in rows])
    write_corpus(
        folder,
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
    from .registry import (
        derive_random_state,
        environment_files,
        find_method,
        parse_variant,
        read_methods,
    )

    method = find_method(read_methods(options.methods_file), options.method)
    # Variants have the random states of their originals, so that they differ in what was varied.
    axes = [parse_variant(name)[0] for name in (options.dataset, method.name)]
    axes.append(f"{options.n_topics}-{options.n_minority}")
    environment = digest(*environment_files(ROOT / "envs" / f"{method.environment}.yaml"))
    jobs = [
        Job(
            dataset=options.dataset,
            repetition=repetition,
            method=method.name,
            module=method.module,
            corpus=str(options.corpus[repetition % len(options.corpus)]),
            out=str(options.out / str(repetition)),
            n_topics=options.n_topics,
            n_minority=options.n_minority,
            random_state=derive_random_state(options.random_state, *axes, repetition),
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
    from .scoring import score_fits
    from .tables import write_rows

    write_rows(options.out, score_fits(options.fits, options.varied, options.processes))


def join(options):
    from .tables import read_rows, write_rows

    write_rows(options.out, [row for path in options.tables for row in read_rows(path)])


def trajectory(options):
    from .tables import TRAJECTORY_COLUMNS, write_rows
    from .tables import trajectory as collect

    write_rows(options.out, collect(options.fits), TRAJECTORY_COLUMNS)


def topics(options):
    from .contract import read_lines
    from .inject import read_topics
    from .tables import TOPIC_COLUMNS, write_rows
    from .tables import topics as list_topics

    known = read_topics(options.glosses) if options.glosses else []
    glosses = {word: gloss for topic in known for word, gloss in topic.words.items()}
    seed_words = set(read_lines(options.corpora / "0" / "seed_words.txt"))
    rows = list_topics(options.fits, seed_words, glosses)
    write_rows(options.out, rows, TOPIC_COLUMNS)


def resources(options):
    from .tables import resources as collect
    from .tables import write_rows

    write_rows(options.out, collect(options.fits))


def compare(options):
    import pandas as pd

    from .registry import read_methods
    from .statistics import COMPARED, summarise
    from .statistics import compare as compare_methods

    scores, methods = pd.read_csv(options.scores), read_methods(options.methods_file)
    present = [name for name in dict.fromkeys(scores["method"]) if methods[name].kind != "control"]
    _write_frame(options.summary, summarise(scores, COMPARED))
    _write_frame(options.comparisons, compare_methods(scores, present[0], present[1:]))


def verdicts(options):
    import pandas as pd

    from .registry import read_methods
    from .verdicts import claims, numbers

    scores, methods = pd.read_csv(options.scores), read_methods(options.methods_file)
    published = pd.read_csv(options.published, sep="\t", index_col="method")
    solvers, baselines = {}, {}
    for name in dict.fromkeys(scores["method"]):
        if methods[name].ours:
            solver = methods[name].options.get("solver", "exact")
            solvers[name] = "as published" if solver == "paper" else solver
        elif methods[name].kind != "control":
            baselines[name] = methods[name].label
    constraints, trajectory = (
        pd.read_csv(paths[0]) if paths else None
        for paths in (options.constraints, options.trajectory)
    )
    _write_frame(options.numbers, numbers(scores, published, solvers))
    _write_frame(options.claims, claims(scores, constraints, trajectory, solvers, baselines))


def benchmark(options):
    import pandas as pd

    from . import benchmark, benchmark_tables
    from .figures import draw

    plan = benchmark.plan(
        options.sizes or tuple(benchmark.SIZES), options.n_topics or benchmark.N_TOPICS,
        options.threads, options.seconds,
    )  # fmt: skip
    machine = benchmark.measure_machine()
    found = benchmark.run(options.out, plan)
    table = benchmark_tables.summarise(found)
    tables = {
        "cases": table,
        "exponents": benchmark_tables.exponents(table),
        "passes": benchmark_tables.pass_shares(found, machine),
        "machine": pd.DataFrame([machine]),
    }
    for name, frame in tables.items():
        _write_frame(options.out / f"{name}.csv", frame)
    for name in ("exponents", "passes"):
        print(tables[name].to_string(index=False))
    draw("benchmark", options.out / "cases.csv", {}, options.out / "benchmark.png")


def figure(options):
    from .figures import draw
    from .registry import read_methods

    draw(options.name, options.table, read_methods(options.methods_file), options.out)


def report(options):
    from .registry import read_methods
    from .report import write_report

    write_report(options.folder, options.figures, read_methods(options.methods_file), options.out)


def _write_frame(path, frame):
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
