"""A tiny study and a tiny file of own comments, run once undisturbed, and copies to disturb."""

import base64
import hashlib
import json
import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

import yaml
from helpers import snakemake, snakemake_command, tiny

from minority_topics.comments.example import write_example

# Where there is not time for all results: two tables, for which most steps are needed.
TABLES = ("results/simulated/tables/scores.csv", "results/simulated/tables/topics.csv")


class Study(NamedTuple):
    """A folder in which a command has run to its end, and the SHA-256 of what it made."""

    folder: Path
    arguments: tuple
    digests: dict

    def copy(self, folder):
        return shutil.copytree(self.folder, folder / "study", symlinks=True)

    def command(self, folder, *targets, **options):
        return snakemake_command(*targets, *self.arguments, folder=folder, **options)

    def run(self, folder, *targets, **options):
        """The same command in another folder; what it said. No part of it may be a traceback."""
        said = snakemake(*targets, *self.arguments, folder=folder, **options)
        assert "Traceback" not in said, said[-4000:]
        return said

    def check(self, folder, *targets, **options):
        """Run the plain command again, and compare all that it makes, or these tables alone."""
        said = self.run(folder, *targets, **options)
        wanted = {name: self.digests[name] for name in targets} or self.digests
        assert digests(folder, wanted if targets else None) == wanted
        return said


def digests(folder, names=None):
    """SHA-256 of the tables and figures below a folder, or of these files, by name.

    A summary of own comments tells times.
    """
    if names is None:
        found = [*folder.glob("results/*/tables/*"), *folder.glob("results/*/figures/*")]
        found += folder.glob("results/tables/*")
        names = sorted(str(path.relative_to(folder)) for path in found if path.is_file())
        others = (".", "manifest", "summary.json")
        names = [name for name in names if not Path(name).name.startswith(others)]
    return {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in names
        if (folder / name).exists()
    }


def run_undisturbed(folder, arguments):
    snakemake(*arguments, folder=folder)
    return Study(folder, arguments, digests(folder))


def tiny_study(folder):
    """The model and a control, on two corpora of 40 documents."""
    path = tiny(folder, methods=["constrained_nmf", "truth"], figures=["jsd"])
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    config["datasets"]["simulated"]["n_documents"] = 40
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return run_undisturbed(folder, ("--configfile", path.name))


def tiny_comments(folder):
    write_example(folder, "en", 300)
    dataset = {"kind": "comments", "files": "comments.csv", "language": "en", "n_topics": 4}
    dataset |= {"n_minority": 2, "lemmas": "simplemma", "seed_words": "seed_words.txt"}
    (folder / "own.yaml").write_text(yaml.safe_dump({"datasets": {"mine": dataset}}))
    return run_undisturbed(folder, ("--configfile", "own.yaml"))


class Step(NamedTuple):
    """A call of the command line that the workflow made: its words, and what they make."""

    verb: str
    words: list
    outputs: list


def steps_of(folder):
    """Steps of a finished run, as Snakemake has noted them."""
    outputs = {}
    for path in sorted((folder / ".snakemake" / "metadata").rglob("*")):
        if path.is_file():
            # Long names are cut into folders.
            name = "".join(
                part.removeprefix("@")
                for part in path.relative_to(folder / ".snakemake" / "metadata").parts
            )
            command = json.loads(path.read_bytes())["shellcmd"]
            outputs.setdefault(command, []).append(base64.b64decode(name).decode())
    for command, names in outputs.items():
        words = shlex.split(command.split(" &> ")[0].split(" > >(")[0])
        words = words[words.index("minority_topics") + 1 :]
        yield Step(words[0], words, names)
