"""The metrics of Instruct-QA: their values, their weaknesses, and properties of any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.evaluate.instruct_qa import (
    OF_KNOWLEDGE,
    OF_KNOWLEDGE_AND_QUESTION,
    OF_REFERENCES,
    measure,
    read,
    rouge_l,
)

QUESTION = "Where was Orlanda Veitch born?"
PASSAGES = [
    "Orlanda Veitch was born in Lund, where her father taught.",
    "She moved to Graz in 1931 and worked as a sculptor.",
]


def measured(
    prediction: str, *references: str, knowledge: list[str] = PASSAGES, question: str = QUESTION
) -> dict[str, float]:
    return measure(prediction, references, knowledge, question)


def test_a_long_right_answer_has_full_recall_and_little_f1() -> None:
    # The paper's main finding: sentences are right to people and to recall, not to EM and F1.
    results = measured("Orlanda Veitch, the sculptor, was born in the town of Lund.", "Lund")
    assert results["recall"] == results["strict recall"] == 1
    assert results["exact match"] == 0
    assert results["precision"] == 1 / 9  # nine words are left without "the", twice
    assert results["F1"] == results["ROUGE-L"] == 2 / (9 + 1)


def test_a_short_right_answer_has_all() -> None:
    results = measured("lund.", "Lund")
    assert {name: results[name] for name in OF_REFERENCES} == dict.fromkeys(OF_REFERENCES, 1.0)


def test_naming_many_answers_games_recall() -> None:
    results = measured("Graz, Malmö, Lund or Oslo", "Lund")
    assert results["recall"] == results["strict recall"] == 1
    assert results["precision"] == 1 / 5


def test_the_best_of_several_references_counts_for_each_metric_by_itself() -> None:
    results = measured("in Lund in Sweden", "Sweden, north of Lund", "Lund, Scania, Sweden", " ")
    # Of the first two of four words are found, of the second two of three.
    assert results["recall"] == 2 / 3
    assert results["precision"] == 2 / 4
    assert results["F1"] == 2 * 2 / (4 + 3)
    # In order, only the second has two; the third holds nothing, and counts for nothing.
    assert results["ROUGE-L"] == 2 * 2 / (4 + 3)


@pytest.mark.parametrize(
    ("text", "reference", "strict", "whole", "recall"),
    [
        ("She sang with Ada Mary Byron", "Ada Byron", 0, 0, 1),
        ("By ada byron!", "Ada Byron", 1, 1, 1),
        ("By Bartok", "Bart", 1, 0, 0),
        ("It was Lund[1].", "Lund", 1, 0, 0),  # a citation sticks to the word
    ],
)
def test_strict_recall_needs_the_reference_and_the_other_whole_words(
    text: str, reference: str, strict: float, whole: float, recall: float
) -> None:
    results = measured(text, reference)
    names = ("strict recall", "whole-word recall", "recall")
    assert tuple(results[name] for name in names) == (strict, whole, recall)


@pytest.mark.parametrize(
    ("text", "reference", "share"),
    [
        ("The Germans", "Germany", 1),  # both are "germa"
        ("The Italians", "Italy", 0),  # "itali" and "italy"
        ("He came third, in the 1990s", "3rd in 1990", 1),
        ("some 1,200 people", "1200", 1),
        ("Stratford upon Avon", "Stratford-upon-Avon", 1),
        ("Lund [1]", "Lund", 1),
        ("In 1970", "1971", 0),  # numbers are compared whole
        ("By Martina", "Martin", 1),  # its weakness
        ("mice", "mouse", 0),
    ],
)
def test_stems(text: str, reference: str, share: float) -> None:
    assert measured(text, reference)["stem recall"] == share


def test_a_paraphrase_has_more_k_stem_precision() -> None:
    results = measured("Her father was a teacher in Lund.")
    # "a" is an article; "teacher" has the stem of no word, "taught" is irregular.
    assert results["K-stem precision"] == results["K-precision"] == 5 / 6
    moving = measured("Moving to Graz, working as a sculptor")
    assert moving["K-precision"] == 4 / 6
    assert moving["K-stem precision"] == 4 / 6  # "movin" is not "moved"
    worker = measured("A workers' sculptor", knowledge=["The sculptors worked."])
    assert worker["K-precision"] == 0
    assert worker["K-stem precision"] == 1


def test_copying_all_knowledge_games_every_metric_of_it() -> None:
    results = measured(" ".join(PASSAGES), "Oslo")
    assert all(results[name] == 1 for name in OF_KNOWLEDGE)
    assert results["K-precision++"] == 1
    assert results["recall"] == 0  # so it is faithful, and no answer


def test_a_short_faithful_answer_has_full_k_precision_and_little_k_f1() -> None:
    # Why the paper proposes K-precision: an answer need not say all that the passages do.
    results = measured("Lund")
    words = len(read(" ".join(PASSAGES)).words)
    assert results["K-precision"] == 1
    assert results["K-recall"] == 1 / words
    assert results["K-F1"] == 2 / (1 + words)


def test_an_answer_from_memory_has_little_k_precision() -> None:
    # Correct and unfaithful: the passages do not name Scania.
    assert measured("Scania", "Scania, Sweden")["K-precision"] == 0


def test_repeating_the_question_changes_nothing_beyond_it() -> None:
    alone, padded = measured("Oslo"), measured("Orlanda Veitch was born in Oslo")
    assert alone["K-precision"] == 0 < padded["K-precision"]
    # "in" is no word of the question, and stands in the knowledge: one of two.
    assert padded["K-precision++"] == 1 / 2
    assert alone["K-precision++"] == 0


def test_an_answer_that_repeats_the_question_is_faithful() -> None:
    results = measured("Where was she, Orlanda Veitch, born?", question=QUESTION + " She?")
    assert {results[name] for name in OF_KNOWLEDGE_AND_QUESTION} == {1}  # as in the paper's code


def test_an_empty_answer_has_nothing() -> None:
    results = measured("", "Lund")
    every = {*OF_REFERENCES, *OF_KNOWLEDGE, *OF_KNOWLEDGE_AND_QUESTION}
    assert results == dict.fromkeys(every, 0.0)


def test_metrics_without_input_are_left_out() -> None:
    assert set(measured("Lund", knowledge=[])) == set()
    assert set(measured("Lund", question="")) == set(OF_KNOWLEDGE)
    assert set(measured("Lund", "Lund", knowledge=[" "])) == set(OF_REFERENCES)


def test_accents_and_other_scripts_are_words() -> None:
    assert measured("sao paulo", "São Paulo")["exact match"] == 1
    assert measured("東京", "東京")["ROUGE-L"] == 1


words = st.lists(st.sampled_from(["b", "c", "d", "e", "of"]), max_size=80).map(" ".join)


def longest(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return the length of the longest common subsequence, as textbooks have it."""
    row = [0] * (len(other) + 1)
    for word in one:
        before = row
        row = [0]
        for place, told in enumerate(other):
            row.append(before[place] + 1 if word == told else max(before[place + 1], row[-1]))
    return row[-1]


@given(words, words)
def test_the_longest_common_subsequence_is_that_of_textbooks(one: str, other: str) -> None:
    # Up to 80 words, so that the bits go beyond those of one machine word.
    common = longest(tuple(one.split()), tuple(other.split()))
    total = len(one.split()) + len(other.split())
    assert rouge_l(read(one), read(other)) == (2 * common / total if common else 0)


@given(words, words, words)
def test_metrics_stay_in_their_order(prediction: str, reference: str, question: str) -> None:
    results = measure(prediction, [reference], [reference], question)
    assert all(0 <= value <= 1 for value in results.values())
    if reference:
        assert results["exact match"] <= results["ROUGE-L"] <= results["F1"]
        whole = results["whole-word recall"]
        assert results["exact match"] <= whole <= min(results["strict recall"], results["recall"])
        low, high = sorted((results["precision"], results["recall"]))
        assert low <= results["F1"] + 1e-12 and results["F1"] <= high + 1e-12
        # Of a reference and of knowledge that are the same, the metrics are the same.
        names = (("F1", "K-F1"), ("precision", "K-precision"), ("recall", "K-recall"))
        assert all(results[one] == results[other] for one, other in names)
