"""The rows of the dataset, and why candidates are left out."""

from dataclasses import dataclass

DATASET = "biokalma"
"""The name of the dataset, and the key of relations.toml with its openings."""
FEWEST = 5
"""Pieces of knowledge that a question needs."""
MOST_USES = 5
"""Questions of a relation that one subject may stand in."""

ACCURACIES = (80, 60, 40, 20)
"""Percent of right graphs; with all of them right, nothing is taken away."""
REASONS = {
    "malformed": "relations.toml breaks its rules about the relation",
    "same item": "the statement joins an item with itself",
    "not of the class": "one of the two is no item of the class",
    "no label": "one of the two has no label",
    "same name": "both have one name",
    "namesake": "another one of the same name is joined to one of the two",
    "not in the pool": "what joins them cannot be cited: no label, or that of another value",
    "used often": f"one of the two stands in {MOST_USES} questions of the relation",
    "mirrored": "a question about the two is asked from the other side",
    "joined otherwise": "another statement that joins the two is asked about",
    "too little knowledge": f"there are not {FEWEST} pieces that can be asked for together",
    "one-sided": "nothing more can be asked of one of the two",
}
KNOWLEDGE_REASONS = {
    "implied": "another piece of the set says it, or makes it known",
    "given away": "the question would hold the answer",
    "odd value": "the words of the property do not fit the value",
    "many values": "the subject has more values for it than one question can ask for",
}
FILE_REASONS = {
    "wrong JSON": "the line is no JSON object",
    "incomplete": "the line lacks sentence, head, relation or tail",
    "unknown relation": "no relation that joins subjects has that id or label",
    "incomplete name": "a name is a single word",
    "unknown name": "no item of the class has the name",
    "not joined": "no two items of these names are joined by the relation",
    "ambiguous": "several pairs of items have these names and are joined by the relation",
    "asked before": "another line is about the same two",
}
MODEL_REASONS = {
    "no answer": "the model's server was down, slow or broken at every try",
    "nonsense": "what the model wrote lacks a piece of knowledge, or breaks a rule",
    "refused": "the model's server does not take the request",
    "budget": "the budget was spent before the model was asked",
}


@dataclass(frozen=True)
class Question:
    """A row of ``biokalma_questions``."""

    question_id: str
    subjects: list[dict[str, str]]
    relation: str
    general_question: str
    specific_question: str
    paragraph: str
    popularity: int
    source: str
    evidence: list[dict[str, str]]
    split: str


@dataclass(frozen=True)
class Piece:
    """A row of ``biokalma_knowledge``."""

    question_id: str
    position: int
    round: int
    qid: str
    property: str
    property_label: str
    value: str
    value_qid: str | None
    specificity: float
    coherence: float
    score: float
    source: str


@dataclass(frozen=True)
class PoolFact:
    """A row of ``biokalma_pool``."""

    question_id: str
    qid: str
    property: str
    property_label: str
    value: str
    value_qid: str | None
    source: str


@dataclass(frozen=True)
class AbsentFact:
    """A row of ``biokalma_absent``."""

    question_id: str
    removed: int
    position: int
    qid: str
    property: str
    value: str
    implies: bool
    source: str


@dataclass(frozen=True)
class GivenGraph:
    """A row of ``biokalma_graphs``."""

    question_id: str
    accuracy: int
    subject_qid: str
    given_qid: str
    given_in: str
    source: str
