"""Find the institutions that other institutions are parts of: a college of a university."""

from collections.abc import Collection

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.levels.classes import CLASS, Facet, Proof
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Evidence

WHOLE = "whole"
"""The dimension of the institutions that an item is a part of."""
_PART_OF = ("P361", "P749")
"""Part of, parent organisation."""


class Institutions:
    """The institutions among some items, and the institutions that these are parts of.

    Only an institution that is a possible answer itself counts as a whole, so that neither a league
    of universities nor a ministry is one; nor does a system of a state, as a town is finer than it.
    """

    def __init__(self, items: Collection[str], knowledge: Knowledge):
        self._items = frozenset(items)
        self._values = knowledge.statements.values
        proofs = {item: self._wholes(item) for item in self._items}
        self._by_part = {item: wholes for item, wholes in proofs.items() if wholes}
        self._all_wholes = frozenset(whole for wholes in proofs.values() for whole in wholes)

    def facets(self, item: str) -> dict[Facet, Proof]:
        """Return the facets of an institution that has parts, or is a part; it is one itself."""
        wholes = self._by_part.get(item, {})
        if not wholes and item not in self._all_wholes:
            return {}
        return {(WHOLE, item): (), **{(WHOLE, whole): proof for whole, proof in wholes.items()}}

    def _wholes(self, item: str) -> dict[str, Proof]:
        wholes: dict[str, Proof] = {}
        queue: list[tuple[str, Proof]] = [(item, ())]
        for part, proof in queue:  # grows during the loop
            for pid in _PART_OF:
                for whole in self._values(part, pid):
                    if whole not in (item, *wholes) and self._may_contain(whole):
                        wholes[whole] = (*proof, Evidence(part, pid, whole))
                        queue.append((whole, wholes[whole]))
        return wholes

    def _may_contain(self, item: str) -> bool:
        not_wholes = read_toml("granola", "levels/classes")["not_wholes"].keys()
        return item in self._items and not_wholes.isdisjoint((item, *self._values(item, CLASS)))
