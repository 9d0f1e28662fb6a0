"""Read years in descriptions, as evidence for or against a date: "2016 film", "(1872-1933)"."""

import re
from collections.abc import Collection

_LIFE = re.compile(r"\((?:[^()]*\s)?(?:c\. ?)?(\d{3,4}) ?[-–—] ?(?:c\. ?)?(\d{3,4})\)")
"""The first and the last year of a life, or of an office."""
_RELEASE = re.compile(r"^(?:an? )?(\d{4}) ")
_FOUNDATION = re.compile(
    r"\b(?:founded|established|created|formed|chartered|incorporated|launched)\b"
    r"(?: [a-z]+)? (?:in|on|since)?(?:[^,;.]* )?(\d{4})\b"
    r"|^\(?(\d{4}) ?[-–—] ?\d{4}\)? "
)
BIRTH, DEATH, INCEPTION, PUBLICATION = "P569", "P570", "P571", "P577"


def contradicts(
    description: str, pid: str, years: tuple[int, int], other_years: Collection[tuple[int, int]]
) -> bool:
    """Return whether the description of an item contradicts its date by a property.

    ``years`` are the first and the last year of the date. ``other_years`` are the years of the
    item's death if the property is its birth, and the reverse: years in brackets are those of a
    life, not of an office, only if one of them is also stated.

    >>> contradicts("Greek poet (1872-1933)", "P569", (1871, 1871), [(1933, 1933)])
    True
    >>> contradicts("Queen of the Netherlands (1980-2013)", "P569", (1938, 1938), [])
    False
    """
    if pid in (BIRTH, DEATH):
        match = _LIFE.search(description)
        own, other = (match[1], match[2]) if match else ("", "")
        if pid == DEATH:
            own, other = other, own
        return bool(own) and _lies_in(other, other_years) and not _lies_in(own, [years])
    pattern = {INCEPTION: _FOUNDATION, PUBLICATION: _RELEASE}.get(pid)
    match = pattern.search(description) if pattern else None
    return match is not None and not _lies_in(next(filter(None, match.groups())), [years])


def _lies_in(year: str, spans: Collection[tuple[int, int]]) -> bool:
    return any(first <= int(year) <= last for first, last in spans)
