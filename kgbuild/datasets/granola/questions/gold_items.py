"""Choose the gold answers among the values of a subject, by what a relation asks for."""

from collections.abc import Mapping

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.levels.order import Gold
from kgbuild.datasets.granola.levels.profiles import PERSON, Profiles
from kgbuild.relations import Relation
from kgbuild.rows import Evidence, Rejected

_OWNER = "P127"


class GoldItems:
    """The items that are gold answers to the questions about one relation."""

    def __init__(self, relation: Relation, profiles: Profiles):
        self._relation = relation
        self._profiles = profiles

    def of(self, subject: str, values: Mapping[str, Evidence]) -> list[Gold]:
        """Return the gold answers to the question about a subject, by its values.

        Raises:
            Rejected: the values are of the wrong kind, outdated or without a label.
        """
        possible = [value for value in values if not self._is_excluded(value)]
        current = [value for value in possible if not self._is_outdated(subject, value)]
        gold = [
            Gold((label,), value, (values[value],))
            for value in current
            if (label := self._profiles.label(value))
        ]
        if not current:
            raise Rejected("outdated" if possible else "wrong kind", ", ".join(values))
        if not gold:
            raise Rejected("no label", ", ".join(values))
        return gold

    def _is_excluded(self, value: str) -> bool:
        """Return whether an item, or an item of its classes, answers no question.

        Nor does a class, such as "primary school", where an item is due.
        """
        label = self._profiles.label(value)
        first, *others = label.split() or [""]
        is_lower = label.islower() or (bool(others) and first.islower())
        kinds = {*self._profiles.described_kinds(value)}
        if is_lower and kinds.isdisjoint({PERSON, "place"}) and not self._relation.accepts_classes:
            return True
        if "school" in kinds:  # some universities are towns by their classes, too
            return False
        excluded = read_toml("granola", "levels/classes")["not_answers"].get(self._relation.pid, {})
        classes = self._profiles.classes
        return bool(excluded) and any(
            not classes.closure(qid).isdisjoint(excluded) for qid in (value, *classes.of(value))
        )

    def _is_outdated(self, subject: str, place: str) -> bool:
        """Return whether a place or an owner of today is due, and this one no longer exists."""
        is_former = self._profiles.history.is_former
        if self._relation.pid == _OWNER:
            return is_former(place) and not is_former(subject)
        asks_where_it_is = self._relation.accepts_places and not self._relation.event_date_property
        kinds = self._profiles.kinds.names(place)
        is_place = "place" in kinds or not kinds
        if not asks_where_it_is or not is_place or is_former(place) == is_former(subject):
            return False
        # A town that is no municipality any more is still there.
        subject_kinds = self._profiles.kinds.names(subject)
        return is_former(place) or not subject_kinds or "place" in subject_kinds
