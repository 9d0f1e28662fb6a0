"""Ablations: facts removed from pools (section 4.4 of the paper), and wrong graphs (5.3).

The pool of a question has the facts that an answer may cite; its knowledge set has the facts that
an answer needs, its pieces. The graph of a subject is the part of the pool about that subject.
"""

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
    """Yield a row for each fact that is absent from the pool in a round, of at most ``remove``.

    Round n removes n pieces of ``knowledge``, chosen by the seed, but never all. Facts that imply a
    removed piece, such as the inverse statement, are removed with it.
    """
    positions = shuffled(
        range(1, len(knowledge) + 1), key=lambda n: (question_id, str(n)), seed=seed
    )
    for count in range(1, min(remove, len(knowledge) - 1) + 1):
        removed: set[Fact] = set()
        for position in positions[:count]:
            piece = knowledge[position - 1]
            remaining = [fact for fact in pool if fact not in removed]
            for fact in (piece, *_implying(piece, remaining, knowledge, minimality)):
                if fact not in removed:
                    removed.add(fact)
                    yield {
                        "question_id": question_id,
                        "removed": count,
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
    """Return the facts to remove from a pool so that the remaining facts do not imply a piece.

    These are the facts that imply the piece alone, and one fact of each pair that implies it
    together, preferably a fact outside ``knowledge``. Pools are about two subjects, so a chain of
    three facts contains two facts that imply the same.
    """
    others = [fact for fact in pool if fact != piece]
    implying = [
        fact
        for fact in others
        if minimality.implies(fact, piece) or minimality.follows(piece.triple, [fact.triple])
    ]
    remaining = [fact for fact in others if fact not in implying]
    for first, second in _linking_pairs(piece, remaining):
        is_intact = first not in implying and second not in implying
        if is_intact and minimality.follows(piece.triple, [first.triple, second.triple]):
            implying.append(second if first in knowledge else first)
    return implying


def _linking_pairs(piece: Fact, facts: Sequence[Fact]) -> Iterator[tuple[Fact, Fact]]:
    """Yield the pairs of facts that link the subject of a piece to its value over one item."""
    to_value: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        for end, middle in (fact.triple[::2], fact.triple[::-2]):
            if end == piece.value.text:
                to_value[middle].append(fact)
    for fact in facts:
        for end, middle in (fact.triple[::2], fact.triple[::-2]):
            if end == piece.qid:
                yield from ((fact, second) for second in to_value[middle] if second != fact)


def assign_graphs(subjects: Mapping[str, Sequence[str]], source: str, seed: int) -> Iterator[Row]:
    """Yield a row for each accuracy, question and subject: the graph that takes its place.

    ``subjects`` has the subjects of each question. At an accuracy of 80, 20 % of the graphs are
    replaced by those of subjects of other questions; lower accuracies replace these and more. There
    is no row unless every subject has a replacement.
    """
    keys = [(question, qid) for question, qids in subjects.items() for qid in qids]
    replacements = {
        key: other for key in keys if (other := _replacement(key, keys, subjects, seed))
    }
    order = shuffled(keys, key=lambda key: key, seed=seed)
    if len(replacements) < len(keys):
        return
    for accuracy in ACCURACIES:
        wrong = set(order[: math.floor(len(keys) * (100 - accuracy) / 100 + 0.5)])
        for key in keys:
            graph_question, graph_qid = replacements[key] if key in wrong else key
            yield {
                "question_id": key[0],
                "accuracy": accuracy,
                "subject_qid": key[1],
                "given_qid": graph_qid,
                "given_in": graph_question,
                "source": source,
            }


def _replacement(
    key: tuple[str, str],
    keys: Sequence[tuple[str, str]],
    subjects: Mapping[str, Sequence[str]],
    seed: int,
) -> tuple[str, str] | None:
    """Return a question and a subject of it that the question of ``key`` lacks, by the seed."""
    start = int(stable_id("graph", str(seed), *key), 16) % len(keys)
    candidates = (keys[(start + step) % len(keys)] for step in range(len(keys)))
    return next((other for other in candidates if other[1] not in subjects[key[0]]), None)


def unrelated_questions(
    subjects: Mapping[str, Collection[str]], pool_items: Mapping[str, Collection[str]], seed: int
) -> dict[str, str]:
    """Return for each question another one, chosen by the seed, whose pool lacks its subjects.

    ``subjects`` has the subjects of each question, ``pool_items`` all items in its pool. A
    question is left out if every other pool contains one of its subjects.
    """
    order = sorted(subjects)
    items = {question: {*pool_items.get(question, ())} for question in order}
    chosen = {}
    for question in order:
        start = int(stable_id("pool", str(seed), question), 16) % len(order)
        for other in (*order[start:], *order[:start]):
            if other != question and items[other].isdisjoint(subjects[question]):
                chosen[question] = other
                break
    return chosen
