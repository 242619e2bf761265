"""`python -m minority_topics VERB ...`: every step of the study, one verb each.

A rule of the workflow is one such call, so each step can be run and looked at by hand. A verb
parses its arguments, calls one function of the library and prints; what it calls is imported there,
so that a verb needs only what its own environment holds.
"""

import argparse
import errno
import io
import os
import signal
import sys

from .. import __version__
from ..base.processes import STOP_WITH_PARENT, stop_with_parent
from . import comments, corpora, deposits, pages, results, studies  # noqa: F401  (each adds its verbs to the table)
from .verbs import VERBS

MAY_NOT = "check the permissions of the file and its folder, or choose another folder"
NO_ROOM = "make room on the disk and run again; finished steps are not repeated"
REMEDIES: dict[int, str] = {
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), MAY_NOT),
    # Windows has no quota.
    **dict.fromkeys((errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)), NO_ROOM),
}


def main(arguments=None):
    # A name may hold a letter that the terminal's encoding does not know.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    parser = build_parser()
    options = parser.parse_args(arguments)
    # A cluster ends a job with SIGTERM: leave in good order, and take the workers along.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    if os.environ.pop(STOP_WITH_PARENT, ""):
        stop_with_parent()
    try:
        if options.log:
            _print_also_to(options.log)
        VERBS[options.verb].run(options)
    except KeyboardInterrupt:
        sys.exit(f"{parser.prog} {options.verb}: interrupted")
    except Exception as error:
        if not (sentence := _sentence(error, VERBS[options.verb].extra)):
            raise
        sys.exit(f"{parser.prog} {options.verb}: {sentence}")


def build_parser():
    parser = argparse.ArgumentParser(
        prog="minority_topics", description="Guided discovery of minority topics, step by step."
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("--log", metavar="FILE", help="write all that is printed here too")
    commands = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, verb in VERBS.items():
        # argparse fills in values after a % of `help`, though not of `description`.
        help_line = verb.summary.replace("%", "%%")
        command = commands.add_parser(name, help=help_line, description=verb.summary)
        for names, options in verb.arguments:
            command.add_argument(*names, **options)
    return parser


def _print_also_to(path):
    from ..base.files import open_log

    log = io.TextIOWrapper(open_log(path), encoding="utf-8", errors="replace", line_buffering=True)
    sys.stdout, sys.stderr = _Both(sys.stdout, log), _Both(sys.stderr, log)


class _Both:
    """A stream that writes to a log as well.

    `tee` could do it, but Snakemake would not wait for it, and would read half a log.
    """

    def __init__(self, stream, log):
        self.stream, self.log = stream, log

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def write(self, text):
        self.log.write(text)
        return self.stream.write(text)

    def flush(self):
        self.log.flush()
        self.stream.flush()

    def isatty(self):
        """Never: lines that are written over make no log."""
        return False


def _sentence(error, extra):
    """What to tell of an error; "" for one that only a developer can understand.

    `extra` is the one of the package that the verb needs.
    """
    if isinstance(error, ModuleNotFoundError):
        name = error.name or "a package"
        if name.startswith("minority_topics"):
            return ""
        return f'{name} is not installed; pip install "minority-topics[{extra}]" brings it'
    if isinstance(error, OSError) and error.filename is not None:
        remedy = f"; {REMEDIES[error.errno]}" if error.errno in REMEDIES else ""
        return f"{error.filename}: {(error.strerror or str(error)).lower()}{remedy}"
    if isinstance(error, MemoryError):
        asked = f" ({error})" if str(error) else ""
        return (
            f"memory ran out{asked}; make some free, or ask for less: fewer threads or processes, "
            "topics or documents"
        )
    # Errors of the library are sentences already.
    return str(error) if isinstance(error, ValueError | OSError) else ""
