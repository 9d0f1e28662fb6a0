"""Write facets in words: "an American playwright", "a record label in Hollywood"."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgbuild.catalog import Catalog
from kgbuild.datasets.granola.classes import BROADER, CLASS, OCCUPATION, Facet, Path
from kgbuild.datasets.granola.demonyms import described
from kgbuild.datasets.granola.descriptions import DESCRIPTION
from kgbuild.datasets.granola.profiles import MAKER, PLACE, Profile, Profiles
from kgbuild.english.articles import indefinite
from kgbuild.store.labels import Labels

_BRACKETS = re.compile(r"\s*\([^)]*\)")
_DIMENSIONS = {CLASS: "class", OCCUPATION: "occupation"}


class Coarser(NamedTuple):
    """A coarser answer: its words, its facets, and the triples from the item that prove it.

    ``qid`` is the item that it names, None if it has several facets.
    """

    text: str
    aliases: tuple[str, ...]
    qid: str | None
    facets: tuple[Facet, ...]
    evidence: Path

    @property
    def kind(self) -> str:
        """The dimensions of its facets: "place", "people + occupation"."""
        dimensions = (dimension for dimension, _ in self.facets)
        return " + ".join(
            "class" if one.startswith(BROADER) else _DIMENSIONS.get(one, one) for one in dimensions
        )


class FacetPhrases:
    """Writes facets of items in words."""

    def __init__(self, labels: Labels, catalog: Catalog, profiles: Profiles):
        self._labels = labels
        self._place = catalog.kinds["place"]
        self._profiles = profiles

    def place(self, qid: str) -> str:
        """Return the name of a place as it stands in a sentence: "the United States"."""
        return self._place.phrase(without_brackets(self._labels.label(qid) or qid))

    def people(self, profile: Profile, people: Facet) -> Coarser:
        """Return "a person from France" for a nationality."""
        demonym, path = people[1], profile.facets[people]
        person = described(demonym, "person")
        if path[0].property == DESCRIPTION:
            return Coarser(person, (demonym,), None, (people,), path)
        home = self.place(path[0].object)
        aliases = (person, demonym, f"somebody from {home}")
        return Coarser(f"a person from {home}", aliases, None, (people,), path)

    def combined(self, profile: Profile, facets: tuple[Facet, ...]) -> Iterator[Coarser]:
        """Yield the answer with all of some facets, in the order of the words.

        One facet is a class or an occupation. There is no answer if it has no name, or one that
        cannot be combined: "a German independent city of Germany".
        """
        kind = next(facet for facet in facets if facet[0] in (CLASS, OCCUPATION))
        label, *others = self._profiles.classes.names(kind)
        if not label or (len(facets) > 1 and label != label.lower()):
            return
        evidence = dict.fromkeys(triple for facet in facets for triple in profile.facets[facet])
        yield Coarser(
            text=self._words(facets, without_brackets(label)),
            aliases=tuple(self._words(facets, name) for name in others),
            qid=kind[1] if len(facets) == 1 else None,
            facets=facets,
            evidence=tuple(evidence),
        )

    def _words(self, facets: tuple[Facet, ...], noun: str) -> str:
        words: list[str] = []
        for dimension, value in facets:
            if dimension in (CLASS, OCCUPATION):
                words.append(noun)
            elif dimension == PLACE:
                demonym = None if words else self._profiles.demonym(value)
                words.append(demonym if demonym else f"in {self.place(value)}")
            elif dimension == MAKER:
                words.append(f"by {self._labels.label(value) or value}")
            else:
                words.append(value)
        return indefinite(" ".join(words))


def without_brackets(label: str) -> str:
    """Return a label without what stands in brackets: "Georgia (country)"."""
    return _BRACKETS.sub("", label)
