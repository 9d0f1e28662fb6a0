"""Find the items that passages are about, and the statements that join two of them."""

import re

from kgbuild.catalog import Catalog
from kgbuild.datasets.syn_qa.hotpotqa.kinds import kind_of
from kgbuild.datasets.syn_qa.hotpotqa.passages import Passage
from kgbuild.datasets.syn_qa.hotpotqa.text import plain, stems, words
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Evidence

_LANGUAGE = "en"
"""The language of HotpotQA."""
_YEAR = re.compile(r"\b[12][0-9]{3}\b")
_LETTERS = re.compile(r"[^\W\d_]+")


class Linker:
    """Links passages to the items of a store; each title is looked up once."""

    def __init__(self, knowledge: Knowledge, catalog: Catalog):
        self._knowledge = knowledge
        self._catalog = catalog
        self._items: dict[str, str | None] = {}

    def link(self, passage: Passage) -> str | None:
        """Return the item that a passage is about, or None if none or several fit.

        Its label or alias is the title, with or without the addition in brackets, and its
        description does not contradict the passage. Of namesakes it is the one whose description
        and classes share most words with the title and the first sentence, then one whose label
        it is.
        """
        if passage.title not in self._items:
            self._items[passage.title] = self._find(passage)
        return self._items[passage.title]

    def _find(self, passage: Passage) -> str | None:
        ranks: dict[str, tuple[int, bool]] = {}
        for name in dict.fromkeys((passage.title, passage.name)):
            for qid, matched, _, description, _ in self._knowledge.graph.select(
                "entity_lookup", name=(name, _LANGUAGE), language=_LANGUAGE
            ):
                rank = self._agreement(passage, qid, description or ""), matched == "label"
                ranks[qid] = max(ranks.get(qid, (0, False)), rank)
        best = max(ranks.values(), default=(0, False))
        fitting = [qid for qid, rank in ranks.items() if rank == best and rank[0] > 0]
        return fitting[0] if len(fitting) == 1 else None

    def _agreement(self, passage: Passage, qid: str, description: str) -> int:
        """Return how many words agree; 0 if the kind, a year or the addition contradicts."""
        kinds, kind = self._knowledge.kinds.names(qid), kind_of(description)
        is_person = "person" in kinds
        if passage.kind and is_person != (passage.kind == "person"):
            return 0
        if not is_person and passage.kind and kind and kind != passage.kind:
            return 0
        labels = self._knowledge.labels
        classes = self._knowledge.statements.values(qid, "P31")
        names = (labels.label(one) or "" for one in classes)
        described = stems(words(" ".join((description, *names))))
        if set(_YEAR.findall(description)) - set(passage.text.words):
            return 0
        addition = stems(_LETTERS.findall(plain(passage.title.removeprefix(passage.name))))
        if addition and not addition & described:
            return 0
        return len(described & passage.lead) + is_person

    def shared(self, one: str, other: str) -> list[tuple[str, str]]:
        """Return the (property, value) that two items share, the rarest first."""
        kinds = (self._catalog.kinds[name] for name in self._knowledge.kinds.names(one))
        similarity = next((kind.similarity for kind in kinds if kind.similarity), ())
        return self._knowledge.similarity.shared_values(one, other, similarity)

    def share_a_kind(self, one: str, other: str) -> bool:
        """Tell whether two items are of one kind; also if the kinds of one are unknown."""
        kinds = [self._knowledge.kinds.names(qid) for qid in (one, other)]
        return not all(kinds) or not set(kinds[0]).isdisjoint(kinds[1])

    def statements(self, one: Passage, other: Passage) -> list[Evidence]:
        """Return the statements that join the items of two passages, in either direction."""
        x, y = self.link(one), self.link(other)
        triples = self._knowledge.statements.between(x, y) if x and y else []
        return [Evidence(*triple) for triple in triples]

    def popularity(self, qid: str | None) -> int:
        """Return how many statements point to an item."""
        return self._knowledge.statements.popularity(qid) if qid else 0
