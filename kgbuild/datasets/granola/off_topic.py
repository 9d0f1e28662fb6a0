"""Recognise a reply that says something else than what the question asks for.

"X was a Socialist who served as prime minister in 1942" does not tell when X was born, "Which X?
There's the footballer, and a producer" asks back, and "Does it matter?" refuses.
"""

import itertools
import re

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.clauses import names_topic
from kgbuild.datasets.granola.reply_dates import in_english
from kgbuild.datasets.granola.reply_words import begins_name, names_stranger, split_words
from kgbuild.datasets.granola.truths import Match, Truth
from kgbuild.english.date_mentions import find_dates

_WORDS = read_toml("granola", "off_topic")
_LIVES = {"P569", "P570"}
"""The relations that ask for the dates of a life, in which other things happen at other times."""
_SUBJECT = rf"\W*(?:{'|'.join(_WORDS['titles']['words'])})?it\b(?:\s?\([^()]*\)|,[^,.]*,)?\s+"
"""How a reply begins with its subject, for which it has a pronoun."""
_STATES = re.compile(
    rf"{_SUBJECT}(?:(?:also|later|once|then)\s)?"
    r"(?:(?:is|was|are|were|['’]s)\s(?:an?|the|one of|two)\b|(?:has|have|had)\s\w+"
    rf"|(?:{'|'.join(_WORDS['deeds']['verbs'])})\b)",
    re.IGNORECASE,
)
"""A sentence that says what the subject is or did."""
_DEED = re.compile(rf"\b(?:{'|'.join(_WORDS['deeds']['verbs'])})\b", re.IGNORECASE)
_INSIDE = frozenset(_WORDS["inside"]["words"])
_ANSWERS = frozenset(_WORDS["inside"]["answers"])
_WHICH = re.compile(
    r"\W*(?:(?:sorry|um|er|hmm|well|but),?\s)?which (?:one|it|of (?:them|the))\b[^.!?\n]*\?", re.I
)
"""A reply that begins with the question which namesake is meant: "Which it?"."""
_SEVERAL = re.compile(rf"\b(?:{'|'.join(_WORDS['namesakes']['several'])})\b", re.IGNORECASE)
_NOT_SAID = re.compile(
    rf"\b(?:{'|'.join(_WORDS['namesakes']['lacks'])})\s(?:\w+\s){{0,2}}?(?:which|who)\b"
    r"[^.!?\n]{0,24}\b(?:mean|meant|after|about|asking|want|one)\b",
    re.IGNORECASE,
)
_DISMISSES = re.compile(rf"\W*(?:{'|'.join(_WORDS['dismissals']['phrases'])})\b", re.IGNORECASE)
_KNOWS = re.compile(
    r"\bI (?:only |just )?(?:know|remember|recall)\b(?P<known>[^.!?\n]*)[,;–—-]\s*(?:but )?not "
    r"(?:where|when|who|whom|whose|which|what|how)\b(?! (?:exactly|precisely))",
    re.IGNORECASE,
)
"""What a reply knows instead of the answer: "I know he led Elmland, but not where he studied"."""
_KNOWS_ONLY = re.compile(
    r"(?:[^.!?\n]{0,20}[,;:.!–—-]\s*)?(?:I (?:only|just) (?:know|remember|recall)|all I know is)"
    r" that (?P<known>[^.!?\n]*)[.!]?",
    re.IGNORECASE,
)
"""All that a reply knows: "Sorry, I only know that he led Elmland"."""
_CLAIM = re.compile(
    r"\b(?:it|he|she|they)(?:\swas|\sis|['’]s)\s(?:in|at|from|near)\b", re.IGNORECASE
)
_MOST_OF_ANSWER = 3
"""The greatest number of words of an answer without a verb: "Upper Smallville"."""


def is_off_topic(text: str, truth: Truth, match: Match) -> bool:
    """Return whether a reply, with "it" for the subject, answers something else; see the module.

    ``match`` is what the reply matches.
    """
    if asks_which(text, truth, match):
        return True
    if _tells_deeds(text, truth):
        return True
    if match.level is not None:
        return False
    known = _KNOWS.search(text) or _KNOWS_ONLY.fullmatch(text)
    if known and not _is_about(known["known"], truth):
        return True
    if match.claims or _is_about(text, truth):
        return False
    dismissal = _DISMISSES.match(text)
    if dismissal:
        return not _may_name(text[dismissal.end() :])
    return bool(_STATES.match(text)) and _names_nothing(text, truth)


def asks_which(text: str, truth: Truth, match: Match) -> bool:
    """Return whether a reply leaves open which namesake is meant.

    With a true answer in it, it must also tell of several ones.
    """
    asks = _WHICH.match(text)
    lacks = bool(_NOT_SAID.search(text))
    if _is_about(text, truth):
        return False
    if match.level is not None:
        return bool(_SEVERAL.search(text)) and (lacks or bool(asks))
    if asks:
        return not match.claims or bool(_SEVERAL.search(text))
    return lacks and (bool(_SEVERAL.search(text)) or not match.claims)


def _tells_deeds(text: str, truth: Truth) -> bool:
    """Return whether a reply about a life tells only of deeds with dates: "it served in 1942"."""
    if truth.relation not in _LIVES or _is_about(text, truth) or not _STATES.match(text):
        return False
    deed = _DEED.search(text)
    dates = find_dates(in_english(text))
    return not dates or (deed is not None and deed.start() < dates[0].start)


def _is_about(text: str, truth: Truth) -> bool:
    """Return whether a text is about what is asked, as it has a word such as "born"."""
    is_said = truth.relation in _LIVES or truth.relation in ("P19", "P20")
    return bool(_CLAIM.search(text)) or (is_said and names_topic(text, truth.relation))


def _names_nothing(text: str, truth: Truth) -> bool:
    """Return whether a sentence about the subject names no candidate of the kind asked for."""
    if truth.is_date:
        return not find_dates(in_english(text))
    if truth.is_person or not _asks_where(truth):
        return not names_stranger(text, truth.question)
    return not _names_place(text)


def _asks_where(truth: Truth) -> bool:
    return truth.question.casefold().startswith(
        ("where", "in which", "what school", "which school")
    )


def _names_place(text: str) -> bool:
    """Return whether a name follows a word such as "in", or there is one such as "graduate"."""
    words = split_words(text)
    if any(word.text in _ANSWERS for word in words):
        return True
    return any(
        word.text in _INSIDE and begins_name(following)
        for word, following in itertools.pairwise(words)
    )


def _may_name(text: str) -> bool:
    """Return whether a text may be an answer: it has few words, or "in" before a name."""
    words = split_words(text)
    is_short = len(words) <= _MOST_OF_ANSWER and any(begins_name(word) for word in words)
    return is_short or _names_place(text)
