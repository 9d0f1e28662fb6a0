"""From two joined subjects to a question with its minimum knowledge set."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

from kgbuild.catalog import Catalog
from kgbuild.datasets.biokalma.coherence import Coherence
from kgbuild.datasets.biokalma.evolve import (
    MOST_VALUES,
    Chosen,
    Dropped,
    Evolution,
    Unit,
    specificity,
    units,
)
from kgbuild.datasets.biokalma.lexicon import Lexicon
from kgbuild.datasets.biokalma.mentions import mentions
from kgbuild.datasets.biokalma.minimal import Minimality, Triple, share_a_word, stands_in
from kgbuild.datasets.biokalma.pairs import PEOPLE, Pairs
from kgbuild.datasets.biokalma.phrases import Phraser
from kgbuild.datasets.biokalma.pool import Fact, Pools
from kgbuild.datasets.biokalma.question_texts import QuestionTexts
from kgbuild.datasets.biokalma.rows import FEWEST
from kgbuild.datasets.biokalma.subjects import Subjects
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Rejected


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
    what was written about them, or with what says the knowledge of round 0. ``candidate`` is how
    it is named among what is left out, if not by its statement.
    """

    statement: Triple
    chosen: Sequence[Chosen]
    pool: Sequence[Fact]
    dropped: Sequence[Dropped]
    general: str
    specific: str
    paragraph: str
    begins: str
    candidate: str = ""

    @property
    def knowledge(self) -> list[Fact]:
        """The minimum knowledge set; it begins with what joins the subjects."""
        return [one.fact for one in self.chosen]

    @property
    def rounds(self) -> int:
        """The number of the last round in which knowledge came."""
        return max(one.round for one in self.chosen)


class Drafter:
    """Drafts questions from one store."""

    def __init__(
        self,
        knowledge: Knowledge,
        catalog: Catalog,
        lexicon: Lexicon,
        options: Options,
        coherence: Coherence,
    ):
        self._graph = knowledge.graph
        self._lexicon = lexicon
        self._options = options
        self.pools = Pools(knowledge, lexicon)
        self.minimality = Minimality(catalog, lexicon, knowledge.wholes)
        self.pairs = Pairs(
            knowledge.statements, knowledge.labels, catalog, self.minimality, options.of_class
        )
        self.texts = QuestionTexts(
            catalog,
            lexicon,
            Phraser(catalog, lexicon, knowledge.kinds),
            Subjects(knowledge, catalog, lexicon, self.pools),
            self.pools,
        )
        self._evolution = Evolution(options.alpha, options.seed, coherence, self.minimality)

    def draft(
        self, statement: Triple, sentence: str = "", said: Callable[[Fact], bool] | None = None
    ) -> Draft:
        """Return the question about two whom a statement joins.

        The set begins with that, and with what somebody's ``sentence`` about them says, by its
        words or as ``said`` tells.

        Raises:
            Rejected: the store knows too little of them.
        """
        pool = self.pool(statement)
        steps = self.pairs.steps(statement)
        joint = [fact for one in steps for fact in pool if fact.triple == one]
        if len(joint) < len(steps):
            raise Rejected("not in the pool", "; ".join(map(" ".join, steps)))
        waiting, dropped = self._units(statement, joint, pool)
        begun = self._begun(joint, waiting, said or (lambda fact: mentions(sentence, fact)))
        facts = {one.fact for one in begun}
        waiting = [unit for unit in waiting if unit.facts[0] not in facts]
        told = partial(self.texts.paragraph, statement)
        rounds = self._options.rounds - (len(joint) - 1)  # of which a path has taken one
        chosen, implied = self._evolution.grow(begun, waiting, told, rounds)
        knowledge = [one.fact for one in chosen]
        self._check(statement, knowledge[len(joint) :])
        return Draft(
            statement,
            chosen,
            pool,
            [*dropped, *implied],
            self.texts.general(statement, knowledge),
            self.texts.specific(statement, knowledge),
            told(knowledge),
            sentence or told([one.fact for one in begun]),
        )

    def pool(self, statement: Triple) -> list[Fact]:
        """Return the knowledge pool of two whom a statement joins.

        Of what lies between them, it has only what joins it to the second.
        """
        own = [fact for qid in statement[::2] for fact in self.pools.of(qid)]
        steps = self.pairs.steps(statement)[1:]
        return own + [fact for one in steps for fact in self.pools.of(one[0]) if fact.triple == one]

    def _begun(
        self, joint: Sequence[Fact], waiting: Sequence[Unit], said: Callable[[Fact], bool]
    ) -> list[Chosen]:
        """Return what a set begins with: what joins the two, and what the sentence says."""
        begun = [self._first(fact) for fact in joint]
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

    def _units(
        self, statement: Triple, joint: Sequence[Fact], pool: Sequence[Fact]
    ) -> tuple[list[Unit], list[Dropped]]:
        """Return what can be asked of two subjects beside what joins them."""
        found: list[Unit] = []
        dropped: list[Dropped] = []
        pair = statement[::2]
        names = [self.texts.name(qid) for qid in pair]
        ends = {end for fact in joint for end in (fact.qid, fact.value.text)}
        hidden = {
            fact
            for fact in pool
            if fact.value.text in ends or any(self._is_told(fact, name) for name in names)
        }
        for qid in pair:
            sort = "thing" if self.texts.is_thing(qid) else "person"
            about = [fact for fact in pool if fact.qid == qid]
            stated = {fact.pid for fact in about}
            own = [
                fact
                for fact in about
                if self._can_be_asked(fact, sort, stated) and not self._joins(joint, fact)
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

    def _can_be_asked(self, fact: Fact, sort: str, stated: set[str]) -> bool:
        """Tell whether a property is asked for, and has words for a person, or a thing.

        ``stated`` are all properties of the subject.
        """
        if fact.pid in self._lexicon.unasked or self.pools.property_label(fact.pid) == fact.pid:
            return False
        wording = self._lexicon.of(fact.pid, "")
        return wording.of in ("", sort) and stated.isdisjoint(wording.unless)

    def _is_told(self, fact: Fact, name: str) -> bool:
        """Tell whether a subject's name tells the value of a fact, or hints at it."""
        if stands_in(fact.shown, name):
            return True
        return self._lexicon.of(fact.pid, "").names and share_a_word(fact.shown, name)

    def _joins(self, joint: Sequence[Fact], fact: Fact) -> bool:
        """Tell whether to ask for a fact would be to ask, too, for what joins the subjects.

        So it would be for what that makes known: who prepared a doctorate has a degree.
        """
        return any(
            asked == one.triple or self.minimality.follows(asked, [one.triple])
            for one in joint
            for pid in (fact.pid, *self._lexicon.of(fact.pid, "").implied_by)
            for asked in [(fact.qid, pid, end) for end in (one.qid, one.value.text)]
        )

    def _most_values(self, pid: str, values: Sequence[Fact]) -> int:
        """Return how many values of a property can be asked for at once; 0 if they do not fit."""
        wording = self._lexicon.of(pid, "")
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

    def _check(self, statement: Triple, others: Sequence[Fact]) -> None:
        """Raise unless there is enough beside what joins the two, and some of each."""
        if len(others) < FEWEST - 1:
            raise Rejected("too little knowledge", f"{len(others)} pieces beside what joins them")
        about = Counter(fact.qid for fact in others)
        if alone := [qid for qid in statement[::2] if not about[qid]]:
            raise Rejected("one-sided", alone[0])
