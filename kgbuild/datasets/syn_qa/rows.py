"""The row of a pair."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

DATASET = "syn_qa"
SUBJECT, OBJECT = "subject", "object"
"""The ends of a statement that a similar item can replace."""
BOTH = "both"
PERTURBED = {SUBJECT: (SUBJECT,), OBJECT: (OBJECT,), BOTH: (SUBJECT, OBJECT)}
"""What the option ``perturb`` names."""
_LEAST_SHARED = {"near": 4, "middle": 2, "far": 0}
"""The grades of confusability, with the least number of values that both items share."""
GRADES = tuple(_LEAST_SHARED)
MOST_USES = 5
"""Maximum number of pairs of a relation with the same replacement."""
NO_KIND = "no kind to compare"
"""The reason for which no object, or no subject, of a relation can be replaced."""
MOST_EXCESS = 2
"""Maximum number of pairs by which an object may be more often true than false, or false than true,
if objects are replaced: nearly all people of a sample speak English, which would tell."""
MOST_CHOICES = 5
"""Number of possible replacements of a subject, from which the best one is chosen."""


class Variant(NamedTuple):
    """Which end of the statements is replaced, and how near the replacement is.

    ``perturbed`` is SUBJECT or OBJECT; ``grade`` is one of GRADES, or empty for all of them.
    """

    perturbed: str
    grade: str


@dataclass(frozen=True)
class PairOptions:
    """The options of a build.

    ``limit`` is the maximum number of pairs of a relation, for each of the ends that ``perturb``
    names (a key of PERTURBED) and each grade of ``confusability`` (of GRADES; without them, all are
    one). ``min_overlap`` is the minimum number of values that a replacement shares with what it
    replaces. ``max_risk`` is the maximum probability that the false assumption is true. ``seed``
    orders the statements. With ``splits``, most pairs are in a split for training.
    """

    limit: int = 200
    min_overlap: int = 2
    max_risk: float = 0.003
    seed: int = 0
    splits: bool = False
    perturb: str = SUBJECT
    confusability: tuple[str, ...] = ()

    @property
    def variants(self) -> list[Variant]:
        """What is built of each relation, one after the other."""
        grades = self.confusability or ("",)
        return [Variant(end, grade) for end in PERTURBED[self.perturb] for grade in grades]


def confusability(overlap: int) -> str:
    """Return the grade, one of GRADES, of items that share a number of values."""
    return next(grade for grade, least in _LEAST_SHARED.items() if overlap >= least)


def perturbed_end(pair: Mapping[str, Any]) -> str:
    """Return which end of the statement of a pair is replaced, SUBJECT or OBJECT.

    A database of an older version does not name it: it is the subject.
    """
    return str(pair.get("perturbed") or SUBJECT)


def assumed(pair: Mapping[str, Any], is_false: bool) -> tuple[str, str]:
    """Return which items of a pair its question joins, as the beginnings of their columns."""
    perturbed = perturbed_end(pair) if is_false else ""
    subject = "replacement" if perturbed == SUBJECT else SUBJECT
    return subject, "replacement" if perturbed == OBJECT else OBJECT


@dataclass(frozen=True)
class Pair:
    """A row of ``syn_qa_pairs``; the columns are described in docs/tables.md.

    Not all pairs have those with a default: a pair of HotpotQA has no object, others no answer.
    """

    pair_id: str
    relation: str
    relation_label: str
    hops: int
    subject_qid: str | None
    subject_label: str
    replacement_qid: str | None
    replacement_label: str
    overlap: int
    similarity: str
    question: str
    false_question: str
    falsity: str
    split: str
    template_id: str | None = None
    bridge_qid: str | None = None
    bridge_label: str | None = None
    object_qid: str | None = None
    object_label: str | None = None
    shared: list[dict[str, str]] = field(default_factory=list)
    answer: str | None = None
    risk: float | None = None
    evidence: list[dict[str, str]] = field(default_factory=list)
    falsity_evidence: list[dict[str, str]] = field(default_factory=list)
    popularity: int = 0
    replacement_popularity: int = 0
    source_id: str | None = None
    shortcut: list[str] = field(default_factory=list)
    perturbed: str = SUBJECT
    confusability: str | None = None
