"""A run of the workflow: one at a time in a folder, and how it ends when it is told to stop.

Only the standard library and psutil, which Snakemake needs itself, since the Snakefile imports it.
"""

import contextlib
import errno
import fcntl
import functools
import json
import os
import shutil
import signal
import socket
import sys
import threading
import time
from pathlib import Path

import psutil

from ..base.files import open_lock
from ..base.processes import GRACE_SECONDS, WATCH_SECONDS

RECORD = "minority_topics.lock"
# From the signal: the jobs may leave in good order, then they are killed, then Snakemake is.
JOBS_SECONDS = 2.0
RUN_SECONDS = 3.5
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class CannotRun(RuntimeError):
    """A run cannot begin in the folder; the message says why and what to do."""


class Occupied(CannotRun):
    """Another run is at work in the folder, or may be; the message says which and what to do."""


@contextlib.contextmanager
def claim(folder, warn):
    """Hold `folder`, Snakemake's own (.snakemake), as long as this process lives.

    The kernel lifts the lock when the process ends, however it ends, so what it protects can be
    trusted: locks of Snakemake that a run of ours left are lifted, and `warn` is told. Raises
    CannotRun. Where the file system knows no such locks, Snakemake's own must do.
    """
    folder = Path(folder)
    with _record(folder) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Occupied(
                f"Another run is at work in {folder.absolute().parent}: {_name(_read(file))}; "
                "wait for it, or stop it."
            ) from error
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
                raise
            yield
            return
        if (last := _read(file)) and _is_locked(folder):
            _lift(folder, last, warn)
        here = {"pid": os.getpid(), "host": socket.gethostname(), "since": time.strftime("%F %T")}
        try:
            _write(file, here)
        except OSError as error:
            raise cannot_write(folder.absolute(), error) from error
        try:
            yield
        finally:
            _write(file, None)


def _record(folder):
    """The file that tells who holds the folder."""
    try:
        folder.mkdir(exist_ok=True)
        return open_lock(folder / RECORD)
    except OSError as error:
        raise cannot_write(folder.absolute(), error) from error


def cannot_write(place, error):
    """The refusal of a run where the system does not let it write."""
    reason = (error.strerror or str(error)).lower()
    return CannotRun(f"{place}: {reason}; check the permissions there and the room on the disk.")


def _lift(folder, last, warn):
    """Remove the locks of a run that did not live to do so."""
    if last["host"] != socket.gethostname():
        # Some network file systems keep locks to each machine.
        raise Occupied(
            f"{_name(last)} did not say that it ended, and whether it is alive cannot be seen from "
            f"{socket.gethostname()}: look there, then run `make unlock` or `snakemake --unlock`."
        )
    time.sleep(WATCH_SECONDS + GRACE_SECONDS)  # until its jobs have noticed, and ended
    shutil.rmtree(folder / "locks")
    warn(f"The lock of {_name(last)}, which was killed, is lifted; finished steps are kept.")


def _is_locked(folder):
    return any((folder / "locks").glob("*.lock"))


def _name(run):
    if not run:
        return "a process that left no name"
    return f"process {run['pid']} on {run['host']}, begun {run['since']}"


def _read(file):
    """Who wrote the record last, {} if that run ended in good order."""
    file.seek(0)
    try:
        run = json.loads(file.read())
    except ValueError:
        return {}
    return run if isinstance(run, dict) and run.keys() == {"pid", "host", "since"} else {}


def _write(file, run):
    file.truncate(0)
    file.write(json.dumps(run).encode() if run else b"")


