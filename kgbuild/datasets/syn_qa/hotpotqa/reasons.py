"""Why a record of HotpotQA, or a distractor, is rejected."""

OF_DISTRACTORS = {
    "another kind": "the distractor is of another kind, origin, sex or time",
    "same name": "the distractor's name equals, contains or is part of a supporting title",
    "in the question": "the question contains the distractor already",
    "holds": "a passage or the store suggests that the assumption is true for the distractor",
    "may hold": "the passages do not say that it is otherwise for the distractor",
    "reads badly": "the distractor's title would repeat the word beside it, or end the sentence",
}
REASONS = {
    **OF_DISTRACTORS,
    "malformed": "the record lacks a field or does not have the format of HotpotQA",
    "cut short": "the file ends within the record, or is invalid JSON from there on",
    "comparison": "the question compares two things and assumes nothing about one of them",
    "yes or no": "the answer is yes or no, so the question assumes nothing",
    "no title": "the question contains neither title",
    "both titles": "the question contains both titles, and one may suffice to answer it",
    "no distractor": "the record has no distractor",
    "all distractors fell out": "none of the distractors can replace the title",
    "asked twice": "an earlier record of the file has the same question",
}
