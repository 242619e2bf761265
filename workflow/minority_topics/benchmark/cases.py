"""How fast the exact solver is: it and its peers on the same matrices, from the same start.

A case is a solver on a matrix with a number of topics and of threads. Each runs in a process of its
own, so that its memory is its own, and answers with the seconds after each iteration and the
objective there (measured off the clock). A peer that has time for less than ten iterations at one
size is not asked for a larger one. Seconds are of one machine on one day: what is worth comparing
is their ratios.
"""

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ..base.files import read_json, replacing, write_text
from ..base.processes import peak_memory_mb
from ..nmf.descent import Accelerated, Alternation, minimise
from ..nmf.kernels import Passes
from ..nmf.model import STEPS_FROM_AFAR, ConstrainedNMF
from ..nmf.solvers import Constraints, Exact, Projected, infer_weights
from ..nmf.start import generator, starts
from ..study.fitting import LIBRARY, THREAD_VARIABLES, processes, resident_mb

# Documents and, at most, words: a laptop's corpus to the paper's.
SIZES = {
    5_000: 20_000,
    50_000: 60_000,
    150_000: 100_000,
    1_000_000: 400_000,
    2_979_969: 885_945,
}
N_TOPICS = (20, 50, 100)
MAIN_TOPICS = 50
WORDS_PER_DOCUMENT = 7
MEMORY_MB = 16_000
N_SEEDS = 100
TOL = 1e-4
# Solvers that are compared run on until an iteration changes no more than this.
RACE_TOL = 1e-6
FEW_ITERATIONS = 10
OURS = "exact"
PEERS = (
    "exact, one W step",
    "exact, extrapolated",
    "exact, plain steps",
    "projected",
    "scikit-learn NMF",
    "scikit-learn MiniBatchNMF",
    "gensim Nmf",
    "scikit-learn LDA",
    "tomotopy LDA",
)


@dataclass(frozen=True)
class Case:
    solver: str
    n_documents: int
    n_topics: int
    threads: int
    seconds: float  # how long it may take


def make_matrix(n_documents, n_words, random_state=0):
    """TF-IDF (M x N, CSR, single precision) of simulated comments, and the seed columns.

    The commonest words up to `n_words`, tokens thinned to seven words a document; every fortieth of
    the words of middling frequency is a seed word.
    """
    from ..corpus.background import simulate_background

    corpus = simulate_background(n_documents, random_state)
    rows = np.repeat(np.arange(n_documents), np.diff(corpus.indptr))
    ones = np.ones(len(rows), dtype=np.float32)
    V = sp.csr_matrix((ones, (rows, corpus.tokens)), shape=(n_documents, len(corpus.words)))
    keep = np.random.default_rng(random_state).random(V.nnz)
    V.data *= keep < WORDS_PER_DOCUMENT * n_documents / V.nnz
    V.eliminate_zeros()
    used = np.bincount(V.indices, minlength=V.shape[1])
    commonest = np.sort(np.argsort(-used, kind="stable")[: min(n_words, np.count_nonzero(used))])
    V, used = V[:, commonest], used[commonest]
    V.data *= np.log(n_documents / used).astype(np.float32)[V.indices]
    norm = np.sqrt(np.asarray(V.multiply(V).sum(axis=1)).ravel())
    V.data /= np.repeat(np.maximum(norm, 1e-6), np.diff(V.indptr)).astype(np.float32)
    seeds = np.argsort(-used, kind="stable")[100 : 100 + 40 * N_SEEDS : 40]
    return V, np.sort(seeds)


class Clock:
    """Seconds and objectives of a run; `lap` stops the time while the objective is measured."""

    def __init__(self, limit):
        self.limit = limit
        self.seconds, self.laps = 0.0, []
        self.begin = time.perf_counter()

    def lap(self, objective=None):
        """Note an iteration; whether there is time for another."""
        self.seconds += time.perf_counter() - self.begin
        self.laps.append((self.seconds, objective() if callable(objective) else objective))
        self.begin = time.perf_counter()
        return self.seconds < self.limit


