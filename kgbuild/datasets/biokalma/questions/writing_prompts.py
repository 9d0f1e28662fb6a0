"""Make the requests by which a model annotates sentences, writes paragraphs, rewrites questions.

The wording is our own; the tasks follow those of the BioKaLMA paper (appendices A.3 and D). A
paragraph grows by one request per round, which contains the paragraph of the previous reply. The
questions are made from the set, and the model words them anew.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.base import read_toml
from kgbuild.models.chat import Message, Request

_MAX_TOKENS = 2048
"""Maximum number of tokens of a reply, including the reasoning of the model."""


class NamedPiece(NamedTuple):
    """A piece as labels; ``spellings`` are other names of its value."""

    subject: str
    property: str
    value: str
    spellings: tuple[str, ...] = ()


Subjects: TypeAlias = tuple[str, str]
"""The labels of the two subjects of a question."""

_PROMPTS = read_toml("biokalma", "writing_prompts")
_BIRTH, _STUDENT, _DEATH, _OCCUPATION, _WORK_PLACE = (
    NamedPiece(*labels) for labels in _PROMPTS["pieces"]
)
"""The pieces of the example, about two invented people."""


def annotate(sentence: str, pool: Sequence[NamedPiece]) -> Request:
    """Return the request for the numbers of the pieces of a pool that a sentence states.

    Source: appendix A.3 of the paper, first iteration; table 9.
    """
    example = _annotation_task(_PROMPTS["sentence"], (_BIRTH, _DEATH, _STUDENT, _OCCUPATION))
    return _request(
        _PROMPTS["annotate"], example, "Facts: 1, 3, 4", _annotation_task(sentence, pool)
    )


def extend(paragraph: str, pieces: Sequence[NamedPiece]) -> Request:
    """Return the request for a paragraph with additional pieces of knowledge.

    Source: appendix A.3 of the paper, second iteration and further ones; table 10.
    """
    example = _extension_task(_PROMPTS["sentence"], (_WORK_PLACE,))
    question = _extension_task(paragraph, pieces)
    return _request(_PROMPTS["extend"], example, _PROMPTS["paragraph"], question)


def general(question: str, subjects: Subjects, pieces: Sequence[NamedPiece]) -> Request:
    """Return the request for a natural wording of a general question.

    Source: appendix A.3 of the paper; table 11.
    """
    return _question_request("general", question, subjects, pieces)


def specific(question: str, subjects: Subjects, pieces: Sequence[NamedPiece]) -> Request:
    """Return the request for a natural wording of a question that asks for each piece.

    Source: appendix A.3 of the paper; table 12.
    """
    return _question_request("specific", question, subjects, pieces)


def asked(question: str, pieces: Sequence[NamedPiece]) -> Request:
    """Return the request for the numbers of the pieces that a question asks for."""
    example_pieces = (_DEATH, _STUDENT, _BIRTH, _WORK_PLACE, _OCCUPATION)
    example = _asked_task(_PROMPTS["specific_example"], example_pieces)
    return _request(_PROMPTS["asked"], example, "Facts: 2, 3, 4, 5", _asked_task(question, pieces))


def _question_request(
    kind: str, question: str, subjects: Subjects, pieces: Sequence[NamedPiece]
) -> Request:
    """Return the request for a wording of a question; ``kind`` is "general" or "specific"."""
    example_pieces = (_BIRTH, _STUDENT, _OCCUPATION, _WORK_PLACE)
    example = _question_task(_PROMPTS[f"{kind}_question"], _PROMPTS["subjects"], example_pieces)
    task = _question_task(question, subjects, pieces)
    return _request(_PROMPTS[kind], example, _PROMPTS[f"{kind}_example"], task)


def _request(task: str, example: str, answer: str, question: str) -> Request:
    """Return a request with a task, an example with its answer, and the question."""
    turns = (
        Message("user", f"{task}\n\n{example}"),
        Message("assistant", answer),
        Message("user", question),
    )
    return Request(turns, _MAX_TOKENS)


def _annotation_task(sentence: str, pool: Sequence[NamedPiece]) -> str:
    return f"Sentence: {_flatten(sentence)}\nFacts:\n{_numbered(pool)}"


def _asked_task(question: str, pieces: Sequence[NamedPiece]) -> str:
    return f"Question: {_flatten(question)}\nFacts:\n{_numbered(pieces)}"


def _numbered(pieces: Sequence[NamedPiece]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(_lines(pieces), 1))


def _extension_task(paragraph: str, added: Sequence[NamedPiece]) -> str:
    return f"Paragraph: {_flatten(paragraph)}\n{_knowledge(added)}"


def _question_task(question: str, subjects: Subjects, pieces: Sequence[NamedPiece]) -> str:
    names = _flatten(" and ".join(subjects))
    return f"Question: {_flatten(question)}\nSubjects: {names}\n{_knowledge(pieces)}"


def _knowledge(pieces: Sequence[NamedPiece]) -> str:
    return "\n".join(("Knowledge:", *(f"- {line}" for line in _lines(pieces))))


def _lines(pieces: Sequence[NamedPiece]) -> list[str]:
    return [_flatten(f"{piece.subject}, {piece.property}: {piece.value}") for piece in pieces]


def _flatten(text: str) -> str:
    """Return a text on one line, so that labels cannot add lines to a prompt."""
    return " ".join(text.split())
