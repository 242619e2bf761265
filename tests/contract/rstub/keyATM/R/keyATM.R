# keyATM's signatures and checks. Instead of a model, theta counts keywords and phi counts words, so
# that a document or word that lost its place shows.

keyATM_read <- function(texts, encoding = "UTF-8", check = TRUE, keep_docnames = FALSE,
                        progress_bar = FALSE, split = 0) {
  stopifnot(is.data.frame(texts), is.character(texts$text))
  words <- strsplit(texts$text, " ", fixed = TRUE)
  if (any(lengths(words) == 0) || "" %in% unlist(words)) stop("a blank is recognized as a word")
  structure(list(W_raw = words), class = "keyATM_docs")
}

keyATM <- function(docs, model, no_keyword_topics, keywords = list(), model_settings = list(),
                   priors = list(), options = list(), keep = c()) {
  stopifnot(inherits(docs, "keyATM_docs"), is.numeric(no_keyword_topics), is.list(keywords))
  stopifnot(all(vapply(keywords, is.character, TRUE)), length(keywords) > 0)
  tokens <- unlist(docs$W_raw)
  vocabulary <- unique(tokens)
  absent <- setdiff(unlist(keywords), vocabulary)
  if (length(absent) > 0) stop("keywords do not appear: ", paste(absent, collapse = " "))
  if (any(lengths(keywords) == 0)) stop("all keywords are pruned")
  unused <- setdiff(names(options), c("seed", "iterations", "use_weights"))
  if (length(unused) > 0) stop("keyATM doesn't recognize ", paste(unused, collapse = " "))
  set.seed(options$seed)

  call <- c(
    model = model, no_keyword_topics = no_keyword_topics, seed = options$seed,
    iterations = options$iterations, use_weights = options$use_weights
  )
  folder <- Sys.getenv("KEYATM_CALLS")
  writeLines(paste(names(call), call), file.path(folder, "call.txt"))
  writeLines(vapply(docs$W_raw, paste, "", collapse = " "), file.path(folder, "documents.txt"))
  writeLines(vapply(keywords, paste, "", collapse = " "), file.path(folder, "keywords.txt"))

  n_topics <- length(keywords) + no_keyword_topics
  lists <- c(keywords, rep(list(character()), no_keyword_topics))
  theta <- t(vapply(docs$W_raw, function(words) {
    vapply(lists, function(list) 1 + sum(words %in% list), 0)
  }, numeric(n_topics)))
  counts <- as.vector(table(factor(tokens, levels = vocabulary)))
  phi <- t(vapply(lists, function(list) {
    counts + (vocabulary %in% list)
  }, numeric(length(vocabulary))))
  colnames(phi) <- vocabulary
  fit <- data.frame(c(1, options$iterations), c(-200, -100), c(2, 1))
  names(fit) <- c("Iteration", "Log Likelihood", "Perplexity")
  list(theta = theta / rowSums(theta), phi = phi / rowSums(phi), model_fit = fit)
}
