"""Test how replies of models are read: markup, thoughts, sentences, refusals."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.text.replies import answer_of, claims_of, refuses
from tests.conftest import ROOT

_MARKUP = (
    "{}",
    "**{}**",
    "__{}__",
    "_{}_",
    "`{}`",
    "[{}]",
    "[[{}]]",
    "[[Some page|{}]]",
    "【{}】",
    "«{}»",
    '["{}"]',
    '{{"answer": "{}"}}',
    '```json\n{{"answer": "{}", "confidence": 0.6}}\n```',
    "[{}](https://example.org/a_(b))",
    '<a href="https://example.org">{}</a>',
    "<p>{}</p>",
    "{}[1]",
    "{} [2, 3]",
    "{} 【4:0†source】",
    "{}<sup>1</sup>",
    "{} ([source](https://example.org))",
    "{} (https://example.org)",
    "<think>Oslo? No.</think>{}",
    "Oslo? No.</think>\n\n{}",
    "Answer: {}",
    "Answer: [{}]",
    "Let me see: Oslo.\nFinal answer: {}",
    "\\boxed{{{}}}",
    "<answer>{}</answer>",
    "{}\n\nQuestion: Who is she?\nAnswer: Ann",
)
"""Ways in which models write an answer."""


@pytest.mark.parametrize("form", _MARKUP)
@given(answer=st.sampled_from(["Stavanger", "1939", "22 May 1939", "São Paulo", "Ann Lee"]))
def test_markup_makes_no_difference(form: str, answer: str) -> None:
    """What surrounds an answer is no part of it."""
    assert answer_of(form.format(answer)) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("She was born in [Lund](https://e.org), in a house.", "She was born in Lund, in a house."),
        ("[1939, 1940]", "1939, 1940"),
        ("It was in [1939](https://e.org).", "It was in 1939."),
        ("<think>It may be Oslo", ""),
        ("M\u0061\u0301la\u00adga, 9\u00a0May\u202f1939", "Málaga, 9 May 1939"),
        ("{not json", "{not json"),
    ],
)
def test_markup_within_and_around(text: str, answer: str) -> None:
    """Links within a sentence, several values, a thought that never ends, broken markup."""
    assert answer_of(text) == answer


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    """A reply may be anything; reading it never fails, and to read it twice changes no refusal."""
    claims = claims_of(answer_of(text))
    assert claims is None or isinstance(claims, str)
    assert refuses(text) in (True, False)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The answer is \\boxed{Lund}.", "Lund"),
        ("$\\boxed{\\text{Lund}}$", "Lund"),
        ("<answer>\nLund\n</answer>", "Lund"),
        ("<answer>Oslo</answer> Or rather <answer>Lund", "Lund"),
        ("\\boxed{}", "\\boxed{}"),
    ],
)
def test_frames_of_answers(text: str, answer: str) -> None:
    assert answer_of(text) == answer


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("It was Oslo.", None),
        ("I'm not sure, but I think it was Oslo.", "but I think it was Oslo."),
        ("Oslo, but I'm not certain.", "Oslo"),
        ("I don't know if it was Paris or London.", ""),
        ("As of my last update in 2021, I have no information on him.", ""),
        ("Ann Lee is a painter. Her birthplace isn't something I know.", "Ann Lee is a painter."),
    ],
)
def test_claims_beside_a_refusal(text: str, claims: str | None) -> None:
    """A guess beside a refusal is an answer; a name within it is none."""
    assert claims_of(text) == claims


CASES = tomllib.loads((ROOT / "tests/cases/refusals.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", CASES)
def test_refusals_are_told_from_answers(name: str) -> None:
    assert [text for text in CASES[name] if refuses(text) is not (name == "refusals")] == []
