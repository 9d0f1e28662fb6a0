"""Judge the verdict that is read from a reply about the assumption of a question of Syn-(QA)²."""

from collections.abc import Iterable, Iterator

from benchmarks.judged import Case, Record
from kgbuild.datasets.syn_qa.scoring.verdicts import REFUSED, UNDECIDED, verdict


def cases(records: Iterable[Record]) -> Iterator[Case]:
    """Yield a case for each reply; what is refused and what is undecided score the same."""
    for record in records:
        judged, found = record["verdict"], verdict(record["reply"])
        agrees = judged == found or {judged, found} == {REFUSED, UNDECIDED}
        part = record.get("set", "clear" if record["clear"] else "unclear")
        yield Case(record["id"], part, record["reply"], judged, found, agrees)
