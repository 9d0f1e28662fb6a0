"""How sentences refer to subjects: by name, by pronoun, and in which tense."""

import functools
import itertools
import re
from collections import Counter, defaultdict

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.lexicon import lexicon
from kgbuild.datasets.biokalma.pool import Pools
from kgbuild.datasets.biokalma.sentences import Subject
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import clean

_PERSON, _THING = "person", "thing"
_HONOURS = ("P166", "P412", "P1344", "P1411", "P2522")  # awards, voices and contests
_MIN_HINTS = 3
"""Minimum number of namesakes or honours, all of one sex, that imply a pronoun."""
_FIRST_ALIVE = 1930
"""People born before this year count as dead even if no death is stated."""
_YEARS = re.compile(r"\((?:born )?(?P<begin>\d{3,4})(?:\s?[-–]\s?(?P<end>\d{3,4}))?\)")
_PUBLISHED = "P577"
_WORKS = {"screen", "music", "writing"}
_LAST_OF_DEAD, _FIRST_OF_LIVING = 1965, 1985
"""People count as dead if their median work is from before 1965, as alive if it is from 1985 on."""
_MAX_DEAD_COLLEAGUES = 0.45
"""People count as dead if a larger share of the people with their occupations is dead."""
_MIN_COLLEAGUES = 5
"""Minimum number of people with dates in an occupation that is used for this share."""


class Subjects:
    """Finds the names, pronouns and tenses of subjects; a subject that is not a person is "it"."""

    def __init__(self, knowledge: Knowledge, pools: Pools):
        self._knowledge = knowledge
        self._pools = pools
        self.subject = functools.lru_cache(None)(self._read)

    def _read(self, qid: str) -> Subject:
        kinds = self._knowledge.kinds.names(qid)
        label = clean(self._knowledge.labels.label(qid) or qid)
        if _PERSON not in kinds[:1]:
            kind = catalog().kinds[kinds[0] if kinds else _THING]
            ended = any(self._knowledge.times.years(qid, pid) for pid in kind.ends)
            return Subject(kind.phrase(label), "it", ended)
        return Subject(label, self._pronoun(qid), self._is_past(qid))

    def _pronoun(self, qid: str) -> str:
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

    def _is_past(self, qid: str) -> bool | None:
        """Return whether a person is dead; None if unknown.

        The sources, in this order: a death, or a property that only dead people have; dates of
        birth or work; years in the description; the years of works; the share of dead people in
        the same occupations.
        """
        kind = catalog().kinds[_PERSON]
        if {fact.pid for fact in self._pools.facts(qid)} & {*kind.ends, *lexicon().deadly}:
            return True
        begins = [
            first
            for pid in (*kind.begins, *lexicon().begun)
            for first, _ in self._knowledge.times.years(qid, pid)
        ]
        if begins:
            return min(begins) < _FIRST_ALIVE
        years = _YEARS.search(self._knowledge.labels.description(qid) or "")
        if years:
            return bool(years["end"]) or int(years["begin"]) < _FIRST_ALIVE
        return self._is_probably_past(qid)

    def _is_probably_past(self, qid: str) -> bool | None:
        """Infer from works and colleagues whether a person without dates is dead."""
        if years := sorted(self._released[work] for work in self._works(qid)):
            median = years[len(years) // 2]
            if not _LAST_OF_DEAD <= median < _FIRST_OF_LIVING:
                return median < _LAST_OF_DEAD
        occupations = self._knowledge.statements.values(qid, "P106")
        eras = [self._eras[occupation] for occupation in occupations]
        shares = [era[True] / era.total() for era in eras if era.total() >= _MIN_COLLEAGUES]
        return sum(shares) / len(shares) > _MAX_DEAD_COLLEAGUES if shares else None

    def _works(self, qid: str) -> list[str]:
        """Return the dated works to which statements link a person."""
        pids = [
            relation.pid
            for relation in catalog().relations.values()
            if _PERSON in relation.object and _WORKS & {*relation.subject}
        ]
        works = (work for pid in pids for work in self._knowledge.statements.subjects(qid, pid))
        return [work for work in works if work in self._released]

    @functools.cached_property
    def _released(self) -> dict[str, int]:
        """The first year of publication of each published item."""
        times = self._knowledge.times
        published = {qid: times.years(qid, _PUBLISHED) for qid in times.by_item(_PUBLISHED)}
        return {qid: min(first for first, _ in years) for qid, years in published.items() if years}

    @functools.cached_property
    def _eras(self) -> defaultdict[str, Counter[bool]]:
        """The numbers of dead (True) and living people with dates, by occupation."""
        counts: defaultdict[str, Counter[bool]] = defaultdict(Counter)
        kind = catalog().kinds[_PERSON]
        ended = {qid for pid in kind.ends for qid in self._knowledge.times.by_item(pid)}
        for pid in kind.begins:
            for qid in self._knowledge.times.by_item(pid):
                if years := [first for first, _ in self._knowledge.times.years(qid, pid)]:
                    is_past = qid in ended or min(years) < _FIRST_ALIVE
                    for occupation in self._knowledge.statements.values(qid, "P106"):
                        counts[occupation][is_past] += 1
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


def short_name(name: str, other: str) -> str:
    """Return the short name of a person for later mentions, in a text about ``other`` too.

    It is the last word of a plain name; the part before "of" or a title of other names. It is the
    whole name if the last word may not be a surname, or may refer to the other person.

    >>> short_name("Jean-Jacques Rousseau", "Jacques Derrida"), short_name("Plato", "Socrates")
    ('Rousseau', 'Plato')
    >>> short_name("Kylie Jenner", "Brody Jenner"), short_name("Philip II of Spain", "Mary Tudor")
    ('Kylie', 'Philip II')
    """
    taken = {*other.split()}
    head = _ADDITION.split(name)[0]
    first, *rest = head.split()
    short = [first, *rest]
    if head == name and rest:
        words = [word for word in short if word not in _PARTICLES]
        if all(map(_SURNAME.fullmatch, words)) and rest[-1] not in _NOT_SURNAMES:
            # First names distinguish members of one family.
            short = [first] if rest[-1] in taken else rest[-1:]
    return name if taken & {*short} else " ".join(short)


_ADDITION = re.compile(r",| of | bin | bint ")
_PARTICLES = ("da", "de", "del", "der", "di", "du", "la", "le", "van", "von", "zu")
_SURNAME = re.compile(r"[^\W\d_][a-z\u00df-\u024f]+(-[A-Z]\w+)?")
_NOT_SURNAMES = ("Jr", "Sr", "Junior", "Senior", "Great", "Elder", "Younger")
