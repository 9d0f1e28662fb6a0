"""The tables of BioKaLMA, the options of a build, and why candidates are rejected."""

from dataclasses import dataclass

DATASET = "biokalma"
"""The name of the dataset, and the key of relations.toml with its openings."""
TABLES = tuple(
    f"{DATASET}_{name}" for name in ("questions", "knowledge", "pool", "absent", "graphs")
)
PEOPLE = "Q5"
"""The default class of subjects."""
FEWEST = 5
"""The fewest facts of a minimum knowledge set."""
MOST_USES = 5
"""The most questions of a relation with the same subject."""
ACCURACIES = (80, 60, 40, 20)
"""The shares of right graphs in percent, beside 100."""
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
class Options:
    """The options of a build.

    ``limit`` is the most questions of a relation, ``of_class`` the class of the subjects,
    ``rounds`` the number of facts added to those that a question begins with, ``alpha`` the
    weight of specificity against coherence, ``remove`` the most facts that are removed to test
    conscious incompetence.
    """

    limit: int | None = None
    of_class: str = PEOPLE
    rounds: int = 6
    alpha: float = 0.01
    remove: int = 3
    seed: int = 0
