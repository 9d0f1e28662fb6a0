"""Numbers and labels as the page can hold them."""

import itertools
from unicodedata import category, east_asian_width

_LONGEST = 34
"""Characters of a name that stands beside a bar."""
_WIDE = "mwMW@%"
"""Letters that take half as much again as others."""
_NO_CHARACTERS = "\ufffe\uffff"
"""What Unicode will never give a meaning, and XML does not allow."""


def clean(text: str) -> str:
    """Return a text without what a page cannot hold: control characters, halves of pairs."""
    return "".join(
        " " if category(char) in ("Cc", "Cs") or char in _NO_CHARACTERS else char for char in text
    )


def short(text: str, most: int = _LONGEST) -> str:
    """Return a text as it can stand in a drawing: clean, and not too long.

    A letter that is wider than most counts for as much as it takes.
    """
    text = clean(text)
    ends = [*itertools.accumulate(map(_width, text))]
    if not ends or ends[-1] <= most:
        return text
    return text[: sum(end < most for end in ends)].rstrip() + "…"


def _width(char: str) -> float:
    if east_asian_width(char) in "WF":
        return 2
    if char in _WIDE:
        return 1.5
    return 1.15 if char.isupper() else 1


def number(value: float) -> str:
    """Return a number as people read it: with commas, and two decimals if it is not whole.

    >>> number(1234), number(0.125)
    ('1,234', '0.12')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
