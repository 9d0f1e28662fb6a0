"""Find the classes and occupations of items, their hierarchy and their names."""

import functools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from kgbuild import wikidata
from kgbuild.data_files import read_toml
from kgbuild.datasets.granola.levels.descriptions import DESCRIPTION, Descriptions, position
from kgbuild.english.normalize import fold
from kgbuild.graph.hierarchy import above
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Evidence

Facet: TypeAlias = tuple[str, str]
"""A dimension, such as place or occupation, and a value in it: ("place", "Q90"), ("P31", "Q5")."""
Proof: TypeAlias = tuple[Evidence, ...]
"""The triples that lead from an item to one of its facets."""

CLASS, OCCUPATION = "P31", "P106"
"""The dimensions of classes and occupations: the properties whose values they are."""
BROADER = "broader than by "
"""Prefix of the dimension of classes that are answers: "broader than by P103" for languages."""
MIN_ITEMS = 5
"""Minimum number of items of a usual class or occupation; answers contain no others."""
_SUBCLASS = "P279"
SEX, WOMAN = "P21", "Q6581072"
_FEMALE = re.compile(r"(?:(?<!in)ess|woman)$")
"""How female names of occupations end: actress, sportswoman, but not business."""
_MALE_FORM = re.compile(r"\bactor\b")
_FAMILIES = {"language", "family"}
"""Kinds of language families, which are the language of no item."""
FIELDS = {"TV", "cinema", "film", "movie", "radio", "stage", "television", "theater", "theatre"}
"""Words that stand for a noun that follows: "film and television actor"."""
_TABLES = read_toml("datasets/granola/levels/classes.toml")
_ANY_PLAYER = {"player", "football player", "footballer"}
"""Other names of association football players that others end with: "ice hockey player"."""


def reached(start: str, steps: Callable[[str], Iterable[tuple[str, Proof]]]) -> dict[str, Proof]:
    """Return an item and all to which steps lead from it, the nearest first, with their proofs."""
    proofs: dict[str, Proof] = {start: ()}
    queue = [start]
    for one in queue:  # grows during the loop: breadth first
        for target, proof in steps(one):
            if target not in proofs:
                proofs[target] = proofs[one] + proof
                queue.append(target)
    return proofs


