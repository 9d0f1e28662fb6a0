"""Reject questions whose answers follow from the question, or are not certain."""

from collections.abc import Collection, Sequence

from kgbuild.datasets.granola.levels.order import Gold
from kgbuild.datasets.granola.levels.profiles import PERSON, Profiles
from kgbuild.datasets.granola.questions.evident_answers import is_evident, shares_a_name
from kgbuild.english.normalize import fold
from kgbuild.relations import Relation
from kgbuild.rows import Rejected

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
            Rejected: the question contains an answer.
        """
        name = self._profiles.label(subject)
        if any(fold(answer.names[0]) == fold(name) for answer in gold):
            raise Rejected("same name", name)
        if self._is_evident(subject, question, name, gold):
            raise Rejected("answer in the question", ", ".join(values))

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