class Problem:
    """A matrix and a random start that all solvers share: plain KL-NMF, since peers know no more.

    What the block start is worth, and what constraints cost, shows in the whole fit.
    """

    def __init__(self, folder, n_documents, n_topics):
        self.V = sp.load_npz(matrix_file(folder, n_documents))
        self.seeds = np.load(seeds_file(folder, n_documents))
        self.n_topics = n_topics
        self.model = ConstrainedNMF(n_topics, 0, tol=TOL, random_state=0)
        self.constraints = Constraints.of(self.V, [], n_minority=0)

    def start(self):
        """W (M x K) with the mass of each document, and H^T (N x K) with topics on the simplex."""
        rng = np.random.default_rng(0)
        W, Ht = (rng.random((n, self.n_topics), dtype=np.float32) for n in self.V.shape)
        W *= np.asarray(self.V.sum(axis=1)) / W.sum(axis=1, keepdims=True)
        return W, Ht / Ht.sum(axis=0)

    def objective(self, Ht):
        """The objective of topics H^T (N x K) with the best W."""
        sums = Ht.sum(axis=0)
        Ht = (Ht / sums).astype(self.V.dtype)
        return infer_weights(self.V, self.constraints, Ht, tol=TOL)[1]


def run_ours(problem, clock, acceleration="overrelaxed", n_steps=STEPS_FROM_AFAR):
    solver = Exact(problem.constraints)
    passes = Passes(problem.V)
    _ = passes.by_column
    descent = Accelerated(passes, solver, acceleration, n_steps)
    return _follow(descent.begin(*problem.start()), clock)


class Timed(Accelerated):
    """Times its passes, and counts what each asks of memory and of the processor."""

    def begin(self, W, Ht):
        self.passes_made = []
        return super().begin(W, Ht)

    def step_W(self):
        step = super().step_W
        return self._time("W", step, self.passes.by_row, self.W, self.H, self.n_steps)

    def step_H(self):
        return self._time("H", super().step_H, self.passes.by_column, self.H, self.W, 1)

    def _time(self, name, step, arrays, X, Y, n_steps):
        indices, size = arrays[2], X.now.itemsize
        gathered = len(indices) * Y.now.strides[0]
        # A row of X is read, and another one written past the caches.
        streamed = len(indices) * (4 + size) + 2 * X.now.nbytes
        begin = time.perf_counter()
        result = step()
        seconds = time.perf_counter() - begin
        multiply_adds = n_steps * 2 * len(indices) * Y.now.shape[1]
        self.passes_made.append((name, seconds, gathered, streamed, multiply_adds))
        return result


def run_passes(problem, clock):
    """Thirty iterations, pass by pass."""
    solver = Exact(problem.constraints)
    descent = Timed(Passes(problem.V), solver, n_steps=STEPS_FROM_AFAR).begin(*problem.start())
    minimise(descent, 30, 0)
    clock.laps = descent.passes_made
    return "ok"


def run_projected(problem, clock):
    passes = Passes(problem.V)
    _ = passes.by_column
    solver = Projected(problem.constraints, eta=1e-3, h_update=1)
    return _follow(Alternation(passes, solver).begin(*problem.start()), clock)


def _follow(descent, clock):
    """Run a descent of ours; its clock does not stop, the objective being its own."""
    clock.begin = time.perf_counter()

    def lap(descent):
        if not clock.lap(descent.history[-1]):
            raise TimeoutError

    try:
        minimise(descent, 500, RACE_TOL, [lap])
    except TimeoutError:
        return "time"
    return "ok"


def run_sklearn_nmf(problem, clock, n_at_once=5):
    """Several iterations in a call, less what a call costs without any."""
    from sklearn.decomposition import NMF

    W, Ht = problem.start()
    H = np.ascontiguousarray(Ht.T)
    passes = Passes(problem.V)

    def fit(n_iterations, W, H):
        model = NMF(
            problem.n_topics, init="custom", solver="mu", beta_loss="kullback-leibler",
            max_iter=n_iterations, tol=0,
        )  # fmt: skip
        begin = time.perf_counter()
        W = model.fit_transform(problem.V, W=W, H=H)
        return W, model.components_, time.perf_counter() - begin

    def objective():
        Ht = np.ascontiguousarray(H.T)
        return passes.objective(W, Ht, passes.rows(W, Ht)[1])

    one, more = (fit(n, W.copy(), H.copy())[2] for n in (1, 1 + n_at_once))
    overhead = max(one - (more - one) / n_at_once, 0)
    clock.laps.append((0.0, objective()))
    while clock.seconds < clock.limit:
        last = clock.laps[-1][1]
        W, H, seconds = fit(n_at_once, W, H)
        each = max(seconds - overhead, 0) / n_at_once
        clock.laps += [(clock.seconds + n * each, None) for n in range(1, n_at_once)]
        clock.seconds += n_at_once * each
        clock.laps.append((clock.seconds, objective()))
        if last - clock.laps[-1][1] <= n_at_once * RACE_TOL * last:
            return "ok"
    return "time"


