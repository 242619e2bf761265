"""Assign new comments to the topics of a model that was fitted before."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp

from ..base.files import digest, read_lines, replacing, write_csv, write_json
from ..base.manifest import check_manifest, write_manifest
from ..corpus.readers import DataError
from ..nmf.model import ConstrainedNMF
from . import folders
from .answers.naming import names_of
from .answers.topics import Arrangement, describe
from .documents import FIELDS, documents
from .encoding import Encoder
from .fitting import shares
from .limits import MB, check_memory, limited_threads
from .progress import Progress

# Comments at a time: memory does not grow with their number.
BATCH = 100_000
APPLIED = "apply.json"


def apply_model(
    model_folder, comments_folder, out, *, forms_folder=None, topics_file=None, threads=None,
    memory_mb=None,
):  # fmt: skip
    """Write documents.parquet: the topics of the comments that `read_comments` left in a folder.

    Topics stay as they are, and each comment is its own problem: a comment gets the topics that the
    same text has in the fit, under the names, merges and drops of `topics_file`. Words that the
    model does not know are passed over. `forms_folder` is where `read_comments` left the words, if
    not in the same folder. Returns what it writes to `apply.json`.
    """
    model_folder, comments_folder, out = map(Path, (model_folder, comments_folder, out))
    fitted = Fitted(model_folder)
    model, (n_topics, n_words) = fitted.model, fitted.components.shape
    needed = 3 * fitted.components.nbytes + BATCH * n_topics * 24
    what = f"{model_folder}: a model of {n_words:,} words and {n_topics} topics"
    check_memory(needed / MB, what, "give more memory", memory_mb)
    encoder = Encoder.load(model_folder)
    naming, *_ = names_of(topics_file, fitted.components, fitted.vocabulary)
    arrangement = Arrangement.of(naming, n_topics)
    shown = describe(fitted, naming, arrangement, model.n_minority)
    comments = Comments(comments_folder, Path(forms_folder or comments_folder))
    sizes, n_with_words = np.zeros(len(shown), dtype=np.int64), 0
    with (
        limited_threads(threads),
        Progress("assigning topics", comments.n_rows) as progress,
        replacing(out / folders.DOCUMENTS, "wb") as file,
        pq.ParquetWriter(file, FIELDS, compression="zstd") as writer,
    ):
        for begin, ids, texts in comments.batches():
            V = encoder.encode(texts)
            has_words = np.diff(V.indptr) > 0
            found = arrangement.shares(shares(model.transform(V)))
            weights = sp.csr_matrix(found.dense(slice(None)))
            writer.write_table(documents(begin, ids, has_words, found.main, weights, shown.numbers))
            sizes += np.bincount(found.main[found.main >= 0], minlength=len(shown))
            n_with_words += int(has_words.sum())
            progress.step(len(ids))
    kinds = np.where(shown.is_minority, "minority", "majority").tolist()
    rows = zip(shown.numbers, kinds, shown.names, sizes.tolist(), strict=True)
    write_csv(out / folders.TOPICS, ["topic", "kind", "name", "documents"], rows)
    facts = {
        "model": digest(model_folder / folders.MODEL, model_folder / folders.ARRAYS),
        "topics_file": naming.record,
        "documents": comments.n_rows,
        "documents_with_words": n_with_words,
        "documents_of_minority_topics": int(sizes[shown.is_minority].sum()),
    }
    write_json(out / APPLIED, facts)
    write_manifest(out, naming.record, [model_folder, comments_folder])
    return facts


class Fitted:
    """The folder of a model, as what topics are described by."""

    def __init__(self, folder):
        self.folder = folder
        self.model = ConstrainedNMF.load(folder)
        check_manifest(folder, folders.VOCABULARY, folders.IDF, folders.ENCODER)
        self.components = self.model.components_.astype(np.float32, copy=False)
        self.seed_columns = self.counting_columns = self.model.seed_columns_
        self.vocabulary = read_lines(folder / folders.VOCABULARY)
        if len(self.vocabulary) != self.components.shape[1]:
            raise DataError(
                f"{folder}: its vocabulary has {len(self.vocabulary)} words and its topics have "
                f"{self.components.shape[1]}; fit the model again"
            )

    @property
    def doc_topic(self):
        """Of the fit; only merged topics are described by it."""
        check_manifest(self.folder, folders.DOC_TOPIC)
        return sp.csr_matrix(sp.load_npz(self.folder / folders.DOC_TOPIC))


class Comments:
    """The comments of the folders of `read_comments`, in batches.

    Their words are the forms that were read, as in the fit: the text itself may have been left out,
    and what names a person may be hidden in it.
    """

    def __init__(self, folder, forms):
        check_manifest(folder, folders.COMMENTS)
        check_manifest(forms, *folders.OF_FORMS)
        self.path = folder / folders.COMMENTS
        self.forms = np.array([*read_lines(forms / folders.FORMS), ""], dtype=object)
        self.numbers = np.load(forms / folders.FORM_NUMBERS, mmap_mode="r", allow_pickle=False)
        self.offsets = np.load(forms / folders.OFFSETS, allow_pickle=False)
        self.n_rows = pq.read_metadata(self.path).num_rows
        if len(self.offsets) != self.n_rows + 1 or self.offsets[-1] != len(self.numbers):
            raise DataError(
                f"{forms / folders.OFFSETS}: its rows are not those of {folders.COMMENTS}; read "
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
