"""From two joined subjects to a question with its minimum knowledge set."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from kgbuild.biokalma.coherence import Coherence
from kgbuild.biokalma.evolve import (
    MOST_VALUES,
    Chosen,
    Dropped,
    Evolution,
    Unit,
    specificity,
    units,
)
from kgbuild.biokalma.minimal import Minimality, Triple, share_a_word, stands_in
from kgbuild.biokalma.pairs import PEOPLE, Pairs, Unfit
from kgbuild.biokalma.phrases import Phrases
from kgbuild.biokalma.pool import Fact, Pools
from kgbuild.biokalma.rows import FEWEST
from kgbuild.biokalma.said import said_in
from kgbuild.biokalma.subjects import Subjects
from kgbuild.biokalma.texts import Texts
from kgbuild.biokalma.words import Words
from kgbuild.kg.knowledge import Knowledge
from kgbuild.relations import Catalog


@dataclass(frozen=True)
class Options:
    """What a user may choose.

    ``limit`` is the most questions of a relation, ``of_class`` the class of the subjects,
    ``rounds`` the pieces of knowledge beside those that a question begins with, ``alpha`` the
    weight of specificity beside coherence, ``remove`` the most pieces of knowledge that are
    taken away for conscious incompetence.
    """

    limit: int | None = None
    of_class: str = PEOPLE
    rounds: int = 6
    alpha: float = 0.01
    remove: int = 3
    seed: int = 0


class Draft(NamedTuple):
    """A question with its knowledge set, and what was left out of that.

    ``statement`` joins the two subjects. A paragraph that somebody else writes ``begins`` with
    what was written about them, or with what says the knowledge of round 0.
    """

    statement: Triple
    chosen: Sequence[Chosen]
    pool: Sequence[Fact]
    dropped: Sequence[Dropped]
    general: str
    specific: str
    paragraph: str
    begins: str

    @property
    def knowledge(self) -> list[Fact]:
        """The minimum knowledge set; its first fact joins the subjects."""
        return [one.fact for one in self.chosen]

    @property
    def rounds(self) -> int:
        """The number of the last round in which knowledge came."""
        return max(one.round for one in self.chosen)


class Drafter:
    """Drafts questions from one store."""

    def __init__(
        self,
        known: Knowledge,
        catalog: Catalog,
        words: Words,
        options: Options,
        coherence: Coherence,
    ):
        self._graph = known.graph
        self._words = words
        self._options = options
        self.pools = Pools(known, words)
        self.minimality = Minimality(catalog, words, known.wholes)
        self.pairs = Pairs(
            known.statements, known.labels, catalog, self.minimality, options.of_class
        )
        self.texts = Texts(
            catalog,
            words,
            Phrases(catalog, words, known.kinds),
            Subjects(known, catalog, words, self.pools),
            self.pools,
        )
        self._evolution = Evolution(
            options.rounds, options.alpha, options.seed, coherence, self.minimality
        )

    def draft(
        self, statement: Triple, sentence: str = "", said: Callable[[Fact], bool] | None = None
    ) -> Draft:
        """Return the question about two whom a statement joins.

        The set begins with that, and with what somebody's ``sentence`` about them says, by its
        words or as ``said`` tells.

        Raises:
            Unfit: the store knows too little of them.
        """
        pool = self.pool(statement)
        joint = next(fact for fact in pool if fact.triple == statement)
        waiting, dropped = self._units(joint, pool)
        begun = self._begun(joint, waiting, said or (lambda fact: said_in(sentence, fact)))
        facts = {one.fact for one in begun}
        waiting = [unit for unit in waiting if unit.facts[0] not in facts]
        chosen, implied = self._evolution.grow(begun, waiting, self.texts.paragraph)
        self._check(statement, chosen)
        knowledge = [one.fact for one in chosen]
        return Draft(
            statement,
            chosen,
            pool,
            [*dropped, *implied],
            self.texts.general(knowledge),
            self.texts.specific(knowledge),
            self.texts.paragraph(knowledge),
            sentence or self.texts.paragraph([one.fact for one in begun]),
        )

    def pool(self, statement: Triple) -> list[Fact]:
        """Return the knowledge pool of two whom a statement joins."""
        return [fact for qid in statement[::2] for fact in self.pools.of(qid)]

    def _begun(
        self, joint: Fact, waiting: Sequence[Unit], said: Callable[[Fact], bool]
    ) -> list[Chosen]:
        """Return what a set begins with: what joins the two, and what the sentence says."""
        begun = [self._first(joint)]
        for unit in waiting:
            more = [self._first(fact) for fact in unit.facts if said(fact)]
            together = [one.fact for one in (*begun, *more)]
            if len(more) == len(unit.facts) and not self.minimality.redundant(together):
                begun += more
        return begun

    def _first(self, fact: Fact) -> Chosen:
        """Return a piece that is there before any round, so that nothing measured its coherence."""
        specific_to = self._specificities[fact.pid]
        return Chosen(fact, 0, specific_to, 0.0, self._options.alpha * specific_to)

    def _units(self, joint: Fact, pool: Sequence[Fact]) -> tuple[list[Unit], list[Dropped]]:
        """Return what can be asked of two subjects beside what joins them."""
        found: list[Unit] = []
        dropped: list[Dropped] = []
        pair = (joint.qid, joint.value.text)
        names = [self.texts.name(qid) for qid in pair]
        hidden = {
            fact
            for fact in pool
            if fact.value.text in pair or any(self._is_told(fact, name) for name in names)
        }
        for qid, other in (pair, pair[::-1]):
            sort = "thing" if self.texts.is_thing(qid) else "person"
            own = [
                fact
                for fact in pool
                if fact.qid == qid
                and self._words.of(fact.pid, "").of in ("", sort)
                and not self._joins(joint, fact, other)
            ]
            made, left = units(
                own,
                self._most_values,
                self._specificities,
                self.texts.sentence,
                self.minimality,
                hidden,
            )
            found += made
            dropped += left
        return found, dropped

    def _is_told(self, fact: Fact, name: str) -> bool:
        """Tell whether a subject's name tells the value of a fact, or hints at it."""
        if stands_in(fact.shown, name):
            return True
        return self._words.of(fact.pid, "").names and share_a_word(fact.shown, name)

    def _joins(self, joint: Fact, fact: Fact, other: str) -> bool:
        """Tell whether to ask for a fact would be to ask, too, for what joins the subjects.

        So it would be for what that makes known: who prepared a doctorate has a degree.
        """
        return any(
            asked == joint.triple or self.minimality.follows(asked, [joint.triple])
            for pid in (fact.pid, *self._words.of(fact.pid, "").implied_by)
            for asked in [(fact.qid, pid, other)]
        )

    def _most_values(self, pid: str, values: Sequence[Fact]) -> int:
        """Return how many values of a property can be asked for at once; 0 if they do not fit."""
        wording = self._words.of(pid, "")
        if wording.unlike and any(re.search(wording.unlike, fact.shown) for fact in values):
            return 0
        return MOST_VALUES if wording.what else 1

    @cached_property
    def _specificities(self) -> defaultdict[str, float]:
        """How much each property sets an item of the class apart."""
        rows = self._graph.select("holders", **{"class": self._options.of_class})
        count = len(self.pairs.members)
        return defaultdict(
            lambda: specificity(count, 1),
            {pid: specificity(count, holders) for pid, holders in rows},
        )

    def _check(self, statement: Triple, chosen: Sequence[Chosen]) -> None:
        """Raise unless there are enough pieces, and some of each of the two."""
        if len(chosen) < FEWEST:
            raise Unfit("too little knowledge", f"{len(chosen)} pieces")
        about = Counter(one.fact.qid for one in chosen[1:])
        if alone := [qid for qid in statement[::2] if not about[qid]]:
            raise Unfit("one-sided", alone[0])
