"""One module per method, each with `fit(problem) -> Fit`; config/methods.tsv lists them."""
