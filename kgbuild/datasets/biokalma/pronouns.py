"""Find the pronouns of people."""

import functools
import itertools
import re
from collections import Counter, defaultdict

from kgbuild.datasets.biokalma.lexicon import lexicon
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import clean

_PERSON = "person"
_HONOURS = ("P166", "P412", "P1344", "P1411", "P2522")  # awards, voices and contests
_MIN_HINTS = 3
"""Minimum number of namesakes or honours, all of one sex, that imply a pronoun."""


class Pronouns:
    """Finds the pronouns of people."""

    def __init__(self, knowledge: Knowledge):
        self._knowledge = knowledge

    def of(self, qid: str) -> str:
        """Return the pronoun of a person: he, she, or an empty text if unknown.

        The sources, in this order: the statement of the sex; a statement that the person is a
        father or mother; a title or a word of the description, such as "actress"; honours for one
        sex only; the given name, if all people in the store with this name are of one sex.
        """
        stated = self._sex(qid)
        if stated is not None:
            return stated
        for pid, pronoun in (("P22", "he"), ("P25", "she")):
            if self._knowledge.statements.subjects(qid, pid):
                return pronoun
        label = clean(self._knowledge.labels.label(qid) or "")
        by_word = (
            pronoun
            for word in _gendered_words(label, self._knowledge.labels.description(qid) or "")
            for pronoun, words in lexicon().described.items()
            if word in words
        )
        by_hints = (
            next(iter(counts))
            for counts in (self._honours(qid), self._namesakes[_given_name(label)])
            if len(counts) == 1 and counts.total() >= _MIN_HINTS
        )
        return next(itertools.chain(by_word, by_hints), "")

    def _honours(self, qid: str) -> Counter[str]:
        """Count a person's awards, voices and contests that are for one sex, by its pronoun."""
        values = (v for pid in _HONOURS for v in self._knowledge.statements.values(qid, pid))
        words = (
            re.findall(r"\w+", (self._knowledge.labels.label(v) or "").casefold()) for v in values
        )
        return Counter(
            pronoun
            for label in words
            for pronoun, gendered in lexicon().honoured.items()
            if gendered & {*label}
        )

    def _sex(self, qid: str) -> str | None:
        """Return the pronoun of the stated sex; None if no sex is stated, empty if it has none."""
        stated = {*self._knowledge.statements.values(qid, "P21")}
        if not stated:
            return None
        fitting = [pronoun for pronoun, sexes in lexicon().sexes.items() if stated <= sexes]
        return fitting[0] if fitting else ""

    @functools.cached_property
    def _namesakes(self) -> defaultdict[str, Counter[str]]:
        """The numbers of people with each given name, by pronoun."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for qid, _ in self._knowledge.statements.pairs("P21"):
            pronoun = self._sex(qid)
            if pronoun and _PERSON in self._knowledge.kinds.names(qid)[:1]:
                counts[_given_name(self._knowledge.labels.label(qid) or "")][pronoun] += 1
        return counts


def _gendered_words(label: str, description: str) -> list[str]:
    """Return the words that may imply a sex: titles in the name, and the description."""
    first, *rest = re.findall(r"\w+", label.casefold()) or [""]
    titles = [first, *(word for word in rest if word in ("bin", "bint"))]
    return [*titles, *re.findall(r"\w+", description.casefold())]


def _given_name(label: str) -> str:
    """Return the first word of a name with several words, else an empty text."""
    first, blank, _ = label.partition(" ")
    return first if blank and not first.endswith(".") else ""
