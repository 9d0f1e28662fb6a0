"""Commands that build datasets."""
