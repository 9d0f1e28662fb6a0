"""Choose a minimum knowledge set, the facts that an answer needs: add the best facts of the pool.

A property is added with all its values or not at all: one of three instruments does not answer the
question which instruments somebody plays. So units are all facts of a subject and a property. If
one clause can ask both subjects for a property, the units of both are one aspect, and added
together. Each added fact counts as one round.
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

MIN_PIECES = 2
"""Minimum number of facts about each subject, beside those that join the two."""
MAX_PARALLELS = 2
"""Maximum number of properties that a question asks both subjects for."""


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


class Aspect(NamedTuple):
    """A property of one subject or of both, as one clause asks for it."""

    units: tuple[Unit, ...]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts of all units."""
        return tuple(fact for unit in self.units for fact in unit.facts)

    @property
    def pid(self) -> str:
        """The property."""
        return self.units[0].pid

    @property
    def specificity(self) -> float:
        """The specificity of the property."""
        return self.units[0].specificity

    @property
    def is_parallel(self) -> bool:
        """Whether it is about both subjects."""
        return len(self.units) > 1


class Chosen(NamedTuple):
    """A fact of a knowledge set, with its round and its scores."""

    fact: Fact
    round: int
    specificity: float
    coherence: float
    score: float


class Reason(NamedTuple):
    """A reason of reasons.toml, and its detail."""

    name: str
    detail: str


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
        aspects: Sequence[Aspect],
        write: Callable[[Sequence[Fact]], str],
        rounds: int,
        lacking: Mapping[str, int],
    ) -> tuple[list[Chosen], list[Dropped]]:
        """Return the set that grows from the facts ``first``, and the facts that were dropped.

        ``write`` returns the paragraph of a set. ``lacking`` is the number of facts that the set
        needs at least about each subject. Each step adds the aspect with the best score
        among those that keep the set minimal: no fact of the set follows from the others. Aspects
        with a better score that do not keep it minimal are dropped.
        """
        chosen, remaining = list(first), list(aspects)
        dropped: list[Dropped] = []
        while candidates := _eligible(remaining, chosen[len(first) :], rounds, lacking):
            facts = [choice.fact for choice in chosen]
            for aspect, coherence, score in self._rank(candidates, write(facts)):
                remaining.remove(aspect)
                redundancy = self.minimality.redundant([*facts, *aspect.facts])
                if redundancy is None:
                    chosen += [
                        Chosen(fact, round_, aspect.specificity, coherence, score)
                        for round_, fact in enumerate(aspect.facts, len(chosen) - len(first) + 1)
                    ]
                    break
                implied, premises = redundancy
                # The set implies a fact of the aspect, or the aspect implies a fact of the set.
                is_aspect_implied = implied in aspect.facts
                detail = premises if is_aspect_implied else f"{' '.join(implied.triple)} by it"
                dropped += [Dropped(fact, "implied", detail) for fact in aspect.facts]
        return chosen, dropped

    def _rank(self, aspects: Sequence[Aspect], paragraph: str) -> list[tuple[Aspect, float, float]]:
        """Return aspects with coherence and score, the best first; a seeded hash breaks ties."""

        def sort_key(row: tuple[Aspect, float, float]) -> tuple[float, str]:
            aspect, _, score = row
            qids = (unit.qid for unit in aspect.units)
            return -score, stable_id(str(self.seed), *qids, aspect.pid)

        sentences = [" ".join(unit.sentence for unit in aspect.units) for aspect in aspects]
        rows = [
            (aspect, coherence, self.alpha * aspect.specificity + (1 - self.alpha) * coherence)
            for aspect, coherence in zip(aspects, self.coherence(paragraph, sentences), strict=True)
        ]
        return sorted(rows, key=sort_key)


def _eligible(
    remaining: Sequence[Aspect], added: Sequence[Chosen], rounds: int, lacking: Mapping[str, int]
) -> list[Aspect]:
    """Return the aspects of the next step that fit into the remaining rounds.

    Aspects of both subjects come first, then those of a subject with too few facts.
    """
    small = [aspect for aspect in remaining if len(aspect.facts) <= rounds - len(added)]
    pids = {choice.fact.pid for choice in added}
    pieces = Counter(choice.fact.qid for choice in added)
    if parallel := [aspect for aspect in small if aspect.is_parallel and len(pids) < MAX_PARALLELS]:
        return parallel
    return [
        aspect
        for aspect in small
        # A property is not asked once of each subject, in two clauses.
        if not aspect.is_parallel
        and aspect.pid not in pids
        and pieces[aspect.units[0].qid] < lacking[aspect.units[0].qid]
    ]


def make_aspects(
    units: Sequence[Unit], can_share: Callable[[Sequence[Fact], Sequence[Fact]], bool]
) -> list[Aspect]:
    """Return the aspects of units, in their order.

    ``can_share`` returns whether one clause can ask for the facts of two units.
    """
    aspects: dict[str, list[Aspect]] = {}
    for unit in units:
        of_property = aspects.setdefault(unit.pid, [])
        partner = of_property[0].units[0] if of_property else None
        if partner and partner.qid != unit.qid and can_share(partner.facts, unit.facts):
            of_property[0] = Aspect((partner, unit))
        else:
            of_property.append(Aspect((unit,)))
    return [aspect for of_property in aspects.values() for aspect in of_property]


def make_units(
    pool: Sequence[Fact],
    max_values: Callable[[str, Sequence[Fact]], int | Reason],
    specificity: Callable[[str], float],
    sentence: Callable[[Sequence[Fact]], str],
    minimality: Minimality,
    revealed: Collection[Fact],
) -> tuple[list[Unit], list[Dropped]]:
    """Return a unit for each property that a question can ask for, and the dropped facts.

    ``pool`` has facts about one subject. ``max_values`` returns the maximum number of values that
    a question can ask for, for a property and its facts; or why it cannot ask for them.
    ``specificity`` returns that of a property, ``sentence`` a sentence that states facts.
    ``revealed`` has the facts that the question reveals. If one value implies another, as London
    implies England, only the finer value counts.
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
        elif isinstance(maximum := max_values(pid, finest), Reason):
            dropped.append(Dropped(finest[0], *maximum))  # one entry for the property
        elif len(finest) > maximum:
            dropped.append(Dropped(finest[0], "many values", f"{len(finest)} values"))
        else:
            units.append(Unit(tuple(finest), specificity(pid), sentence(finest)))
    return units, dropped
