"""Compare the values of facts, and replace them by wrong values.

A fact *reveals* another fact if its value shares a significant word with the value of the other.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from kgbuild import wikidata
from kgbuild.datasets.biokalma.sets.minimal import plain_words, stands_in
from kgbuild.datasets.biokalma.sets.pool import Piece
from kgbuild.datasets.grouse.cases import REFERENCES
from kgbuild.relations import clean_label


def move_back(fact: Piece) -> Piece | None:
    """Return a fact with an absurdly early date; None for a year before Christ."""
    year, rest = fact.value.text[:4], fact.value.text[4:]
    if not year.isdigit():
        return None
    # The Gregorian calendar repeats every 400 years, so the same day exists in the earlier year.
    earlier = int(year) - 800
    sign = "-" if earlier < 0 else ""  # the year has four digits, also before Christ
    value = fact.value._replace(text=f"{sign}{abs(earlier):04}{rest}")
    return fact._replace(value=value, value_text=clean_label(wikidata.show(value)))


def with_value(fact: Piece, source: Piece) -> Piece:
    """Return a fact with the value of another fact."""
    return fact._replace(value=source.value, value_text=source.value_text)


def share_a_word(first: str, second: str) -> bool:
    """Return whether two labels share a significant word: "the" and "von" are too short.

    >>> share_a_word("House of Saud", "Faisal Al Saud"), share_a_word("House of York", "A of Kent")
    (True, False)
    """
    words = {word for word in plain_words(first).split() if len(word) >= 4}
    return not words.isdisjoint(plain_words(second).split())


def reveals(fact: Piece, hidden: Piece) -> bool:
    """Return whether the value of a fact reveals the value of the fact ``hidden``.

    Dates reveal each other if they are in the same year.
    """
    text, hidden_text = fact.value_text, hidden.value_text
    if fact.value.kind == hidden.value.kind == "time":
        return text[:4] == hidden_text[:4]
    return stands_in(text, hidden_text) or share_a_word(text, hidden_text)


FOREIGN_FACTS = REFERENCES + 1
"""Number of facts about other items; one more than references, as two facts may share one."""

Facts: TypeAlias = dict[str, Piece]
"""The facts of an item that a question can ask for, by property id."""


def foreign_facts(targets: Sequence[Piece], extra: Piece, items: Iterable[Facts]) -> list[Piece]:
    """Return facts of similar items that reveal no target of the subject and not its extra fact.

    Of each item, there are at most three; those with a property of a target come first.
    """
    target_pids = [fact.pid for fact in targets]
    foreign: list[Piece] = []
    for item_facts in items:
        candidates = [
            candidate
            for candidate in item_facts.values()
            if not any(reveals(candidate, fact) for fact in [*targets, extra])
        ]
        candidates.sort(key=lambda candidate: candidate.pid not in target_pids)
        foreign += candidates[:3]
    return foreign[:FOREIGN_FACTS]
