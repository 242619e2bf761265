"""Where everything is: names of folders, settings and variants, built and parsed only here.

Only the standard library, since the rules use it.
"""

import glob
import json
import math
import os
import re
from pathlib import Path
from urllib.parse import quote, unquote

from ..base.places import DEFINITIONS, ENVIRONMENTS, PACKAGE, REPOSITORY

# The folder of config/ and envs/: an installed library has copies of them inside.
ROOT = REPOSITORY if (REPOSITORY / "Snakefile").is_file() else PACKAGE / "project"

# What a study leaves, below the folder it runs in. Snakemake fills in what stands in braces.
DATASET = "results/{dataset}"
BACKGROUND = "results/{dataset}/background"
DOCUMENTS = "results/{dataset}/documents"
CORPORA = "results/{dataset}/corpus"
CORPUS = CORPORA + "/{draw}"
ALL_FITS = "results/{dataset}/fits"
FITS = ALL_FITS + "/{method}/{setting}/{batch}"
TABLE = "results/{dataset}/tables/{table}.csv"
FIGURE = "results/{dataset}/{folder}/{figure}"  # with five endings
# Time and memory differ from run to run, as no table must: they have a folder of their own.
RESOURCES = "results/{dataset}/resources/fits.csv"
COST = "results/{dataset}/resources/cost.csv"
VERSIONS = "results/{dataset}/resources/versions.csv"
CONFIGURATION = "results/{dataset}/config.yaml"
PROVENANCE = "results/{dataset}/provenance.json"
SEAL = "results/{dataset}/manifest.json"
# Of own comments: a folder for each step, and the page.
OWN_COMMENTS = "results/{dataset}/comments"
OWN_FORMS = "results/{dataset}/forms"
OWN_MATRIX = "results/{dataset}/matrix"
OWN_MODEL = "results/{dataset}/model"
OWN_TABLES = "results/{dataset}/tables"
OWN_TOPICS = "results/{dataset}/topics.yaml"
EXPLORER = "results/{dataset}/explorer.html"
REPORT = "results/{dataset}/report.html"
ALL_VERDICTS = "results/tables/paper_vs_ours.csv"
SEAL_OF_VERDICTS = "results/tables/manifest.json"
LOGS = "results/logs/{rule}/{name}.log"

# In the name of a variant's folder: what stays as it is, and how long it may be. File systems take
# 255 characters, and logs have the setting and the batch in their names too.
SAFE = '"+'
LONGEST = 200


def resolve(path):
    """Where a file named in the config is: absolute, or in the working directory or, else, in ROOT.

    What is in neither is looked for, and missed, in the working directory. ~ is the home folder.
    """
    path = os.path.expanduser(path)
    own, known = Path(path).absolute(), ROOT / path
    # Unlike Path.exists, this answers no, and raises nothing, for a name that no file can have.
    return known if os.path.exists(known) and not os.path.exists(own) else own


def find_files(pattern):
    """Files that a name, or a pattern such as comments/*.csv, stands for, in order."""
    path = resolve(pattern)
    if os.path.isfile(path):
        return [path]
    found = map(Path, glob.glob(str(path), recursive=True))
    return sorted(match for match in found if match.is_file())


def dataset_folder(name):
    """The folder of everything that is made for a dataset."""
    return Path(DATASET.format(dataset=name))


def setting_name(n_topics, n_minority):
    """A setting in paths: 20-7."""
    return f"{n_topics}-{n_minority}"


def parse_setting(name):
    """(n_topics, n_minority) of a setting's name."""
    return _two_numbers(name)


def batch_name(first, last):
    """The repetitions of one job in paths: 0-9."""
    return f"{first}-{last}"


def parse_batch(name):
    """The repetitions of a batch's name."""
    first, last = _two_numbers(name)
    return list(range(first, last + 1))


def _two_numbers(name):
    match = re.fullmatch(r"(\d+)-(\d+)", name, re.ASCII)
    if not match:
        raise ValueError(f"{name!r} is not a name of two numbers, such as 20-7")
    return int(match[1]), int(match[2])


def variant(name, changes):
    """Name of a dataset or a method with some of its settings changed: `name/key=value,...`.

    Values are JSON, and what must not stand in a path is written as in an address: %2F for /.
    """
    if not changes:
        return name
    for key, value in changes.items():
        if not re.fullmatch(r"[A-Za-z]\w*", key, re.ASCII):
            raise ValueError(
                f"{name}: {key!r} cannot be varied, it goes into paths; use letters, digits and _"
            )
        finite = not isinstance(value, float) or math.isfinite(value)
        if not isinstance(value, str | int | float) or not finite:
            raise ValueError(
                f"{name}: {key}={value!r} cannot be varied; use text, finite numbers, true or false"
            )
    parts = (f"{key}={quote(json.dumps(value), safe=SAFE)}" for key, value in changes.items())
    changed = ",".join(parts)
    if len(changed) > LONGEST:
        raise ValueError(
            f"{name}: {changed[:40]}... makes a folder's name of {len(changed)} characters, and "
            f"{LONGEST} is the most; vary fewer options at a time, or shorter values"
        )
    return f"{name}/{changed}"


def parse_variant(name):
    """The name and the changes that `variant` put together."""
    base, _, changes = name.partition("/")
    pairs = (part.partition("=") for part in changes.split(",") if part)
    return base, {key: json.loads(unquote(value)) for key, _, value in pairs}


def environment_files(definition):
    """What an environment is made from: its conda file, locks and script to run after, if any.

    torch has a lock of its own: which of its builds is locked is no choice of uv's resolver.
    """
    definition = Path(definition)
    paths = [definition.with_suffix(end) for end in (".yaml", ".lock", ".post-deploy.sh")]
    if "- torch==" in definition.read_text(encoding="utf-8"):
        paths.insert(2, definition.with_name("torch.lock"))
    return [path for path in paths if path.exists()]


def environment_definition(name, root=ROOT):
    """The conda file of an environment."""
    return root / DEFINITIONS / f"{name}.yaml"


def environment_record(name, root=ROOT):
    """What says how the build of an environment went; the environment is the folder beside it."""
    return root / ENVIRONMENTS / f"{name}.json"


def environment_python(name):
    """The Python of a tool's environment, as uv builds it."""
    return environment_record(name).with_suffix("") / "bin" / "python"
