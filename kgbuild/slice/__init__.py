"""Slices: parts of a dump, cut locally, on Spark, or gathered from an endpoint."""
