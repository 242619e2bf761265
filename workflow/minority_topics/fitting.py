"""Run the fits of one method, each under a time and a memory limit, and record how each ended.

Fits run one after the other in a worker process of the tool's environment, which imports the tool
once. A fit that hangs, crashes or outgrows its limit costs the worker, not the batch: the next fit
gets a new one. Every fit leaves a status.json; a failed one is a result, not an error.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .contract import write_json

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
POLL_SECONDS = 0.05
LIBRARY = Path(__file__).resolve().parents[1]


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


def run_jobs(jobs, limits, python=sys.executable, report=print):
    """Fit each job in turn and write its status; returns the statuses."""
    statuses = []
    worker = None
    try:
        for number, job in enumerate(jobs, start=1):
            worker = worker or Worker(python, limits)
            status = _record(job, limits, worker.fit(job))
            if not worker.alive:
                worker.stop()
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


def fail_jobs(jobs, limits, reason):
    """Record every job as failed for one reason, such as a missing environment."""
    return [_record(job, limits, _outcome("failed", reason)) for job in jobs]


def _record(job, limits, outcome):
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
    return status


class Worker:
    """A process of `minority_topics.worker`. `alive` turns False when it must be replaced."""

    def __init__(self, python, limits):
        self.limits = limits
        environ = dict(os.environ, PYTHONPATH=str(LIBRARY), PYTHONHASHSEED="0")
        environ.update(dict.fromkeys(THREAD_VARIABLES, str(limits.threads)))
        self.process = subprocess.Popen(
            [str(python), "-m", "minority_topics.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environ,
            start_new_session=True,  # so that it can be killed with its children
        )
        self.alive = True
        self.process.stdout.readline()  # ready: start-up is not part of the first fit's time

    def fit(self, job):
        """Have the worker fit a job; its answer, or the reason why there is none."""
        begin = time.monotonic()
        peak = 0.0
        try:
            self.process.stdin.write(json.dumps(asdict(job)).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return self._died(begin, peak)
        while not select.select([self.process.stdout], [], [], POLL_SECONDS)[0]:
            seconds = time.monotonic() - begin
            memory = memory_mb(self.process.pid)
            peak = max(peak, memory)
            if seconds > 60 * self.limits.minutes:
                reason = f"stopped after its limit of {self.limits.minutes:g} minutes"
            elif memory > self.limits.memory_mb:
                reason = (
                    f"stopped at {memory:.0f} MB, over its limit of {self.limits.memory_mb:g} MB"
                )
            else:
                continue
            self.alive = False
            return _outcome("failed", reason, seconds, peak)
        answer = self.process.stdout.readline()
        if not answer:
            return self._died(begin, peak)
        peak = max(peak, memory_mb(self.process.pid))
        answer = json.loads(answer)
        return {
            **answer,
            "seconds": round(answer["seconds"], 3),
            "peak_memory_mb": round(peak, 1),
        }

    def _died(self, begin, peak):
        self.alive = False
        code = self.process.wait()
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return _outcome("failed", f"its process died ({how})", time.monotonic() - begin, peak)

    def stop(self):
        self.alive = False
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
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
    }


def memory_mb(pid):
    """Resident memory of a process and its descendants; 0 where /proc is not to be had."""
    pids = [pid]
    total = 0
    while pids:
        current = pids.pop()
        try:
            fields = Path(f"/proc/{current}/statm").read_text().split()
            total += int(fields[1]) * os.sysconf("SC_PAGE_SIZE")
            for task in Path(f"/proc/{current}/task").iterdir():
                pids += [int(child) for child in (task / "children").read_text().split()]
        except (OSError, ValueError, IndexError):
            continue
    return total / 2**20
