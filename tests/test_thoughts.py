"""Thoughts of models: they are separated from what a model says, in all their marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.evaluate.answers import Answer
from kgbuild.models.chat import Reply
from kgbuild.models.thoughts import separate
from kgbuild.text.replies import answer_of

MARKED = [
    ("<think>", "</think>"),
    ("<thinking>\n", "\n</thinking>"),
    ("<thought>", "</thought>"),
    ("<Reasoning>", "</Reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<seed:think>", "</seed:think>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>\n<|begin_of_solution|>"),
    ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("analysis", "assistantfinal"),  # the same, from a server that drops special tokens
]
"""How models mark the beginning and the end of their thoughts."""


@pytest.mark.parametrize(("begin", "end"), MARKED)
def test_thoughts_in_all_marks_are_left_out(begin: str, end: str) -> None:
    assert separate(f"{begin}Yes? Hm.{end}No.").spoken.strip() == "No."


@pytest.mark.parametrize(("begin", "end"), MARKED)
def test_a_thought_without_an_end_is_no_answer(begin: str, end: str) -> None:
    assert separate(f"{begin}Yes? It seems so, but") == ("", True)
    assert Answer("a", False, f"{begin}Yes, but").state == "cut"
    assert answer_of(f"{begin}Yes, but") == ""


@pytest.mark.parametrize(("begin", "end"), MARKED[:-1])
def test_the_beginning_may_be_a_part_of_the_prompt(begin: str, end: str) -> None:
    assert separate(f"Yes? Hm.{end}No.").spoken.strip() == "No."


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("", ""),
        ("No thoughts.", "No thoughts."),
        ("Paris.<think>Sure?</think>", "Paris."),
        ("<think>a</think>Pa<think>b</think>ris", "Paris"),
        ("<think>a <think>b</think> c</think>d", "d"),  # nested: the outer end ends it
        ("<think>Yes.</think>No.<think>But", "No."),
        ("Analysis of the film", "Analysis of the film"),
        ("3 < 4 and <b>so</b>", "3 < 4 and <b>so</b>"),
        ("<|channel|>final<|message|>No<|return|>", "No"),
    ],
)
def test_what_remains(text: str, spoken: str) -> None:
    assert separate(text).spoken == spoken


@given(st.text("ab<>/think[]|\n "))
def test_a_text_without_marks_stays(text: str) -> None:
    marks = ("think>", "THINK]", "|")
    if not any(mark.lower() in text.lower() for mark in marks):
        assert separate(text) == (text, False)


@given(st.lists(st.sampled_from(["<think>", "</think>", "[THINK]", "a", "<|end|>"])))
def test_what_is_said_has_no_mark(parts: list[str]) -> None:
    assert "think" not in separate("".join(parts)).spoken.lower()


@pytest.mark.parametrize("part", ["<think>", "</think>", "<|channel|>", "<|start|>", "analysis "])
def test_many_marks_take_no_long_time(part: str) -> None:
    separate(part * 200_000)  # a pattern that goes back for each mark would never end


@pytest.mark.parametrize(
    ("text", "reason", "state"),
    [
        ("No.", "stop", "finished"),
        ("No.", "", "finished"),
        ("No.", "eos", "finished"),
        ("No, beca", "length", "cut"),
        ("", "length", "cut"),
        ("<think>No", "stop", "cut"),
        ("", "content_filter", "filtered"),
        ("I cannot", "refusal", "refused"),
        ("", "stop", "empty"),
        ("", "tool_calls", "empty"),
        ("<think>No.</think>\n", "stop", "empty"),
        ("", "", "empty"),
    ],
)
def test_states_of_answers(text: str, reason: str, state: str) -> None:
    assert Answer("a", False, text, finish_reason=reason).state == state


def test_a_reply_says_what_is_not_thought() -> None:
    reply = Reply("<think>a</think>b", "length", 1, 1, 0.1)
    assert (reply.spoken, reply.was_cut) == ("b", True)
