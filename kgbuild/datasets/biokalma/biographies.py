"""Pairs of subjects from sentences that people wrote: appendix A.1 and A.2 of the paper."""

import itertools
import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kgbuild.catalog import Catalog
from kgbuild.datasets.biokalma.minimal import Minimality, Triple
from kgbuild.datasets.biokalma.pairs import PEOPLE, Pairs
from kgbuild.english.normalize import fold
from kgbuild.rows import Rejected, Rejection
from kgbuild.store.labels import Names, Nearness, named
from kgbuild.store.oxigraph import Graph

_FIELDS = ("sentence", "head", "relation", "tail")


class Biography(NamedTuple):
    """A sentence, and the two whom it speaks of: ``head`` stands in ``relation`` to ``tail``."""

    line: int
    sentence: str
    head: str
    relation: str
    tail: str

    @property
    def candidate(self) -> str:
        """The name of the line among what is left out."""
        return f"line {self.line}: {self.head} {self.relation} {self.tail}"


def read(lines: Iterable[str]) -> tuple[list[Biography], list[Rejection]]:
    """Read JSON Lines with a sentence, a head, a relation and a tail; empty lines are passed over.

    What is no such line is among the rejections.
    """
    found: list[Biography] = []
    rejections: list[Rejection] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append(_biography(number, line))
        except Rejected as rejected:
            rejections.append(rejected.rejection(f"line {number}"))
    return found, rejections


def _biography(number: int, line: str) -> Biography:
    try:
        record = json.loads(line)
        json.dumps(record, ensure_ascii=False).encode()  # half a character is none
    except (ValueError, RecursionError) as error:
        raise Rejected("wrong JSON", str(error)) from error
    if not isinstance(record, dict):
        raise Rejected("wrong JSON", "no object")
    texts = {name: record.get(name) for name in _FIELDS}
    lacking = [
        name for name, text in texts.items() if not isinstance(text, str) or not text.strip()
    ]
    if lacking:
        raise Rejected("incomplete", ", ".join(lacking))
    return Biography(number, *(" ".join(str(text).split()) for text in texts.values()))


class Resolver:
    """Finds the two whom a sentence speaks of: of one class, and joined by its relation."""

    def __init__(
        self, graph: Graph, names: Names, pairs: Pairs, catalog: Catalog, minimality: Minimality
    ):
        self._graph = graph
        self._names = names
        self._pairs = pairs
        self._minimality = minimality
        known = [one for one in pairs.relations.values() if not one.via]
        self._relations = {fold(name): one.pid for one in known for name in (one.pid, one.label)}

    def statement(self, told: Biography) -> Triple:
        """Return the store's statement that joins the two.

        Raises:
            Rejected: there is none, or several.
        """
        pid = self._relations.get(fold(told.relation))
        if pid is None:
            raise Rejected("unknown relation", told.relation)
        heads, tails = self._bearing(told.head), self._bearing(told.tail)
        found = {
            statement: max(heads[head], tails[tail])
            for head, tail in itertools.product(heads, tails)
            for statement in self._joining(head, pid, tail)
        }
        if not found:
            raise Rejected("not joined", f"{len(heads)} and {len(tails)} items of these names")
        nearest = min(found.values())
        best = [one for one, nearness in found.items() if nearness == nearest]
        if len(best) > 1:
            raise Rejected("ambiguous", "; ".join(" ".join(one) for one in best))
        self._pairs.check_names(*best[0][::2])
        return best[0]

    def _bearing(self, name: str) -> dict[str, Nearness]:
        """Return the items of the class that bear a name, with how near it comes to theirs."""
        if self._pairs.of_class == PEOPLE and " " not in name:
            raise Rejected("incomplete name", name)
        found = named(self._graph, self._names, name)
        bearing = {qid: near for qid, near in found.items() if qid in self._pairs.members}
        if not bearing:
            raise Rejected("unknown name", name)
        return bearing

    def _joining(self, head: str, pid: str, tail: str) -> Iterator[Triple]:
        """Yield the statement that joins two by a relation, or the one from which that follows."""
        wanted = (head, pid, tail)
        stated = self._pairs.statements.between(head, tail)
        if wanted in stated:
            yield wanted
        else:
            yield from itertools.islice(
                (
                    one
                    for one in stated
                    if one[1] in self._pairs.relations and self._minimality.follows(wanted, [one])
                ),
                1,
            )
