"""Scoring: a module a dataset, and what they share."""
