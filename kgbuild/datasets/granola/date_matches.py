"""Find the level of a true date that a reply matches."""

import re
from collections.abc import Mapping, Sequence

from kgbuild.datasets.granola.clauses import DEATH, clauses, topic
from kgbuild.datasets.granola.true_names import names_by_level
from kgbuild.datasets.granola.truths import Match, TrueAnswer, Truth
from kgbuild.english import dates
from kgbuild.english.date_mentions import DateMention, find_dates
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.wikidata import Value

_DENIED = re.compile(
    r"(?:\b(?:not|never|than|instead of)|n['’]t)[^\w,;:.–—]+(?:(?!but\b)\w+[^\w,;:.–—]+){0,2}$"
    r"|\b(?:before|after|(?<!\d )until)\W+(?:the\W+)?$",
    re.IGNORECASE,
)
"""The words before a date that the reply does not claim: "not in 1898", "before 1900".

An "until" after another date ends a life or a period, so its date is claimed: "1927 until 1999".
"""
_OR = re.compile(r"[^.;\n]{0,3}\bor\b[^.;\n]{0,25}", re.IGNORECASE)
_DASH = re.compile(r"\s*(?:[-–—]|to|until)\s*")
"""What stands between the dates of a life: "(1927 – 1999)"."""


def match_date(reply: str, truth: Truth) -> Match:
    """Return the level of the date that a reply states about the relation of the question.

    The first date decides; of a life, such as "(1927–1999)", the first one is the birth and the
    second one the death. Of "1898 or 1906" both must be true. A date that is more precise than the
    finest true answer matches it if it lies in it.
    """
    answers = names_by_level(truth.answers)
    if answer := answers.get(normalise(reply)):
        return Match(answer.level, answer.text, "the same words")
    mentions = find_dates(reply)
    for start, end in clauses(reply, truth.relation):
        inside = [
            mention
            for mention in mentions
            if start <= mention.start < end and not _DENIED.search(reply[: mention.start])
        ]
        if inside:
            return _match(_claimed(inside, reply, truth), answers, reply)
    reason = "no date" if not mentions else "no date of this event"
    return Match(None, reason=reason, claims=False)


def _claimed(mentions: Sequence[DateMention], reply: str, truth: Truth) -> list[DateMention]:
    """Return the date that a reply claims, or all alternatives between which it leaves the choice.

    The list is not empty.
    """
    first, *others = mentions
    claimed = [first]
    for mention in others:
        between = reply[claimed[-1].end : mention.start]
        if topic(truth.relation) == DEATH and _DASH.fullmatch(between):
            return [mention]
        if not _OR.fullmatch(between):
            break
        claimed.append(mention)
    return claimed


def _match(claimed: Sequence[DateMention], answers: Mapping[str, TrueAnswer], reply: str) -> Match:
    matches = [_best(mention, answers, reply) for mention in claimed]
    if wrong := next((match for match in matches if match.level is None), None):
        return wrong
    return max(matches, key=lambda match: match.level or 0)


def _best(mention: DateMention, answers: Mapping[str, TrueAnswer], reply: str) -> Match:
    """Return the finest match of the readings of a date."""
    words = reply[mention.start : mention.end]
    levels = [answer for value in mention.readings if (answer := _true(value, answers))]
    if not levels:
        return Match(None, reason=f"another date: {words}")
    answer = min(levels, key=lambda answer: answer.level)
    return Match(answer.level, answer.text, f"the date {words}")


def _true(value: Value, answers: Mapping[str, TrueAnswer]) -> TrueAnswer | None:
    """Return the true answer that a date states, or the finest one, if the date lies in it."""
    forms = dates.answers(value)
    for number, form in enumerate(forms):
        texts = map(normalise, (form.text, *form.aliases))
        answer = next((answers[text] for text in texts if text in answers), None)
        if answer:
            return answer if number == 0 or answer.level == 1 else None
    return None
