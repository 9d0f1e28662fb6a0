"""Draft a question about two subjects that a statement joins, with the facts that answer it."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

from kgbuild.datasets.biokalma import themes
from kgbuild.datasets.biokalma.candidates import Candidates
from kgbuild.datasets.biokalma.coherence import Coherence, unmeasured
from kgbuild.datasets.biokalma.evolve import (
    MIN_PIECES,
    Aspect,
    Chosen,
    Dropped,
    Evolution,
    Unit,
    make_aspects,
    specificity,
)
from kgbuild.datasets.biokalma.lexicon import lexicon
from kgbuild.datasets.biokalma.minimal import Minimality, Triple, joined_items, mentions
from kgbuild.datasets.biokalma.pairs import Pairs
from kgbuild.datasets.biokalma.partition import Partition
from kgbuild.datasets.biokalma.pool import Fact, Pools
from kgbuild.datasets.biokalma.question_texts import QuestionTexts
from kgbuild.datasets.biokalma.rows import Options
from kgbuild.datasets.biokalma.themes import generalise
from kgbuild.datasets.since import Older, against
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Rejected

_MAX_TRIES = 8
"""Maximum number of choices of themes that are tried for a pair."""


class Draft(NamedTuple):
    """A question with its knowledge set and the facts left out of it.

    ``statement`` joins the two subjects. ``themes`` are what the question is about. ``further``
    has the facts that only the general question needs: they complete its topics.
    ``opening`` is the text that a model extends to the paragraph: the sentence of a biography, or
    sentences that state the facts of round 0. ``candidate`` is the text that names the draft in the
    table of rejections.
    """

    statement: Triple
    themes: Sequence[str]
    chosen: Sequence[Chosen]
    further: Sequence[Chosen]
    pool: Sequence[Fact]
    dropped: Sequence[Dropped]
    general: str
    specific: str
    paragraph: str
    opening: str
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
    """Drafts questions from one store; ``since`` compares it with an ``older`` one, if any."""

    def __init__(
        self,
        knowledge: Knowledge,
        options: Options,
        coherence: Coherence,
        older: Older | None = None,
    ):
        self.since = against(knowledge, older)
        self._lexicon = lexicon()
        self._options = options
        self.pools = Pools(knowledge)
        self.minimality = Minimality(knowledge)
        self.pairs = Pairs(knowledge, self.minimality, options.of_class)
        self.texts = QuestionTexts(knowledge, self.pools)
        self._specificity = cache(self._read_specificity)
        # The sentences of candidates are written for the measure of coherence alone.
        self._is_measured = coherence is not unmeasured
        self._candidates = Candidates(
            self.pools,
            self.texts,
            self.minimality,
            self._specificity,
            self.texts.sentence if self._is_measured else _unwritten,
        )
        self.partition = Partition(self.pairs, options.splits)
        self._evolution = Evolution(options.alpha, options.seed, coherence, self.minimality)

    def draft(
        self, statement: Triple, sentence: str = "", is_stated: Callable[[Fact], bool] | None = None
    ) -> Draft:
        """Return the question about the two subjects of a statement.

        Its knowledge set begins with this statement and the facts that ``sentence`` states: facts
        whose values it mentions, or for which ``is_stated`` is true. Without a sentence, the set
        has only properties of both subjects.

        Raises:
            Rejected: the pool has too few facts about the subjects, or those that it has make one
                question and set only, not two.
        """
        pool = self.pool(statement)
        steps = self.pairs.steps(statement)
        joining = [fact for step in steps for fact in pool if fact.triple == step]
        if len(joining) < len(steps):
            raise Rejected("not in the pool", "; ".join(map(" ".join, steps)))
        units, dropped = self._candidates.units(statement, joining, pool)
        is_stated = is_stated or partial(mentions, sentence)
        first = self._first_facts(joining, units, is_stated)
        first_facts = {choice.fact for choice in first}
        units = [unit for unit in units if unit.facts[0] not in first_facts]
        aspects = make_aspects(units, self.texts.is_parallel)
        if not sentence:  # a question that asks different facts of the two sounds artificial
            aspects = [aspect for aspect in aspects if aspect.is_parallel]
        of_themes = self._candidates.nameable(pool)
        for grown in self._grown(statement, joining, first, aspects, of_themes):
            chosen, implied = grown
            knowledge = [choice.fact for choice in chosen]
            general = generalise(self._lexicon, self.minimality, knowledge, len(joining), of_themes)
            if general.further or not self.texts.are_alike(statement, general.names, knowledge):
                break
        else:
            detail = f"{sum(len(aspect.facts) for aspect in aspects)} pieces beside what joins them"
            raise Rejected("too little knowledge", detail)
        return Draft(
            statement,
            [*dict.fromkeys(self._lexicon.theme(fact.pid) for fact in knowledge[len(joining) :])],
            chosen,
            [self._first_choice(fact) for fact in general.further],
            pool,
            [*dropped, *implied],
            self.texts.general(statement, general.names),
            self.texts.specific(statement, knowledge),
            self.texts.paragraph(statement, knowledge),
            sentence or self.texts.paragraph(statement, [choice.fact for choice in first]),
            " ".join(statement),
        )

    def _grown(
        self,
        statement: Triple,
        joining: Sequence[Fact],
        first: Sequence[Chosen],
        aspects: Sequence[Aspect],
        pool: Sequence[Fact],
    ) -> Iterator[tuple[list[Chosen], list[Dropped]]]:
        """Yield sets of a question with enough facts, and the facts that were dropped.

        The sets of the best choices of themes come first; ``pool`` has what themes can ask for.
        """
        write = partial(self.texts.paragraph, statement) if self._is_measured else _unwritten
        rounds = self._options.rounds - (len(joining) - 1)  # a path has two facts
        stated = Counter(choice.fact.qid for choice in first[len(joining) :])
        qids = joined_items(statement)
        lacking = {qid: MIN_PIECES - stated[qid] for qid in qids}
        known = {(fact.qid, fact.pid) for fact in pool}
        of_both = {fact.pid for fact in pool if all((qid, fact.pid) in known for qid in qids)}
        sizes = Counter(map(self._lexicon.theme, of_both))
        options = themes.choices(aspects, self._lexicon.theme, sizes, lacking, self._options.seed)
        for of_themes in itertools.islice(options, _MAX_TRIES):
            chosen, implied = self._evolution.grow(first, of_themes, write, rounds, lacking)
            counts = Counter(choice.fact.qid for choice in chosen[len(joining) :])
            if all(counts[qid] >= MIN_PIECES for qid in lacking):
                yield chosen, implied

    def pool(self, statement: Triple) -> list[Fact]:
        """Return the knowledge pool of the two subjects of a statement.

        For a path, it also has the statement from the item between them to the second subject.
        """
        facts = [fact for qid in joined_items(statement) for fact in self.pools.facts(qid)]
        for step in self.pairs.steps(statement)[1:]:
            facts += [fact for fact in self.pools.facts(step[0]) if fact.triple == step]
        return facts

    def _first_facts(
        self, joining: Sequence[Fact], units: Sequence[Unit], is_stated: Callable[[Fact], bool]
    ) -> list[Chosen]:
        """Return the facts of round 0: the joining facts, and units that the sentence states."""
        facts = list(joining)
        for unit in units:
            is_whole_unit_stated = all(map(is_stated, unit.facts))
            if is_whole_unit_stated and not self.minimality.redundant([*facts, *unit.facts]):
                facts += unit.facts
        return [self._first_choice(fact) for fact in facts]

    def _first_choice(self, fact: Fact) -> Chosen:
        """Return a fact of round 0, whose coherence is not measured."""
        value = self._specificity(fact.pid)
        return Chosen(fact, 0, value, 0.0, self._options.alpha * value)

    def _read_specificity(self, pid: str) -> float:
        """Return the specificity of a property within the class."""
        return specificity(len(self.pairs.members), self.pairs.holders(pid))


def _unwritten(_facts: Sequence[Fact]) -> str:
    return ""


def examine(drafter: Drafter, statement: Triple) -> Draft:
    """Return the question about the two subjects of a statement, which may be no candidate.

    Raises:
        Rejected: no question can be made about them; reasons.toml has the reasons.
    """
    if drafter.since:
        drafter.since.check(drafter.pairs.steps(statement))
    drafter.pairs.check(statement)
    drafter.partition.check(statement)
    return drafter.draft(statement)


def examiner(
    options: Options, older: Older | None, knowledge: Knowledge
) -> Callable[[Triple], Draft]:
    """Return ``examine`` for a worker, which measures no coherence."""
    return partial(examine, Drafter(knowledge, options, unmeasured, older))
