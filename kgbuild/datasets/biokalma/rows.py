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
    "malformed": "relations.toml contains an error in this relation",
    "same item": "the statement connects an item with itself",
    "not of the class": "a subject is not an item of the class",
    "no label": "a subject has no label",
    "same name": "both subjects have the same name",
    "namesake": "an item with the name of one subject is connected to the other subject",
    "not in the pool": "the label of the connecting statement is missing or ambiguous",
    "used often": f"a subject is in {MOST_USES} questions of the relation already",
    "mirrored": "a question about the two uses the equivalent statement",
    "joined otherwise": "a question about the two uses another statement that connects them",
    "too little knowledge": f"fewer than {FEWEST} pieces can be asked for together",
    "one-sided": "nothing besides the connecting statement can be asked about one subject",
}
KNOWLEDGE_REASONS = {
    "implied": "another piece of the set implies it",
    "given away": "the question would contain the answer",
    "odd value": "the wording of the property does not fit the value",
    "many values": "the subject has more values of the property than one question can ask for",
}
FILE_REASONS = {
    "wrong JSON": "the line is not a JSON object",
    "incomplete": "the line lacks sentence, head, relation or tail",
    "unknown relation": "no relation that connects subjects has this id or label",
    "incomplete name": "a name is a single word",
    "unknown name": "no item of the class has the name",
    "not joined": "the relation connects no two items with these names",
    "ambiguous": "the relation connects several pairs of items with these names",
    "asked before": "another line is about the same two items",
}
MODEL_REASONS = {
    "no answer": "the server of the model was down, slow or broken in all tries",
    "nonsense": "the text of the model lacks a piece of knowledge, or breaks a rule",
    "refused": "the server of the model does not accept the request",
    "budget": "the budget was used up before the request",
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
