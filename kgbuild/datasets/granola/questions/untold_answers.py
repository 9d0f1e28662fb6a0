"""Leave out coarser answers that the question tells: where the University of New Mexico is."""

import re
from collections.abc import Callable, Sequence

from kgbuild.datasets.granola.levels.order import Levelled, Levels
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.questions.evident_answers import names_place
from kgbuild.datasets.granola.questions.item_labels import item_label
from kgbuild.datasets.granola.questions.namesakes import PERSON

_ASKED = re.compile(r"Name an? (?P<noun>.+?) that ")
_WORD = re.compile(r"[\w-]+")
_PLACE = "place"
_TOLD = "in the question"


class UntoldAnswers:
    """The answers to questions without those that the questions tell."""

    def __init__(self, profiles: Profiles):
        self._profiles = profiles
        self._labels = profiles.labels

    def levelled(
        self,
        subject: str,
        question: str,
        level: Callable[[Sequence[str]], Levels],
        texts: Sequence[str],
    ) -> Levels:
        """Return the levels of ``level(texts)`` without answers that the question has.

        These are the noun of "Name a play that …", and a place in the name of the subject, with all
        places around it.
        """
        answers, dropped = level(texts)
        named = [one for one in answers if self._is_named(subject, question, one)]
        if not named:
            return answers, dropped
        kept = [
            one
            for one in answers
            if one.level == 1 or not any(_follows(one, other) for other in named)
        ]
        numbers = {n: new for new, n in enumerate(sorted({one.level for one in kept}), 1)}
        told = [(one.candidate.text, _TOLD) for one in answers if one not in kept]
        return [one._replace(level=numbers[one.level]) for one in kept], [*dropped, *told]

    def _is_named(self, subject: str, question: str, answer: Levelled) -> bool:
        """Return whether a question has the noun of an answer, or the subject its place."""
        text, qid = answer.candidate.text, answer.candidate.qid
        if _asks_for(question, text):
            return True
        if answer.level == 1 or answer.candidate.kind != _PLACE or not qid:
            return False
        return names_place(
            item_label(self._labels, subject),
            (text.removeprefix("the "), item_label(self._labels, qid)),
            self._profiles.demonym(qid),
            is_person=PERSON in self._profiles.described_kinds(subject),
        )


def _asks_for(question: str, text: str) -> bool:
    """Return whether a question asks for a description, perhaps with a nationality that it has.

    >>> _asks_for("Name a play that Ann Lee, the Irish writer, is known for.", "an Irish play")
    True
    >>> _asks_for("Name a play that Ann Lee, the Irish writer, is known for.", "a 1996 play")
    False
    """
    asked = _ASKED.match(question)
    if asked is None or not text.endswith(f" {asked['noun']}"):
        return False
    _, *peoples = text.removesuffix(asked["noun"]).split()
    return {*peoples} <= {*_WORD.findall(question[asked.end() :])}


def _follows(answer: Levelled, other: Levelled) -> bool:
    """Return whether an answer is another one, or follows from it, as what lies around a place.

    The store may not say that one lies around the other.
    """
    are_places = answer.candidate.kind == other.candidate.kind == _PLACE
    is_around = answer.level > other.level and {*answer.golds} <= {*other.golds}
    follows = answer.candidate.facets <= other.candidate.implied
    return follows or (are_places and is_around)
