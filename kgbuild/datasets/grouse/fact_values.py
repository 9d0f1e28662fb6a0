"""Compare the values of facts, and replace them by wrong values.

A fact *reveals* another fact if its value contains or repeats the value of the other.
"""

from kgbuild import wikidata
from kgbuild.datasets.biokalma.minimal import share_a_word, stands_in
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.relations import clean_label

_ABSURD_YEARS = 800
"""Number of years by which a date is moved back. The Gregorian calendar repeats every 400 years, so
the same day exists in the earlier year."""


def move_back(fact: Fact) -> Fact | None:
    """Return a fact with an absurdly early date; None for a year before Christ."""
    year, rest = fact.value.text[:4], fact.value.text[4:]
    if not year.isdigit():
        return None
    value = fact.value._replace(text=f"{int(year) - _ABSURD_YEARS:04}{rest}")
    return fact._replace(value=value, shown=clean_label(wikidata.show(value)))


def with_value(fact: Fact, source: Fact) -> Fact:
    """Return a fact with the value of another fact."""
    return fact._replace(value=source.value, shown=source.shown)


def reveals(fact: Fact, other: Fact) -> bool:
    """Return whether the value of a fact reveals the value of another fact.

    Dates reveal each other if they are in the same year.
    """
    if fact.value.kind == other.value.kind == "time":
        return fact.shown[:4] == other.shown[:4]
    return stands_in(fact.shown, other.shown) or share_a_word(fact.shown, other.shown)
