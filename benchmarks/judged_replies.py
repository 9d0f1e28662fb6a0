"""Judge the replies to questions of GRANOLA that people judged."""

from collections.abc import Iterable, Iterator

from benchmarks.judged import Case, Record
from kgbuild.datasets.granola.matcher import Matcher
from kgbuild.datasets.granola.truths import TrueAnswer, Truth

_WRONG, _ABSTAINED, _NOT_LISTED = "W", "A", "1w"


def truth(record: Record) -> Truth:
    """Return the true answers to the question of a record."""
    answers = [
        TrueAnswer(level, record["kinds"].get(text, ""), text, record["aliases"].get(text, []))
        for level, texts in enumerate(record["levels"], 1)
        for text in texts
    ]
    return Truth(record["question"], record["relation"], answers)


def cases(records: Iterable[Record]) -> Iterator[Case]:
    """Yield the cases of a set of replies; each is judged with no question but its own."""
    for record in records:
        true = truth(record)
        outcome = Matcher([true]).judge(record["reply"], true)
        found = str(outcome.level or (_ABSTAINED if outcome.abstained else _WRONG))
        judged = str(record["verdict"])
        levels = " / ".join(" + ".join(texts) for texts in record["levels"])
        shown = f"{record['question']} [{levels}] {record['reply']!r}"
        yield Case(record["id"], record["set"], shown, judged, found, found in _same(judged))


def _same(judged: str) -> tuple[str, ...]:
    """Return the verdicts of the program that agree with a verdict of people.

    0 is no level, 1w an answer that is true, but not in the list.
    """
    return {"0": (_WRONG, _ABSTAINED), _NOT_LISTED: ("1", _WRONG)}.get(judged, (judged,))
