"""Find the statements of a pool that say the same as a piece of the minimum knowledge set.

A minimum knowledge set has one statement of what an answer needs, but the pool may have several:
the inverse (a child's father), the same property of the other subject (a marriage), a value above
or below (Germany for Berlin), or another property for the same. Who cites one of them cites the
piece.
"""

from collections.abc import Iterator, Sequence

from kgbuild.datasets.biokalma.questions.lexicon import lexicon
from kgbuild.datasets.biokalma.sets.minimal import Minimality
from kgbuild.datasets.biokalma.sets.pool import Piece
from kgbuild.rows import Row

_LOOSE_GROUPS = ("place", "honour")
"""Groups of words.toml whose properties say different things: a residence is no place of work, and
a nomination no award."""


def equivalents(
    knowledge: Sequence[Piece], pool: Sequence[Piece], minimality: Minimality
) -> Iterator[Row]:
    """Yield a row for each statement of a pool that says the same as a piece of ``knowledge``."""
    pieces = {*knowledge}
    others = [other for other in pool if other not in pieces]
    for position, piece in enumerate(knowledge, 1):
        for other in others:
            if kind := equivalence(piece, other, minimality):
                yield {
                    "position": position,
                    "qid": other.qid,
                    "property": other.pid,
                    "value": other.value_text,
                    "kind": kind,
                }


def equivalence(piece: Piece, other: Piece, minimality: Minimality) -> str | None:
    """Return how another one says the same as a piece, or None if it does not."""
    # By the rules of relations.toml: (x, spouse, y) for (y, spouse, x).
    is_of_both = {piece.qid, piece.value.text} == {other.qid, other.value.text}
    if is_of_both and minimality.follows(piece.triple, [other.triple]):
        if piece.qid == other.qid:
            return "other property"
        return "mirrored" if piece.pid == other.pid else "inverse"
    if piece.qid != other.qid:
        return None
    if piece.pid == other.pid:
        if minimality.implies(piece, other):
            return "coarser"
        return "finer" if minimality.implies(other, piece) else None
    group = lexicon().wording(piece.pid).group
    is_close = group and group == lexicon().wording(other.pid).group and group not in _LOOSE_GROUPS
    return "other property" if is_close and minimality.implies(piece, other) else None
