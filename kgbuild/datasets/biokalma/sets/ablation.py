"""Ablations: prompts with incomplete or wrong knowledge, to test how models react.

Pieces are removed from pools, graphs of subjects are replaced by wrong ones, or a question gets the
pool of another question. Source: sections 4.4 (removals) and 5.3 (wrong graphs) of the BioKaLMA
paper.

The graph of a subject is the part of the pool about this subject.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from kgbuild.datasets.biokalma.rows import ACCURACIES
from kgbuild.datasets.biokalma.sets.minimal import Minimality
from kgbuild.datasets.biokalma.sets.pool import Piece
from kgbuild.rows import Row, shuffled, stable_id

T = TypeVar("T")


def absent_pieces(
    question_id: str,
    knowledge: Sequence[Piece],
    pool: Sequence[Piece],
    remove: int,
    seed: int,
    minimality: Minimality,
) -> Iterator[Row]:
    """Yield a row for each piece that a round removes from the pool, in up to ``remove`` rounds.

    Round n removes n pieces of ``knowledge``, chosen by the seed, but never all. Pieces that
    imply a removed one, such as the inverse statement, are removed with it.
    """
    positions = shuffled(
        range(1, len(knowledge) + 1), key=lambda n: (question_id, str(n)), seed=seed
    )
    rounds = max(0, min(remove, len(knowledge) - 1))
    remaining = [*pool]
    rows: list[Row] = []  # each round removes what the round before it removes, and then one more
    for round_, position in enumerate(positions[:rounds], 1):
        needed = knowledge[position - 1]
        for piece in dict.fromkeys((needed, *_implying(needed, remaining, knowledge, minimality))):
            if piece in remaining:
                remaining.remove(piece)
                rows.append(
                    {
                        "position": position,
                        "qid": piece.qid,
                        "property": piece.pid,
                        "value": piece.value_text,
                        "implies": piece is not needed,
                    }
                )
        yield from ({**row, "removed": round_} for row in rows)


def _implying(
    needed: Piece, pool: Sequence[Piece], knowledge: Sequence[Piece], minimality: Minimality
) -> list[Piece]:
    """Return the pieces to remove from a pool so that those that remain do not imply a needed one.

    These are the pieces that imply it alone, and one piece of each pair of pieces that together
    imply it, preferably a piece outside ``knowledge``. Groups of three need no check: all are about
    the same two subjects, so if a group implies it, two of its pieces do.
    """
    candidates = [piece for piece in pool if piece != needed]
    implying = [
        piece
        for piece in candidates
        # The first test applies words.toml, the second relations.toml.
        if minimality.implies(piece, needed) or minimality.follows(needed.triple, [piece.triple])
    ]
    remaining = [piece for piece in candidates if piece not in implying]
    for first, second in _linking_pairs(needed, remaining):
        is_intact = first not in implying and second not in implying
        if is_intact and minimality.follows(needed.triple, [first.triple, second.triple]):
            implying.append(second if first in knowledge else first)
    return implying


def _linking_pairs(needed: Piece, pieces: Sequence[Piece]) -> Iterator[tuple[Piece, Piece]]:
    """Yield the pairs of pieces that link the subject of a needed one to its value by an item."""
    links_to_value: dict[str, list[Piece]] = defaultdict(list)  # by the item that they link to it
    links_to_subject: list[tuple[str, Piece]] = []
    for piece in pieces:
        subject, _, value = piece.triple
        for end, neighbour in ((subject, value), (value, subject)):  # of any direction
            if end == needed.value.text:
                links_to_value[neighbour].append(piece)
            if end == needed.qid:
                links_to_subject.append((neighbour, piece))
    for neighbour, first in links_to_subject:
        yield from ((first, second) for second in links_to_value[neighbour] if second != first)


def assign_graphs(subjects: Mapping[str, Sequence[str]], seed: int) -> Iterator[Row]:
    """Yield a row for each accuracy, question and subject: the graph that a model gets for it.

    ``subjects`` has the subjects of each question. At an accuracy of 80, 20 % of the graphs are
    replaced by graphs of subjects of other questions; lower accuracies replace the same graphs and
    more. If a subject has no replacement, there are no rows. ``given_in`` and ``given_qid`` are the
    question and the subject of the graph that the model gets.
    """
    graphs = [(question, qid) for question, qids in subjects.items() for qid in qids]
    replacements = {}
    for question, qid in graphs:
        others = _from_any(graphs, "graph", str(seed), question, qid)
        if replacement := next((one for one in others if one[1] not in subjects[question]), None):
            replacements[question, qid] = replacement
    if len(replacements) < len(graphs):
        return
    order = shuffled(graphs, key=lambda graph: graph, seed=seed)
    for accuracy in ACCURACIES:
        wrong_count = math.floor(len(graphs) * (100 - accuracy) / 100 + 0.5)  # rounds half up
        wrong_graphs = set(order[:wrong_count])
        for graph in graphs:
            question, qid = graph
            graph_question, graph_qid = replacements[graph] if graph in wrong_graphs else graph
            yield {
                "question_id": question,
                "accuracy": accuracy,
                "subject_qid": qid,
                "given_qid": graph_qid,
                "given_in": graph_question,
            }


def unrelated_questions(
    subjects: Mapping[str, Collection[str]], pool_items: Mapping[str, Collection[str]], seed: int
) -> dict[str, str]:
    """Return for each question another one whose pool lacks its subjects: an unrelated question.

    A model that gets the pool of the unrelated question should refuse to answer.
    ``subjects`` has the subjects of each question, ``pool_items`` all items in its pool. The seed
    chooses the unrelated question. Questions without one are left out.
    """
    questions = sorted(subjects)
    items = {question: {*pool_items.get(question, ())} for question in questions}
    unrelated = {}
    for question in questions:
        others = _from_any(questions, "pool", str(seed), question)
        about = subjects[question]
        fitting = (one for one in others if one != question and items[one].isdisjoint(about))
        if other := next(fitting, None):
            unrelated[question] = other
    return unrelated


def _from_any(values: Sequence[T], *key: str) -> Iterator[T]:
    """Yield all values, beginning with the one that a hash of the key chooses."""
    start = int(stable_id(*key), 16) % len(values)
    return (values[(start + step) % len(values)] for step in range(len(values)))
