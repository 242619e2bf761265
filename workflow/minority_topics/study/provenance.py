"""Where results come from: the version of the code, the machine, and hashes of what was asked for.

The standard library and psutil alone.
"""

import hashlib
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from .. import __version__
from .paths import ROOT

CPU_FACTS = Path("/proc/cpuinfo")


def provenance(config, methods_file, locks, root=ROOT):
    """What made the results: version, commit, date, machine, and SHA-256 of what they rest on.

    `config` is the effective configuration, `locks` are the locked packages of environments.
    """
    return {
        "version": __version__,
        "commit": commit(root),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "sha256": {
            "configuration": _sha256(config),
            "methods table": _sha256(methods_file),
            **{f"envs/{path.name}": _sha256(path) for path in sorted(map(Path, locks))},
        },
    }


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


def _sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
