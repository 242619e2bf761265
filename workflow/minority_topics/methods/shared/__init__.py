"""What several tools share: lists of seed words, embeddings, samplers of our own."""
