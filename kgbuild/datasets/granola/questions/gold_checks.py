"""Reject questions whose answers follow from the question, or are not certain."""

import itertools
from collections.abc import Collection, Sequence

from kgbuild.datasets.granola.levels.order import Gold
from kgbuild.datasets.granola.levels.places import PLACE
from kgbuild.datasets.granola.levels.profiles import PERSON, Profiles
from kgbuild.datasets.granola.questions.evident_answers import is_evident, shares_a_name
from kgbuild.english.normalize import fold
from kgbuild.relations import Relation
from kgbuild.rows import Rejected

_WHERE = ("P159", "P276", "P131")
"""Headquarters location, location, located in the administrative territorial entity."""
_OF_MAKERS = {"P127", "P112", "P50", "P170", "P175"}
"""Relations whose answers made or own the subject, and often name it: Geffen Records."""


class GoldChecks:
    """Checks of the gold answers to the questions about one relation."""

    def __init__(self, relation: Relation, profiles: Profiles):
        self._relation = relation
        self._profiles = profiles
        self._labels = profiles.labels

    def check(
        self, subject: str, question: str, values: Collection[str], gold: Sequence[Gold]
    ) -> None:
        """Check that the answers are no names of the subject.

        Raises:
            Rejected: the question contains an answer, or there are several seats.
        """
        name = self._profiles.label(subject)
        if any(fold(answer.names[0]) == fold(name) for answer in gold):
            raise Rejected("same name", name)
        if self._is_evident(subject, question, name, gold):
            raise Rejected("answer in the question", ", ".join(values))
        if self._has_several_seats(subject):
            raise Rejected("several seats", ", ".join(values))

    def _is_evident(self, subject: str, question: str, name: str, gold: Sequence[Gold]) -> bool:
        """Return whether the name of a subject says what the answer is.

        Of places and people, only whole names count: a town may have the river's name, and lie
        elsewhere.
        """
        if self._relation.pid in _OF_MAKERS:
            return shares_a_name(name, gold)
        if PERSON in self._relation.object_kinds:  # Ann Lee, and her child Mary Ann Lee
            return is_evident(question, name, gold)
        if not self._relation.accepts_places:
            return False
        kinds = self._profiles.described_kinds(subject)
        printed = [Gold((self._profiles.place_phrase(one.qid),)) for one in gold if one.qid]
        if is_evident(question, name, [*gold, *printed]):
            return True
        is_named = {"place", PERSON}.isdisjoint(kinds)
        return is_named and shares_a_name(name, [*map(self._with_words, gold)])

    def _with_words(self, place: Gold) -> Gold:
        """Return a place with its usual name, and its aliases of one word: Rome, Roma.

        An alias that was cut at a comma is that of a region: "Arizona", of Tucson.
        """
        qid = place.qid or ""
        is_other = self._profiles.descriptions.is_other_country
        aliases = self._labels.aliases(qid)
        cut = {alias.rpartition(", ")[2] for alias in aliases if ", " in alias}
        words = (
            alias
            for alias in aliases
            if " " not in alias and alias not in cut and not is_other(alias, qid)
        )
        return Gold((*place.names, self._profiles.place_phrase(qid), *words), place.qid)

    def _has_several_seats(self, subject: str) -> bool:
        """Return whether an institution is in places that do not contain each other.

        One of them may be a branch, a former seat, or an error.
        """
        kinds = {*self._profiles.kinds.names(subject)}
        is_building = "building" in kinds and "school" not in kinds
        is_seated = {"organisation", "team"} & kinds and "place" not in kinds and not is_building
        if self._relation.pid not in _WHERE or not is_seated:
            return False
        values = self._profiles.values
        seats = dict.fromkeys(seat for pid in _WHERE for seat in values(subject, pid))
        around = {seat: self._profiles.profile(seat, None).facets for seat in seats}
        return any(
            (PLACE, one) not in around[other] and (PLACE, other) not in around[one]
            for one, other in itertools.combinations(seats, 2)
        )
