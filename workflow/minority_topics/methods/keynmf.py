"""KeyNMF (Kristensen-McLachlan et al. 2024) with a seed phrase, by turftopic.

A document's words are weighed by how similar their embeddings are to the document's, and NMF of
these weights (documents x words) gives the topics. The guidance is a phrase, here the seed words
joined by spaces: the weights of a document are multiplied by its similarity to the phrase, to the
power of `seed_exponent`. It leads all topics towards the phrase, and none more than another: the
minority topics are those with the largest share of seed words.

Embeddings are those of `embeddings`, as for BERTopic. The tool leaves out the word of each document
that is least like it, so that a document of one word has no weights: it is an outlier.
"""

import warnings

import numpy as np

from .contract import Fit, UnusableProblem, minority_by_seed_share, normalise_rows
from .shared.embeddings import load_embedder, texts
from .shared.seed_lists import seed_lists


def fit(problem):
    return keynmf(problem, **problem.options)


def keynmf(problem, *, embedding="floret", top_n=25, seed_exponent=2.0):
    """Options: `embedding`, as above; the others are the tool's, with its defaults."""
    embedder = load_embedder(problem, embedding)
    documents = texts(problem)
    phrase = " ".join(next(iter(seed_lists(problem, "same")), []))

    from sklearn.feature_extraction.text import CountVectorizer
    from turftopic import KeyNMF
    from turftopic.encoders import ExternalEncoder

    class Encoder(ExternalEncoder):
        def encode(self, sentences):
            return embedder(list(sentences))

    model = KeyNMF(
        problem.n_topics,
        encoder=Encoder(),
        vectorizer=CountVectorizer(analyzer=str.split, vocabulary=problem.vocabulary),
        top_n=top_n,
        random_state=problem.random_state,
        seed_phrase=phrase or None,
        seed_exponent=seed_exponent,
    )
    keywords = model.extract_keywords(documents)
    if not any(keywords):
        raise UnusableProblem(
            "KeyNMF finds no keyword: it needs documents of two different words or more, and some "
            "that are similar to the seed words; give longer documents, or other seed words"
        )
    with warnings.catch_warnings():
        # The phrase is in the keywords already.
        warnings.filterwarnings("ignore", message="Seed phrase is specified")
        W = model.fit_transform(documents, keywords=keywords)

    column = {word: number for number, word in enumerate(problem.vocabulary)}
    H = np.zeros((len(model.components_), len(column)))
    H[:, [column[word] for word in model.get_vocab()]] = model.components_
    mass = H.sum(axis=1)
    kept = mass > 0
    topic_word = normalise_rows(H[kept])
    return Fit(
        doc_topic=normalise_rows((W * mass)[:, kept]),
        topic_word=topic_word,
        minority=minority_by_seed_share(topic_word, problem.seed_columns, problem.n_minority),
        notes={"iterations": int(model.model.n_iter)},
    )
