"""Verify the pairs of a database by a source, and remove pairs whose false assumption holds."""

import datetime
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgbuild.datasets.syn_qa.rows import DATASET
from kgbuild.datasets.syn_qa.verification.assumptions import (
    FALSE,
    HOLDS,
    TRUE,
    UNVERIFIED,
    Assumption,
    Finding,
    Source,
    assumptions,
)
from kgbuild.errors import KgbuildError, NothingToVerifyError, UnverifiedError
from kgbuild.rows import Progress, Rejection
from kgbuild.tables.records import Verification
from kgbuild.tables.verifications import REASON, verifications

if TYPE_CHECKING:
    from kgbuild.datasets.base import AnyDataset
    from kgbuild.tables.database import Database


@dataclass(frozen=True)
class Verified:
    """The result of a verification.

    ``counts`` has the number of assumptions by role and verdict, ``removed`` the ids of the pairs
    that became rejections; it is empty with ``keep``.
    """

    source_kind: str
    source: str
    counts: Mapping[tuple[str, str], int]
    removed: Sequence[str]


def run(
    db: "Database",
    dataset: "AnyDataset",
    source: Source,
    *,
    true: bool,
    keep: bool,
    progress: Progress,
) -> Verified:
    """Verify all false assumptions by a source, with ``true`` also the true ones.

    Verdicts are written batch by batch. A run after an interruption continues where the last run
    stopped, if the source allows that; after a complete run, all assumptions are verified again. At
    the end, pairs whose false assumption holds by any source become rejections, unless ``keep``.

    Raises:
        NothingToVerifyError: there are no pairs.
        UnverifiedError: the source failed after some assumptions were verified.
        KgbuildError: the source failed before that, or the database cannot be used.
    """
    db.create_tables()
    all_assumptions = assumptions(db, [FALSE, TRUE] if true else [FALSE])
    if not all_assumptions:
        raise NothingToVerifyError(db.path)
    unverified = _verify(db, source, all_assumptions, progress)
    removed = [] if keep else _remove(db, dataset, all_assumptions)
    if unverified:
        detail = unverified[0].evidence
        raise UnverifiedError(source.name, len(all_assumptions), len(unverified), detail)
    verdicts = _verdicts(db, source)
    counts = Counter((assumption.role, verdicts[assumption.key]) for assumption in all_assumptions)
    return Verified(source.kind, source.name, counts, removed)


def _verify(
    db: "Database", source: Source, assumptions: Sequence[Assumption], progress: Progress
) -> list[Finding]:
    """Write the verdicts of a source; return the findings without a verdict.

    An assumption keeps its earlier verdict if the source fails now.
    """
    settled = {key for key, verdict in _verdicts(db, source).items() if verdict != UNVERIFIED}
    pending = [assumption for assumption in assumptions if assumption.key not in settled]
    if not source.resumes or not pending:
        pending = [*assumptions]
    unverified: list[Finding] = []

    def write(findings: Sequence[Finding]) -> None:
        failures = [finding for finding in findings if finding.verdict == UNVERIFIED]
        unverified.extend(failures)
        _write(
            db,
            source,
            [finding for finding in findings if finding.verdict != UNVERIFIED]
            + [failure for failure in failures if failure.assumption.key not in settled],
        )

    done = 0
    try:
        for findings in source.findings(pending, progress):
            write(findings)
            done += len(findings)
    except KgbuildError as error:
        if not done:
            raise
        remaining = pending[done:]
        write([Finding(assumption, UNVERIFIED, evidence=str(error)) for assumption in remaining])
    return unverified


def _verdicts(db: "Database", source: Source) -> dict[tuple[str, str], str]:
    """Return the verdicts of a source, by role and pair."""
    with db.reading() as select:
        return {
            (row.role, row.item_id): row.verdict
            for row in verifications(select, DATASET)
            if (row.source_kind, row.source) == (source.kind, source.name)
        }


def _write(db: "Database", source: Source, findings: Sequence[Finding]) -> None:
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None, microsecond=0)
    if not findings:
        return
    db.write_verifications(
        [
            Verification(
                dataset=DATASET,
                relation=finding.assumption.relation,
                item_id=finding.assumption.pair_id,
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


def _remove(db: "Database", dataset: "AnyDataset", assumptions: Sequence[Assumption]) -> list[str]:
    """Turn pairs whose false assumption holds into rejections; return their ids."""
    with db.reading() as select:
        refuting_rows = {
            row.item_id: row
            for row in verifications(select, DATASET)
            if (row.role, row.verdict) == (FALSE, HOLDS)
        }
    rejections = {}
    for assumption in assumptions:
        pair_id = assumption.pair_id
        if assumption.role == FALSE and pair_id in refuting_rows:
            rejection = _rejection(assumption, refuting_rows[pair_id])
            rejections[pair_id] = (assumption.relation, rejection)
    if rejections:
        db.reject(dataset, rejections)
    return [*rejections]


def _rejection(assumption: Assumption, verification: Verification) -> Rejection:
    """Return the rejection of a pair, in the form in which a build rejects its replacement."""
    source = f"{verification.source_kind} {verification.source}"
    detail = f"pair {assumption.pair_id}, by {source}: {verification.evidence}"
    subject = assumption.subject
    if assumption.source_id is not None:
        return Rejection(assumption.source_id, REASON, f"{subject.label} for it; {detail}")
    candidate = f"{subject.qid} {assumption.relation} {assumption.object.qid}"
    return Rejection(candidate, REASON, f"for {assumption.counterpart}; {detail}")
