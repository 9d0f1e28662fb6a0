"""Verify the pairs of a database by a source, and remove pairs whose false assumption holds."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kgbuild.datasets.syn_qa.rows import DATASET
from kgbuild.datasets.syn_qa.verification.assumptions import (
    FALSE,
    HOLDS,
    TRUE,
    Assumption,
    Source,
    assumptions,
)
from kgbuild.datasets.verifying import Verified, verdicts, verify_all
from kgbuild.errors import NothingToVerifyError, UnverifiedError
from kgbuild.rows import Progress, Rejection
from kgbuild.tables.records import Verification
from kgbuild.tables.verifications import REASON, verifications

if TYPE_CHECKING:
    from kgbuild.datasets.base import AnyDataset
    from kgbuild.tables.database import Database


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

    At the end, pairs whose false assumption holds by any source become rejections, unless ``keep``.

    Raises:
        NothingToVerifyError: there are no pairs.
        UnverifiedError: the source failed after some assumptions were verified.
        KgbuildError: the source failed before that, or the database cannot be used.
    """
    db.create_tables()
    all_assumptions = assumptions(db, [FALSE, TRUE] if true else [FALSE])
    if not all_assumptions:
        raise NothingToVerifyError(db.path, "pairs", "syn-qa")
    unverified = verify_all(db, DATASET, source, all_assumptions, progress)
    removed = [] if keep else _remove(db, dataset, all_assumptions)
    if unverified:
        detail = unverified[0].evidence
        raise UnverifiedError(source.name, len(all_assumptions), len(unverified), detail)
    by_key = verdicts(db, DATASET, source)
    counts = Counter(
        (assumption.role, by_key[assumption.role, assumption.item_id])
        for assumption in all_assumptions
    )
    return Verified(source.kind, source.name, counts, removed)


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
