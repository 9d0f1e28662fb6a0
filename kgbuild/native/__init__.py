"""Run functions on arrays as machine code."""

from collections.abc import Callable
from types import FunctionType

announce: Callable[[str], None] = lambda _: None  # noqa: E731
"""A function that is called with a sentence before a compilation of several seconds.

The command line replaces it by a function that prints.
"""


def full_name(function: FunctionType) -> str:
    """Return the name of a function with its module."""
    return f"{function.__module__}.{function.__qualname__}"
