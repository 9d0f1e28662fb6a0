"""Draft a question about two joined subjects, with the facts that its answer needs."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from kgbuild.datasets.biokalma.coherence import Coherence
from kgbuild.datasets.biokalma.evolve import (
    MAX_VALUES,
    Chosen,
    Dropped,
    Evolution,
    Unit,
    specificity,
    units,
)
from kgbuild.datasets.biokalma.lexicon import lexicon
from kgbuild.datasets.biokalma.minimal import Minimality, Triple, mentions, share_a_word, stands_in
from kgbuild.datasets.biokalma.pairs import Pairs
from kgbuild.datasets.biokalma.pool import Fact, Pools
from kgbuild.datasets.biokalma.question_texts import QuestionTexts
from kgbuild.datasets.biokalma.rows import MIN_FACTS, Options
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Rejected


class Draft(NamedTuple):
    """A question with its knowledge set and the facts left out of it.

    ``statement`` joins the two subjects. ``begins`` is the text from which a model extends the
    paragraph: the sentence of a biography, or one that states the facts of round 0.
    ``candidate`` is the name of the draft among rejections.
    """

    statement: Triple
    chosen: Sequence[Chosen]
    pool: Sequence[Fact]
    dropped: Sequence[Dropped]
    general: str
    specific: str
    paragraph: str
    begins: str
    candidate: str

    @property
    def knowledge(self) -> list[Fact]:
        """The minimum knowledge set, beginning with the facts that join the subjects."""
        return [choice.fact for choice in self.chosen]

    @property
    def rounds(self) -> int:
        """The number of the last round that added a fact."""
        return max(choice.round for choice in self.chosen)


class Drafter:
    """Drafts questions from one store."""

    def __init__(self, knowledge: Knowledge, options: Options, coherence: Coherence):
        self._graph = knowledge.graph
        self._lexicon = lexicon()
        self._options = options
        self.pools = Pools(knowledge)
        self.minimality = Minimality(knowledge.wholes)
        self.pairs = Pairs(knowledge, self.minimality, options.of_class)
        self.texts = QuestionTexts(knowledge, self.pools)
        self._evolution = Evolution(options.alpha, options.seed, coherence, self.minimality)

    def draft(
        self, statement: Triple, sentence: str = "", is_stated: Callable[[Fact], bool] | None = None
    ) -> Draft:
        """Return the question about the two subjects of a statement.

        The set begins with this statement and the facts that ``sentence`` states: those whose
        values it mentions, or for which ``is_stated`` is true.

        Raises:
            Rejected: the pool has too few facts about the subjects.
        """
        pool = self.pool(statement)
        steps = self.pairs.steps(statement)
        joint = [fact for step in steps for fact in pool if fact.triple == step]
        if len(joint) < len(steps):
            raise Rejected("not in the pool", "; ".join(map(" ".join, steps)))
        waiting, dropped = self._units(statement, joint, pool)
        is_stated = is_stated or partial(mentions, sentence)
        first = self._first_facts(joint, waiting, is_stated)
        facts = {choice.fact for choice in first}
        waiting = [unit for unit in waiting if unit.facts[0] not in facts]
        write = partial(self.texts.paragraph, statement)
        rounds = self._options.rounds - (len(joint) - 1)  # a path takes one of them
        chosen, implied = self._evolution.grow(first, waiting, write, rounds)
        knowledge = [choice.fact for choice in chosen]
        others = [fact.qid for fact in knowledge[len(joint) :]]
        if len(others) < MIN_FACTS - 1:
            raise Rejected("too little knowledge", f"{len(others)} pieces beside what joins them")
        if lacking := [qid for qid in statement[::2] if qid not in others]:
            raise Rejected("one-sided", lacking[0])
        return Draft(
            statement,
            chosen,
            pool,
            [*dropped, *implied],
            self.texts.general(statement, knowledge),
            self.texts.specific(statement, knowledge),
            write(knowledge),
            sentence or write([choice.fact for choice in first]),
            " ".join(statement),
        )

    def pool(self, statement: Triple) -> list[Fact]:
        """Return the knowledge pool of the two subjects of a statement.

        About an item between them, it has only the statement that leads to the second subject.
        """
        facts = [fact for qid in statement[::2] for fact in self.pools.facts(qid)]
        for step in self.pairs.steps(statement)[1:]:
            facts += [fact for fact in self.pools.facts(step[0]) if fact.triple == step]
        return facts

    def _first_facts(
        self, joint: Sequence[Fact], waiting: Sequence[Unit], is_stated: Callable[[Fact], bool]
    ) -> list[Chosen]:
        """Return the facts of round 0: those that join the subjects or that the sentence states."""
        first = [self._first(fact) for fact in joint]
        for unit in waiting:
            added = [self._first(fact) for fact in unit.facts if is_stated(fact)]
            facts = [choice.fact for choice in (*first, *added)]
            if len(added) == len(unit.facts) and not self.minimality.redundant(facts):
                first += added
        return first

    def _first(self, fact: Fact) -> Chosen:
        """Return a fact of round 0, whose coherence is not measured."""
        value = self._specificities[fact.pid]
        return Chosen(fact, 0, value, 0.0, self._options.alpha * value)

    def _units(
        self, statement: Triple, joint: Sequence[Fact], pool: Sequence[Fact]
    ) -> tuple[list[Unit], list[Dropped]]:
        """Return the units (facts of one property) to ask for, and the dropped facts."""
        candidates: list[Unit] = []
        dropped: list[Dropped] = []
        pair = statement[::2]
        names = [self.texts.name(qid) for qid in pair]
        ends = {end for fact in joint for end in (fact.qid, fact.value.text)}
        hidden = {
            fact
            for fact in pool
            if fact.value.text in ends or any(self._is_in_name(fact, name) for name in names)
        }
        for qid in pair:
            kind = "thing" if self.texts.is_thing(qid) else "person"
            about = [fact for fact in pool if fact.qid == qid]
            stated = {fact.pid for fact in about}
            candidate_facts = [
                fact
                for fact in about
                if self._can_be_asked(fact, kind, stated) and not self._joins(joint, fact)
            ]
            askable, left_out = units(
                candidate_facts,
                self._max_values,
                self._specificities,
                self.texts.sentence,
                self.minimality,
                hidden,
            )
            candidates += askable
            dropped += left_out
        return candidates, dropped

    def _can_be_asked(self, fact: Fact, kind: str, stated: set[str]) -> bool:
        """Return whether a property can be asked of a subject of a kind: a person or a thing.

        ``stated`` has all properties of the subject.
        """
        if fact.pid in self._lexicon.unasked or self.pools.property_label(fact.pid) == fact.pid:
            return False
        wording = self._lexicon.wording(fact.pid, "")
        return wording.of in ("", kind) and stated.isdisjoint(wording.unless)

    def _is_in_name(self, fact: Fact, name: str) -> bool:
        """Return whether the name of a subject contains the value of a fact or hints at it."""
        if stands_in(fact.shown, name):
            return True
        return self._lexicon.wording(fact.pid, "").names and share_a_word(fact.shown, name)

    def _joins(self, joint: Sequence[Fact], fact: Fact) -> bool:
        """Return whether a fact, or one that it implies, follows from a joining fact.

        A question for such a fact would ask for the joining fact as well.
        """
        return any(
            triple == joining.triple or self.minimality.follows(triple, [joining.triple])
            for joining in joint
            for pid in (fact.pid, *self._lexicon.wording(fact.pid, "").implied_by)
            for triple in [(fact.qid, pid, end) for end in (joining.qid, joining.value.text)]
        )

    def _max_values(self, pid: str, values: Sequence[Fact]) -> int:
        """Return the maximum number of values to ask for; 0 if the wording does not fit a value."""
        wording = self._lexicon.wording(pid, "")
        if wording.unlike and any(re.search(wording.unlike, fact.shown) for fact in values):
            return 0
        return MAX_VALUES if wording.what else 1

    @cached_property
    def _specificities(self) -> defaultdict[str, float]:
        """The specificity of each property within the class."""
        rows = self._graph.select("holders", **{"class": self._options.of_class})
        count = len(self.pairs.members)
        by_property = {pid: specificity(count, holders) for pid, holders in rows}
        return defaultdict(lambda: specificity(count, 1), by_property)
