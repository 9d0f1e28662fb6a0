"""The requests by which a model annotates sentences and writes paragraphs and questions.

The wording is our own; the tasks are those of the paper (appendices A.3 and D). A paragraph grows
by one request per round, each about the previous reply.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.biokalma.minimal import stands_in
from kgbuild.english import date_parsing, dates
from kgbuild.english.normalize import fold
from kgbuild.models.chat import Failure, Message, Reply, Request

MAX_WORDS = 80
"""Maximum number of words in a question."""

_MAX_TOKENS = 2048
"""Maximum number of tokens of a reply, including the reasoning of the model."""
_EMPHASIS = re.compile(r"\*\*|`|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])")
"""Marks of emphasis in Markdown, but not the stars within M*A*S*H."""
_LABEL = re.compile(
    r"^[^\w\n]*(?:here (?:is|are) )?(?:\w+ ){0,2}(?:facts|paragraph|question)\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_OPENING = re.compile(r"\A[^\n]*:\s*\n")
"""An introductory line before the reply: "Sure! Here it is:"."""
_QUOTES = (('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("«", "»"))
_NUMBERS = re.compile(r"\[?(\d{1,4}(?:(?:, ?| and |, and )\d{1,4})*)\]?\.?", re.ASCII)
_NO_NUMBERS = re.compile(r"\[?none\]?\.?", re.IGNORECASE)


class Piece(NamedTuple):
    """A fact in words; ``spellings`` are other names of its value."""

    subject: str
    property: str
    value: str
    spellings: tuple[str, ...] = ()


Subjects: TypeAlias = tuple[str, str]
"""The labels of the two subjects of a question."""


_PROMPTS = read_toml("biokalma", "writing_prompts")
_SUBJECTS = ("Orlanda Veitch", "Bruno Karsten")
_BORN, _TAUGHT, _DIED, _CARVED, _WORKED = (
    Piece("Orlanda Veitch", "place of birth", "Graz"),
    Piece("Orlanda Veitch", "student", "Bruno Karsten"),
    Piece("Orlanda Veitch", "date of death", "1931-05-02"),
    Piece("Bruno Karsten", "occupation", "sculptor"),
    Piece("Bruno Karsten", "work location", "Trieste"),
)


def annotate(sentence: str, pool: Sequence[Piece]) -> Request:
    """Return the request for the facts of a pool that a sentence, written by a person, states.

    Source: appendix A.3 of the paper, first iteration; table 9.
    """
    example = _numbered(_PROMPTS["sentence"], (_BORN, _DIED, _TAUGHT, _CARVED))
    return _request(_PROMPTS["annotate"], example, "Facts: 1, 3, 4", _numbered(sentence, pool))


def stated(reply: Reply | Failure, count: int) -> list[int] | Failure:
    """Return the indices, from 0, of the facts that a sentence states, or a failure.

    ``count`` is the number of facts in the pool. A valid reply is one line with numbers from 1 to
    ``count``, or "none".
    """
    text = _single_line(reply)
    if isinstance(text, Failure):
        return text
    if _NO_NUMBERS.fullmatch(text):
        return []
    match = _NUMBERS.fullmatch(text)
    if match is None:
        return Failure("nonsense", "no numbers of facts")
    numbers = sorted({int(number) for number in re.findall(r"\d+", match[1])})
    if not 1 <= numbers[0] <= numbers[-1] <= count:
        return Failure("nonsense", f"numbers that are not from 1 to {count}")
    return [number - 1 for number in numbers]


def extend(paragraph: str, pieces: Sequence[Piece]) -> Request:
    """Return the request for a paragraph to which pieces of knowledge are added.

    Source: appendix A.3 of the paper, second iteration and further ones; table 10.
    """
    example, question = (
        f"Paragraph: {_flat(text)}\n{_knowledge(added)}"
        for text, added in ((_PROMPTS["sentence"], (_WORKED,)), (paragraph, pieces))
    )
    return _request(_PROMPTS["extend"], example, _PROMPTS["paragraph"], question)


def extended(reply: Reply | Failure, pieces: Sequence[Piece]) -> str | Failure:
    """Return the paragraph in a reply, or a failure.

    A valid reply is one line, perhaps after "Paragraph:", and mentions all of ``pieces``: those of
    the previous paragraph, and the new ones.
    """
    text = _single_line(reply)
    if isinstance(text, Failure):
        return text
    if absent := missing(text, pieces):
        values = ", ".join(piece.value for piece in absent)
        return Failure("nonsense", f"the paragraph lacks {values}")
    return text


def missing(paragraph: str, pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of knowledge whose value a paragraph does not mention.

    It mentions a value if the words of one of its spellings occur in their order; case, accents
    and punctuation are ignored. Dates match in all usual forms of the same precision. Known
    weakness: the subject is not checked, and an inflected value ("painters", "Italian") counts as
    missing unless it is one of the spellings.
    """
    return [piece for piece in pieces if not _is_mentioned(piece, paragraph)]


