"""The statements of a graph by any rank, read for many items at a time.

A rule that asks for what was not read yet gets nothing, and it is noted; ``read`` then reads all
that was noted, by few requests. So rules about many items are evaluated again and again until
nothing is missing: each round costs a request, and not each item one.
"""

from kgbuild.store.oxigraph import Graph
from kgbuild.wikidata import number

_VALUES, _SUBJECTS = "ranked_values", "ranked_subjects"


class RankedStatements:
    """The statements of ``graph`` between items: those of the best rank, and all others."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._read: dict[tuple[str, str, str], list[str]] = {}
        self._missing: dict[str, dict[tuple[str, str], None]] = {_VALUES: {}, _SUBJECTS: {}}
        self._unknown: set[tuple[str, str]] = set()

    def values(self, qid: str, pid: str) -> list[str]:
        """Return the values of a property of an item, as far as they were read."""
        return self._items(_VALUES, qid, pid)

    def subjects(self, qid: str, pid: str) -> list[str]:
        """Return the items whose property has an item as a value, as far as they were read."""
        return self._items(_SUBJECTS, qid, pid)

    def holds(self, subject: str, pid: str, value: str) -> bool:
        """Return whether there is a statement, as far as it was read."""
        return value in self.values(subject, pid)

    def has_unknown_value(self, qid: str, pid: str) -> bool:
        """Return whether an item has a value of a property, and nobody knows which."""
        return (qid, pid) in self._unknown

    def read(self) -> bool:
        """Read what was missing since the last time; return whether anything was.

        Raises:
            KgbuildError: the graph does not answer. What is missing stays so.
        """
        for query, missing in self._missing.items():
            rows = self._graph.select(query, item=[*missing]) if missing else ()
            items: dict[tuple[str, str], set[str]] = {key: set() for key in missing}
            for qid, pid, value in rows:
                if value and value.kind == "item" and (qid, pid) in items:
                    items[qid, pid].add(value.text)
                elif value and value.kind == "unknown":
                    self._unknown.add((qid, pid))
            self._read |= {(query, *key): sorted(items[key], key=number) for key in items}
        was_missing = any(self._missing.values())
        self._missing = {query: {} for query in self._missing}
        return was_missing

    def _items(self, query: str, qid: str, pid: str) -> list[str]:
        if (query, qid, pid) not in self._read:
            self._missing[query][qid, pid] = None
        return self._read.get((query, qid, pid), [])
