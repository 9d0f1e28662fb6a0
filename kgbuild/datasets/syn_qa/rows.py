"""The row of a pair, and the reasons why a statement becomes none."""

from dataclasses import dataclass

from kgbuild.tables import verifications

DATASET = "syn_qa"
MOST_USES = 5
"""The pairs of a relation that one replacement may be in, lest a few replace everybody."""
MOST_CONSIDERED = 100
"""The most similar items that are examined as replacements of a subject."""

REASONS = {
    "malformed": "relations.toml breaks its rules about the relation",
    "mirrored": "the same pair the other way round was taken before",
    "same item": "subject and object are one item",
    "no single bridge": "subject or replacement has no or several items between the two hops",
    "same bridge": "subject and replacement lead to the same item, or to the object",
    "no label": "an end has no label in English",
    "wrong kind": "an end is not of the kind that the questions are made for",
    "no similar item": "no item of the same class shares enough values",
    "all similar items fell out": f"none of the {MOST_CONSIDERED} most similar items may stand in",
    "holds": "the store says, or comes near to saying, that the assumption is true",
    "risky": "it is too probable that the assumption is true, though the store does not say so",
    "unknown value": "the replacement has a value that nobody knows",
    "same name": "two of subject, object and replacement have one name",
    "lacks a property": "the replacement has no value of a property that the question needs",
    "differs": "the replacement differs in a property, such as the sex, that would tell",
    "one series": "the titles of subject and replacement begin alike: parts of a series share much",
    "joined": "another statement joins replacement and object: a parent for a spouse, say",
    "asked before": "another pair of the relation has the same false assumption",
    "used often": f"the replacement already stands in {MOST_USES} pairs of the relation",
    "is the object": "the replacement is the object itself",
    verifications.REASON: "another source says, or suggests, that the assumption is true",
}


@dataclass(frozen=True)
class Pair:
    """A row of ``syn_qa_pairs``; the columns are described in docs/tables.md."""

    pair_id: str
    relation: str
    relation_label: str
    template_id: str | None
    hops: int
    subject_qid: str | None
    subject_label: str
    bridge_qid: str | None
    bridge_label: str | None
    replacement_qid: str | None
    replacement_label: str
    object_qid: str | None
    object_label: str | None
    overlap: int
    shared: list[dict[str, str]]
    similarity: str
    question: str
    false_question: str
    answer: str | None
    falsity: str
    risk: float | None
    evidence: list[dict[str, str]]
    falsity_evidence: list[dict[str, str]]
    popularity: int
    replacement_popularity: int
    source_id: str | None
    split: str
