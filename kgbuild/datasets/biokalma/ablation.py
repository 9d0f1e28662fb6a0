"""Ablations: prompts with incomplete or wrong knowledge, to test how models react.

Facts are removed from pools, graphs of subjects are replaced by wrong ones, or a question gets the
pool of another question. Source: sections 4.4 (removals) and 5.3 (wrong graphs) of the BioKaLMA
paper.

The pool of a question has the facts that an answer may cite. Its knowledge set has the facts that
an answer needs: its pieces. The graph of a subject is the part of the pool about this subject.
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
    """Yield a row for each fact that a round removes from the pool, in up to ``remove`` rounds.

    Round n removes n pieces of ``knowledge``, chosen by the seed, but never all. Facts that imply a
    removed piece, such as the inverse statement, are removed with it.
    """
    positions = shuffled(
        range(1, len(knowledge) + 1), key=lambda n: (question_id, str(n)), seed=seed
    )
    rounds = max(0, min(remove, len(knowledge) - 1))
    removed_facts: set[Fact] = set()
    rows: list[Row] = []  # each round removes what the round before it removes, and then a piece
    for round_, position in enumerate(positions[:rounds], 1):
        piece = knowledge[position - 1]
        remaining = [fact for fact in pool if fact not in removed_facts]
        for fact in (piece, *_implying(piece, remaining, knowledge, minimality)):
            if fact not in removed_facts:
                removed_facts.add(fact)
                rows.append(
                    {
                        "question_id": question_id,
                        "removed": round_,
                        "position": position,
                        "qid": fact.qid,
                        "property": fact.pid,
                        "value": fact.value_text,
                        "implies": fact is not piece,
                        "source": source,
                    }
                )
        yield from ({**row, "removed": round_} for row in rows)


def _implying(
    piece: Fact, pool: Sequence[Fact], knowledge: Sequence[Fact], minimality: Minimality
) -> list[Fact]:
    """Return the facts to remove from a pool so that the remaining facts do not imply a piece.

    These are the facts that imply the piece alone, and one fact of each pair of facts that together
    imply it, preferably a fact outside ``knowledge``. Groups of three facts need no check: all are
    about the same two subjects, so if a group implies the piece, two of its facts imply it.
    """
    candidates = [fact for fact in pool if fact != piece]
    implying = [
        fact
        for fact in candidates
        # The first test compares labels and words.toml, the second applies relations.toml.
        if minimality.implies(fact, piece) or minimality.follows(piece.triple, [fact.triple])
    ]
    remaining = [fact for fact in candidates if fact not in implying]
    for first, second in _linking_pairs(piece, remaining):
        is_intact = first not in implying and second not in implying
        if is_intact and minimality.follows(piece.triple, [first.triple, second.triple]):
            implying.append(second if first in knowledge else first)
    return implying


def _linking_pairs(piece: Fact, facts: Sequence[Fact]) -> Iterator[tuple[Fact, Fact]]:
    """Yield the pairs of facts that link the subject of a piece to its value through an item.

    Each of the two facts may have any direction.
    """
    links_to_value: dict[str, list[Fact]] = defaultdict(list)  # by the item that they link to it
    for fact in facts:
        for end, neighbour in _both_directions(fact):
            if end == piece.value.text:
                links_to_value[neighbour].append(fact)
    for first in facts:
        for end, neighbour in _both_directions(first):
            if end == piece.qid:
                yield from ((first, link) for link in links_to_value[neighbour] if link != first)


def _both_directions(fact: Fact) -> tuple[tuple[str, str], tuple[str, str]]:
    subject, _, value = fact.triple
    return (subject, value), (value, subject)


def assign_graphs(subjects: Mapping[str, Sequence[str]], source: str, seed: int) -> Iterator[Row]:
    """Yield a row for each accuracy, question and subject: the graph that a model gets for it.

    ``subjects`` has the subjects of each question. At an accuracy of 80, 20 % of the graphs are
    replaced by graphs of subjects of other questions; lower accuracies replace the same graphs and
    more. If a subject has no replacement, there are no rows. ``given_in`` and ``given_qid`` are the
    question and the subject of the graph that the model gets.
    """
    graphs = [(question, qid) for question, qids in subjects.items() for qid in qids]
    replacements = {}
    for graph in graphs:
        replacement = _replacement(graph, graphs, subjects, seed)
        if replacement is None:
            return
        replacements[graph] = replacement
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
                "source": source,
            }


def _replacement(
    graph: tuple[str, str],
    graphs: Sequence[tuple[str, str]],
    subjects: Mapping[str, Sequence[str]],
    seed: int,
) -> tuple[str, str] | None:
    """Return a graph whose subject is not in the question of ``graph``; None without any.

    Graphs are a question and a subject. The seed decides where the search begins.
    """
    question, _ = graph
    start = int(stable_id("graph", str(seed), *graph), 16) % len(graphs)
    candidates = (graphs[(start + step) % len(graphs)] for step in range(len(graphs)))
    return next((pair for pair in candidates if pair[1] not in subjects[question]), None)


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
        start = int(stable_id("pool", str(seed), question), 16) % len(questions)
        for candidate in (*questions[start:], *questions[:start]):
            if candidate != question and items[candidate].isdisjoint(subjects[question]):
                unrelated[question] = candidate
                break
    return unrelated
