"""The requests of GRANOLA to a language model, and the replies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.datasets.granola.model_prompts import (
    coarser_request,
    consistency_requests,
    inconsistency,
    read_answers,
)
from kgbuild.models.chat import Failure, Reply

BUDGET = Failure("budget", "30 of 25 tokens are used")


def reply(text: str, *, was_cut: bool = False) -> Reply:
    return Reply(text, "length" if was_cut else "stop", 1, 1, 0.1)


def test_the_request_has_all_descriptions() -> None:
    request = coarser_request(
        "Where was Ada Lindqvist born?", "Lund", "Swedish novelist", "city in\n  Scania, Sweden"
    )
    (turn,) = request.messages
    assert turn.role == "user"
    assert turn.content.endswith(
        "\n\nQuestion: Where was Ada Lindqvist born?\n"
        "Exact answer: Lund\n"
        "About what the question names: Swedish novelist\n"
        "About the exact answer: city in Scania, Sweden"  # one line: it cannot add another
    )
    assert '"1:: answer"' in turn.content
    assert (request.temperature, request.sample) == (0.0, 0)


@pytest.mark.parametrize("nothing", [None, ""])
def test_a_description_may_be_missing(nothing: str | None) -> None:
    (turn,) = coarser_request("Where was Ada Lindqvist born?", "Lund", nothing, nothing).messages
    assert turn.content.endswith("\n\nQuestion: Where was Ada Lindqvist born?\nExact answer: Lund")


LIST = ["Lund", "Scania", "Sweden"]


@pytest.mark.parametrize(
    "text",
    [
        "1:: Lund\n2:: Scania\n3:: Sweden",
        "\n  1 ::Lund\r\n\r\n2::  Scania  \n3:: Sweden\n\n",
        "Here is the list:\n\n1:: Lund\n2:: Scania\n3:: Sweden\n\nI hope that this helps!",
        "**1:: Lund**\n**2::** Scania\n`3:: Sweden`",
        "<think>\n1:: Malmö\nNo, Lund.\n</think>\n1:: Lund\n2:: Scania\n3:: Sweden",
        # Some servers begin the thoughts themselves, and pass on their end only.
        "1:: Malmö, or …</think>1:: Lund\n2:: Scania\n3:: Sweden",
    ],
)
def test_a_list_is_understood(text: str) -> None:
    assert read_answers(reply(text)) == LIST


def test_an_answer_may_contain_the_separator() -> None:
    text = "1:: std::vector\n2:: M*A*S*H (1:: 2)"
    assert read_answers(reply(text)) == ["std::vector", "M*A*S*H (1:: 2)"]


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("", "no list of answers"),
        ("Lund, then Scania, then Sweden", "no list of answers"),
        ("1. Lund\n2. Scania", "no list of answers"),
        ("1::\n2::   ", "no list of answers"),
        ("<think>\n1:: Lund\n2:: Scania", "no list of answers"),  # it never ended to think
        ("2:: Scania\n3:: Sweden", "the answers are not numbered in order"),
        ("1:: Lund\n3:: Sweden", "the answers are not numbered in order"),
        ("1:: Lund\n2:: Scania\n1:: Malmö", "the answers are not numbered in order"),
        ("0:: Dalby\n1:: Lund", "the answers are not numbered in order"),
    ],
)
def test_replies_without_a_list(text: str, detail: str) -> None:
    assert read_answers(reply(text)) == Failure("nonsense", detail)


def test_of_a_list_that_was_cut_the_last_line_is_left_out() -> None:
    # "an American" may have been going to be "an American novelist".
    assert read_answers(reply("1:: Ann Lee\n2:: an American", was_cut=True)) == ["Ann Lee"]
    assert read_answers(reply("1:: Ann L", was_cut=True)) == Failure(
        "nonsense", "no list of answers"
    )


def test_no_reply_is_no_list() -> None:
    assert read_answers(BUDGET) == BUDGET


@given(st.text(alphabet="1234567890: \nab*<think>/") | st.text())
def test_any_reply_gives_answers_or_a_reason(text: str) -> None:
    results = read_answers(reply(text))
    assert isinstance(results, Failure) or all(answer.strip() == answer != "" for answer in results)


@given(st.lists(st.from_regex(r"[a-z0-9]([a-z0-9 .,'-]{0,20}[a-z0-9])?", fullmatch=True)))
def test_a_list_that_is_written_is_read(expected: list[str]) -> None:
    text = "\n".join(f"{number}:: {answer}" for number, answer in enumerate(expected, 1))
    assert read_answers(reply(text)) == (expected or Failure("nonsense", "no list of answers"))


def test_the_consistency_request_has_examples() -> None:
    requests = consistency_requests("Who painted Orbit?", "motorcycle\nmaker")
    assert [request.sample for request in requests] == [0, 1, 2, 3, 4]
    assert {request.temperature for request in requests} == {1.0}
    assert len({request.messages for request in requests}) == 1
    turns = requests[0].messages
    # Turns alternate, as the templates of many models ask for; five examples, then the question.
    assert [turn.role for turn in turns] == [*["user", "assistant"] * 5, "user"]
    assert {turn.content for turn in turns[1::2]} == {"Yes", "No"}
    assert turns[-1].content == "Question: Who painted Orbit?\nDescription: motorcycle maker"


@pytest.mark.parametrize(
    ("texts", "share"),
    [
        (["Yes", "yes.", "YES!", "**Yes**", " yes\n"], 0.0),
        (["No", "no.", "No, it is a person.", "No: a port.", "No\n\nIt is a port."], 1.0),
        (["Yes", "No", "No", "No", "No"], 0.8),
        (["<think>Yes? It seems so.</think>No", "Yes", "Yes", "Yes", "Yes"], 0.2),
        # What is neither doesn't count: one of two.
        (["Yes", "No", "Maybe", "", "It is not."], 0.5),
        (["No idea", "Not sure", "No one knows", "Nobody", "Yes"], 0.0),
        (["<think>No", "Yesterday", "Yes and no", "No"], 1.0),
    ],
)
def test_the_share_of_no(texts: list[str], share: float) -> None:
    assert inconsistency([reply(text) for text in texts]) == share


def test_failures_are_no_verdicts() -> None:
    assert inconsistency([BUDGET, reply("No"), reply("Yes"), BUDGET]) == 0.5
    assert inconsistency([BUDGET, reply("Maybe")]) == BUDGET
    assert inconsistency([reply("Maybe")]) == Failure("nonsense", "neither yes nor no")
    assert inconsistency([]) == Failure("nonsense", "neither yes nor no")
