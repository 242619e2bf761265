"""documents.parquet: the topics of every comment, of a fit and of new comments alike."""

import numpy as np
import pyarrow as pa

# Topics of a comment that are listed have at least this share.
LEAST_WEIGHT = 0.1
FIELDS = pa.schema(
    [
        ("row", pa.int64()),
        ("id", pa.string()),
        ("has_words", pa.bool_()),
        ("main_topic", pa.int32()),
        ("topics", pa.list_(pa.int32())),
        ("weights", pa.list_(pa.float32())),
    ]
)


def documents(begin, ids, has_words, main, doc_topic, numbers=None):
    """Rows of documents.parquet, from number `begin` on.

    `doc_topic` (rows x K, CSR) has the shares of topics, `main` the main topic, -1 for none.
    `numbers` are those that the topics are told by, by default 1 to K.
    """
    if numbers is None:
        numbers = np.arange(1, doc_topic.shape[1] + 1)
    numbers = np.append(numbers, 0).astype(np.int32)
    listed = doc_topic.copy()
    listed.sort_indices()
    listed.data[listed.data < LEAST_WEIGHT] = 0
    listed.eliminate_zeros()
    bounds = pa.array(listed.indptr, pa.int32())
    arrays = [
        pa.array(np.arange(begin, begin + len(ids))),
        ids,
        pa.array(has_words),
        pa.array(numbers[main], mask=main < 0),
        pa.ListArray.from_arrays(bounds, pa.array(numbers[listed.indices])),
        pa.ListArray.from_arrays(bounds, pa.array(listed.data.astype(np.float32))),
    ]
    return pa.Table.from_arrays(arrays, schema=FIELDS)
