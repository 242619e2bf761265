"""Where the library is, and the names of folders beside it."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
REPOSITORY = PACKAGE.parents[1]
# The environment NAME is a folder of the first, made as files of the second say.
ENVIRONMENTS = ".venvs"
DEFINITIONS = "envs"
