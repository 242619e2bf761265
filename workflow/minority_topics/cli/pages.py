"""Verbs that draw: figures, the report, and the benchmark with its figure."""

from pathlib import Path

from .studies import METHODS_FILE
from .verbs import argument, count, number, verb


@verb(
    "Draw a figure from its table.",
    argument("name"),
    argument("--table", type=Path, required=True),
    METHODS_FILE,
    argument("--published", type=Path, help="the paper's scores, for the figure that shows them"),
    argument("--out", type=Path, required=True, help="the PNG; PDF, SVG, CSV and TXT go beside it"),
)
def figure(options):
    from ..report.figures.drawing import draw
    from ..study.registry import read_methods

    methods = read_methods(options.methods_file)
    draw(options.name, options.table, methods, options.out, options.published)


@verb(
    "Record what made results, as an RO-Crate: code, machine, inputs and outputs with hashes.",
    argument("--config", type=Path, required=True, help="the effective configuration"),
    METHODS_FILE,
    argument("--locks", type=Path, nargs="*", default=[], help="locks of environments"),
    argument("--sources", type=Path, nargs="*", default=[], help="files it was made from"),
    argument("--results", type=Path, nargs="*", default=[], help="files, or folders of files"),
    argument("--out", type=Path, required=True),
)
def provenance(options):
    from ..base.files import write_json
    from ..study.paths import resolve
    from ..study.provenance import provenance

    methods_file = resolve(options.methods_file)
    crate = provenance(
        options.config, methods_file, options.locks, options.sources, options.results
    )
    write_json(options.out, crate)


@verb(
    "Put figures, tables and verdicts of a dataset on one page.",
    argument("--tables", type=Path, nargs="+", required=True, help="CSVs, `scores.csv` among them"),
    argument(
        "--figures",
        type=Path,
        nargs="*",
        default=[],
        help="PNGs, in the order to appear; SVG and TXT beside them",
    ),
    argument("--corpora", type=Path, required=True, help="folder that `vectorise` wrote"),
    argument("--versions", type=Path, required=True, help="table that `versions` wrote"),
    argument("--config", type=Path, required=True, help="the effective configuration"),
    argument("--provenance", type=Path, help="file that `provenance` wrote"),
    METHODS_FILE,
    argument("--out", type=Path, required=True),
)
def report(options):
    from ..report.page import Sources, write_report
    from ..study.registry import read_methods

    tables = {path.stem: path for path in options.tables}
    sources = Sources(
        tables, options.figures, options.corpora, options.versions, options.config,
        options.provenance,
    )  # fmt: skip
    write_report(sources, read_methods(options.methods_file), options.out)


@verb(
    "Fill the tables of Markdown files from CSVs; keep those of a study beside them first.",
    argument("pages", type=Path, nargs="+", help="Markdown files with blocks <!-- table ... -->"),
    argument("--results", type=Path, help="results of a dataset, such as results/authors"),
    argument("--keep", type=Path, help="folder that keeps their tables, such as docs/authors"),
    METHODS_FILE,
)
def evidence(options):
    from ..report.markdown import fill_file, keep_tables
    from ..study.registry import read_methods

    if bool(options.results) != bool(options.keep):
        raise ValueError("--results and --keep go together; give both, or none")
    if options.results:
        keep_tables(options.results, options.keep)
    for page in options.pages:
        fill_file(page, read_methods(options.methods_file))


@verb(
    "Time the exact solver and its peers; tables and a figure into a folder.",
    argument(
        "--sizes", type=count, nargs="+", metavar="N",
        help="documents (default: 5,000 to 2,979,969)",
    ),
    argument("--n-topics", type=count, nargs="+", metavar="K", help="(default: 20 50 100)"),
    argument("--threads", type=count, default=2, help="run ours with one to so many (default: 2)"),
    argument("--seconds", type=number, default=60, help="that a solver may take (default: 60)"),
    argument("--out", type=Path, required=True, help="folder; a second run goes on where it ended"),
)  # fmt: skip
def benchmark(options):
    from ..benchmark import cases, machine, tables
    from ..report.figures.drawing import draw

    plan = cases.plan(
        options.sizes or tuple(cases.SIZES), options.n_topics or cases.N_TOPICS,
        options.threads, options.seconds,
    )  # fmt: skip
    rates = machine.measure()
    for table in tables.write(options.out, cases.run(options.out, plan), rates):
        print(table.to_string(index=False))
    draw("benchmark", options.out / "cases.csv", {}, options.out / "benchmark.png")
