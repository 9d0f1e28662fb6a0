"""Make the requests by which a model annotates sentences, writes and rewrites, and read replies.

The wording is our own; the tasks follow those of the BioKaLMA paper (appendices A.3 and D, tables 9
to 12). A paragraph grows by one request per round, which contains the paragraph of the previous
reply. The questions are made from the set, and the model words them anew.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.data_files import read_toml
from kgbuild.datasets.biokalma.sets.minimal import plain_words, stands_in
from kgbuild.english import date_levels, date_parsing
from kgbuild.english.normalize import fold
from kgbuild.models.chat import Failure, Message, Reply, Request

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

_PROMPTS = read_toml("datasets/biokalma/writing_prompts.toml")
_BIRTH, _STUDENT, _DEATH, _OCCUPATION, _WORK_PLACE = (
    NamedPiece(*labels) for labels in _PROMPTS["pieces"]
)
"""The pieces of the example, about two invented people."""
MAX_WORDS = 80
"""Maximum number of words in a question."""
_EMPHASIS = re.compile(r"\*\*|`|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])")
"""Marks of emphasis in Markdown, but not the stars within M*A*S*H."""
# "Here is the new paragraph:", "Facts:"
_LABEL = re.compile(
    r"^[^\w\n]*(?:here (?:is|are) )?(?:\w+ ){0,2}(?:facts|paragraph|question)\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_OPENING = re.compile(r"\A[^\n]*:\s*\n")
"""An introductory first line with a colon at its end: "Sure! Here it is:"."""
_QUOTES = (('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("«", "»"))
# "2, 5 and 7", perhaps in brackets or with a full stop
_NUMBERS = re.compile(r"\[?(\d{1,4}(?:(?:, ?| and |, and )\d{1,4})*)\]?\.?", re.ASCII)
_NO_NUMBERS = re.compile(r"\[?none\]?\.?", re.IGNORECASE)


def annotate(sentence: str, pool: Sequence[NamedPiece]) -> Request:
    """Return the request for the numbers of the pieces of a pool that a sentence states."""
    shown = _facts("Sentence", _PROMPTS["sentence"], (_BIRTH, _DEATH, _STUDENT, _OCCUPATION))
    answer = "Facts: 1, 3, 4"
    return _request(_PROMPTS["annotate"], shown, answer, _facts("Sentence", sentence, pool))


def extend(paragraph: str, pieces: Sequence[NamedPiece]) -> Request:
    """Return the request for a paragraph with additional pieces of knowledge."""
    example = _knowledge((_WORK_PLACE,), Paragraph=_PROMPTS["sentence"])
    task = _knowledge(pieces, Paragraph=paragraph)
    return _request(_PROMPTS["extend"], example, _PROMPTS["paragraph"], task)


def rewrite(kind: str, question: str, subjects: Subjects, pieces: Sequence[NamedPiece]) -> Request:
    """Return the request to word a question naturally; ``kind`` is "general" or "specific"."""
    example = _knowledge(
        (_BIRTH, _STUDENT, _OCCUPATION, _WORK_PLACE),
        Question=_PROMPTS[f"{kind}_question"],
        Subjects=" and ".join(_PROMPTS["subjects"]),
    )
    task = _knowledge(pieces, Question=question, Subjects=" and ".join(subjects))
    return _request(_PROMPTS[kind], example, _PROMPTS[f"{kind}_example"], task)


def asked(question: str, pieces: Sequence[NamedPiece]) -> Request:
    """Return the request for the numbers of the pieces that a question asks for."""
    offered = (_DEATH, _STUDENT, _BIRTH, _WORK_PLACE, _OCCUPATION)
    shown = _facts("Question", _PROMPTS["specific_example"], offered)
    answer = "Facts: 2, 3, 4, 5"
    return _request(_PROMPTS["asked"], shown, answer, _facts("Question", question, pieces))


def _request(task: str, example: str, answer: str, question: str) -> Request:
    """Return a request with a task, an example with its answer, and the question."""
    turns = (
        Message("user", f"{task}\n\n{example}"),
        Message("assistant", answer),
        Message("user", question),
    )
    return Request(turns, _MAX_TOKENS)


def _facts(label: str, text: str, pieces: Sequence[NamedPiece]) -> str:
    """Return a text with numbered pieces below it."""
    lines = (f"{number}. {line}" for number, line in enumerate(_lines(pieces), 1))
    return "\n".join((f"{label}: {_flatten(text)}", "Facts:", *lines))


def _knowledge(pieces: Sequence[NamedPiece], **texts: str) -> str:
    """Return texts by their labels, with pieces below them."""
    labelled = (f"{label}: {_flatten(text)}" for label, text in texts.items())
    return "\n".join((*labelled, "Knowledge:", *(f"- {line}" for line in _lines(pieces))))


def _lines(pieces: Sequence[NamedPiece]) -> list[str]:
    return [_flatten(f"{piece.subject}, {piece.property}: {piece.value}") for piece in pieces]


def _flatten(text: str) -> str:
    """Return a text on one line, so that labels cannot add lines to a prompt."""
    return " ".join(text.split())


def read_indices(reply: Reply | Failure, count: int) -> list[int] | Failure:
    """Return the indices, from 0, of the pieces in a reply, or a failure.

    ``count`` is the number of pieces in the pool. A valid reply is one line with numbers from 1 to
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


