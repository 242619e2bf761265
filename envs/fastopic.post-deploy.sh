#!/usr/bin/env bash
# Without its dependencies: it declares topmost alone, which it can do without, and whose torchvision
# would replace torch by a CUDA build. What it does import is pinned in fastopic.yaml.
set -euo pipefail
if command -v uv > /dev/null; then
    uv pip install --quiet --python "$CONDA_PREFIX/bin/python" --no-deps fastopic==1.0.1
else
    "$CONDA_PREFIX/bin/python" -m pip install --quiet --no-deps fastopic==1.0.1
fi
