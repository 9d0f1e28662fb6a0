"""Clean, measure and cut the texts of drawings; format numbers."""

import itertools
from unicodedata import category, east_asian_width

_WIDE, _NARROW = "MWmw@%—…", " .,:;'!|()[]ijlt·"
"""Characters that are wider or narrower than others in common fonts."""


def clean(text: str) -> str:
    """Return a text with spaces for control characters and others that XML does not allow."""
    return "".join(
        " " if category(char) in ("Cc", "Cs") or char in "\ufffe\uffff" else char for char in text
    )


def width(text: str, size: float = 13) -> float:
    """Estimate the width of a text in pixels; the estimate is too large rather than too small."""
    return size * sum(map(_em, text))


def short(text: str, max_width: float, size: float = 13) -> str:
    """Return a clean text, cut to a width of ``max_width`` pixels; "…" marks the cut."""
    text = clean(text)
    if width(text, size) <= max_width:
        return text
    # The widths of "…" alone, with the first character, with the first two, and so on.
    widths = itertools.accumulate(size * _em(char) for char in f"…{text}")
    return text[: sum(prefix <= max_width for prefix in widths) - 1].rstrip() + "…"


def two_lines(text: str, max_width: float, size: float = 13) -> list[str]:
    """Return a clean text in one or two lines of a width; the second one is cut to it."""
    text = clean(text)
    first = short(text, max_width, size)
    if first == text:
        return [text]
    end = len(first) - 1  # without "…"
    parts = (text.rfind(" ", 1, end + 1), *(text.rfind(sign, 1, end) + 1 for sign in "/-"))
    end = max(parts) if max(parts) > 0 else end
    return [text[:end].rstrip(), short(text[end:].lstrip(), max_width, size)]


def _em(char: str) -> float:
    """Return the width of a character as a multiple of the font size."""
    if east_asian_width(char) in "WF" or char in _WIDE:
        return 1.08
    return 0.77 if char.isupper() else 0.39 if char in _NARROW else 0.63


def number(value: float) -> str:
    """Return a number with commas, and with two decimals if it is not whole.

    >>> number(1234), number(0.125)
    ('1,234', '0.12')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
