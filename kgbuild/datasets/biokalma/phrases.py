"""Turn facts into predicates: values with the article or preposition that a sentence needs."""

import re
from collections.abc import Sequence

from kgbuild.catalog import Catalog
from kgbuild.datasets.biokalma.lexicon import Lexicon, Wording
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.datasets.biokalma.sentences import Predicate
from kgbuild.english import date_parsing, dates
from kgbuild.english.articles import indefinite
from kgbuild.graph.hierarchy import Kinds
from kgbuild.relations import Kind

_DAY = "day"
_PERSON, _THING = "person", "thing"


class Phraser:
    """Turns facts into predicates."""

    def __init__(self, catalog: Catalog, lexicon: Lexicon, kinds: Kinds):
        self._catalog = catalog
        self._lexicon = lexicon
        self._kinds = kinds

    def predicate(self, facts: Sequence[Fact], label: str) -> Predicate:
        """Return the predicate of facts with one subject and property, labelled ``label``."""
        wording = self._lexicon.of(facts[0].pid, label)
        for pattern, says in wording.forms:
            if all(re.search(pattern, fact.shown) for fact in facts):
                wording = wording._replace(says=says, value="", forms=())
                break
        values = tuple(self._value(fact, wording) for fact in facts)
        of_people = any(fact.value_qid and self._is_person(fact.value_qid) for fact in facts)
        return Predicate(facts[0].pid, wording, values, of_people)

    def _is_person(self, qid: str) -> bool:
        return self._kinds.names(qid)[:1] == [_PERSON]

    def _value(self, fact: Fact, wording: Wording) -> str:
        if fact.value.kind == "time":
            return self._time(fact, wording)
        if wording.value == "a":
            return indefinite(fact.shown)
        if wording.value == "the":
            return fact.shown if fact.shown.casefold().startswith("the ") else f"the {fact.shown}"
        return self._kind(fact).phrase(fact.shown) if fact.value_qid else fact.shown

    def _kind(self, fact: Fact) -> Kind:
        """Return the kind of a value: the first that fits of those that its relation expects.

        If none fits, its classes are unusual, and the expected kind is used.
        """
        first = self._kinds.names(fact.value.text)[:1]
        relation = self._catalog.relations.get(fact.pid)
        expected = relation.object if relation else (_THING,)
        if _THING in expected:
            expected = (*first, *expected)
        kinds = [self._catalog.kinds[name] for name in expected]
        fitting = [kind for kind in kinds if kind.name in first or not kind.classes]
        return (fitting or kinds)[0]

    def _time(self, fact: Fact, wording: Wording) -> str:
        # As it is cited, so that paragraph and citation agree about its precision.
        time = date_parsing.read(fact.shown)
        forms = dates.answers(time) if time else ()
        text = forms[0].text if forms else fact.shown
        if wording.value != "date":
            return text
        return f"{'on' if forms and forms[0].kind == _DAY else 'in'} {text}"
