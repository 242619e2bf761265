"""Processes: the memory of this one, and those that do not outlive the one that started them.

The Snakefile imports this: what takes time to import is imported where it is used.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Executor

WATCH_SECONDS = 0.5
GRACE_SECONDS = 3.0
# The variable that tells a process to end with its parent; it is not handed on.
STOP_WITH_PARENT = "MINORITY_TOPICS_STOP_WITH_PARENT"


class ProcessDied(OSError):
    """A process that this one had started was killed; the message says so."""


def peak_memory_mb() -> float:
    """The most memory that this process has had so far, in megabytes.

    Where Linux does not tell, what the parent held at this process's birth counts.
    """
    # psutil does not know the peak on Linux.
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text(encoding="ascii").split("VmHWM:")[1].split()[0]) / 1024
    if os.name == "nt":
        import psutil

        return psutil.Process().memory_info().peak_wset / 2**20
    import resource

    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def signal_name(number: int) -> str | int:
    """SIGKILL for 9; the number itself where it has no name."""
    return {int(known): known.name for known in signal.Signals}.get(number, number)


def how_ended(code: int) -> str:
    """A process's return code in words: exit code 1, or signal SIGKILL."""
    return f"exit code {code}" if code >= 0 else f"signal {signal_name(-code)}"


def when_orphaned(act: Callable[[], object]) -> None:
    """Call `act` soon after the parent process ends, however it ends."""

    def watch(parent):
        while os.getppid() == parent:
            time.sleep(WATCH_SECONDS)
        act()

    threading.Thread(target=watch, args=(os.getppid(),), daemon=True).start()


def stop_with_parent(kills: bool = True) -> None:
    """End this process as SIGTERM would, soon after the parent process ends.

    With `kills` one that does not listen, since compiled code runs, is killed a little later.
    """
    main = threading.main_thread().ident
    assert main is not None

    def end():
        # To the main thread, which handles signals and may be waiting.
        signal.pthread_kill(main, signal.SIGTERM)
        if kills:
            time.sleep(GRACE_SECONDS)
            kill_family(os.getpid())

    when_orphaned(end)


def kill_family(pid: int) -> None:
    """Kill a process and its descendants, these first."""
    import psutil

    with suppress(psutil.NoSuchProcess):
        first = psutil.Process(pid)
        for process in (*first.children(recursive=True), first):
            with suppress(psutil.NoSuchProcess):
                process.kill()


@contextmanager
def pool_of(
    n_processes: int,
    *,
    forks: bool = False,
    initializer: Callable[..., object] | None = None,
    initargs: tuple = (),
) -> Iterator["Executor"]:
    """An executor of so many processes that do not outlive this one; raises ProcessDied.

    They are begun anew: a fork would copy locks that the threads of numpy, pyarrow or Voikko hold.
    With `forks` they are not, on Linux, which saves the seconds that imports take. It is for a
    process that has done nothing yet.
    """
    import multiprocessing
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor

    method = "fork" if forks and sys.platform == "linux" else "spawn"
    pool = ProcessPoolExecutor(
        n_processes,
        multiprocessing.get_context(method),
        initializer=_begin_in_pool,
        initargs=(initializer, initargs),
    )
    try:
        yield pool
    except BrokenExecutor as error:
        raise ProcessDied(
            "a process that shared the work was killed, perhaps because memory ran out; use fewer "
            "threads or processes, or make memory free, and run again"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _begin_in_pool(initializer, initargs):
    # Ctrl-C is the business of the first process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Killed, it could not tell the others to end.
    when_orphaned(lambda: os._exit(1))
    if initializer:
        initializer(*initargs)
