"""Find the level of a true date that a reply matches."""

import re
from collections.abc import Collection, Mapping, Sequence

from kgbuild import wikidata
from kgbuild.datasets.granola.clauses import DEATH, clauses, topic
from kgbuild.datasets.granola.true_names import names_by_level
from kgbuild.datasets.granola.truths import Match, TrueAnswer, Truth
from kgbuild.english import dates
from kgbuild.english.date_mentions import DateMention, find_dates
from kgbuild.english.dates import KINDS
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.graph.times import Years
from kgbuild.wikidata import Value

_DENIED = re.compile(
    r"(?:\b(?:not|never|than|instead of)|n['’]t)[^\w,;:.–—]+(?:(?!but\b)\w+[^\w,;:.–—]+){0,2}$"
    r"|\b(?:before|after|(?<!\d )(?<!lived )(?<!lived on )until)\W+(?:the\W+)?$",
    re.IGNORECASE,
)
"""The words before a date that the reply does not claim: "not in 1898", "before 1900".

An "until" after another date ends a life or a period, so its date is claimed: "1927 until 1999".
"""
_OR = re.compile(r"[^.;\n]{0,3}\bor\b[^.;\n]{0,25}", re.IGNORECASE)
_MORE_PRECISELY = re.compile(r"[^\w;]{0,3}(?:[^.;\n]{0,24}\W)?", re.IGNORECASE)
"""What stands between a date and a more precise one: "in the 1840s (1849, to be precise)"."""
_FROM = re.compile(r"\bbetween\W+(?:the\W+)?(?:years?\W+)?$", re.IGNORECASE)
_AND = re.compile(r"\s*(?:and|or|to|[-–&])\s*", re.IGNORECASE)
"""What stands before and within a time between two dates."""
_PAIR = 2
_STATED = {"month", "year"}
"""The kinds of answers that two days may state both: those of "3 or 4 May 1898"."""
_NO_YEARS = (10**6, -(10**6))
"""The years of a date that cannot be read."""
_DASH = re.compile(r"\s*(?:[-–—]|to|until)\s*")
"""What stands between the dates of a life: "(1927 – 1999)"."""


def match_date(reply: str, truth: Truth) -> Match:
    """Return the level of the date that a reply states about the relation of the question.

    The first date decides; of a life, such as "(1927–1999)", the first one is the birth and the
    second one the death. A more precise date in the first one replaces it: "the eighties, 1981".
    Of "3 or 4 May 1898", if one is true, the answer is what both state: the month. "1898 or 1899"
    states two years, so it is wrong. A date that is more precise than the finest true answer
    matches it if it lies in it.
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
            if _is_range(reply, inside):
                return _match_range(inside[:_PAIR], answers, truth)
            return _match(_claimed(inside, reply, truth), answers, reply)
    reason = "no date" if not mentions else "no date of this event"
    return Match(None, reason=reason, claims=False)


def _is_range(reply: str, mentions: Sequence[DateMention]) -> bool:
    """Return whether a reply leaves open a time between two dates: "between 1950 and 1955"."""
    if len(mentions) < _PAIR:
        return False
    first, second = mentions[:_PAIR]
    between = _FROM.search(reply[: first.start])
    return bool(between) and _AND.fullmatch(reply[first.end : second.start]) is not None


def _match_range(
    ends: Sequence[DateMention], answers: Mapping[str, TrueAnswer], truth: Truth
) -> Match:
    """Return the match of the period around two dates, if a true date lies between them."""
    first, last = (_years(mention) for mention in ends)
    golds = (answer.text for answer in truth.answers if answer.level == 1)
    is_true = any(
        first[0] <= years[0] and years[1] <= last[1]
        for text in golds
        for mention in find_dates(text)
        for years in [_years(mention)]
    )
    shown = f"between {first[0]} and {last[1]}"
    if not is_true:
        return Match(None, reason=f"another time: {shown}")
    return _around(ends, answers, KINDS) or Match(None, reason=f"too long a time: {shown}")


def _years(mention: DateMention) -> Years:
    """Return the first and the last year of a date."""
    return wikidata.years(mention.readings[0]) or _NO_YEARS


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
        if _MORE_PRECISELY.fullmatch(between) and _lies_in(mention, claimed[-1]):
            claimed[-1] = mention
        elif _OR.fullmatch(between):
            claimed.append(mention)
        else:
            break
    return claimed


def _lies_in(mention: DateMention, other: DateMention) -> bool:
    """Return whether a date is more precise than another, and lies in it."""
    outer = {form.text for value in other.readings for form in dates.answers(value)[:1]}
    return any(
        form.text in outer for value in mention.readings for form in dates.answers(value)[1:]
    )


def _match(claimed: Sequence[DateMention], answers: Mapping[str, TrueAnswer], reply: str) -> Match:
    matches = [_best(mention, answers, reply) for mention in claimed]
    wrong = next((match for match in matches if match.level is None), None)
    if wrong is None:
        return max(matches, key=lambda match: match.level or 0)
    if all(match.level is None for match in matches):
        return wrong
    return _around(claimed, answers, _STATED) or wrong


def _around(
    claimed: Sequence[DateMention], answers: Mapping[str, TrueAnswer], kinds: Collection[str]
) -> Match | None:
    """Return the match of the finest period of some kinds around dates of which one is true."""
    periods = [
        {
            answer.level: answer
            for value in mention.readings
            for form in dates.answers(value)[1:]
            if form.kind in kinds and (answer := answers.get(normalise(form.text)))
        }
        for mention in claimed
    ]
    level = min(set(periods[0]).intersection(*periods), default=None)
    if level is None:
        return None
    answer = periods[0][level]
    return Match(level, answer.text, f"dates in {answer.text}")


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
