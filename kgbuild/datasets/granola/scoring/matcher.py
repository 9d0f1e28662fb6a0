"""Judge a reply by the names and dates in it, against the true answers to its question.

The verdict depends on the question, its true answers and the reply, and on nothing else.
"""

import functools

from kgbuild.datasets.granola.scoring.match_dates import match_date, reached
from kgbuild.datasets.granola.scoring.match_names import match_item
from kgbuild.datasets.granola.scoring.metrics import Reached
from kgbuild.datasets.granola.scoring.names import TrueNames
from kgbuild.datasets.granola.scoring.truths import Truth
from kgbuild.datasets.granola.scoring.words import key
from kgbuild.text.claims import corrected
from kgbuild.text.replies import answer_of, asks_back, claims_of, is_guess

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
    is_silent = claims is not None and (asks_back(text) or not (outcome or is_guess(text)))
    if is_silent and not (outcome and outcome.right):
        return Reached(None, abstained=True, reason="abstained")
    return outcome or Reached(None, reason="no date" if truth.is_date else "no answer named")
