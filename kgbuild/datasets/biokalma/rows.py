"""The tables of BioKaLMA, the options of a build, and why candidates are rejected."""

from dataclasses import dataclass

DATASET = "biokalma"
"""The name of the dataset, and of the field of relations.toml with its openings."""
TABLES = tuple(
    f"{DATASET}_{name}" for name in ("questions", "knowledge", "pool", "absent", "graphs")
)
PEOPLE = "Q5"
"""The default class of subjects."""
MIN_FACTS = 5
"""Minimum number of facts in a minimum knowledge set."""
MAX_USES = 5
"""Maximum number of questions of a relation with the same subject."""
ACCURACIES = (80, 60, 40, 20)
"""The shares of right graphs in percent, beside 100."""
REASONS = {
    "malformed": "relations.toml contains an error in this relation",
    "same item": "the statement connects an item with itself",
    "not of the class": "a subject is not an item of the class",
    "no label": "a subject has no label",
    "same name": "both subjects have the same name",
    "namesake": "an item with the name of one subject is connected to the other subject",
    "not in the pool": "the label of the connecting statement is missing or ambiguous",
    "used often": f"a subject is in {MAX_USES} questions of the relation already",
    "mirrored": "a question about the two uses the equivalent statement",
    "joined otherwise": "a question about the two uses another statement that connects them",
    "too little knowledge": f"fewer than {MIN_FACTS} pieces can be asked for together",
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
class Options:
    """The options of a build.

    ``limit`` is the maximum number of questions of a relation, ``of_class`` the class of the
    subjects, ``rounds`` the number of facts added to the first ones of a set, ``alpha`` the weight
    of specificity against coherence, ``remove`` the maximum number of facts that are removed to
    test whether a model marks missing knowledge.
    """

    limit: int | None = None
    of_class: str = PEOPLE
    rounds: int = 6
    alpha: float = 0.01
    remove: int = 3
    seed: int = 0
