"""Names of schools that are parts of universities, and of schools that have the name of a person.

People say "Columbia's School of the Arts", "School of the Arts at Columbia" and "NYU Law School".
"""

import re
from collections.abc import Iterator

from kgbuild.datasets.base import read_toml
from kgbuild.evaluate.text_metrics import normalise

_WORDS = read_toml("granola", "reply_words")["schools"]
_KIND = rf"(?:{'|'.join(_WORDS['kinds'])})"
_PART = rf"(?P<part>(?:(?:{'|'.join(_WORDS['fields'])}) )?{_KIND}\b.*)"
_IN_UNIVERSITY = re.compile(
    rf"(?P<core>\w[\w.&' -]*?) (?:University|College),? (?P<part>(?:[\w.&'-]+ )*?{_KIND}\b.*)"
)
"""A school of a university: "Columbia University School of the Arts"."""
_IN_UNIVERSITY_OF = re.compile(rf"University of (?P<core>\w[\w.&' -]*?),? {_PART}")
"""A school of a university that is called by its place: "University of Michigan Law School"."""
_BEFORE_PART = re.compile(rf",? (?=(?:[\w.&'-]+ )*?{_KIND}\b)")
"""What is between the name of a university and that of its school."""
_SCHOOL_OF_FIELD = re.compile(
    rf"(?:[\w.]+ )*?(?:School of|(?:{'|'.join(_WORDS['fields'])}) School\b)"
)
_OF_PERSON = re.compile(
    rf"(?P<owner>[A-Z]\w+ [A-Z]\w+) (?:{'|'.join(_WORDS['owned'])})(?: (?:of|for|and) .+)?"
)
"""A school with the name of a person: "William Esper Studio"."""
_HIGH_SCHOOL = re.compile(r"(?P<name>\w+ \w+) High School")
_NOT_PERSONS = frozenset(_WORDS["not_persons"])
_OF_FIELD = re.compile(r"(?P<kind>School|College) of (?P<field>\w+)")
_ADJECTIVE_OF_FIELD = _WORDS["adjective_of_field"]
_LEAST_INITIALS = 2
"""The least number of initials by which people call a university, beside the name of its part."""


def names_of_parts(name: str) -> Iterator[str]:
    """Yield the normalised names by which people call a school of a university, or of a person.

    The university lacks its kind if one word remains: "Columbia School of the Arts", but "New York
    Law School" is not that of New York University.

    >>> [*names_of_parts("Elm University School of Law")][1:3]
    ['elm universitys school of law', 'school of law at elm university']
    """
    plain = name.removeprefix("the ").removeprefix("The ")
    if person := person_of_school(plain):
        kinds = (word for word in plain.split() if word in _WORDS["owned"])
        yield from (f"{person}s {normalise(kind)}" for kind in kinds)
    match = _IN_UNIVERSITY.fullmatch(plain) or _IN_UNIVERSITY_OF.fullmatch(plain)
    if match is None:
        return
    part_forms = [*_forms(match["part"])]
    for owner, is_usual in _owners(plain[: match.start("part")], match["core"]).items():
        for part in part_forms:
            yield from (f"{owner}s {part}", f"{part} at {owner}")
            if is_usual:
                yield from (f"{owner} {part}", f"{part} {owner}")


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


def person_of_school(name: str) -> str:
    """Return the normalised name of the person by whom a school is called, or "" without one.

    >>> person_of_school("the Stella Adler Studio of Acting")
    'stella adler'
    """
    match = _OF_PERSON.fullmatch(name.removeprefix("the "))
    person = normalise(match["owner"]) if match else ""
    return "" if set(person.split()) & _NOT_PERSONS else person


def name_of_high_school(name: str) -> str:
    """Return "new trier" for "New Trier High School", or "" for other schools."""
    match = _HIGH_SCHOOL.fullmatch(name.removeprefix("the "))
    return normalise(match["name"]) if match else ""


def _owners(university: str, core: str) -> dict[str, bool]:
    """Return the names of a university, and whether they stand before a school without "'s"."""
    whole, short = normalise(university), normalise(core)
    initials = "".join(word[0] for word in whole.split())
    if whole.startswith("university of "):
        return {whole: True, f"u of {short}": True, short: True}
    owners = {whole: True, short: " " not in short}
    return owners | ({initials: True} if len(initials) >= _LEAST_INITIALS else {})


def _forms(part: str) -> Iterator[str]:
    """Yield "school of law" and "law school" for "School of Law"; a kind alone says too little."""
    form = normalise(part)
    if " " in form:
        yield form
    if match := _OF_FIELD.fullmatch(part):
        field = normalise(match["field"])
        yield f"{_ADJECTIVE_OF_FIELD.get(field, field)} {normalise(match['kind'])}"
    field, _, kind = form.rpartition(" ")
    if kind == "school" and field in _WORDS["fields_of_schools"]:
        yield f"school of {_WORDS['fields_of_schools'][field]}"
