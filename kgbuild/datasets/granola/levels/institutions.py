"""Find the institutions that other institutions are parts of: a college of a university."""

import re
from collections.abc import Collection, Iterable, Iterator

from kgbuild.data_files import read_toml
from kgbuild.datasets.granola.levels.classes import CLASS, Facet, Proof, reached
from kgbuild.datasets.granola.levels.descriptions import DESCRIPTION
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Evidence

LABEL = "rdfs:label"
"""The property of a triple that proves a part by its name."""
WHOLE = "whole"
"""The dimension of the institutions that an item is a part of."""
_PART_OF = ("P361", "P749")
"""Part of, parent organisation."""
_INCEPTION, _LOCATED_IN = "P571", "P131"
_SYSTEMS = {"Q1075106"}
"""State university systems; a town of a university is finer than its system."""
_INITIALS = re.compile(r"[A-Z]{3,6}")
_AT = re.compile(r"\b(?:at|of) (?:the )?(?=[A-Z])")
_BEFORE_PART = re.compile(
    r",? (?=(?:[\w.&'-]+ )*?"
    r"(?:School|College|Faculty|Institute|Conservatory|Academy|Department)\b)"
)
"""What is between the name of a university and that of its school."""
_SCHOOL_OF_FIELD = re.compile(
    r"(?:[\w.]+ )*?(?:School of|(?:Law|Medical|Business|Graduate|Divinity|Dental|Drama|Film"
    r"|Journalism|Art|Music|Engineering|Veterinary|Nursing) School\b)"
)
_WHERE = re.compile(r",? (?:located )?(?:in|at) (?:the )?[A-Z].*| ?[,(].*")
"""What follows the name of an institution in a description: " in Cambridge, Massachusetts"."""


class Institutions:
    """The institutions among some items, and the institutions that these are parts of.

    Only an institution that is a possible answer itself counts as a whole, so that neither a league
    of universities nor a ministry is one. Nor does one that is younger than its part: who studied
    at the part may have left it before.
    """

    def __init__(self, items: Collection[str], knowledge: Knowledge):
        self._items = frozenset(items)
        self._values = knowledge.statements.values
        self._years = knowledge.times.years
        self._labels = knowledge.labels
        self._by_name: dict[str, set[str]] = {}
        for item in self._items:
            initials = filter(_INITIALS.fullmatch, self._labels.aliases(item))
            for name in (self._labels.label(item) or "", *initials):
                self._by_name.setdefault(fold(name), set()).add(item)
        self._by_part = {item: self._wholes(item) for item in self._items}
        self._all_wholes = frozenset(one for wholes in self._by_part.values() for one in wholes)

    def facets(self, item: str) -> dict[Facet, Proof]:
        """Return the facets of an institution that has parts, or is a part; it is one itself."""
        wholes = self._by_part.get(item, {})
        if not wholes and item not in self._all_wholes:
            return {}
        return {(WHOLE, item): (), **{(WHOLE, whole): proof for whole, proof in wholes.items()}}

    def _wholes(self, item: str) -> dict[str, Proof]:
        wholes = reached(item, self._steps)
        del wholes[item]
        return wholes

    def _steps(self, part: str) -> list[tuple[str, Proof]]:
        """Return the nearest wholes of a part: those of statements, else of a description or name.

        A description is "law school at Yale University", a name "UCLA School of Theater".
        """
        steps: list[tuple[str, Proof]] = [
            (whole, (Evidence(part, pid, whole),))
            for pid in _PART_OF
            for whole in self._values(part, pid)
            if whole in self._items and self._may_contain(whole, part)
        ]
        text, label = self._labels.description(part) or "", self._labels.label(part) or ""
        return (
            steps
            or self._named(part, DESCRIPTION, text, _described(text))
            or self._named(part, LABEL, label, _owners(label))
        )

    def _named(
        self, part: str, pid: str, text: str, names: Iterable[str]
    ) -> list[tuple[str, Proof]]:
        """Return the first institution that is the only one of its name, of names in a text.

        Of several institutions with a name, the one in the same town counts.
        """
        for name in names:
            called = self._by_name.get(fold(name), set()) - {part}
            wholes = [one for one in called if self._may_contain(one, part)]
            if len(wholes) > 1:
                wholes = [one for one in wholes if self._are_neighbours(one, part)]
            if len(wholes) == 1:
                return [(wholes[0], (Evidence(part, pid, text),))]
        return []

    def _may_contain(self, whole: str, part: str) -> bool:
        """Return whether an institution is no system of universities, and not younger than a part.

        Nor did the part join it after many of its pupils.
        """
        if whole in read_toml("datasets/granola/levels/classes.toml")["not_wholes"]:
            return False
        first_years, last_years = (self._years(item, _INCEPTION) for item in (whole, part))
        is_younger = first_years and last_years and min(first_years)[0] > min(last_years)[1]
        return not is_younger and _SYSTEMS.isdisjoint(self._values(whole, CLASS))

    def _are_neighbours(self, *items: str) -> bool:
        """Return whether two institutions are in one town."""
        first_towns, second_towns = (self._values(item, _LOCATED_IN) for item in items)
        return not {*first_towns}.isdisjoint(second_towns)


def _described(text: str) -> Iterator[str]:
    """Yield what may be the name of an institution in a description, with and without the place."""
    for match in _AT.finditer(text):
        end = text[match.end() :]
        yield from (end, _WHERE.sub("", end))


def _owners(school: str) -> Iterator[str]:
    """Yield the names of universities with which the name of a school begins; some are of none.

    A single word may be that of a university that is called so: "Yale" in "Yale School of Drama".
    """
    for match in _BEFORE_PART.finditer(school):
        owner = school[: match.start()]
        is_school = _SCHOOL_OF_FIELD.match(school, match.end())
        if " " in owner or owner.isupper() or is_school:
            yield owner
        if " " not in owner and is_school:
            yield f"{owner} University"
