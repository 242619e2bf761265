"""Processes that do not outlive the one that started them."""

import os
import signal
import threading
import time

WATCH_SECONDS = 0.5


def signal_name(number):
    """SIGKILL for 9; the number itself where it has no name."""
    return {int(known): known.name for known in signal.Signals}.get(number, number)


def when_orphaned(act):
    """Call `act` soon after the parent process ends, however it ends."""

    def watch(parent):
        while os.getppid() == parent:
            time.sleep(WATCH_SECONDS)
        act()

    threading.Thread(target=watch, args=(os.getppid(),), daemon=True).start()


def stop_with_parent():
    """End this process as SIGTERM would, soon after the parent process ends."""
    main = threading.main_thread().ident
    assert main is not None
    # To the main thread, which handles signals and may be waiting.
    when_orphaned(lambda: signal.pthread_kill(main, signal.SIGTERM))
