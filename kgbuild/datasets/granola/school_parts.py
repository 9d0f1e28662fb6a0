"""Names of universities in those of their schools: "Yale" in "Yale School of Drama"."""

import re
from collections.abc import Iterator

_KIND = "(?:School|College|Faculty|Institute|Conservatory|Academy|Department)"
_FIELDS = (
    "Law|Medical|Business|Graduate|Divinity|Dental|Drama|Film|Journalism|Art|Music|Engineering"
    "|Veterinary|Nursing"
)
_BEFORE_PART = re.compile(rf",? (?=(?:[\w.&'-]+ )*?{_KIND}\b)")
"""What is between the name of a university and that of its school."""
_SCHOOL_OF_FIELD = re.compile(rf"(?:[\w.]+ )*?(?:School of|(?:{_FIELDS}) School\b)")


def owners_of_school(name: str) -> Iterator[str]:
    """Yield the names of universities with which the name of a school begins.

    A single word may be that of a university that is called so: "Yale" in "Yale School of Drama".
    Some of the names are those of no university.

    >>> [*owners_of_school("USC School of Music")]
    ['USC', 'USC University']
    >>> "Elm University" in owners_of_school("Elm University College of Law")
    True
    """
    for match in _BEFORE_PART.finditer(name):
        owner = name[: match.start()]
        is_school = _SCHOOL_OF_FIELD.match(name, match.end())
        if " " in owner or owner.isupper() or is_school:
            yield owner
        if " " not in owner and is_school:
            yield f"{owner} University"
