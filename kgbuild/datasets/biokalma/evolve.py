"""Choose a minimum knowledge set: each round adds the best facts of the pool.

A property is added with all its values or not at all: one of three instruments does not answer the
question which instruments somebody plays. Each value counts as one round.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kgbuild.datasets.biokalma.coherence import Coherence
from kgbuild.datasets.biokalma.minimal import Minimality
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.rows import stable_id

MAX_VALUES = 3
"""Maximum number of values of a property that one question asks for."""
_MAX_SHARE = 2 / 3
"""Maximum share of rounds for one subject while the other subject has candidates left."""


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
    """Grows knowledge sets; ``alpha`` is the weight of specificity against coherence."""

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

        ``write`` returns the paragraph of a set. Each round adds the best unit that keeps the set
        minimal, so that no fact follows from the others; better units that do not are dropped.
        """
        chosen, waiting = list(first), list(units)
        dropped: list[Dropped] = []
        while fitting := _fitting(waiting, chosen[len(first) :], rounds):
            facts = [choice.fact for choice in chosen]
            for score, coherence, unit in self._scored(fitting, write(facts)):
                waiting.remove(unit)
                redundancy = self.minimality.redundant([*facts, *unit.facts])
                if redundancy is None:
                    chosen += [
                        Chosen(fact, round_, unit.specificity, coherence, score)
                        for round_, fact in enumerate(unit.facts, len(chosen) - len(first) + 1)
                    ]
                    break
                implied, premises = redundancy
                is_new = implied in unit.facts
                detail = premises if is_new else f"{' '.join(implied.triple)} by it"
                dropped += [Dropped(fact, "implied", detail) for fact in unit.facts]
        return chosen, dropped

    def _scored(self, units: Sequence[Unit], paragraph: str) -> list[tuple[float, float, Unit]]:
        """Return score, coherence and unit, the best first; a hash of the seed breaks ties."""
        coherent = self.coherence(paragraph, [unit.sentence for unit in units])
        scored = [
            (self.alpha * unit.specificity + (1 - self.alpha) * coherence, coherence, unit)
            for unit, coherence in zip(units, coherent, strict=True)
        ]
        seed = str(self.seed)
        return sorted(scored, key=lambda row: (-row[0], stable_id(seed, row[2].qid, row[2].pid)))


def _fitting(waiting: Sequence[Unit], added: Sequence[Chosen], rounds: int) -> list[Unit]:
    """Return the units that fit into the remaining rounds and leave room for the other subject."""
    fitting = [unit for unit in waiting if len(unit.facts) <= rounds - len(added)]
    taken = Counter(choice.fact.qid for choice in added)
    maximum = math.ceil(_MAX_SHARE * rounds)
    fair = [unit for unit in fitting if taken[unit.qid] + len(unit.facts) <= maximum]
    return fair or fitting


def units(
    pool: Sequence[Fact],
    max_values: Callable[[str, Sequence[Fact]], int],
    specificities: Mapping[str, float],
    sentence: Callable[[Sequence[Fact]], str],
    minimality: Minimality,
    revealed: Collection[Fact],
) -> tuple[list[Unit], list[Dropped]]:
    """Return one unit for each property that can be asked for, and the facts that cannot.

    ``max_values`` returns how many values of a property one question can ask for. If one value
    implies another, as London implies England, only the finer value counts.
    """
    askable: list[Unit] = []
    dropped: list[Dropped] = []
    by_property: dict[str, list[Fact]] = defaultdict(list)
    for fact in pool:
        by_property[fact.pid].append(fact)
    for pid, facts in by_property.items():
        finest = list(facts)
        for fact in facts:
            if any(other is not fact and minimality.implies(other, fact) for other in finest):
                finest.remove(fact)
        if hidden := [fact for fact in finest if fact in revealed]:
            dropped += [Dropped(fact, "given away", fact.shown) for fact in hidden]
        elif len(finest) > (maximum := max_values(pid, finest)):
            reason = "many values" if maximum else "odd value"
            detail = f"{len(finest)} values" if maximum else finest[0].shown
            dropped.append(Dropped(finest[0], reason, detail))
        else:
            askable.append(Unit(tuple(finest), specificities[pid], sentence(finest)))
    return askable, dropped
