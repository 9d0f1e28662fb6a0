"""Short names of universities: "UF", "UT El Paso", "Milan Polytechnic"."""

import re
from collections.abc import Iterator

from kgbuild.evaluate.text_metrics import normalise

_PLACED = re.compile(
    r"university of (?P<whole>[\w ]+?)(?:,| at| in|[-–]) ?(?P<campus>[\w ]+)", re.IGNORECASE
)
"""A campus of a university: "University of Texas at El Paso"."""
_OF_PLACE = re.compile(r"university of (?P<place>[\w ]+)", re.IGNORECASE)
_TECHNICAL = re.compile(
    r"(?P<kind>polytechnic|politehnica|politecnico|technical|medical)"
    r"(?: university| institute| school)?"
    r" of (?P<place>[\w ]+)",
    re.IGNORECASE,
)
_ENGLISH_KINDS = {"politehnica": "polytechnic", "politecnico": "polytechnic"}
_OF_FIELD = re.compile(r"(?P<whole>[\w ]+?) school of (?P<field>[\w ]+)", re.IGNORECASE)
"""A school of a university: "Yale School of Drama"."""
_WORDS = {"us", "um", "up", "uh", "un", "uk", "ua", "ur"}
"""Words, states and sounds that are no universities."""
_MOST_PLACE_WORDS = 2


def short_names(name: str) -> Iterator[str]:
    """Yield the normalised short names of a university by which people call it.

    >>> [*short_names("University of Texas at El Paso")]
    ['ut el paso', 'u of texas el paso']
    """
    plain = name.removeprefix("the ").removeprefix("The ")
    if match := _PLACED.fullmatch(plain):
        campus = normalise(match["campus"])
        yield f"u{_initials(match['whole'])} {campus}"
        yield f"u of {normalise(match['whole'])} {campus}"
    elif match := _OF_PLACE.fullmatch(plain):
        place = normalise(match["place"])
        yield f"u of {place}"
        initials = f"u{_initials(place)}"
        if len(place.split()) <= _MOST_PLACE_WORDS and initials not in _WORDS:
            yield initials
    elif match := _TECHNICAL.fullmatch(plain):
        kind, place = normalise(match["kind"]), normalise(match["place"])
        for form in dict.fromkeys((kind, _ENGLISH_KINDS.get(kind, kind))):
            yield f"{place} {form}"
            yield f"{place} {form} university"
            yield f"{form} of {place}"
    elif match := _OF_FIELD.fullmatch(plain):
        whole, field = normalise(match["whole"]), normalise(match["field"])
        yield f"{whole} {field}"
        yield f"{whole} university school of {field}"


def _initials(text: str) -> str:
    return "".join(word[0] for word in normalise(text).split() if word not in ("of", "and"))
