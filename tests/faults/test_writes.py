"""The nth change of the disk fails, for every n, in every verb that the workflow calls.

The verb runs in a fork of this process, where an audit hook of Python lets the nth opening for
writing, renaming, removing or making of a folder fail, and a patch the nth fsync. So nothing of the
product knows of it. The verb must end in one sentence that names a file, or not need what failed;
what it leaves is right or absent, and the same call makes all of it again.
"""

import builtins
import errno
import hashlib
import json
import os
import random
import shutil
import sys
import traceback
from pathlib import Path

import pytest
from ledger import MOMENTS
from studies import steps_of

pytestmark = pytest.mark.slow
VERBS_OF_STUDY = [
    "background", "compare", "configuration", "cost", "figure", "fit", "inject", "join",
    "manifest", "matches", "provenance", "report", "score", "topics", "vectorise", "verdicts",
    "versions",
]  # fmt: skip
VERBS_OF_COMMENTS = [
    "answer", "configuration", "explorer", "fit_comments", "manifest", "provenance",
    "read_comments", "vectorise_comments",
]  # fmt: skip
ERRORS = (errno.ENOSPC, errno.EIO)
EVENTS = {"os.rename", "os.mkdir", "os.remove", "os.link", "os.rmdir"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
# From the long form on, every change is tried.
EVERY = 10


class Disk:
    """Counts changes below a folder, and lets one of them fail."""

    def __init__(self, folder, nth=0, number=0):
        self.folder, self.nth, self.number, self.changes = str(folder), nth, number, 0

    def watch(self):
        fsync = os.fsync

        def counted(handle):
            self.change("a file")
            fsync(handle)

        os.fsync = counted
        sys.addaudithook(self.hear)

    def hear(self, event, arguments):
        opens = event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING
        if (opens or event in EVENTS) and isinstance(arguments[0], str | bytes | os.PathLike):
            path = os.path.abspath(os.fsdecode(arguments[0]))
            if path.startswith(f"{self.folder}/"):
                self.change(path)

    def change(self, path):
        self.changes += 1
        if self.changes == self.nth:
            name = None if path == "a file" else path
            raise OSError(self.number, os.strerror(self.number), name)


def forked(call, folder, nth=0, number=0):
    """Call a function in a fork, in `folder`; its exit code, output and changes of the disk."""
    told, counted = folder.parent / "told", folder.parent / "counted"
    pid = os.fork()
    if not pid:
        code = 70
        try:
            handle = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(handle, 1)
            os.dup2(handle, 2)
            sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
            os.chdir(folder)
            with builtins.open(counted, "w") as count:
                disk = Disk(folder / "results", nth, number)
                disk.watch()
                try:
                    call()
                    code = 0
                except SystemExit as error:
                    code = 0 if error.code is None else 1
                    print("" if error.code is None else error.code, file=sys.stderr)
                except BaseException:
                    traceback.print_exc()
                count.write(str(disk.changes))
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), told.read_text(), int(counted.read_text())


def contents(folder, outputs):
    """SHA-256 of every file of these outputs, but Snakemake's own."""
    paths = [folder / name for name in outputs]
    files = [file for path in paths for file in (path.rglob("*") if path.is_dir() else [path])]
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
        if file.is_file() and file.name != ".snakemake_timestamp"
    }


def telling_times(folder, names):
    """Those of these files that are others in every run; their manifests say which."""
    for name in names:
        path = Path(name)
        if path.name == "provenance.json":
            yield name
        elif path.name == "manifest.json":
            varying = json.loads((folder / path).read_bytes()).get("varying", [])
            yield from [str(path.with_name(other)) for other in varying]
            yield from [name] if varying else []


def remove(folder, outputs):
    """As Snakemake does before a job."""
    for path in (folder / name for name in outputs):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def is_one_sentence(told, verb):
    """Whether the last line tells it, and nothing looks like an error of the program."""
    (*_, last) = [line for line in told.splitlines() if line.strip()] or [""]
    names_a_file = "results/" in last or "repetition" in last
    return "Traceback" not in told and verb in last and names_a_file


