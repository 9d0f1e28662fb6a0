"""Test how replies of models are read: markup, thoughts, sentences, refusals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.text.replies import answer_of, claims_of, refuses

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
    "['{}']",
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
        ("1939.0", "1939"),
        ("She was born in [Lund](https://e.org), in a house.", "She was born in Lund, in a house."),
        ("[1939, 1940]", "1939, 1940"),
        ("It was in [1939](https://e.org).", "It was in 1939."),
        ("It was in Lund [2](https://e.org).", "It was in Lund."),  # a citation
        ("<think>It may be Oslo", ""),
        ("&amp;c. in Lund", "&c. in Lund"),
        ("[not json", "[not json"),
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
        ("I'm not sure, but I think it was Oslo.", "but, I think, it was Oslo."),
        ("Oslo, but I'm not certain.", "Oslo"),
        ("I don't know if it was Paris or London.", ""),
        ("As of my last update in 2021, I have no information on him.", ""),
        ("Ann Lee is a painter. Her birthplace isn't something I know.", "Ann Lee is a painter."),
    ],
)
def test_claims_beside_a_refusal(text: str, claims: str | None) -> None:
    """A guess beside a refusal is an answer; a name within it is none."""
    assert claims_of(text) == claims


@pytest.mark.parametrize(
    "text",
    [
        "IDK",
        "I don't know.",
        "IDK (the sources disagree)",
        "I do not know the answer.",
        "I don't know who wrote it. Many people claim to have.",  # what comes first counts
        "Sorry, but I don't really know.",
        "I'm not sure",
        "I am unable to answer this question.",
        "I cannot say when she was born.",
        "I don't have enough information to tell.",
        "No idea!",
        "Unknown",
        "The answer is unknown.",
        *("N/A", "n/a.", "Not applicable.", "Not available", "No answer."),
        "I could not find any information about him.",
        "I couldn't find that.",
        "There is no information available on this.",
        "I'm sorry, but I don't have access to that information.",
        "As an AI language model, I don't have specific information about her.",
        "I apologize, but I was unable to find a reliable record.",
        "I have no knowledge of this book.",
        "I am not familiar with this person.",
        "There isn't enough information to answer.",
        "As of my knowledge cutoff, I cannot determine it.",
        "It is unclear where she was born.",
        "Her exact date of birth is not documented.",
        "His birthplace has not been publicly disclosed.",
        "I would rather not guess.",
        "I don't recall.",
        "No one knows for sure.",
        "This question cannot be answered.",
        "No reliable source states it.",
        "Sorry, that's beyond my knowledge.",
        "n. a.",
        "Vienna is a city that I can't place her in.",
        "It slips my mind.",
        "Which one do you mean, the singer or the painter?",
        "I'd suggest checking an encyclopedia.",
        "Please look it up.",
    ],
)
def test_refusals(text: str) -> None:
    assert refuses(text)


@pytest.mark.parametrize(
    "text",
    [
        "",  # nothing was said: a failure
        "Rome",
        "No",
        "Idkerberget",  # a village
        "Na",  # sodium
        "No Answer Yet",  # a song
        "There was a king called Oscar",
        "As it is in Sweden",
        "I could not find it, but I think it was Rome",
        "As an AI language model, I don't have access to real-time data. However, it is Rome.",
        "The Information",
        "Not Without My Daughter",
        "Unknown Pleasures",
        "His Dark Materials",
        "Nobody Knows My Name",
        "It is not certain, but I think it was Rome",
        "Her place of birth is Rome",
        "I don't know, but maybe Rome",
        "I'm not sure, I think it was Rome",
        "Rome, but I don't know for sure",
        "I don't know\nAnswer: Rome",  # said in the end
    ],
)
def test_what_is_no_refusal(text: str) -> None:
    assert not refuses(text)
