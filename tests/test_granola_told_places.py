"""Replies that name no other place than the question does are abstentions."""

import pytest

from kgbuild.datasets.granola.matcher import Matcher
from tests.test_granola_matches import truth

SCHOOL = truth("Where is the University of Manitoba located?", "P131", ("place", "Winnipeg", []))
ACADEMY = truth("Where is the Austrian Academy located?", "P159", ("place", "Vienna", []))
HOSPITAL = truth("Where is the Canadian Hospital located?", "P131", ("place", "Linz", []))
KING = truth("Where did Olaf of Austria die?", "P20", ("place", "Linz", []))
LONDON = truth("Where was Jack Manitoba born?", "P19", ("place", "Linz", []))
BIRTHS = [
    truth(
        "Where was Ann Lee born?",
        "P19",
        ("place", "Winnipeg", []),
        ("place", "Manitoba", []),
        ("place", "Canada", [], "Q16", True),
    ),
    truth(
        "Where was Bo Ray born?",
        "P19",
        ("place", "Linz", []),
        ("place", "Austria", [], "Q40", True),
        ("place", "Europe", []),
    ),
    truth("Where was Cy Fox born?", "P20", ("place", "Linz", []), ("place", "Austria", [])),
    truth("Where is Elm Hill located?", "P131", ("place", "Linz", []), ("place", "Austria", [])),
    truth("Where is Oak Hill located?", "P131", ("place", "Linz", []), ("place", "Austria", [])),
    truth("Where is Elm Hall based?", "P159", ("place", "Linz", []), ("place", "Austria", [])),
    truth("Where is Oak Hall based?", "P159", ("place", "Linz", []), ("place", "Austria", [])),
]


@pytest.mark.parametrize(
    ("question", "reply", "level", "abstained"),
    [
        (SCHOOL, "Winnipeg", 1, False),
        (SCHOOL, "Manitoba", None, True),
        (SCHOOL, "It's in Canada, in Manitoba I think.", None, True),  # Canada follows
        (SCHOOL, "Linz", None, False),
        (SCHOOL, "Linz, Canada", None, False),
        (SCHOOL, "Somewhere in Elmville, Canada", None, False),  # Elmville is an answer
        (ACADEMY, "in Austria", None, True),
        (ACADEMY, "Canada", None, False),
        (HOSPITAL, "Canada", None, False),  # Linz is not there, so the name does not say it
        (KING, "Austria", None, True),
        (LONDON, "Manitoba", None, False),  # a surname
    ],
)
def test_what_the_question_says(question, reply, level, abstained) -> None:
    everything = [SCHOOL, ACADEMY, HOSPITAL, KING, LONDON, *BIRTHS]
    outcome = Matcher(everything).judge(reply, question)
    assert (outcome.level, outcome.abstained) == (level, abstained), outcome.reason
