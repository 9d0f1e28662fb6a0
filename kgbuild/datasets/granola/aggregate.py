"""One answer from several responses to a question: the most specific that agrees with all of them.

Source: section 4 of the GRANOLA paper, "decoding with response aggregation", of which
self-consistency is the case that lets the majority decide.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from kgbuild.catalog import Catalog, Relation
from kgbuild.datasets.granola.answers import Gold, ItemAnswers, TimeAnswers
from kgbuild.datasets.granola.levels import Candidate, Levelled, minimal
from kgbuild.datasets.granola.profile import Profiles
from kgbuild.datasets.granola.question_files import Answer, Record
from kgbuild.datasets.granola.recognise import Fit
from kgbuild.datasets.granola.resolve import Resolved, Resolver
from kgbuild.datasets.granola.statements import DATE, Stated
from kgbuild.english import date_parsing, dates
from kgbuild.evaluate.text_metrics import abstains, normalise
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years
from kgbuild.store.labels import Names

IDK = "IDK"
"""The answer where responses share nothing that tells something, as in the paper."""

_NO_NAME = re.compile(r"^the |\.$", re.IGNORECASE)
"""What may stand around a name: that of "the USA." is USA."""


class Question(NamedTuple):
    """What was asked: in which words, of which relation, about which item, called what.

    Where nobody knows, there is no item, and the name is empty.
    """

    text: str
    relation: Relation
    subject: str
    name: str


def majority(responses: Sequence[str]) -> str:
    """Return the commonest response, as it is written most often.

    Those count as the same that normalisation makes the same, and all that abstain. Of equally
    common ones the first is taken.
    """
    forms: dict[str, list[str]] = {}
    for one in responses:
        forms.setdefault(IDK if abstains(one) else normalise(one), []).append(one)
    commonest = max(forms, key=lambda key: len(forms[key]))
    return IDK if commonest == IDK else _written(forms[commonest])


def answering(responses: Sequence[str]) -> list[str]:
    """Return the responses that do not abstain; none of them if most do.

    Who abstains contradicts nobody, so it makes no answer coarser. But where most abstain, the
    few are guesses.
    """
    found = [one for one in responses if not abstains(one)]
    return found if 2 * len(found) >= len(responses) else []


def settled(responses: Sequence[str]) -> str | None:
    """Return the answer to which no knowledge is needed, None if there is none.

    It is "IDK" if most responses abstain, or what all say that do not, whatever it tells: so one
    response stands as it is.
    """
    said = answering(responses)
    same = len({normalise(one) for one in said}) == 1
    return _written(said) if same else None if said else IDK


def _written(forms: Sequence[str]) -> str:
    """Return the commonest of several forms; of equally common ones the first by letter."""
    counts = Counter(forms)
    return min(counts, key=lambda form: (-counts[form], form))


class _Linked(NamedTuple):
    """A response as the graph knows it: itself and what follows, the finest first.

    ``usual`` has what those say that people would answer with, of all that follow.
    """

    follows: list[Candidate]
    usual: frozenset[frozenset[object]]


class CommonGround:
    """Finds the most specific answer that follows from all responses, by the graph.

    Each response is linked to an item, a description of one or a date. What tells less than
    ``min_bits`` follows from none. Of what follows from all, one is taken that lies above nothing
    else: that which is usually said of most of them, then that which tells most. So the order of
    responses makes no difference, and what one more gives never lies below what there was before,
    unless most abstained before it came.

    A response that cannot be linked agrees with nothing but itself. Known weakness: one name of
    several items is linked as if nothing else were said, so responses may seem to disagree.
    """

    def __init__(self, known: Knowledge, names: Names, catalog: Catalog, min_bits: float):
        self._known = known
        self._catalog = catalog
        self._min_bits = min_bits
        self._resolver = Resolver(known, names, catalog)
        self._stated = Stated(known, catalog)
        self._profiles = Profiles(known)
        self._items: dict[str, ItemAnswers] = {}
        self._times: dict[str, TimeAnswers] = {}

    def answer(self, question: Question, responses: Sequence[str]) -> str:
        """Return what responses, of which there is at least one, have in common, or "IDK"."""
        if (answer := settled(responses)) is not None:
            return answer
        texts = {normalise(one): one for one in sorted(answering(responses))}
        linked = [self._linked(question, texts[key]) for key in sorted(texts)]
        shared = set.intersection(*({one.says for one in each.follows} for each in linked))
        common = minimal([one for one in linked[0].follows if one.says in shared])

        def rank(one: Candidate) -> tuple[int, float, str]:
            return -sum(one.says in each.usual for each in linked), -one.bits, one.text

        return min(common, key=rank).text if common else IDK

    def _linked(self, question: Question, text: str) -> _Linked:
        if question.relation.object == DATE:
            return self._date(question, text)
        ways = [self._item, self._item_and_more, self._in_words]
        if text.lower().startswith(("a ", "an ")):  # of a kind, whatever else is called so
            ways = [ways.pop(), *ways]
        forms = dict.fromkeys((text, _NO_NAME.sub("", text)))
        found = (way(question, form) for way in ways for form in forms)
        return next((one for one in found if one.follows), _UNLINKED)

    def _date(self, question: Question, text: str) -> _Linked:
        value = date_parsing.read(text)
        if value is None:
            return _UNLINKED
        forms = dates.answers(value)
        gold = Gold((forms[0].text,), None, ())
        answers = self._times_of(question.relation)
        found, _ = answers.levelled([(forms, gold)], question.name, self._min_bits)
        return _linked(found, found)

    def _item(self, question: Question, text: str) -> _Linked:
        """Return what follows from an item, chosen without a look at the right answers."""
        record = Record("", question.text, (Answer(text, None),))
        found = self._resolver.resolve(record, [Fit(question.relation, None)])
        qid = found.answers[0].qid if isinstance(found, Resolved) else None
        if qid is None:
            return _UNLINKED
        gold = Gold((self._known.labels.label(qid) or text,), qid, ())
        answers = self._items_of(question.relation)
        about = self._when(question), question.name, self._min_bits
        return _linked(answers.follows(gold, *about), answers.levelled([gold], *about)[0])

    def _item_and_more(self, question: Question, text: str) -> _Linked:
        """Return what follows from "Lyon, France": what does from Lyon, if France is of that."""
        name, *more = text.split(",")
        found = self._item(question, name) if more else _UNLINKED
        names = {normalise(said) for one in found.follows for said in (one.text, *one.aliases)}
        return found if {normalise(one) for one in more} <= names else _UNLINKED

    def _in_words(self, question: Question, text: str) -> _Linked:
        answers = self._items_of(question.relation)
        found = answers.in_words(text, self._when(question), question.name, self._min_bits)
        return _linked(found, found)

    def _when(self, question: Question) -> Years | None:
        return self._stated.when(question.subject, question.relation) if question.subject else None

    def _items_of(self, relation: Relation) -> ItemAnswers:
        if relation.pid not in self._items:
            population = (
                (value, self._stated.when(subject, relation))
                for subject, values in self._stated.every(relation).items()
                for value in values
            )
            self._items[relation.pid] = ItemAnswers(
                self._known, self._catalog, relation, population, self._profiles
            )
        return self._items[relation.pid]

    def _times_of(self, relation: Relation) -> TimeAnswers:
        if relation.pid not in self._times:
            times = self._known.times.by_item(relation.pid).values()
            self._times[relation.pid] = TimeAnswers(one for values in times for one in values)
        return self._times[relation.pid]


def _linked(found: Sequence[Levelled], usual: Sequence[Levelled]) -> _Linked:
    says = frozenset(one.candidate.says for one in usual)
    return _Linked([one.candidate for one in found], says)


_UNLINKED = _Linked([], frozenset())
