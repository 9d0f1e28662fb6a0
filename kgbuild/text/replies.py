"""Read the reply of a model: take off what surrounds the answer, and recognise refusals.

Every scorer reads replies by ``answer_of``, so markup makes no difference to any of them.
"""

import ast
import functools
import html
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
_MARKUP = tuple(
    (re.compile(pattern, re.IGNORECASE), kept)
    for pattern, kept in (
        (r"<(?:ref|sup)\b[^>]*>.*?</(?:ref|sup)>", ""),  # notes
        (r"</?(?:li|ul|ol|p|br|div|h\d|t[rdh])\b[^<>]*>", "\n"),
        (r"</?[a-z][^<>]*>", ""),  # HTML
        (r"!?\[\[(?:[^][|]*\|)?([^][|]*)\]\]", r"\1"),  # links of a wiki
        (r"\s*\(\[[^][]*\]\([^()\s]*(?:\([^()]*\)[^()\s]*)?\)\)", ""),  # "([source](url))"
        (r"\s*\[(?:source|link|ref|citation|wikipedia|\d{1,3})\]\([^()\s]*\)", ""),
        (r"!?\[([^][]*)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)?(?:\s\"[^\"]*\")?\)", r"\1"),
        (r"\s*\[([^][]+)\]\[[^][]*\]", r" \1"),  # links by reference
        (r"【[^】]*†[^】]*】", ""),  # citations
        (
            r"(?<=\S)\s?\[(?:(?:source |doc)?\d{1,3}(?:\s?[,–-]\s?\d{1,3})*|\^\w+"
            r"|citation needed)\]",
            "",
        ),
        (r"\s?\(?https?://\S+", ""),
        (r"【([^】]*)】|«([^»]*)»|\[([^][]*)\]", r"\1\2\3"),
        (r"^\s*[{<$]\s*([^{}<>$]*?)\s*[}>$]\s*$", r"\1"),
        (r"^\s*(\d{1,4})\.0+\s*$", r"\1"),  # a year in a column of numbers
    )
)
"""What surrounds answers, and what remains of it."""
_HINTS = ("<", "[", "【", "«", "{", "$", "&", "://", ".0")
"""One of these is in every text with markup."""
_KEYS = ("answer", "final_answer", "response", "text", "value", "name", "output")
"""Keys under which a reply in JSON holds its answer."""


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

    Links, brackets, HTML, citations, lists and objects of JSON or Python are taken off.

    >>> answer_of("She was born in [Stavanger](https://example.org).")
    'She was born in Stavanger.'
    >>> answer_of("['1939']"), answer_of('{"answer": "May 1939"}'), answer_of("1939.0")
    ('1939', 'May 1939', '1939')
    """
    answer = final(text)
    if not any(map(answer.__contains__, _HINTS)):
        return answer
    answer = html.unescape(answer)
    for pattern, kept in _MARKUP:
        answer = pattern.sub(kept, answer)
    answer = _ANSWER.split(answer)[-1]  # "[Answer: 1939]"
    return " ".join(answer.split(" ")).strip()


def _without_structure(text: str) -> str:
    """Return the values of a list or an object in JSON or Python, joined by commas, or "null"."""
    bare = re.sub(r"^json\b", "", text).strip()
    if bare[:1] + bare[-1:] not in ("[]", "{}"):
        return text
    for read in (json.loads, ast.literal_eval):
        try:
            return ", ".join(_values(read(bare))) or "null"
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            continue
    return text


def _values(value: Any) -> Iterator[str]:
    """Yield the texts in a value of JSON; of an object, those under a usual key if it has one."""
    if isinstance(value, dict):
        known = [value[key] for key in _KEYS if key in value]
        for part in known[:1] or value.values():
            yield from _values(part)
    elif isinstance(value, list | tuple | set):
        for part in value:
            yield from _values(part)
    elif value is not None:
        yield str(value)


_PATTERNS = read_toml("text/refusals.toml")


def _any(name: str) -> re.Pattern[str]:
    """Return a pattern that finds any of the patterns of a list, in small letters.

    To ignore the case would take twice as long.
    """
    return re.compile("|".join(_PATTERNS[name]))


_REFUSAL, _ADVICE = _any("refusals"), _any("advice")
_HINT = re.compile(rf"{_PATTERNS['hints']}|\b(?:{'|'.join(_PATTERNS['starts'])})")
_WHOLE = re.compile(rf"\W*{_PATTERNS['whole']}(?=\W*$|\W+(?-i:[a-z]))", re.IGNORECASE)
_ASKS, _GUESS, _FRAMING = (
    re.compile(rf"\b{_PATTERNS[name]}", re.IGNORECASE) for name in ("asks", "guesses", "framing")
)
_TURNED = re.compile(rf"{_PATTERNS['turns']}|{_PATTERNS['guesses']}", re.IGNORECASE)
_TURN = re.compile(rf"\s*(?:[;:–—()]|\s-+\s|,(?=\s)|,?\s(?={_TURNED.pattern}))\s*", re.IGNORECASE)
"""Where a clause ends within a sentence."""
_ASKED = re.compile(rf"(\b(?:if|how|wh\w+)(?: \w+){{0,2}}) {_PATTERNS['guesses']}", re.IGNORECASE)
"""A word of a guess in an indirect question, such as "what he probably did"."""
_MOST_SHORT = 4
"""The greatest number of words of a refusal after which a comma may begin a guess."""
_NAMED = re.compile(r"\d|(?<!^)(?<![.!?]\s)\b[A-Z]\w|^[A-Z]\S*$|^but\b")
"""A name, a number, or what a refusal turns to."""
_ONLY_MARKS = re.compile(
    r"[?\s]+|[-–—…]+|\.{3,}|\W*n(?:/|\.\s?)a\W*|(?-i:None|NaN|nan)", re.IGNORECASE
)
"""A reply without words that says nothing; "!!!" is a band, and "Nan" a name."""


@functools.lru_cache(maxsize=2**12)
def claims_of(text: str) -> str | None:
    """Return what a plain reply claims beside a refusal; None if it refuses nothing.

    The clauses go that say that the model does not know, can't tell or won't say, and those that
    lead to them, that advise or that ask back. An empty text remains where nothing is claimed.

    >>> claims_of("I'm not sure, but I think it was Oslo."), claims_of("It was Oslo.")
    ('but, I think, it was Oslo.', None)
    >>> claims_of("I don't know where she was born. You could check Wikipedia.")
    ''
    """
    if _ONLY_MARKS.fullmatch(text):
        return ""
    text = text.replace("’", "'")
    words = text.split()
    is_title = len(words) > 1 and all(word[0].isupper() for word in words)  # "Unknown Pleasures"
    if is_title or not _HINT.search(text.lower()):
        return None
    kept, refuses = [], False
    for start, end in sentence_spans(text):
        sentence = text[start:end].strip()
        if asks_back(sentence):
            refuses = True
            continue
        if not (_is_refusal(sentence) or _ADVICE.search(sentence.lower())):
            kept.append(sentence)
            continue
        clauses = _TURN.split(_ASKED.sub(r"\1", sentence))
        claimed = _claimed(clauses)
        refuses = refuses or len(claimed) < len(clauses)
        kept.append(", ".join(clause for clause in claimed if not _ADVICE.search(clause.lower())))
    claims = " ".join(filter(None, kept))
    return claims if refuses or not claims else None


def _claimed(clauses: list[str]) -> list[str]:
    """Return the clauses of a sentence that are no refusals, and don't belong to one."""
    claimed: list[str] = []
    length = 0  # the words of the refusal before a clause; 0 if it belongs to none
    for clause in clauses:
        if _is_refusal(clause):
            claimed = [] if length else [c for c in claimed if not _FRAMING.match(c)]
            length = len(clause.split())
        elif not length or length <= _MOST_SHORT or _TURNED.match(clause):
            claimed.append(clause)
            length = 0
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
    claims = claims_of(text) or ""
    return _GUESS.search(claims) is not None or claims[-1:] == text[-1:] == "?"


def refuses(text: str) -> bool:
    """Return whether a reply abstains: it refuses, and claims nothing beside that.

    Whatever has a name, a number or a guess beside the refusal is a claim. An empty text does not
    abstain, since a failure must not raise selective scores.
    """
    answer = answer_of(text)
    claims = claims_of(answer)
    return claims is not None and not (_NAMED.search(claims) or is_guess(answer))
