"""Whether a text mentions a fact: whether the words of its value occur in it."""

from kgbuild.datasets.biokalma.minimal import stands_in
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.english import dates


def spellings(fact: Fact) -> tuple[str, ...]:
    """Return the spellings of the value of a fact: a label, or the usual forms of a date."""
    if fact.value.kind != "time":
        return (fact.shown,)
    forms = dates.answers(fact.value)
    return (fact.shown, *((forms[0].text, *forms[0].aliases) if forms else ()))


def mentions(text: str, fact: Fact) -> bool:
    """Return whether the value of a fact occurs in a text.

    Known weakness: the text may state the value of another subject.
    """
    return any(stands_in(spelling, text) for spelling in spellings(fact))
