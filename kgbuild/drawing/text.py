"""Clean, measure and cut the texts of drawings; format numbers."""

import itertools
from unicodedata import category, east_asian_width

_WIDE, _NARROW = "MWmw@%—…", " .,:;'!|()[]ijlt·"
_NO_CHARACTERS = "\ufffe\uffff"
"""Code points without a character, which XML does not allow."""


def clean(text: str) -> str:
    """Return a text with spaces for control characters and lone surrogates."""
    return "".join(
        " " if category(char) in ("Cc", "Cs") or char in _NO_CHARACTERS else char for char in text
    )


def width(text: str, size: float = 13) -> float:
    """Estimate the width of a text in pixels, rather too wide than too narrow."""
    return size * sum(map(_em, text))


def short(text: str, most: float, size: float = 13) -> str:
    """Return a clean text, cut to a width of at most ``most`` pixels."""
    text = clean(text)
    if width(text, size) <= most:
        return text
    ends = itertools.accumulate(size * _em(char) for char in f"…{text}")
    return text[: sum(end <= most for end in ends) - 1].rstrip() + "…"


def _em(char: str) -> float:
    """Return the width of a character, in sizes of the font."""
    if east_asian_width(char) in "WF" or char in _WIDE:
        return 1.08
    return 0.77 if char.isupper() else 0.39 if char in _NARROW else 0.63


def number(value: float) -> str:
    """Return a number with commas, and with two decimals if it is not whole.

    >>> number(1234), number(0.125)
    ('1,234', '0.12')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
