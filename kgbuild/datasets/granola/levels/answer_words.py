"""Write coarser answers in words: "an American playwright"."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kgbuild.datasets.granola.levels.classes import CLASS, OCCUPATION, Facet, Proof
from kgbuild.datasets.granola.levels.descriptions import DESCRIPTION
from kgbuild.datasets.granola.levels.places import PLACE
from kgbuild.datasets.granola.levels.profiles import Profile, Profiles
from kgbuild.datasets.granola.levels.tiers import kind_of
from kgbuild.english.articles import indefinite
from kgbuild.english.capitals import capitalised

BRACKETS = re.compile(r"\s*\([^)]*\)")
"""The part of a label in brackets: "Georgia (country)"."""


class Coarser(NamedTuple):
    """A coarser answer: its text, its facets, and the triples that prove it.

    ``qid`` is the item that the answer names; None if the answer has several facets.
    """

    text: str
    aliases: tuple[str, ...]
    qid: str | None
    facets: tuple[Facet, ...]
    evidence: Proof

    @property
    def kind(self) -> str:
        """The dimensions of the facets, such as "place" or "people + occupation"."""
        return kind_of(self.facets)


class AnswerWords:
    """The answers with facets of an item, in words."""

    def __init__(self, profiles: Profiles):
        self._profiles = profiles

    def person_from(self, profile: Profile, people: Facet) -> Coarser:
        """Return the answer "a French person" for a nationality."""
        _, demonym = people
        proof = profile.facets[people]
        person = indefinite(f"{capitalised(demonym)} person")
        if proof[0].property == DESCRIPTION:
            return Coarser(person, (demonym,), None, (people,), proof)
        home = self._profiles.place_phrase(proof[0].object)
        aliases = (demonym, f"a person from {home}", f"somebody from {home}")
        return Coarser(person, aliases, None, (people,), proof)

    def combined(
        self, profile: Profile, facets: tuple[Facet, ...], finer: Iterable[tuple[Facet, ...]] = ()
    ) -> Iterator[Coarser]:
        """Yield the answer with all of ``facets``, which are in the order of its words.

        One facet must be a class or an occupation. There is no answer if this facet has no name,
        or a name that cannot be combined: "a German independent city of Germany". ``finer`` are the
        facets of answers that become aliases.
        """
        head = next(facet for facet in facets if facet[0] in (CLASS, OCCUPATION))
        label, *aliases = self._profiles.classes.names(head)
        if not label or (len(facets) > 1 and label != label.lower()):
            return
        evidence = dict.fromkeys(triple for facet in facets for triple in profile.facets[facet])
        if head in profile.female_nouns:
            noun, proof = profile.female_nouns[head]
            aliases = [label, *(name for name in aliases if name != noun)]
            label = noun
            evidence[proof] = None
        yield Coarser(
            text=self._words(facets, BRACKETS.sub("", label)),
            aliases=(
                *(self._words(facets, name) for name in aliases),
                *(self._words(other, name) for other in finer for name in (label, *aliases)),
            ),
            qid=head[1] if len(facets) == 1 else None,
            facets=facets,
            evidence=tuple(evidence),
        )

    def _words(self, facets: tuple[Facet, ...], noun: str) -> str:
        """Return the text of an answer; ``noun`` is the name of its class or occupation."""
        words: list[str] = []
        for dimension, value in facets:
            if dimension in (CLASS, OCCUPATION):
                words.append(noun)
            elif dimension == PLACE:
                words.append(self._profiles.demonym(value) or "")
            else:
                words.append(value)
        return indefinite(" ".join(words))
