"""Choose a minimum knowledge set: each round adds the best facts of the pool.

A property is added with all its values or not at all: one of three instruments does not answer the
question which instruments somebody plays. Each value counts as one round.
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
"""The most values of a property that one question asks for."""
_SHARE = 2 / 3
"""The most rounds, as a share, of one subject while the other one has candidates left."""


class Unit(NamedTuple):
    """All facts of a subject and a property; ``sentence`` states them."""

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
    """A fact of a knowledge set, with its round and its scores."""

    fact: Fact
    round: int
    specificity: float
    coherence: float
    score: float


class Dropped(NamedTuple):
    """A candidate that was left out, for a reason of ``rows``."""

    fact: Fact
    reason: str
    detail: str


def specificity(items: int, holders: int) -> float:
    """Return the specificity of a property: log(2 · N / Count), natural logarithm.

    ``items`` is the number of items of the class, ``holders`` (at least 1) the number of these
    that have the property. It is log 2 if all have it.

    Source: appendix A.3 of the paper, equation 1, derived from IDF.
    """
    return math.log(2 * items / max(holders, 1))


@dataclass(frozen=True)
class Evolution:
    """Grows knowledge sets; ``alpha`` weighs specificity against coherence."""

    alpha: float
    seed: int
    coherence: Coherence
    minimality: Minimality

    def grow(
        self,
        first: Sequence[Chosen],
        units: Sequence[Unit],
        write: Callable[[Sequence[Fact]], str],
        rounds: int,
    ) -> tuple[list[Chosen], list[Dropped]]:
        """Return the set grown from its first facts, and the facts that were dropped.

        ``write`` returns the paragraph of a set; each round adds a fact.
        """
        return _Growth(self, list(first), list(units), write, rounds).grow()


@dataclass
class _Growth:
    how: Evolution
    chosen: list[Chosen]
    waiting: list[Unit]
    write: Callable[[Sequence[Fact]], str]
    rounds: int
    dropped: list[Dropped] = field(default_factory=list)

    def grow(self) -> tuple[list[Chosen], list[Dropped]]:
        start = len(self.chosen)
        while (left := self.rounds + start - len(self.chosen)) > 0:
            scored = self._scored(self._fitting(start, left))
            if not scored:
                break
            self._take(scored, len(self.chosen) - start + 1)
        return self.chosen, self.dropped

    def _fitting(self, start: int, left: int) -> list[Unit]:
        """Return the units that fit into the rounds left and leave room for the other subject."""
        fitting = [unit for unit in self.waiting if len(unit.facts) <= left]
        taken = Counter(one.fact.qid for one in self.chosen[start:])
        most = math.ceil(_SHARE * self.rounds)
        fair = [unit for unit in fitting if taken[unit.qid] + len(unit.facts) <= most]
        return fair or fitting

    def _scored(self, units: Sequence[Unit]) -> list[tuple[float, float, Unit]]:
        """Return units with score and coherence, the best first; a hash of the seed breaks ties."""
        if not units:
            return []
        paragraph = self.write([one.fact for one in self.chosen])
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
        """Add the first unit that keeps the set minimal; drop those before it."""
        for score, coherence, unit in scored:
            self.waiting.remove(unit)
            facts = [one.fact for one in self.chosen] + list(unit.facts)
            if redundancy := self.how.minimality.redundant(facts):
                fact, by = redundancy
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
    """Return one unit for each property that can be asked for, and the facts that cannot.

    ``most_values`` returns how many values of a property one question can ask for. Of two values
    of which one implies the other, as London implies England, only the finer one counts.
    """
    askable: list[Unit] = []
    dropped: list[Dropped] = []
    by_property: dict[str, list[Fact]] = defaultdict(list)
    for fact in pool:
        by_property[fact.pid].append(fact)
    for pid, facts in by_property.items():
        finest = list(facts)
        for fact in facts:
            finer = next(
                (one for one in finest if one is not fact and minimality.implies(one, fact)), None
            )
            if finer:
                finest.remove(fact)
        if hidden := [fact for fact in finest if fact in given_away]:
            dropped += [Dropped(fact, "given away", fact.shown) for fact in hidden]
        elif len(finest) > (most := most_values(pid, finest)):
            reason = "many values" if most else "odd value"
            detail = f"{len(finest)} values" if most else finest[0].shown
            dropped.append(Dropped(finest[0], reason, detail))
        else:
            askable.append(Unit(tuple(finest), specificities[pid], sentence(finest)))
    return askable, dropped