def general(paragraph: str, subjects: Subjects, pieces: Sequence[Piece]) -> Request:
    """Return the request for a natural, general question that a paragraph answers.

    Source: appendix A.3 of the paper; table 11.
    """
    return _writing_request("general", paragraph, subjects, pieces)


def specific(paragraph: str, subjects: Subjects, pieces: Sequence[Piece]) -> Request:
    """Return the request for a question that asks for each piece of knowledge of a paragraph.

    Source: appendix A.3 of the paper; table 12.
    """
    return _writing_request("specific", paragraph, subjects, pieces)


def question(reply: Reply | Failure, subjects: Subjects, pieces: Sequence[Piece]) -> str | Failure:
    """Return the question in a reply, or a failure.

    A valid reply is one line, perhaps after "Question:", that ends in a question mark, has at most
    ``MAX_WORDS`` words, names both subjects and reveals no value of ``pieces``, except values in
    the names of subjects.
    """
    text = _single_line(reply)
    if isinstance(text, Failure):
        return text
    fault = _fault(text, subjects, pieces)
    return Failure("nonsense", f"the question {fault}") if fault else text


def _fault(text: str, subjects: Subjects, pieces: Sequence[Piece]) -> str:
    """Return the fault of a question, or an empty text."""
    first, second = subjects
    if not text.endswith("?"):
        return "has no question mark at its end"
    if len(text.split()) > MAX_WORDS:
        return f"has {len(text.split())} words"
    for subject, other in ((first, second), (second, first)):
        if not _is_named(subject, other, text):
            return f"does not name {subject}"
    for piece in pieces:
        in_name = any(stands_in(piece.value, subject) for subject in subjects)
        if not in_name and _is_mentioned(piece, text):
            return f"gives {piece.value} away"
    return ""


def _is_named(subject: str, other: str, text: str) -> bool:
    """Return whether a text has the label of a subject, or a word that only this label has."""
    if stands_in(subject, other):  # Johann Strauss is not named by Johann Strauss II
        text = re.sub(re.escape(other), " ", text, flags=re.IGNORECASE)
    if stands_in(subject, text):
        return True
    distinctive = {word for word in _words(subject) if len(word) > 1} - set(_words(other)) - {"the"}
    capitals = [word for word in re.findall(r"\w+", text)[1:] if not word[0].islower()]
    return any(fold(word) in distinctive for word in capitals)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", fold(text))


def _is_mentioned(piece: Piece, text: str) -> bool:
    """Return whether a text has the value of a piece in any spelling."""
    time = date_parsing.read(piece.value)
    forms = (piece.value, *piece.spellings, *(dates.spellings(time) if time else ()))
    return any(stands_in(form, text) for form in forms)


def _writing_request(
    kind: str, paragraph: str, subjects: Subjects, pieces: Sequence[Piece]
) -> Request:
    example_task, new_task = (
        f"Paragraph: {_flat(text)}\nSubjects: {_flat(' and '.join(names))}\n{_knowledge(facts)}"
        for text, names, facts in (
            (_PROMPTS["paragraph"], _SUBJECTS, (_BORN, _TAUGHT, _CARVED, _WORKED)),
            (paragraph, subjects, pieces),
        )
    )
    return _request(_PROMPTS[kind], example_task, _PROMPTS[f"{kind}_example"], new_task)


def _request(task: str, example: str, answer: str, question: str) -> Request:
    """Return a request with a task, an example with its answer, and the question."""
    turns = (
        Message("user", f"{task}\n\n{example}"),
        Message("assistant", answer),
        Message("user", question),
    )
    return Request(turns, _MAX_TOKENS)


def _numbered(sentence: str, pool: Sequence[Piece]) -> str:
    facts = "\n".join(f"{number}. {line}" for number, line in enumerate(_facts(pool), 1))
    return f"Sentence: {_flat(sentence)}\nFacts:\n{facts}"


def _knowledge(pieces: Sequence[Piece]) -> str:
    return "\n".join(("Knowledge:", *(f"- {line}" for line in _facts(pieces))))


def _facts(pieces: Sequence[Piece]) -> list[str]:
    return [_flat(f"{piece.subject}, {piece.property}: {piece.value}") for piece in pieces]


def _flat(text: str) -> str:
    """Return a text on one line, so that labels cannot add lines to a prompt."""
    return " ".join(text.split())


def _single_line(reply: Reply | Failure) -> str | Failure:
    """Return the single line of a reply, or a failure.

    It drops reasoning in ``<think>``, Markdown's emphasis, a leading label and quotes around the
    line. A reply that was cut is a failure.
    """
    if isinstance(reply, Failure):
        return reply
    if reply.was_cut:
        return Failure("nonsense", "the reply was cut")
    text = _LABEL.split(_EMPHASIS.sub("", reply.spoken))[-1].strip()
    text = _unquoted(_OPENING.sub("", text)).strip()
    if not text or "\n" in text:
        return Failure("nonsense", "the reply is not one line")
    return _flat(text)


def _unquoted(text: str) -> str:
    for opens, closes in _QUOTES:
        inner = text.removeprefix(opens).removesuffix(closes)
        if len(inner) == len(text) - 2 and opens not in inner and closes not in inner:
            return inner
    return text
