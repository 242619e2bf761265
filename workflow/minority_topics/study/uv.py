"""Run uv with pip's settings. Standard library alone, since it installs everything else.

uv reads no pip settings; whoever has set pip up for a mirror or a folder of wheels expects them to
be used. torch is the CPU build unless UV_TORCH_BACKEND says otherwise. As a program, `python uv.py
ARGUMENTS` runs `uv ARGUMENTS`.
"""

import glob
import os
import shutil
import subprocess
import sys

PIP_TO_UV = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_EXTRA_INDEX_URL",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
    "timeout": "UV_HTTP_TIMEOUT",
    "default-timeout": "UV_HTTP_TIMEOUT",
}


def find_uv():
    """Path of the uv beside this Python, or on the PATH; None if there is none."""
    beside = os.path.join(os.path.dirname(sys.executable), "uv")
    return beside if os.path.exists(beside) else shutil.which("uv")


def uv_settings(environ=None):
    """The environment variables, with pip's settings (variables and files) handed on to uv."""
    environ = dict(os.environ if environ is None else environ)
    for name, value in pip_settings(environ).items():
        if name in PIP_TO_UV:
            # uv separates folders by commas, and addresses by spaces, as pip does both.
            value = ",".join(value.split()) if name == "find-links" else value
            environ.setdefault(PIP_TO_UV[name], value)
    if "UV_EXTRA_INDEX_URL" in environ:
        # pip treats all indexes alike and takes the best match; uv would stop at the first.
        environ.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")
    folders = environ.get("UV_FIND_LINKS", "").replace(",", " ").split()
    if not any(glob.glob(os.path.join(folder, "torch-*")) for folder in folders):
        # With a backend uv asks its makers' index for torch, and looks into no folder.
        environ.setdefault("UV_TORCH_BACKEND", "cpu")
    return environ


def pip_settings(environ):
    """pip's settings in force, by name: those of its files, then those of PIP_ variables."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, env=environ, check=False)
    settings = {}
    for line in listed.stdout.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if section in ("global", "install"):
            settings[name] = " ".join(value.strip("'\"").replace("\\n", " ").split())
    for variable, value in environ.items():
        if variable.startswith("PIP_"):
            settings[variable[len("PIP_") :].lower().replace("_", "-")] = value
    return settings


if __name__ == "__main__":
    program = find_uv()
    if not program:
        sys.exit("uv is not installed: pip install uv")
    sys.exit(subprocess.run([program, *sys.argv[1:]], env=uv_settings(), check=False).returncode)
