"""A labelled file as it is: its documents, cleaned, under their own labels."""

from pathlib import Path

from ..base.manifest import write_manifest
from ..base.text import composed, find_control, folded, shown
from .cleaning import clean
from .readers import DataError, naming, read_table
from .storage import BACKGROUND, write_documents


def read_labelled(
    file, out, *, label_column=None, background_label="-1", text_column="text", stop_words="none",
    lemmas="none",
):  # fmt: skip
    """Write 0.csv of the folder `out`; without a column of labels, all of it is background."""
    settings = [label_column, background_label, text_column, stop_words, lemmas]
    columns = [text_column, *([label_column] if label_column else [])]
    rows = read_table(file, columns)
    with naming(file):
        documents = clean((row[text_column] for row in rows), stop_words, lemmas)
        labels = [BACKGROUND] * len(rows)
        if label_column:
            labels = read_labels([row[label_column] for row in rows], background_label)
    write_documents(Path(out) / "0.csv", range(len(rows)), documents, labels)
    write_manifest(out, settings, [file])


def read_labels(labels, background_label):
    """Labels of rows as names of topics: each on one line, and background as BACKGROUND."""
    background = folded(composed(background_label))
    names = []
    for number, label in enumerate(map(folded, map(composed, labels)), start=1):
        if label == background:
            names.append(BACKGROUND)
        elif _is_same_number(label, background):
            raise DataError(
                f"row {number} has the label {shown(label)}, and background_label is "
                f"{shown(background)}, the same number; write both alike"
            )
        elif not label:
            raise DataError(f"row {number} has no label; fill it in, or set background_label: ''")
        elif label == BACKGROUND:
            raise DataError(
                f"row {number} has the label {BACKGROUND!r}, which stands for background here; "
                f"rename it, or set background_label: {BACKGROUND!r}"
            )
        elif find_control(label):
            raise DataError(
                f"row {number} has {find_control(label)!r} in its label {shown(label)}; take it out"
            )
        else:
            names.append(label)
    return names


def _is_same_number(label, other):
    try:
        return float(label) == float(other)
    except ValueError:
        return False
