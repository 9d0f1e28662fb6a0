"""The assumptions of the questions of pairs, and the findings of a source about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kgbuild.catalog import Path, catalog
from kgbuild.datasets import verifying
from kgbuild.datasets.syn_qa.falsity.facts import other_end
from kgbuild.datasets.syn_qa.rows import assumed, perturbed_end
from kgbuild.relations import Relation
from kgbuild.rows import Evidence

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

FALSE, TRUE = "false", "true"
"""The roles of assumptions: FALSE for the question about the replacement, TRUE for the other."""
HOLDS, ABSENT, UNKNOWN = "holds", "absent", "unknown"
"""The verdicts on an assumption: true; denied or lacking in the source; the source cannot tell."""


class Item(NamedTuple):
    """An item with its label. HotpotQA's titles may have no id."""

    qid: str | None
    label: str


@dataclass(frozen=True)
class Assumption:
    """The assumption of a question of a pair: its relation joins ``subject`` to ``object``.

    ``item_id`` is the id of the pair. ``path`` is this relation, or two relations. It is None for
    pairs of HotpotQA, which have no relation; their second title is the object. With two relations,
    ``bridge`` is the item between subject and object in the store of the build, and
    ``bridge_triple`` the triple from the subject to it. ``counterpart`` is the id of the item that
    the pair replaces.
    """

    item_id: str
    relation: str
    path: Path | None
    split: str
    role: str
    subject: Item
    bridge: str | None
    bridge_triple: str
    object: Item
    counterpart: str | None
    source_id: str | None
    question: str


Finding: TypeAlias = verifying.Finding[Assumption]
Source: TypeAlias = verifying.VerificationSource[Assumption]


def assumptions(db: "Database", roles: Sequence[str]) -> list[Assumption]:
    """Return the assumptions of all pairs with these roles, in the order of the pairs.

    Raises:
        SqlError, NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: the database cannot be
            read.
    """
    rows = db.read("FROM syn_qa_pairs ORDER BY rowid").records
    return [_assumption(row, role) for row in rows for role in roles]


def _assumption(row: dict[str, Any], role: str) -> Assumption:
    is_false = role == FALSE
    subject, object_ = assumed(row, is_false)
    is_of_hotpotqa = row["source_id"] is not None
    object_ = "bridge" if is_of_hotpotqa else object_
    evidence = row["falsity_evidence" if is_false else "evidence"]
    # With two relations, the first triple of the evidence joins the subject to the bridge.
    leads = row["hops"] == 2 and not is_of_hotpotqa and evidence
    triple = Evidence(**evidence[0]) if leads else None
    subject_qid = row[f"{subject}_qid"]
    return Assumption(
        item_id=row["pair_id"],
        relation=row["relation"],
        path=None if is_of_hotpotqa else _path(row["relation"]),
        split=row["split"],
        role=role,
        subject=Item(subject_qid, row[f"{subject}_label"]),
        bridge=other_end(triple, subject_qid) if triple else None,
        bridge_triple=" ".join(triple or ()),
        object=Item(row[f"{object_}_qid"], row[f"{object_}_label"]),
        counterpart=row[f"{perturbed_end(row)}_qid"],
        source_id=row["source_id"],
        question=row["false_question" if is_false else "question"],
    )


def _path(name: str) -> Path:
    """Return the path of a relation's name: P26, or P26/P69.

    A relation that the catalog lacks gets no rules, and its id as its label.
    """
    *first, last = [
        catalog().relations.get(pid) or Relation(pid, pid, (), (), within=True)
        for pid in name.split("/")
    ]
    return Path(last, *first)
