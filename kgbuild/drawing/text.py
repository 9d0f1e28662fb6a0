"""Text as a drawing can hold it: clean, measured, cut. Numbers as people read them."""

import itertools
from unicodedata import category, east_asian_width

_WIDE, _NARROW = "MWmw@%—…", " .,:;'!|()[]ijlt·"
_NO_CHARACTERS = "\ufffe\uffff"
"""Unicode will never give them a meaning, and XML does not allow them."""


def clean(text: str) -> str:
    """Return a text without what a page cannot hold: control characters, halves of pairs."""
    return "".join(
        " " if category(char) in ("Cc", "Cs") or char in _NO_CHARACTERS else char for char in text
    )


def width(text: str, size: float = 13) -> float:
    """Estimate the width of a text in pixels, rather too wide than too narrow."""
    return size * sum(map(_em, text))


def short(text: str, most: float, size: float = 13) -> str:
    """Return a clean text that takes no more than ``most`` pixels, cut if need be."""
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
    """Return a number as people read it: with commas, and two decimals if it is not whole.

    >>> number(1234), number(0.125)
    ('1,234', '0.12')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
