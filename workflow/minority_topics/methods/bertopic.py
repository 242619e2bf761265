"""BERTopic (Grootendorst 2022) in its guided mode, on document embeddings (see `embeddings`).

UMAP reduces the embeddings, a clustering makes the topics, and c-TF-IDF, the TF-IDF of clusters
instead of documents, weighs their words. Guidance moves documents that are nearer to a seed topic
than to the average document towards it, tells UMAP so, and raises the weight of seed words. The
settings are BERTopic's, but for two choices:

- `clusters`: "kmeans", which gives the number of topics asked for. "hdbscan", the tool's default,
  finds two topics in 500 comments with the default `min_topic_size` of 10; with 2 it finds more
  than 20, to be merged, and leaves a quarter of the documents without one.
- `seeds`: "dealt". A document goes to the nearest seed topic, the first of equals: of seven
  identical lists ("same") one receives everything.

A document belongs to its cluster alone. BERTopic does not tell which clusters its guidance led to:
the minority topics are those with the largest share of seed words.
"""

import numpy as np

from .contract import Fit, UnusableProblem, normalise_rows
from .shared.embeddings import load_embedder, texts
from .shared.seed_lists import seed_lists

N_COMPONENTS = 5


def fit(problem):
    return bertopic(problem, **problem.options)


def bertopic(
    problem, *, embedding="floret", seeds="dealt", clusters="kmeans",
    n_neighbors=15, min_topic_size=10,
):  # fmt: skip
    """Options: as above; `n_neighbors` is UMAP's, `min_topic_size` HDBSCAN's."""
    documents = texts(problem)
    if len(documents) < N_COMPONENTS + 2:
        raise UnusableProblem(
            f"{len(documents)} documents: UMAP needs {N_COMPONENTS + 2} to start from"
        )
    lists = [words for words in seed_lists(problem, seeds) if words]
    embedder = load_embedder(problem, embedding)

    from bertopic import BERTopic
    from bertopic.backend import BaseEmbedder
    from sklearn.feature_extraction.text import CountVectorizer
    from umap import UMAP

    from .contract import minority_by_seed_share

    class Backend(BaseEmbedder):
        def embed(self, documents, verbose=False):
            return embedder(documents)

    model = BERTopic(
        embedding_model=Backend(),
        seed_topic_list=lists or None,
        umap_model=UMAP(
            n_neighbors=n_neighbors, n_components=N_COMPONENTS, min_dist=0.0, metric="cosine",
            random_state=problem.random_state, n_jobs=1,
        ),
        hdbscan_model=_clustering(problem, clusters, min_topic_size),
        vectorizer_model=CountVectorizer(analyzer=str.split, vocabulary=problem.vocabulary),
    )  # fmt: skip
    model.fit(documents)
    # Outliers, topic -1, count as a topic in reduce_topics.
    n_outlier_topics = int(-1 in model.topics_)
    if len(set(model.topics_)) - n_outlier_topics > problem.n_topics:
        model.reduce_topics(documents, problem.n_topics + n_outlier_topics)

    found = np.unique(model.topics_)  # in the order of the rows of c_tf_idf_
    topic_word = normalise_rows(model.c_tf_idf_.toarray())
    kept = (found >= 0) & topic_word.any(axis=1)
    if not kept.any():
        raise UnusableProblem(
            "BERTopic found no cluster of documents with words; lower n_topics or min_topic_size, "
            "or use clusters: kmeans"
        )
    topic_word = topic_word[kept]
    doc_topic = np.equal.outer(np.array(model.topics_), found[kept]).astype(float)
    return Fit(
        doc_topic=doc_topic,
        topic_word=topic_word,
        minority=minority_by_seed_share(topic_word, problem.seed_columns, problem.n_minority),
        notes={"outliers": int((~doc_topic.any(axis=1)).sum())},
    )


def _clustering(problem, clusters, min_topic_size):
    if clusters == "kmeans":
        from sklearn.cluster import KMeans

        n_clusters = min(problem.n_topics, problem.counts.shape[0])
        return KMeans(n_clusters, n_init=10, random_state=problem.random_state)
    if clusters == "hdbscan":
        from hdbscan import HDBSCAN

        return HDBSCAN(min_cluster_size=min_topic_size)
    raise UnusableProblem(f"option clusters={clusters!r} must be 'kmeans' or 'hdbscan'")
