"""Judge a reply by the names and dates in it, against the true answers to its question.

The verdict depends on the question, its true answers and the reply, and on nothing else.
"""

import functools
import re
from collections.abc import Mapping, Sequence

from kgbuild.datasets.granola.scoring.match_names import match_item
from kgbuild.datasets.granola.scoring.names import TrueNames, key
from kgbuild.datasets.granola.scoring.truths import Reached, TrueAnswer, Truth
from kgbuild.english import date_levels
from kgbuild.english.date_mentions import DateMention, find_dates
from kgbuild.text.claims import corrected, denies, event_of
from kgbuild.text.replies import answer_of, asks_back, claims_of, is_guess

_LIFE = re.compile(r"\s*(?:[-–—]|to|until)\s*")
"""What stands between the dates of a life: "(1927 – 1999)"."""
_OR = re.compile(r"[^.;\n]{0,3}\bor\b[^.;\n]{0,25}|\s?/\s?", re.IGNORECASE)
_names = functools.lru_cache(maxsize=1)(TrueNames)
"""The names of the last question are kept, as replies to it follow each other."""


def match(reply: str, truth: Truth) -> Reached:
    """Return the level that a reply matches, and why; one that abstains matches none."""
    text = answer_of(reply)
    if not text:
        return Reached(None, reason="empty")
    if same := truth.named(text):  # most right answers need no names
        return same.reached("the same words")
    claims = claims_of(text)
    if claims == "":
        return Reached(None, abstained=True, reason="abstained")
    names = None if truth.is_date else _names(truth)
    if names and (same := names.answers.get(key(text))):
        return same.reached("the same words")
    claimed = corrected(text if claims is None else claims)
    outcome = match_item(claimed, names) if names else _match_date(claimed, truth)
    is_silent = claims is not None and (asks_back(text) or not (outcome or is_guess(text)))
    if is_silent and not (outcome and outcome.right):
        return Reached(None, abstained=True, reason="abstained")
    return outcome or Reached(None, reason="no date" if truth.is_date else "no answer named")


def _match_date(reply: str, truth: Truth) -> Reached | None:
    """Return the level of the date that a reply states; None if it states none.

    Of a life, such as "(1927–1999)", the first date is the birth, the second the death. All
    alternatives of a choice must be true. A date that is more precise than the finest true answer
    matches if it lies in it.
    """
    claimed = claimed_dates(reply, truth.question)
    if not claimed:
        return None
    names: dict[str, TrueAnswer] = {}
    for answer in reversed(truth.answers):
        names.update(dict.fromkeys(answer.names, answer))
    answers = [_true(mention, names) for mention in claimed]
    shown = " or ".join(reply[mention.start : mention.end] for mention in claimed)
    true = [answer for answer in answers if answer]
    if len(true) < len(answers):
        return Reached(None, reason=f"another date: {shown}")
    return max(true, key=lambda answer: answer.level).reached(f"the date {shown}")


def claimed_dates(reply: str, question: str) -> list[DateMention]:
    """Return the date that a reply claims of the event of a question, or the dates of a choice."""
    dates = [(mention, reply[: mention.start]) for mention in find_dates(reply)]
    mentions = [m for m, text in dates if not denies(text)]
    if not mentions:
        return []
    event = event_of(question)
    if len(mentions) > 1:  # dates of the question are no answers beside others
        told = {mention.readings for mention in find_dates(question)}
        mentions = [m for m in mentions if m.readings not in told] or mentions
    events = [_event_of(mentions, number, reply) for number in range(len(mentions))]
    own = [m for m, other in zip(mentions, events, strict=True) if not event or other == event]
    own = own or [m for m, other in zip(mentions, events, strict=True) if not other]
    claimed = own[:1]
    for mention in own[1:]:
        between = reply[claimed[-1].end : mention.start]
        if not _OR.fullmatch(between):
            break
        claimed.append(mention)
    return claimed


def _event_of(mentions: Sequence[DateMention], number: int, reply: str) -> str:
    """Return the event of a date: that of the last word before it, or of its place in a life."""
    mention = mentions[number]
    before, after = mentions[number - 1] if number else None, mentions[number + 1 : number + 2]
    if after and _LIFE.fullmatch(reply[mention.end : after[0].start]):
        return "birth"
    if before and _LIFE.fullmatch(reply[before.end : mention.start]):
        return "death"
    return event_of(reply[: mention.start])


def _true(mention: DateMention, names: Mapping[str, TrueAnswer]) -> TrueAnswer | None:
    """Return the finest true answer that a reading of a date states or lies in."""
    found = []
    for value in mention.readings:
        for number, form in enumerate(date_levels.answers(value)):
            if answer := next(filter(None, map(names.get, (form.text, *form.aliases))), None):
                found += [answer] if number == 0 or answer.level == 1 else []
                break
    return min(found, key=lambda answer: answer.level, default=None)
