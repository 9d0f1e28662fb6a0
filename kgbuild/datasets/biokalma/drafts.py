"""Draft a question about two subjects that a statement joins, with the facts that answer it."""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import cache, cached_property, partial
from typing import NamedTuple

from kgbuild.datasets.biokalma import themes
from kgbuild.datasets.biokalma.coherence import Coherence
from kgbuild.datasets.biokalma.evolve import (
    MIN_PIECES,
    Aspect,
    Chosen,
    Dropped,
    Evolution,
    Reason,
    Unit,
    make_aspects,
    make_units,
    specificity,
)
from kgbuild.datasets.biokalma.lexicon import Wording, lexicon
from kgbuild.datasets.biokalma.minimal import (
    Minimality,
    Triple,
    joined_items,
    mentions,
    share_a_word,
    stands_in,
)
from kgbuild.datasets.biokalma.pairs import Pairs
from kgbuild.datasets.biokalma.partition import Partition
from kgbuild.datasets.biokalma.pool import Fact, Pools
from kgbuild.datasets.biokalma.question_texts import QuestionTexts
from kgbuild.datasets.biokalma.rows import Options
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Rejected

_MAX_VALUES = 3
"""Maximum number of values of a property that one question asks for."""
_MAX_OF_THEME = 6
"""Maximum number of facts about a subject that the name of a theme may ask for."""
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
    """Drafts questions from one store."""

    def __init__(self, knowledge: Knowledge, options: Options, coherence: Coherence):
        self._graph = knowledge.graph
        self._lexicon = lexicon()
        self._options = options
        self.pools = Pools(knowledge)
        self.minimality = Minimality(knowledge.wholes)
        self.pairs = Pairs(knowledge, self.minimality, options.of_class)
        self.texts = QuestionTexts(knowledge, self.pools)
        self.partition = Partition(self.pairs, cache(self._is_rich))
        self._evolution = Evolution(options.alpha, options.seed, coherence, self.minimality)

    def draft(
        self, statement: Triple, sentence: str = "", is_stated: Callable[[Fact], bool] | None = None
    ) -> Draft:
        """Return the question about the two subjects of a statement.

        Its knowledge set begins with this statement and the facts that ``sentence`` states: facts
        whose values it mentions, or for which ``is_stated`` is true.

        Raises:
            Rejected: the pool has too few facts about the subjects.
        """
        pool = self.pool(statement)
        steps = self.pairs.steps(statement)
        joining = [fact for step in steps for fact in pool if fact.triple == step]
        if len(joining) < len(steps):
            raise Rejected("not in the pool", "; ".join(map(" ".join, steps)))
        units, dropped = self._units(statement, joining, pool)
        is_stated = is_stated or partial(mentions, sentence)
        first = self._first_facts(joining, units, is_stated)
        first_facts = {choice.fact for choice in first}
        units = [unit for unit in units if unit.facts[0] not in first_facts]
        aspects = make_aspects(units, self.texts.is_parallel)
        chosen, implied = self._grow(statement, joining, first, aspects)
        knowledge = [choice.fact for choice in chosen]
        names, further = self._generalise(knowledge, len(joining), pool)
        return Draft(
            statement,
            [*dict.fromkeys(self._theme(fact.pid) for fact in knowledge[len(joining) :])],
            chosen,
            further,
            pool,
            [*dropped, *implied],
            self.texts.general(statement, names),
            self.texts.specific(statement, knowledge),
            self.texts.paragraph(statement, knowledge),
            sentence or self.texts.paragraph(statement, [choice.fact for choice in first]),
            " ".join(statement),
        )

    def _grow(
        self,
        statement: Triple,
        joining: Sequence[Fact],
        first: Sequence[Chosen],
        aspects: Sequence[Aspect],
    ) -> tuple[list[Chosen], list[Dropped]]:
        """Return the set of a question, and the facts that were dropped.

        The result is that of the best choice of themes whose set has enough facts.

        Raises:
            Rejected: no choice of themes has enough facts about both subjects.
        """
        write = partial(self.texts.paragraph, statement)
        rounds = self._options.rounds - (len(joining) - 1)  # a path has two facts
        stated = Counter(choice.fact.qid for choice in first[len(joining) :])
        lacking = {qid: MIN_PIECES - stated[qid] for qid in joined_items(statement)}
        options = themes.choices(
            aspects, self._topic, self._lexicon.themes, lacking, self._options.seed
        )
        for of_themes in itertools.islice(options, _MAX_TRIES):
            chosen, implied = self._evolution.grow(first, of_themes, write, rounds, lacking)
            counts = Counter(choice.fact.qid for choice in chosen[len(joining) :])
            if all(counts[qid] >= MIN_PIECES for qid in lacking):
                return chosen, implied
        detail = f"{sum(len(aspect.facts) for aspect in aspects)} pieces beside what joins them"
        raise Rejected("too little knowledge", detail)

    def _theme(self, pid: str) -> str:
        """Return the theme of a property."""
        return self._lexicon.themes[self._topic(pid)]

    def _topic(self, pid: str) -> str:
        """Return the topic of a property."""
        return self._lexicon.wording(pid, "").topic

    def _generalise(
        self, knowledge: Sequence[Fact], joining: int, pool: Sequence[Fact]
    ) -> tuple[dict[str, list[str]], list[Chosen]]:
        """Return what the general question names, and the facts that only this question needs.

        The names are themes, or topics of large themes, by the id of the subject; ``joining`` is
        the number of facts that join the subjects. The facts complete the names, as far as the set
        stays minimal with them.
        """
        names: dict[str, list[str]] = defaultdict(list)
        topics: dict[str, set[str]] = defaultdict(set)
        facts = knowledge[joining:]
        for fact in sorted(facts, key=lambda fact: self._wording(fact).position):
            theme = self._theme(fact.pid)
            of_theme = [other for other in pool if self._theme(other.pid) == theme]
            sizes = Counter(other.qid for other in of_theme if self._is_of_general(other))
            is_small = theme in self._lexicon.theme_words and max(sizes.values()) <= _MAX_OF_THEME
            name = theme if is_small else self._wording(fact).topic
            if name not in names[fact.qid]:
                names[fact.qid].append(name)
            topics[fact.qid] |= (
                {topic for topic, of in self._lexicon.themes.items() if of == theme}
                if is_small
                else {name}
            )
        further: list[Fact] = []
        for fact in pool:
            is_new = self._wording(fact).topic in topics[fact.qid] and fact not in knowledge
            is_new = is_new and self._is_of_general(fact)
            if is_new and not self.minimality.redundant([*knowledge, *further, fact]):
                further.append(fact)
        return names, [self._first_choice(fact) for fact in further]

    def _is_of_general(self, fact: Fact) -> bool:
        """Return whether a general question about the topic of a fact asks for it."""
        return fact.pid in self._lexicon.properties and fact.pid not in self._lexicon.unasked

    def _wording(self, fact: Fact) -> Wording:
        return self._lexicon.wording(fact.pid, "")

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
        value = self._specificities[fact.pid]
        return Chosen(fact, 0, value, 0.0, self._options.alpha * value)

    def _units(
        self, statement: Triple, joining: Sequence[Fact], pool: Sequence[Fact]
    ) -> tuple[list[Unit], list[Dropped]]:
        """Return the units (facts of one property) that can be asked for, and the dropped facts."""
        units: list[Unit] = []
        dropped: list[Dropped] = []
        subject_qids = joined_items(statement)
        names = [self.texts.name(qid) for qid in subject_qids]
        linked_qids = {item for fact in joining for item in (fact.qid, fact.value.text)}
        revealed = {
            fact
            for fact in pool
            if fact.value.text in linked_qids or any(self._is_in_name(fact, name) for name in names)
        }
        for qid in subject_qids:
            kind = "thing" if self.texts.is_thing(qid) else "person"
            facts = [fact for fact in pool if fact.qid == qid]
            pids = {fact.pid for fact in facts}
            joining_pids = {fact.pid for fact in facts if self._joins(joining, fact)}
            candidates = [
                fact
                for fact in facts
                if fact.pid not in joining_pids and self._can_be_asked(fact, kind, pids)
            ]
            subject_units, subject_dropped = make_units(
                candidates,
                self._max_values,
                self._specificities,
                self.texts.sentence,
                self.minimality,
                revealed,
            )
            units += subject_units
            dropped += subject_dropped
        return units, dropped

    def _can_be_asked(self, fact: Fact, kind: str, pids: set[str]) -> bool:
        """Return whether a question can ask for the property of a fact.

        ``kind`` is the kind of its subject, "person" or "thing"; ``pids`` has all properties of
        the subject in the pool.
        """
        if fact.pid in self._lexicon.unasked or self.pools.property_label(fact.pid) == fact.pid:
            return False
        wording = self._lexicon.wording(fact.pid, "")
        return wording.asked_of in ("", kind) and pids.isdisjoint(wording.unless)

    def _is_rich(self, qid: str) -> bool:
        """Return whether a question can ask for enough facts about a subject."""
        facts = self.pools.facts(qid)
        kind = "thing" if self.texts.is_thing(qid) else "person"
        pids = {fact.pid for fact in facts}
        return sum(self._can_be_asked(fact, kind, pids) for fact in facts) >= MIN_PIECES

    def _is_in_name(self, fact: Fact, name: str) -> bool:
        """Return whether the name of a subject contains the value of a fact or hints at it."""
        if stands_in(fact.value_text, name):
            return True
        return self._lexicon.wording(fact.pid, "").value_in_name and share_a_word(
            fact.value_text, name
        )

    def _joins(self, joining: Sequence[Fact], fact: Fact) -> bool:
        """Return whether the property of a fact, or one that implies it, joins the subjects too.

        A question for such a fact would ask for the joining fact as well.
        """
        pids = (fact.pid, *self._lexicon.wording(fact.pid, "").implied_by)
        return any(
            triple == joint.triple or self.minimality.follows(triple, [joint.triple])
            for joint in joining
            for pid in pids
            for triple in [(fact.qid, pid, item) for item in (joint.qid, joint.value.text)]
        )

    def _max_values(self, pid: str, values: Sequence[Fact]) -> int | Reason:
        """Return the maximum number of values to ask for, or why they cannot be asked for."""
        wording = self._lexicon.wording(pid, "")
        if wording.unfit_values:
            for fact in values:
                if re.search(wording.unfit_values, fact.value_text):
                    return Reason("odd value", fact.value_text)
        if self.texts.lacks_tense(values):
            return Reason("no tense", "")
        if wording.number == "several" and len(values) == 1:
            return Reason("single value", values[0].value_text)
        return _MAX_VALUES if wording.noun or wording.number else 1

    @cached_property
    def _specificities(self) -> defaultdict[str, float]:
        """The specificity of each property within the class."""
        rows = self._graph.select("holders", **{"class": self._options.of_class})
        count = len(self.pairs.members)
        by_property = {pid: specificity(count, holders) for pid, holders in rows}
        return defaultdict(lambda: specificity(count, 1), by_property)
