"""Benchmarks of kgbuild against the plain way, on dumps of any size."""
