"""Doors to models: language models and their reply cache, embeddings, spaCy."""
