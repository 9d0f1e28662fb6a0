"""Choose the classes and occupations that describe an item: the nouns of its coarser answers."""

from collections.abc import Iterable

from kgbuild.catalog import catalog
from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.levels.classes import OCCUPATION, Facet
from kgbuild.datasets.granola.levels.profiles import PERSON, Profile, Profiles
from kgbuild.relations import Relation

TRIVIAL = read_toml("granola", "levels/classes")["trivial"].keys()
"""Classes that say nothing of an item by themselves, such as company."""
_WIDER = read_toml("granola", "levels/classes")["wider"].keys()
_MAX_HEADS = 2
"""Maximum number of classes or occupations that describe an item."""


class Heads:
    """The classes and occupations that describe the answers to a relation.

    ``expected`` are the classes that exact answers of the relation should have.
    """

    def __init__(self, relation: Relation, profiles: Profiles):
        classes = (qid for name in relation.object_kinds for qid in catalog().kinds[name].classes)
        self.expected = {*(relation.expected or classes)}
        self._relation = relation
        self._profiles = profiles

    def is_expected(self, qid: str) -> bool:
        """Return whether a class is an expected class of the relation, or a subclass of one."""
        return not self.expected.isdisjoint(self._profiles.classes.closure(qid))

    def of(self, profile: Profile) -> list[Facet]:
        """Return the classes or occupations that describe an item best: the nouns of its answers.

        They are the ones in the description, else the first one; of a person, the first one in the
        description, or the only one without a description. Expected classes take precedence. None
        implies another.

        If a thing has a description without its classes, only classes that the relation expects by
        themselves count: a mass media corporation is a company, but no film production company.
        """
        is_person = profile.kind == PERSON
        if is_person and not profile.named and (len(profile.direct) > 1 or profile.is_described):
            return []  # presidents were teachers, and a first lady is no politician
        direct = profile.direct[: profile.named] if is_person and profile.named else profile.direct
        if not is_person and profile.is_described and not profile.named:
            direct = tuple(facet for facet in direct if facet[1] in self.expected)
        if is_person and profile.named:
            direct = direct[: min(profile.first, 1)]  # an actress who also wrote is no author
        expected = tuple(facet for facet in direct if self.is_expected(facet[1]))
        is_strict = self._relation.expected and not is_person
        candidates = expected if is_strict else expected or direct
        # "A company" says nothing beside "a media company".
        telling = tuple(facet for facet in candidates if facet[1] not in TRIVIAL)
        candidates = telling or candidates
        implied = self._profiles.implied
        heads: list[Facet] = []
        for facet in candidates[: max(1, profile.named)]:
            is_implied = any(facet in implied(head, None) for head in heads)
            if not is_implied and implied(facet, None).isdisjoint(heads):
                heads.append(facet)
        return heads[:_MAX_HEADS]

    def with_superclasses(self, heads: Iterable[Facet], are_all: bool) -> list[Facet]:
        """Return classes or occupations with their superclasses, without duplicates.

        Superclasses of classes must be expected: a conservatory is a music school and an
        association, but "an association" is not an answer. Of those of occupations, people name
        few, unless ``are_all``: a novelist is a writer, but an architect is no "visual artist".
        """
        facets: dict[Facet, None] = {}
        for pid, value in heads:
            facets[pid, value] = None
            for qid in self._profiles.classes.superclasses(value, pid):
                is_named = are_all or qid in _WIDER
                if is_named if pid == OCCUPATION else self.is_expected(qid):
                    facets[pid, qid] = None
        return [*facets]
