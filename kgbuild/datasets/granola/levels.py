"""From candidates to levels: what is trivial goes, what is left is put in order by measure."""

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from kgbuild.datasets.granola.order import placed
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.rows import Evidence

_normal = functools.lru_cache(1 << 18)(normalise)

Dropped = tuple[str, str]
"""The text of an answer that was left out, and the reason."""


class Candidate(NamedTuple):
    """An answer that may take a level.

    ``says`` is what is true if it is right, ``implies`` all that follows from that; an answer
    is coarser than another if that one implies all that it says.
    """

    text: str
    aliases: tuple[str, ...]
    qid: str | None
    kind: str
    bits: float
    says: frozenset[object]
    implies: frozenset[object]
    evidence: tuple[Evidence, ...]


class Levelled(NamedTuple):
    """A candidate at its level, with the bits that it has there."""

    level: int
    candidate: Candidate
    bits: float
    was_capped: bool


def levelled(
    gold: Sequence[Candidate],
    coarser: Iterable[Candidate],
    trivial: Set[object],
    min_bits: float,
    subject: str,
) -> tuple[list[Levelled], list[Dropped]]:
    """Return the gold answers at level 1, and coarser ones at levels of their own, in order.

    Those are left out that say nothing but what is ``trivial``, have too few bits, hold the name
    of the ``subject``, or read like another one. Of gold answers that read alike the first is
    there: whoever says it has said them all.
    """
    finest: dict[str, Candidate] = {}
    for one in gold:
        finest.setdefault(_normal(one.text), one)
    kept: dict[str, Candidate] = {}
    dropped: list[Dropped] = []
    taken = {*finest}
    seen = set[frozenset[object]]()
    name = f" {_normal(subject)} "
    for one in sorted(coarser, key=lambda one: (-one.bits, one.text)):
        text = _normal(one.text)
        if one.says in seen:
            continue  # the same of another gold answer
        seen.add(one.says)
        if one.says <= trivial:
            dropped.append((one.text, "trivial"))
        elif one.bits < min_bits:
            dropped.append((one.text, "tells little"))
        elif name.strip() and name in f" {text} ":
            dropped.append((one.text, "gives the subject away"))
        elif text in taken:
            dropped.append((one.text, "same answer"))
        else:
            kept[one.text] = one
            taken.add(text)
    return _ordered([*finest.values()], kept), dropped


def _ordered(gold: Sequence[Candidate], coarser: Mapping[str, Candidate]) -> list[Levelled]:
    least = min(one.bits for one in gold)
    bits = {text: one.bits for text, one in coarser.items()}
    above = {
        text: {other for other, two in coarser.items() if _is_above(two, one)}
        for text, one in coarser.items()
    }
    order = placed({"": least, **bits}, above, "")[1:]
    answers = [
        *(Levelled(1, one, one.bits, False) for one in gold),
        *(Levelled(p.level, coarser[p.key], p.bits, p.was_capped) for p in order),
    ]
    return _told_apart(answers)


def _is_above(coarse: Candidate, fine: Candidate) -> bool:
    return coarse.says <= fine.implies and not fine.says <= coarse.implies


def _told_apart(answers: Sequence[Levelled]) -> list[Levelled]:
    """Return answers with aliases that are no other one's text, nor a coarser one's alias."""
    names = [
        {_normal(name): name for name in (*reversed(one.candidate.aliases), one.candidate.text)}
        for one in answers
    ]
    owner: dict[str, int] = {}
    for answer, own in zip(answers, names, strict=True):
        # The coarsest comes last, and is believed to be meant.
        owner.update(dict.fromkeys(own, answer.level))
    owner.update({_normal(answer.candidate.text): answer.level for answer in answers})
    return [
        _with_aliases(
            answer, [name for normal, name in own.items() if owner[normal] == answer.level]
        )
        for answer, own in zip(answers, names, strict=True)
    ]


def _with_aliases(answer: Levelled, names: Sequence[str]) -> Levelled:
    """Return an answer with those aliases that are among some names, last come first."""
    text = answer.candidate.text
    aliases = tuple(name for name in reversed(names) if name != text)
    if aliases == answer.candidate.aliases:
        return answer  # as most are, and there are many
    return answer._replace(candidate=answer.candidate._replace(aliases=aliases))


def minimal(gold: Collection[Candidate]) -> list[Candidate]:
    """Return gold answers without those that lie above another: they are coarser ones of it."""
    return [one for one in gold if not any(_is_above(one, other) for other in gold)]
