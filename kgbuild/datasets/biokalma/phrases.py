"""Turn facts into predicates: values with articles and prepositions, and the nouns for them."""

import re
from collections.abc import Sequence

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.clauses import Predicate
from kgbuild.datasets.biokalma.lexicon import Wording, lexicon
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.english import date_parsing, dates
from kgbuild.english.articles import indefinite
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import Kind

_DAY = "day"
_PERSON, _THING = "person", "thing"


class Phraser:
    """Turns facts into predicates."""

    def __init__(self, knowledge: Knowledge):
        self._knowledge = knowledge

    def predicate(self, facts: Sequence[Fact], label: str) -> Predicate:
        """Return the predicate of facts with the same subject and property.

        ``label`` is the label of the property.
        """
        wording = lexicon().wording(facts[0].pid, label)
        noun = self.noun(facts, wording)
        for pattern, sentence in wording.variants:
            if all(re.search(pattern, fact.value_text) for fact in facts):
                # The sentence of a variant has its own articles, so values get none.
                wording = wording._replace(says=sentence, value_form="", variants=())
                break
        values = tuple(self._value(fact, wording) for fact in facts)
        of_people = any(fact.value_qid and self._is_person(fact.value_qid) for fact in facts)
        return Predicate(facts[0].pid, wording, values, of_people, noun)

    def noun(self, facts: Sequence[Fact], wording: Wording) -> tuple[str, ...]:
        """Return the noun for values, singular and plural: the first kind that fits them all.

        A kind fits a value if its expression matches the label of the value or of a class of it.
        """
        for pattern, singular, plural in wording.kinds:
            if all(
                any(re.search(pattern, label) for label in self._labels(fact)) for fact in facts
            ):
                return singular, plural
        return wording.noun

    def _labels(self, fact: Fact) -> list[str]:
        """Return the label of a value and those of its classes."""
        classes = self._knowledge.statements.values(fact.value.text, "P31")
        labels = (self._knowledge.labels.label(qid) for qid in classes)
        return [fact.value_text, *filter(None, labels)]

    def _is_person(self, qid: str) -> bool:
        return self._main_kind(qid) == [_PERSON]

    def _main_kind(self, qid: str) -> list[str]:
        """Return the name of the first kind of an item in relations.toml; an empty list without."""
        return self._knowledge.kinds.names(qid)[:1]

    def _value(self, fact: Fact, wording: Wording) -> str:
        """Return the value of a fact as sentences write it, with its article or preposition."""
        if fact.value.kind == "time":
            return self._time(fact, wording)
        if wording.value_form == "a":
            return indefinite(fact.value_text)
        if wording.value_form == "the":
            has_article = fact.value_text.casefold().startswith("the ")
            return fact.value_text if has_article else f"the {fact.value_text}"
        return self._kind(fact).phrase(fact.value_text) if fact.value_qid else fact.value_text

    def _kind(self, fact: Fact) -> Kind:
        """Return the kind of a value, which decides about its article.

        The candidates are the kinds that relations.toml expects of objects of the relation; if it
        expects things, the main kind of the value is the first candidate. The first candidate that
        is the main kind, or that has no classes and so fits any value, is the result. If no
        candidate fits, it is the first one.
        """
        main_kind = self._main_kind(fact.value.text)
        relation = catalog().relations.get(fact.pid)
        expected_names = relation.object_kinds if relation else (_THING,)
        if _THING in expected_names:
            expected_names = (*main_kind, *expected_names)
        expected_kinds = [catalog().kinds[name] for name in expected_names]
        fitting = [kind for kind in expected_kinds if kind.name in main_kind or not kind.classes]
        return (fitting or expected_kinds)[0]

    def _time(self, fact: Fact, wording: Wording) -> str:
        """Return a date at the precision of its citation, perhaps with its preposition."""
        time = date_parsing.read(fact.value_text)  # the text in citations
        finest = next(iter(dates.answers(time)), None) if time else None
        text = finest.text if finest else fact.value_text
        if wording.value_form != "date":
            return text
        return f"{'on' if finest and finest.kind == _DAY else 'in'} {text}"
