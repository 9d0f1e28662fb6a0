"""Link the gold answers of a question to items, all together.

A file lists the names of one answer ("politician", "political leader", "pol") as it lists several
answers. So the names vote: "pol" alone names Poland, but two other names of the list are those of
an item that the store states.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.files.readings import Readings
from kgbuild.datasets.granola.files.records import FileAnswer
from kgbuild.datasets.granola.relation_facts import DATE
from kgbuild.relations import Relation
from kgbuild.text.index import Items, Nearness
from kgbuild.text.names import likeness
from kgbuild.text.names import parts as words_of
from kgbuild.wikidata import number

_SEVERAL = 2
"""Number of texts that must name the same item to count as its names."""


class GoldLinks:
    """Links the answers of files to items."""

    def __init__(self, readings: Readings):
        self._knowledge = readings.knowledge
        self._facts = readings.facts
        self._readings = readings

    def linked(
        self,
        answers: Sequence[FileAnswer],
        relation: Relation,
        subject: str | None,
        is_backward: bool = False,
    ) -> list[FileAnswer]:
        """Return the answers in their order, with their items if the store has them.

        The values of the subject come first, then items that several texts name. Else a text may be
        the label of another item that has the relation or a fitting kind; an alias is no evidence.
        The surname of one value is that value.
        """
        if relation.object_kinds == DATE and not is_backward:
            return [FileAnswer(answer.text, None) for answer in answers]
        values = self._readings.values(subject, relation, is_backward) if subject else {}
        kinds = relation.subject_kinds if is_backward else relation.object_kinds
        named = [self._possible(a, relation, kinds, subject, values) for a in answers]
        by_text = {tuple(words_of(a.text)): items for a, items in zip(answers, named, strict=True)}
        votes = Counter(qid for items in by_text.values() for qid in items)
        chosen: list[str | None] = []
        for answer, items in zip(answers, named, strict=True):
            agreed = [qid for qid in items if answer.qid or qid in values]
            if not values.keys() & votes:
                agreed = agreed or [qid for qid in items if votes[qid] >= _SEVERAL]
            ranked = sorted((-votes[qid], items[qid], number(qid), qid) for qid in agreed)
            chosen.append(ranked[0][-1] if ranked else self._by_likeness(answer, values))
        texts = {
            (tuple(words_of(a.text)), qid) for a, qid in zip(answers, chosen, strict=True) if qid
        }
        is_aliases = any(n >= _SEVERAL for n in Counter(qid for _, qid in texts).values())
        if not (is_aliases or is_backward):
            chosen = [
                qid or self._by_label(items, relation)
                for items, qid in zip(named, chosen, strict=True)
            ]
        label = self._knowledge.labels.label
        return [
            FileAnswer(answer.text or (qid and label(qid)) or "", qid)
            for answer, qid in zip(answers, chosen, strict=True)
        ]

    def item(self, answer: FileAnswer, relation: Relation) -> str | None:
        """Return the item that an answer without a subject names, or None.

        Labels take precedence over aliases, then items that have the relation or a fitting kind,
        then the smallest id.
        """
        items = self._possible(answer, relation, relation.object_kinds, None, {})

        def rank(qid: str) -> tuple[bool, bool, bool, Nearness, int]:
            near, is_value = items[qid], self._facts.is_value(qid, relation)
            is_of_kind = self._is_of_kind(qid, relation.object_kinds)
            return near.is_alias, not is_value, not is_of_kind, near, number(qid)

        return min(items, key=rank, default=None)

    def _by_likeness(self, answer: FileAnswer, values: Iterable[str]) -> str | None:
        """Return the only value whose label is like a text: a surname, or a name misspelt."""
        words = words_of(answer.text)
        if answer.qid or not words or "," in answer.text:
            return None
        label, kinds = self._knowledge.labels.label, self._knowledge.kinds.names
        bearers = [
            qid
            for qid in values
            if "person" in kinds(qid) and likeness(words, words_of(label(qid) or "")) is not None
        ]
        return bearers[0] if len(bearers) == 1 else None

    def _possible(
        self,
        answer: FileAnswer,
        relation: Relation,
        kinds: Sequence[str],
        subject: str | None,
        values: Mapping[str, object],
    ) -> Items:
        """Return the items that an answer may mean, without those of an unfitting kind.

        A person is no place of birth, unless the store says so; an id is not checked.
        """

        def is_possible(qid: str) -> bool:
            if qid in values:
                return True
            names = self._knowledge.kinds.names(qid)
            is_stated = self._facts.is_value(qid, relation)
            return is_stated or not names or catalog().fits(names, kinds)

        return {
            qid: near
            for qid, near in self._readings.items(answer).items()
            if answer.qid or (qid != subject and is_possible(qid))
        }

    def _by_label(self, items: Items, relation: Relation) -> str | None:
        """Return the only item with a text as its label, or None if there are several.

        Items that are values of the relation take precedence, then items of a fitting kind.
        """
        labelled = [qid for qid, near in items.items() if not near.is_alias]
        values = [qid for qid in labelled if self._facts.is_value(qid, relation)]
        fitting = [qid for qid in labelled if self._is_of_kind(qid, relation.object_kinds)]
        best = values or fitting or labelled
        return best[0] if len(best) == 1 else None

    def _is_of_kind(self, qid: str, kinds: Sequence[str]) -> bool:
        return not {*kinds}.isdisjoint(self._knowledge.kinds.names(qid))
