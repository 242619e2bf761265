"""How far a run is: jobs done, jobs in all, time gone and, roughly, time left."""

import logging
import sys
import time


class TimeLeft(logging.Handler):
    """Listens to Snakemake's reports of progress and adds the time that is left.

    Jobs are counted alike, so the guess is rough while long and short ones are unevenly done.
    """

    def __init__(self, stream=None, clock=time.monotonic):
        super().__init__()
        self.stream = stream or sys.stderr
        self.clock = clock
        self.begin = clock()

    def emit(self, record):
        if str(getattr(record, "event", "")) == "progress" and record.done:
            gone = self.clock() - self.begin
            left = gone * (record.total - record.done) / record.done
            print(
                f"{record.done} of {record.total} jobs done, {duration(gone)} gone, about "
                f"{duration(left)} left",
                file=self.stream,
                flush=True,
            )


def duration(seconds):
    """Seconds as a reader would say it: 40 s, 12 min, 1 h 5 min."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
