"""Generate a dump of any size in the shape of Wikidata's truthy dump.

Each item depends only on the seed, its group and its number, so several processes write parts of a
dump, and memory does not grow with the size. The number of values of a property, how often each
value occurs, and how often names repeat follow ``distributions``. Only properties and classes are
real; the ids of generated items begin at Q900000001.
"""

import argparse
import contextlib
import functools
import multiprocessing
import random
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeAlias

from isal import igzip

from benchmarks import distributions
from kgbuild import wikidata
from kgbuild.catalog import catalog

FIRST = 900_000_001
_SCRIPTS = {
    # Code point of the first letter; 0 means plain Latin.
    code: base
    for base, codes in (
        (0, "en mul en-gb en-ca de fr es"),
        (0x0430, "ru uk bg sr mk be kk"),
        (0x0627, "ar fa arz ur"),
        (0x4E00, "zh ja zh-hans zh-hant"),
        (0x03B1, "el"),
        (0x05D0, "he"),
        (0x0915, "hi"),
        (0x0995, "bn"),
        (0xAC00, "ko"),
        (0x10D0, "ka"),
        (0x0561, "hy"),
        (0x00E0, "cs vi pl tr"),
        (0, "it nl pt sv ca da fi hu id nb nn ro sk sl hr eu gl ast oc ga cy sq af sw et lt lv"),
        (0, "ms tl eo la nds lb br sc an pms vec lmo frp wa fy is fo mt ku az uz"),
    )
    for code in codes.split()
}
LANGUAGES = tuple(_SCRIPTS)
"""Language codes; a dump with n languages has the first n of them."""

_LETTERS = "aeioubdfgklmnprstvz"
SYLLABLES = [consonant + vowel for consonant in _LETTERS[5:] for vowel in _LETTERS[:5]]
_ESCAPED = {
    # For each script, the escapes that replace Latin letters.
    base: {
        ord(letter): f"\\u{base + n % len(_LETTERS):04X}"
        for n, letter in enumerate(_LETTERS + _LETTERS.upper())
    }
    for base in sorted({*_SCRIPTS.values()} - {0})
}

