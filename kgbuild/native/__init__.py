"""Functions on arrays that run as machine code."""

from collections.abc import Callable

announce: Callable[[str], None] = lambda _: None  # noqa: E731
"""Called with a sentence before code is compiled for some seconds; the command line prints it."""
