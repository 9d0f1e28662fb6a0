"""The classes and occupations of an item: from statements, and from its description."""

import math
from collections.abc import Iterable, Mapping

from kgbuild import wikidata
from kgbuild.datasets.granola.classes import (
    MIN_ITEMS,
    OCCUPATION,
    Classes,
    Facet,
    Path,
    ignored_classes,
)
from kgbuild.datasets.granola.descriptions import DESCRIPTION, Descriptions
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Evidence


class ItemClasses:
    """Finds the classes and occupations of items, and which of them people would name."""

    def __init__(self, knowledge: Knowledge, classes: Classes, descriptions: Descriptions):
        self._values = knowledge.statements.values
        self._labels = knowledge.labels
        self._classes = classes
        self._descriptions = descriptions

    def direct(self, qid: str, pid: str) -> dict[Facet, Evidence]:
        """Return the direct classes (P31) or occupations (P106) of an item.

        The description adds occupations if it names none of those that are stated, and classes
        if none are stated.
        """
        stated = {(pid, value): Evidence(qid, pid, value) for value in self._values(qid, pid)}
        description = self._descriptions.read(qid)
        if not description or self.ranked(qid, stated)[1] or (stated and pid != OCCUPATION):
            return stated
        values = (self._by_last_words(noun, pid) for noun in description.nouns)
        evidence = Evidence(qid, DESCRIPTION, description.text)
        return {**{(pid, value): evidence for value in values if value}, **stated}

    def with_superclasses(self, direct: Mapping[Facet, Evidence]) -> dict[Facet, Path]:
        """Return classes or occupations with the usual ones above them."""
        facets: dict[Facet, Path] = {}
        for (pid, value), evidence in direct.items():
            facets.setdefault((pid, value), (evidence,))
            for superclass, path in self._classes.superclasses(value, pid).items():
                facets.setdefault((pid, superclass), (evidence, *path))
        return facets

    def ranked(self, qid: str, direct: Iterable[Facet]) -> tuple[tuple[Facet, ...], int]:
        """Return the usual classes or occupations, and how many of them the description names.

        Those come first that the description names, in its order; then the most common.
        """
        usual = [
            facet
            for facet in direct
            if self._classes.count(facet) >= MIN_ITEMS and facet[1] not in ignored_classes()
        ]
        places = {facet: self.position(qid, self._classes.names(facet)) for facet in usual}

        def rank(facet: Facet) -> tuple[float, int, int]:
            return places[facet], -self._classes.count(facet), wikidata.number(facet[1])

        named = sum(place < math.inf for place in places.values())
        return tuple(sorted(usual, key=rank)), named

    def position(self, qid: str, names: Iterable[str]) -> float:
        """Return where one of ``names`` begins in the description of an item; infinity if none."""
        description = f" {fold(self._labels.description(qid) or '')}"
        places = (description.find(f" {fold(name)}") for name in names if name)
        return min((place for place in places if place >= 0), default=math.inf)

    def _by_last_words(self, noun: str, pid: str) -> str | None:
        """Return the class or occupation whose name the most last words of a noun are."""
        words, by_name = fold(noun).split(), self._classes.by_name(pid)
        names = (" ".join(words[n:]) for n in range(len(words)))
        return next((by_name[name] for name in names if name in by_name), None)
