"""Document embeddings for the tools that start from them. The option `embedding` chooses one:

- "floret": Finnish floret vectors of the package spacy-fi-experimental-web-md, 300 numbers a word,
  built of subwords, so that no word is unknown. A text is the mean of its words' vectors, each cut
  to unit length first, which is how fastText and floret themselves embed a sentence.
- "tfidf": TF-IDF reduced by a truncated SVD, for any language.
- any other name: a sentence-transformers model, by the path of its folder or by its name on the
  Hugging Face hub, such as paraphrase-multilingual-MiniLM-L12-v2.

Only a name on the hub needs a network. Rows have unit length: FASTopic's exp(-distance) vanishes
for long ones, and in BERTopic's mean of a document and a seed topic a length would be a weight.
"""

import functools
import os
from pathlib import Path

import numpy as np

from ..contract import UnusableProblem

SVD_DIMENSIONS = 100
HUB_SECONDS = 5


def texts(problem):
    """The documents as strings, of words of the vocabulary alone: what every method sees."""
    known = set(problem.vocabulary)
    return [" ".join(filter(known.__contains__, tokens)) for tokens in problem.tokens]


def embed(problem, name):
    """Embeddings of the documents, M x d."""
    return load_embedder(problem, name)(texts(problem))


def load_embedder(problem, name):
    """A function from n texts to their embeddings, n x d; a text without words has zeros.

    To be called before a tool is imported, which it keeps from reaching for the hub.
    """
    load = {"floret": _floret, "tfidf": functools.partial(_tfidf, problem)}.get(name)
    if load or Path(name).is_dir():
        # huggingface_hub reads it once, when a tool imports it.
        os.environ["HF_HUB_OFFLINE"] = "1"
    encode = load() if load else _sentence_transformer(name)

    def embedder(strings):
        filled = np.array([bool(text) for text in strings])
        return _unit_rows(np.asarray(encode(strings), dtype=np.float32) * filled[:, None])

    return embedder


def _unit_rows(vectors):
    """Rows scaled to length one; rows of zeros stay."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)


@functools.cache
def _floret():
    import spacy

    # Vectors alone are wanted; and the lemmatizer would need Voikko, which pip does not bring.
    parts = ["tok2vec", "tagger", "morphologizer", "parser", "lemmatizer", "attribute_ruler", "ner"]
    vocab = spacy.load("spacy_fi_experimental_web_md", exclude=parts).vocab

    def encode(strings):
        vectors = np.zeros((len(strings), vocab.vectors_length), dtype=np.float32)
        for vector, text in zip(vectors, strings, strict=True):
            if words := text.split():
                vector[:] = _unit_rows(np.array([vocab.get_vector(w) for w in words])).mean(axis=0)
        return vectors

    return encode


def _tfidf(problem):
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    pipeline = make_pipeline(
        TfidfVectorizer(analyzer=str.split, vocabulary=problem.vocabulary),
        TruncatedSVD(min(SVD_DIMENSIONS, *problem.counts.shape), random_state=problem.random_state),
    )
    return pipeline.fit(texts(problem)).transform


@functools.cache
def _sentence_transformer(name):
    try:
        # Asked first, since a download without a network tries again for minutes.
        online = not Path(name).is_dir() and _hub_answers(name)
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(name, device="cpu", local_files_only=not online).encode
    except Exception as error:
        raise UnusableProblem(
            f"embedding {name!r} cannot be loaded ({type(error).__name__}): without a network, "
            "give the folder of a sentence-transformers model that was downloaded elsewhere, or "
            "use embedding: floret"
        ) from error


def _hub_answers(name):
    """Whether the hub can be reached; an error if not, unless the model was fetched before."""
    from huggingface_hub import constants, get_session, try_to_load_from_cache

    repository = name if "/" in name else f"sentence-transformers/{name}"
    fetched = isinstance(try_to_load_from_cache(repository, "modules.json"), str)
    try:
        get_session().head(constants.ENDPOINT, timeout=HUB_SECONDS)
    except Exception:
        if fetched:
            return False
        raise
    return True
