"""Topic tables in the style of the paper (its Tables A2-A5): Markdown, LaTeX and Excel.

A row is a topic with its ten top words; seed words are bold, and below the words stand English
glosses where there are any. Words and names are text: whatever they hold, they are shown as it is.
"""

import datetime as dt
import io
import re

import numpy as np
import xlsxwriter

from ...base.files import replacing, write_text
from ...base.text import folded

N_WORDS = 10
# Topics of one LaTeX table, which must fit on a page.
PER_TABLE = 20
MARKS = re.compile(r"([\\`*_{}\[\]()#+\-.!|~^$:@/])")
LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
}
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
# Of Excel: characters of a cell.
LONGEST_CELL = 32_767
EPOCH = dt.datetime(2000, 1, 1)


def plain(text):
    """Text on one line, without controls and marks that turn the direction of writing."""
    return folded(CONTROLS.sub(" ", text))


def markdown_text(text):
    """Text as Markdown shows it, and no markup."""
    text = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return MARKS.sub(r"\\\1", text)


def latex_text(text):
    """Text as LaTeX sets it, and no command."""
    return "".join(LATEX.get(character, character) for character in plain(text))


def write_markdown(path, rows, title):
    """`rows` of (number, name or "", kind, [(word, is seed)], glosses or [])."""
    lines = [f"# {markdown_text(title)}", "", "Seed words are bold.", ""]
    for kind, part in _by_kind(rows):
        lines += [f"## {kind.capitalize()} topics", "", "| Topic | Top 10 topic words |"]
        lines += ["| --- | --- |"]
        for number, name, _, words, glosses in part:
            shown = ", ".join(_bold(markdown_text(word), seed, "**{}**") for word, seed in words)
            if glosses:
                shown += f"<br>*{markdown_text(', '.join(glosses))}*"
            label = f"{number} {markdown_text(name)}".strip()
            lines.append(f"| {label} | {shown} |")
        lines.append("")
    write_text(path, "\n".join(lines))


def write_latex(path, rows, title):
    """A file to \\input: tables of at most 20 topics, minority topics first."""
    lines = [
        "% Needs \\usepackage[utf8]{inputenc}, \\usepackage[T1]{fontenc}, \\usepackage{textcomp}."
    ]
    for kind, part in _by_kind(rows):
        for start in range(0, len(part), PER_TABLE):
            lines += _latex_table(kind, part[start : start + PER_TABLE], title)
    write_text(path, "\n".join(lines) + "\n")


def _latex_table(kind, rows, title):
    lines = [
        r"\begin{table*}[t]",
        r"\centering",
        r"\begin{small}",
        r"\begin{tabular}{lp{0.8\linewidth}}",
        r"\hline",
        r"\textbf{Topic} & \textbf{Top 10 Topic Words} \\",
        r"\hline",
    ]
    for number, name, _, words, glosses in rows:
        shown = ", ".join(_bold(latex_text(word), seed, r"\textbf{{{}}}") for word, seed in words)
        label = rf"\textit{{{latex_text(name)}:}} " if name else ""
        lines.append(rf"Topic {number} & {label}{shown} \\")
        if glosses:
            lines.append(rf" & {latex_text(', '.join(glosses))} \\")
        lines.append(r"\hline")
    first, last = rows[0][0], rows[-1][0]
    caption = f"{latex_text(title)}: {kind} topics {first}--{last}. Seed words are bold."
    return [
        *lines,
        r"\end{tabular}",
        r"\end{small}",
        rf"\caption{{{caption}}}",
        rf"\label{{tab:topics-{first}-{last}}}",
        r"\end{table*}",
        "",
    ]


def _by_kind(rows):
    for kind in ("minority", "majority"):
        part = [row for row in rows if row[2] == kind]
        if part:
            yield kind, part


def _bold(text, is_bold, pattern):
    return pattern.format(text) if is_bold else text


def write_excel(path, sheets):
    """`sheets` of (name, header, rows). Text stays text: no formulas, links or numbers from it."""
    content = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(content, options) as book:
        # The date of a file would make each run another one.
        book.set_properties({"created": EPOCH})
        head = book.add_format({"bold": True})
        for name, header, rows in sheets:
            sheet = book.add_worksheet(name)
            sheet.freeze_panes(1, 0)
            for column, cell in enumerate(header):
                sheet.write_string(0, column, cell, head)
            for number, row in enumerate(rows, start=1):
                for column, cell in enumerate(row):
                    _write_cell(sheet, number, column, cell)
    with replacing(path, "wb") as file:
        file.write(content.getvalue())


def _write_cell(sheet, row, column, cell):
    if isinstance(cell, str):
        if cell:
            sheet.write_string(row, column, plain(cell)[:LONGEST_CELL])
    elif cell is not None and np.isfinite(cell):
        sheet.write_number(row, column, cell)
