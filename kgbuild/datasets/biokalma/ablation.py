"""Ablations: facts removed from pools (section 4.4 of the paper), and wrong graphs (5.3)."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from kgbuild.datasets.biokalma.minimal import Minimality
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.datasets.biokalma.rows import ACCURACIES
from kgbuild.rows import Row, shuffled, stable_id


def absent_facts(
    question_id: str,
    source: str,
    knowledge: Sequence[Fact],
    pool: Sequence[Fact],
    remove: int,
    seed: int,
    minimality: Minimality,
) -> Iterator[Row]:
    """Yield rows: the facts absent in each of ``remove`` rounds, one more of the set each.

    All facts of the pool that imply a removed fact, such as the inverse statement, go as well.
    """
    positions = shuffled(
        range(1, len(knowledge) + 1), key=lambda n: (question_id, str(n)), seed=seed
    )
    for removed in range(1, min(remove, len(knowledge) - 1) + 1):
        gone: set[Fact] = set()
        for position in positions[:removed]:
            piece = knowledge[position - 1]
            left = [fact for fact in pool if fact not in gone]
            for fact in (piece, *_implying(piece, left, knowledge, minimality)):
                if fact not in gone:
                    gone.add(fact)
                    yield {
                        "question_id": question_id,
                        "removed": removed,
                        "position": position,
                        "qid": fact.qid,
                        "property": fact.pid,
                        "value": fact.shown,
                        "implies": fact is not piece,
                        "source": source,
                    }


def _implying(
    piece: Fact, pool: Sequence[Fact], knowledge: Sequence[Fact], minimality: Minimality
) -> list[Fact]:
    """Return the facts to remove from a pool so that nothing in it implies a piece.

    These are the facts that imply it alone, and one of every two that imply it together,
    preferably one outside the set. Pools are about two subjects, so a chain of three facts has
    two that imply the same.
    """
    others = [fact for fact in pool if fact != piece]
    implying = [
        fact
        for fact in others
        if minimality.implies(fact, piece) or minimality.follows(piece.triple, [fact.triple])
    ]
    left = [fact for fact in others if fact not in implying]
    for one, other in _meeting(piece, left):
        still = one not in implying and other not in implying
        if still and minimality.follows(piece.triple, [one.triple, other.triple]):
            implying.append(other if one in knowledge else one)
    return implying


def _meeting(piece: Fact, facts: Sequence[Fact]) -> Iterator[tuple[Fact, Fact]]:
    """Yield the pairs of facts that link the two ends of a piece over one item."""
    leading: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        for end, other in (fact.triple[::2], fact.triple[::-2]):
            if end == piece.value.text:
                leading[other].append(fact)
    for fact in facts:
        for end, other in (fact.triple[::2], fact.triple[::-2]):
            if end == piece.qid:
                yield from ((fact, one) for one in leading[other] if one != fact)


def given_graphs(subjects: Mapping[str, Sequence[str]], source: str, seed: int) -> Iterator[Row]:
    """Yield the subject whose graph replaces that of each subject, for every accuracy.

    ``subjects`` has those of each question. As many graphs as the accuracy demands are wrong:
    they are of subjects of other questions. A graph that is wrong at one accuracy is wrong at
    all lower ones. Without enough other questions there is no row.
    """
    own = [(question, qid) for question, pair in subjects.items() for qid in pair]
    lent = {one: other for one in own if (other := _lender(one, own, subjects, seed))}
    order = shuffled(own, key=lambda one: one, seed=seed)
    if len(lent) < len(own):
        return
    for accuracy in ACCURACIES:
        wrong = set(order[: math.floor(len(own) * (100 - accuracy) / 100 + 0.5)])
        for question, qid in own:
            given_in, given = lent[question, qid] if (question, qid) in wrong else (question, qid)
            yield {
                "question_id": question,
                "accuracy": accuracy,
                "subject_qid": qid,
                "given_qid": given,
                "given_in": given_in,
                "source": source,
            }


def _lender(
    one: tuple[str, str],
    own: Sequence[tuple[str, str]],
    subjects: Mapping[str, Sequence[str]],
    seed: int,
) -> tuple[str, str] | None:
    """Return a subject, chosen by the seed, of another question but not of this one."""
    start = int(stable_id("graph", str(seed), *one), 16) % len(own)
    others = (own[(start + step) % len(own)] for step in range(len(own)))
    return next((other for other in others if other[1] not in subjects[one[0]]), None)


def lenders(
    subjects: Mapping[str, Collection[str]], named: Mapping[str, Collection[str]], seed: int
) -> dict[str, str]:
    """Return another question for each, chosen by the seed, whose pool lacks its subjects.

    ``subjects`` has those of each question, ``named`` all items in its pool. Questions without
    such another one are left out.
    """
    order = sorted(subjects)
    items = {question: {*named.get(question, ())} for question in order}
    chosen = {}
    for question in order:
        start = int(stable_id("pool", str(seed), question), 16) % len(order)
        for other in (*order[start:], *order[:start]):
            if other != question and items[other].isdisjoint(subjects[question]):
                chosen[question] = other
                break
    return chosen
