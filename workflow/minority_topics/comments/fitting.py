"""Fit the model to the matrix of comments: topics, and the share of each topic in every comment.

One fit, or several of which the one with the lowest objective is kept. Each is a folder of a hidden
work folder beside the result until all are done, so that a run that was stopped goes on: fits that
are complete are kept, and the one at work continues from its checkpoint.
"""

import itertools
import json
import shutil
import time
import warnings
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_mutual_info_score

from .. import __version__
from ..base.files import copy_file, read_json, read_lines, replacing, write_json
from ..base.manifest import (
    MANIFEST,
    DamagedFolder,
    check_manifest,
    describe_step,
    write_manifest,
)
from ..base.processes import peak_memory_mb
from ..base.text import counted, listed, shown
from ..corpus.readers import DataError
from ..corpus.vectors import read_word_vectors
from ..nmf.checkpoint import fingerprint
from ..nmf.checks import check_parameters, is_whole
from ..nmf.kernels import batches
from ..nmf.model import ConstrainedNMF
from ..nmf.progress import FitStopped, listening
from ..nmf.registers import LINE, lines_of
from ..nmf.start import AUTO_WORK
from . import folders
from .guidance import judge, recommendation
from .limits import MB, Deadline, FitLog, LimitError, check_memory, limited_threads
from .sizes import Basis, refuse_too_many, warnings_of

# Shares of topics in a comment below this are left out.
LEAST_SHARE = 0.001
# A checkpoint of millions of comments is as large as the model: it is written now and then.
CHECKPOINT_EVERY = 50
CHECKPOINT = "checkpoint.npz"
IDENTITY = "identity.json"
# The agreement of fits is measured on at most so many comments.
COMPARED = 200_000
# Memory that compiled code, and arrays that do not grow with the corpus, take.
OVERHEAD = 200 * MB
# Bytes that learnt guidance takes for a nonzero, a document and a word.
GUIDING_ENTRY, GUIDING_DOCUMENT, GUIDING_WORD = 20, 100, 400
# Vectors for fewer words than this are probably those of another language.
LEAST_VECTORS = 0.5


def fit_comments(
    matrix_folder,
    out,
    *,
    n_topics=50,
    n_minority=15,
    theta_min=0.4,
    w_max=1e-9,
    guidance="learnt",
    word_vectors=None,
    n_fits=1,
    random_state=1,
    max_iter=200,
    tol=1e-5,
    threads=None,
    memory_mb=None,
    minutes=None,
):
    """Fit `n_fits` models with random states from `random_state` on, and keep the best one.

    `word_vectors` is a file of vectors, which learnt guidance takes as further evidence.
    `threads`, `memory_mb` and `minutes` are limits; None is what the machine has. Raises LimitError
    if memory would not be enough, and when time is over: a second call then goes on. Returns what
    it writes to `fit.json`.
    """
    matrix_folder, out = Path(matrix_folder), Path(out)
    for name, value, least in (("n_fits", n_fits, 1), ("random_state", random_state, 0)):
        if not is_whole(value, least):
            raise ValueError(f"{name}={shown(value)} must be a whole number from {least}.")
    settings = {
        "n_topics": n_topics, "n_minority": n_minority, "theta_min": theta_min, "w_max": w_max,
        "max_iter": max_iter, "tol": tol, "guidance": guidance,
    }  # fmt: skip
    check_parameters(ConstrainedNMF(**settings, seed_words=()))
    problem = Problem.read(matrix_folder, n_topics, n_minority, memory_mb)
    states = range(random_state, random_state + n_fits)
    if word_vectors is not None:
        problem.read_vectors(word_vectors, matrix_folder)
    work = _work_folder(out, _identity(matrix_folder, settings, problem.vectors))
    deadline = Deadline(minutes)
    with limited_threads(threads) as n_threads:
        for state in states:
            if not _is_complete(work / str(state)):
                try:
                    _fit_once(problem, settings, state, work, deadline)
                except FitStopped as stopped:
                    raise LimitError(
                        f"{out}: the fit was stopped after minutes={minutes:g} ({stopped}); run it "
                        "again to go on where it was, or give more minutes"
                    ) from None
        fits = {state: read_json(work / str(state) / folders.FIT) for state in states}
        best = min(states, key=lambda state: fits[state]["objective"])
        learnt = None
        if n_minority:
            learnt = judge(problem.V, problem.has_words, work / str(best), problem.vectors)
            write_manifest(work / str(best))  # there is one more file now
    agreement = stability = None
    if n_fits > 1:
        agreement, stability = _compare(work, fits, best, n_minority)
    facts = fits[best] | settings | {
        "random_state": best,
        "seconds": round(sum(fit["seconds"] for fit in fits.values()), 1),
        "peak_mb": max(fit["peak_mb"] for fit in fits.values()),
        "threads": n_threads,
        "documents": problem.n_documents,
        "documents_with_words": problem.V.shape[0],
        "words": problem.V.shape[1],
        "agreement": agreement,
        "stability": stability,
        "learnt_guidance": learnt,
        "warnings": problem.warnings + fits[best]["warnings"],
    }  # fmt: skip
    facts["warnings"] += recommendation(facts)
    asked = settings | {"random_state": random_state, "n_fits": n_fits}
    inputs = [matrix_folder, *filter(None, [word_vectors])]
    _publish(work / str(best), matrix_folder, out, facts, describe_step(asked, inputs))
    shutil.rmtree(work)
    return facts


