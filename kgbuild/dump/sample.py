"""Locate the sample dump of kgbuild, which has facts of Wikidata."""

from pathlib import Path


def sample() -> Path:
    """Return the path of the sample, in the installed package or in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "sample.nt"
    return installed if installed.is_file() else package.parent / "dumps" / "sample.nt"
