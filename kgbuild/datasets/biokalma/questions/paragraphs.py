"""Write paragraphs: sentences of one or two clauses about each subject in turn."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgbuild.datasets.biokalma.questions.clauses import (
    Description,
    Mention,
    Predicate,
    Subject,
    by_name,
    capitalise,
    write_clause,
)
from kgbuild.datasets.biokalma.questions.lexicon import lexicon

_SUBJECT_START = "{he} "
"""The beginning of a template whose subject can be left out after "and"."""


class _Clause(NamedTuple):
    """A template and the one or two predicates that fill it."""

    template: str
    predicates: tuple[Predicate, ...]

    @property
    def is_clear(self) -> bool:
        """Whether a pronoun after the clause can only refer to the subject."""
        return not any(predicate.of_people for predicate in self.predicates)

    @property
    def can_continue(self) -> bool:
        """Whether "and" and another clause can follow: not after "Dublin, Ohio"."""
        values = (value for predicate in self.predicates for value in predicate.values)
        return self.template.startswith(_SUBJECT_START) and not any(
            ", " in value for value in values
        )


def write_paragraph(descriptions: Sequence[Description]) -> str:
    """Return a paragraph that states the predicates of each subject in turn.

    A subject is first mentioned by its name, in a later description by its short name, and within
    a description by its pronoun if that is known. Two sentences with the same subject are joined
    by "and".
    """
    sentences: list[str] = []
    named: set[str] = set()
    for subject, predicates in descriptions:
        mention = subject.by_short_name if subject.name in named else by_name(subject.name)
        sentences += _sentences(subject, predicates, mention)
        if predicates:
            named.add(subject.name)
    return " ".join(sentences)


def _sentences(
    subject: Subject, predicates: Sequence[Predicate], mention: Mention
) -> Iterator[str]:
    """Yield the sentences about a subject, of one or two clauses each."""
    clauses = _clauses(predicates)
    while clauses:
        first = clauses.pop(0)
        text = _text(first, subject, mention)
        last = first
        if clauses and first.can_continue and clauses[0].template.startswith(_SUBJECT_START):
            last = clauses.pop(0)
            second = last._replace(template=last.template.removeprefix(_SUBJECT_START))
            text = f"{text} and {_text(second, subject, subject.later_mention(first.is_clear))}"
        mention = subject.later_mention(first.is_clear and last.is_clear)
        yield capitalise(text) + ("" if text.endswith(".") else ".")


def _text(clause: _Clause, subject: Subject, mention: Mention) -> str:
    return write_clause(subject, clause.predicates, mention, clause.template)


def _clauses(predicates: Sequence[Predicate]) -> list[_Clause]:
    """Return the clauses of predicates, in their order.

    A joint template makes one clause of two predicates, in the place of the first one.
    """
    single = {predicate.pid: predicate for predicate in predicates}
    clauses = {
        pid: _Clause(predicate.wording.says, (predicate,)) for pid, predicate in single.items()
    }
    for first, second, says in lexicon().together:
        pair = [single.get(pid) for pid in (first, second)]
        if all(predicate and len(predicate.values) == 1 for predicate in pair):
            clauses[first] = _Clause(says, (single.pop(first), single.pop(second)))
            del clauses[second]
    return list(clauses.values())
