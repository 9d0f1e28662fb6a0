"""Read the statements of all ranks in a graph for many items at a time.

A request for values that were not read yet returns nothing and is recorded. ``read`` then reads all
recorded values with few queries. A caller evaluates its rules repeatedly, until nothing is missing,
so the number of queries depends on the number of rounds, not on the number of items.
"""

from kgbuild.store.oxigraph import Graph
from kgbuild.wikidata import number

_VALUES, _SUBJECTS = "ranked_values", "ranked_subjects"


class RankedStatements:
    """The statements of a graph between items, whatever their rank."""

    def __init__(self, graph: Graph):
        self._graph = graph
        # By query, item and property; the keys of ``_missing`` were requested, but not read.
        self._results: dict[tuple[str, str, str], list[str]] = {}
        self._missing: dict[str, dict[tuple[str, str], None]] = {_VALUES: {}, _SUBJECTS: {}}
        self._unknown: set[tuple[str, str]] = set()

    def values(self, qid: str, pid: str) -> list[str]:
        """Return the values of a property of an item; [] if they were not read yet."""
        return self._items(_VALUES, qid, pid)

    def subjects(self, qid: str, pid: str) -> list[str]:
        """Return the items whose property has an item as a value; [] if not read yet."""
        return self._items(_SUBJECTS, qid, pid)

    def holds(self, subject: str, pid: str, value: str) -> bool:
        """Return whether there is a statement; False if it was not read yet."""
        return value in self.values(subject, pid)

    def has_unknown_value(self, qid: str, pid: str) -> bool:
        """Return whether the value of a property of an item is marked as unknown in Wikidata."""
        return (qid, pid) in self._unknown

    def read(self) -> bool:
        """Read the values that were requested since the last call; return whether there were any.

        Raises:
            KgbuildError: the graph does not answer. The next call tries again.
        """
        for query, missing in self._missing.items():
            rows = self._graph.select(query, item=[*missing]) if missing else ()
            items: dict[tuple[str, str], set[str]] = {key: set() for key in missing}
            for qid, pid, value in rows:
                if value and value.kind == "item" and (qid, pid) in items:
                    items[qid, pid].add(value.text)
                elif value and value.kind == "unknown":
                    self._unknown.add((qid, pid))
            self._results |= {(query, *key): sorted(items[key], key=number) for key in items}
        was_missing = any(self._missing.values())
        self._missing = {query: {} for query in self._missing}
        return was_missing

    def _items(self, query: str, qid: str, pid: str) -> list[str]:
        if (query, qid, pid) not in self._results:
            self._missing[query][qid, pid] = None
        return self._results.get((query, qid, pid), [])