def run_minibatch_nmf(problem, clock):
    from sklearn.decomposition import MiniBatchNMF

    model = MiniBatchNMF(
        problem.n_topics, init="random", beta_loss="kullback-leibler", batch_size=4096,
        random_state=0,
    )  # fmt: skip
    return _epochs(problem, clock, model.partial_fit, lambda: model.components_.T)


def run_gensim(problem, clock):
    from gensim.matutils import Sparse2Corpus
    from gensim.models.nmf import Nmf

    names = {column: str(column) for column in range(problem.V.shape[1])}
    model = Nmf(num_topics=problem.n_topics, id2word=names, random_state=0, minimum_probability=0)

    def learn(batch):
        model.update(Sparse2Corpus(batch, documents_columns=False))

    return _epochs(problem, clock, learn, lambda: model.get_topics().T)


def _epochs(problem, clock, learn, topics, n_epochs=5, size=4096):
    """Learn by batches; an iteration is once through the corpus."""
    for _ in range(n_epochs):
        for first in range(0, problem.V.shape[0], size):
            learn(problem.V[first : first + size])
            if clock.seconds + time.perf_counter() - clock.begin > clock.limit:
                return "time"
        if not clock.lap(lambda: problem.objective(np.asarray(topics()) + 1e-12)):
            return "time"
    return "ok"


def run_sklearn_lda(problem, clock):
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(problem.n_topics, random_state=0)
    for _ in range(3):
        model.partial_fit(problem.V)
        if not clock.lap():
            return "time"
    return "ok"


def run_tomotopy(problem, clock):
    import tomotopy

    model = tomotopy.LDAModel(k=problem.n_topics, seed=1)
    indptr, indices = problem.V.indptr, problem.V.indices.astype(str)
    for row in range(problem.V.shape[0]):
        model.add_doc(indices[indptr[row] : indptr[row + 1]].tolist())
        if row % 4096 == 0 and time.perf_counter() - clock.begin > clock.limit:
            return "time"
    model.train(0)
    clock.begin = time.perf_counter()
    for _ in range(20):
        model.train(1, workers=int(os.environ["NUMBA_NUM_THREADS"]))
        if not clock.lap():
            return "time"
    return "ok"


