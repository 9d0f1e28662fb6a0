"""Coarser answers that a question tells are left out."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.levels.order import Candidate, Levelled, Levels
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.questions.untold_answers import UntoldAnswers
from kgbuild.graph.open import open_store
from tests.conftest import triples
from tests.test_granola_profile import COUNTRY, HUMAN, item

MakeStore = Callable[..., Path]
PLACES = (("Oslo", "Q2"), ("Akershus", "Q3"), ("Elmland", "Q4"), ("Europe", "Q5"))
"""A town and the places around it; Elmland is a country, whose people are Elmish."""


def answer(text: str, qid: str | None, kind: str, level: int, count: int) -> Levelled:
    """Return the answer of a level; it implies those of the levels up to ``count``."""
    implied = frozenset[object](range(level, count + 1))
    candidate = Candidate(text, (), qid, kind, 1.0, frozenset({level}), implied, ())
    return Levelled(level, candidate, 1.0, False, ())


def places(_: Sequence[str]) -> Levels:
    return [answer(*place, "place", n, len(PLACES)) for n, place in enumerate(PLACES, 1)], []


@pytest.mark.parametrize(
    ("subject", "kept"),
    [
        ("Q10", ["Oslo"]),  # the University of Akershus: what is around Akershus follows
        ("Q11", ["Oslo", "Akershus"]),  # the Elmish Academy
        ("Q12", ["Oslo", "Akershus", "Elmland", "Europe"]),  # the Royal Theatre
        ("Q13", ["Oslo", "Akershus", "Elmland", "Europe"]),  # Ann Elmish was born there by chance
        ("Q14", ["Oslo", "Akershus"]),  # Olaf of Elmland was not
    ],
)
def test_a_place_in_the_name_is_no_answer(
    make_store: MakeStore, subject: str, kept: list[str]
) -> None:
    lines = (
        item("Q3", "Akershus", None),
        item("Q4", "Elmland", COUNTRY, 'wdt:P1549 "Elmish"@en'),
        item("Q10", "University of Akershus", None),
        item("Q11", "Elmish Academy", None),
        item("Q12", "Royal Theatre", None),
        item("Q13", "Ann Elmish", HUMAN),
        item("Q14", "Olaf of Elmland", HUMAN),
    )
    with open_store(make_store(triples("".join(lines)))) as store:
        untold = UntoldAnswers(Profiles(store.knowledge(catalog().kinds)))
        answers, dropped = untold.levelled(subject, "Where is it located?", places, ())
    assert [(one.level, one.candidate.text) for one in answers] == [*enumerate(kept, 1)]
    assert dropped == [(text, "in the question") for text, _ in PLACES if text not in kept]


def test_the_noun_that_is_asked_for_is_no_answer(make_store: MakeStore) -> None:
    found = [
        answer("Hamlet", None, "item", 1, 1),
        answer("a tragedy", None, "class", 2, 4),
        answer("an Irish play", None, "class", 3, 4),
        answer("a work", None, "class", 4, 4),
    ]
    with open_store(make_store(triples(item("Q1", "Ann Lee", HUMAN)))) as store:
        untold = UntoldAnswers(Profiles(store.knowledge(catalog().kinds)))
        level = partial(
            untold.levelled,
            "Q1",
            "Name a play that Ann Lee, the Irish poet, is known for.",
            lambda _: (found, []),
        )
        answers, dropped = level(())
    assert [(one.level, one.candidate.text) for one in answers] == [(1, "Hamlet"), (2, "a tragedy")]
    assert dropped == [("an Irish play", "in the question"), ("a work", "in the question")]
