"""From raw comments to tokens, and from tokens to matrices over one shared vocabulary."""

import csv
import functools
import json
import re
from pathlib import Path

import numpy as np

# A word is two or more letters or digits: symbols and lone characters are dropped.
TOKEN = re.compile(r"\b\w\w+\b")


class DataError(ValueError):
    """Input data that cannot be used; the message names file, place and remedy."""


def read_table(path, columns):
    """Rows of a CSV, JSONL or Parquet file as dicts of the named columns, as text."""
    path = Path(path)
    if not path.exists():
        raise DataError(f"{path}: no such file")
    readers = {".csv": _read_csv, ".jsonl": _read_jsonl, ".parquet": _read_parquet}
    if path.suffix.lower() not in readers:
        raise DataError(f"{path}: the name must end in one of {', '.join(readers)}")
    rows = readers[path.suffix.lower()](path, columns)
    if not rows:
        raise DataError(f"{path}: the file holds no rows")
    return rows


def _read_csv(path, columns):
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            _require(path, columns, reader.fieldnames or [])
            return [{name: row[name] or "" for name in columns} for row in reader]
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 text (byte {error.start}); save it as UTF-8") from error


def _read_jsonl(path, columns):
    rows = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise DataError(f"{path}: line {number} is not JSON: {error.msg}") from error
            if not isinstance(row, dict):
                raise DataError(f"{path}: line {number} is not a JSON object")
            _require(path, columns, row)
            rows.append({name: "" if row[name] is None else str(row[name]) for name in columns})
    return rows


def _read_parquet(path, columns):
    import pyarrow.parquet

    table = pyarrow.parquet.ParquetFile(path)
    _require(path, columns, table.schema_arrow.names)
    rows = table.read(columns=list(columns)).to_pylist()
    return [{name: "" if row[name] is None else str(row[name]) for name in columns} for row in rows]


def _require(path, columns, present):
    missing = [name for name in columns if name not in present]
    if missing:
        raise DataError(f"{path}: no column {missing[0]!r}; it has {', '.join(map(repr, present))}")


def clean(texts, stop_words="none", lemmas="none"):
    """Tokens of each text: lower case, symbols out, then lemmas, then stop words out.

    `stop_words` is "none" or a language of stopwordsiso ("fi"); `lemmas` is "none" or "simplemma".
    """
    lemmatise = {"none": str, "simplemma": _simplemma}[lemmas]
    dropped = set() if stop_words == "none" else _stop_words(stop_words)
    cleaned = functools.cache(
        lambda form: "" if form in dropped else _unless(lemmatise(form), dropped)
    )
    documents = []
    for text in texts:
        tokens = (cleaned(form) for form in TOKEN.findall(text.lower()))
        documents.append([token for token in tokens if token])
    return documents


def _unless(word, dropped):
    return "" if word in dropped else word


def _simplemma(form):
    import simplemma

    return simplemma.lemmatize(form, lang="fi").lower()


def _stop_words(language):
    import stopwordsiso

    if not stopwordsiso.has_lang(language):
        known = ", ".join(sorted(stopwordsiso.langs()))
        raise DataError(f"stop_words: no list for {language!r}; there are {known}, or 'none'")
    return stopwordsiso.stopwords(language)


def vectorise(documents, min_df=1, max_df=1.0):
    """Counts and TF-IDF (both M x N, CSR) over one sorted vocabulary.

    `min_df` and `max_df` bound the documents a word occurs in: a whole number is a count, a
    fraction a share of all documents.
    """
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

    counter = CountVectorizer(analyzer=list, min_df=min_df, max_df=max_df)
    try:
        counts = counter.fit_transform(documents).tocsr()
    except ValueError as error:
        raise DataError(
            f"min_df={min_df!r} and max_df={max_df!r} leave no word of {len(documents)} documents; "
            "lower min_df (a fraction is a share of documents, a whole number a count)"
        ) from error
    counts.sort_indices()
    return counts, TfidfTransformer().fit_transform(counts), list(counter.get_feature_names_out())


def estimate_truth(counts, labels, n_topics):
    """Word distribution of each labelled topic (T x N), estimated from its documents' words."""
    truth = np.zeros((n_topics, counts.shape[1]))
    for topic in range(n_topics):
        words = np.asarray(counts[labels == topic].sum(axis=0)).ravel().astype(float)
        truth[topic] = words / max(words.sum(), 1)
    return truth
