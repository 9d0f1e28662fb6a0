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
from kgbuild.rows import Progress, Rejection, TableSet
from kgbuild.tables.records import Verification
from kgbuild.tables.verifications import REASON, verifications

if TYPE_CHECKING:
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
    dataset: TableSet,
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
    pending = _pending(db, source, members) if source.resumes else members
    failure = _verify(db, source, pending, progress)
    removed = [] if keep else _remove(db, dataset, members)
    verdicts = _verdicts(db, source)
    counts = Counter((one.role, verdicts[one.role, one.pair_id]) for one in members)
    unverified = sum(count for (_, verdict), count in counts.items() if verdict == UNVERIFIED)
    if unverified:
        raise UnverifiedError(source.name, len(members), unverified, failure)
    return Verified(source.kind, source.name, counts, removed)


def _verify(
    db: "Database", source: Source, pending: Sequence[Assumption], progress: Progress
) -> str:
    """Write the verdicts of a source; return why it failed, or an empty text."""
    done, failure = 0, ""
    try:
        for findings in source.findings(pending, progress):
            _write(db, source, findings)
            done += len(findings)
            failure = next((one.evidence for one in findings if one.verdict == UNVERIFIED), failure)
    except KgbuildError as error:
        if not done:
            raise
        failure = str(error)
        rest = [Finding(one, UNVERIFIED, evidence=failure) for one in pending[done:]]
        _write(db, source, rest)
    return failure


def _pending(db: "Database", source: Source, members: Sequence[Assumption]) -> Sequence[Assumption]:
    """Return the assumptions that a source has not verified; all, if there are none."""
    verdicts = _verdicts(db, source)
    pending = [
        one for one in members if verdicts.get((one.role, one.pair_id), UNVERIFIED) == UNVERIFIED
    ]
    return pending or members


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


def _remove(db: "Database", dataset: TableSet, members: Sequence[Assumption]) -> list[str]:
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
