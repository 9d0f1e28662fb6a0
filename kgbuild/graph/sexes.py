"""Infer the sex of people from statements and descriptions that state or imply it."""

import functools
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Mapping

from kgbuild.data_files import read_toml
from kgbuild.graph.knowledge import Knowledge

SEX = "P21"
_PARENTS = (("P22", "he"), ("P25", "she"))
"""Father and mother, with the pronoun of the value."""
_CACHE_SIZE = 1 << 17
"""Maximum number of people whose sex is kept in memory."""
_MOST_NAMED = 1 << 16
"""Maximum number of people of a sex whose first names are read."""
_LEAST_NAMED, _LEAST_SHARE = 3, 0.95
"""Minimum number of people with a first name, and share of one sex, by which the name tells it."""


class Sexes:
    """Returns the sex of people as a pronoun, or an empty text if it is unknown.

    The sources, in this order: the statement of the sex; a statement that the person is a father or
    mother; a word of the description, such as "actress"; a first name that people of one sex have.
    """

    def __init__(self, knowledge: Knowledge):
        self._knowledge = knowledge
        self._statements = knowledge.statements
        self._labels = knowledge.labels
        self.of = functools.lru_cache(_CACHE_SIZE)(self._read)

    def _read(self, qid: str) -> str:
        told = told_pronoun(self._knowledge, qid)
        return self._by_first_name.get(self._first_name(qid), "") if told is None else told

    @functools.cached_property
    def _by_first_name(self) -> Mapping[str, str]:
        """The sex that nearly all people with a first name have whose sex is stated."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for pronoun, sexes in _words()["stated"].items():
            numbers = (
                number
                for sex in sorted(sexes)
                for number in self._statements.subject_numbers(sex, SEX).tolist()
            )
            for number in itertools.islice(numbers, _MOST_NAMED):
                counts[self._first_name(f"Q{number}")][pronoun] += 1
        return {
            name: pronoun
            for name, of_name in counts.items()
            for pronoun, count in of_name.most_common(1)
            if count >= max(_LEAST_NAMED, _LEAST_SHARE * of_name.total())
        }

    def _first_name(self, qid: str) -> str:
        first, _, others = (self._labels.label(qid) or "").partition(" ")
        return first if others else ""


def told_pronoun(knowledge: Knowledge, qid: str) -> str | None:
    """Return the pronoun of a person, he or she; None if nothing tells, empty if it is unclear.

    The sources, in this order: the statement of the sex; a statement that the person is a father or
    mother; words of the description, such as "actress".
    """
    if qids := {*knowledge.statements.values(qid, SEX)}:
        return next((pronoun for pronoun, sexes in _words()["stated"].items() if qids <= sexes), "")
    for pid, pronoun in _PARENTS:
        if knowledge.statements.subjects(qid, pid):
            return pronoun
    return implied_pronoun(
        {*re.findall(r"\w+", (knowledge.labels.description(qid) or "").casefold())}
    )


def implied_pronoun(words: set[str]) -> str | None:
    """Return the pronoun that words imply; None if they imply none, empty if they imply both."""
    implied = [pronoun for pronoun, gendered in _words()["described"].items() if words & gendered]
    if not implied:
        return None
    return implied[0] if len(implied) == 1 else ""


@functools.cache
def _words() -> Mapping[str, Mapping[str, frozenset[str]]]:
    """Return the tables of sexes.toml: the values of P21, and words of descriptions, by pronoun."""
    tables = read_toml("graph/sexes.toml")
    return {
        name: {pronoun: frozenset(words) for pronoun, words in table.items()}
        for name, table in tables.items()
    }
