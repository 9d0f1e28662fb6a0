"""Find what a response says in short, and what most responses to a question say.

Source: self-consistency, in section 4 of the GRANOLA paper.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from kgbuild.datasets.granola.scoring.match_names import first_names
from kgbuild.datasets.granola.scoring.matcher import claimed_dates
from kgbuild.datasets.granola.scoring.names import TrueNames
from kgbuild.datasets.granola.scoring.truths import Truth
from kgbuild.english import date_levels
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.text.claims import corrected
from kgbuild.text.replies import answer_of, claims_of, refuses

IDK = "IDK"
"""The answer if responses have nothing informative in common, as in the paper."""

_OF_TIME = re.compile(
    r"\W*(?:when|(?:in |on )?(?:what|which) (?:year|date|day|month|decade))\b", re.I
)


def majority(question: str, responses: Sequence[str]) -> str:
    """Return the most frequent response, in its most frequent form.

    Responses are equal if they say the same (see ``said_alike``). The first of several equally
    frequent responses is returned.
    """
    forms: dict[str, list[str]] = defaultdict(list)  # by what they say
    for response in responses:
        forms[said_alike(question, response)].append(response)
    best = max(forms, key=lambda key: len(forms[key]))
    return IDK if best == IDK else most_frequent(forms[best])


def agreement(question: str, responses: Sequence[str], answer: str) -> float | None:
    """Return the share of responses that say the same as an answer; None if none does."""
    same = [said_alike(question, one) for one in responses].count(said_alike(question, answer))
    return same / len(responses) if same else None


def said(reply: str, question: str, is_date: bool) -> str:
    """Return the date or the name, with its places, that a reply gives; its text if there is none.

    A reply that leaves a choice says its whole text.

    >>> said("She was born on January 31, 1986.", "When was Ann Lee born?", is_date=True)
    '31 January 1986'
    >>> said("Ann Lee was born in Fresno, CA.", "Where was Ann Lee born?", is_date=False)
    'Fresno, California'
    """
    text = answer_of(reply)
    text = corrected(claims_of(text) or text)
    if is_date:
        claimed = claimed_dates(text, question)
        forms = date_levels.answers(claimed[0].readings[0]) if len(claimed) == 1 else []
        return forms[0].text if forms else text
    return ", ".join(first_names(text, TrueNames(Truth(question, [])))) or text


def said_alike(question: str, response: str) -> str:
    """Return a text that is equal for responses that say the same: "IDK" if they abstain."""
    if refuses(response):
        return IDK
    return normalise(said(response, question, is_date=_OF_TIME.match(question) is not None))


def most_frequent(forms: Sequence[str]) -> str:
    """Return the most frequent text, or the alphabetically first of several such texts."""
    counts = Counter(forms)
    return min(counts, key=lambda form: (-counts[form], form))
