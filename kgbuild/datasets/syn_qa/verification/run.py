"""Verify the pairs of a database by a source: write verdicts, remove what holds."""

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
    """What a source said: how many assumptions have each (role, verdict), and which pairs left.

    With ``keep``, ``removed`` is empty.
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

    Verdicts are written as they come. A run that was interrupted goes on where it stopped, if the
    source allows that; after a complete one, all is verified again. At the end, pairs whose false
    assumption holds, by any source, become rejections, unless they are to be kept.

    Raises:
        NothingToVerifyError: there are no pairs.
        UnverifiedError: the source failed after it had verified some.
        KgbuildError: the source failed before, or the database cannot be used.
    """
    db.create_tables()
    members = assumptions(db, [FALSE, TRUE] if true else [FALSE])
    if not members:
        raise NothingToVerifyError(db.path)
    unverified = _verify(db, source, members, progress)
    removed = [] if keep else _remove(db, dataset, members)
    if unverified:
        detail = unverified[0].evidence
        raise UnverifiedError(source.name, len(members), len(unverified), detail)
    verdicts = _verdicts(db, source)
    counts = Counter((one.role, verdicts[one.key]) for one in members)
    return Verified(source.kind, source.name, counts, removed)


def _verify(
    db: "Database", source: Source, members: Sequence[Assumption], progress: Progress
) -> list[Finding]:
    """Write the verdicts of a source; return the findings of what it left unverified.

    Where it fails, its earlier verdict stays.
    """
    settled = {key for key, verdict in _verdicts(db, source).items() if verdict != UNVERIFIED}
    pending = [one for one in members if one.key not in settled] if source.resumes else []
    pending = pending or [*members]
    unverified: list[Finding] = []

    def write(findings: Sequence[Finding]) -> None:
        failed = [one for one in findings if one.verdict == UNVERIFIED]
        unverified.extend(failed)
        new = [one for one in failed if one.assumption.key not in settled]
        _write(db, source, [one for one in findings if one.verdict != UNVERIFIED] + new)

    done = 0
    try:
        for findings in source.findings(pending, progress):
            write(findings)
            done += len(findings)
    except KgbuildError as error:
        if not done:
            raise
        write([Finding(one, UNVERIFIED, evidence=str(error)) for one in pending[done:]])
    return unverified


def _verdicts(db: "Database", source: Source) -> dict[tuple[str, str], str]:
    """Return the verdicts of a source, by role and pair."""
    with db.reading() as select:
        return {
            (one.role, one.item_id): one.verdict
            for one in verifications(select, DATASET)
            if (one.source_kind, one.source) == (source.kind, source.name)
        }


def _write(db: "Database", source: Source, findings: Sequence[Finding]) -> None:
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None, microsecond=0)
    if not findings:
        return
    db.write_verifications(
        [
            Verification(
                dataset=DATASET,
                relation=one.assumption.relation,
                item_id=one.assumption.pair_id,
                split=one.assumption.split,
                role=one.assumption.role,
                source_kind=source.kind,
                source=source.name,
                verdict=one.verdict,
                form=one.form,
                evidence=one.evidence,
                verified_at=now,
            )
            for one in findings
        ]
    )


def _remove(db: "Database", dataset: "AnyDataset", members: Sequence[Assumption]) -> list[str]:
    """Turn pairs whose false assumption holds into rejections; return their ids."""
    with db.reading() as select:
        holding = {
            one.item_id: one
            for one in verifications(select, DATASET)
            if (one.role, one.verdict) == (FALSE, HOLDS)
        }
    rejections = {
        one.pair_id: (one.relation, _rejection(one, holding[one.pair_id]))
        for one in members
        if one.role == FALSE and one.pair_id in holding
    }
    if rejections:
        db.reject(dataset, rejections)
    return [*rejections]


def _rejection(one: Assumption, verification: Verification) -> Rejection:
    """Return why a pair left, as a build would have rejected its replacement."""
    source = f"{verification.source_kind} {verification.source}"
    detail = f"pair {one.pair_id}, by {source}: {verification.evidence}"
    if one.source_id is not None:
        return Rejection(one.source_id, REASON, f"{one.subject.label} for it; {detail}")
    candidate = f"{one.subject.qid} {one.relation} {one.object.qid}"
    return Rejection(candidate, REASON, f"for {one.counterpart}; {detail}")