@dataclass
class Problem:
    """V (comments with words x words, CSR float32), and what else a fit needs to know."""

    V: sp.csr_matrix
    seed_columns: np.ndarray
    has_words: np.ndarray
    warnings: list[str]
    vectors: np.ndarray | None = None

    def read_vectors(self, path, matrix_folder):
        words = read_lines(matrix_folder / folders.VOCABULARY)
        self.vectors, found = read_word_vectors(path, words)
        if found < LEAST_VECTORS * len(words):
            self.warnings.append(
                f"{path} has vectors for {found:,} of {counted(len(words), 'word')}; give vectors "
                "of the language and of base forms."
            )

    @property
    def n_documents(self):
        return len(self.has_words)

    @classmethod
    def read(cls, folder, n_topics, n_minority, memory_mb=None):
        """The problem of a matrix folder, unless a fit of it would not fit into memory."""
        check_manifest(folder, folders.TFIDF, folders.SEED_COLUMNS, *COPIES)
        path = folder / folders.TFIDF
        with np.load(path, allow_pickle=False) as saved:
            (_, n_words), indptr = saved["shape"].tolist(), saved["indptr"]
        has_words = np.diff(indptr) > 0
        if not has_words.any():
            raise DataError(f"{path}: no comment has a word; lower min_df, or give more comments")
        seed_columns = np.load(folder / folders.SEED_COLUMNS, allow_pickle=False)
        sizes = int(has_words.sum()), n_words, int(indptr[-1]), n_topics, n_minority
        what = f"{path}: a fit of {sizes[0]:,} comments with {n_topics} topics"
        remedy = "give more memory, lower n_topics, raise min_df, or leave out short comments"
        check_memory(needed_bytes(*sizes) / MB, what, remedy, memory_mb)
        # Empty rows have no entries: leaving them out changes only the bounds of rows.
        V = sp.csr_matrix(sp.load_npz(path), dtype=np.float32)
        bounds = V.indptr[np.concatenate([[True], has_words])]
        V = sp.csr_matrix((V.data, V.indices, bounds), (sizes[0], n_words))
        V.check_format(full_check=True)  # compiled code trusts the indices
        basis = basis_of(V, seed_columns)
        refuse_too_many(folder, basis, n_topics, n_minority)
        return cls(V, seed_columns, has_words, warnings_of(basis, n_topics, n_minority))


COPIES = (folders.VOCABULARY, folders.IDF, folders.ENCODER)


def basis_of(V, seed_columns):
    """What topics of V (comments with words x words, CSR) are learnt from."""
    with_seed = int(np.count_nonzero(np.diff(V[:, seed_columns].indptr)))
    return Basis(V.shape[0], with_seed, V.shape[1], len(seed_columns))


