"""Tell whether a question gives its answer away: where the University of York is."""

from collections.abc import Sequence

from kgbuild.datasets.granola.levels import Gold
from kgbuild.evaluate.text_metrics import normalise


def is_evident(question: str, name: str, places: Sequence[Gold]) -> bool:
    """Return whether a question names a place where something is, or the place names the thing.

    York and "the University of York", Erie County and Erie.
    """
    labels = [_spaced(place.names[0]) for place in places]
    return any(label in _spaced(question) or _spaced(name) in label for label in labels)


def _spaced(text: str) -> str:
    """Return the words of a text between spaces, without hyphens."""
    return f" {normalise(text.replace('-', ' '))} "
