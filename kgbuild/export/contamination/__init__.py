"""Check whether texts or a model contain the questions of a dataset."""
