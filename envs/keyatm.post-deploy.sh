#!/usr/bin/env bash
# R keyATM from CRAN, where the environment has an R of its own, which only conda's does. Where CRAN
# cannot be reached, or gives other files than these, the method runs on pykeyatm, and its notes say so.
set -euo pipefail
Rscript="$CONDA_PREFIX/bin/Rscript"
[ -x "$Rscript" ] || exit 0
sources="$(mktemp -d)"
trap 'rm -rf "$sources"' EXIT

# With the two that conda-forge does not have; the hashes are those of Gentoo's overlay of CRAN.
install() {
  cat > "$sources/sha256" << 'END'
05b951b2ecc829d1e99f8dcf216fd4a4803342de7ec036a5c6d9e7777f0c2be8 pgdraw_1.1.tar.gz
5fb069ecc2444db63fad72854ff4a515232ed9d9c65bf77d3b4b76a9c7d00951 matrixNormal_0.1.1.tar.gz
ae2d40811bd2090a5e1f574fed663b08fccadf6320dd62dc055b10cdc540b326 keyATM_0.5.4.tar.gz
END
  "$Rscript" - "$sources" << 'END' || return 1
folder <- commandArgs(trailingOnly = TRUE)
if (getOption("repos")["CRAN"] == "@CRAN@") chooseCRANmirror(ind = 1, local.only = TRUE)
contrib <- contrib.url(getOption("repos")["CRAN"], "source")
for (file in read.table(file.path(folder, "sha256"))[[2]]) {
  # The newest version of a package lies beside the archive of the others.
  addresses <- paste0(contrib, c("/", paste0("/Archive/", sub("_.*", "", file), "/")), file)
  got <- FALSE
  for (address in addresses) got <- got || tryCatch(
    download.file(address, file.path(folder, file), quiet = TRUE, mode = "wb") == 0,
    error = function(e) FALSE, warning = function(w) FALSE
  )
  if (!got) stop(file, " is not to be had")
}
END
  "$CONDA_PREFIX/bin/python" - "$sources" << 'END' || return 1
import hashlib
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
for line in (folder / "sha256").read_text().splitlines():
    wanted, name = line.split()
    if hashlib.sha256((folder / name).read_bytes()).hexdigest() != wanted:
        sys.exit(f"error: {name} is not the file that was locked")
END
  while read -r _ name; do
    "$CONDA_PREFIX/bin/R" CMD INSTALL "$sources/$name" || return 1
  done < "$sources/sha256"
  "$Rscript" -e 'library(keyATM)'
}
install || echo "R keyATM could not be installed from CRAN; keyatm will run on pykeyatm" >&2
