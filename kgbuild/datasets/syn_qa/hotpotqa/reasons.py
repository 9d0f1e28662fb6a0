"""Why a record of HotpotQA, or a distractor, is rejected."""

REASONS = {
    "malformed": "the record lacks a field, or has another form than HotpotQA's",
    "cut short": "the file ends within the record, or is no JSON from there on",
    "comparison": "the question compares two things, and assumes nothing of one of them",
    "yes or no": "the question is one of yes or no, and assumes nothing",
    "no title": "neither title stands in the question",
    "no distractor": "the record has no distractor",
    "all distractors fell out": "none of the distractors may stand in",
    "wrong kind": "the distractor is another kind of thing, of another trade, sex or time",
    "same name": "the distractor's name is, or holds, or is part of that of a supporting passage",
    "in the question": "the distractor stands in the question already",
    "holds": "a passage or the store says what may make the question true of the distractor",
    "may hold": "the question says little that the passages do not say of the distractor, too",
    "reads badly": "the distractor's title would repeat the word beside it, or cut the sentence",
    "asked twice": "the file has the same question before",
}
