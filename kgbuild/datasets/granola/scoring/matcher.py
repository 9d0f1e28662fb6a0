"""Judge a reply by the names and dates in it, against the true answers to its question.

The verdict depends on the question, its true answers and the reply, and on nothing else.
"""

import functools
import re

from kgbuild.datasets.granola.scoring.match_dates import match_date, reached
from kgbuild.datasets.granola.scoring.match_names import match_item
from kgbuild.datasets.granola.scoring.metrics import Reached
from kgbuild.datasets.granola.scoring.names import TrueNames
from kgbuild.datasets.granola.scoring.truths import Truth
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
_DENIED = re.compile(
    r"(?:^|(?<=[.!?;\n]))[^.!?;\n]*(?:\?\s*no[,.:;–—]"
    r"|\b(?:is|was) (?:wrong|incorrect|false|an? (?:mistake|error|misconception))\b"
    r"|\b(?:often|sometimes|commonly|frequently|widely|many|some|most)(?:\s\w+){0,2}?"
    r"\s(?:think|thought|believed?|say|said|claim(?:ed)?|named|given|cited|assumed?)\b"
    r"[^.!?;\n]{0,99},\s(?:but\s)?(?:it|s?he|they)\s(?:is|was|were)\b(?=[^.!?;\n]{0,99}(?-i:[A-Z\d])))",
    re.IGNORECASE,
)
"""A clause whose answer is denied, or is only that of others: "many say Paris, but it is"."""


_names = functools.lru_cache(maxsize=1)(TrueNames)
"""The names of the last question are kept, as replies to it follow each other."""


def match(reply: str, truth: Truth) -> Reached:
    """Return the level that a reply matches, and why; one that abstains matches none."""
    text = answer_of(reply)
    if not text:
        return Reached(None, reason="empty")
    if same := truth.named(text):  # most right answers need no names
        return reached(same, "the same words")
    claims = claims_of(text)
    if claims == "":
        return Reached(None, abstained=True, reason="abstained")
    names = None if truth.is_date else _names(truth)
    if names and (same := names.answers.get(key(text))):
        return reached(same, "the same words")
    claimed = corrected(text if claims is None else claims)
    outcome = match_item(claimed, names) if names else match_date(claimed, truth)
    is_silent = claims is not None and (outcome is None or asks_back(text))
    if is_silent and not (outcome and outcome.right):
        return Reached(None, abstained=True, reason="abstained")
    return outcome or Reached(None, reason="no date" if truth.is_date else "no answer named")


def corrected(text: str) -> str:
    """Return what follows the last correction in a reply, or all of it, without denied clauses."""
    text = _DENIED.sub("", text)
    *_, last = (None, *_CORRECTION.finditer(text))
    return text[last.end() :] if last else text
