#!/usr/bin/env bash
# Without its dependencies: it declares topmost alone, which it can do without, and whose torchvision
# would replace torch by a CUDA build. What it does import is pinned in fastopic.yaml.
set -euo pipefail
pip=("$CONDA_PREFIX/bin/python" -m pip)
if command -v uv > /dev/null; then
    pip=(uv pip)
fi
"${pip[@]}" install --quiet --no-deps --require-hashes --requirement /dev/stdin << 'END'
fastopic==1.0.1 \
    --hash=sha256:25a03046f079ee4d3509fbc827d83bf217d1f98e2ad4d573c5817bb9f1596c48 \
    --hash=sha256:94a474c90126f11774cc8a615a1d13d5600762a1f99f1610cbc4c99b9da6d986
END
