"""Merge what a model says with what the graph does."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from kgbuild.granola.levels import Candidate
from kgbuild.granola.profile import Facet
from kgbuild.metrics.granola import normalise

MODEL = "model"
"""The kind of an answer that only a model gives."""


def merged(
    gold: Sequence[Candidate],
    coarser: Sequence[Candidate],
    said: Sequence[str],
    link: Callable[[str], tuple[Facet, ...]],
    measured: Callable[[tuple[Facet, ...]], tuple[float, frozenset[object]]],
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the gold and the coarser answers with those of a model, ``said`` in its order.

    What the graph says, too, stays as the graph says it. What can be linked to facets is measured
    like the rest, whatever place the model gave it. Of what cannot, nothing is known but its
    place: it comes after all that the model puts before it, and tells no more than that does.
    """
    known = {text: one for one in (*gold, *coarser) for text in _texts(one)}
    chain: list[Candidate] = []
    new: list[Candidate] = []
    least = min(one.bits for one in gold)
    for text in said:
        one = known.get(normalise(text))
        if one is None:
            one = _candidate(text, link(text), measured, min([least, *(c.bits for c in chain)]))
            known[normalise(text)] = one
            new.append(one)
        chain.append(one)
    after = {
        id(one): frozenset(s for later in chain[n + 1 :] if _is_unlinked(later) for s in later.says)
        for n, one in enumerate(chain)
    }
    return _told(gold, after), _told((*coarser, *new), after)


def _texts(one: Candidate) -> Iterable[str]:
    return map(normalise, (one.text, *one.aliases))


def _candidate(
    text: str,
    facets: tuple[Facet, ...],
    measured: Callable[[tuple[Facet, ...]], tuple[float, frozenset[object]]],
    least: float,
) -> Candidate:
    says = frozenset[object](facets or [(MODEL, normalise(text))])
    bits, implies = measured(facets) if facets else (least, says)
    return Candidate(text, (), None, MODEL, bits, says, implies, ())


def _is_unlinked(one: Candidate) -> bool:
    return any(isinstance(said, tuple) and said[0] == MODEL for said in one.says)


def _told(
    candidates: Sequence[Candidate], after: Mapping[int, frozenset[object]]
) -> list[Candidate]:
    return [one._replace(implies=one.implies | after.get(id(one), set())) for one in candidates]
