"""Ask a second source about the assumptions of a dataset, and write its verdicts.

An assumption is what a row of a dataset supposes: that a statement is false, or that the values in
a knowledge set are all values of a property.
"""

import contextlib
import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from kgbuild.errors import KgbuildError
from kgbuild.rows import Progress
from kgbuild.tables.records import Verification
from kgbuild.tables.verifications import verifications

if TYPE_CHECKING:
    from kgbuild.store.oxigraph import Graph
    from kgbuild.tables.database import Database

UNVERIFIED = "unverified"
"""The verdict on an assumption about which the source did not answer."""

T = TypeVar("T")


@dataclass(frozen=True)
class Verified:
    """The result of a verification.

    ``counts`` has the number of assumptions by role and verdict, ``removed`` the ids of the rows
    that became rejections; it is empty with ``keep``. ``is_discerning`` is false if the source is a
    model that can't tell true from false assumptions, so that nothing is removed by it.
    """

    source_kind: str
    source: str
    counts: Mapping[tuple[str, str], int]
    removed: Sequence[str]
    is_discerning: bool = True


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


A = TypeVar("A", bound=AnyAssumption)


class Finding(NamedTuple, Generic[A]):
    """The verdict of a source about an assumption; fields are columns of ``verifications``.

    ``form`` says how the assumption holds, if the source tells it; ``evidence`` is what the verdict
    is based on.
    """

    assumption: A
    verdict: str
    form: str | None = None
    evidence: str = ""


class VerificationSource(Protocol[A]):
    """A second source.

    ``kind`` and ``name`` are written to ``verifications``. If ``resumes`` is true, a run after an
    interruption asks only for the assumptions without a verdict.
    """

    kind: str
    name: str
    resumes: bool

    def findings(self, assumptions: Sequence[A], progress: Progress) -> Iterator[list[Finding[A]]]:
        """Yield findings about all assumptions in batches, in their order.

        Raises:
            KgbuildError: the source fails; findings that were yielded before are valid.
        """


def verify_all(
    db: "Database",
    dataset: str,
    source: VerificationSource[A],
    assumptions: Sequence[A],
    progress: Progress,
) -> list[Finding[A]]:
    """Write the verdicts of a source batch by batch; return the findings without a verdict.

    A run after an interruption continues where the last run stopped, if the source allows that;
    after a complete run, all assumptions are verified again. An assumption keeps its earlier
    verdict if the source fails now.

    Raises:
        KgbuildError: the source failed before the first batch, or the database cannot be used.
    """
    found = found_by(db, dataset, source)
    settled = {key for key, earlier in found.items() if earlier.verdict != UNVERIFIED}
    pending = [assumption for assumption in assumptions if _key(assumption) not in settled]
    if not source.resumes or not pending:
        pending = [*assumptions]
    unverified: list[Finding[A]] = []

    def write(findings: Sequence[Finding[A]]) -> None:
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
        reason = str(error)
        write([Finding(assumption, UNVERIFIED, None, reason) for assumption in pending[done:]])
    return unverified


def require_verified(source: str, total: int, unverified: Sequence[Finding[A]]) -> None:
    """Raise a KgbuildError if findings of ``total`` have no verdict; the others are written."""
    if unverified:
        raise KgbuildError(
            f"{len(unverified):,} of {total:,} assumptions are unverified, the others are "
            f"verified: {source} failed. {unverified[0].evidence} Call the same again to go on."
        )


def found_by(
    db: "Database", dataset: str, source: VerificationSource[A]
) -> dict[tuple[str, str], Verification]:
    """Return what a source found, by role and row."""
    with db.reading() as select:
        return {
            (row.role, row.item_id): row
            for row in verifications(select, dataset)
            if (row.source_kind, row.source) == (source.kind, source.name)
        }


@contextlib.contextmanager
def opened_endpoint(url: str, notice: Callable[[str], None]) -> "Iterator[tuple[Graph, str]]":
    """Open the endpoint at a URL; yield its graph, and its address without secrets."""
    from kgbuild.graph.open import open_source
    from kgbuild.net import failures, urls

    with open_source(Path(), url, notice) as opened:
        yield opened.graph, failures.printable(urls.public(url))


def batches(values: Sequence[T]) -> Iterable[Sequence[T]]:
    """Yield consecutive batches of forty values, whose verdicts an endpoint finds together."""
    return (values[start : start + 40] for start in range(0, len(values), 40))


def _key(assumption: AnyAssumption) -> tuple[str, str]:
    return assumption.role, assumption.item_id


def _write(
    db: "Database", dataset: str, source: VerificationSource[A], findings: Sequence[Finding[A]]
) -> None:
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
