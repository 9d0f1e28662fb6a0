"""Slices on a Spark cluster: the local engine's conditions and bytes."""
