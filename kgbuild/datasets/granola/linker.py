"""Link answers in words to what they say of an item."""

from collections.abc import Collection, Mapping, Set
from functools import cached_property

from kgbuild.datasets.granola.classes import BROADER, CLASS, OCCUPATION, Facet
from kgbuild.datasets.granola.profile import PEOPLE, PLACE, Profiles
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.store.labels import Labels

_DEMONYM_WORDS = 3
"""As many words may say of which people or country something is: Bosnian and Herzegovinian."""


class Linker:
    """Links answers to facets that the answers of a relation have."""

    def __init__(self, facets: Collection[Facet], labels: Labels, profiles: Profiles):
        self._facets = facets
        self._labels = labels
        self._profiles = profiles

    def linked(self, text: str, own: Set[Facet]) -> tuple[Facet, ...]:
        """Return what an answer says: a place, a class, "{demonym} {class}", "{class} in {place}".

        Nothing is returned for other answers. Of several that are called so, those come first
        that are in ``own``, then by id.
        """
        words = normalise(text).split()
        whole = self._demonyms.get(" ".join(words), ())
        if people := next((one for one in whole if one[0] == PEOPLE), None):
            return (people,)
        if alone := self._called(" ".join(words), own):
            return (alone,)
        head, _, tail = " ".join(words).rpartition(" in ")
        there = self._called(head, own), self._called(tail, own)
        if there[0] and there[1] and (there[0][0], there[1][0]) == (CLASS, PLACE):
            return (there[0], there[1])
        for n in range(1, min(_DEMONYM_WORDS + 1, len(words))):
            of = self._demonyms.get(" ".join(words[:n]), ())
            kind = self._called(" ".join(words[n:]), own)
            people = next((one for one in of if (one[0] == PEOPLE) == _is_of_people(kind)), None)
            if people and kind and kind[0] in (CLASS, OCCUPATION):
                return (people, kind)
        return ()

    def _called(self, name: str, own: Set[Facet]) -> Facet | None:
        found = self._names.get(name, ())
        return min(found, key=lambda facet: (facet not in own, facet), default=None)

    @cached_property
    def _names(self) -> Mapping[str, list[Facet]]:
        found: dict[str, list[Facet]] = {}
        for facet in self._facets:
            dimension, value = facet
            names: tuple[str | None, ...] = ()
            if dimension == PLACE or dimension.startswith(BROADER):
                names = (self._labels.label(value), *self._labels.aliases(value))
            elif dimension in (CLASS, OCCUPATION):
                names = self._profiles.classes.own_names(facet)
            for name in {normalise(name) for name in names if name}:
                found.setdefault(name, []).append(facet)
        return found

    @cached_property
    def _demonyms(self) -> Mapping[str, list[Facet]]:
        found: dict[str, list[Facet]] = {}
        for facet in sorted(self._facets):
            dimension, value = facet
            said = self._profiles.demonym(value) if dimension == PLACE else None
            demonym = value if dimension == PEOPLE else said
            if demonym:
                found.setdefault(normalise(demonym), []).append(facet)
        return found


def _is_of_people(kind: Facet | None) -> bool:
    return kind is not None and kind[0] == OCCUPATION
