"""Aggregate several responses to a question into one answer by the graph.

Source: section 4 of the GRANOLA paper, "decoding with response aggregation".
"""

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from kgbuild.datasets.granola.files.relation_words import RelationWords
from kgbuild.datasets.granola.files.resolve import Resolver
from kgbuild.datasets.granola.levels.date_answers import DateAnswers
from kgbuild.datasets.granola.levels.item_answers import ItemAnswers
from kgbuild.datasets.granola.levels.order import Candidate, Gold, Levelled, minimal
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.datasets.granola.scoring.majority import IDK, most_frequent, said_alike
from kgbuild.datasets.granola.scoring.said import said
from kgbuild.english import date_parsing, dates
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years
from kgbuild.relations import Relation
from kgbuild.store.labels import Spellings
from kgbuild.text.replies import refuses

_NOT_IN_NAME = re.compile(r"^the |\.$", re.IGNORECASE)
"""Parts of a text that may not belong to a name: "the USA." becomes "USA"."""


class Question(NamedTuple):
    """A question, its relation, and the id and the name of its subject; empty if unknown."""

    text: str
    relation: Relation
    subject: str
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


class _Implied(NamedTuple):
    """All answers that follow from a response, itself included.

    ``usual`` has the facets of those answers that a build would put at levels. (A facet is a value
    in a dimension that an answer states, such as Paris in the dimension "place".)
    """

    answers: list[Candidate]
    usual: frozenset[frozenset[object]]


_UNLINKED = _Implied([], frozenset())


class CommonAnswer:
    """The most specific answer that follows from all responses, by the graph.

    Each response is linked to an item, a description of an item, or a date; a response that cannot
    be linked agrees only with itself. The candidates are the answers with at least ``min_bits``
    that follow from all responses and are not coarser than another candidate. The candidate that is
    a usual answer for the maximum number of responses is chosen; ties are broken by bits, then by
    text. So the order of responses does not matter, and an additional response never makes the
    answer more specific, unless most responses abstained.

    Known weakness: an ambiguous name is linked independently of the other responses, so responses
    may seem to disagree.
    """

    def __init__(self, knowledge: Knowledge, names: Spellings, min_bits: float):
        self._knowledge = knowledge
        self._min_bits = min_bits
        self._resolver = Resolver(knowledge, names)
        self._words = RelationWords(knowledge.labels)
        self._facts = RelationFacts(knowledge)
        self._profiles = Profiles(knowledge)
        self._item_answers = functools.cache(self._read_item_answers)
        self._date_answers = functools.cache(self._read_date_answers)

    def relation(self, pid: str) -> Relation:
        """Return the relation of a property, also if relations.toml lacks it."""
        (relation,) = self._words.named(pid)
        return relation

    def find(self, question: Question, responses: Sequence[str]) -> str:
        """Return the common answer of one or more responses, or "IDK"."""
        if (answer := without_graph(question.text, responses)) is not None:
            return answer
        texts = {normalise(text): text for text in sorted(informative(responses))}
        implied_by_response = [self._implied(question, texts[key]) for key in sorted(texts)]
        shared_facets = set.intersection(
            *({answer.facets for answer in implied.answers} for implied in implied_by_response)
        )
        answers = implied_by_response[0].answers
        common = minimal([answer for answer in answers if answer.facets in shared_facets])

        def rank(answer: Candidate) -> tuple[int, float, str]:
            uses = sum(answer.facets in implied.usual for implied in implied_by_response)
            return -uses, -answer.bits, answer.text

        return min(common, key=rank).text if common else IDK

    def _implied(self, question: Question, text: str) -> _Implied:
        """Return the answers that follow from a response, by the first method that links it."""
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
        return next((result for result in results if result.answers), _UNLINKED)

    def _by_date(self, question: Question, text: str) -> _Implied:
        """Return the coarser forms of a date."""
        value = date_parsing.read(said(text, question.text, is_date=True))
        if value is None:
            return _UNLINKED
        forms = dates.answers(value)
        gold = [Gold((forms[0].text,), forms=forms)]
        answers, _ = self._date_answers(question.relation).levelled(
            gold, None, question.name, self._min_bits
        )
        return _as_implied(answers, answers)

    def _by_name(self, question: Question, text: str) -> _Implied:
        """Return the answers that follow from the item with a name."""
        qid = self._resolver.item(text, question.relation)
        if qid is None:
            return _UNLINKED
        gold = Gold((self._knowledge.labels.label(qid) or text,), qid)
        answers = self._item_answers(question.relation)
        arguments = self._years(question), question.name, self._min_bits
        usual, _ = answers.levelled([gold], *arguments)
        return _as_implied(answers.implied_by_item(gold, *arguments), usual)

    def _by_name_and_place(self, question: Question, text: str) -> _Implied:
        """Return the answers that follow from the item of "Lyon, France", if it is in France."""
        name, *places = text.split(",")
        implied = self._by_name(question, name) if places else _UNLINKED
        implied_names = {
            normalise(name) for answer in implied.answers for name in (answer.text, *answer.aliases)
        }
        return implied if {normalise(place) for place in places} <= implied_names else _UNLINKED

    def _by_words(self, question: Question, text: str) -> _Implied:
        """Return the answers that follow from a description: "a city in France"."""
        answers = self._item_answers(question.relation).implied_by_words(
            text, self._years(question), question.name, self._min_bits
        )
        return _as_implied(answers, answers)

    def _years(self, question: Question) -> Years | None:
        return self._facts.years(question.subject, question.relation)

    def _read_item_answers(self, relation: Relation) -> ItemAnswers:
        population = self._facts.population(relation)
        return ItemAnswers(relation, population, self._profiles, self._knowledge.counts)

    def _read_date_answers(self, relation: Relation) -> DateAnswers:
        times = self._knowledge.times.by_item(relation.pid).values()
        return DateAnswers(value for values in times for value in values)


def _as_implied(answers: Sequence[Levelled], usual: Sequence[Levelled]) -> _Implied:
    facets = frozenset(answer.candidate.facets for answer in usual)
    return _Implied([answer.candidate for answer in answers], facets)
