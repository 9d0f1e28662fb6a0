"""Write texts and tables in Markdown. Labels may be hostile, so they are escaped."""

import html
import re
import unicodedata
from collections.abc import Sequence

_MARKS = re.compile(r"([\\`*_\[\]|~#!$])")
"""Characters with a meaning in Markdown inside a line."""


def cell(text: str) -> str:
    """Escape a text for a cell of a Markdown table.

    >>> cell("<b>a|b</b>")
    '&lt;b&gt;a\\\\|b&lt;/b&gt;'
    """
    return _MARKS.sub(r"\\\1", html.escape(visible(" ".join(text.split())), quote=False))


def visible(text: str) -> str:
    """Replace invisible characters by their codes: some reverse the order of a text."""
    return "".join(
        f"\\u{ord(c):04x}" if unicodedata.category(c) in ("Cf", "Cc") and c != "\n" else c
        for c in text
    )


def number(value: object) -> str:
    """Return a value as a text; whole numbers have commas."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def grid(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; headings and cells are Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
