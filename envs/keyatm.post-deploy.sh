#!/usr/bin/env bash
# R keyATM from CRAN, where the environment has an R of its own, which only conda's does. Where CRAN
# cannot be reached the method runs on pykeyatm, and its notes say so.
set -euo pipefail
Rscript="$CONDA_PREFIX/bin/Rscript"
[ -x "$Rscript" ] || exit 0
"$Rscript" -e '
  if (getOption("repos")["CRAN"] == "@CRAN@") chooseCRANmirror(ind = 1, local.only = TRUE)
  remotes::install_version("keyATM", "0.5.4", upgrade = "never")
  library(keyATM)
' || echo "R keyATM could not be installed from CRAN; keyatm will run on pykeyatm" >&2
