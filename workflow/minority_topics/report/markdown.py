"""Tables of a study in Markdown, so that every number of a README comes from a table beside it.

A block of a Markdown file begins with `<!-- table NAME FOLDER -->` and ends with `<!-- end -->`.
What stands between is made from the CSVs of FOLDER, which is relative to the file.
"""

import re
from pathlib import Path

from ..base.files import write_text
from ..scores.cards import CARDS
from ..scores.statistics import SETTING, in_setting
from ..scores.tables import read_frame, write_frame
from ..study.registry import full_label
from .numbers import number, signed

# Tables that hold no text of a document.
KEPT = ("summary", "comparisons", "claims", "paper_vs_ours", "parts")
LEADERBOARD = ("purity", "nmi", "ami_injected", "jsd_mean", "f1")
PARTS = ("purity", "nmi")
SWEEPS = ("f1", "nmi")
# What the head of a column calls a key of the dataset, where it is shorter.
SHORT_KEYS = {"seed_share": "kept", "wrong_seed_share": "wrong"}
BLOCK = re.compile(
    r"(?P<begin><!-- table (?P<name>\w+) (?P<folder>[\w./-]+) -->\n).*?(?P<end><!-- end -->)",
    re.DOTALL,
)


def keep_tables(results, out):
    """Copy the tables worth keeping from the results of a dataset to another folder."""
    tables = Path(results) / "tables"
    found = [path for path in (tables / f"{name}.csv" for name in KEPT) if path.is_file()]
    if not found:
        raise ValueError(
            f"{tables}: there is none of {', '.join(KEPT)}; name the results of a dataset"
        )
    for path in found:
        write_frame(Path(out) / path.name, read_frame(path))


def fill_file(path, methods):
    """Write the blocks of a Markdown file anew."""
    path = Path(path)
    write_text(path, fill(path.read_text(encoding="utf-8"), path.parent, methods))


def fill(text, folder, methods):
    """A Markdown text with its blocks made anew; tables are looked for below `folder`."""

    def block(match):
        name = match["name"]
        if name not in BLOCKS:
            raise ValueError(f"table {name}: no such block; there are {', '.join(BLOCKS)}")
        lines = BLOCKS[name](Path(folder) / match["folder"], methods)
        return match["begin"] + "\n".join(["", *lines, ""]) + "\n" + match["end"]

    return BLOCK.sub(block, text)


def _markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]


def _leaderboard(folder, methods):
    """The first setting: models of the paper, controls, then tunings and newer models."""
    summary = read_frame(folder / "summary.csv")
    first = in_setting(summary, summary[SETTING].iloc[0])
    published = _published(folder)
    labels = (CARDS[metric].label for metric in LEADERBOARD)
    header = ["Model", *labels, "Paper: purity", "Paper: NMI"]
    rows = []
    for row in first.to_dict("records"):
        scores = [_mean(row, metric) for metric in LEADERBOARD]
        paper = [number(published.get((row["method"], metric)), 4) for metric in ("purity", "nmi")]
        rows.append([full_label(methods, row["method"]), *scores, *paper])
    return _markdown(header, rows)


def _published(folder):
    numbers = read_frame(folder / "paper_vs_ours.csv")
    return {(row["method"], row["metric"]): row["published"] for row in numbers.to_dict("records")}


def _settings(folder, methods):
    """Purity and NMI of the models of every setting."""
    summary = read_frame(folder / "summary.csv")
    settings = summary[SETTING].drop_duplicates().to_numpy().tolist()
    names = in_setting(summary, settings[-1])["method"]
    header = ["Model", *(f"{k}/{m}" for k, m in settings)]
    rows = []
    for name in names:
        of_method = summary[summary["method"] == name]
        cells = [in_setting(of_method, setting).iloc[0] for setting in settings]
        pairs = [f"{number(cell['purity'])} / {number(cell['nmi'])}" for cell in cells]
        rows.append([full_label(methods, name), *pairs])
    return _markdown(header, rows)


