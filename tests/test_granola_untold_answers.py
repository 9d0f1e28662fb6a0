"""Coarser answers that the question tells are left out, with nothing else."""

from collections.abc import Sequence

import pytest

from kgbuild.datasets.granola.levels.order import Levelled, Levels
from kgbuild.datasets.granola.questions.golds import untold
from tests.test_granola_levels import candidate


def answer(text: str, level: int, *aliases: str) -> Levelled:
    return Levelled(level, candidate(text, 1.0, "", *aliases), 1.0, False, ())


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        # What lies around a place that is named is an answer all the same.
        (
            "Where is the University of New York located?",
            ["Albany", "the United States", "America"],
        ),
        ("Where is the United States Army based?", ["Albany", "the state of New York", "America"]),
        # An alias counts, but no part of a word.
        ("Where is the US Mint located?", ["Albany", "the state of New York", "America"]),
        (
            "Where is Americana located?",
            ["Albany", "the state of New York", "the United States", "America"],
        ),
        # The exact answer stays: it is for others to reject such a question.
        (
            "Where is Albany Hall located?",
            ["Albany", "the state of New York", "the United States", "America"],
        ),
    ],
)
def test_what_a_question_names_is_no_coarser_answer(question: str, kept: list[str]) -> None:
    def level(_: Sequence[str]) -> Levels:
        return [
            answer("Albany", 1),
            answer("the state of New York", 2, "New York"),
            answer("the United States", 3, "US"),
            answer("America", 4),
        ], [("Earth", "trivial")]

    answers, dropped = untold(question, level, ())
    assert [(one.candidate.text, one.level) for one in answers] == [
        (text, number) for number, text in enumerate(kept, 1)
    ]
    assert dropped[0] == ("Earth", "trivial")
    assert len(dropped) == 5 - len(kept)
