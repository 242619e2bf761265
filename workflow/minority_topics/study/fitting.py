"""Run the fits of one method, each under a time and a memory limit, and record how each ended.

Fits run one after the other in a worker process of the tool's environment, which imports the tool
once. A fit that hangs, crashes or outgrows its limit costs the worker, not the batch: the next fit
gets a new one. Such a fit is a result, and its status.json says so.

A fault of the machine is not a result: a full disk, a library that cannot be imported, a worker
that somebody else killed. It raises MachineFault and leaves no status, so that the next run repeats
the fit.
"""

import atexit
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

import psutil

from ..base.files import digest, write_json
from ..base.manifest import MANIFEST, describe_step, write_manifest
from ..base.places import PACKAGE
from ..base.processes import how_ended
from ..methods.contract import FIT_FILES
from .environments import NOT_BUILT, failure
from .paths import environment_definition, environment_files, parse_variant, setting_name
from .plan import derive_random_state

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
POLL_SECONDS = 0.05
# To find child processes all processes of the machine are looked at: not at every poll.
FAMILY_SECONDS = 1.0
START_SECONDS = 600.0
LARGEST_ANSWER = 16 * 2**20
ANSWER = {"status", "reason", "seconds", "notes", "versions", "modules"}
LIBRARY = PACKAGE.parent


def crash_signals(platform: str) -> set[signal.Signals]:
    """How a tool crashes by itself. Other signals come from outside: SIGKILL where memory runs out.

    On macOS bad memory is SIGBUS as well, and failed checks of the system's libraries are SIGTRAP.
    """
    common = {signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGILL}
    return common | ({signal.SIGBUS, signal.SIGTRAP} if platform == "darwin" else set())


CRASHES = crash_signals(sys.platform)


class MachineFault(OSError):
    """Something other than the method and the study's limits stopped a fit: it is no result."""


@dataclass(frozen=True)
class Job:
    """One fit to make: where the corpus is, what to ask of which method, and where to write.

    `dataset` names the corpus in tables. `environment` is the fingerprint of the files that the
    method's environment was made from.
    """

    method: str
    module: str
    corpus: str
    out: str
    n_topics: int
    n_minority: int
    random_state: int
    options: dict = field(default_factory=dict)
    control: bool = False
    package: str = ""
    environment: str = ""
    dataset: str = ""
    repetition: int = 0


@dataclass(frozen=True)
class Limits:
    """What one fit may use: wall time, memory (resident, with its child processes) and threads."""

    minutes: float = 60.0
    memory_mb: float = 8000.0
    threads: int = 1


def fit_repetitions(
    method, corpora, out, *, n_topics, n_minority, repetitions, random_state, dataset, options,
    python, record=None,
):  # fmt: skip
    """Fit a row of the table of methods, once per repetition, each into a subfolder of `out`.

    Repetition r takes corpus r modulo their number. `options` go over the row's. `record` is that
    of the method's environment: where it could not be built, every fit says so.
    """
    # Variants have the random states of their originals, so that they differ in what was varied.
    axes = [parse_variant(name)[0] for name in (dataset, method.name)]
    axes.append(setting_name(n_topics, n_minority))
    environment = digest(*environment_files(environment_definition(method.environment)))
    jobs = [
        Job(
            dataset=dataset,
            repetition=repetition,
            method=method.name,
            module=method.module,
            corpus=str(corpora[repetition % len(corpora)]),
            out=str(Path(out) / str(repetition)),
            n_topics=n_topics,
            n_minority=n_minority,
            random_state=derive_random_state(random_state, *axes, repetition),
            options={**method.options, **options},
            control=method.kind == "control",
            package=method.package,
            environment=environment,
        )
        for repetition in repetitions
    ]
    limits = Limits(method.minutes, method.memory_mb, method.threads)
    if record and (reason := failure(record)):
        return fail_jobs(jobs, limits, NOT_BUILT.format(method.environment, reason))
    return run_jobs(jobs, limits, python)