def needed_bytes(n_documents, n_words, n_entries, n_topics, n_minority):
    """Memory that a fit takes at most, in bytes.

    The matrix by rows and by columns stays. These come beside it, one after the other: the messages
    and beliefs of learnt guidance; the start and a copy of it in whole cache lines; W and H now and
    before the last update; W of the end, the multipliers, and what the certificate makes of H.
    """
    number = np.dtype(np.float32).itemsize
    line = LINE * len(lines_of(n_topics, np.float32))
    plain, minority = number * n_topics, number * n_minority
    matrix = 2 * n_entries * (number + 4) + 16 * (n_documents + n_words)
    guiding = GUIDING_ENTRY * n_entries + GUIDING_DOCUMENT * n_documents + GUIDING_WORD * n_words
    beginning = n_documents * (plain + max(line, 2 * minority)) + n_words * (line + 4 * plain)
    descending = 2 * line * (n_documents + n_words)
    ending = n_documents * (plain + line) + n_words * (line + plain)
    certifying = n_documents * (plain + 2 * minority) + 6 * n_words * plain
    return matrix + max(guiding, beginning, descending, ending, certifying) + OVERHEAD


# One fit.


def _fit_once(problem, settings, state, work, deadline):
    """Fit with one random state into a folder of `work`, whole or not at all."""
    folder, begin = work / str(state), time.monotonic()
    work_size = problem.V.nnz * settings["n_topics"] * settings["max_iter"]
    model = ConstrainedNMF(
        **settings,
        word_vectors=problem.vectors,
        seed_words=problem.seed_columns.tolist(),
        random_state=state,
        # A fit of a small corpus has several starts and takes seconds: it needs no checkpoint.
        checkpoint=work / f"{state}-{CHECKPOINT}" if work_size > AUTO_WORK else None,
        checkpoint_every=CHECKPOINT_EVERY,
    )
    log = FitLog(settings["max_iter"], settings["tol"])
    model.callbacks = log, deadline
    with closing(log), listening(log.part):
        W, converged, said = fit_quietly(model, problem.V)
    del model.lambda_  # as long as the corpus, and not needed any more
    model.checkpoint = None
    doc_topic = shares(W)
    del W
    facts = {
        "iterations": model.n_iter_,
        "converged": converged,
        "objective": model.objective_,
        "feasible": model.feasible_,
        "kkt": model.kkt_,
        "warnings": said + _warn_of_empty(main_topics(doc_topic), settings),
    }
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / folders.DOC_TOPIC, "wb") as file:
        sp.save_npz(file, with_empty_rows(doc_topic, problem.has_words), compressed=False)
    facts |= {"seconds": round(time.monotonic() - begin, 1), "peak_mb": round(peak_memory_mb())}
    write_json(folder / folders.FIT, facts)
    model.save(folder)
    write_manifest(folder)  # of all its files, not of the model alone


def fit_quietly(model, V):
    """W (M x K) of a fit, whether it converged, and what it warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        W = model.fit_transform(V)
    unsettled = any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    # A fit that has iterations left has settled: then it is guidance that warned.
    converged = model.n_iter_ < model.max_iter or not unsettled
    return W, converged, sorted({str(warning.message) for warning in caught})


def shares(W, least=LEAST_SHARE):
    """W (M x K) as shares of each row's sum (CSR float32), without those below `least`."""
    parts = []
    for rows in batches(len(W)):
        part = W[rows]
        total = part.sum(axis=1, keepdims=True)
        part = np.divide(part, total, out=np.zeros_like(part), where=total > 0)
        part[part < least] = 0
        parts.append(sp.csr_matrix(part, dtype=np.float32))
    return sp.vstack(parts, format="csr") if parts else sp.csr_matrix(W.shape, dtype=np.float32)


def with_empty_rows(matrix, is_there):
    """A matrix (CSR) whose rows stand where `is_there` (M,) says, and empty rows elsewhere."""
    lengths = np.zeros(len(is_there) + 1, dtype=np.int64)
    lengths[1:][is_there] = np.diff(matrix.indptr)
    shape = len(is_there), matrix.shape[1]
    return sp.csr_matrix((matrix.data, matrix.indices, np.cumsum(lengths)), shape)


def main_topics(doc_topic):
    """The topic with the largest share of each row, the first of equals; -1 for an empty row."""
    main = np.full(doc_topic.shape[0], -1, dtype=np.int32)
    for rows in batches(doc_topic.shape[0]):
        part = doc_topic[rows].toarray()
        main[rows] = np.where(part.any(axis=1), part.argmax(axis=1), -1)
    return main


