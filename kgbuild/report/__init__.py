"""The report: one page about the datasets, their sources, and the scores of models."""
