"""Ask a second source about the assumptions of a dataset, and write its verdicts.

An assumption is what a row of a dataset supposes: that a statement is false, or that the values in
a knowledge set are all values of a property.
"""

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from kgbuild.errors import KgbuildError
from kgbuild.rows import Progress
from kgbuild.tables.records import Verification
from kgbuild.tables.verifications import verifications

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

UNVERIFIED = "unverified"
"""The verdict on an assumption about which the source did not answer."""
BATCH = 40
"""Number of assumptions whose verdicts an endpoint finds together."""

T = TypeVar("T")


@dataclass(frozen=True)
class Verified:
    """The result of a verification.

    ``counts`` has the number of assumptions by role and verdict, ``removed`` the ids of the rows
    that became rejections; it is empty with ``keep``.
    """

    source_kind: str
    source: str
    counts: Mapping[tuple[str, str], int]
    removed: Sequence[str]


class AnyAssumption(Protocol):
    """An assumption of a row; fields are columns of ``verifications``."""

    @property
    def relation(self) -> str:
        """The relation or file from which the row was built."""

    @property
    def item_id(self) -> str:
        """The id of the row."""

    @property
    def split(self) -> str:
        """The split of the row."""

    @property
    def role(self) -> str:
        """Which assumption of the row it is."""


class AnyFinding(Protocol):
    """The verdict of a source about an assumption; fields are columns of ``verifications``."""

    @property
    def assumption(self) -> Any:
        """The assumption."""

    @property
    def verdict(self) -> str:
        """The verdict."""

    @property
    def form(self) -> str | None:
        """How the assumption holds, if the source says it."""

    @property
    def evidence(self) -> str:
        """What the verdict is based on."""


class Failure(NamedTuple):
    """The finding of a source that failed."""

    assumption: Any
    evidence: str
    verdict: str = UNVERIFIED
    form: str | None = None


class AnySource(Protocol):
    """A second source.

    ``kind`` and ``name`` are written to ``verifications``. If ``resumes`` is true, a run after an
    interruption asks only for the assumptions without a verdict.
    """

    kind: str
    name: str
    resumes: bool

    def findings(
        self, assumptions: Sequence[Any], progress: Progress
    ) -> Iterator[Sequence[AnyFinding]]:
        """Yield findings about all assumptions in batches, in their order.

        Raises:
            KgbuildError: the source fails; findings that were yielded before are valid.
        """


def verify_all(
    db: "Database",
    dataset: str,
    source: AnySource,
    assumptions: Sequence[AnyAssumption],
    progress: Progress,
) -> list[AnyFinding]:
    """Write the verdicts of a source batch by batch; return the findings without a verdict.

    A run after an interruption continues where the last run stopped, if the source allows that;
    after a complete run, all assumptions are verified again. An assumption keeps its earlier
    verdict if the source fails now.

    Raises:
        KgbuildError: the source failed before the first batch, or the database cannot be used.
    """
    settled = {
        key for key, verdict in verdicts(db, dataset, source).items() if verdict != UNVERIFIED
    }
    pending = [assumption for assumption in assumptions if _key(assumption) not in settled]
    if not source.resumes or not pending:
        pending = [*assumptions]
    unverified: list[AnyFinding] = []

    def write(findings: Sequence[AnyFinding]) -> None:
        failures = [finding for finding in findings if finding.verdict == UNVERIFIED]
        unverified.extend(failures)
        new_failures = [failure for failure in failures if _key(failure.assumption) not in settled]
        answered = [finding for finding in findings if finding.verdict != UNVERIFIED]
        _write(db, dataset, source, [*answered, *new_failures])

    done = 0
    try:
        for findings in source.findings(pending, progress):
            write(findings)
            done += len(findings)
    except KgbuildError as error:
        if not done:
            raise
        write([Failure(assumption, str(error)) for assumption in pending[done:]])
    return unverified


def verdicts(db: "Database", dataset: str, source: AnySource) -> dict[tuple[str, str], str]:
    """Return the verdicts of a source, by role and row."""
    with db.reading() as select:
        return {
            (row.role, row.item_id): row.verdict
            for row in verifications(select, dataset)
            if (row.source_kind, row.source) == (source.kind, source.name)
        }


def batches(values: Sequence[T], size: int = BATCH) -> Iterable[Sequence[T]]:
    """Yield consecutive batches of values; the last one may be smaller than ``size``."""
    return (values[start : start + size] for start in range(0, len(values), size))


def _key(assumption: AnyAssumption) -> tuple[str, str]:
    return assumption.role, assumption.item_id


def _write(db: "Database", dataset: str, source: AnySource, findings: Sequence[AnyFinding]) -> None:
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None, microsecond=0)
    if not findings:
        return
    db.write_verifications(
        [
            Verification(
                dataset=dataset,
                relation=finding.assumption.relation,
                item_id=finding.assumption.item_id,
                split=finding.assumption.split,
                role=finding.assumption.role,
                source_kind=source.kind,
                source=source.name,
                verdict=finding.verdict,
                form=finding.form,
                evidence=finding.evidence,
                verified_at=now,
            )
            for finding in findings
        ]
    )
