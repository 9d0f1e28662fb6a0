"""Commands that check and publish datasets."""
