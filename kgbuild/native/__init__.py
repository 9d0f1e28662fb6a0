"""Functions on arrays that run as machine code."""

from collections.abc import Callable


def _ignore(_: str) -> None:
    """Tell nobody."""


announce: Callable[[str], None] = _ignore
"""Called with a sentence before code is compiled for some seconds; the command line prints it."""