class Classes:
    """The classes (P31) and occupations (P106) of items, and their hierarchy and names."""

    def __init__(self, knowledge: Knowledge, descriptions: Descriptions):
        self._knowledge = knowledge
        self._descriptions = descriptions
        self._values = knowledge.statements.values
        self.superclasses = functools.cache(self._read_superclasses)
        self.closure = functools.cache(self._read_closure)
        self.count = functools.cache(self._read_count)
        self.by_name = functools.cache(self._read_by_name)

    def _read_superclasses(self, qid: str, dimension: str) -> Mapping[str, Proof]:
        """Return the usual superclasses of a class, the nearest first, with their triples.

        A superclass is usual if more items have it directly than the class below it. So abstract
        classes ("entity", "legal form") are left out, and there are no circles. In a ``BROADER``
        dimension, a superclass is usual if at least ``MIN_ITEMS`` items have it, or if it is a
        language family.
        """

        def steps(subclass: str) -> Iterator[tuple[str, Proof]]:
            for superclass in self._values(subclass, _SUBCLASS):
                if self._is_usual(dimension, subclass, superclass):
                    yield superclass, (Evidence(subclass, _SUBCLASS, superclass),)

        proofs = reached(qid, steps)
        del proofs[qid]
        return proofs

    def _is_usual(self, dimension: str, qid: str, superclass: str) -> bool:
        """Return whether a superclass of the class ``qid`` is usual: see ``superclasses``."""
        if dimension.startswith(BROADER):
            count = self.count((dimension.removeprefix(BROADER), superclass))
            is_family = not _FAMILIES.isdisjoint(self._knowledge.kinds.names(superclass))
            return count >= MIN_ITEMS or is_family
        if superclass in _TABLES["ignored"] or superclass in _TABLES["not_above"].get(qid, ()):
            return False
        return self.count((dimension, superclass)) > max(
            MIN_ITEMS - 1, self.count((dimension, qid))
        )

    def _read_closure(self, qid: str) -> frozenset[str]:
        """Return a class and all its superclasses, usual or not."""
        return above(self._knowledge.statements, qid, [_SUBCLASS]) | {qid}

    def implied(self, qid: str) -> frozenset[str]:
        """Return a class and all its superclasses that are true of all of its items."""
        return self.closure(qid).difference(_TABLES["not_above"].get(qid, ()))

    def stated(self, qid: str) -> frozenset[str]:
        """Return the classes of an item by its statements, and all their superclasses."""
        return frozenset[str]().union(*map(self.closure, self._values(qid, CLASS)))

    def all_of(self, qid: str) -> frozenset[str]:
        """Return the classes of an item by statements or description, and all superclasses."""
        direct = self.direct(qid, CLASS)
        return frozenset[str]().union(*(self.closure(value) for _, value in direct))

    def _read_count(self, facet: Facet) -> int:
        """Return the number of items that have a class or an occupation directly."""
        pid, value = facet
        return len(self._knowledge.statements.subjects(value, pid))

    def names(self, facet: Facet) -> tuple[str, ...]:
        """Return the usual name of a class or occupation, and aliases that no other class has.

        In Wikidata, "writer" is also an alias of author, so it is not a name of author.
        """
        pid, value = facet
        label, *aliases = self._labels(value) or ("",)
        unique = (name for name in aliases if self.by_name(pid).get(fold(name)) == value)
        usual = _TABLES["usual"].get(value, label)
        return (usual, *(name for name in unique if name != usual and _is_noun(name, usual)))

    def _read_by_name(self, pid: str) -> Mapping[str, str]:
        """Return the classes or occupations that at least ``MIN_ITEMS`` items have, by name.

        Ambiguous names are left out; a label takes precedence over aliases.
        """
        labels: dict[str, set[str]] = {}
        aliases: dict[str, set[str]] = {}
        values = np.unique(self._knowledge.statements.numbers(pid).values, return_counts=True)
        for number in values[0][values[1] >= MIN_ITEMS].tolist():
            qid = f"Q{number}"
            for n, name in enumerate(self._labels(qid)):
                qids_by_name = aliases if n else labels  # the label comes first
                qids_by_name.setdefault(fold(name), set()).add(qid)
        return {name: min(qids) for name, qids in (aliases | labels).items() if len(qids) == 1}

    def _labels(self, qid: str) -> tuple[str, ...]:
        """Return the label and the aliases of an item; an empty tuple without a label."""
        labels = self._knowledge.labels
        label = labels.label(qid)
        return (label, *labels.aliases(qid)) if label else ()

    def direct(self, qid: str, pid: str) -> dict[Facet, Evidence]:
        """Return the direct classes (P31) or occupations (P106) of an item.

        Occupations in the description are added if the statements lack its first one, classes if
        there are no statements.
        """
        stated = self._values(qid, pid)
        by_statement = {(pid, value): Evidence(qid, pid, value) for value in stated}
        description = self._descriptions.read(qid)
        if not description or (by_statement and pid != OCCUPATION):
            return by_statement
        evidence = Evidence(qid, DESCRIPTION, description.text)
        described = self.described(description.nouns, pid)
        added = () if described and described[0] in stated else described
        return {**{(pid, value): evidence for value in added}, **by_statement}

    def described(self, nouns: Sequence[str], pid: str) -> list[str]:
        """Return the classes or occupations that the nouns of a description name."""
        values = [value for noun in nouns if (value := self._by_last_words(noun, pid))]
        return values + (_by_titles(nouns) if pid == OCCUPATION else [])

    def with_superclasses(self, direct: Mapping[Facet, Evidence]) -> dict[Facet, Proof]:
        """Return classes or occupations with their usual superclasses, and their triples."""
        facets: dict[Facet, Proof] = {}
        for (pid, value), evidence in direct.items():
            facets.setdefault((pid, value), (evidence,))
            for superclass, proof in self.superclasses(value, pid).items():
                facets.setdefault((pid, superclass), (evidence, *proof))
        return facets

    def ranked(self, qid: str, direct: Iterable[Facet]) -> tuple[tuple[Facet, ...], int]:
        """Return the usual classes or occupations in order, and the number of described ones.

        Facets with a name in the description come first, in its order; then the most common.
        """
        usual = [
            facet
            for facet in direct
            if self.count(facet) >= MIN_ITEMS and facet[1] not in _TABLES["ignored"]
        ]
        description = self._descriptions.read(qid)
        titles = _by_titles(description.nouns) if description else ()
        positions = {
            facet: 0.0 if facet[1] in titles else self.position(qid, self.names(facet))
            for facet in usual
        }

        def rank(facet: Facet) -> tuple[float, int, int]:
            return positions[facet], -self.count(facet), wikidata.number(facet[1])

        described_count = sum(position < math.inf for position in positions.values())
        return tuple(sorted(usual, key=rank)), described_count

    def female_noun(self, qid: str, facet: Facet) -> tuple[str, Evidence] | None:
        """Return the female name of a person's occupation, such as "actress", and its proof.

        There is one if the description has it, or if the person is female and the description
        lacks the usual name. An actress may be an actor in her description, as some style guides
        demand.
        """
        usual, *aliases = self.names(facet)
        noun = min((name for name in aliases if _FEMALE.search(name)), key=len, default=None)
        if noun and self.position(qid, [noun]) < math.inf:
            return noun, Evidence(qid, DESCRIPTION, self._knowledge.labels.description(qid) or "")
        is_said = noun and (
            _MALE_FORM.sub("actress", usual) == noun or self.position(qid, [usual]) == math.inf
        )
        if noun and is_said and WOMAN in self._values(qid, SEX):
            return noun, Evidence(qid, SEX, WOMAN)
        return None

    def position(self, qid: str, names: Iterable[str]) -> float:
        """Return the position of the first of ``names`` in the description, or infinity.

        An answer in words alone has no id, and so no description.
        """
        text = self._knowledge.labels.description(qid) if qid else None
        return position(text or "", names)

    def _by_last_words(self, noun: str, pid: str) -> str | None:
        """Return the class or occupation whose name is the longest ending of a noun."""
        words, by_name = fold(noun).split(), self.by_name(pid)
        endings = (" ".join(words[start:]) for start in range(len(words)))
        qids = (
            by_name[ending]
            for ending in endings
            if ending in by_name and (ending not in _ANY_PLAYER or ending == fold(noun))
        )
        return next(qids, None)


def _by_titles(nouns: Iterable[str]) -> list[str]:
    """Return the occupations of the titles in a description: a president is a politician."""
    titles = _TABLES["titles"]
    folded = [noun.casefold() for noun in nouns]
    return [titles[title] for title in titles for noun in folded if noun.endswith(title)]


def _is_noun(alias: str, label: str) -> bool:
    """Return whether an alias is a noun like the label, not a plural, name or abbreviation.

    The beginning of a label is not a noun either: "animated" is an alias of "animated film".
    """
    is_plural = alias.endswith("s") and not (alias.endswith("ss") or label.endswith("s"))
    is_cut = label.startswith(f"{alias} ")
    has_same_case = alias[:1].islower() == label[:1].islower()
    return has_same_case and not is_plural and not is_cut and "(" not in alias and "." not in alias
