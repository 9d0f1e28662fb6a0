"""Decide by marks and columns whether similar items can replace the subject of a statement.

``Checks`` defines the checks, and this module has those that most items fail, in the same order. Of
an item that it cannot decide it says nothing, and ``Checks`` decides.
"""

from typing import NamedTuple

from kgbuild.datasets.syn_qa.path_facts import PathFacts
from kgbuild.datasets.syn_qa.questions import Chain, Template
from kgbuild.datasets.syn_qa.screen import (
    ALIKE,
    ANY_COUNTRY,
    LIFESPAN,
    NEAR,
    OF_OBJECTS_COUNTRY,
    PERSON,
    UNALIKE,
    UNDECIDED,
    Marked,
    Screen,
)
from kgbuild.datasets.syn_qa.sexes import SEX, Sexes
from kgbuild.graph.eras import Eras
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.years import NO_YEAR
from kgbuild.relations import COUNTRIES
from kgbuild.store.arrays import Positions


class Reason(NamedTuple):
    """The reason, of ``rows``, why an item cannot replace the subject."""

    reason: str
    detail: str


class Fit(NamedTuple):
    """An item that can replace the subject.

    ``is_far`` is whether it shares no value with the subject that others differ in, and
    ``is_undated`` whether its time is not known.
    """

    is_far: bool
    is_undated: bool


class Screening:
    """Decides about the similar items of the subjects of one path."""

    def __init__(
        self, knowledge: Knowledge, facts: PathFacts, screen: Screen, eras: Eras, sexes: Sexes
    ):
        last = facts.path.last
        self.screen = screen
        self.facts = facts
        self.questions = facts.questions
        self.eras = eras
        self.sexes = sexes
        self.unknown = knowledge.missing.unknown(last.pid)
        self.matching = last.matching_properties
        self.compares_sex = SEX in last.matching_properties
        self.years_later = last.years_later
        # The sex may be inferred, and the times of works are compared with whole lives.
        self.decides_fit = SEX not in facts.path.start.preferred_properties and not last.alive
        self._values = knowledge.statements.values
        self._years = knowledge.begin_years

    def of(
        self, chain: Chain, template: Template, rows: Positions, marked: Marked
    ) -> "Screened | None":
        """Return what decides about similar items, by their rows and marks; None if nothing."""
        if not self.screen.applies:
            return None
        return Screened(self, chain, template, self._years().own[rows].tolist(), marked)

    def own_sexes(self, qid: str) -> set[str]:
        """Return the sexes of an item: the pronoun for it, or what is stated."""
        return {pronoun} if (pronoun := self.sexes.of(qid)) else {*self._values(qid, SEX)}


class Screened:
    """Decides about the similar items of the subject of one statement."""

    def __init__(
        self,
        screening: Screening,
        chain: Chain,
        template: Template,
        years: list[int],
        marked: Marked,
    ):
        self._screening = screening
        self._chain = chain
        self._template = template
        self._marks: list[int] = marked.marks.tolist()
        self._years = years
        self._classes = marked.classes
        self._compares_country = marked.compares_country
        questions = screening.questions
        self._kind = questions.subject(chain.subject)
        self._names = {questions.folded(chain.subject), questions.folded(chain.object)}
        # A name that reveals a sex, and names of places, are checked before the time.
        self._compares_times = (
            self._kind is not None
            and self._kind.name == PERSON
            and not questions.has_gendered_name(chain.object)
        )
        self._max_years = self._kind.max_years_apart if self._kind else 0
        self._year = screening.eras.year(chain.subject)
        self._object_year = screening.eras.year(chain.object)
        self._sexes = screening.own_sexes(chain.subject) if screening.compares_sex else set()

    def verdict(self, n: int, qid: str) -> Reason | Fit | None:
        """Return why the item in this place is none that fits, or that it fits, or None."""
        mark = self._marks[n]
        has_classes = mark & self._classes == self._classes
        if mark & UNDECIDED or not has_classes or qid in self._screening.unknown:
            return None
        if self._screening.matching:
            if mark & ALIKE:
                if mark & UNALIKE:
                    return None
            elif not self._screening.compares_sex or mark & UNALIKE or not self._has_sex(qid):
                return Reason("differs", ", ".join(self._screening.matching))
        if self._compares_country and mark & ANY_COUNTRY and not mark & OF_OBJECTS_COUNTRY:
            return Reason("differs", ", ".join(COUNTRIES))
        if reason := self._by_name(qid):
            return reason
        return self._by_time(n, qid, mark) if self._compares_times else None

    def _has_sex(self, qid: str) -> bool:
        """Return whether an item without a statement of its sex has a sex of the subject."""
        return self._screening.sexes.of(qid) in self._sexes

    def _by_name(self, qid: str) -> Reason | None:
        """Return what is wrong with the name of an item, or None."""
        questions = self._screening.questions
        name = questions.folded(qid)
        if not name and not questions.label(qid):
            return Reason("no label", qid)
        if name in self._names:
            subject, _, object_ = self._chain
            return Reason("same name", ", ".join((subject, object_, qid)))
        if questions.is_unfit_subject(self._template, self._kind, qid):
            return Reason("unfit label", questions.label(qid))
        return None

    def _by_time(self, n: int, qid: str, mark: int) -> Reason | Fit | None:
        """Return why the time of a person does not fit, or that the person fits, or None."""
        year: int | None = self._years[n]
        if year == NO_YEAR:
            year = self._screening.eras.year(qid)
        if year is not None and self._year is not None:
            apart = abs(year - self._year)
            if apart > self._max_years:
                return Reason("other time", f"{apart} years")
        least, most = self._screening.years_later
        if year is None or self._object_year is None:
            if -least != most:
                return Reason("other time", "unknown")
        elif not least <= (later := self._object_year - year) <= min(most, LIFESPAN):
            return Reason("other time", f"{later} years")
        return Fit(not mark & NEAR, year is None) if self._screening.decides_fit else None
