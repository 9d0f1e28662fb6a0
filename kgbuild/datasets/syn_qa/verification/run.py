"""Verify the pairs of a database by a source, and remove pairs whose false assumption holds."""

from collections import Counter
from collections.abc import Collection, Sequence
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
from kgbuild.datasets.syn_qa.verification.by_model import ModelSource
from kgbuild.datasets.verifying import UNVERIFIED, Verified, found_by, require_verified, verify_all
from kgbuild.errors import KgbuildError
from kgbuild.evaluate.bootstrap import Item, Share
from kgbuild.evaluate.paired import compare
from kgbuild.rows import Progress, Rejection
from kgbuild.tables.records import VERIFIED, Verification
from kgbuild.tables.verifications import verifications

if TYPE_CHECKING:
    from kgbuild.datasets.base import AnyDataset
    from kgbuild.tables.database import Database
_LEVEL = 0.05
"""Highest probability of a difference by chance."""


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

    A model always gets the true ones, too. At the end, pairs whose false assumption holds by any
    source become rejections, unless ``keep``; but not by a model that can't tell true from false.

    Raises:
        KgbuildError: there are no pairs; the source failed after some assumptions were verified;
            the source failed before that, or the database cannot be used.
    """
    db.create_tables()
    is_model = source.kind == ModelSource.kind
    all_assumptions = assumptions(db, [FALSE, TRUE] if true or is_model else [FALSE])
    if not all_assumptions:
        raise KgbuildError(f"{db.path} has no pairs to verify. Build them: 'kgbuild syn-qa'.")
    unverified = verify_all(db, DATASET, source, all_assumptions, progress)
    with db.reading() as select:
        rows = verifications(select, DATASET)
    ignored = _undiscerning_models(rows)
    removed = [] if keep else _remove(db, dataset, all_assumptions, rows, ignored)
    require_verified(source.name, len(all_assumptions), unverified)
    found = found_by(db, DATASET, source)
    counts = Counter(
        (assumption.role, found[assumption.role, assumption.item_id].verdict)
        for assumption in all_assumptions
    )
    is_discerning = not is_model or source.name not in ignored
    return Verified(source.kind, source.name, counts, removed, is_discerning)


def _undiscerning_models(rows: Sequence[Verification]) -> set[str]:
    """Return the models to which true assumptions hold no more often than false ones.

    A difference that has a probability of 5 % by chance is none.
    """
    by_model: dict[str, dict[str, dict[Item, Share]]] = {}
    for row in rows:
        if row.source_kind == ModelSource.kind and row.verdict != UNVERIFIED:
            by_role = by_model.setdefault(row.source, {TRUE: {}, FALSE: {}})
            by_role[row.role][row.item_id, True] = Share(row.verdict == HOLDS, 1)
    compared = {model: compare(roles[TRUE], roles[FALSE]) for model, roles in by_model.items()}
    return {
        model
        for model, found in compared.items()
        if found is None or found.difference <= 0 or found.p >= _LEVEL
    }


def _remove(
    db: "Database",
    dataset: "AnyDataset",
    assumptions: Sequence[Assumption],
    rows: Sequence[Verification],
    ignored: Collection[str],
) -> list[str]:
    """Turn pairs whose false assumption holds into rejections; return their ids.

    ``ignored`` are models whose verdicts do not count.
    """
    refuting_rows = {
        row.item_id: row
        for row in rows
        if (row.role, row.verdict) == (FALSE, HOLDS)
        if row.source_kind != ModelSource.kind or row.source not in ignored
    }
    rejections = {}
    for assumption in assumptions:
        row = refuting_rows.get(assumption.item_id)
        if row and assumption.role == FALSE:
            rejection = _rejection(assumption, row)
            rejections[assumption.item_id] = (assumption.relation, rejection)
    if rejections:
        db.reject(dataset, rejections)
    return [*rejections]


def _rejection(assumption: Assumption, verification: Verification) -> Rejection:
    """Return the rejection of a pair, in the form in which a build rejects its replacement."""
    source = f"{verification.source_kind} {verification.source}"
    detail = f"pair {assumption.item_id}, by {source}: {verification.evidence}"
    subject = assumption.subject
    if assumption.source_id is not None:
        return Rejection(assumption.source_id, VERIFIED, f"{subject.label} for it; {detail}")
    candidate = f"{subject.qid} {assumption.relation} {assumption.object.qid}"
    return Rejection(candidate, VERIFIED, f"for {assumption.counterpart}; {detail}")
