"""Choose a minimum knowledge set, the facts that an answer needs: add the best facts of the pool.

A property is added with all its values or not at all: one of three instruments does not answer the
question which instruments somebody plays. So candidates are units: all facts of a subject and a
property. Each added fact counts as one round, so a unit of three facts takes three rounds.
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
    """A candidate that was left out, for a reason of reasons.toml."""

    fact: Fact
    reason: str
    detail: str


def specificity(items: int, holders: int) -> float:
    """Return the specificity of a property: log(2 · N / Count), natural logarithm.

    ``items`` (N) is the number of items of the class, ``holders`` (Count) the number of these items
    that have the property. The minimum is log 2, for a property that all items have.

    Source: appendix A.3 of the BioKaLMA paper, equation 1, derived from IDF.
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
        """Return the set that grows from the facts ``first``, and the facts that were dropped.

        ``write`` returns the paragraph of a set. Each step adds the unit with the best score among
        those that keep the set minimal: no fact of the set follows from the others. Units with a
        better score that do not keep it minimal are dropped.
        """
        chosen, remaining = list(first), list(units)
        dropped: list[Dropped] = []
        while candidates := _eligible_units(remaining, chosen[len(first) :], rounds):
            facts = [choice.fact for choice in chosen]
            for unit, coherence, score in self._rank(candidates, write(facts)):
                remaining.remove(unit)
                redundancy = self.minimality.redundant([*facts, *unit.facts])
                if redundancy is None:
                    chosen += [
                        Chosen(fact, round_, unit.specificity, coherence, score)
                        for round_, fact in enumerate(unit.facts, len(chosen) - len(first) + 1)
                    ]
                    break
                implied, premises = redundancy
                # The set implies a fact of the unit, or the unit implies a fact of the set.
                is_unit_implied = implied in unit.facts
                detail = premises if is_unit_implied else f"{' '.join(implied.triple)} by it"
                dropped += [Dropped(fact, "implied", detail) for fact in unit.facts]
        return chosen, dropped

    def _rank(self, units: Sequence[Unit], paragraph: str) -> list[tuple[Unit, float, float]]:
        """Return units with coherence and score, the best first; a hash of the seed breaks ties."""

        def sort_key(row: tuple[Unit, float, float]) -> tuple[float, str]:
            unit, _, score = row
            return -score, stable_id(str(self.seed), unit.qid, unit.pid)

        coherences = self.coherence(paragraph, [unit.sentence for unit in units])
        rows = [
            (unit, coherence, self.alpha * unit.specificity + (1 - self.alpha) * coherence)
            for unit, coherence in zip(units, coherences, strict=True)
        ]
        return sorted(rows, key=sort_key)


def _eligible_units(remaining: Sequence[Unit], added: Sequence[Chosen], rounds: int) -> list[Unit]:
    """Return the units that fit into the remaining rounds and leave room for the other subject."""
    small = [unit for unit in remaining if len(unit.facts) <= rounds - len(added)]
    rounds_of_subject = Counter(choice.fact.qid for choice in added)
    maximum = math.ceil(_MAX_SHARE * rounds)
    fair = [unit for unit in small if rounds_of_subject[unit.qid] + len(unit.facts) <= maximum]
    return fair or small


def make_units(
    pool: Sequence[Fact],
    max_values: Callable[[str, Sequence[Fact]], int],
    specificities: Mapping[str, float],
    sentence: Callable[[Sequence[Fact]], str],
    minimality: Minimality,
    revealed: Collection[Fact],
) -> tuple[list[Unit], list[Dropped]]:
    """Return a unit for each property that a question can ask for, and the dropped facts.

    ``pool`` has facts about one subject. ``max_values`` returns the maximum number of values that
    a question can ask for, for a property and its facts; 0 if its wording does not fit a value.
    ``specificities`` are by property.
    ``sentence`` returns a sentence that states facts. ``revealed`` has the facts that the question
    reveals. If one value implies another, as London implies England, only the finer value counts.
    """
    units: list[Unit] = []
    dropped: list[Dropped] = []
    by_property: dict[str, list[Fact]] = defaultdict(list)
    for fact in pool:
        by_property[fact.pid].append(fact)
    for pid, facts in by_property.items():
        finest = list(facts)
        for fact in facts:
            if any(finer is not fact and minimality.implies(finer, fact) for finer in finest):
                finest.remove(fact)
        if revealed_facts := [fact for fact in finest if fact in revealed]:
            dropped += [Dropped(fact, "given away", fact.value_text) for fact in revealed_facts]
        elif len(finest) > (maximum := max_values(pid, finest)):
            reason = "many values" if maximum else "odd value"
            detail = f"{len(finest)} values" if maximum else finest[0].value_text
            dropped.append(Dropped(finest[0], reason, detail))  # one entry for the property
        else:
            units.append(Unit(tuple(finest), specificities[pid], sentence(finest)))
    return units, dropped
