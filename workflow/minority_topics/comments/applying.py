"""Assign new comments to the topics of a model that was fitted before."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..base.files import digest, read_lines, replacing, write_json
from ..base.manifest import check_manifest, write_manifest
from ..corpus.readers import DataError
from ..nmf.model import ConstrainedNMF
from . import folders
from .documents import FIELDS, documents
from .encoding import Encoder
from .fitting import main_topics, shares
from .limits import MB, check_memory, limited_threads
from .progress import Progress

# Comments at a time: memory does not grow with their number.
BATCH = 100_000
APPLIED = "apply.json"


def apply_model(model_folder, comments_folder, out, *, threads=None, memory_mb=None):
    """Write documents.parquet: the topics of the comments that `read_comments` left in a folder.

    Topics stay as they are, and each comment is its own problem: a comment gets the topics that the
    same text has in the fit. Words that the model does not know are passed over. Returns what it
    writes to `apply.json`.
    """
    model_folder, comments_folder, out = map(Path, (model_folder, comments_folder, out))
    model = ConstrainedNMF.load(model_folder)
    check_manifest(model_folder, folders.VOCABULARY, folders.IDF, folders.ENCODER)
    n_topics, n_words = model.components_.shape
    needed = 3 * model.components_.nbytes + BATCH * n_topics * 24
    what = f"{model_folder}: a model of {n_words:,} words and {n_topics} topics"
    check_memory(needed / MB, what, "give more memory", memory_mb)
    encoder = Encoder.load(model_folder)
    comments = Comments(comments_folder)
    sizes, n_with_words = np.zeros(n_topics, dtype=np.int64), 0
    with (
        limited_threads(threads),
        Progress("assigning topics", comments.n_rows) as progress,
        replacing(out / folders.DOCUMENTS, "wb") as file,
        pq.ParquetWriter(file, FIELDS, compression="zstd") as writer,
    ):
        for begin, ids, texts in comments.batches():
            V = encoder.encode(texts)
            if V.shape[1] != n_words:
                raise DataError(
                    f"{model_folder}: its vocabulary has {V.shape[1]} words and its topics have "
                    f"{n_words}; fit the model again"
                )
            has_words = np.diff(V.indptr) > 0
            doc_topic = shares(model.transform(V))
            main = main_topics(doc_topic)
            writer.write_table(documents(begin, ids, has_words, main, doc_topic))
            sizes += np.bincount(main[main >= 0], minlength=n_topics)
            n_with_words += int(has_words.sum())
            progress.step(len(ids))
    facts = {
        "model": digest(model_folder / folders.MODEL, model_folder / folders.ARRAYS),
        "documents": comments.n_rows,
        "documents_with_words": n_with_words,
        "documents_by_topic": sizes.tolist(),
        "documents_of_minority_topics": int(sizes[: model.n_minority].sum()),
    }
    write_json(out / APPLIED, facts)
    write_manifest(out)
    return facts


class Comments:
    """The comments of a folder of `read_comments`, in batches.

    Their words are the forms that were read, as in the fit: the text itself may have been left out,
    and what names a person may be hidden in it.
    """

    def __init__(self, folder):
        names = folders.COMMENTS, folders.FORMS, folders.FORM_NUMBERS, folders.OFFSETS
        check_manifest(folder, *names)
        self.path = folder / folders.COMMENTS
        self.forms = np.array([*read_lines(folder / folders.FORMS), ""], dtype=object)
        self.numbers = np.load(folder / folders.FORM_NUMBERS, mmap_mode="r", allow_pickle=False)
        self.offsets = np.load(folder / folders.OFFSETS, allow_pickle=False)
        self.n_rows = pq.read_metadata(self.path).num_rows
        if len(self.offsets) != self.n_rows + 1 or self.offsets[-1] != len(self.numbers):
            raise DataError(
                f"{folder / folders.OFFSETS}: its rows are not those of {folders.COMMENTS}; read "
                "the comments again"
            )

    def batches(self):
        """(number of the first row, ids, texts) of at most BATCH comments each."""
        begin = 0
        with pq.ParquetFile(self.path) as file:
            for batch in file.iter_batches(batch_size=BATCH, columns=["id"]):
                ids = batch.column("id").cast(pa.string())
                yield begin, ids, self._texts(begin, begin + len(ids))
                begin += len(ids)

    def _texts(self, begin, end):
        bounds = self.offsets[begin : end + 1]
        forms = self.forms[self.numbers[bounds[0] : bounds[-1]]]
        bounds = (bounds - bounds[0]).tolist()
        return [" ".join(forms[first:last]) for first, last in pairwise(bounds)]
