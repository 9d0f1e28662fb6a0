"""Find the facets (places, classes, demonyms …) that an answer in words names."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Set
from functools import cached_property

from kgbuild.datasets.granola.levels.classes import BROADER, CLASS, OCCUPATION, Facet
from kgbuild.datasets.granola.levels.descriptions import MAX_DEMONYM_WORDS, PEOPLE
from kgbuild.datasets.granola.levels.places import PLACE
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.evaluate.text_metrics import normalise


class FacetLinker:
    """Links answers to the facets of a relation's answers, which ``facets`` returns."""

    def __init__(self, facets: Callable[[], Collection[Facet]], profiles: Profiles):
        self._read_facets = facets
        self._labels = profiles.labels
        self._profiles = profiles

    def link(self, text: str, preferred: Set[Facet]) -> tuple[Facet, ...]:
        """Return the facets of a place, a class, "{demonym} {class}" or "{class} in {place}".

        Other answers have no facets. If several facets have the name, one in ``preferred`` takes
        precedence, then the smallest id.
        """
        words = normalise(text).split()
        name = " ".join(words)
        demonyms = self._demonyms.get(name, ())
        if people := next((facet for facet in demonyms if facet[0] == PEOPLE), None):
            return (people,)
        if facet := self._named(name, preferred):
            return (facet,)
        head, _, tail = name.rpartition(" in ")
        kind, place = self._named(head, preferred), self._named(tail, preferred)
        if kind and place and (kind[0], place[0]) == (CLASS, PLACE):
            return (kind, place)
        for n in range(1, min(MAX_DEMONYM_WORDS + 1, len(words))):
            demonyms = self._demonyms.get(" ".join(words[:n]), ())
            kind = self._named(" ".join(words[n:]), preferred)
            if kind and kind[0] in (CLASS, OCCUPATION):
                is_person = kind[0] == OCCUPATION
                fitting = (facet for facet in demonyms if (facet[0] == PEOPLE) == is_person)
                if origin := next(fitting, None):
                    return (origin, kind)
        return ()

    def _named(self, name: str, preferred: Set[Facet]) -> Facet | None:
        facets = self._by_name.get(name, ())
        return min(facets, key=lambda facet: (facet not in preferred, facet), default=None)

    @cached_property
    def _by_name(self) -> Mapping[str, list[Facet]]:
        facets = defaultdict(list)
        for facet in self._read_facets():
            dimension, value = facet
            names: tuple[str | None, ...] = ()
            if dimension == PLACE or dimension.startswith(BROADER):
                names = (self._labels.label(value), *self._labels.aliases(value))
            elif dimension in (CLASS, OCCUPATION):
                names = self._profiles.classes.names(facet)
            for name in {normalise(name) for name in names if name}:
                facets[name].append(facet)
        return facets

    @cached_property
    def _demonyms(self) -> Mapping[str, list[Facet]]:
        facets = defaultdict(list)
        for facet in sorted(self._read_facets()):
            dimension, value = facet
            demonym = self._profiles.demonym(value) if dimension == PLACE else value
            if dimension in (PEOPLE, PLACE) and demonym:
                facets[normalise(demonym)].append(facet)
        return facets
