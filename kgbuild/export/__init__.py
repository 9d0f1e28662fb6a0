"""Releases of datasets: data files that load everywhere, with cards and metadata."""
