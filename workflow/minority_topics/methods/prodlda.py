"""ProdLDA (Srivastava and Sutton 2017) as Pyro's tutorial has it, on counts. Unguided.

LDA whose topics multiply instead of mix: a document's words are multinomial with probabilities
softmax(normalise(B theta)), theta = softmax of a standard normal draw. An encoder network reads the
counts and gives the normal posterior of a document. Network, optimiser and settings are those of
https://pyro.ai/examples/prodlda.html.

doc_topic is the softmax of the encoder's mean. topic_word is the softmax of the weights B of the
decoder, which the tutorial shows as topics; they are logits of words before normalisation.
"""

import math

import numpy as np

from .contract import Fit, UnusableProblem


def fit(problem):
    """Options are the keywords of `_train`."""
    filled = np.flatnonzero(np.asarray(problem.counts.sum(axis=1)).ravel())
    if len(filled) < 2:
        raise UnusableProblem(
            f"{len(filled)} documents have words; ProdLDA normalises over batches, and needs 2"
        )
    doc_topic = np.zeros((problem.counts.shape[0], problem.n_topics))
    doc_topic[filled], topic_word, loss = _train(
        problem.counts[filled], problem.n_topics, problem.random_state, **problem.options
    )
    return Fit(doc_topic, topic_word, notes={"objective": loss})


def _train(
    counts, n_topics, random_state,
    *, hidden=100, dropout=0.2, learning_rate=1e-3, batch_size=32, epochs=50,
):  # fmt: skip
    """doc_topic, topic_word, and the loss per document (negative ELBO) of the last epoch."""
    for name, value in (("hidden", hidden), ("batch_size", batch_size), ("epochs", epochs)):
        if value < 1:
            raise ValueError(f"{name}={value} must be at least 1")
    import pyro
    import pyro.distributions as dist
    import torch
    from pyro.infer import SVI, TraceMeanField_ELBO
    from torch import nn

    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    pyro.set_rng_seed(random_state)
    pyro.clear_param_store()

    n_documents, n_words = counts.shape
    body = nn.Sequential(
        nn.Linear(n_words, hidden), nn.Softplus(), nn.Linear(hidden, hidden), nn.Softplus(),
        nn.Dropout(dropout),
    )  # fmt: skip
    mean, log_variance = (
        nn.Sequential(nn.Linear(hidden, n_topics), nn.BatchNorm1d(n_topics, affine=False))
        for _ in range(2)
    )
    encoder = nn.ModuleList([body, mean, log_variance])
    B = nn.Linear(n_topics, n_words, bias=False)
    decoder = nn.Sequential(nn.Dropout(dropout), B, nn.BatchNorm1d(n_words, affine=False))

    def model(documents):
        pyro.module("decoder", decoder)
        with pyro.plate("documents", len(documents)):
            location = documents.new_zeros((len(documents), n_topics))
            normal = dist.Normal(location, torch.ones_like(location)).to_event(1)
            logits = decoder(pyro.sample("log_theta", normal).softmax(dim=1))
            # The longest document's length serves all: the likelihood does not depend on it.
            longest = int(documents.sum(dim=1).max())
            pyro.sample("words", dist.Multinomial(longest, logits=logits), obs=documents)

    def guide(documents):
        pyro.module("encoder", encoder)
        with pyro.plate("documents", len(documents)):
            read = body(documents)
            normal = dist.Normal(mean(read), (log_variance(read) / 2).exp()).to_event(1)
            pyro.sample("log_theta", normal)

    def dense(rows):
        return torch.from_numpy(counts[rows].toarray().astype(np.float32))

    # The tutorial's documents come shuffled. No batch may hold one document alone, which cannot be
    # normalised: batches are of even size instead of a short last one.
    order = np.random.default_rng(random_state).permutation(n_documents)
    n_batches = max(1, min(math.ceil(n_documents / batch_size), n_documents // 2))
    batches = np.array_split(order, n_batches)
    optimiser = pyro.optim.Adam({"lr": learning_rate})
    svi = SVI(model, guide, optimiser, loss=TraceMeanField_ELBO())
    for _ in range(epochs):
        loss = sum(svi.step(dense(batch)) for batch in batches) / n_documents

    encoder.eval()
    with torch.no_grad():
        rows = [mean(body(dense(batch))).double().softmax(dim=1) for batch in batches]
        doc_topic = np.empty((n_documents, n_topics))
        doc_topic[order] = torch.cat(rows).numpy()
        topic_word = B.weight.T.double().softmax(dim=1).numpy()
    return doc_topic, topic_word, loss
