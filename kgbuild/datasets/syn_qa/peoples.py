"""Find the peoples that items belong to, as a reader knows them: American, French."""

import functools
import itertools
import re

from kgbuild.datasets.base import read_toml
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import COUNTRIES


class Peoples:
    """The peoples of items, as words such as "French".

    Those that the description names count, since readers know an item by them, and statements lack
    half of the countries; without them, those of the stated countries count. A country of the past
    has the people of today, and a country without a common word is its own people, by id.
    """

    def __init__(self, knowledge: Knowledge):
        self._statements = knowledge.statements
        self._labels = knowledge.labels
        self._by_country = read_toml("granola", "demonyms")
        self._known = frozenset(self._by_country.values())
        self.of = functools.cache(self._read)

    @staticmethod
    @functools.lru_cache(1)
    def shared(knowledge: Knowledge) -> "Peoples":
        """Return the peoples of a store, which all relations share."""
        return Peoples(knowledge)

    def _read(self, qid: str) -> frozenset[str]:
        words = re.findall(r"\w+", self._labels.description(qid) or "")
        phrases = itertools.chain(words, map(" ".join, itertools.pairwise(words)))
        if named := self._known.intersection(phrases):
            return named
        countries = (value for pid in COUNTRIES for value in self._statements.values(qid, pid))
        return frozenset(self._by_country.get(country, country) for country in countries)
