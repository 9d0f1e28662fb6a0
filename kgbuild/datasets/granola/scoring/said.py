"""Return in short what a reply says, without true answers to compare it with."""

from kgbuild.datasets.granola.scoring.match_dates import claimed_dates
from kgbuild.datasets.granola.scoring.match_names import first_names
from kgbuild.datasets.granola.scoring.matcher import corrected
from kgbuild.datasets.granola.scoring.names import TrueNames
from kgbuild.datasets.granola.scoring.truths import Truth
from kgbuild.english import dates
from kgbuild.text.replies import answer_of, claims_of


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
        forms = dates.answers(claimed[0].readings[0]) if len(claimed) == 1 else []
        return forms[0].text if forms else text
    return ", ".join(first_names(text, TrueNames(Truth(question, [])))) or text
