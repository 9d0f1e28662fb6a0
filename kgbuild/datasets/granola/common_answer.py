"""Aggregate several responses to a question into one answer by the graph.

Source: section 4 of the GRANOLA paper, "decoding with response aggregation".
"""

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from kgbuild.datasets.granola.files.resolve import FileResolver
from kgbuild.datasets.granola.levels.date_answers import DateAnswers
from kgbuild.datasets.granola.levels.item_answers import ItemAnswers
from kgbuild.datasets.granola.levels.order import Gold, Levelled, RawAnswer, minimal
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.datasets.granola.scoring.majority import IDK, most_frequent, said, said_alike
from kgbuild.english import date_levels, date_parsing
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import Relation
from kgbuild.store.labels import Spellings
from kgbuild.text.replies import refuses

_NOT_IN_NAME = re.compile(r"^the |\.$", re.IGNORECASE)
"""Parts of a text that may not belong to a name: "the USA." becomes "USA"."""


class Sampled(NamedTuple):
    """A question, its relation, and the name of its subject, empty if unknown."""

    text: str
    relation: Relation
    name: str


def informative(responses: Sequence[str]) -> list[str]:
    """Return the responses that do not abstain; an empty list if most responses abstain.

    An abstention contradicts nothing, so it makes no answer coarser. But if most responses
    abstain, the others are guesses.
    """
    texts = [response for response in responses if not refuses(response)]
    return texts if 2 * len(texts) >= len(responses) else []


def without_graph(question: str, responses: Sequence[str]) -> str | None:
    """Return the common answer if the graph is not needed for it, else None.

    It is "IDK" if most responses abstain. If all responses that do not abstain say the same, it is
    the most frequent of them.
    """
    texts = informative(responses)
    if not texts:
        return IDK
    same = len({said_alike(question, text) for text in texts}) == 1
    return most_frequent(texts) if same else None


class CommonAnswer:
    """The most specific answer that is at a level of all responses, by the graph.

    Each response is linked to an item, a description of an item, or a date, and gets the levels of
    a row; a response that cannot be linked agrees only with itself. The candidates are the answers
    with at least ``min_bits`` that all responses share and that are not coarser than another
    candidate. The one with the most bits is chosen, then the first text. So the order of responses
    does not matter, and an additional response never makes the answer more specific, unless most
    responses abstained.

    Known weakness: an ambiguous name is linked independently of the other responses, so responses
    may seem to disagree.
    """

    def __init__(self, knowledge: Knowledge, names: Spellings, min_bits: float):
        self._knowledge = knowledge
        self._min_bits = min_bits
        self._resolver = FileResolver(knowledge, names)
        self._facts = RelationFacts(knowledge)
        self._profiles = Profiles(knowledge)
        self._item_answers = functools.cache(self._read_item_answers)
        self._date_answers = functools.cache(self._read_date_answers)

    def relation(self, pid: str) -> Relation:
        """Return the relation of a property, also if relations.toml lacks it."""
        (relation,) = self._resolver.words.named(pid)
        return relation

    def find(self, question: Sampled, responses: Sequence[str]) -> str:
        """Return the common answer of one or more responses, or "IDK"."""
        if (answer := without_graph(question.text, responses)) is not None:
            return answer
        texts = {normalise(text): text for text in sorted(informative(responses))}
        levels = [self._levels(question, texts[key]) for key in sorted(texts)]
        shared = set.intersection(*({answer.facets for answer in answers} for answers in levels))
        common = minimal([answer for answer in levels[0] if answer.facets in shared])
        best = min(common, key=lambda answer: (-answer.bits, answer.text), default=None)
        return best.text if best else IDK

    def _levels(self, question: Sampled, text: str) -> Sequence[RawAnswer]:
        """Return a response and its coarser answers, by the first method that links it."""
        if question.relation.object_kinds == DATE:
            return self._by_date(question, text)
        methods = [self._by_name, self._by_name_and_place, self._by_words]
        if text.lower().startswith(("a ", "an ")):  # a description, even if it names an item
            methods = [methods.pop(), *methods]
        written = dict.fromkeys((text, _NOT_IN_NAME.sub("", text)))
        results = (
            method(question, form)
            for forms in (written, (said(text, question.text, is_date=False),))
            for method in methods
            for form in forms
        )
        return next(filter(None, results), ())

    def _by_date(self, question: Sampled, text: str) -> Sequence[RawAnswer]:
        value = date_parsing.read(said(text, question.text, is_date=True))
        if value is None:
            return ()
        forms = date_levels.answers(value)
        gold = [Gold((forms[0].text,), forms=forms)]
        answers = self._date_answers(question.relation)
        return _candidates(answers.levelled(gold, question.name, self._min_bits)[0])

    def _by_name(self, question: Sampled, text: str) -> Sequence[RawAnswer]:
        qid = self._resolver.item(text, question.relation)
        if qid is None:
            return ()
        gold = [Gold((self._knowledge.labels.label(qid) or text,), qid)]
        answers = self._item_answers(question.relation)
        return _candidates(answers.levelled(gold, question.name, self._min_bits)[0])

    def _by_name_and_place(self, question: Sampled, text: str) -> Sequence[RawAnswer]:
        """Return the levels of the item of "Lyon, France", if it is in France."""
        name, *places = text.split(",")
        answers = self._by_name(question, name) if places else ()
        names = {normalise(name) for one in answers for name in (one.text, *one.aliases)}
        return answers if {normalise(place) for place in places} <= names else ()

    def _by_words(self, question: Sampled, text: str) -> Sequence[RawAnswer]:
        """Return the levels of a description: "a city in France"."""
        answers = self._item_answers(question.relation)
        return _candidates(answers.by_words(text, question.name, self._min_bits))

    def _read_item_answers(self, relation: Relation) -> ItemAnswers:
        population = self._facts.population(relation)
        return ItemAnswers(relation, population, self._profiles, self._knowledge.counts)

    def _read_date_answers(self, relation: Relation) -> DateAnswers:
        return DateAnswers(self._knowledge.times.by_item(relation.pid).values())


def _candidates(answers: Sequence[Levelled]) -> list[RawAnswer]:
    return [answer.candidate for answer in answers]
