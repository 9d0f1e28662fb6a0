"""Link the gold answers of a question to items."""

from collections.abc import Mapping, Sequence

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.files.readings import Readings
from kgbuild.datasets.granola.files.records import FileAnswer
from kgbuild.datasets.granola.relation_facts import DATE
from kgbuild.relations import Relation
from kgbuild.text.index import Items, Nearness
from kgbuild.wikidata import number


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

        The values of the subject come first. Else a text may be the label of another item that has
        the relation or a fitting kind; an alias is no evidence.
        """
        if relation.object_kinds == DATE and not is_backward:
            return [FileAnswer(answer.text, None) for answer in answers]
        values = self._readings.values(subject, relation, is_backward) if subject else {}
        kinds = relation.subject_kinds if is_backward else relation.object_kinds
        label = self._knowledge.labels.label
        linked = []
        for answer in answers:
            items = self._possible(answer, kinds, subject, values)
            agreed = [qid for qid in items if answer.qid or qid in values]
            qid = min(agreed, key=lambda one: (items[one], number(one)), default=None)
            if qid is None and not is_backward:
                qid = self._by_label(items, relation)
            linked.append(FileAnswer(answer.text or (qid and label(qid)) or "", qid))
        return linked

    def item(self, answer: FileAnswer, relation: Relation) -> str | None:
        """Return the item that an answer without a subject names, or None.

        Labels take precedence over aliases, then items that have the relation or a fitting kind,
        then the smallest id.
        """
        items = self._possible(answer, relation.object_kinds, None, {})

        def rank(qid: str) -> tuple[bool, bool, bool, Nearness, int]:
            near, is_value = items[qid], self._facts.is_value(qid, relation)
            is_of_kind = self._is_of_kind(qid, relation.object_kinds)
            return near.is_alias, not is_value, not is_of_kind, near, number(qid)

        return min(items, key=rank, default=None)

    def _possible(
        self,
        answer: FileAnswer,
        kinds: Sequence[str],
        subject: str | None,
        values: Mapping[str, object],
    ) -> Items:
        """Return the items that an answer may mean, without those of an unfitting kind.

        A person is no place of birth, unless the store says so; an id is not checked.
        """

        def is_possible(qid: str) -> bool:
            names = self._knowledge.kinds.names(qid)
            return qid in values or not names or catalog().fits(names, kinds)

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
