"""Judge a reply by the names and dates in it, against the true answers to its question.

The verdict depends on the question, its true answers and the reply, and on nothing else.
"""

import re

from kgbuild.datasets.granola.scoring.match_dates import Hit, match_date
from kgbuild.datasets.granola.scoring.match_names import match_item
from kgbuild.datasets.granola.scoring.metrics import Reached
from kgbuild.datasets.granola.scoring.names import TrueNames
from kgbuild.datasets.granola.scoring.truths import TrueAnswer, Truth
from kgbuild.datasets.granola.scoring.words import key
from kgbuild.text.replies import answer_of, asks_back, claims_of

_CORRECTION = re.compile(
    r"\b(?:no,? wait|wait,? no|scratch that|correction|i mean|i meant"
    r"|let me correct (?:that|myself)|on second thoughts?|sorry,? (?:it was|i meant)"
    r"|that['’]s (?:wrong|not right)|my mistake"
    r"|(?:the |my )?(?:final |correct |best )?(?:answer|guess) (?:is|would be)|in conclusion"
    r"|i['’]d (?:answer|go with|say)|(?:^|[.!?—–-]\s)(?:actually|rather))\b[,:.]?",
    re.IGNORECASE,
)
"""What stands before the answer that a reply commits to in the end."""


class Matcher:
    """Judges replies; it keeps the names of the last question, as replies come in order."""

    def __init__(self) -> None:
        self._last: TrueNames | None = None

    def judge(self, reply: str, truth: Truth) -> Reached:
        """Return the level that a reply matches, and why; one that abstains matches none."""
        text = answer_of(reply)
        if not text:
            return Reached(None, reason="empty")
        if same := truth.named(text):  # most right answers need no names
            return _same_words(same)
        names = None if truth.is_date else self._names(truth)
        if names and (same := names.full.get(key(text))):
            return _same_words(same)
        claims = claims_of(text)
        if claims == "":
            return Reached(None, abstained=True, reason="abstained")
        if names and (same := names.answers.get(key(text))):
            return _same_words(same)
        match = _match(text if claims is None else claims, truth, names)
        is_silent = claims is not None and (not match.claims or asks_back(text))
        if match.level is None and is_silent:
            return Reached(None, abstained=True, reason="abstained")
        return Reached(match.level, matched=match.text, reason=match.reason)

    def _names(self, truth: Truth) -> TrueNames:
        if self._last is None or self._last.truth is not truth:
            self._last = TrueNames(truth)
        return self._last


def _same_words(answer: TrueAnswer) -> Reached:
    return Reached(answer.level, matched=answer.text, reason="the same words")


def corrected(text: str) -> str:
    """Return what follows the last correction in a reply, or all of it."""
    *_, last = (None, *_CORRECTION.finditer(text))
    return text[last.end() :] if last else text


def _match(text: str, truth: Truth, names: TrueNames | None) -> Hit:
    """Return the match of what follows the last correction, if it is an answer."""
    end = corrected(text)
    match = _match_part(end, truth, names)
    return match if match.claims or end == text else _match_part(text, truth, names)


def _match_part(text: str, truth: Truth, names: TrueNames | None) -> Hit:
    return match_item(text, names) if names else match_date(text, truth)
