"""Write a made-up dump that has the shape of Wikidata's truthy dump, of any size.

Every item is a function of the seed, its group and its place in it, so nothing is remembered
while writing and memory stays flat. Only properties and classes are real ones; the ids of
made-up items begin at Q900000001.
"""

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

from isal import igzip

from kgbuild.kg import wikidata
from kgbuild.relations import catalog

FIRST = 900_000_001
LATIN = (
    "de fr es it nl pl pt sv ca cs da fi hu id nb nn ro sk sl hr tr vi eu gl ast oc ga cy sq af sw"
    " et lt lv ms tl eo la nds lb br sc an pms vec lmo frp wa fy is fo mt ku az uz"
)
OTHER_SCRIPTS = {
    # The letters of a language begin at this code point.
    **dict.fromkeys("ru uk bg sr mk be kk".split(), 0x0430),
    **dict.fromkeys("ar fa arz ur".split(), 0x0627),
    **dict.fromkeys("zh ja zh-hans zh-hant".split(), 0x4E00),
    **{"el": 0x03B1, "he": 0x05D0, "hi": 0x0915, "bn": 0x0995, "ko": 0xAC00, "th": 0x0E01},
    **{"ka": 0x10D0, "hy": 0x0561, "ta": 0x0B95},
}
SCRIPTS = {"en": 0, "mul": 0, "en-gb": 0, "en-ca": 0, "fr": 0, "de": 0, "es": 0, "vi": 0x00E0}
SCRIPTS |= OTHER_SCRIPTS | dict.fromkeys(LATIN.split(), 0) | {"vi": 0x00E0, "cs": 0x00E0}
LANGUAGES = tuple(SCRIPTS)
"""Codes of languages, in the order in which ``--languages`` takes them."""

SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
_LETTERS = "aeioubdfgklmnprstvz"
_TRANSLATED = {
    base: {ord(c): f"\\u{base + _LETTERS.index(c.lower()):04X}" for c in _LETTERS + _LETTERS.upper()}
    for base in set(SCRIPTS.values()) - {0}
}

CLASSES = {
    # A real class: its label and its superclass.
    "Q5": ("human", "Q215627"),
    "Q215627": ("person", ""),
    "Q6256": ("country", "Q7275"),
    "Q7275": ("state", ""),
    "Q10864048": ("first-level administrative division", "Q56061"),
    "Q56061": ("administrative territorial entity", ""),
    "Q515": ("city", "Q486972"),
    "Q486972": ("human settlement", ""),
    "Q34770": ("language", ""),
    "Q28640": ("profession", "Q12737077"),
    "Q12737077": ("occupation", ""),
    "Q11862829": ("academic discipline", ""),
    "Q3918": ("university", "Q38723"),
    "Q38723": ("higher education institution", "Q2385804"),
    "Q2385804": ("educational institution", "Q43229"),
    "Q43229": ("organization", ""),
    "Q7278": ("political party", "Q43229"),
    "Q618779": ("award", ""),
    "Q48277": ("gender", ""),
    "Q202444": ("given name", ""),
    "Q101352": ("family name", ""),
    "Q5292": ("encyclopedia", ""),
    "Q7725634": ("literary work", "Q47461344"),
    "Q47461344": ("written work", ""),
}
GROUPS: dict[str, tuple[str, Callable[[int], float]]] = {
    # A group of items: its class, and how many there are for so many people.
    "country": ("Q6256", lambda n: 6 + n**0.4),
    "region": ("Q10864048", lambda n: 4 * (6 + n**0.4)),
    "city": ("Q515", lambda n: 30 + n / 12),
    "language": ("Q34770", lambda n: 4 + n**0.35),
    "occupation": ("Q28640", lambda n: 24 + n**0.6),
    "field": ("Q11862829", lambda n: 24 + n**0.5),
    "university": ("Q3918", lambda n: 20 + n / 40),
    "party": ("Q7278", lambda n: 10 + n**0.45),
    "award": ("Q618779", lambda n: 24 + n / 60),
    "gender": ("Q48277", lambda _: 2),
    "source": ("Q5292", lambda _: 30),
    "given": ("Q202444", lambda n: 30 + n**0.5),
    "family": ("Q101352", lambda n: 50 + n**0.7),
    "work": ("Q7725634", lambda n: 1 + n / 8),
    "person": ("Q5", lambda n: n),
}
IDS = (
    "P214 P227 P213 P244 P268 P269 P646 P1006 P1015 P2163 P906 P949 P950 P409 P691 P396 P7859"
    " P1207 P1273 P345 P434 P648 P1368 P1695 P2671 P3222 P4342 P5019 P8189 P1417 P3430 P2924"
).split()
NORMALIZED = frozenset(IDS[:19])
"""External ids that a dump gives as links too."""

_WB = "http://wikiba.se/ontology#"
_OWL = "http://www.w3.org/2002/07/owl#"
_COMMONS = "http://commons.wikimedia.org"
_INTEGER = f"^^<{wikidata.XSD}integer>"
_DATE = f"^^<{wikidata.XSD}dateTime>"


class Made(NamedTuple):
    """What was written: subjects that are items, and lines."""

    items: int
    lines: int


class Statement(NamedTuple):
    """A property and a value, as a term of N-Triples."""

    pid: str
    value: str


class World:
    """Made-up items: everything about them follows from ``people``, ``languages``, ``seed``."""

    def __init__(self, people: int, languages: int, seed: int):
        self.languages = LANGUAGES[:languages]
        self.seed = seed
        self.sizes = {group: int(size(people)) for group, (_, size) in GROUPS.items()}
        self.starts: dict[str, int] = {}
        number = FIRST
        for group, size in self.sizes.items():
            self.starts[group] = number
            number += size

    def random(self, *key: object) -> random.Random:
        """Return the source of chance of one thing."""
        return random.Random(" ".join(map(str, (self.seed, *key))))

    def term(self, group: str, n: int) -> str:
        """Return the IRI of the n-th item of a group, in brackets."""
        return f"<{wikidata.ENTITY}Q{self.starts[group] + n}>"

    def drawn(self, rng: random.Random, group: str, of: int = 0, within: int = 1) -> int:
        """Draw an item by Zipf's law, among those whose number modulo ``within`` is ``of``."""
        return of % within + within * zipf(rng, max(self.sizes[group] // within, 1))

    def name(self, group: str, n: int) -> str:
        """Return an item's name. Syllables are few, so homonyms occur."""
        if group == "person":
            rng = self.random("name", n)
            given, family = zipf(rng, self.sizes["given"]), zipf(rng, self.sizes["family"])
            return f"{self.name('given', given)} {self.name('family', family)}"
        rng = self.random("name", group, n)
        words = 1 if rng.random() < 0.7 else 2
        text = " ".join(
            "".join(rng.choices(SYLLABLES, k=rng.randint(2, 3))) for _ in range(words)
        )
        return text if group in ("occupation", "field", "gender") else text.title()

    def subjects(self) -> Iterator[str]:
        """Yield the lines of each subject, grouped as in the real dump."""
        for pid in properties():
            yield _property(pid)
        for qid, (label, above) in CLASSES.items():
            yield _class(qid, label, above)
        for group, size in self.sizes.items():
            for n in range(size):
                yield self._item(group, n)
                if n % 100 == 99:  # an item that was merged into this one
                    old = FIRST - self.starts[group] - n
                    yield (
                        f"<{wikidata.ENTITY}Q{2 * FIRST - old}> <{wikidata.SAME_AS}>"
                        f" {self.term(group, n)} .\n"
                    )

    def _item(self, group: str, n: int) -> str:
        raise NotImplementedError
