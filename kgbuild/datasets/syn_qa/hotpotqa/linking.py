"""Find the items that passages are about, and what the store says of two of them."""

import re

from kgbuild.catalog import Catalog
from kgbuild.datasets.syn_qa.hotpotqa.passages import Passage, kind_of, plain, stems, words
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Evidence

_LANGUAGE = "en"
"""The language of HotpotQA."""
_YEAR = re.compile(r"\b[12][0-9]{3}\b")
_LETTERS = re.compile(r"[^\W\d_]+")


class Linker:
    """Links passages to the items of a store; each title is looked up once."""

    def __init__(self, known: Knowledge, catalog: Catalog):
        self._known = known
        self._catalog = catalog
        self._linked: dict[str, str | None] = {}

    def link(self, passage: Passage) -> str | None:
        """Return the item that a passage is about, or None if none is, or one of several.

        It has the title, with or without the addition in brackets, as its label or alias, and
        nothing in its description speaks against it. Of namesakes that one is meant of whose
        description and classes most words stand in the title and the first sentence, then one
        of which it is the label.
        """
        if passage.title not in self._linked:
            self._linked[passage.title] = self._find(passage)
        return self._linked[passage.title]

    def _find(self, passage: Passage) -> str | None:
        ranked: dict[str, tuple[int, bool]] = {}
        for name in dict.fromkeys((passage.title, passage.name)):
            for qid, matched, _, description, _ in self._known.graph.select(
                "entity_lookup", name=(name, _LANGUAGE), language=_LANGUAGE
            ):
                said = self._agreement(passage, qid, description or "")
                ranked[qid] = max(ranked.get(qid, (0, False)), (said, matched == "label"))
        best = max(ranked.values(), default=(0, False))
        meant = [qid for qid, rank in ranked.items() if rank == best and rank[0] > 0]
        return meant[0] if len(meant) == 1 else None

    def _agreement(self, passage: Passage, qid: str, description: str) -> int:
        """Return how many words agree; 0 if the kind, a year or the addition does not."""
        kinds, kind = self._known.kinds.names(qid), kind_of(description)
        is_person = "person" in kinds
        if passage.kind and is_person != (passage.kind == "person"):
            return 0
        if not is_person and passage.kind and kind and kind != passage.kind:
            return 0
        classes = (self._known.labels.label(c) or "" for c in self._known.kinds.classes(qid))
        said = stems(words(" ".join((description, *classes))))
        if set(_YEAR.findall(description)) - set(passage.text.words):
            return 0
        addition = stems(_LETTERS.findall(plain(passage.title.removeprefix(passage.name))))
        if addition and not addition & said:
            return 0
        return len(said & passage.lead) + is_person

    def shared(self, one: str, other: str) -> list[tuple[str, str]]:
        """Return the (property, value) that two items of a kind share, the rarest first."""
        kinds = (self._catalog.kinds[name] for name in self._known.kinds.names(one))
        similarity = next((kind.similarity for kind in kinds if kind.similarity), ())
        return self._known.similarity.shared_values(one, other, similarity)

    def may_stand_for(self, one: str, other: str) -> bool:
        """Tell whether two items are of one kind, as far as the store knows of what kinds."""
        kinds = [self._known.kinds.names(qid) for qid in (one, other)]
        return not all(kinds) or not set(kinds[0]).isdisjoint(kinds[1])

    def says(self, one: str | None, other: str | None) -> list[Evidence]:
        """Return the statements about two items, whichever is the subject."""
        if one is None or other is None:
            return []
        return [Evidence(*triple) for triple in self._known.statements.between(one, other)]

    def popularity(self, qid: str | None) -> int:
        """Return how many statements point to an item."""
        return self._known.statements.popularity(qid) if qid else 0
