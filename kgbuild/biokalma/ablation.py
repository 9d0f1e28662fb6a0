"""What is taken away: pieces of knowledge (section 4.4 of the paper), and right graphs (5.3)."""

import math
from collections.abc import Iterator, Mapping, Sequence

from kgbuild.biokalma.minimal import Minimality
from kgbuild.biokalma.pool import Fact
from kgbuild.biokalma.rows import Absent, Given
from kgbuild.building import shuffled, stable_id

ACCURACIES = (80, 60, 40, 20)
"""Percent of right graphs; with all of them right, nothing is taken away."""


def absent(
    question_id: str,
    source: str,
    knowledge: Sequence[Fact],
    pool: Sequence[Fact],
    remove: int,
    seed: int,
    minimality: Minimality,
) -> Iterator[Absent]:
    """Yield what is absent in each of ``remove`` rounds: one piece of the set more in each.

    With a piece goes all of the pool from which it follows, such as the inverse statement, or it
    would not be absent.
    """
    positions = shuffled(
        range(1, len(knowledge) + 1), key=lambda n: (question_id, str(n)), seed=seed
    )
    for removed in range(1, min(remove, len(knowledge) - 1) + 1):
        gone: set[Fact] = set()
        for position in positions[:removed]:
            piece = knowledge[position - 1]
            implying = [
                fact
                for fact in pool
                if fact != piece
                and (
                    minimality.says(fact, piece) or minimality.follows(piece.triple, [fact.triple])
                )
            ]
            for fact in (piece, *implying):
                if fact not in gone:
                    gone.add(fact)
                    yield Absent(
                        question_id,
                        removed,
                        position,
                        fact.qid,
                        fact.pid,
                        fact.shown,
                        fact is not piece,
                        source,
                    )


def graphs(subjects: Mapping[str, Sequence[str]], source: str, seed: int) -> Iterator[Given]:
    """Yield which subject's graph is given in the place of each, for every accuracy.

    ``subjects`` are those of each question. As many graphs as the accuracy asks for are wrong:
    those of subjects of other questions. What is wrong at one accuracy stays so below it.
    There is none if no other question can lend a graph.
    """
    own = [(question, qid) for question, pair in subjects.items() for qid in pair]
    lent = {one: other for one in own if (other := _other(one, own, subjects, seed))}
    order = shuffled(own, key=lambda one: one, seed=seed)
    if len(lent) < len(own):
        return
    for accuracy in ACCURACIES:
        wrong = set(order[: math.floor(len(own) * (100 - accuracy) / 100 + 0.5)])
        for question, qid in own:
            given_in, given = lent[question, qid] if (question, qid) in wrong else (question, qid)
            yield Given(question, accuracy, qid, given, given_in, source)


def _other(
    one: tuple[str, str],
    own: Sequence[tuple[str, str]],
    subjects: Mapping[str, Sequence[str]],
    seed: int,
) -> tuple[str, str] | None:
    """Return a subject of another question that is none of this one's; it depends on the seed."""
    question, _ = one
    start = int(stable_id("graph", str(seed), *one), 16) % len(own)
    for step in range(len(own)):
        other = own[(start + step) % len(own)]
        if other[1] not in subjects[question]:
            return other
    return None
