"""Choose a minimum knowledge set: round after round the best of the pool.

A property of a subject is taken with all that the store says by it, or not at all: a question for
the instruments that somebody plays is not answered by one of three. Where it has several values,
each takes a round.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kgbuild.datasets.biokalma.coherence import Coherence
from kgbuild.datasets.biokalma.minimal import Minimality
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.rows import stable_id

MOST_VALUES = 3
"""Values of a property that one question asks for at most."""
_SHARE = 2 / 3
"""The share of the rounds that one subject may have while the other has something left."""


class Unit(NamedTuple):
    """All that is said of a subject by a property; ``sentence`` says it."""

    facts: tuple[Fact, ...]
    specificity: float
    sentence: str

    @property
    def qid(self) -> str:
        """The subject."""
        return self.facts[0].qid

    @property
    def pid(self) -> str:
        """The property."""
        return self.facts[0].pid


class Chosen(NamedTuple):
    """A piece of a knowledge set, with the round in which it came and why."""

    fact: Fact
    round: int
    specificity: float
    coherence: float
    score: float


class Dropped(NamedTuple):
    """A piece that might have been chosen, but for a reason of ``rows``."""

    fact: Fact
    reason: str
    detail: str


def specificity(items: int, holders: int) -> float:
    """Return how much a property sets a subject apart: log(2 · N / Count), natural logarithm.

    ``items`` is the number of items of the class, ``holders`` that of those which have a value
    for the property, at least 1. It is log 2 if all have one.

    Source: appendix A.3 of the paper, equation 1, where it is derived from IDF.
    """
    return math.log(2 * items / max(holders, 1))


@dataclass(frozen=True)
class Evolution:
    """How sets grow; ``alpha`` is the weight of specificity beside coherence."""

    alpha: float
    seed: int
    coherence: Coherence
    minimality: Minimality

    def grow(
        self,
        begun: Sequence[Chosen],
        units: Sequence[Unit],
        told: Callable[[Sequence[Fact]], str],
        rounds: int,
    ) -> tuple[list[Chosen], list[Dropped]]:
        """Return the set that grows from what it begins with, and what was dropped on the way.

        ``told`` gives the paragraph that a set makes; each of the rounds adds a piece.
        """
        return _Growth(self, list(begun), list(units), told, rounds).grow()


@dataclass
class _Growth:
    how: Evolution
    chosen: list[Chosen]
    waiting: list[Unit]
    told: Callable[[Sequence[Fact]], str]
    rounds: int
    dropped: list[Dropped] = field(default_factory=list)

    def grow(self) -> tuple[list[Chosen], list[Dropped]]:
        begun = len(self.chosen)
        while (left := self.rounds + begun - len(self.chosen)) > 0:
            scored = self._scored(self._fitting(begun, left))
            if not scored:
                break
            self._take(scored, len(self.chosen) - begun + 1)
        return self.chosen, self.dropped

    def _fitting(self, begun: int, left: int) -> list[Unit]:
        """Return what may come next: it must fit, and leave room for the other subject."""
        fitting = [unit for unit in self.waiting if len(unit.facts) <= left]
        taken = Counter(one.fact.qid for one in self.chosen[begun:])
        most = math.ceil(_SHARE * self.rounds)
        fair = [unit for unit in fitting if taken[unit.qid] + len(unit.facts) <= most]
        return fair or fitting

    def _scored(self, units: Sequence[Unit]) -> list[tuple[float, float, Unit]]:
        """Return units with their score and coherence, the best first; ties by the seed."""
        if not units:
            return []
        paragraph = self.told([one.fact for one in self.chosen])
        coherent = self.how.coherence(paragraph, [unit.sentence for unit in units])
        alpha = self.how.alpha
        scored = [
            (alpha * unit.specificity + (1 - alpha) * coherence, coherence, unit)
            for unit, coherence in zip(units, coherent, strict=True)
        ]
        return sorted(scored, key=lambda one: (-one[0], self._tie(one[2])))

    def _tie(self, unit: Unit) -> str:
        return stable_id(str(self.how.seed), unit.qid, unit.pid)

    def _take(self, scored: Sequence[tuple[float, float, Unit]], round_: int) -> None:
        """Choose the first unit that leaves the set minimal; drop those before it."""
        for score, coherence, unit in scored:
            self.waiting.remove(unit)
            facts = [one.fact for one in self.chosen] + list(unit.facts)
            if found := self.how.minimality.redundant(facts):
                fact, by = found
                detail = by if fact in unit.facts else f"{' '.join(fact.triple)} by it"
                self.dropped += [Dropped(one, "implied", detail) for one in unit.facts]
                continue
            self.chosen += [
                Chosen(fact, round_ + n, unit.specificity, coherence, score)
                for n, fact in enumerate(unit.facts)
            ]
            return


def units(
    pool: Sequence[Fact],
    most_values: Callable[[str, Sequence[Fact]], int],
    specificities: Mapping[str, float],
    sentence: Callable[[Sequence[Fact]], str],
    minimality: Minimality,
    given_away: Collection[Fact],
) -> tuple[list[Unit], list[Dropped]]:
    """Return what can be asked of a subject, a unit a property, and what cannot be and why.

    ``most_values`` tells how many values of a property can be asked for at once. Of values of
    which one makes another superfluous, as London does England, the finer one counts.
    """
    found: list[Unit] = []
    dropped: list[Dropped] = []
    by_property: dict[str, list[Fact]] = defaultdict(list)
    for fact in pool:
        by_property[fact.pid].append(fact)
    for pid, facts in by_property.items():
        finest = list(facts)
        for fact in facts:
            over = next(
                (one for one in finest if one is not fact and minimality.implies(one, fact)), None
            )
            if over:
                finest.remove(fact)
        if hidden := [fact for fact in finest if fact in given_away]:
            dropped += [Dropped(fact, "given away", fact.shown) for fact in hidden]
        elif len(finest) > (most := most_values(pid, finest)):
            reason = "many values" if most else "odd value"
            detail = f"{len(finest)} values" if most else finest[0].shown
            dropped.append(Dropped(finest[0], reason, detail))
        else:
            found.append(Unit(tuple(finest), specificities[pid], sentence(finest)))
    return found, dropped
