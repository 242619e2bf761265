"""The settings of each step from own comments to answers: keys of a dataset of kind `comments`."""

READING = (
    "text_column", "id_column", "date_column", "group_column", "encoding", "delimiter",
    "duplicates", "min_words", "languages", "ids", "hash_groups", "redact", "keep_texts", "threads",
)  # fmt: skip
VECTORISING = (
    "language", "lemmas", "stop_words", "min_df", "max_df", "compounds", "threads",
)  # fmt: skip
FITTING = (
    "n_topics", "n_minority", "theta_min", "w_max", "guidance", "word_vectors", "n_fits",
    "max_iter", "tol", "random_state", "threads", "memory_mb", "minutes",
)  # fmt: skip
ANSWERING = ("period", "n_examples", "keep_texts", "least_count", "random_state")


def settings_of(step, settings):
    """The part of a dataset's settings that a step has."""
    return {key: settings[key] for key in step}
