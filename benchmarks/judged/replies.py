"""Judge the replies to questions of GRANOLA that people judged."""

from collections.abc import Iterable, Iterator, Sequence

from benchmarks.judged import Case, Record
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.granola.scoring import grader
from kgbuild.datasets.granola.scoring.matcher import match
from kgbuild.datasets.granola.scoring.truths import Reached
from kgbuild.models.chat import Failure

_NOT_LISTED = "1w"


def cases(records: Iterable[Record]) -> Iterator[Case]:
    """Yield the cases of a set of replies."""
    for record in records:
        yield _case(record, match(record["reply"], grader.truth(record)))


def graded(records: Sequence[Record], ask: Ask, model: str) -> list[Case]:
    """Return the cases of a set of replies, each as a model grades it; "?" without a grade."""
    pairs = [(record["reply"], grader.truth(record)) for record in records]
    outcomes = grader.graded(pairs, ask, model)
    return [_case(*pair) for pair in zip(records, outcomes, strict=True)]


def _case(record: Record, outcome: Reached | Failure) -> Case:
    found = "?" if isinstance(outcome, Failure) else grader.verdict(outcome)
    judged = str(record["verdict"])
    levels = " / ".join(" + ".join(texts) for texts in record["levels"])
    shown = f"{record['question']} [{levels}] {record['reply']!r}"
    return Case(record["id"], record["set"], shown, judged, found, found in _same(judged))


def _same(judged: str) -> tuple[str, ...]:
    """Return the verdicts of the program that agree with a verdict of people.

    0 is no level, 1w an answer that is true, but not in the list.
    """
    return {"0": ("W", "A"), _NOT_LISTED: ("1", "W")}.get(judged, (judged,))