def read_paragraph(reply: Reply | Failure, pieces: Sequence[NamedPiece]) -> str | Failure:
    """Return the paragraph in a reply, or a failure.

    A valid reply is one line, perhaps after "Paragraph:", and mentions all ``pieces``: the pieces
    of the previous paragraph, and the new ones.
    """
    text = _single_line(reply)
    if isinstance(text, Failure):
        return text
    if missing_pieces := missing(text, pieces):
        values = ", ".join(piece.value for piece in missing_pieces)
        return Failure("nonsense", f"the paragraph lacks {values}")
    return text


def missing(paragraph: str, pieces: Sequence[NamedPiece]) -> list[NamedPiece]:
    """Return the pieces of knowledge whose value a paragraph does not mention.

    A paragraph mentions a value if it has the words of one of its spellings, one after the other;
    case, accents and punctuation are ignored. Dates match in all usual forms of the same precision.
    Known weaknesses: the subject is not checked; an inflected value ("painters", "Italian") counts
    as missing unless it is one of the spellings.
    """
    return [piece for piece in pieces if not _is_mentioned(piece, paragraph)]


def read_question(
    reply: Reply | Failure, subjects: Subjects, pieces: Sequence[NamedPiece]
) -> str | Failure:
    """Return the question in a reply, or a failure.

    A valid reply is one line, perhaps after "Question:", that ends in a question mark, has at most
    ``MAX_WORDS`` words, names both subjects and contains no value of ``pieces``, except values that
    are part of a subject's name.
    """
    text = _single_line(reply)
    if isinstance(text, Failure):
        return text
    fault = _fault(text, subjects, pieces)
    return Failure("nonsense", f"the question {fault}") if fault else text


def _fault(text: str, subjects: Subjects, pieces: Sequence[NamedPiece]) -> str:
    """Return the fault of a question, as the end of a sentence; empty if it has none."""
    first, second = subjects
    if not text.endswith("?"):
        return "has no question mark at its end"
    if len(text.split()) > MAX_WORDS:
        return f"has {len(text.split())} words"
    for subject, partner in ((first, second), (second, first)):
        if not _is_named(subject, partner, text):
            return f"does not name {subject}"
    for piece in pieces:
        is_in_name = any(stands_in(piece.value, subject) for subject in subjects)
        if not is_in_name and _is_mentioned(piece, text):
            return f"gives {piece.value} away"
    return ""


def _is_named(subject: str, partner: str, text: str) -> bool:
    """Return whether a text has the label of a subject, or a capitalised word of this label.

    ``partner`` is the label of the other subject; its words do not count.
    """
    if stands_in(subject, partner):  # "Johann Strauss II" does not name Johann Strauss
        text = re.sub(re.escape(partner), " ", text, flags=re.IGNORECASE)
    if stands_in(subject, text):
        return True
    words, others = plain_words(subject).split(), plain_words(partner).split()
    distinctive = {word for word in words if len(word) > 1} - {*others, "the"}
    capitals = [word for word in re.findall(r"\w+", text)[1:] if not word[0].islower()]
    return any(fold(word) in distinctive for word in capitals)


def _is_mentioned(piece: NamedPiece, text: str) -> bool:
    """Return whether a text has the value of a piece in any spelling."""
    time = date_parsing.read(piece.value)
    forms = (piece.value, *piece.spellings, *(date_levels.spellings(time) if time else ()))
    return any(stands_in(form, text) for form in forms)


def _single_line(reply: Reply | Failure) -> str | Failure:
    """Return the single line of a reply, or a failure.

    Reasoning in ``<think>``, Markdown's emphasis, a label before the line and quotes around it are
    dropped. A reply that was cut is a failure.
    """
    if isinstance(reply, Failure):
        return reply
    if reply.was_cut:
        return Failure("nonsense", "the reply was cut")
    text = _LABEL.split(_EMPHASIS.sub("", reply.spoken))[-1].strip()
    text = _unquoted(_OPENING.sub("", text)).strip()
    if not text or "\n" in text:
        return Failure("nonsense", "the reply is not one line")
    return " ".join(text.split())


def _unquoted(text: str) -> str:
    """Return a text without the pair of quotes around it, if it has no others."""
    for opens, closes in _QUOTES:
        inner = text.removeprefix(opens).removesuffix(closes)
        if len(inner) == len(text) - 2 and opens not in inner and closes not in inner:
            return inner
    return text
