"""A simulated Finnish background: short lemmatised comments with the statistics of real ones.

Real comments are not public. Independent draws from a frequency table match their marginals, but
hold a tenth of the repetition within a document and no co-occurrence beyond chance, which is what
a topic model lives on. Four simple laws together come close to both:

* **length**: 2 + ceil(Gamma) tokens;
* **urn** (Hoppe): token i = 0, 1, ... of a document copies one of the i tokens before it with
  probability i / (i + a), and is fresh otherwise;
* **majority topics**: the common lemmas are divided into K topics of about equal mass. Every
  stretch of ten tokens has one topic, so short comments keep to it and long ones wander. A fresh
  token comes from its topic with probability t, else from the whole table of lemma frequencies;
* **open tail**: a fresh token is, with a fixed probability, a word outside the table: a compound
  of two lemmas whose rank follows a power law, so the vocabulary never stops growing.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np
from scipy import sparse
from scipy.stats import gamma

# Fitted to 434 published comments: maximum likelihood gives shape 0.87 and scale 8.1, a little
# more spread meets their standard deviation too. The longest of them has 59 tokens.
SHORTEST, LONGEST = 3, 80
LENGTH_SHAPE, LENGTH_SCALE = 0.8, 8.9

# Repeated tokens rise with the position in the document: 3% at the 6th, 14% at the 18th.
URN_INNOVATION = 180.0

# As many topics as a model of 20 leaves to the majority beside 7 minority topics; their strength
# is what word pairs that recur from document to document ask for.
N_MAJORITY_TOPICS = 13
N_TOPICAL_WORDS = 2000
TOPICAL_SHARE = 0.67
STRETCH = 10

# The commonest verbs of the table are stop words to many: no published word has 0.7% of the tokens.
LARGEST_SHARE = 0.008

# A quarter of the published tokens is unknown to the lemmatiser: names, slang, slips, compounds.
# Exponent and scale carry the vocabulary on from the 2,500 words of the 434 comments towards the
# 886,000 of the three million that they were drawn from.
TAIL_SHARE = 0.25
TAIL_EXPONENT = 1.4
TAIL_SCALE = 2000.0
N_COMPOUND_PARTS = 4000

# Bounds the memory of the intermediate arrays, a dozen numbers a token.
DOCUMENTS_PER_BLOCK = 250_000

# Behind `corpus_statistics`: documents, random orders of them, and random corpora with as many
# rounds of trading between one and the next.
N_MEASURED = 1000
N_ORDERS = 20
N_RANDOM_CORPORA = 50
N_TRADES = 5


@dataclass(frozen=True)
class TokenCorpus:
    """Tokenised documents as flat arrays.

    Document d is ``tokens[indptr[d]:indptr[d + 1]]``, and ``words[i]`` is the lemma of word id i.

    indptr : int64, (M + 1,)
    tokens : int32, (number of tokens,)
    words : one lemma for each word id, all distinct
    """

    indptr: np.ndarray
    tokens: np.ndarray
    words: list[str]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def documents(self) -> Iterator[list[str]]:
        """Each document as a list of words."""
        for start, end in zip(self.indptr[:-1], self.indptr[1:], strict=True):
            yield [self.words[i] for i in self.tokens[start:end]]


def simulate_background(n_documents: int, random_state: int) -> TokenCorpus:
    """Draw `n_documents` comments from the laws described at the top of this module."""
    if n_documents < 1:
        raise ValueError(f"n_documents={n_documents!r} must be at least 1")
    rng = np.random.default_rng(random_state)
    indptr = np.concatenate([[0], np.cumsum(_document_lengths(n_documents, rng))])
    blocks = []
    for first in range(0, n_documents, DOCUMENTS_PER_BLOCK):
        lengths = np.diff(indptr[first : first + DOCUMENTS_PER_BLOCK + 1])
        blocks.append(_draw_tokens(lengths, rng))
    tokens, words = _name_words(np.concatenate(blocks))
    return TokenCorpus(indptr, tokens, words)


@cache
def lemma_frequencies() -> tuple[list[str], np.ndarray]:
    """Finnish lemmas without stop words, most frequent first, and their probabilities.

    Forms outside the lemmatiser's dictionary are left to the open tail.
    """
    from simplemma.strategies import DictionaryLookupStrategy
    from stopwordsiso import stopwords
    from wordfreq import get_frequency_dict

    def is_content(word: str) -> bool:
        return len(word) > 1 and word.isalpha() and word not in stop_words

    stop_words = stopwords("fi")
    dictionary = DictionaryLookupStrategy()
    frequencies: dict[str, float] = {}
    for form, frequency in get_frequency_dict("fi", "large").items():
        lemma = (dictionary.get_lemma(form, "fi") or "").lower()
        if is_content(form) and is_content(lemma):
            frequencies[lemma] = frequencies.get(lemma, 0.0) + frequency
    lemmas = sorted(frequencies, key=lambda lemma: (-frequencies[lemma], lemma))
    probabilities = np.array([frequencies[lemma] for lemma in lemmas])
    probabilities = np.minimum(probabilities / probabilities.sum(), LARGEST_SHARE)
    return lemmas, probabilities / probabilities.sum()


@cache
def _compound_parts() -> list[str]:
    """Frequent lemmas that look like Finnish nouns, so that any two of them make a compound."""
    from stopwordsiso import stopwords

    # Infinitives end in -a or -ä; the other endings are those of adverbs and participles.
    noun = re.compile("[adeghijklmnoprstuvyäö]{3,7}[eiouyö](?<!sti|ksi|lle|mpi)(?<!tu|ty)")
    # What no stop word begins with can make no stop word: halu + amme.
    stop_beginnings = {word[:n] for word in stopwords("fi") for n in range(len(word))}
    lemmas, _ = lemma_frequencies()
    nouns = (word for word in lemmas if noun.fullmatch(word) and word not in stop_beginnings)
    return list(islice(nouns, N_COMPOUND_PARTS))


def _stratified_uniforms(n: int, rng: np.random.Generator) -> np.ndarray:
    """One uniform number in each of n equal strata of [0, 1), in random order.

    Each is uniform, and together they are off the uniform distribution by 1/n at most: plain draws
    would leave the quartiles of a few hundred document lengths to chance.
    """
    return (rng.permutation(n) + rng.random(n)) / n


def _document_lengths(n_documents: int, rng: np.random.Generator) -> np.ndarray:
    edges = np.arange(1, LONGEST - SHORTEST + 1)
    at_most = gamma.cdf(edges, LENGTH_SHAPE, scale=LENGTH_SCALE)
    return SHORTEST + np.searchsorted(at_most, _stratified_uniforms(n_documents, rng))


@cache
def _topic_table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lemmas grouped by majority topic, the rare ones without topic last.

    Returns the lemma ids in topic order, their cumulative probabilities, and the K + 1 edges of the
    topics on the same scale: the words of topic k lie between ``edges[k]`` and ``edges[k + 1]``.
    """
    _, probabilities = lemma_frequencies()
    # Dealing the words out by rank gives the topics nearly equal masses.
    topic = np.arange(len(probabilities)) % N_MAJORITY_TOPICS
    topic[N_TOPICAL_WORDS:] = N_MAJORITY_TOPICS
    order = np.argsort(topic, kind="stable")
    cumulative = np.cumsum(probabilities[order])
    cumulative /= cumulative[-1]
    last = np.searchsorted(topic[order], np.arange(N_MAJORITY_TOPICS), side="right") - 1
    return order, cumulative, np.concatenate([[0.0], cumulative[last]])