def _warn_of_empty(main, settings):
    sizes = np.bincount(main[main >= 0], minlength=settings["n_topics"])
    empty = [str(k + 1) for k in np.flatnonzero(sizes[: settings["n_minority"]] == 0)]
    if not empty:
        return []
    topics = f"Minority topic {empty[0]} is" if len(empty) == 1 else (
        f"Minority topics {listed(empty)} are"
    )  # fmt: skip
    return [f"{topics} the main topic of no comment; lower n_minority or add seed words."]


# Several fits.


def _compare(work, fits, best, n_minority):
    """How far fits agree, and how stable each topic of the best one is."""
    main, topics = {}, {}
    rows = np.flatnonzero(np.diff(sp.load_npz(work / str(best) / folders.DOC_TOPIC).indptr))
    rows = np.random.default_rng(0).choice(rows, min(len(rows), COMPARED), replace=False)
    rows.sort()
    for state in fits:
        folder = work / str(state)
        main[state] = main_topics(sp.load_npz(folder / folders.DOC_TOPIC)[rows])
        topics[state] = sp.csr_matrix(ConstrainedNMF.load(folder).components_)
    scores = agreements(list(main.values()))
    agreement = {
        "fits": len(fits),
        "compared_documents": len(rows),
        "mean_ami": float(np.mean(scores)),
        "least_ami": float(np.min(scores)),
        "objectives": {str(state): fit["objective"] for state, fit in fits.items()},
    }
    others = [topics[state] for state in fits if state != best]
    return agreement, topic_stability(topics[best], others, n_minority).tolist()


def agreements(partitions):
    """Adjusted mutual information of each pair of assignments of the same comments."""
    return [adjusted_mutual_info_score(a, b) for a, b in itertools.combinations(partitions, 2)]


def topic_stability(topics, others, n_minority):
    """Of each topic (K x N) the mean cosine with its counterpart in `others`, (K,).

    Counterparts are found one to one (Hungarian method), minority topics among minority topics.
    """
    stability = np.zeros((len(others), topics.shape[0]))
    for row, other in zip(stability, others, strict=True):
        similarity = cosines(topics, other)
        for kind in (slice(0, n_minority), slice(n_minority, None)):
            ours, theirs = linear_sum_assignment(similarity[kind, kind], maximize=True)
            row[kind][ours] = similarity[kind, kind][ours, theirs]
    return stability.mean(axis=0)


def cosines(A, B):
    """Cosines of the rows of A (K x N) and of B (L x N), sparse or not: (K x L)."""
    A, B = (sp.csr_matrix(X, dtype=np.float64) for X in (A, B))
    lengths = np.outer(*(np.sqrt(X.multiply(X).sum(axis=1)).A1 for X in (A, B)))
    products = (A @ B.T).toarray()
    return np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)


# Folders.


def _identity(matrix_folder, settings, vectors):
    """What the fits of a work folder must agree with for a run to go on with them."""
    files = read_json(matrix_folder / MANIFEST)["files"]
    return {
        "matrix": files[folders.TFIDF]["sha256"],
        "seeds": files[folders.SEED_COLUMNS]["sha256"],
        "settings": settings,
        "vectors": None if vectors is None else fingerprint(vectors),
    }


def _work_folder(out, identity):
    """The work folder of a result, emptied if it is of another problem or version."""
    work = out.with_name(f".{out.name}.fits")
    # As it is read back: a tuple would be a list.
    identity = json.loads(json.dumps(identity | {"version": __version__}))
    try:
        same = read_json(work / IDENTITY) == identity
    except (OSError, ValueError):
        same = False
    if not same:
        shutil.rmtree(work, ignore_errors=True)
        write_json(work / IDENTITY, identity)
    return work


def _is_complete(folder):
    try:
        check_manifest(folder)
    except DamagedFolder:
        return False
    return True


def _publish(fit, matrix_folder, out, facts, made_by):
    """Make the folder of a fit the model folder, with what new comments are encoded by."""
    for name in COPIES:
        copy_file(matrix_folder / name, fit / name)
    write_json(fit / folders.FIT, facts)
    write_manifest(fit, made_by=made_by, varying=[folders.FIT])
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(fit.iterdir(), key=lambda path: path.name == MANIFEST):
        path.replace(out / path.name)
