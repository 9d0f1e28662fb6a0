"""Whether a text says a piece of knowledge: by the words of its value."""

from kgbuild.datasets.biokalma.minimal import stands_in
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.english import dates


def spellings(fact: Fact) -> tuple[str, ...]:
    """Return how the value of a fact may stand in a text: a label, or a date in its usual forms."""
    if fact.value.kind != "time":
        return (fact.shown,)
    known = dates.answers(fact.value)
    return (fact.shown, *((known[0].text, *known[0].aliases) if known else ()))


def mentions(text: str, fact: Fact) -> bool:
    """Tell whether the value of a fact stands in a text.

    Known weakness: that it stands there is not yet that it is said of the subject.
    """
    return any(stands_in(spelling, text) for spelling in spellings(fact))