def run_whole_fit(problem, clock):
    """`ConstrainedNMF.fit_transform` as a user calls it: start, iterations, W and certificate."""
    model = problem.model.set_params(n_minority=problem.n_topics // 3, seed_words=problem.seeds)
    clock.begin = time.perf_counter()
    model.fit_transform(problem.V)
    clock.lap(model.objective_)
    return "ok" if model.feasible_ else "failed"


def run_start(problem, clock):
    """The start of the whole fit alone."""
    constraints = Constraints.of(problem.V, problem.seeds, problem.n_topics // 3)
    clock.begin = time.perf_counter()
    next(starts(problem.V, constraints, problem.n_topics, generator(0), tol=TOL))
    clock.lap()
    return "ok"


RUNS = {
    OURS: run_ours,
    "exact, whole fit": run_whole_fit,
    "exact, start": run_start,
    "exact, passes": run_passes,
    "exact, one W step": lambda problem, clock: run_ours(problem, clock, n_steps=1),
    "exact, extrapolated": lambda problem, clock: run_ours(problem, clock, "extrapolated"),
    "exact, plain steps": lambda problem, clock: run_ours(problem, clock, "plain", n_steps=1),
    "projected": run_projected,
    "scikit-learn NMF": run_sklearn_nmf,
    "scikit-learn MiniBatchNMF": run_minibatch_nmf,
    "gensim Nmf": run_gensim,
    "scikit-learn LDA": run_sklearn_lda,
    "tomotopy LDA": run_tomotopy,
}


def matrix_file(folder, n_documents):
    return Path(folder) / "data" / f"V{n_documents}.npz"


def seeds_file(folder, n_documents):
    return Path(folder) / "data" / f"seeds{n_documents}.npy"


def prepare(folder, n_documents):
    """Write the matrix of a size, unless it is there."""
    if matrix_file(folder, n_documents).exists():
        return
    V, seeds = make_matrix(n_documents, SIZES.get(n_documents, n_documents))
    with replacing(seeds_file(folder, n_documents), "wb") as file:
        np.save(file, seeds)
    with replacing(matrix_file(folder, n_documents), "wb") as file:
        sp.save_npz(file, V, compressed=False)


def answer(folder, case):
    """Run a case in this process; what `case.json` will say of it."""
    _warm_up(case.n_topics)
    problem = Problem(folder, case.n_documents, case.n_topics)
    clock = Clock(case.seconds)
    status = RUNS[case.solver](problem, clock)
    return {
        **asdict(case),
        "status": status,
        "nnz": int(problem.V.nnz),
        "n_words": int(problem.V.shape[1]),
        "peak_memory_mb": peak_memory_mb(),
        "laps": clock.laps,
    }


def _warm_up(n_topics):
    """Have everything compiled, and imported, before the time counts."""
    V = sp.random(6000, 40, 0.1, format="csr", dtype=np.float32, random_state=0)
    ConstrainedNMF(n_topics, n_topics // 3, seed_words=[0, 1], max_iter=2, tol=0).fit(V)
    Passes(V).columns(*(np.ones((n, n_topics), np.float32) for n in V.shape))


def run_case(folder, case):
    """The answer to a case, from a process of its own; found again if it was asked before."""
    name = "-".join([case.solver, str(case.n_documents), str(case.n_topics), str(case.threads)])
    path = Path(folder) / "cases" / f"{name.replace(' ', '_').replace(',', '')}.json"
    if path.exists():
        return read_json(path)
    environ = dict(os.environ, PYTHONPATH=str(LIBRARY))
    environ.update(dict.fromkeys(THREAD_VARIABLES, str(case.threads)))
    command = [
        sys.executable,
        "-m",
        "minority_topics.benchmark.cases",
        str(folder),
        json.dumps(asdict(case)),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ)
    found = {**asdict(case), "status": "failed", "laps": []}
    begin = time.monotonic()
    family = processes(process.pid)  # looked up once, not to disturb what is timed
    try:
        while process.poll() is None:
            time.sleep(0.1)
            if resident_mb(family) > MEMORY_MB:
                found["status"] = "memory"
            elif time.monotonic() - begin > 4 * case.seconds + 300:
                found["status"] = "time"
            else:
                continue
            process.kill()
        printed, errors = process.communicate()
    finally:
        process.kill()
    if process.returncode == 0:
        found = json.loads(printed.splitlines()[-1])
    elif found["status"] == "failed":
        found["reason"] = errors.decode(errors="replace").strip().splitlines()[-1:]
    write_text(path, json.dumps(found))
    return found


def plan(sizes=tuple(SIZES), n_topics=N_TOPICS, threads=2, seconds=60.0):
    """The cases, in order of size: ours with every number of topics and threads, peers with one."""
    for n_documents in sorted(sizes):
        for k in n_topics:
            for t in range(1, threads + 1):
                yield Case(OURS, n_documents, k, t, seconds)
            for ours in ("exact, start", "exact, whole fit"):
                yield Case(ours, n_documents, k, threads, 10 * seconds)
        main = MAIN_TOPICS if MAIN_TOPICS in n_topics else n_topics[0]
        yield Case("exact, passes", n_documents, main, threads, 10 * seconds)
        for peer in PEERS:
            yield Case(peer, n_documents, main, threads, seconds)


def run(folder, cases, report=print):
    """Answer all cases; a peer that a size was too large for is not asked for larger ones."""
    found, stopped = [], {}
    cases = list(cases)
    for number, case in enumerate(cases, start=1):
        if case.solver in stopped:
            found.append(
                {**asdict(case), "status": f"stopped at {stopped[case.solver]:,} documents"}
            )
            continue
        prepare(folder, case.n_documents)
        answered = run_case(folder, case)
        found.append(answered)
        too_large = answered["status"] != "ok" and len(answered["laps"]) <= FEW_ITERATIONS
        if too_large and case.solver in PEERS:
            stopped[case.solver] = case.n_documents
        report(
            f"{number}/{len(cases)} {case.solver}, {case.n_documents:,} documents, "
            f"{case.n_topics} topics, {case.threads} threads: {answered['status']}",
            flush=True,
        )
    return found


if __name__ == "__main__":
    print(json.dumps(answer(sys.argv[1], Case(**json.loads(sys.argv[2])))))
