"""The folder that `read_comments` leaves, made from texts in a test."""

import datetime
from pathlib import Path

import numpy as np

from minority_topics.base.files import write_csv, write_json, write_lines
from minority_topics.base.manifest import write_manifest
from minority_topics.comments.folders import (
    COMMENTS,
    FORM_NUMBERS,
    FORMS,
    INPUT_REPORT,
    OFFSETS,
    READING,
)
from minority_topics.corpus.forms import forms


def write_comments_folder(folder, texts, dates=None, groups=None):
    """Write comments with ids "1", "2", ... and the forms of their words; gives the folder.

    `dates` are datetimes or None, `groups` texts or None, one each a comment.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    n_comments = len(texts)
    dates = list(dates or [None] * n_comments)
    groups = list(groups or [None] * n_comments)
    table = pa.table(
        {
            "id": pa.array([str(row + 1) for row in range(n_comments)], pa.string()),
            "date": pa.array(dates, pa.timestamp("s")),
            "group": pa.array(groups, pa.string()),
            "text": pa.array(texts, pa.string()),
        }
    )
    pq.write_table(table, folder / COMMENTS, row_group_size=50_000)

    numbers = {}
    rows = [[numbers.setdefault(form, len(numbers)) for form in forms(text)] for text in texts]
    write_lines(folder / FORMS, numbers)
    flat = np.array([number for row in rows for number in row], dtype=np.int32)
    np.save(folder / FORM_NUMBERS, flat)
    np.save(folder / OFFSETS, np.cumsum([0, *map(len, rows)], dtype=np.int64))

    write_csv(folder / INPUT_REPORT, ["file", "line", "reason", "detail"], [])
    write_json(folder / READING, _reading(n_comments, texts, dates, groups))
    write_manifest(folder)
    return folder


def _reading(n_comments, texts, dates, groups):
    known = sorted(date for date in dates if date is not None)
    file = {
        "file": "comments.csv", "format": "csv", "encoding": "utf-8", "delimiter": ",",
        "quote": '"', "rows": n_comments, "kept": n_comments,
    }  # fmt: skip
    return {
        "files": [file],
        "columns": {
            "text": "text",
            "id": None,
            "date": "date" if known else None,
            "group": "group" if any(groups) else None,
        },
        "rows_read": n_comments,
        "rows_kept": n_comments,
        "skipped": {},
        "repeated_texts": n_comments - len(set(texts)),
        "dates": [_iso(known[0]), _iso(known[-1])] if known else None,
        "groups": len({group for group in groups if group is not None}),
        "undated": n_comments - len(known),
        "settings": {},
    }


def _iso(date):
    return date.isoformat(sep=" ") if isinstance(date, datetime.datetime) else str(date)
