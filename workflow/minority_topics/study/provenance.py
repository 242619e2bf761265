"""Where results come from, as an RO-Crate: code, configuration, locks, machine, inputs and outputs.

An RO-Crate (researchobject.org/ro-crate) is JSON-LD: a list of things that refer to one another by
`@id`. Files of the results have their path as `@id`, all else a name that begins with #. The
standard library and psutil alone.
"""

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from .. import __version__
from ..base.manifest import state
from .paths import ROOT

# psutil does not know the model of the processor.
CPU_FACTS = Path("/proc/cpuinfo")
PROFILE = "https://w3id.org/ro/crate/1.1"
# The vocabulary of this version has no word for it.
CONTEXT = [f"{PROFILE}/context", {"sha256": "http://schema.org/sha256"}]
METADATA = "ro-crate-metadata.json"
CODE, LICENCE, RUN = "#code", "#licence", "#run"
SECRET = ".id_secret"
MEDIA_TYPES = {
    ".csv": "text/csv", ".html": "text/html", ".json": "application/json", ".md": "text/markdown",
    ".pdf": "application/pdf", ".png": "image/png", ".svg": "image/svg+xml", ".txt": "text/plain",
    ".yaml": "application/yaml",
}  # fmt: skip


def provenance(config, methods_file, locks, sources=(), results=(), root=ROOT):
    """What made the results of a dataset, as an RO-Crate of the folder of `config`.

    `config` is the effective configuration, `locks` are the locked packages of environments,
    `sources` the files of the user, `results` files, or folders of files, below that folder.
    """
    folder, now = Path(config).parent, datetime.now(UTC).isoformat(timespec="seconds")
    made = [data_entity(path, path.relative_to(folder)) for path in _files(results)]
    asked = data_entity(Path(config), Path(config).name, "configuration")
    inputs = [_outside(methods_file, "methods table", root)]
    inputs += [_outside(path, f"envs/{path.name}", root) for path in sorted(map(Path, locks))]
    secret = folder / SECRET  # without it, ids have other codes
    inputs += [_outside(path, None, root) for path in (*sources, secret) if Path(path).exists()]
    here = _machine()
    run = {
        "@id": RUN,
        "@type": "CreateAction",
        "name": f"The run that made the results of {folder.name}",
        "endTime": now,
        "instrument": {"@id": CODE},
        "object": [_link(asked), *map(_link, inputs)],
        "result": list(map(_link, made)),
        "additionalProperty": list(map(_link, here)),
    }
    things = [run, _code(root), *here, asked, *inputs, *made]
    name = f"Results of {folder.name}"
    return crate(name, "Tables, figures and what made them.", now, [asked, *made], things)


def crate(name, description, date, parts, things):
    """An RO-Crate whose data are the entities `parts`; `things` are all entities but the root."""
    top = {
        "@id": "./",
        "@type": "Dataset",
        "name": name,
        "description": description,
        "datePublished": date,
        "license": {"@id": LICENCE},
        "hasPart": list(map(_link, parts)),
        "mentions": [_link(thing) for thing in things if thing["@type"] == "CreateAction"],
    }
    about = {
        "@id": METADATA,
        "@type": "CreativeWork",
        "conformsTo": {"@id": PROFILE},
        "about": {"@id": "./"},
    }
    licence = {
        "@id": LICENCE,
        "@type": "CreativeWork",
        "name": "Terms",
        "description": "The code is under the MIT License. Whoever deposits the results says under "
        "which terms they may be used.",
    }
    return {"@context": CONTEXT, "@graph": [about, top, licence, *things]}


def data_entity(path, name, title=None):
    """A file of the crate, with its size and hash; `name` is where it is in the crate."""
    entity = {
        "@id": Path(name).as_posix(),
        "@type": "File",
        "name": title or Path(name).as_posix(),
        "contentSize": str(os.path.getsize(path)),
        "sha256": state(path),
    }
    kind = MEDIA_TYPES.get(Path(name).suffix)
    return entity | ({"encodingFormat": kind} if kind else {})


def facts(content):
    """Version, commit, date, machine and hashes of a crate that `provenance` made, to be shown."""
    things = entities(content)
    code, run = things[CODE], things[RUN]

    def of(links):
        return [things[link["@id"]] for link in links]

    return {
        "version": code["version"],
        "commit": code.get("identifier", ""),
        "date": run["endTime"],
        "machine": {item["name"]: item["value"] for item in of(run["additionalProperty"])},
        "sha256": {thing["name"]: thing["sha256"] for thing in of(run["object"])},
    }


def entities(content):
    """The things of a crate by their `@id`."""
    return {thing["@id"]: thing for thing in content["@graph"]}


def _files(paths):
    below = (sorted(path.iterdir()) if path.is_dir() else [path] for path in map(Path, paths))
    return [path for some in below for path in some if not path.name.startswith(".")]


def _outside(path, title, root):
    """A file that results rest on and that is not part of them."""
    path = Path(path).absolute()
    known = next((place for place in (Path.cwd(), root) if place in path.parents), None)
    name = path.relative_to(known).as_posix() if known else str(path)
    return {
        "@id": f"#{name}",
        "@type": "DigitalDocument",
        "name": title or name,
        "url": name,
        "sha256": state(path),
    }


def _link(thing):
    return {"@id": thing["@id"]}


def _code(root):
    entity = {
        "@id": CODE,
        "@type": "SoftwareSourceCode",
        "name": "Minority Topics",
        "version": __version__,
        "programmingLanguage": "Python",
    }
    found = commit(root)
    return entity | ({"identifier": found} if found else {})


def _machine():
    return [
        {"@id": f"#machine/{name}", "@type": "PropertyValue", "name": name, "value": value}
        for name, value in machine().items()
    ]


def commit(root):
    """The commit of the code in `root`, with "+changes" if files differ from it.

    Empty outside of git, and where the repository is another one that merely holds the code.
    """
    top = _git(root, "rev-parse", "--show-toplevel")
    if not top or Path(top).resolve() != Path(root).resolve():
        return ""
    changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    return _git(root, "rev-parse", "HEAD") + ("+changes" if changed else "")


def _git(folder, *words):
    """What git answers, "" where it is not there or refuses."""
    try:
        ran = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return ran.stdout.strip()


def machine():
    """System, processor, cores and memory; no name and no address of the machine."""
    import psutil

    return {
        "system": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "cores": psutil.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 2**30, 1),
        "python": platform.python_version(),
    }


def _processor():
    lines = CPU_FACTS.read_text(encoding="utf-8").splitlines() if CPU_FACTS.exists() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()
