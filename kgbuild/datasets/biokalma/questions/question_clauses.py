"""Make the clauses of questions: of one subject, or of both if one clause can ask both.

A clause such as "where did {he} study" has a question phrase (where), an auxiliary (did), a place
for its subject and a rest (study). Clauses that share all but the phrase become one clause: "when
and where was Ann born".

Source of this step (aggregation): E. Reiter and R. Dale, Building Natural Language Generation
Systems, 2000, chapter 5.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from kgbuild.datasets.biokalma.questions.clauses import (
    Mention,
    Predicate,
    Subject,
    fill_names,
    join,
    resolve,
)

_PLURAL = {"was": "were", "is": "are", "has": "have", "does": "do"}
_PARTS = re.compile(
    r"(?P<phrase>.+) (?P<auxiliary>was|is|were|are|did|does|do|has|have) (?P<place>\{he\}|\{his\})"
    r"(?P<rest>.*)"
)
_PLACE = re.compile(r"(?P<phrase>.*?)(?P<place>\{h\w+\})(?P<rest>.*)")
_ADVERBS = ("when", "where")
"""Question phrases that come first: "when, where, and how did Ann die"."""


class Clause(NamedTuple):
    """A question about one subject or about both: its parts, of which the phrases may be several.

    ``of_people`` is whether an answer names a person: then a later pronoun might mean this person.
    """

    phrases: tuple[str, ...]
    auxiliary: str
    place: str
    rest: str
    of_people: bool = False

    @property
    def end(self) -> tuple[object, ...]:
        """The parts that clauses with the same predicate share; a clause without verb has none."""
        return self[1:4] if self.auxiliary else self[:4]

    def text(self, mention: Mention, is_plural: bool = False) -> str:
        """Return the clause with a mention of its subject, which is plural for both subjects."""
        auxiliary = self.auxiliary
        if is_plural and self.place == "{he}":
            auxiliary = _PLURAL.get(auxiliary, auxiliary)
        adverbs = [adverb for adverb in _ADVERBS if adverb in self.phrases]
        phrase = join([*adverbs, *(one for one in self.phrases if one not in _ADVERBS)])
        template = " ".join(filter(None, (phrase, auxiliary, self.place))) + self.rest
        # "Thomas Cruise, Jr." needs a comma before a verb, but not before an end.
        texts = {self.place: mention[self.place]} if self.place else {}
        return fill_names(template, texts, ("{his}",))


class Shared(NamedTuple):
    """The predicates of both subjects, with the values of both, and those of each."""

    both: list[Predicate]
    first: list[Predicate]
    second: list[Predicate]


def make_clauses(subject: Subject, predicates: Sequence[Predicate]) -> list[Clause]:
    """Return the clauses of predicates about one subject, in the order of their first predicates.

    Those with the same predicate are one.
    """
    return _aggregate([_make_clause(predicate, subject) for predicate in predicates])


def make_plural_clauses(subject: Subject, predicates: Sequence[Predicate]) -> list[Clause]:
    """Return the clauses of predicates about both subjects; ``subject`` has the tense of both."""
    return _aggregate([_make_plural(predicate, subject) for predicate in predicates])


def is_parallel(first: Predicate, second: Predicate) -> bool:
    """Return whether one clause can ask both subjects for two predicates, whatever the tenses."""
    return _join(first, Subject(""), second, Subject("")) is not None


def divide(
    first: Sequence[Predicate], second: Sequence[Predicate], subject: Subject, other: Subject
) -> Shared:
    """Return the predicates that both subjects share, and those of each."""
    by_pid = {predicate.pid: predicate for predicate in second}
    shared: dict[str, Predicate] = {}
    for predicate in first:
        partner = by_pid.get(predicate.pid)
        if partner and (joint := _join(predicate, subject, partner, other)):
            shared[predicate.pid] = joint
    return Shared(
        [*shared.values()],
        [predicate for predicate in first if predicate.pid not in shared],
        [predicate for predicate in second if predicate.pid not in shared],
    )


def _join(
    first: Predicate, subject: Subject, second: Predicate, other: Subject
) -> Predicate | None:
    """Return the predicate with the values of both subjects; None if no clause can ask both.

    The nouns for the values of both must be the same, or the noun of the wording replaces them. A
    question about {his} something without a plural of its own asks for "each one's".
    """
    wording, values = first.wording, tuple(dict.fromkeys((*first.values, *second.values)))
    if first.in_turn or second.in_turn:
        return None
    if not wording.asks_both and "{his}" in wording.asks:
        if (len(first.values) > 1) != (len(second.values) > 1):
            return None
        values = first.values  # each has one, or each has several
        wording = wording._replace(asks_both=wording.asks.replace("{his}", "each one's"))
    joint = first._replace(
        wording=wording,
        values=values,
        of_people=first.of_people or second.of_people,
        noun=first.noun if first.noun == second.noun else wording.noun,
    )
    clauses = [_make_plural(joint, person) for person in (subject, other)]
    return joint if clauses[0][:4] == clauses[1][:4] else None


def _make_plural(predicate: Predicate, subject: Subject) -> Clause:
    return _make_clause(predicate, subject, predicate.wording.asks_both)


def _make_clause(predicate: Predicate, subject: Subject, template: str = "") -> Clause:
    """Return the question for a predicate; ``template`` replaces that of its wording."""
    question = resolve(template or predicate.wording.asks, subject, predicate)
    match = _PARTS.fullmatch(question) or _PLACE.fullmatch(question)
    if match is None:  # "what was each one's motto" has no place
        return Clause((question,), "", "", "", predicate.of_people)
    parts = match.groupdict(default="")
    rest = parts["rest"]
    if predicate.in_turn:  # "whom did Ann teach in turn", "who were Ann's own students"
        rest = f" own{rest}" if parts["place"] == "{his}" else f"{rest} in turn"
    phrase = parts["phrase"].rstrip()
    return Clause((phrase,), parts.get("auxiliary", ""), parts["place"], rest, predicate.of_people)


def _aggregate(clauses: Sequence[Clause]) -> list[Clause]:
    """Return clauses in which those with the same predicate are one."""
    by_predicate: dict[object, Clause] = {}
    for number, clause in enumerate(clauses):
        key = clause.end if clause.auxiliary else number
        if partner := by_predicate.get(key):
            phrases = (*partner.phrases, *clause.phrases)
            of_people = partner.of_people or clause.of_people
            by_predicate[key] = partner._replace(phrases=phrases, of_people=of_people)
        else:
            by_predicate[key] = clause
    return [*by_predicate.values()]
