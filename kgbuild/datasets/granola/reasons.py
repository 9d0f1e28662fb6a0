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
    "no value": "there are no answers in the file, nor in the store",
}
QUESTION_REASONS = {
    "malformed": "relations.toml describes the relation wrongly",
    "no label": "the subject, or each of its answers, has no label in English",
    "same name": "another subject of the relation, or an answer, has the subject's name",
    "wrong kind": "the subject is a person or a film, and the question is about something else",
    "no date": "the time is less precise than a century, or no date that people write",
    "inconsistent": "according to the model, the subject's description is of something else",
    "no answer": "the model's server was down, slow or broken at every try",
    "nonsense": "the model's reply contains no list of answers",
    "refused": "the model's server does not accept the request",
    "budget": "the budget was spent before the model was asked",
}
ANSWER_REASONS = {
    "trivial": "every answer of the relation is expected to be like this",
    "tells little": "it covers too many of the possible answers",
    "gives the subject away": "it contains the name of the subject",
    "same answer": "it reads like a finer one",
    "unconfirmed": "only a model gives it, and the store has other values of the same sort",
}
"""Why a coarser answer of a question is left out, but not the question."""
