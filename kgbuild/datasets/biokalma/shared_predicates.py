"""Find the predicates that one clause can ask of both subjects of a question."""

from collections.abc import Sequence
from typing import NamedTuple

from kgbuild.datasets.biokalma.clauses import Predicate, Subject
from kgbuild.datasets.biokalma.question_clauses import make_clause

_HIS, _EACH = "{his}", "each one's"
"""The placeholder of questions that need a plural, "who were their fathers", and its substitute."""


class Shared(NamedTuple):
    """The predicates of both subjects with the values of both, and the predicates of each.

    ``equal`` has those whose values are the same for both, "where did they both study"; ``unlike``
    has the others. ``first`` and ``second`` have the predicates of one subject.
    """

    unlike: list[Predicate]
    equal: list[Predicate]
    first: list[Predicate]
    second: list[Predicate]


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
    equal_pids = {
        predicate.pid
        for predicate in first
        if predicate.pid in shared and {*predicate.values} == {*by_pid[predicate.pid].values}
    }
    ends = {
        make_clause(joint, subject).end for pid, joint in shared.items() if pid not in equal_pids
    }
    # "When and where were they born", though both were born in one town.
    equal = [
        joint
        for pid, joint in shared.items()
        if pid in equal_pids and make_clause(joint, subject).end not in ends
    ]
    return Shared(
        [joint for joint in shared.values() if joint not in equal],
        equal,
        [predicate for predicate in first if predicate.pid not in shared],
        [predicate for predicate in second if predicate.pid not in shared],
    )


def _join(
    first: Predicate, subject: Subject, second: Predicate, other: Subject
) -> Predicate | None:
    """Return the predicate with the values of both subjects; None if no clause can ask both.

    The nouns for the values of both must be the same, or the noun of the wording replaces them.
    """
    wording, values = first.wording, tuple(dict.fromkeys((*first.values, *second.values)))
    if first.in_turn or second.in_turn:
        return None
    if not wording.asks_both and _HIS in wording.asks:
        if (len(first.values) > 1) != (len(second.values) > 1):
            return None
        values = first.values  # each has one, or each has several
        wording = wording._replace(asks_both=wording.asks.replace(_HIS, _EACH))
    joint = first._replace(
        wording=wording,
        values=values,
        of_people=first.of_people or second.of_people,
        noun=first.noun if first.noun == second.noun else wording.noun,
    )
    clauses = [make_clause(joint, person, wording.asks_both) for person in (subject, other)]
    return joint if clauses[0].words == clauses[1].words else None