def _draw_tokens(lengths: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Word codes of documents of the given lengths, end to end.

    Codes below the number of lemmas are lemmas, the others count up the open tail.
    """
    n_tokens = lengths.sum()
    start = np.repeat(np.cumsum(lengths) - lengths, lengths)
    position = np.arange(n_tokens) - start

    order, cumulative, edges = _topic_table()
    stretch = np.cumsum(position % STRETCH == 0) - 1
    topics = (N_MAJORITY_TOPICS * _stratified_uniforms(stretch[-1] + 1, rng)).astype(int)
    topic = topics[stretch]
    topical = rng.random(n_tokens) < TOPICAL_SHARE
    low = np.where(topical, edges[topic], 0.0)
    high = np.where(topical, edges[topic + 1], 1.0)
    drawn = np.searchsorted(cumulative, low + (high - low) * rng.random(n_tokens), side="right")
    codes = order[drawn].astype(np.int32)

    in_tail = np.flatnonzero(rng.random(n_tokens) < TAIL_SHARE)
    codes[in_tail] = len(order) + _tail_ranks(len(in_tail), rng)

    copied = _stratified_uniforms(n_tokens, rng) < position / (position + URN_INNOVATION)
    source = np.arange(n_tokens)
    source[copied] = start[copied] + rng.integers(position[copied])
    while copied[source].any():
        source = source[source]
    return codes[source]


def _tail_ranks(n: int, rng: np.random.Generator) -> np.ndarray:
    """Ranks r = 0, 1, ... with P(rank >= r) = (1 + r / scale)^(1 - exponent).

    Cut off where no further compound exists.
    """
    n_compounds = len(_compound_parts()) ** 2
    beyond = (1 + n_compounds / TAIL_SCALE) ** (1 - TAIL_EXPONENT)
    survival = 1 - rng.random(n) * (1 - beyond)
    return (TAIL_SCALE * (survival ** (1 / (1 - TAIL_EXPONENT)) - 1)).astype(np.int64)


def _compound(rank: int) -> str:
    """The word of a tail rank; every ordered pair of parts has exactly one rank."""
    parts = _compound_parts()
    shift, first = divmod(rank, len(parts))
    return parts[first] + parts[(first + shift + len(parts) // 2) % len(parts)]


def _name_words(codes: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Number the words that occur from 0 and name them.

    Two compounds may read alike, or like a lemma of the table: those are one word.
    """
    lemmas, _ = lemma_frequencies()
    occurs = np.zeros(codes.max() + 1, dtype=bool)
    occurs[codes] = True
    used = np.flatnonzero(occurs)
    names = (
        lemmas[code] if code < len(lemmas) else _compound(code - len(lemmas))
        for code in used.tolist()
    )
    ids: dict[str, int] = {}
    number = np.empty(len(occurs), dtype=np.int32)
    number[used] = [ids.setdefault(name, len(ids)) for name in names]
    return number[codes], list(ids)


def corpus_statistics(documents: Iterable[list[str]]) -> dict[str, float]:
    """Statistics that a simulated corpus should share with a real one.

    Of a corpus of more than `N_MEASURED` documents, so many are measured, drawn at random: most of
    these numbers depend on the size of the corpus, and pairs of words would fill the memory.

    ``tokens_mean``, ``tokens_sd``
        tokens per document (population standard deviation).
    ``tokens_q25``, ``tokens_q50``, ``tokens_q75``, ``tokens_q90``, ``tokens_q99``
        quantiles of the same, linearly interpolated.
    ``vocabulary_2000``, ``vocabulary_4000``
        distinct words among the first 2000 and 4000 tokens, a mean over random orders of the
        documents; NaN for a corpus with fewer tokens.
    ``heaps_exponent``
        slope of log(distinct words), a mean over random orders of the documents, on log(tokens) by
        least squares over every token from the 100th; NaN for a corpus with fewer tokens.
    ``seen_once``
        share of the distinct words that occur exactly once in the corpus.
    ``top_10``, ``top_100``
        share of all tokens that belong to the 10 and 100 most frequent words.
    ``repeated``
        share of all tokens that occurred earlier in the same document.
    ``cooccurrence_excess``
        pairs of distinct words that share two or more documents, divided by the mean number of
        such pairs when words are traded at random between documents such that every document keeps
        its number of distinct words and every word its number of documents; NaN where that is 0.
    """
    rng = np.random.default_rng(0)
    documents = list(documents)
    if len(documents) > N_MEASURED:
        documents = [documents[d] for d in rng.choice(len(documents), N_MEASURED, replace=False)]
    ids: dict[str, int] = {}
    coded = [
        np.array([ids.setdefault(word, len(ids)) for word in words], dtype=int)
        for words in documents
    ]
    if not ids:
        raise ValueError("corpus_statistics: there is no word in these documents")
    lengths = np.array([len(words) for words in coded])
    counts = np.sort(np.bincount(np.concatenate(coded)))[::-1]
    n_tokens = lengths.sum()
    growth = np.mean([_vocabulary_growth(coded, rng) for _ in range(N_ORDERS)], axis=0)
    size = np.arange(1, n_tokens + 1)
    distinct = [np.unique(words) for words in coded]
    statistics = {"tokens_mean": lengths.mean(), "tokens_sd": lengths.std()}
    for percent in (25, 50, 75, 90, 99):
        statistics[f"tokens_q{percent}"] = np.percentile(lengths, percent)
    for n in (2000, 4000):
        statistics[f"vocabulary_{n}"] = growth[n - 1] if n <= n_tokens else np.nan
    statistics["heaps_exponent"] = (
        np.polyfit(np.log(size[99:]), np.log(growth[99:]), 1)[0] if n_tokens > 100 else np.nan
    )
    statistics["seen_once"] = np.mean(counts == 1)
    for n in (10, 100):
        statistics[f"top_{n}"] = counts[:n].sum() / n_tokens
    statistics["repeated"] = 1 - sum(map(len, distinct)) / n_tokens
    statistics["cooccurrence_excess"] = _cooccurrence_excess(distinct, rng)
    return {name: float(value) for name, value in statistics.items()}


def _vocabulary_growth(coded: list[np.ndarray], rng: np.random.Generator) -> np.ndarray:
    """Distinct words among the first 1, 2, ... tokens, the documents in random order."""
    tokens = np.concatenate([coded[d] for d in rng.permutation(len(coded))])
    is_new = np.zeros(len(tokens))
    is_new[np.unique(tokens, return_index=True)[1]] = 1
    return np.cumsum(is_new)


def _cooccurrence_excess(distinct: list[np.ndarray], rng: np.random.Generator) -> float:
    words = np.concatenate(distinct)
    document = np.repeat(np.arange(len(distinct)), list(map(len, distinct)))
    observed = _n_shared_pairs(document, words)
    by_chance = []
    for _ in range(N_RANDOM_CORPORA):
        for _ in range(N_TRADES):
            document = _trade_words(document, words, rng)
        by_chance.append(_n_shared_pairs(document, words))
    return observed / float(np.mean(by_chance)) if any(by_chance) else np.nan


def _n_shared_pairs(document: np.ndarray, words: np.ndarray) -> int:
    X = sparse.csr_array((np.ones(len(words)), (document, words)))
    return int(np.sum(sparse.triu(X.T @ X, k=1).data >= 2))


def _trade_words(document: np.ndarray, words: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One round of the curveball algorithm (Strona et al. 2014, doi:10.1038/ncomms5114).

    Documents meet in random pairs; the words that only one of the two holds are dealt out anew,
    each document receiving as many as it gave. Returns the new document of each (document, word).
    """
    pair = (rng.permutation(document.max() + 1) // 2)[document]
    _, index, count = np.unique(
        pair * (words.max() + 1) + words, return_inverse=True, return_counts=True
    )
    tradable = np.flatnonzero(count[index] == 1)
    tradable = tradable[np.argsort(pair[tradable], kind="stable")]
    dealt = tradable[np.lexsort((rng.random(len(tradable)), pair[tradable]))]
    traded = document.copy()
    traded[tradable] = document[dealt]
    return traded
