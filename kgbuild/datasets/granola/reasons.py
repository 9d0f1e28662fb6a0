"""Why a record, a question or an answer is rejected: each reason with a sentence."""

RECORD_REASONS = {
    "no question": "the record has no question",
    "no answers": "the file has answers, but the record has none",
    "malformed": "a field of the record has a wrong value",
    "malformed id": "the record has an id that no item or property can have",
    "asked before": "an earlier record has the same question",
}
NAME_REASONS = {
    "no template": "no template fits the question, and the file does not name its relation",
    "unknown relation": "the file names a relation that has no templates",
    "unknown names": "no item has the name of the subject or of an answer",
    "unknown id": "the store has no statements about the items that the file names",
    "no value": "neither the file nor the store has an answer",
}
QUESTION_REASONS = {
    "malformed": "relations.toml contains an error in this relation",
    "no label": "the subject or all of its answers have no English label",
    "same name": "another subject of the relation, or an answer, has the subject's name",
    "wrong kind": "the subject is a person or a film, and the question is about something else",
    "no date": "the time is less precise than a century, or cannot be written as a date",
    "contradicted": "other statements contradict the date, such as a film before a birth",
    "inconsistent": "according to the model, the subject's description does not fit the question",
    "no answer": "the server of the model was down, slow or broken in all tries",
    "nonsense": "the model's reply contains no list of answers",
    "refused": "the server of the model does not accept the request",
    "budget": "the budget was used up before the request",
}
ANSWER_REASONS = {
    "trivial": "every answer of the relation is of this kind",
    "tells little": "it covers too many of the possible answers",
    "gives the subject away": "it contains the name of the subject",
    "same answer": "it has the text of a finer answer",
    "unconfirmed": "only a model states it, and the store has other values of the same kind",
}
"""Why a coarser answer of a question is left out, but not the question."""