def chosen(changes, name):
    """Which changes fail: all of them in the long form."""
    every = range(1, changes + 1)
    if MOMENTS >= EVERY:
        return every
    return sorted(random.Random(name).sample(every, min(changes, 2 * MOMENTS)))


def inject(fault, kind, folder, outputs, call, refused):
    """Let each chosen change of a call fail, and call it again."""
    remove(folder, outputs)
    code, told, changes = forked(call, folder)
    assert code == 0, told
    assert changes
    first = contents(folder, outputs)
    timed = {*telling_times(folder, first)}
    steady = {name: value for name, value in first.items() if name not in timed}
    for nth in chosen(changes, kind):
        with fault("a write fails (ENOSPC, EIO)"):
            remove(folder, outputs)
            number = ERRORS[nth % 2]
            code, told, _ = forked(call, folder, nth, number)
            place = f"{kind}, change {nth} of {changes}, {errno.errorcode[number]}: {told}"
            assert code == 0 or refused(told), place
            left = contents(folder, outputs)
            parts = [name for name in left if name.endswith(".part")]
            assert len(parts) <= 1, place
            for name in left.keys() & steady.keys():
                assert left[name] == steady[name], place
            if code == 0:
                assert left.keys() - {*parts} == first.keys(), place
            code, told, _ = forked(call, folder)
            assert code == 0, f"{place}\nagain: {told}"
            again = contents(folder, outputs)
            assert again.keys() == first.keys(), place
            assert steady.items() <= again.items(), place


def verb_of(step):
    from minority_topics.cli import main

    return lambda: main(step.words)


def preload():
    """So that forks need not import them: what takes long."""
    import matplotlib.pyplot  # noqa: F401
    import numba  # noqa: F401
    import pandas  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import scipy.stats  # noqa: F401
    import sklearn.decomposition  # noqa: F401

    from minority_topics.corpus.background import simulate_background

    simulate_background(10, 0)  # keeps the words of the language


@pytest.mark.parametrize("verb", VERBS_OF_STUDY)
def test_in_a_step_of_the_study(study, copy, fault, verb):
    preload()
    steps = [step for step in steps_of(copy) if step.verb == verb]
    # Of the fits that of a control: the model's compiles, and writes the same.
    step = next(step for step in steps if verb != "fit" or "truth" in step.words)
    inject(fault, verb, copy, step.outputs, verb_of(step), lambda told: is_one_sentence(told, verb))


@pytest.mark.long
@pytest.mark.parametrize("verb", VERBS_OF_COMMENTS)
def test_in_a_step_of_own_comments(own, tmp_path, fault, verb):
    preload()
    folder = own.copy(tmp_path)
    (step,) = [step for step in steps_of(folder) if step.verb == verb]
    inject(
        fault, verb, folder, step.outputs, verb_of(step), lambda told: is_one_sentence(told, verb)
    )


def test_in_the_process_that_fits(study, copy, fault):
    """What a worker writes: its answer is that of a machine's fault, which is no result."""
    preload()
    from minority_topics.methods.worker import attempt

    status = json.loads((copy / "results/simulated/fits/truth/4-2/0-1/0/status.json").read_bytes())
    job = {key: status[key] for key in ("n_topics", "n_minority", "random_state", "options")}
    job |= {"corpus": status["corpus"], "out": "results/worker", "module": "controls"}
    job |= {"control": True, "package": "numpy"}

    def call():
        answer = attempt(job)
        if answer["status"] != "ok":
            print("\n", answer["status"], answer["reason"])
            raise SystemExit(1)

    inject(fault, "worker", copy, ["results/worker"], call, lambda told: "\n fault" in told)


@pytest.mark.long
def test_all_verbs_of_the_workflow_are_tried(study, own):
    for ran, verbs in ((study, VERBS_OF_STUDY), (own, VERBS_OF_COMMENTS)):
        assert {step.verb for step in steps_of(ran.folder)} - {"build_env"} == {*verbs}
