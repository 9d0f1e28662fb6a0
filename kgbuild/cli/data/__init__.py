"""Commands that fetch and load data."""
