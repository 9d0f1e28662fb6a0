"""What is taken away: pieces of knowledge (section 4.4 of the paper), and right graphs (5.3)."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from kgbuild.datasets.biokalma.minimal import Minimality
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.datasets.biokalma.rows import ACCURACIES, Absent, Given
from kgbuild.rows import shuffled, stable_id


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
            left = [fact for fact in pool if fact not in gone]
            for fact in (piece, *_telling(piece, left, knowledge, minimality)):
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


def _telling(
    piece: Fact, pool: Sequence[Fact], knowledge: Sequence[Fact], minimality: Minimality
) -> list[Fact]:
    """Return what must go from a pool with a piece, so that nothing tells it any more.

    That is what tells it alone, and of each two facts that tell it together one, rather one that
    is no piece of the set. A pool speaks of two subjects, so that a chain of three facts has
    two that tell the same.
    """
    others = [fact for fact in pool if fact != piece]
    telling = [
        fact
        for fact in others
        if minimality.implies(fact, piece) or minimality.follows(piece.triple, [fact.triple])
    ]
    left = [fact for fact in others if fact not in telling]
    for one, other in _meeting(piece, left):
        still = one not in telling and other not in telling
        if still and minimality.follows(piece.triple, [one.triple, other.triple]):
            telling.append(other if one in knowledge else one)
    return telling


def _meeting(piece: Fact, facts: Sequence[Fact]) -> Iterator[tuple[Fact, Fact]]:
    """Yield two facts each that lead, over one item, from one end of a piece to the other."""
    leading: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        for end, other in (fact.triple[::2], fact.triple[::-2]):
            if end == piece.value.text:
                leading[other].append(fact)
    for fact in facts:
        for end, other in (fact.triple[::2], fact.triple[::-2]):
            if end == piece.qid:
                yield from ((fact, one) for one in leading[other] if one != fact)


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


def lenders(
    subjects: Mapping[str, Collection[str]], named: Mapping[str, Collection[str]], seed: int
) -> dict[str, str]:
    """Return for each question another one, whose pool says nothing of its subjects.

    ``subjects`` are those of each question, ``named`` all items that its pool is about or has as
    values. Which it is depends on the seed. A question for which there is none is left out.
    """
    order = sorted(subjects)
    found = {}
    for question in order:
        start = int(stable_id("pool", str(seed), question), 16) % len(order)
        for other in (*order[start:], *order[:start]):
            if other != question and not {*subjects[question]} & {*named[other]}:
                found[question] = other
                break
    return found
