"""Releases of datasets: files that load everywhere, and what must be known of them."""
