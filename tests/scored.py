"""Metrics as tests tell them: by their counts, or by their values."""

from kgbuild.evaluate.bootstrap import Estimates, Share


def shares(made: Estimates) -> dict[str, Share]:
    """Return what is behind each metric: so many of so many."""
    return {
        name: Share(round((one.value or 0) * one.total), one.total) for name, one in made.items()
    }


def values(made: Estimates) -> dict[str, float | None]:
    return {name: one.value for name, one in made.items()}
