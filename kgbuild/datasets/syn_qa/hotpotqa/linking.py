"""Find the items that passages are about, and the statements that join two items."""

import functools
import re

from kgbuild.catalog import Catalog
from kgbuild.datasets.syn_qa.hotpotqa.kinds import kind_of
from kgbuild.datasets.syn_qa.hotpotqa.passages import Passage
from kgbuild.datasets.syn_qa.hotpotqa.text import stems, words
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Evidence
from kgbuild.store.labels import Spellings
from kgbuild.text.index import NameIndex

_YEAR = re.compile(r"\b[12][0-9]{3}\b")
_LETTERS = re.compile(r"[^\W\d_]+")


class Linker:
    """Links passages to the items of a store; ``link`` looks each passage up once."""

    def __init__(self, knowledge: Knowledge, names: Spellings, catalog: Catalog):
        self._index = NameIndex(knowledge, names)
        self._knowledge = knowledge
        self._catalog = catalog
        self.link = functools.cache(self._link)

    def _link(self, passage: Passage) -> str | None:
        """Return the item that a passage is about; None if no item or several items match.

        The title is a label or an alias of the item, with or without the addition in brackets, and
        the description does not contradict the passage. Among several items, the number of words
        that description and classes share with the title and the first sentence decides, then a
        label is preferred to an alias.
        """
        # By item id: the number of common words, and whether the name is its label.
        ranks: dict[str, tuple[int, bool]] = {}
        names = ([passage.title], [passage.name])
        for items in self._index.read(names):
            for qid, near in items.items():
                rank = self._agreement(passage, qid), not near.is_alias
                ranks[qid] = max(ranks.get(qid, (0, False)), rank)
        best = max(ranks.values(), default=(0, False))
        agreement, _ = best
        matches = [qid for qid, rank in ranks.items() if rank == best and agreement > 0]
        return matches[0] if len(matches) == 1 else None

    def _agreement(self, passage: Passage, qid: str) -> int:
        """Return the number of common words; 0 if the kind, a year or the addition contradicts."""
        description = self._knowledge.labels.description(qid) or ""
        is_person = self._index.is_person(qid)
        described_kind = kind_of(description)
        if passage.kind and is_person != (passage.kind == "person"):
            return 0
        if not is_person and passage.kind and described_kind not in (None, passage.kind):
            return 0
        labels = self._knowledge.labels
        classes = self._knowledge.statements.values(qid, "P31")
        class_labels = (labels.label(class_qid) or "" for class_qid in classes)
        item_stems = stems(words(" ".join((description, *class_labels))))
        if set(_YEAR.findall(description)) - set(passage.text.words):
            return 0
        addition = stems(_LETTERS.findall(fold(passage.title.removeprefix(passage.name))))
        if addition and not addition & item_stems:
            return 0
        return len(item_stems & passage.lead) + is_person

    def shared_values(self, first: str, second: str) -> list[tuple[str, str]]:
        """Return the pairs of property and value that two items share, the rarest first."""
        kinds = (self._catalog.kinds[name] for name in self._knowledge.kinds.names(first))
        properties = next((kind.similarity for kind in kinds if kind.similarity), ())
        return self._knowledge.similarity.shared_values(first, second, properties)

    def statements(self, first: Passage, second: Passage) -> list[Evidence]:
        """Return the statements that join the items of two passages, in either direction."""
        x, y = self.link(first), self.link(second)
        triples = self._knowledge.statements.between(x, y) if x and y else []
        return [Evidence(*triple) for triple in triples]

    def popularity(self, qid: str | None) -> int:
        """Return the number of statements that point to an item."""
        return self._knowledge.statements.popularity(qid) if qid else 0
