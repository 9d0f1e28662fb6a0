"""Link the gold answers of a question to items, all together.

A file lists the names of one answer ("politician", "political leader", "pol") as it lists several
answers. So the names vote: "pol" alone names Poland, but two other names of the list are those of
an item that the store states.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.levels.profiles import PERSON
from kgbuild.datasets.granola.question_files import Answer, parts
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import Relation
from kgbuild.store.labels import Nearness
from kgbuild.wikidata import number

Items = Callable[[Answer], Mapping[str, Nearness]]
"""Returns the items that an answer of a file may mean: by its id, or else by its name."""
_SEVERAL = 2
"""Number of texts that must name the same item to count as its names."""


class GoldLinks:
    """Links the answers of files to items."""

    def __init__(self, knowledge: Knowledge, facts: RelationFacts, items: Items):
        self._knowledge = knowledge
        self._facts = facts
        self._items = items

    def linked(
        self, answers: Sequence[Answer], relation: Relation, subject: str | None
    ) -> list[Answer]:
        """Return the answers in their order, with their items if the store has them.

        The values of the subject come first, then items that most texts name. If several texts
        name one item, the list has the names of items, and a text that names none of them is a
        further name of the item before it. Else a text may be the label of another item that has
        the relation or a fitting kind; an alias is no evidence. A text with several values of the
        subject is several answers, and the surname of one of them is that value.
        """
        if relation.object_kinds == DATE:
            return [Answer(answer.text, None) for answer in answers]
        values = self._facts.values(subject, relation) if subject else {}
        answers = [part for answer in answers for part in self._parts(answer, values)]
        named = [self._possible(answer, relation, subject, values) for answer in answers]
        texts = [fold(answer.text) for answer in answers]
        votes = Counter(
            qid for items in dict(zip(texts, named, strict=True)).values() for qid in items
        )
        chosen: list[str | None] = []
        for answer, items in zip(answers, named, strict=True):
            agreed = [qid for qid in items if answer.qid or qid in values]
            if not values.keys() & votes:
                agreed = agreed or [qid for qid in items if votes[qid] >= _SEVERAL]
            ranked = sorted(agreed, key=lambda qid: (-votes[qid], items[qid], number(qid)))
            chosen.append(ranked[0] if ranked else None)
        pairs = {*zip(texts, chosen, strict=True)}
        uses = Counter(qid for _, qid in pairs if qid)
        if uses and max(uses.values()) >= _SEVERAL:
            chosen = _with_names(chosen)
        else:
            chosen = [
                qid or self._by_surname(answer, values) or self._by_label(items, relation)
                for answer, qid, items in zip(answers, chosen, named, strict=True)
            ]
        label = self._knowledge.labels.label
        return [
            Answer(answer.text or (qid and label(qid)) or "", qid)
            for answer, qid in zip(answers, chosen, strict=True)
        ]

    def _parts(self, answer: Answer, values: Mapping[str, object]) -> list[Answer]:
        """Return the answers in a text such as "Ann Lee, Bo Ray", if each is a value."""
        several = parts(answer)
        of_parts = [{*self._items(part)} & values.keys() for part in several]
        are_values = all(of_parts) and len(set[str]().union(*of_parts)) >= len(several)
        return several if are_values else [answer]

    def _by_surname(self, answer: Answer, values: Mapping[str, object]) -> str | None:
        """Return the only person among some values who has a text as the last name, or None."""
        if answer.qid or " " in answer.text.strip():
            return None
        label, kinds = self._knowledge.labels.label, self._knowledge.kinds
        bearers = [
            qid
            for qid in values
            if PERSON in kinds.names(qid)
            and fold(label(qid) or "").rpartition(" ")[2] == fold(answer.text)
        ]
        return bearers[0] if len(bearers) == 1 else None

    def item(self, answer: Answer, relation: Relation) -> str | None:
        """Return the item that an answer without a subject names, or None.

        Labels take precedence over aliases, then items that have the relation or a fitting kind,
        then the smallest id.
        """
        items = self._possible(answer, relation, None, {})

        def rank(qid: str) -> tuple[bool, bool, bool, Nearness, int]:
            near, is_value = items[qid], self._facts.is_value(qid, relation)
            is_of_kind = self._is_of_kind(qid, relation)
            return near.is_alias, not is_value, not is_of_kind, near, number(qid)

        return min(items, key=rank, default=None)

    def _possible(
        self, answer: Answer, relation: Relation, subject: str | None, values: Mapping[str, object]
    ) -> dict[str, Nearness]:
        """Return the items that an answer may mean, without those of an unfitting kind.

        A person is no place of birth, unless the store says so; an id is not checked.
        """
        accepts_all = any(not catalog().kinds[name].classes for name in relation.object_kinds)

        def is_possible(qid: str) -> bool:
            is_evident = accepts_all or qid in values or self._facts.is_value(qid, relation)
            has_kind = self._knowledge.kinds.names(qid)
            return is_evident or not has_kind or self._is_of_kind(qid, relation)

        items = self._items(answer)
        return {
            qid: near
            for qid, near in items.items()
            if answer.qid or (qid != subject and is_possible(qid))
        }

    def _by_label(self, items: Mapping[str, Nearness], relation: Relation) -> str | None:
        """Return the only item with a text as its label, or None if there are several.

        Items that are values of the relation take precedence, then items of a fitting kind.
        """
        labelled = [qid for qid, near in items.items() if not near.is_alias]
        values = [qid for qid in labelled if self._facts.is_value(qid, relation)]
        fitting = [qid for qid in labelled if self._is_of_kind(qid, relation)]
        best = values or fitting or labelled
        return best[0] if len(best) == 1 else None

    def _is_of_kind(self, qid: str, relation: Relation) -> bool:
        return not {*relation.object_kinds}.isdisjoint(self._knowledge.kinds.names(qid))


def _with_names(chosen: Sequence[str | None]) -> list[str | None]:
    """Return items with the item before it, else the first one, in the place of None."""
    item = next(filter(None, chosen))
    filled: list[str | None] = []
    for qid in chosen:
        item = qid or item
        filled.append(item)
    return filled
