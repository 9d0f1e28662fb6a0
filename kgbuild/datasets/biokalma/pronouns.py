"""Infer the pronouns of people."""

import functools
import re
from collections import Counter, defaultdict

from kgbuild.datasets.biokalma.lexicon import Lexicon
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import clean

_HONOURS = ("P166", "P412", "P1344", "P1411", "P2522")
_PERSON = "person"
_AGREEING = 3
"""The fewest namesakes or honours, all of one sex, from which a pronoun is inferred."""


class Pronouns:
    """Infers the pronoun of a person: he, she, or an empty text if unknown.

    The sources, in this order: the statement of the sex; being stated as a father or mother; a
    title or a word of the description, such as "actress"; honours for women or men only; the
    given name, if everybody else in the store with that name is of one sex.
    """

    def __init__(self, knowledge: Knowledge, lexicon: Lexicon):
        self._knowledge = knowledge
        self._lexicon = lexicon

    def of(self, qid: str) -> str:
        """Return the pronoun of a person, or an empty text."""
        stated = self._sex(qid)
        if stated is not None:
            return stated
        for pid, pronoun in (("P22", "he"), ("P25", "she")):
            if self._knowledge.statements.subjects(qid, pid):
                return pronoun
        label = clean(self._knowledge.labels.label(qid) or "")
        return self._described(qid, label) or self._agreed(qid, label)

    def _described(self, qid: str, label: str) -> str:
        """Return the pronoun that follows from a title or the description, or an empty text."""
        for word in _gendered(label, self._knowledge.labels.description(qid) or ""):
            for pronoun, words in self._lexicon.described.items():
                if word in words:
                    return pronoun
        return ""

    def _agreed(self, qid: str, label: str) -> str:
        """Return the pronoun on which all honours, or all namesakes, agree, or an empty text."""
        for counts in (self._honours(qid), self._namesakes[_given_name(label)]):
            if len(counts) == 1 and counts.total() >= _AGREEING:
                return next(iter(counts))
        return ""

    def _honours(self, qid: str) -> Counter[str]:
        """Count the awards, voices and contests of a person that are for men or for women."""
        values = (v for pid in _HONOURS for v in self._knowledge.statements.values(qid, pid))
        words = (
            re.findall(r"\w+", (self._knowledge.labels.label(v) or "").casefold()) for v in values
        )
        return Counter(
            pronoun
            for label in words
            for pronoun, gendered in self._lexicon.honoured.items()
            if gendered & {*label}
        )

    def _sex(self, qid: str) -> str | None:
        """Return the pronoun of the stated sex; None if no sex is stated."""
        stated = {*self._knowledge.statements.values(qid, "P21")}
        if not stated:
            return None
        fitting = [pronoun for pronoun, sexes in self._lexicon.sexes.items() if stated <= sexes]
        return fitting[0] if fitting else ""

    @functools.cached_property
    def _namesakes(self) -> defaultdict[str, Counter[str]]:
        """The counts of pronouns of the people with each given name."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for qid, _ in self._knowledge.statements.pairs("P21"):
            pronoun = self._sex(qid)
            if pronoun and _PERSON in self._knowledge.kinds.names(qid)[:1]:
                counts[_given_name(self._knowledge.labels.label(qid) or "")][pronoun] += 1
        return counts


_TITLES = ("bin", "bint")


def _gendered(label: str, description: str) -> list[str]:
    """Return the words that may imply a sex: titles in the name, and the description."""
    first, *rest = re.findall(r"\w+", label.casefold()) or [""]
    described = re.findall(r"\w+", description.casefold())
    return [first, *(word for word in rest if word in _TITLES), *described]


def _given_name(label: str) -> str:
    """Return the first word of a name with several words, else an empty text."""
    first, blank, _ = label.partition(" ")
    return first if blank and not first.endswith(".") else ""