def run_jobs(jobs, limits, python=sys.executable, report=print):
    """Fit each job in turn and write its status; returns the statuses."""
    statuses = []
    worker = None
    try:
        for number, job in enumerate(jobs, start=1):
            with _no_result(job):
                _forget(job)
                worker = worker or Worker(python, limits)
                status = _record(job, limits, worker.fit(job), python)
            if not worker.alive:
                worker = None
            statuses.append(status)
            reason = f": {status['reason']}" if status["reason"] else ""
            report(
                f"{job.method} {number}/{len(jobs)}: {status['status']} "
                f"({status['seconds']:.1f} s, {status['peak_memory_mb']:.0f} MB){reason}",
                flush=True,
            )
    finally:
        if worker:
            worker.stop()
    return statuses


@contextlib.contextmanager
def _no_result(job):
    """Name the fit that a fault of the machine stopped, and leave nothing of it."""
    try:
        yield
    except (OSError, MemoryError) as error:
        with contextlib.suppress(OSError):
            _forget(job)
        happened = str(error) or type(error).__name__
        raise MachineFault(
            f"{job.method}, repetition {job.repetition}: {happened}; nothing was recorded, the "
            "next run repeats it"
        ) from error


def _forget(job):
    """Remove what an earlier fit left in the job's folder."""
    for name in (MANIFEST, "status.json", *FIT_FILES):
        (Path(job.out) / name).unlink(missing_ok=True)


def fail_jobs(jobs: list[Job], limits: Limits, reason: str) -> list[dict]:
    """Record every job as failed for one reason, such as a missing environment."""
    for job in jobs:
        _forget(job)
    return [_record(job, limits, _outcome("failed", reason)) for job in jobs]


def _record(job, limits, outcome, python=sys.executable):
    modules = {*outcome["modules"], f"methods/{job.module}.py", "study/fitting.py"}
    outcome = {name: value for name, value in outcome.items() if name != "modules"}
    status = {
        "dataset": job.dataset,
        "corpus": job.corpus,
        "method": job.method,
        "repetition": job.repetition,
        "n_topics": job.n_topics,
        "n_minority": job.n_minority,
        "random_state": job.random_state,
        "options": job.options,
        "limits": asdict(limits),
        "environment": job.environment,
        **outcome,
    }
    folder = Path(job.out)
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "status.json", status)
    settings = {**asdict(job), "corpus": "", "out": "", "limits": asdict(limits)}
    prefix = Path(python).absolute().parents[1]
    made_by = describe_step(settings, [job.corpus], modules, prefix)
    write_manifest(folder, made_by=made_by, varying=["status.json"])
    return status


