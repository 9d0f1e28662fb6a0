"""The row of a pair, and the reasons for which a statement has no pair."""

from dataclasses import dataclass, field

from kgbuild.tables import verifications

DATASET = "syn_qa"
MOST_USES = 5
"""Maximum number of pairs of a relation with the same replacement."""
MOST_CHOICES = 5
"""Number of possible replacements of a subject, from which the best one is chosen."""

REASONS = {
    "malformed": "a relation has an error in relations.toml, or a record of HotpotQA lacks a field",
    "known before": "the older store states it already",
    "mirrored": "the pair with subject and replacement exchanged exists already",
    "same item": "subject and object are the same item",
    "no single bridge": "subject or replacement has no item between the two hops, or several",
    "no label": "subject or object has no English label",
    "wrong kind": "subject or object is not of the kind that the questions are about",
    "evident": "nobody asks about such a statement, such as how an Italian learnt Italian; or the "
    "store lacks what would tell",
    "unfit label": "a label breaks the sentence: it has brackets, a comma in its middle, or names "
    "no single thing",
    "no similar item": "no item of the same class shares enough values",
    "no fair replacement": "the similar items are in another split",
    "all similar items fell out": "no similar item fits at a risk that is low enough",
    verifications.REASON: "another source says, or suggests, that the assumption is true",
}
REPLACEMENT_REASONS = {
    "same bridge": "subject and replacement lead to the same item, or to the object",
    "holds": "the store states or suggests that the assumption is true",
    "risky": "the assumption is too likely to be true; the detail counts the similar items of "
    "which this holds",
    "unknown value": "the replacement has an unknown value, which may be the object",
    "same name": "two of subject, object and replacement have the same name",
    "lacks a property": "the replacement has no value of a property that the question needs",
    "telling name": "names tell: the replacement's name shares more or fewer words with the "
    "object's than the subject's does, or contains its own value, such as a city",
    "differs": "the replacement is of another people or differs in a property, such as sex, that "
    "reveals the falsity",
    "other time": "subject and replacement, or their bridges, began too many years apart, or it is "
    "known of one of them only when it began, or a person was dead when the object began, or not "
    "yet five years old when the work was made",
    "one series": "the titles of subject and replacement begin alike, as in a series",
    "joined": "another statement connects the replacement with the object, such as parent for "
    "spouse, or with the subject",
    "asked before": "another pair of the relation has the same false assumption",
    "used often": f"the replacement is in {MOST_USES} pairs of the relation already",
    "is the object": "the replacement is the object",
}
"""The reasons for which an item cannot replace the subject; the next similar item is tried."""


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
    shortcut: list[str] = field(default_factory=list)
