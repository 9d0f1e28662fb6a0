"""Read the reply of a model: take off what surrounds the answer, and recognise refusals.

Every scorer reads replies by ``answer_of``, so markup makes no difference to any of them.
"""

import functools
import json
import re
from collections.abc import Iterator
from typing import Any

from kgbuild.data_files import read_toml
from kgbuild.english.normalize import printed
from kgbuild.models.thoughts import separate
from kgbuild.text.sentences import sentence_spans

_EMPHASIS = re.compile(r"[*`]|(?<!\w)_+|_+(?!\w)")
_NEXT_QUESTION = re.compile(r"\n[^\w\n]*question[^\w\n]*:", re.IGNORECASE)
_FRAME = re.compile(
    r"<(?:(?:final_)?answer|verdict)>([^<]*)|\\boxed\{(?:\\(?:text|math)\w*\{)?([^{}]*)\}",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"^[^\w\n]*(?:(?:the )?final )?answer[^\w\n]*:", re.IGNORECASE | re.MULTILINE)
_MARKUP = (
    (re.compile(r"</?(?:li|ul|ol|p|br|div|h\d|t[rdh])\b[^<>]*>"), "\n"),
    (re.compile(r"<(ref|sup)\b.*?</\1>|</?[a-z][^<>]*>"), ""),
    (re.compile(r" ?【[^】]*†[^】]*】|(?<=\S) ?\[\d{1,3}(?:, ?\d{1,3})*\](?!\()"), ""),  # citations
    (re.compile(r"\[\[[^][|]*\|"), ""),  # links of a wiki
    (re.compile(r" ?\(\[[^][]*\]\([^()\s]*\)\)| ?\(https?://[^()\s]*\)"), ""),  # "([source](url))"
    (re.compile(r"\]\([^()\s]*(?:\([^()]*\)[^()\s]*)?\)"), ""),  # links
    (re.compile(r"[][【】«»]"), ""),
)
"""What surrounds answers, and what remains of it."""


def final(text: str) -> str:
    """Return the answer in a model's text, without what surrounds it.

    That is the text after the last ``Answer:`` at the beginning of a line, else the whole text,
    without thoughts (see ``separate``), Markdown's emphasis, and a next question of the model's
    own. Of an answer in ``<answer>`` tags or ``\\boxed{}``, it is the last one of these.
    """
    plain = _EMPHASIS.sub("", printed(separate(text).spoken)).replace("\\n", "\n")
    spoken = _without_structure(plain.strip())
    answer = _ANSWER.split(_NEXT_QUESTION.split(spoken)[0])[-1].strip()
    framed = ["".join(groups).strip() for groups in _FRAME.findall(answer)]
    return next(filter(None, reversed(framed)), answer)


def answer_of(text: str) -> str:
    """Return the plain words of the answer in a model's text: ``final`` without markup.

    Links, brackets, HTML, citations, lists and objects of JSON are taken off.

    >>> answer_of("She was born in [Stavanger](https://example.org).")
    'She was born in Stavanger.'
    >>> answer_of('["1939"]'), answer_of('{"answer": "May 1939", "confidence": 1}')
    ('1939', 'May 1939')
    """
    answer = final(text)
    for pattern, kept in _MARKUP:
        answer = pattern.sub(kept, answer)
    return answer.strip()


def _without_structure(text: str) -> str:
    """Return the values of a list or an object in JSON, joined by commas, or "null"."""
    bare = text.removeprefix("json").strip()
    if not bare.startswith(("[", "{")):
        return text
    try:
        return ", ".join(_values(json.loads(bare))) or "null"
    except (ValueError, RecursionError):
        return text


def _values(value: Any) -> Iterator[str]:
    """Yield the texts in a value of JSON; of an object, those of its answer if it has one."""
    if isinstance(value, dict):
        value = [value["answer"]] if "answer" in value else [*value.values()]
    if isinstance(value, list):
        for part in value:
            yield from _values(part)
    elif value is not None:
        yield str(value)


_PATTERNS = read_toml("text/refusals.toml")
_REFUSAL = re.compile("|".join(_PATTERNS["refusals"]))
_WHOLE = re.compile(rf"\W*{_PATTERNS['whole']}(?=\W*$|\W+(?-i:[a-z]))", re.IGNORECASE)
_ASKS, _GUESS, _FRAMING = (
    re.compile(rf"\b{_PATTERNS[name]}", re.IGNORECASE) for name in ("asks", "guesses", "framing")
)
_TURNED = re.compile(rf"{_PATTERNS['turns']}|{_PATTERNS['guesses']}", re.IGNORECASE)
_TURN = re.compile(r"\s*(?:[;:–—()]|\s-+\s|,(?=\s))\s*")
"""Where a clause ends within a sentence."""
_NAMED = re.compile(r"\d|(?<!^)(?<![.!?]\s)\b[A-Z]\w|^[A-Z]\S*$|^but\b")
"""A name, a number, or what a refusal turns to."""


@functools.lru_cache(maxsize=2**12)
def claims_of(text: str) -> str | None:
    """Return what a plain reply claims beside a refusal; None if it refuses nothing.

    The clauses go that say that the model does not know, can't tell or won't say, and those that
    lead to them or follow them, or that ask back. An empty text remains where nothing is claimed.

    >>> claims_of("I'm not sure, but I think it was Oslo."), claims_of("It was Oslo.")
    ('but I think it was Oslo.', None)
    >>> claims_of("I don't know where she was born. You could check Wikipedia.")
    ''
    """
    text = text.replace("’", "'")
    kept, refuses = [], False
    for start, end in sentence_spans(text):
        sentence = text[start:end].strip()
        if asks_back(sentence):
            refuses = True
            continue
        if not _is_refusal(sentence):
            kept.append(sentence)
            continue
        clauses = _TURN.split(sentence)
        claimed = _claimed(clauses)
        refuses = refuses or len(claimed) < len(clauses)
        kept.append(", ".join(claimed))
    claims = " ".join(filter(None, kept))
    return claims if refuses or (text and not claims) else None


def _claimed(clauses: list[str]) -> list[str]:
    """Return the clauses of a sentence that are no refusals, and don't belong to one."""
    claimed: list[str] = []
    follows = False  # whether a refusal stands before a clause
    for clause in clauses:
        if _is_refusal(clause):
            claimed = [c for c in claimed if not _FRAMING.match(c)]
            follows = True
        elif not follows or _TURNED.match(clause):
            claimed.append(clause)
            follows = False
    return claimed


def _is_refusal(clause: str) -> bool:
    return bool(_REFUSAL.search(clause.lower()) or _WHOLE.match(clause))


def asks_back(text: str) -> bool:
    """Return whether a plain reply asks the user: "Which one do you mean?"."""
    return "?" in text and any(
        sentence.endswith("?") and _ASKS.search(sentence) is not None
        for start, end in sentence_spans(text)
        for sentence in [text[start:end].strip()]
    )


def is_guess(text: str) -> bool:
    """Return whether a plain reply guesses beside a refusal: "Maybe a singer, but I'm not sure"."""
    return _GUESS.search(claims_of(text) or "") is not None


def refuses(text: str) -> bool:
    """Return whether a reply abstains: it refuses, and claims nothing beside that.

    Whatever has a name, a number or a guess beside the refusal is a claim. An empty text does not
    abstain, since a failure must not raise selective scores.
    """
    answer = answer_of(text)
    claims = claims_of(answer)
    return claims is not None and not (_NAMED.search(claims) or is_guess(answer))
