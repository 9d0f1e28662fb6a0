"""Find the statements of a pool that say the same as a piece of the minimum knowledge set.

A minimum knowledge set has one statement of each fact, but the pool may have several: the inverse
(a child's father), the same property of the other subject (a marriage), a value above or below
(Germany for Berlin), or another property for the same fact. Who cites one of them cites the fact.
"""

from collections.abc import Iterator, Sequence

from kgbuild.datasets.biokalma.lexicon import lexicon
from kgbuild.datasets.biokalma.minimal import Minimality
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.rows import Row

INVERSE, MIRRORED, COARSER, FINER, OTHER_PROPERTY = (
    "inverse",
    "mirrored",
    "coarser",
    "finer",
    "other property",
)
"""How a statement says the same as a piece."""
_LOOSE_GROUPS = ("place", "honour")
"""Groups of words.toml whose properties are different facts: a residence is no place of work, and a
nomination no award."""


def equivalents(
    question_id: str,
    source: str,
    knowledge: Sequence[Fact],
    pool: Sequence[Fact],
    minimality: Minimality,
) -> Iterator[Row]:
    """Yield a row for each statement of a pool that says the same as a piece of ``knowledge``."""
    pieces = {*knowledge}
    others = [fact for fact in pool if fact not in pieces]
    for position, piece in enumerate(knowledge, 1):
        for fact in others:
            if kind := equivalence(piece, fact, minimality):
                yield {
                    "question_id": question_id,
                    "position": position,
                    "qid": fact.qid,
                    "property": fact.pid,
                    "value": fact.value_text,
                    "kind": kind,
                    "source": source,
                }


def equivalence(piece: Fact, fact: Fact, minimality: Minimality) -> str | None:
    """Return how a fact says the same as a piece, or None if it does not."""
    # By the rules of relations.toml: (x, spouse, y) for (y, spouse, x).
    if {*_ends(piece)} == {*_ends(fact)} and minimality.follows(piece.triple, [fact.triple]):
        if piece.qid == fact.qid:
            return OTHER_PROPERTY
        return MIRRORED if piece.pid == fact.pid else INVERSE
    if piece.qid != fact.qid:
        return None
    if piece.pid == fact.pid:
        if minimality.implies(piece, fact):
            return COARSER
        return FINER if minimality.implies(fact, piece) else None
    group = _group(piece.pid)
    is_close = group == _group(fact.pid) and group not in ("", *_LOOSE_GROUPS)
    return OTHER_PROPERTY if is_close and minimality.implies(piece, fact) else None


def _ends(fact: Fact) -> tuple[str, str]:
    """Return the two ends of a statement: its subject and its value."""
    return fact.qid, fact.value.text


def _group(pid: str) -> str:
    """Return the group of properties that can state the same as a property; "" without one."""
    wording = lexicon().properties.get(pid)
    return wording.group if wording else ""