CLASSES = {
    # Real classes, each with its label and superclass.
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
    # For each group of items, its class and its size as a function of the number of people.
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
TRADES = 12
"""Number of trades that occupations, fields, awards and sources belong to; a person has one."""
FAMILY = 12
"""Size of a block of people: two parents, at most nine children, and others without a family."""
VALUES = (
    # Property, share of people with it, group of the values, and whether most values come from the
    # person's country or trade.
    ("P106", 0.9, "occupation", "trade"),
    ("P19", 0.7, "city", "land"),
    ("P20", 0.4, "city", "land"),
    ("P69", 0.55, "university", "land"),
    ("P108", 0.3, "university", "land"),
    ("P101", 0.2, "field", "trade"),
    ("P102", 0.15, "party", "land"),
    ("P166", 0.4, "award", "trade"),
    ("P1412", 0.6, "language", "land"),
    ("P1343", 0.6, "source", "trade"),
)
IDS = tuple(
    f"P{number}"
    for number in (
        *(214, 227, 213, 244, 268, 269, 646, 1006, 1015, 2163, 906, 949, 950, 409, 691, 396, 7859),
        *(1207, 1273, 345, 434, 648, 1368, 1695, 2671, 3222, 4342, 5019, 8189, 1417, 3430, 2924),
    )
)
LINKED = frozenset(IDS[:30])
"""External ids that a dump also contains as links."""
PROPERTIES = tuple(
    f"P{number}"
    for number in (
        *(17, 18, 19, 20, 21, 22, 25, 26, 27, 31, 40, 50, 69, 101, 102, 106, 108, 131, 166, 279),
        *(569, 570, 571, 577, 625, 734, 735, 800, 856, 1082, 1343, 1412, 1559, 2534, 3373, 3896),
    )
)

_GOLDEN_RATIO = (5**0.5 - 1) / 2
_PIECE = 4000
"""Number of items that a process writes at a time."""
_SCHEMA, _XSD = wikidata.PREFIXES["schema"], wikidata.XSD
_WIKIBASE, _OWL = "http://wikiba.se/ontology#", "http://www.w3.org/2002/07/owl#"
_COMMONS = "http://commons.wikimedia.org"
_LICENSE = "<http://creativecommons.org/publicdomain/zero/1.0/>"


class Piece(NamedTuple):
    """The items of a group from ``first`` up to ``end``; no group means classes and properties."""

    group: str
    first: int
    end: int


Statements: TypeAlias = list[tuple[str, str]]
"""Pairs of a property and a value, which is a term of N-Triples."""


class Made(NamedTuple):
    """Number of items and lines of a dump."""

    items: int
    lines: int


def zipf(rng: random.Random, n: int) -> int:
    """Draw a number below ``n``; number k comes about as often as 1/(k+1)."""
    return min(int((n + 1) ** rng.random()), n) - 1


def distinct(values: Iterable[str]) -> Iterator[str]:
    """Yield each value once."""
    seen: set[str] = set()
    for value in values:
        if value not in seen:
            seen.add(value)
            yield value


class World:
    """Generated items, which depend only on ``people``, ``languages`` and ``seed``."""

    def __init__(self, people: int, languages: int, seed: int):
        self.languages = LANGUAGES[:languages]
        self.seed = seed
        self._measured = distributions.read()
        self._scripts = {_SCRIPTS[code] for code in self.languages} - {0}
        self._names = {
            part: max(1, int(factor * people**exponent))
            for part, (factor, exponent) in self._measured.names.items()
        }
        self.sizes = {group: int(size(people)) for group, (_, size) in GROUPS.items()}
        self._starts: dict[str, int] = {}
        number = FIRST
        for group, size in self.sizes.items():
            self._starts[group] = number
            number += size
        self._end = number
        self._lands = self.sizes["country"]

    def pieces(self) -> Iterator[Piece]:
        """Yield the pieces of the dump."""
        yield Piece("", 0, 0)
        for group, size in self.sizes.items():
            for first in range(0, size, _PIECE):
                yield Piece(group, first, min(size, first + _PIECE))

    def subjects(self) -> Iterator[str]:
        """Yield the lines of each subject in turn."""
        for piece in self.pieces():
            yield from self.subjects_of(piece)

    def subjects_of(self, piece: Piece) -> Iterator[str]:
        """Yield the lines of each subject of a piece."""
        if not piece.group:
            yield f"# Made up: {self.sizes['person']} people, seed {self.seed}.\n"
            yield from map(_property, (*PROPERTIES, *IDS))
            for qid, (label, above) in CLASSES.items():
                yield _class(qid, label, above)
        for n in range(piece.first, piece.end):
            yield from self._lines(piece.group, n)
            if n % 100 == 99:  # another item was merged into this one
                merged = f"<{wikidata.ENTITY}Q{self._merged(piece.group) + n // 100}>"
                yield _line(merged, wikidata.SAME_AS, self._q(piece.group, n))

    def _merged(self, group: str) -> int:
        """Return the number of the first item that was merged into one of a group."""
        groups = list(self.sizes)[: list(self.sizes).index(group)]
        return self._end + sum(self.sizes[before] // 100 for before in groups)

    def _chance(self, *key: object) -> random.Random:
        """Return the random generator for a key."""
        return random.Random(" ".join(map(str, (self.seed, *key))))

    def _q(self, group: str, n: int) -> str:
        """Return the n-th item of a group, as a term."""
        return f"<{wikidata.ENTITY}Q{self._starts[group] + n % self.sizes[group]}>"

    @functools.lru_cache(1 << 17)  # noqa: B019
    def _word(self, group: str, n: int) -> str:
        """Return the name of an item other than a person. Few syllables make homonyms."""
        rng = self._chance("name", group, n)
        words = rng.choice((1, 1, 1, 2))
        text = " ".join("".join(rng.choices(SYLLABLES, k=rng.randint(2, 3))) for _ in range(words))
        return text if group in ("occupation", "field", "gender") else text.title()

    @functools.lru_cache(64)  # noqa: B019
    def _named(self, n: int) -> tuple[int, int]:
        """Return the numbers of the given name and the family name of a person."""
        rng = self._chance("name", n)
        given, family = (
            self._measured.rank(part, size, rng.random()) for part, size in self._names.items()
        )
        return given, family

    def _label(self, group: str, n: int) -> str:
        if group != "person":
            return self._word(group, n)
        given, family = self._named(n)
        return f"{self._word('given', given)} {self._word('family', family)}"

    def _lines(self, group: str, n: int) -> Iterator[str]:
        """Yield the lines of the data page of an item and those of the item."""
        rng = self._chance(group, n)
        me = self._q(group, n)
        statements: Statements = [("P31", f"<{wikidata.ENTITY}{GROUPS[group][0]}>")]
        statements += self._person(rng, n) if group == "person" else self._thing(rng, group, n)
        known = group in ("person", "country", "city")
        ids = _ids(rng, rng.randint(10, 30) if known else rng.randint(2, 14))
        fame = rng.uniform(0.3, 1) if known else rng.uniform(0.1, 0.6)
        yield _page(rng, me, len(statements))
        yield "".join(
            (
                _line(me, wikidata.TYPE, f"<{_WIKIBASE}Item>"),
                *self._texts(rng, me, self._label(group, n), fame),
                *(_line(me, wikidata.DIRECT + pid, value) for pid, value in statements),
                *(_line(me, predicate, value) for predicate, value in ids),
                *([_no_value(me)] if rng.random() < 0.01 else ()),
            )
        )

    def _texts(self, rng: random.Random, me: str, label: str, fame: float) -> Iterator[str]:
        """Yield labels (each three times), descriptions and aliases in many languages."""
        first, _, last = label.partition(" ")
        alias = f"{first[0]}. {last}" if last else first + rng.choice(SYLLABLES)
        about = f"made up, {' '.join(rng.choices(SYLLABLES, k=4))}"
        for predicates, text, share in (
            ((wikidata.LABEL, *wikidata.REPEATED_LABELS), label, 0.8 * fame),
            ((wikidata.DESCRIPTION,), about, 0.4 * fame),
            ((wikidata.ALIAS,), alias, 0.2 * fame),
        ):
            spelled = {base: text.translate(_ESCAPED[base]) for base in self._scripts}
            for code in self.languages:
                if rng.random() < (0.9 if code == "en" else share):
                    value = f'"{spelled.get(_SCRIPTS[code], text)}"@{code}'
                    yield "".join([_line(me, predicate, value) for predicate in predicates])

    def _person(self, rng: random.Random, n: int) -> Statements:
        # Half of the draws are equal, since some people have many statements of all properties.
        fame = rng.random()

        def draw() -> float:
            return fame if rng.random() < 0.5 else rng.random()

        land = self._land(n // FAMILY)
        parts = {"land": land, "trade": zipf(rng, TRADES)}
        others = range(1, self._measured.draw_count("P27", draw()))
        lands = [land, *(self._measured.rank("P27", self._lands, rng.random()) for _ in others)]
        countries = [("P27", self._q("country", k)) for k in dict.fromkeys(lands)]
        statements = [*countries, *_files(rng, n)]
        for pid, share, group, kind in VALUES:
            if draw() > 1 - share:
                count = self._measured.draw_count(pid, draw())
                drawn = (self._drawn(rng, pid, group, kind, parts[kind]) for _ in range(4 * count))
                statements += [(pid, value) for value in islice(distinct(drawn), count)]
        if rng.random() < 0.95:
            statements.append(("P21", self._q("gender", self._gender(n))))
        if n % 8 == 0 or (n % 8 == 3 and rng.random() < 0.2):
            statements.append(("P800", self._q("work", n // 8)))
        given, family = self._named(n)
        for pid, group, name in (("P735", "given", given), ("P734", "family", family)):
            if name < self.sizes[group]:  # rare names are no items
                statements.append((pid, self._q(group, name)))
        statements.append(("P1559", f'"{self._label("person", n)}"@{rng.choice(LANGUAGES[4:7])}'))
        return statements + self._dates(rng, n) + self._family(n)

    @functools.lru_cache(64)  # noqa: B019
    def _land(self, block: int) -> int:
        """Return the country of a block of people."""
        return self._measured.rank("P27", self._lands, self._chance("land", block).random())

    def _drawn(self, rng: random.Random, pid: str, group: str, kind: str, part: int) -> str:
        """Draw the value of a property from a group, mostly from one of its parts."""
        rank = self._measured.rank(pid, self.sizes[group], rng.random())
        members = self._parts(group, kind)[part]
        if members and rng.random() < 0.85:
            at = bisect_left(members, rank)
            rank = min(members[max(at - 1, 0) : at + 1], key=lambda member: abs(member - rank))
        return self._q(group, rank)

    @functools.lru_cache(None)  # noqa: B019
    def _parts(self, group: str, kind: str) -> list[list[int]]:
        """Return the items of each part of a group; ``kind`` is "land" or "trade"."""
        parts: list[list[int]] = [[] for _ in range(self._lands if kind == "land" else TRADES)]
        for n in range(self.sizes[group]):
            parts[self._part(kind, n)].append(n)
        return parts

    def _part(self, kind: str, n: int) -> int:
        """Return the part of the n-th item of a group; parts have the sizes of those of people."""
        u = n * _GOLDEN_RATIO % 1  # evenly distributed
        if kind == "land":
            return self._measured.rank("P27", self._lands, u)
        return int((TRADES + 1) ** u) - 1

    def _gender(self, n: int) -> int:
        place = n % FAMILY
        return place if place < 2 else int(self._chance("gender", n).random() < 0.25)

    def _born(self, n: int) -> int:
        block, place = divmod(n, FAMILY)
        return self._year(block) + (24 + 2 * place if place >= 2 else place)

    @functools.lru_cache(64)  # noqa: B019
    def _year(self, block: int) -> int:
        """Return the year in which the first person of a block was born."""
        rng = self._chance("born", block)
        return rng.randint(-300, 1400) if rng.random() < 0.03 else rng.randint(1500, 1970)

    def _dates(self, rng: random.Random, n: int) -> Statements:
        born = self._born(n)
        statements = [("P569", _date(rng, born))] if rng.random() < 0.8 else []
        if rng.random() < 0.5:
            statements.append(("P570", _date(rng, born + rng.randint(30, 90))))
        elif rng.random() < 0.03:
            statements.append(("P570", f"_:genid{n:08d}"))
        return statements

    def _family(self, n: int) -> Statements:
        """Return the relations of a person to its family; some statements are left out."""
        block, place = divmod(n, FAMILY)
        children, is_married = self._household(block)
        statements: list[tuple[str, int]] = []
        if place < 2 and is_married:
            statements = [("P26", 1 - place), *(("P40", child) for child in children)]
        elif place in children:
            statements = [("P22", 0), ("P25", 1), *(("P3373", c) for c in children if c != place)]
        if place == 2:  # a child marries a child of the next family
            statements.append(("P26", 2 - FAMILY if block % 2 else 2 + FAMILY))
        rng = self._chance("says", n)
        others = [(pid, block * FAMILY + k) for pid, k in statements if rng.random() < 0.9]
        return [(pid, self._q("person", k)) for pid, k in others if k < self.sizes["person"]]

    @functools.lru_cache(64)  # noqa: B019
    def _household(self, block: int) -> tuple[range, bool]:
        """Return the places of the children of a block, and whether its parents are married."""
        rng = self._chance("family", block)
        has_children = rng.random() < 0.75
        count = has_children * self._measured.draw_count("P40", rng.random())
        return range(2, 2 + count), rng.random() < 0.8

    def _thing(self, rng: random.Random, group: str, n: int) -> Statements:
        """Return the statements about an item other than a person."""
        land = ("P17", self._q("country", self._part("land", n)))
        if group == "work":
            written = _date(rng, self._born(8 * n) + 35)
            return [("P50", self._q("person", 8 * n)), ("P577", written), *_files(rng, n)]
        if group in ("occupation", "field"):
            above = [("P279", self._q(group, n % TRADES))] if n >= TRADES else []
            formula = f'"<math><mi>{n}</mi></math>"^^<http://www.w3.org/1998/Math/MathML>'
            return [*above, ("P2534", formula)] if group == "field" else above
        if group in ("city", "region"):
            region = self._q("region", n % self._lands + self._lands * rng.randint(0, 3))
            above = [("P131", region)] if group == "city" else []
            return [land, *above, *_place(rng, n), *_files(rng, n)]
        if group in ("university", "party", "award"):
            return [land, ("P571", _date(rng, rng.randint(1100, 2000))), *_files(rng, n)]
        return []


def _line(subject: str, predicate: str, value: str) -> str:
    return f"{subject} <{predicate}> {value} .\n"


def _date(rng: random.Random, year: int) -> str:
    """Return a time; every fourth one is a 1 January, as years are written in a dump."""
    day = "01-01" if rng.random() < 0.25 else f"{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    return f'"{"-" if year < 0 else ""}{abs(year):04d}-{day}T00:00:00Z"^^<{_XSD}dateTime>'


def _files(rng: random.Random, n: int) -> Statements:
    statements = [("P18", f"<{_COMMONS}/wiki/Special:FilePath/Made%20up%20{n}.jpg>")]
    if rng.random() < 0.3:
        statements.append(("P856", f"<https://example.org/{n}>"))
    return statements


def _place(rng: random.Random, n: int) -> Statements:
    point = f"Point({rng.uniform(-180, 180):.4f} {rng.uniform(-80, 80):.4f})"
    return [
        ("P625", f'"{point}"^^<{wikidata.WKT}>'),
        ("P1082", f'"+{rng.randint(1000, 3_000_000)}"^^<{_XSD}decimal>'),
        ("P3896", f"<{_COMMONS}/data/main/Data:Made+up/{n}.map>"),
    ]


def _ids(rng: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """Yield external ids as strings, and some of them also as links."""
    for pid in rng.sample(IDS, count):
        text = f"{rng.getrandbits(40):x}"
        yield wikidata.DIRECT + pid, f'"{text}"'
        if pid in LINKED:
            yield wikidata.NORMALIZED + pid, f"<https://example.org/{pid}/{text}>"


def _page(rng: random.Random, me: str, statements: int) -> str:
    page = me.replace(wikidata.ENTITY, wikidata.ENTITY_PAGE)
    return "".join(
        (
            _line(page, wikidata.TYPE, f"<{_SCHEMA}Dataset>"),
            _line(page, f"{_SCHEMA}about", me),
            _line(page, "http://creativecommons.org/ns#license", _LICENSE),
            _line(page, f"{_SCHEMA}version", f'"{rng.getrandbits(31)}"^^<{_XSD}integer>'),
            _line(page, f"{_SCHEMA}dateModified", _date(rng, rng.randint(2013, 2025))),
            _line(page, f"{_WIKIBASE}statements", f'"{statements}"^^<{_XSD}integer>'),
        )
    )


def _no_value(me: str) -> str:
    return _line(me, wikidata.TYPE, f"<{wikidata.NO_VALUE}P40>")


def _labels(me: str, label: str) -> str:
    predicates = (wikidata.LABEL, *wikidata.REPEATED_LABELS)
    return "".join(_line(me, predicate, f'"{label}"@en') for predicate in predicates)


def _class(qid: str, label: str, above: str) -> str:
    me = f"<{wikidata.ENTITY}{qid}>"
    superclass = f"<{wikidata.ENTITY}{above}>"
    return (
        _line(me, wikidata.TYPE, f"<{_WIKIBASE}Item>")
        + _labels(me, label)
        + (_line(me, f"{wikidata.DIRECT}P279", superclass) if above else "")
    )


def _property(pid: str) -> str:
    """Return a property with its label, if it is a usual one, and its metadata."""
    me, blank = f"<{wikidata.ENTITY}{pid}>", f"_:genid{pid}"
    none = f"<{wikidata.NO_VALUE}{pid}>"
    label = catalog().properties.get(pid)
    return "".join(
        (
            _line(me, wikidata.TYPE, f"<{_WIKIBASE}Property>"),
            _labels(me, label) if label else "",
            _line(me, f"{_WIKIBASE}directClaim", f"<{wikidata.DIRECT}{pid}>"),
            _line(none, wikidata.TYPE, f"<{_OWL}Class>"),
            _line(none, f"{_OWL}complementOf", blank),
            _line(blank, wikidata.TYPE, f"<{_OWL}Restriction>"),
            _line(blank, f"{_OWL}someValuesFrom", f"<{_OWL}Thing>"),
        )
    )


def write(path: Path, people: int, languages: int = 60, seed: int = 0) -> Made:
    """Write a dump, compressed if the name ends in .gz, and return its size."""
    world = World(people, languages, seed)
    pieces = list(world.pieces())
    made = functools.partial(_piece, (people, languages, seed), path.suffix == ".gz")
    lines = 0
    with path.open("wb") as file, contextlib.ExitStack() as stack:
        if len(pieces) > 2 * len(world.sizes):  # else starting processes takes longer
            spawn = multiprocessing.get_context("spawn")
            results = stack.enter_context(ProcessPoolExecutor(None, spawn)).map(made, pieces)
        else:
            results = map(made, pieces)
        for content, count in results:
            file.write(content)
            lines += count
    return Made(sum(world.sizes.values()) + len(CLASSES), lines)


def _piece(world: tuple[int, int, int], is_compressed: bool, piece: Piece) -> tuple[bytes, int]:
    """Return the content of a piece of a file, and its number of lines."""
    text = "".join(_world(*world).subjects_of(piece))
    content = text.encode()
    if is_compressed:  # without name and time: same seed, same bytes
        content = igzip.compress(content, mtime=0)
    return content, text.count("\n")


@functools.cache
def _world(people: int, languages: int, seed: int) -> World:
    return World(people, languages, seed)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generate", description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT.nt[.gz]")
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--languages", type=int, default=60, help=f"at most {len(LANGUAGES)}")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if asked.people < 1 or not 1 <= asked.languages <= len(LANGUAGES):
        parser.error(f"--people must be at least 1, --languages from 1 to {len(LANGUAGES)}")
    made = write(asked.out, asked.people, asked.languages, asked.seed)
    print(f"{made.lines:,} lines about {made.items:,} items are in {asked.out}.", file=sys.stderr)


if __name__ == "__main__":
    main()