def _verdicts(folder, methods):
    """Every claim with the verdict on each solver."""
    claims = read_frame(folder / "claims.csv")
    rows = []
    for _, group in claims.groupby("claim", sort=False):
        verdicts = [
            row["verdict"]
            if not isinstance(row["method"], str)
            else f"{_solver(methods, row['method'])}: {row['verdict']}"
            for row in group.to_dict("records")
        ]
        rows.append([group["statement"].iloc[0], "<br>".join(verdicts)])
    return _markdown(["Claim", "Verdict"], rows)


def _evidence(folder, methods):
    """Every claim with the evidence on each solver."""
    claims = read_frame(folder / "claims.csv")
    lines = []
    for _, group in claims.groupby("claim", sort=False):
        first = group.iloc[0]
        place = f" ({first['paper']})" if isinstance(first["paper"], str) else ""
        lines += ["", f"**{first['statement']}**{place}", ""]
        for row in group.to_dict("records"):
            named = isinstance(row["method"], str)
            solver = f"{_solver(methods, row['method'])}: " if named else ""
            evidence = f" {row['evidence']}" if isinstance(row["evidence"], str) else ""
            lines.append(f"- {solver}*{row['verdict']}.*{evidence}")
    return lines[1:]


def _solver(methods, name):
    """A solver of constrained NMF where the model itself need not be named."""
    return methods[name].label if methods[name].is_variant else "exact"


def _parts(folder, methods):
    """What changes when one part is taken away or added."""
    parts = read_frame(folder / "parts.csv")
    rows = []
    for (base, change), group in parts.groupby(["base", "change"], sort=False):
        by_metric = {row["metric"]: row for row in group.to_dict("records")}
        cells = [_difference(by_metric[metric]) for metric in PARTS]
        rows.append([base, change, *cells])
    return _markdown(["From", "Change", *(CARDS[metric].label for metric in PARTS)], rows)


def _difference(row):
    return f"{signed(row['difference'])} ({signed(row['low'])} to {signed(row['high'])})"


def _sweeps(folder, methods):
    """Scores at every point of the sweeps whose figures' tables are in the folder, small to large.

    The sweeps have the same points. One that several keys share stands under the first.
    """
    from .figures.sweep import along, keys_of

    header, rows = ["Dataset", "Model"], []
    for path in sorted(folder.glob("*.csv"), key=lambda path: (len(path.name), path.name)):
        table = read_frame(path)
        keys = keys_of(table)
        points: dict[tuple, str] = {}
        for key in keys:
            for _, row in along(table, key).iterrows():
                points.setdefault(tuple(row[keys]), f"{SHORT_KEYS.get(key, key)} {row[key]:g}")
        header[2:] = points.values()
        for method, fits in table.groupby("method", sort=False):
            by_point = {tuple(row[keys]): row for _, row in fits.iterrows()}
            cells = (
                " / ".join(number(by_point[point][metric], 2) for metric in SWEEPS)
                for point in points
            )
            rows.append([fits["dataset"].iloc[0], full_label(methods, method), *cells])
    return _markdown(header, rows)


def _faults(folder, methods):
    """Faults by kind: how many were injected and survived, as `make test-faults` counts them."""
    table = read_frame(folder / "faults.csv")
    return _markdown([name.capitalize() for name in table], table.to_numpy().tolist())


def _mean(row, metric):
    mean = number(row[metric])
    low, high = row[f"{metric}_low"], row[f"{metric}_high"]
    return mean if low != low else f"{mean} ({number(low)}–{number(high)})"


BLOCKS = {
    "leaderboard": _leaderboard,
    "settings": _settings,
    "verdicts": _verdicts,
    "evidence": _evidence,
    "parts": _parts,
    "sweeps": _sweeps,
    "faults": _faults,
}
