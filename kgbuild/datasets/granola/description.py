"""What an item's description says of it: "English rock band", "city in Fairfax County, Virginia".

The GRANOLA paper has a model read descriptions. Here they are read by rule, and only for what no
statement says: words count if they are the name of a class, an occupation or a country of the
store, or a demonym.
"""

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from kgbuild.datasets.granola.wording import demonyms
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.wikidata import number

PROPERTY = "schema:description"
"""What stands as the property where a description is the evidence."""

_UNTRUE = re.compile(r"\b(?:fictional|fictitious|mythical|mythological|legendary|proposed)\b", re.I)
_ASIDE = re.compile(r"\s*\([^)]*\)")
_LED = re.compile(r"^(?:(?:an?|the|former|retired|late|\d\w*[- ]century|\d{4})\s+)+", re.I)
_HEAD_ENDS = re.compile(
    r"\s*(?:[;:.]|\b(?:of|from|in|by|at|on|for|who|that|which|whose|located|based|known|best|with"
    r"|to|near|played|published|founded|formed|between|during|since|under|as|born)\b)"
)
_LISTED = re.compile(r"\s*(?:,\s*and\b|,|\band\b|&)\s*")
_WHERE = re.compile(r"\b(?:in|of|from)\s+(?:the\s+)?([A-Z][^,;.]*?)(?=\s+(?:in|of|from)\b|[,;.]|$)")
_SEGMENT = re.compile(r",\s*(?:the\s+)?([A-Z][^,;.]*)")
_SIDE = re.compile(r"(?:north|south|east|west|central)(?:ern)?", re.I)
_WORDS = 3
"""As many words a demonym has at most."""


class Said(NamedTuple):
    """What a description says: the people that somebody is of, of what kinds, in what state.

    ``nouns`` are names as they stand there; ``where`` is a country or a state of one, None if it
    tells none, or several.
    """

    text: str
    people: str | None
    nouns: tuple[str, ...]
    where: str | None


class Descriptions:
    """Reads descriptions.

    ``is_former`` tells whether a country is no longer there. ``states`` are classes of states
    within countries, ``cities`` are some cities; they are known by name, too.
    """

    def __init__(
        self,
        known: Knowledge,
        is_former: Callable[[str], bool],
        states: Sequence[str],
        cities: Sequence[str],
    ):
        self._labels = known.labels
        subjects = known.statements.subjects
        self._states = self._labelled(qid for one in states for qid in subjects(one, "P31"))
        self._cities = self._labelled(cities)
        by_age = sorted(demonyms(), key=lambda qid: (is_former(qid), number(qid)))
        self._people = {demonym: qid for qid in reversed(by_age) for demonym in [demonyms()[qid]]}
        self._countries = self._named(by_age)

    def read(self, qid: str) -> Said | None:
        """Return what the description of an item says, None if it has none that can be true."""
        text = self._labels.description(qid)
        if not text or _UNTRUE.search(text):
            return None
        plain = _LED.sub("", _ASIDE.sub("", text).strip())
        head = _HEAD_ENDS.split(plain, maxsplit=1)[0]
        people, rest = self._led(head.split())
        nouns = tuple(noun for noun in _LISTED.split(" ".join(rest)) if noun)
        return Said(text, people, nouns, self._where(plain, people))

    def country_of(self, label: str) -> str | None:
        """Return the country that the label of a class ends with: "municipality of Finland"."""
        _, of, name = label.rpartition(" of ")
        return self._countries.get(fold(name.removeprefix("the "))) if of else None

    @functools.cached_property
    def regions(self) -> frozenset[str]:
        """The folded names of countries, and of the states that are known."""
        return frozenset({*self._countries, *self._states})

    def _led(self, words: list[str]) -> tuple[str | None, list[str]]:
        """Return the demonym that words begin with, and the words after it."""
        for start in (0, 1) if words[:1] and _SIDE.fullmatch(words[0]) else (0,):
            for end in range(min(start + _WORDS, len(words) - 1), start, -1):
                if (demonym := " ".join(words[start:end])) in self._people:
                    return demonym, words[end:]
        return None, words

    def _where(self, text: str, people: str | None) -> str | None:
        # Of many things that are called Washington, the state has counties.
        told = re.sub(r"(?<!County, )\bWashington\b", "", text)
        found = (*_WHERE.findall(told), *_SEGMENT.findall(told))
        names = [fold(name.removesuffix(" and")) for name in found]  # in France and in Germany
        cities, states, countries = (
            {qid for name in names if (qid := by_name.get(name))}
            for by_name in (self._cities, self._states, self._countries)
        )
        if people:
            countries.add(self._people[people])
        if len(countries) > 1 or len(states) > 1 or len(cities) > 1:
            return None
        return next(iter((*cities, *states, *countries)), None)

    def _labelled(self, qids: Iterable[str]) -> dict[str, str]:
        return {fold(label): qid for qid in qids if (label := self._labels.label(qid))}

    def _named(self, countries: list[str]) -> Mapping[str, str]:
        """Return countries by name; of several of one name the one that is there still."""
        found: dict[str, str] = {}
        for names_of in (lambda qid: [self._labels.label(qid)], self._labels.aliases):
            for qid in countries:
                for name in names_of(qid):
                    if name:
                        found.setdefault(fold(name), qid)
        return {name: qid for name, qid in found.items() if name not in _OTHERS_TOO}


_OTHERS_TOO = {"georgia", "luxembourg", "macedonia", "us", "uk", "guinea", "congo", "america"}
"""Names of countries that are those of other places, too, or of anything."""
