"""What lies above classes and occupations, how many items bear them, and what they are called."""

import functools
import tomllib
from collections import Counter
from collections.abc import Mapping
from importlib import resources
from typing import TypeAlias

from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Evidence

Facet: TypeAlias = tuple[str, str]
"""A dimension and what is true in it: ("place", "Q90"), ("people", "French")."""
Path: TypeAlias = tuple[Evidence, ...]
"""The triples that lead from an item to a facet of it."""

CLASS, OCCUPATION = "P31", "P106"
"""The dimensions of classes are the properties by which items bear them."""
BROADER = "broader than by "
"""Before a property: the dimension of classes that are themselves what items have by it."""
SUBCLASS = "P279"
_FAMILIES = {"language", "family"}
"""Kinds of what nobody speaks itself: one speaks a language of the family."""
HANDFUL = 5
"""What fewer items bear is too odd to answer with."""
_ORGANISATIONS = {"Q43229", "Q4830453"}
"""Organisation, business: what no occupation is a kind of, though a producer is said to be."""


def unsaid() -> Mapping[str, str]:
    """Return the classes that nobody answers with, and their labels, of ``classes.toml``."""
    return _tables()["unsaid"]


@functools.cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    text = (resources.files("kgbuild.datasets.granola") / "classes.toml").read_text(
        encoding="utf-8"
    )
    return tomllib.loads(text)


class Classes:
    """Tells of classes (P31), and of occupations (P106), which are borne like classes."""

    def __init__(self, known: Knowledge):
        self._known = known
        self._values = known.statements.values
        self._above: dict[tuple[str, str], Mapping[str, Path]] = {}
        self._all_above: dict[str, frozenset[str]] = {}
        self._bearers: dict[Facet, int] = {}
        self._by_name: dict[str, Mapping[str, str]] = {}

    def superclasses(self, qid: str, dimension: str) -> Mapping[str, Path]:
        """Return what lies above a class, the nearest first, with the triples that lead there.

        Of the class at the end of each triple, more items must say that they are of it than of
        the one at its beginning. So a path goes on while people really speak of the coarser
        class, ends before "entity" and "legal form", and never leads round. In a dimension that
        is ``BROADER``, where classes are themselves the answers, a handful of items must have
        the coarser one as theirs, or it must be a family of languages.
        """
        if (qid, dimension) not in self._above:
            found: dict[str, Path] = {qid: ()}
            ahead = [qid]
            for one in ahead:  # grows while it is walked: breadth first
                for value in self._values(one, SUBCLASS):
                    if value not in found and self._goes_on(dimension, one, value):
                        found[value] = (*found[one], Evidence(one, SUBCLASS, value))
                        ahead.append(value)
            del found[qid]
            self._above[qid, dimension] = found
        return self._above[qid, dimension]

    def _goes_on(self, dimension: str, one: str, value: str) -> bool:
        if dimension.startswith(BROADER):
            is_borne = self.bearers((dimension.removeprefix(BROADER), value)) >= HANDFUL
            return is_borne or not _FAMILIES.isdisjoint(self._known.kinds.names(value))
        others = self.bearers((dimension, one))
        is_organisation = dimension == OCCUPATION and self.all_above(value) & _ORGANISATIONS
        if is_organisation or value in unsaid():
            return False
        return self.bearers((dimension, value)) > max(HANDFUL - 1, others)

    def all_above(self, qid: str) -> frozenset[str]:
        """Return a class and all that lies above it, borne or not."""
        if qid not in self._all_above:
            ahead = [qid]
            for one in ahead:  # grows while it is walked
                ahead += [value for value in self._values(one, SUBCLASS) if value not in ahead]
            self._all_above[qid] = frozenset(ahead)
        return self._all_above[qid]

    def bearers(self, facet: Facet) -> int:
        """Return how many items bear a class or an occupation directly."""
        if facet not in self._bearers:
            pid, value = facet
            self._bearers[facet] = len(self._known.statements.subjects(value, pid))
        return self._bearers[facet]

    def own_names(self, facet: Facet) -> tuple[str, ...]:
        """Return the names of a class or an occupation that no other one has, its label first.

        Wikidata calls an author "writer", and a composer "bass player", among others.
        """
        pid, value = facet
        label, *others = self._names(value) or ("",)
        own = (name for name in others if self.called(pid).get(fold(name)) == value)
        said = _tables()["said"].get(value, label)
        return (said, *(name for name in own if name != said and _is_noun(name, said)))

    def called(self, pid: str) -> Mapping[str, str]:
        """Return the classes or occupations by their names that are no other one's.

        Those count that a handful of items bear.
        """
        if pid not in self._by_name:
            labels: dict[str, set[str]] = {}
            aliases: dict[str, set[str]] = {}
            counted = Counter(value for _, value in self._known.statements.pairs(pid))
            for one in (value for value, count in counted.items() if count >= HANDFUL):
                for n, name in enumerate(self._names(one)):
                    (aliases if n else labels).setdefault(fold(name), set()).add(one)
            owners = aliases | labels  # a label comes before what others are called, too
            self._by_name[pid] = {name: min(of) for name, of in owners.items() if len(of) == 1}
        return self._by_name[pid]

    def _names(self, qid: str) -> tuple[str, ...]:
        labels = self._known.labels
        label = labels.label(qid)
        return (label, *labels.aliases(qid)) if label else ()


def _is_noun(alias: str, label: str) -> bool:
    """Tell whether an alias of a class is one thing of it as the label is: no plural, no name.

    Nor is what the label begins with: an animated film is called "animated".
    """
    is_plural = alias.endswith("s") and not label.endswith("s")
    is_cut = label.startswith(f"{alias} ")
    is_alike = alias[:1].islower() == label[:1].islower()
    return is_alike and not is_plural and not is_cut and "(" not in alias and "." not in alias
