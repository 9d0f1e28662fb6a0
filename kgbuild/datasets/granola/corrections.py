"""How replies correct themselves, conclude and doubt: "in 1936, no, I meant 1938"."""

import re

from kgbuild.datasets.base import read_toml
from kgbuild.english.date_mentions import find_dates

_WORDS = read_toml("granola", "corrections")
CORRECTION = re.compile("|".join(_WORDS["corrections"]), re.IGNORECASE)
"""Words between a slip and the answer that replaces it: "in 1936, no, I meant 1938"."""
CONCLUSION = re.compile(rf"\b(?:{'|'.join(_WORDS['conclusions'])})\b", re.IGNORECASE)
"""Words before the answer that a reply gives in the end: "so the answer is Paris"."""
DOUBT = re.compile(
    rf"\W*(?:{'|'.join(_WORDS['doubts'])})"
    r"\s*[,;:.…?!—–-]+\s*(?:(?:but|maybe|perhaps|possibly)\s)?",
    re.IGNORECASE,
)
"""Words of doubt before an answer: "not sure, the 1910s"."""
_YEAR = re.compile(r"\W*(?P<year>\d{4})\b")
_WITH_YEAR = re.compile(r"(?P<day>.*\W)\d{4}", re.DOTALL)
_MARKS = " ,.;:!?…–—-("


def with_corrected_year(before: str, after: str) -> str:
    """Return what corrects a date, with the day of the date if it begins with a bare year.

    >>> with_corrected_year("3 May 1938, ", "1939")
    '3 May 1939'
    """
    *_, last = (None, *find_dates(before))
    year = _YEAR.match(after)
    if year is None or last is None or before[last.end :].strip(_MARKS):
        return after
    date = _WITH_YEAR.fullmatch(before[last.start : last.end])
    return f"{date['day']}{year['year']}{after[year.end() :]}" if date else after
