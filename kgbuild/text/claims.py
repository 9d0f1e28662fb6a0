"""Find what a plain reply claims in the end, what it denies, and of which event it speaks."""

import re

_EVENTS = re.compile(
    r"\b(?:(?P<birth>born|birth\w*)|(?P<death>die[ds]?|death|deceased|passed|killed|lived to))\b",
    re.IGNORECASE,
)
"""Words about a birth or a death, to which the next date or name belongs."""
_DENIAL = re.compile(
    r"(?:\b(?:not|never|than|unlike|nor|instead of|anything but|(?:is|was|did)nt)|n['’]t)\s"
    r"(?:(?!but\b)[\w']+\s){0,2}$",
    re.IGNORECASE,
)
_DENIED_CLAUSE = re.compile(
    r"(?:^|(?<=[.!?;\n]))[^.!?;\n]*(?:\?\s*no[,.:;–—]"
    r"|\b(?:is|was) (?:wrong|incorrect|false|an? (?:mistake|error|misconception))\b)",
    re.IGNORECASE,
)
"""A clause whose answer is denied: "Paris is wrong"."""
_CORRECTION = re.compile(
    r"\b(?:no,? wait|wait,? no|scratch that|correction|i mean|i meant"
    r"|let me correct (?:that|myself)|on second thoughts?|sorry,? (?:it was|i meant)"
    r"|i['’]d (?:answer|go with|say))\b[,:.]?",
    re.IGNORECASE,
)
"""What stands before the answer that a reply commits to in the end."""


def corrected(text: str) -> str:
    """Return what follows the last correction in a reply, or all of it, without denied clauses."""
    text = _DENIED_CLAUSE.sub("", text)
    *_, last = (None, *_CORRECTION.finditer(text))
    return text[last.end() :] if last else text


def denies(before: str) -> bool:
    """Return whether a text denies the name or the date that follows it.

    >>> denies("It was not in "), denies("not Paris but ")
    (True, False)
    """
    return _DENIAL.search(before) is not None


def event_of(text: str) -> str:
    """Return the event that the last word about one tells: "birth", "death", or an empty text.

    >>> event_of("He was born in 1906 and died in")
    'death'
    """
    *_, word = (None, *_EVENTS.finditer(text))
    return (word.lastgroup or "") if word else ""
