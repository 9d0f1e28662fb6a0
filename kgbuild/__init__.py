"""Evaluation datasets for language models, built from a Wikidata dump."""

__version__ = "0.1.0"