class Stop:
    """Ends a run on Ctrl-C, SIGTERM or SIGHUP within five seconds, with all that it started.

    Snakemake itself waits for its jobs, on SIGTERM until they are done. Here the jobs of this
    machine are told to end, and killed if they do not. `told` gives the numbers of finished steps
    and of all, `waits` says whether Snakemake may take its time, as with jobs of a cluster.
    """

    def __init__(self, told, waits=False):
        self.told, self.waits = told, waits
        self.number = 0
        self._jobs_ended = threading.Event()

    def listen(self):
        for number in SIGNALS:
            # Ignored by whoever started us: nohup, or a shell's background.
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._begin)

    def _begin(self, number, frame):
        if self.number:
            return
        self.number = number
        jobs = psutil.Process().children(recursive=True)
        threading.Thread(target=self._end, args=(jobs,), daemon=True).start()
        raise SystemExit(self.code)

    @property
    def code(self):
        return 128 + self.number

    def _end(self, jobs):
        begin = time.monotonic()
        # As Ctrl-C does it: a fit ends its worker itself, which is in a session of its own.
        _signal([job for job in jobs if _is_of_our_group(job)], signal.SIGTERM)
        while any(map(_is_alive, jobs)) and time.monotonic() < begin + JOBS_SECONDS:
            time.sleep(0.05)
        _signal(jobs, signal.SIGKILL)
        self._jobs_ended.set()
        if not self.waits:
            time.sleep(max(0.0, begin + RUN_SECONDS - time.monotonic()))
            self.tell()
            os._exit(self.code)

    def finish(self):
        """End this process, if it was told to, after its jobs."""
        if self.number:
            self._jobs_ended.wait()
            self.tell()
            raise SystemExit(self.code)

    def tell(self):
        done, total = self.told()
        steps = f"{done} of {total} steps are done" if total else "no step had begun"
        print(
            f"Interrupted: {steps}. What is done is kept, and the same command goes on from here.",
            file=sys.stderr,
        )


def _is_of_our_group(job):
    with contextlib.suppress(ProcessLookupError):
        return os.getpgid(job.pid) == os.getpgid(0)
    return False


def _is_alive(job):
    # Not by waiting for it: Snakemake does, and must learn how it ended.
    with contextlib.suppress(psutil.NoSuchProcess):
        return job.is_running() and job.status() != psutil.STATUS_ZOMBIE
    return False


def _signal(jobs, number):
    for job in jobs:
        with contextlib.suppress(psutil.NoSuchProcess):
            job.send_signal(number)


def guard(workflow, logger):
    """Have a workflow of Snakemake claim its folder before it runs jobs, and stop when told to.

    Snakemake reads the Snakefile before it knows whether it will run anything, and looks at its
    locks in `execute`: so that is what is wrapped. Returns the `Stop`, which must listen
    once more when jobs begin: Snakemake listens to SIGTERM itself.
    """
    execute = workflow.execute
    if hasattr(execute, "stop"):  # another workflow has this one as a module, twice
        return execute.stop
    stop = Stop(lambda: _progress(workflow))

    @functools.wraps(execute)
    def guarded(*, executor_plugin, **settings):
        kind = executor_plugin.common_settings
        if kind.dryrun_exec or kind.touch_exec:
            return execute(executor_plugin=executor_plugin, **settings)
        _lift_default_limit(workflow.scheduling_settings)
        stop.waits = not kind.local_exec
        stop.listen()
        locks = workflow.execution_settings.lock
        try:
            with claim(".snakemake", logger.warning) if locks else contextlib.nullcontext():
                return execute(executor_plugin=executor_plugin, **settings)
        except Exception as error:
            if not (refusal := _refusal_in(error)):
                raise
            logger.error(str(refusal))
            raise SystemExit(1) from error
        finally:
            stop.finish()

    guarded.stop = stop  # type: ignore[attr-defined]
    workflow.execute = guarded
    return stop


def _lift_default_limit(scheduling):
    """Let as many jobs begin in a second as there are.

    Each job that ends makes Snakemake look at all ready jobs once more in every timespan: with its
    default, 100 jobs a second, that is a quarter of a core after two hundred jobs.
    """
    limit = scheduling.max_jobs_per_timespan
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        scheduling.max_jobs_per_timespan = None


def _refusal_in(error):
    """The CannotRun among the reasons of an error: Snakemake wraps what input functions raise."""
    while error and not isinstance(error, CannotRun):
        error = error.__cause__ or error.__context__
    return error


def _progress(workflow):
    scheduler = workflow.scheduler
    return (scheduler.finished_jobs, len(workflow.dag)) if scheduler else (0, 0)