@cache
def alone(library: Path) -> Path:
    """A folder to import the library from that holds no other package.

    Installed, it lies among the packages of this environment, which would hide the tool's own.
    """
    if not any(library.glob("*.dist-info")):
        return library
    folder = Path(tempfile.mkdtemp(prefix="minority_topics-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "minority_topics").symlink_to(library / "minority_topics")
    return folder


class Worker:
    """A process of `methods.worker`. `alive` turns False when it was stopped."""

    def __init__(self, python, limits):
        self.limits = limits
        environ = dict(os.environ, PYTHONPATH=str(alone(LIBRARY)), PYTHONHASHSEED="0")
        environ.update(dict.fromkeys(THREAD_VARIABLES, str(limits.threads)))
        self.process = subprocess.Popen(
            [str(python), "-m", "minority_topics.methods.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environ,
            start_new_session=True,  # so that it can be killed with its children
        )
        self.alive = True
        self._read = b""
        try:
            # Start-up is no part of the first fit's time.
            self._wait_until_ready(time.monotonic() + START_SECONDS)
        except BaseException:
            self.stop()
            raise

    def _wait_until_ready(self, end):
        while not (answer := self._answer(POLL_SECONDS)):
            if answer is None:
                raise MachineFault(
                    f"its process did not start ({self._how_it_died()}); see the log above"
                )
            if time.monotonic() > end:
                raise MachineFault(f"its process did not start in {START_SECONDS:g} seconds")

    def fit(self, job: Job) -> dict:
        """Have the worker fit a job; its answer, or the reason why there is none.

        Raises MachineFault where neither the method nor a limit is the reason.
        """
        begin = time.monotonic()
        look, family, peak = begin, [], 0.0
        try:
            self.process.stdin.write(json.dumps(asdict(job)).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return self._died(begin, peak)
        while not (answer := self._answer(POLL_SECONDS)):
            seconds = time.monotonic() - begin
            if answer is None:
                return self._died(begin, peak)
            if time.monotonic() >= look:
                family, look = processes(self.process.pid), time.monotonic() + FAMILY_SECONDS
            memory = resident_mb(family)
            peak = max(peak, memory)
            if seconds > 60 * self.limits.minutes:
                reason = f"stopped after its limit of {self.limits.minutes:g} minutes"
            elif memory > self.limits.memory_mb:
                reason = (
                    f"stopped at {memory:.0f} MB, over its limit of {self.limits.memory_mb:g} MB"
                )
            elif len(self._read) > LARGEST_ANSWER:
                reason = f"stopped, since its notes are larger than {LARGEST_ANSWER / 2**20:g} MB"
            else:
                continue
            # Before its folder is listed: it may be writing there.
            self.stop()
            return _outcome("failed", reason, seconds, peak)
        if answer["status"] == "fault":
            self.stop()
            raise MachineFault(answer["reason"])
        peak = max(peak, memory_mb(self.process.pid))
        return {
            **answer,
            "seconds": round(answer["seconds"], 3),
            "peak_memory_mb": round(peak, 1),
        }

    def _answer(self, seconds):
        """The worker's next answer, {} if there is none yet, None if there will be none.

        Anything else here was written by a tool: it goes where the tool's other output goes.
        """
        output = self.process.stdout.fileno()
        if select.select([output], [], [], seconds)[0]:
            read = os.read(output, 2**20)
            if not read:
                return None
            self._read += read
        while b"\n" in self._read:
            line, _, self._read = self._read.partition(b"\n")
            try:
                answer = json.loads(line)
            except (ValueError, RecursionError):
                answer = None
            if isinstance(answer, dict) and answer.keys() == ANSWER:
                return answer
            sys.stderr.write(line.decode(errors="replace") + "\n" if line else "")
        return {}

    def _died(self, begin, peak):
        how, code = self._how_it_died(), self.process.returncode
        self.stop()  # its children
        # The worker's own code for a fault outside the tool, and signals from outside.
        if code == os.EX_OSERR or (code < 0 and -code not in CRASHES):
            raise MachineFault(f"its process died ({how})")
        return _outcome("failed", f"its process died ({how})", time.monotonic() - begin, peak)

    def _how_it_died(self):
        return how_ended(self.process.wait())

    def stop(self) -> None:
        """Kill the worker with its children, and wait until it is gone."""
        if not self.alive:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.alive = False
        self.process.wait()
        with contextlib.suppress(BrokenPipeError):  # a job that was never read
            self.process.stdin.close()
        self.process.stdout.close()


def _outcome(status, reason, seconds=0.0, memory=0.0):
    return {
        "status": status,
        "reason": reason,
        "seconds": round(seconds, 3),
        "peak_memory_mb": round(memory, 1),
        "notes": {},
        "versions": {},
        "modules": [],
    }


def memory_mb(pid: int) -> float:
    """Resident memory of a process and its descendants."""
    return resident_mb(processes(pid))


def processes(pid: int) -> list[psutil.Process]:
    """A process and its descendants; none if it is gone."""
    try:
        first = psutil.Process(pid)
        return [first, *first.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def resident_mb(family: list[psutil.Process]) -> float:
    """Resident memory of processes; one that is gone has none."""
    total = 0
    for process in family:
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            total += process.memory_info().rss
    return total / 2**20
