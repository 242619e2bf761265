"""FASTopic (Wu et al. 2024), on counts and document embeddings (see `embeddings`). Unguided.

Topics and words are points beside the documents' embeddings; optimal transport from documents to
topics and from topics to words gives both matrices, and the points move such that their product
reconstructs the counts. Defaults are the tool's; its own preprocessing and embedding, which would
ask for topmost and the hub, are replaced by the study's.
"""

from types import SimpleNamespace

import numpy as np

from .contract import Fit, normalise_rows
from .shared.embeddings import embed, texts


def fit(problem):
    return fastopic(problem, **problem.options)


def fastopic(
    problem, *, embedding="floret", epochs=200, learning_rate=0.002,
    DT_alpha=3.0, TW_alpha=2.0, theta_temp=1.0,
):  # fmt: skip
    """Options: `embedding`, as above; the others are the tool's, under its names."""
    documents = texts(problem)
    embeddings = embed(problem, embedding)

    import torch
    from fastopic import FASTopic

    # The tool draws from both, and takes no random state.
    np.random.seed(problem.random_state)
    torch.manual_seed(problem.random_state)
    ours = {"train_bow": problem.counts, "vocab": problem.vocabulary}
    model = FASTopic(
        problem.n_topics,
        preprocess=SimpleNamespace(preprocess=lambda documents: ours),
        doc_embed_model=None,
        device="cpu",
        DT_alpha=DT_alpha,
        TW_alpha=TW_alpha,
        theta_temp=theta_temp,
    )
    _, doc_topic = model.fit_transform(documents, epochs, learning_rate, embeddings)
    return Fit(normalise_rows(doc_topic), normalise_rows(model.get_beta()))
