"""By which pronoun people are spoken of."""

import functools
import re
from collections import Counter, defaultdict

from kgbuild.catalog import clean
from kgbuild.datasets.biokalma.lexicon import Lexicon
from kgbuild.graph.knowledge import Knowledge

_HONOURS = ("P166", "P412", "P1344", "P1411", "P2522")
_PERSON = "person"
_AGREEING = 3
"""So many namesakes, or honours, all of one sex, must be known before they tell it."""


class Pronouns:
    """Tells by which pronoun a person is spoken of: he, she, or none where nothing tells.

    It follows from what the store says of the sex; else from whose father or mother somebody is;
    else from a title or a word of the description, such as "actress"; else from honours that
    women or men alone receive; else from the given name, if all others of the store who bear it
    are of one sex.
    """

    def __init__(self, knowledge: Knowledge, lexicon: Lexicon):
        self._knowledge = knowledge
        self._lexicon = lexicon

    def of(self, qid: str) -> str:
        """Return the pronoun of a person, empty where nothing tells."""
        stated = self._sex(qid)
        if stated is not None:
            return stated
        for pid, pronoun in (("P22", "he"), ("P25", "she")):
            if self._knowledge.statements.subjects(qid, pid):
                return pronoun
        label = clean(self._knowledge.labels.label(qid) or "")
        return self._described(qid, label) or self._agreed(qid, label)

    def _described(self, qid: str, label: str) -> str:
        """Return the pronoun that a title or the description tells, or an empty text."""
        for word in _telling(label, self._knowledge.labels.description(qid) or ""):
            for pronoun, telling in self._lexicon.described.items():
                if word in telling:
                    return pronoun
        return ""

    def _agreed(self, qid: str, label: str) -> str:
        """Return the pronoun that all honours tell, or all namesakes, or an empty text."""
        for found in (self._honours(qid), self._namesakes[_given(label)]):
            if len(found) == 1 and found.total() >= _AGREEING:
                return next(iter(found))
        return ""

    def _honours(self, qid: str) -> Counter[str]:
        """Return how often awards, voices and contests of a person speak of men, or of women."""
        values = (v for pid in _HONOURS for v in self._knowledge.statements.values(qid, pid))
        words = (
            re.findall(r"\w+", (self._knowledge.labels.label(v) or "").casefold()) for v in values
        )
        return Counter(
            pronoun
            for label in words
            for pronoun, telling in self._lexicon.honoured.items()
            if telling & {*label}
        )

    def _sex(self, qid: str) -> str | None:
        """Return the pronoun for what the store says of the sex; None if it says nothing."""
        stated = {*self._knowledge.statements.values(qid, "P21")}
        if not stated:
            return None
        fitting = [pronoun for pronoun, sexes in self._lexicon.sexes.items() if stated <= sexes]
        return fitting[0] if fitting else ""

    @functools.cached_property
    def _namesakes(self) -> defaultdict[str, Counter[str]]:
        """How many people of each given name are spoken of by which pronoun."""
        found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for qid, _ in self._knowledge.statements.pairs("P21"):
            pronoun = self._sex(qid)
            if pronoun and _PERSON in self._knowledge.kinds.names(qid)[:1]:
                found[_given(self._knowledge.labels.label(qid) or "")][pronoun] += 1
        return found


_TITLES = ("bin", "bint")


def _telling(label: str, description: str) -> list[str]:
    """Return the words that may tell a sex: a title before the name, those of the description."""
    first, *rest = re.findall(r"\w+", label.casefold()) or [""]
    described = re.findall(r"\w+", description.casefold())
    return [first, *(word for word in rest if word in _TITLES), *described]


def _given(label: str) -> str:
    """Return the first word of a name of several."""
    first, blank, _ = label.partition(" ")
    return first if blank and not first.endswith(".") else ""
