"""How subjects are spoken of: by which pronoun, and whether in the past."""

import functools
import re
from collections import Counter, defaultdict

from kgbuild.biokalma.pool import Pools
from kgbuild.biokalma.wording import Subject
from kgbuild.biokalma.words import Words
from kgbuild.kg.knowledge import Knowledge
from kgbuild.relations import Catalog, clean

_PERSON, _THING = "person", "thing"
_OLDEST = 1930
"""Whoever was born before this year is spoken of in the past, whether a death is known or not."""
_YEARS = re.compile(r"\((?:born )?(?P<begin>\d{3,4})(?:\s?[-–]\s?(?P<end>\d{3,4}))?\)")
_MOSTLY = 0.3
"""The share of colleagues of the past from which somebody is taken for one of the past."""
_COLLEAGUES = 5
"""So many people of an occupation must have dates before it tells when somebody lived."""
_NAMESAKES = 2
"""So many people of a given name, all of one sex, must be known before it tells the sex."""


class Subjects:
    """Tells how subjects are spoken of.

    A person's pronoun comes from what the store says of the sex; else from whose father or
    mother the person is; else from words of the description, such as "actress"; else from
    the given name, if all other people of the store that bear it are of one sex. Where nothing
    tells, there is none, and the name is repeated.
    """

    def __init__(self, known: Knowledge, catalog: Catalog, words: Words, pools: Pools):
        self._known = known
        self._catalog = catalog
        self._words = words
        self._pools = pools
        self.of = functools.lru_cache(None)(self._read)

    def _read(self, qid: str) -> Subject:
        """Return how a subject is spoken of."""
        kinds = self._known.kinds.of(qid)
        label = clean(self._known.labels.label(qid) or qid)
        if _PERSON not in kinds[:1]:
            kind = self._catalog.kinds[kinds[0] if kinds else _THING]
            ended = any(self._known.times.years(qid, pid) for pid in kind.ends)
            return Subject(kind.phrase(label), "it", ended)
        return Subject(label, self._pronoun(qid, label), self._is_past(qid))

    def _pronoun(self, qid: str, label: str) -> str:
        stated = self._sex(qid)
        if stated is not None:
            return stated
        for pid, pronoun in (("P22", "he"), ("P25", "she")):
            if self._known.statements.subjects(qid, pid):
                return pronoun
        for word in _telling(label, self._known.labels.description(qid) or ""):
            for pronoun, telling in self._words.described.items():
                if word in telling:
                    return pronoun
        given = self._namesakes[_given(label)]
        return next(iter(given)) if len(given) == 1 and given.total() >= _NAMESAKES else ""

    def _sex(self, qid: str) -> str | None:
        """Return the pronoun for what the store says of the sex; None if it says nothing."""
        stated = {*self._known.statements.values(qid, "P21")}
        if not stated:
            return None
        fitting = [pronoun for pronoun, sexes in self._words.sexes.items() if stated <= sexes]
        return fitting[0] if fitting else ""

    @functools.cached_property
    def _namesakes(self) -> defaultdict[str, Counter[str]]:
        """How many people of each given name are spoken of by which pronoun."""
        found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for qid, _ in self._known.statements.pairs("P21"):
            pronoun = self._sex(qid)
            if pronoun and _PERSON in self._known.kinds.of(qid)[:1]:
                found[_given(self._known.labels.label(qid) or "")][pronoun] += 1
        return found

    def _is_past(self, qid: str) -> bool | None:
        """Tell whether a person is dead, or must be; None if no date is known."""
        kind = self._catalog.kinds[_PERSON]
        if {fact.pid for fact in self._pools.of(qid)} & {*kind.ends, *self._words.deadly}:
            return True
        begun = [
            first
            for pid in (*kind.begins, *self._words.begun)
            for first, _ in self._known.times.years(qid, pid)
        ]
        if begun:
            return min(begun) < _OLDEST
        described = _YEARS.search(self._known.labels.description(qid) or "")
        if described:
            return bool(described["end"]) or int(described["begin"]) < _OLDEST
        return self._is_of_the_past(qid)

    def _is_of_the_past(self, qid: str) -> bool | None:
        """Tell by the occupations of a person: whether most who follow them are of the past."""
        known = [self._eras[one] for one in self._known.statements.values(qid, "P106")]
        shares = [era[True] / era.total() for era in known if era.total() >= _COLLEAGUES]
        return sum(shares) / len(shares) > _MOSTLY if shares else None

    @functools.cached_property
    def _eras(self) -> defaultdict[str, Counter[bool]]:
        """How many of those whose dates are known are of the past, for each occupation."""
        found: defaultdict[str, Counter[bool]] = defaultdict(Counter)
        kind = self._catalog.kinds[_PERSON]
        ended = {qid for pid in kind.ends for qid in self._known.times.of(pid)}
        for pid in kind.begins:
            for qid in self._known.times.of(pid):
                first = min((year for year, _ in self._known.times.years(qid, pid)), default=None)
                if first is not None:
                    is_past = qid in ended or first < _OLDEST
                    for occupation in self._known.statements.values(qid, "P106"):
                        found[occupation][is_past] += 1
        return found


def brief(name: str, other: str) -> str:
    """Return how people speak of somebody who has been named in full, beside another one.

    That is the last word of a plain name, and of others what stands before "of" or a title.
    It is the whole name where that might be no surname, or be meant for the other.

    >>> brief("Jean-Jacques Rousseau", "Jacques Derrida"), brief("Plato", "Socrates")
    ('Rousseau', 'Plato')
    >>> brief("Kylie Jenner", "Brody Jenner"), brief("Philip II of Spain", "Mary Tudor")
    ('Kylie Jenner', 'Philip II')
    """
    short = _ADDITION.split(name)[0]
    if short == name:
        *before, last = name.split()
        is_plain = before and all(word[0].isupper() for word in before)
        is_surname = _SURNAME.fullmatch(last) and last not in _NO_SURNAMES
        short = last if is_plain and is_surname else name
    return name if set(short.split()) & set(other.split()) else short


_ADDITION = re.compile(r",| of | bin | bint | van | von | de ")
_SURNAME = re.compile(r"[^\W\d_][a-z\u00df-\u024f]+(-[A-Z]\w+)?")
_NO_SURNAMES = ("Jr", "Sr", "Great", "Elder", "Younger")


_TITLES = ("bin", "bint")


def _telling(label: str, description: str) -> list[str]:
    """Return the words that may tell a sex: a title before the name, those of the description."""
    first, *rest = re.findall(r"\w+", label.casefold()) or [""]
    described = re.findall(r"\w+", description.casefold())
    return [first, *(word for word in rest if word in _TITLES), *described]


def _given(label: str) -> str:
    """Return the first word of a name of several."""
    first, blank, _ = label.partition(" ")
    return first if blank else ""
