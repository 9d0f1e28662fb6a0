"""What the questions of pairs assume, and what a source finds about it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from kgbuild.catalog import Path, catalog
from kgbuild.relations import Relation
from kgbuild.rows import Progress

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

FALSE, TRUE = "false", "true"
"""The roles of assumptions: of the question about the replacement, and of the other one."""
HOLDS, ABSENT, UNKNOWN, UNVERIFIED = "holds", "absent", "unknown", "unverified"
"""The verdicts."""
BATCH = 40
"""Assumptions whose verdicts are written together."""

T = TypeVar("T")


class Item(NamedTuple):
    """An item with its label. HotpotQA's titles may have no id."""

    qid: str | None
    label: str


@dataclass(frozen=True)
class Assumption:
    """What a question of a pair assumes: that its relation joins ``subject`` to ``object``.

    Over two hops, ``bridge`` is the item between them, as the store of the build has it, and
    ``leading`` the triple that leads to it. ``counterpart`` is the id of the subject of the pair.
    Without a ``path`` it is HotpotQA's, whose second title is the object.
    """

    pair_id: str
    relation: str
    relation_label: str
    path: Path | None
    split: str
    role: str
    subject: Item
    bridge: str | None
    leading: str
    object: Item
    counterpart: str | None
    source_id: str | None
    question: str

    @property
    def key(self) -> tuple[str, str]:
        """The role and the pair, of which each is in ``verifications`` once for a source."""
        return self.role, self.pair_id


class Finding(NamedTuple):
    """What a source finds about an assumption: the columns of ``verifications`` with that name."""

    assumption: Assumption
    verdict: str
    form: str | None = None
    evidence: str = ""


class Source(Protocol):
    """A second source.

    ``kind`` and ``name`` are its columns of ``verifications``. One that ``resumes`` is not asked
    again for what it has answered in a run that was interrupted.
    """

    kind: str
    name: str
    resumes: bool

    def findings(
        self, assumptions: Sequence[Assumption], progress: Progress
    ) -> Iterator[list[Finding]]:
        """Yield findings about all assumptions, some at a time.

        Raises:
            KgbuildError: the source fails; what was yielded before is valid.
        """


def assumptions(db: "Database", roles: Sequence[str]) -> list[Assumption]:
    """Return the assumptions of all pairs that have one of these roles, in the order of the pairs.

    Raises:
        SqlError, NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: it cannot be read.
    """
    rows = db.sql("FROM syn_qa_pairs ORDER BY rowid").records
    return [_assumption(row, role) for row in rows for role in roles]


def _assumption(row: dict[str, Any], role: str) -> Assumption:
    is_false = role == FALSE
    subject = "replacement" if is_false else "subject"
    is_file = row["source_id"] is not None
    object_ = "bridge" if is_file else "object"
    evidence = row["falsity_evidence" if is_false else "evidence"]
    leads = evidence[0] if row["hops"] == 2 and not is_file and evidence else None
    subject_qid = row[f"{subject}_qid"]
    return Assumption(
        pair_id=row["pair_id"],
        relation=row["relation"],
        relation_label=row["relation_label"],
        path=None if is_file else _path(row["relation"]),
        split=row["split"],
        role=role,
        subject=Item(subject_qid, row[f"{subject}_label"]),
        bridge=_other_end(leads, subject_qid) if leads else None,
        leading=" ".join(leads.values()) if leads else "",
        object=Item(row[f"{object_}_qid"], row[f"{object_}_label"]),
        counterpart=row["subject_qid"],
        source_id=row["source_id"],
        question=row["false_question" if is_false else "question"],
    )


def _other_end(triple: dict[str, str], qid: str) -> str:
    return triple["object"] if triple["subject"] == qid else triple["subject"]


def _path(name: str) -> Path:
    """Return the path of a pair; of relations that the catalog lacks, only the ids are known."""
    *first, last = [
        catalog().relations.get(pid) or Relation(pid, pid, (), (), within=True)
        for pid in name.split("/")
    ]
    return Path(last, *first)


def batches(members: Sequence[T], size: int = BATCH) -> Iterable[Sequence[T]]:
    """Return members a batch at a time."""
    return (members[start : start + size] for start in range(0, len(members), size))
